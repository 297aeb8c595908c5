"""No secret of a recording comes through: whatever place it has, whatever it looks like, and wherever it comes back."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from petcheck.runner.written import judged_again
from petcheck.traffic.masks import Masks
from petcheck.traffic.secrets import _ENCODED, _NAMES, _PACKED, _PLACES, _USER
from petcheck.wire.secret_names import says_secret
from tests.support.entries import ERROR, REX, TOKEN, entry, rows, story
from tests.support.foreign import har_of, judged, outcomes, stream_in

Entry = dict[str, Any]
Plant = Callable[[str], list[Entry]]


def in_query(name: str) -> Plant:
    return lambda canary: [entry(0, f"/pets?limit=2&{name}={canary}")]


def in_header(name: str, text: str = "{}", request: bool = False) -> Plant:
    def plant(canary: str) -> list[Entry]:
        one = entry(0)
        one["request" if request else "response"]["headers"] += rows({name: text.format(canary)})
        echo = entry(1, "/pets/41", answer=REX | {"note": f"seen {text.format(canary)}"})
        return [one, echo] if request else [one]

    return plant


def in_answer(*path: str) -> Plant:
    def plant(canary: str) -> list[Entry]:
        value: Any = canary
        for name in reversed(path):
            value = [value] if name == "[]" else {name: value}
        return [entry(0, "/pets/41", answer=REX | value)]

    return plant


def in_post(name: str) -> Plant:
    return lambda canary: [entry(0, sent={"name": "Rex", "categoryId": 3, name: canary}, status=201, answer=REX)]


def in_text(text: str) -> Plant:
    return lambda canary: [entry(0, "/pets/41", answer=REX | {"note": text.format(canary)})]


def in_page(text: str) -> Plant:
    return lambda canary: [entry(0, status=401, key=None, answer=text.format(canary))]


def elsewhere(change: Callable[[Entry, str], object], back: Callable[[str], str] = str) -> Plant:
    """A secret of another host, which comes back from the service."""

    def plant(canary: str) -> list[Entry]:
        other = entry(0, "/login", base="https://bank.example")
        change(other, canary)
        return [other, entry(1, "/pets/41", answer=REX | {"note": f"x{back(canary)}y"})]

    return plant


def sends(**members: str) -> Callable[[Entry, str], object]:
    """Texts in a body of JSON."""

    def change(one: Entry, canary: str) -> None:
        text = json.dumps({name: text.format(canary) for name, text in members.items()})
        one["request"]["postData"] = {"mimeType": "application/json", "text": text}

    return change


def sends_form(one: Entry, canary: str) -> None:
    media = "application/x-www-form-urlencoded"
    one["request"]["postData"] = {"mimeType": media, "text": f"user=ann&password={quote(canary)}&x=1"}


def sends_params(one: Entry, canary: str) -> None:
    one["request"]["postData"] = {"mimeType": "x", "params": [{"name": "pass_word", "value": canary}]}


def has_header(name: str, text: str = "{}", part: str = "request") -> Callable[[Entry, str], object]:
    return lambda one, canary: one[part]["headers"].append({"name": name, "value": text.format(canary)})


def has_basic(one: Entry, canary: str) -> None:
    both = base64.b64encode(f"ann:{canary}".encode()).decode()
    one["request"]["headers"].append({"name": "Authorization", "value": f"Basic {both}"})


def has_cookie_row(one: Entry, canary: str) -> None:
    one["request"]["cookies"].append({"name": "a", "value": canary})


def has_url(text: str) -> Callable[[Entry, str], object]:
    return lambda one, canary: one["request"].update(url=text.format(canary))


def in_base64(text: str) -> str:
    return base64.b64encode(f"ab{text}cd".encode()).decode()


def sends_text(media: str, text: str) -> Callable[[Entry, str], object]:
    """A body of that media type."""
    return lambda one, canary: one["request"].update(
        postData={"mimeType": media, "text": text.replace("CANARY", canary)}
    )


PARTS = '--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\nCANARY\r\n--x\r\nContent-Disposition: form-data; name="b"\r\n\r\nc\r\n--x--\r\n'  # noqa: E501


def sends_base64(one: Entry, canary: str) -> None:
    text = base64.b64encode(json.dumps({"password": canary}).encode()).decode()
    one["request"]["postData"] = {"mimeType": "application/octet-stream", "text": text, "encoding": "base64"}


def answers_page(one: Entry, canary: str) -> None:
    one["response"]["content"] = {"mimeType": "text/html", "text": f"<script>x = {{'apiKey': '{canary}'}}</script>"}


def answers_script(text: str) -> Callable[[Entry, str], object]:
    """A script of another host."""
    return lambda one, canary: one["response"].update(
        content={"mimeType": "application/javascript", "text": text.replace("CANARY", canary)}
    )


ASSIGNMENTS: tuple[str, ...] = (
    'var apiKey = "CANARY";',
    "window.sig='CANARY'",
    "const clientSecret   =   `CANARY`",
    "const token: string = 'CANARY'",
    'apiKey := "CANARY"',
    "window['connect.sid'] = 'CANARY'",
    "x = {'api-key' : \"CANARY\"}",
    "'api_key' => 'CANARY'",
    "localStorage.setItem('token', 'CANARY')",
    "x = {Authorization: 'Bearer CANARY'}",
    'x = "{\\"token\\":\\"CANARY\\"}"',
    "get('https://x.example/?a=1&api_key=CANARY')",
    "get('https://ann:CANARY@x.example/')",
)


CANARY = "Zx9Q-canary-4b7e1"
SPELLINGS: tuple[str, ...] = (
    "key",
    "apiKey",
    "api_key",
    "API-KEY",
    "api%5Fkey",
    "x-api-key",
    "subscription-key",
    "appkey",
    "keys",
)
SPELLINGS += ("token", "access_token", "idToken", "X-Amz-Security-Token", "tok%65n", "refresh.token", "token[]")
SPELLINGS += ("secret", "client_secret", "clientSecret", "SECRET", "signature", "X-Amz-Signature", "sig", "session")
SPELLINGS += (
    "sessionid",
    "JSESSIONID",
    "PHPSESSID",
    "sid",
    "password",
    "passwd",
    "pwd",
    "pass_word",
    "code",
    "auth_code",
)
SPELLINGS += ("csrf", "csrf-token", "_xsrf", "csrfmiddlewaretoken", "jwt", "credential", "X-Goog-Credential", "otp")
HEADERS: tuple[str, ...] = (
    "X-Api-Key",
    "X-Auth-Token",
    "X-CSRF-Token",
    "X-Session-Id",
    "Set-Cookie",
    "Authentication-Info",
    "X-Signature",
)
MEMBERS: tuple[str, ...] = (
    "apiKey",
    "access_token",
    "refreshToken",
    "client_secret",
    "sessionId",
    "csrfToken",
    "password",
    "pass-word",
)
MEMBERS += ("oauth_verifier", "cardCvv", "ssn", "seed-phrase", "connection_string")
MEMBERS += ("code", "signature", "privateKey", "id_token", "X-Api-Key", "jwt")

PLANTS: dict[str, Plant] = {
    **{f"query {name}": in_query(name) for name in SPELLINGS},
    **{f"header {name}": in_header(name) for name in HEADERS},
    "header Location": in_header("Location", "/pets/41?access_token={}"),
    "header Link": in_header("Link", '<https://pets.example/v1/pets?cursor=2&api_key={}>; rel="next"'),
    "header Content-Location with a user": in_header("Content-Location", "https://ann:{}@pets.example/v1/pets"),
    "header Refresh": in_header("Refresh", "0; url=/x#id_token={}"),
    "header of the request": in_header("X-Api-Key", "{}", request=True),
    "cookie": in_header("Cookie", "a=1; sid={}", request=True),
    "referer": in_header("Referer", "https://shop.example/?session={}", request=True),
    **{f"answer {name}": in_answer(name) for name in MEMBERS},
    "answer, deep": in_answer("owner", "login", "password"),
    "answer, list": in_answer("tokens", "[]"),
    "answer, list of objects": in_answer("sessions", "[]", "token"),
    **{f"posted {name}": in_post(name) for name in MEMBERS},
    "text with a parameter": in_text("see https://x.example/?token={}"),
    "text with a user": in_text("https://ann:{}@x.example/"),
    "JSON in a text": in_text('{{"token": "{}"}}'),
    "form in a page": in_page('<form><input type=hidden name="csrf_token" value="{}"></form>'),
    "meta in a page": in_page('<meta name="csrf-token" content="{}">'),
    "bearer in a text": in_text("send Authorization: Bearer {}"),
    "escaped name": lambda canary: [
        entry(0, "/pets/41", answer=json.dumps(REX)[:-1] + f', "\\u0074oken": "{canary}"}}')
    ],
    "another key": lambda canary: [
        entry(0, answer=[REX | {"name": canary}]),
        entry(1, key=canary, status=401, answer=ERROR),
    ],
    "part of a key": lambda canary: [entry(0, key=canary * 2, answer=[REX | {"name": f"x{canary}{canary[:3]}"}])],
    "key in base64": lambda canary: [entry(0, key=canary, answer=[REX | {"name": in_base64(canary)}])],
    "key in hex": lambda canary: [entry(0, key=canary, answer=[REX | {"name": canary.encode().hex()}])],
    "JSON of another host": elsewhere(sends(password="{}")),
    "JSON in JSON of another host": elsewhere(sends(data='{{"token": "{}"}}')),
    "form of another host": elsewhere(sends_form),
    "params of another host": elsewhere(sends_params),
    "header of another host": elsewhere(has_header("X-Api-Key")),
    "answer's header of another host": elsewhere(has_header("X-Auth-Token", part="response")),
    "digest of another host": elsewhere(has_header("Authorization", 'Digest username="ann", response="{}"')),
    "set-cookie of another host": elsewhere(has_header("Set-Cookie", "sid={}; Path=/; HttpOnly", part="response")),
    "cookie row of another host": elsewhere(has_cookie_row),
    "Basic password": elsewhere(has_basic),
    "Basic password in base64": elsewhere(has_basic, in_base64),
    "Basic password in hex": elsewhere(has_basic, lambda text: text.encode().hex()),
    "user of another host's URL": elsewhere(has_url("https://ann:{}@bank.example/")),
    "query of another host": elsewhere(has_url("https://bank.example/cb?state=1&code={}")),
    **{f"posted {name}, short": in_post(name) for name in ("pass", "pw", "creds", "code_verifier")},
    "answer, object": in_answer("token", "value"),
    "answer, lists": in_answer("keys", "[]", "[]"),
    "pair of name and value": lambda canary: [
        entry(0, "/pets/41", answer=REX | {"settings": [{"name": "password", "value": canary}]})
    ],
    "text with a colon": in_text("token: {}"),
    "text with quotes": in_text("key='{}'"),
    "XML": in_page("<a><password>{}</password></a>"),
    "URL in a parameter": lambda canary: [
        entry(0, f"/pets?next={quote(quote(f'/x?token={canary}', safe=''), safe='')}")
    ],
    "JSON in a parameter": lambda canary: [entry(0, f"/pets?filter={quote(json.dumps({'apiKey': canary}), safe='')}")],
    "Basic user": elsewhere(has_header("Authorization", "Basic " + base64.b64encode(b"Zx9Q-canary-4b7e1:").decode())),
    "escapes": lambda canary: [entry(0, "/pets/41", answer=json.dumps(REX)[:-1] + f', "token": "a\\/{canary}"}}')],
    **{f"form in parts, {name}": elsewhere(sends_text("multipart/form-data", PARTS % name)) for name in MEMBERS},
    "text of no known type": elsewhere(sends_text("application/octet-stream", "password=CANARY")),
    "GraphQL": elsewhere(sends_text("application/graphql", 'mutation { login(password: "CANARY") { id } }')),
    "body in base64": elsewhere(sends_base64),
    "object in a page": elsewhere(answers_page),
    "Basic password as HTML": elsewhere(has_basic, lambda text: "".join(f"&#{ord(one)};" for one in text)),
    "JSON in base64": lambda canary: [
        entry(0, "/pets/41", answer=REX | {"note": base64.b64encode(json.dumps({"token": canary}).encode()).decode()})
    ],
    **{f"script {text}": elsewhere(answers_script(text)) for text in ASSIGNMENTS},
    **{
        f"page {text}": in_page(
            f"<script>{text}</script>".replace("{", "{{").replace("}", "}}").replace("CANARY", "{}")
        )
        for text in ASSIGNMENTS
    },
    "form in a page, value first": in_page('<input value="{}" type=hidden name="csrf_token">'),
    "XML with an attribute": in_page('<a><password type="x">{}</password></a>'),
    "XML with CDATA": in_page("<a><token><![CDATA[{}]]></token></a>"),
    "XML with a prefix": elsewhere(sends_text("text/xml", '<w:Password Type="t">CANARY</w:Password>')),
    "settings": elsewhere(sends_text("text/plain", "[x]\nsecret_key = CANARY\n")),
    "redirect of another host": elsewhere(
        lambda one, canary: one["response"].update(redirectURL=f"https://bank.example/?code={canary}")
    ),
    "WebSocket of another host": elsewhere(
        lambda one, canary: one.update(_webSocketMessages=[{"type": "send", "data": json.dumps({"token": canary})}])
    ),
    "header with quotes": in_header("Server-Timing", 'db;desc="token={}"'),
    "text with an arrow": in_text("token => {}"),
    "bearer in small letters": in_text("send bearer {}"),
    "fragment of another host": elsewhere(has_url("https://bank.example/cb#access_token={}")),
}


def test_there_are_about_a_hundred_places() -> None:
    assert len(PLANTS) >= 100


@pytest.mark.parametrize("place", PLANTS)
def test_what_stands_in_a_place_for_secrets_is_masked(place: str, tmp_path: Path) -> None:
    assert shown(PLANTS[place](CANARY), tmp_path, CANARY) == []


def shown(calls: list[Entry], folder: Path, *canaries: str) -> list[str]:
    """Where the stream that is judged still has a secret, in any of its usual forms."""
    stream = stream_in(har_of(calls), folder)
    assert stream.exchanges
    text = repr(stream.entries)
    forms = {form for one in canaries for form in (one, quote(one), one.encode().hex(), in_base64(one)[4:-6])}
    return [text[max(place - 60, 0) : place + 60] for form in forms if (place := text.find(form)) >= 0]


SHAPES = {
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
    "Stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "Stripe, restricted": "rk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "GitHub": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "Stripe, of an organization": "sk_org_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "AWS, the secret": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AWS, after a prefix": "key_AKIA" + "IOSFODNN7EXAMPLE",
    "GitHub, after a prefix": "x_ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "GitHub, fine-grained": "github_pat_" + "11ABCDEFG0aBcDeFgHiJkLmN",
    "GitLab": "glpat-" + "aBcDeFgHiJkLmNoPqRsT",
    "Slack": "xoxb-" + "2048-4096-aBcDeFgHiJ",
    "Google": "AIza" + "SyA-1234567890abcdefghijklmnopqrstu",
    "Slack, a hook": "https://hooks.slack.com/" + "services/T00000000/B00000000/aBcDeFgHiJkLmNoPqRsTuVwX",
    "Twilio": "SK" + "0123456789abcdef" * 2,
    "Vault": "hvs." + "CAESIJlU9LMYEhOPYv4igdhm9PnZDrabYTobQ4Ymnlq1qY",
    "Databricks": "dapi" + "0123456789abcdef" * 2,
    "a private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_token_of_a_known_shape_is_masked_in_data_too(shape: str, tmp_path: Path) -> None:
    token = SHAPES[shape]
    calls = [
        entry(0, sent={"name": token, "categoryId": 3}, status=201, answer=REX | {"name": token}),
        entry(1, f"/pets?note={quote(token)}"),
    ]
    calls[1]["response"]["headers"] += rows({"X-Note": token.replace("\n", " ")})
    packed = base64.b64encode(token.encode()).decode()
    calls.append(entry(2, "/pets/41", answer=REX | {"note": packed}))
    assert shown(calls, tmp_path, token.split("\n")[-2 if "\n" in token else 0], packed) == []
    assert outcomes(judged(har_of(calls), tmp_path))["CREATE-2"] != "fail"


@pytest.mark.parametrize(
    "key", ["kq7", "pass phrase of a few words", "Schlüssel-äöü-鍵", 'a"b\\c/d=e&f', "7" * 19, "k" * 9000]
)
def test_a_key_of_any_length_and_alphabet_is_masked(key: str, tmp_path: Path) -> None:
    calls = [entry(0, key=key, answer=[REX | {"name": f"the {key} came back"}])]
    stream = stream_in(har_of(calls), tmp_path)
    animal: dict[str, Any] = json.loads(stream.exchanges[0].heard.body)[0]
    assert animal == REX | {"name": animal["name"]}
    assert key not in animal["name"]
    assert animal["name"].startswith("the ")


@pytest.mark.parametrize("name", ["limit", "status", "name", "id", "categoryId", "message", "statusCode", "errorCode"])
@pytest.mark.parametrize("kind", ["author", "monkey", "keyboard", "zipcode", "WWW-Authenticate", "Vary"])
def test_the_names_of_the_interface_and_plain_words_say_no_secret(name: str, kind: str) -> None:
    assert not says_secret(name)
    assert not says_secret(kind)


def test_the_interface_itself_stays_as_it_was(tmp_path: Path) -> None:
    """An Error's `code` is read, and what a form calls secret by mistake spoils no word and no number."""
    other = entry(0, "/login", base="https://bank.example")
    words = ("available", "message", "application/json", "categor", "1922745600", "300", "not_found", "Bearer", "41")
    other["request"]["headers"] += [{"name": "X-Auth-Token", "value": word} for word in words]
    calls = story()
    fails = {row.id: row.outcome for row in judged(har_of([other, *calls]), tmp_path).requirements}
    assert fails == outcomes(judged(har_of(calls), tmp_path))
    stream = stream_in(har_of([other, *calls]), tmp_path)
    assert [e.json["code"] for e in stream.exchanges if e.heard.status >= 400] == [  # type: ignore[index, call-overload]
        *("no_such_pet", "unknown_key", "unknown_key", "invalid")
    ]
    assert {e.heard.header("X-RateLimit-Limit") for e in stream.exchanges} == {"300"}


WORDS: tuple[str, ...] = (
    "sort=status",
    'x=[{"id": 41',
    "x=pets.example",
    "x=https://pets.example/v1",
    "x=/v1/pets",
    "x=HTTP/1.1",
    "x=Rex 41",
)
WORDS += ("x=Bearer rec-key", "x=unknown_key", "x=2026-11-23T12", "x=categoryId", "x=number")


@pytest.mark.parametrize("cookie", WORDS)
def test_a_cookie_that_holds_a_word_of_the_recording_changes_no_verdict(cookie: str, tmp_path: Path) -> None:
    other = entry(0, "/x", base="https://shop.example")
    other["request"]["headers"] += rows({"Cookie": cookie, "X-Auth-Token": '"status"'})
    calls = story()
    assert outcomes(judged(har_of([other, *calls]), tmp_path)) == outcomes(judged(har_of(calls), tmp_path))


@pytest.mark.parametrize(
    ("sent", "back"),
    [
        ("sk\\u005flive_4eC39HqLyjWDarjtT1zdp7dc", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
        ("token=ab/cdef", "token=ab\\/cdef"),
        ("token=\u00e4bc", "token=\\u00e4bc"),
        ("http://a:pw1@h", "http:\\/\\/a:pw1@h"),
    ],
)
def test_a_name_is_masked_alike_however_it_is_written(sent: str, back: str, tmp_path: Path) -> None:
    call = entry(
        30,
        sent=f'{{"name": "{sent}", "categoryId": 3}}',
        status=201,
        answer=f'{{"id":50,"name":"{back}","categoryId":3}}',
    )
    found = outcomes(judged(har_of([*story(), call]), tmp_path))
    assert found["CREATE-2"] == "pass"


def test_two_secrets_do_not_become_one(tmp_path: Path) -> None:
    """Neither ids nor names: equality decides verdicts."""
    other = entry(0, "/x?pin=1234567890&token=Zx9Q-one&key=Zx9Q-two", base="https://shop.example")
    pets = [REX | {"id": 1234567890, "name": "Zx9Q-one"}, REX | {"id": 2234567890, "name": "Zx9Q-two"}]
    stream = stream_in(har_of([other, entry(1, "/pets", answer=pets)]), tmp_path)
    first, second = json.loads(stream.exchanges[0].heard.body)
    assert (first["id"], first["name"]) != (1234567890, "Zx9Q-one")
    assert first["name"] != second["name"]
    assert "Zx9Q" not in str(stream)


def with_key(part: str, name: str) -> Entry:
    """An exchange that has the key in a header, or in another text of the entry."""
    one = entry(1)
    if name in ("httpVersion", "statusText"):
        one["response"][name] = TOKEN
    else:
        one[part]["headers"] = [row for row in one[part]["headers"] if row["name"] != name]
        one[part]["headers"] += rows(
            {name: f"application/json; k={TOKEN}" if name in ("Accept", "Content-Type") else TOKEN}
        )
    return one


@pytest.mark.parametrize(
    "one",
    [
        *(with_key("response", name) for name in ("Content-Type", "Date", "Retry-After", "Content-Length")),
        *(with_key("response", name) for name in ("X-RateLimit-Limit", "httpVersion", "statusText")),
        *(with_key("request", name) for name in ("Accept", "Content-Type")),
        entry(1, base=f"https://{TOKEN}.pets.example/v1"),
        entry(1, base=f"https://{TOKEN}/v1"),
    ],
)  # fmt: skip
def test_the_key_survives_nowhere(one: Entry, tmp_path: Path) -> None:
    calls = [entry(0, base=one["request"]["url"].removesuffix("/pets")), one]
    assert shown(calls, tmp_path, TOKEN) == []
    assert judged(har_of(calls), tmp_path).targets


def test_a_key_without_a_scheme_is_not_taken_for_a_scheme(tmp_path: Path) -> None:
    bare = "abcdEFGH-1234-ijkl"
    one = entry(1, key=None, status=401, answer=ERROR)
    one["request"]["headers"] += rows({"Authorization": bare})
    assert shown([entry(0), one], tmp_path, bare) == []


@pytest.mark.parametrize(
    "name", ["Secret", "Token", "Key", "code", "Password 1", "Session", "Basic", "Rex and the session of 12"]
)
@pytest.mark.parametrize("category", [3, 1234567890123456, 42])
def test_animals_are_no_secrets(name: str, category: int, tmp_path: Path) -> None:
    """What an animal is called, and its numbers, stay, whatever the words are."""
    animal = {"id": 987654, "name": name, "categoryId": category, "status": "available"}
    calls = [
        entry(0, sent={"name": name, "categoryId": category, "status": "available"}, status=201, answer=animal),
        entry(1, "/pets?limit=100", answer=[animal]),
    ]
    stream = stream_in(har_of(calls), tmp_path)
    assert [one.json for one in stream.exchanges] == [animal, [animal]]


HUGE: tuple[str, ...] = (
    "a" * 300_000 + "%41",
    'name="a"\n' * 33_000,
    'key="' + "a" * 300_000,
    '("key",' * 40_000,
    '\\"key\\":' * 40_000,
    "A1b/" * 75_000,
)


@pytest.mark.parametrize("text", HUGE, ids=[text[:9] for text in HUGE])
def test_a_long_text_is_read_once(text: str) -> None:
    """None takes minutes: each was quadratic in one of the searches."""
    for part in (text, text[: len(text) // 2]):
        for search in (*_PLACES, _NAMES, _USER, _ENCODED, _PACKED):
            assert sum(1 for _ in search.finditer(part)) <= len(part)


def test_hex_and_words_are_no_secrets_of_aws(tmp_path: Path) -> None:
    note = f"{'0123456789abcdef' * 2}01234567 {'Abcdefghij' * 4} {'A1b' * 20} https://x.example/Images/2024/Rex.png"
    (one,) = stream_in(har_of([entry(0, "/pets/41", answer=REX | {"note": note})]), tmp_path).exchanges
    assert json.loads(one.heard.body)["note"] == note


def test_thousands_of_secrets_are_masked_in_one_search() -> None:
    tokens = [f"{number:05d}-{number * 7919 % 99991:05d}-canary" for number in range(6000)]
    masks = Masks([], tokens)
    text = " ".join(f'"x{token}y"' for token in tokens)
    masked = masks.in_text(text)
    assert "canary" not in masked
    assert len(set(re.findall(r"\[redacted-key[-\d]*\]", masked))) == len(tokens)


def test_what_a_message_names_is_masked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from petcheck.cli.main import main

    calls = [entry(0, base=f"https://{host}.example/{TOKEN}/v1") for host in ("a", "b")]
    (tmp_path / "x.har").write_text(json.dumps(har_of(calls)))
    with pytest.raises(SystemExit):
        main(["judge", str(tmp_path / "x.har")])
    err = capsys.readouterr().err
    assert "several base URLs" in err
    assert TOKEN not in err


def test_no_report_has_what_was_masked(tmp_path: Path) -> None:
    calls = [one for number, plant in enumerate(PLANTS.values()) for one in plant(f"{CANARY}{number}")]
    folder = tmp_path / "out"
    folder.mkdir()
    assert judged_again(stream_in(har_of(calls), tmp_path), folder).trouble == []
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert [name for name, content in files.items() if b"canary" in content] == []


def test_halves_of_surrogate_pairs_are_masked_with_the_rest() -> None:
    masks = Masks(["key \ud800 of sixteen or more"], ["\udfffsecretsecret1234"])
    assert masks.in_text("a key \ud800 of sixteen or more") == "a [redacted-key]"
    assert "secretsecret1234" not in masks.in_text("and \udfffsecretsecret1234")
