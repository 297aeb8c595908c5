"""The HARs of many recorders: none of their habits is a fault of the service, and none hides one."""

from __future__ import annotations

import base64
import copy
import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from petcheck.judging import traffic
from petcheck.runner.written import judged_again
from petcheck.spec.figures import RATE_HEADERS
from tests.support.entries import BELLA, ERROR, REX, TOKEN, entry, rows, story
from tests.support.foreign import har_of, judged, outcomes, stream_in

Entry = dict[str, Any]
Change = Callable[[Entry], object]


def without(entry_: Entry, part: str, *names: str) -> None:
    entry_[part]["headers"] = [row for row in entry_[part]["headers"] if row["name"].lower() not in names]


def value_of(entry_: Entry, part: str, name: str) -> str:
    return next((str(row["value"]) for row in entry_[part]["headers"] if row["name"].lower() == name), "")


def as_base64(entry_: Entry) -> None:
    content = entry_["response"]["content"]
    content |= {"text": base64.b64encode(content["text"].encode()).decode(), "encoding": "base64"}


def as_chromium(one: Entry) -> None:
    one |= {"_initiator": {"type": "script"}, "_priority": "High", "_resourceType": "fetch", "connection": "443"}
    one["request"] |= {"httpVersion": "http/2.0"}
    one["request"]["headers"].insert(0, {"name": ":authority", "value": "pets.example"})
    for part in ("request", "response"):
        for row in one[part]["headers"]:
            row["name"] = row["name"].lower()
    one["response"] |= {
        "statusText": "",
        "httpVersion": "http/2.0",
        "bodySize": 0,
        "_transferSize": 214,
        "_error": None,
    }


def as_firefox(one: Entry) -> None:
    one |= {"pageref": "page_1", "time": round(one["time"]), "connection": "443"}
    one["startedDateTime"] = one["startedDateTime"].replace("Z", "+00:00")
    if "postData" in one["request"]:
        one["request"]["postData"]["params"] = []


def as_playwright(one: Entry) -> None:
    one |= {"_frameref": "frame@1", "_monotonicTime": 12.5, "_serverPort": 443, "_securityDetails": {}}
    one["response"]["content"]["compression"] = 0
    one["response"]["bodySize"] = -1


def as_chrome_har(one: Entry) -> None:
    one |= {"_requestTime": 12.5, "_requestId": "1", "_initialPriority": "High", "pageref": "page_1"}
    one["response"]["_transferSize"] = 99
    one["response"]["content"]["size"] *= 2  # it counts what came in parts twice


def as_charles(one: Entry) -> None:
    as_base64(one)
    one["_charlesStatus"] = "COMPLETE"
    one["timings"] |= {"dns": -1, "connect": -1, "ssl": -1}
    one["time"] = int(one["time"])


def as_fiddler(one: Entry) -> None:
    one["startedDateTime"] = one["startedDateTime"].replace("Z", "0000+01:00").replace("T12", "T13")
    one["time"] = int(one["time"])
    one["response"]["content"]["compression"] = 0


def as_proxyman(one: Entry) -> None:
    raw = gzip.compress(one["response"]["content"]["text"].encode())
    without(one, "response", "content-length")
    one["response"]["headers"] += rows({"Content-Encoding": "gzip", "Content-Length": str(len(raw))})
    one["response"]["content"] |= {"size": len(raw), "text": base64.b64encode(raw).decode(), "encoding": "base64"}


def as_safari(one: Entry) -> None:
    one |= {"_fetchType": "Network Load", "_priority": "high", "pageref": "page_0"}
    one["response"] |= {"_transferSize": 300}


def as_browsermob(one: Entry) -> None:
    one |= {"comment": "", "serverIPAddress": "192.0.2.1"}
    for row in (*one["request"]["headers"], *one["response"]["headers"]):
        row["comment"] = ""
    if "postData" in one["request"]:
        text = one["request"]["postData"].pop("text")
        one["request"]["postData"]["params"] = [{"name": text, "value": "", "comment": ""}]


def as_mitmproxy(one: Entry) -> None:
    one["startedDateTime"] = one["startedDateTime"].replace("Z", "123+00:00")
    one["request"] |= {"headersSize": 120, "bodySize": one["request"]["bodySize"]}
    if "postData" in one["request"]:
        one["request"]["postData"]["params"] = []
    one["timings"] |= {"connect": -1.0, "ssl": -1.0}


def as_http_toolkit(one: Entry) -> None:
    one |= {"_requestBodyStatus": "", "_responseBodyStatus": "", "_pinned": False}
    for row in one["response"]["headers"]:
        row["value"] = int(row["value"]) if row["value"].isdigit() else row["value"]


def as_axios(one: Entry) -> None:
    """It writes the parsed value again, has neither times nor what the client added, and parameters stand apart."""
    url, _, query = one["request"]["url"].partition("?")
    pairs = [pair.split("=") for pair in query.split("&") if pair]
    one["request"] |= {"url": url, "queryString": [{"name": name, "value": value} for name, value in pairs]}
    one["time"] = -1
    one["request"]["method"] = one["request"]["method"].lower()
    without(one, "response", "content-length")
    value = json.loads(one["response"]["content"]["text"])
    text = json.dumps(value, separators=(",", ":"))
    one["response"] |= {"startedDateTime": one["startedDateTime"], "time": 12, "cookies": []}
    one["response"]["content"] |= {"text": text, "size": len(text)}


def as_schemathesis(one: Entry) -> None:
    one["startedDateTime"] = one["startedDateTime"].replace("Z", "000+00:00")
    one["time"] = one["time"] / 1000
    for part in ("request", "response"):
        one[part]["headers"] = [{"name": row["name"].title(), "value": row["value"]} for row in one[part]["headers"]]


RECORDERS: dict[str, Change] = {
    "Firefox": as_firefox,
    "Chromium": as_chromium,
    "Playwright": as_playwright,
    "chrome-har": as_chrome_har,
    "Charles": as_charles,
    "Fiddler": as_fiddler,
    "Proxyman": as_proxyman,
    "Safari": as_safari,
    "BrowserMob": as_browsermob,
    "mitmproxy": as_mitmproxy,
    "HTTP Toolkit": as_http_toolkit,
    "axios-har-tracker": as_axios,
    "schemathesis": as_schemathesis,
}


def changed(calls: list[Entry], change: Change) -> list[Entry]:
    calls = copy.deepcopy(calls)
    for one in calls:
        change(one)
    return calls


def found(calls: list[Any], folder: Path, **options: Any) -> tuple[set[str], set[str]]:
    """The requirements that fail, and those that pass."""
    all_ = outcomes(judged(har_of(calls), folder, **options))
    return tuple({name for name, each in all_.items() if each == kind} for kind in ("fail", "pass"))  # type: ignore[return-value]


@pytest.mark.parametrize("recorder", RECORDERS)
def test_what_a_recorder_writes_is_understood(recorder: str, tmp_path: Path) -> None:
    fails, passes = found(changed(story(), RECORDERS[recorder]), tmp_path)
    assert fails == set()
    order = {"CREATE-12", "CREATE-13"} if recorder == "axios-har-tracker" else set()  # it does not say what came first
    plain = found(story(), tmp_path)[1]
    assert plain > {"AUTH-7", "LIST-1", "GET-1", "GET-3", "ERROR-1", "RATE-1", "CREATE-12", "CREATE-13"}
    assert passes == plain - order


@pytest.mark.parametrize("recorder", RECORDERS)
def test_a_fault_is_found_whoever_recorded_it(recorder: str, tmp_path: Path) -> None:
    calls = story()
    calls[1] = entry(1, "/pets?limit=1", left=298)  # two animals
    calls[4] = entry(4, "/pets/999", status=404, answer=ERROR, left=295)  # with status 401
    calls[5] = entry(5, key=None, left=294)
    assert found(changed(calls, RECORDERS[recorder]), tmp_path)[0] == {"LIST-3", "ERROR-4", "AUTH-1"}


def with_colons(one: Entry) -> None:
    for part in ("request", "response"):
        for row in one[part]["headers"]:
            row["name"] += ":"


def in_pairs(one: Entry) -> None:
    for part in ("request", "response"):
        one[part]["headers"] = [[row["name"], row["value"]] for row in one[part]["headers"]]


def in_base64_of_urls(one: Entry) -> None:
    content = one["response"]["content"]
    if content.get("text"):
        packed = base64.urlsafe_b64encode(content["text"].encode()).decode().rstrip("=")
        content.update(text=packed, encoding="base64")


def counted(text: str, length: int | None, size: int, encoding: str | None = None) -> Entry:
    """An answer whose body was recorded as that text, without a Content-Encoding, and with these lengths."""
    one = entry(0)
    without(one, "response", "content-length")
    if length is not None:
        one["response"]["headers"] += rows({"Content-Length": str(length)})
    one["response"]["content"] |= {"text": text, "size": size} | ({"encoding": encoding} if encoding else {})
    return one


def test_what_a_recorder_has_packed_or_marked_is_told_by_the_lengths(tmp_path: Path) -> None:
    """The header's is the server's word; without it, the recorder's own counts."""
    text = entry(0)["response"]["content"]["text"]
    raw = gzip.compress(text.encode(), mtime=0)
    for body, encoding, wire in (
        (base64.b64encode(raw).decode(), "base64", len(raw)),
        (raw.decode("latin-1"), None, len(raw)),
        ("\ufeff" + text, None, len(text) + 3),
    ):
        for length, size, fails in (
            (len(text), wire, set()),
            (None, len(text), set()),
            (wire, len(text), {"SERVICE-1"}),
            (wire, wire, {"SERVICE-1"}),
            (None, wire, {"SERVICE-1"}),
        ):
            assert found([counted(body, length, size, encoding)], tmp_path)[0] == fails, (body[:4], length, size)


@pytest.mark.parametrize(
    ("told", "scheme"),
    [
        ({}, "http"),
        ({"X-Forwarded-Proto": "https, http"}, "https"),
        ({":scheme": "https"}, "https"),
        ({"X-Forwarded-Proto": "javascript"}, "http"),
    ],
)
def test_a_url_without_a_scheme_has_that_of_its_headers(told: dict[str, str], scheme: str, tmp_path: Path) -> None:
    calls = [entry(0), entry(1, "/pets?limit=1")]
    for one in calls:
        as_a_request_line(one)
        one["request"]["headers"] += rows(told)
    assert {one.request.url.partition(":")[0] for one in stream_in(har_of(calls), tmp_path).exchanges} == {scheme}
    # and that of the base URL that is given, whatever they say
    (tmp_path / "other").mkdir()
    stream = stream_in(har_of(calls), tmp_path / "other", base_url="https://pets.example/v1")
    assert [one.request.url for one in stream.exchanges] == [
        "https://pets.example/v1/pets",
        "https://pets.example/v1/pets?limit=1",
    ]
    assert "LIST-3" in found(calls, tmp_path, base_url="https://pets.example/v1")[0]


def as_a_request_line(one: Entry) -> None:
    one["request"]["headers"] += rows({"Host": "pets.example"})
    one["request"]["url"] = one["request"]["url"].removeprefix("https://pets.example")


WRITTEN_OTHERWISE: dict[str, Change] = {
    "names with colons": with_colons,
    "headers in pairs": in_pairs,
    "Base64 for URLs, not padded": in_base64_of_urls,
    "a request line and a Host header": as_a_request_line,
    "a URL without a scheme": lambda one: one["request"].update(url=one["request"]["url"].removeprefix("https://")),
    "a URL with two slashes": lambda one: one["request"].update(url=one["request"]["url"].removeprefix("https:")),
    "needless escapes in a path": lambda one: one["request"].update(
        url=one["request"]["url"].replace("/pets", "/%70et%73")
    ),
}


@pytest.mark.parametrize("habit", WRITTEN_OTHERWISE)
def test_what_is_only_written_otherwise_is_read(habit: str, tmp_path: Path) -> None:
    assert found(changed(story(), WRITTEN_OTHERWISE[habit]), tmp_path) == found(story(), tmp_path)


# ---- what a request does not show


def keyless(status: int, path: str = "/pets", **headers: str) -> Entry:
    """A request without `Authorization`, with these headers."""
    one = entry(1, path, key=None, status=status, answer=None if status == 200 else ERROR | {"status": status})
    one["request"]["headers"] += rows(headers)
    return one


@pytest.mark.parametrize(
    ("path", "headers", "fails"),
    [
        ("/pets", {"X-API-Key": TOKEN}, set()),
        ("/pets", {"Cookie": "theme=dark; session=77f1c0d2"}, set()),
        ("/pets?api_key=77f1c0d2", {}, set()),
        ("/pets?limit=100&access_token=77f1c0d2", {}, set()),
        ("/pets", {"Cookie": "theme=dark; _ga=GA1.2"}, {"AUTH-1"}),
        ("/pets?limit=100", {"X-Requested-With": "fetch"}, {"AUTH-1"}),
    ],
)
def test_a_key_may_have_been_sent_in_another_place(
    path: str, headers: dict[str, str], fails: set[str], tmp_path: Path
) -> None:
    assert found([entry(0), keyless(200, path, **headers)], tmp_path)[0] == fails


def limited(at: float, pause: str) -> Entry:
    one = entry(at, status=429, answer=ERROR | {"status": 429}, left=0)
    one["response"]["headers"] += rows({"Retry-After": pause})
    return one


def forbidden(at: float, key: str = TOKEN) -> Entry:
    return entry(at, status=403, answer=ERROR | {"status": 403}, left=0, key=key)


@pytest.mark.parametrize(
    ("calls", "fails"),
    [
        ([limited(1, "30"), forbidden(5)], set()),
        ([limited(1, "30"), limited(5, "26"), forbidden(60)], set()),
        ([limited(1, "Mon, 23 Nov 2026 12:00:31 GMT"), forbidden(20)], set()),
        ([limited(1, "3"), forbidden(5)], {"LIST-1", "RATE-6"}),
        ([limited(1, "30"), forbidden(40)], {"LIST-1", "RATE-6"}),
        ([forbidden(1), limited(2, "30"), entry(3, left=0)], {"LIST-1"}),
        # another key's requests are its own
        ([entry(0.5, key="another-2af0c7d91be8"), limited(1, "30"), forbidden(5, "another-2af0c7d91be8")], {"LIST-1"}),
    ],
)
def test_a_key_that_did_not_wait_may_be_banned(calls: list[Entry], fails: set[str], tmp_path: Path) -> None:
    assert found([entry(0, left=1), *calls], tmp_path)[0] == fails


def test_a_part_and_a_page_for_browsers_are_no_answers_to_what_the_document_describes(tmp_path: Path) -> None:
    part = entry(1, "/pets?limit=2", status=206)
    assert found([entry(0), copy.deepcopy(part)], tmp_path)[0] == {"LIST-2"}
    part["request"]["headers"] += rows({"Range": "bytes=0-99"})
    page = entry(2, "/pets?limit=5", answer="<p>Pets</p>")
    for row in page["response"]["headers"]:
        row["value"] = "text/html" if row["name"] == "Content-Type" else row["value"]
    page["response"]["content"]["mimeType"] = "text/html"
    assert found([entry(0), part, page], tmp_path)[0] == {"SERVICE-1", "BODY-1"}
    without(page, "request", "accept")
    page["request"]["headers"] += rows({"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert found([entry(0), part, page], tmp_path)[0] == set()
    # what is JSON all the same is judged
    short = entry(3, "/pets?limit=1")
    short["request"]["headers"] += rows({"Accept": "text/html,*/*;q=0.8"})
    assert found([entry(0), short], tmp_path)[0] == {"LIST-3"}


@pytest.mark.parametrize(
    ("scheme", "fails"),
    [("ApiKey", True), ("Digest", True), ("Basic", True), ("Token", True), ("bearer", False), ("DPoP", False)],
)
def test_the_key_under_another_scheme_is_not_valid(scheme: str, fails: bool, tmp_path: Path) -> None:
    """In lower case it is open; the name of a scheme that nobody knows may be secret itself."""
    one = entry(1, "/pets?limit=100")
    without(one, "request", "authorization")
    one["request"]["headers"] += rows({"Authorization": f"{scheme} {TOKEN}"})
    assert found([entry(0), one], tmp_path)[0] == ({"AUTH-4"} if fails else set())


# ---- bodies that are not those that were sent

ZOE = {"name": "Zoë 7f2c", "categoryId": 3}
MADE = ZOE | {"id": 44, "status": "available"}


def zoe(status: int = 201, answer: Any = MADE, **posted: Any) -> Entry:
    """A POST of a name beyond ASCII, with the length that a client sends."""
    text = json.dumps(ZOE, ensure_ascii=False)
    one = entry(1, sent=text, status=status, answer=json.dumps(answer, ensure_ascii=False))
    one["request"]["headers"] += rows({"Content-Length": str(len(text.encode()))})
    one["request"]["postData"] |= posted
    return one


def misread(text: str) -> str:
    return text.encode().decode("latin-1")


def answered_misread(one: Entry) -> Entry:
    content = one["response"]["content"]
    content["text"] = misread(content["text"])
    return one


def packed_as_text() -> Entry:
    raw = gzip.compress(json.dumps(ZOE, ensure_ascii=False).encode(), mtime=0)
    one = zoe(text=raw.decode("latin-1"))
    without(one, "request", "content-length")
    one["request"]["headers"] += rows({"Content-Encoding": "gzip", "Content-Length": str(len(raw))})
    return one


def without_a_type(status: int) -> Entry:
    one = entry(1, sent={"name": "Rex", "categoryId": 3}, status=status, answer=ERROR | {"status": status})
    without(one, "request", "content-type")
    one["request"]["postData"]["mimeType"] = ""
    return one


TEXT = json.dumps(ZOE, ensure_ascii=False)


@pytest.mark.parametrize(
    ("one", "counts"),
    [
        (zoe(text=misread(TEXT)), True),
        (answered_misread(zoe()), True),
        (packed_as_text(), True),
        (zoe(text=base64.b64encode(TEXT.encode()).decode()), False),
        (zoe(text="H4sIAAAAAAAAA6tWykvMTVWyUgrKLE9VqgUA"), False),
        (zoe(text=TEXT.replace("Zoë", "Zoëë")), False),
        (without_a_type(415), False),
        (without_a_type(400), False),
    ],
)
def test_a_body_counts_if_it_is_what_was_sent(one: Entry, counts: bool, tmp_path: Path) -> None:
    calls = [entry(0), one]
    assert found(calls, tmp_path)[0] == set()
    bodies = [json.loads(exchange.request.body or b"null") for exchange in stream_in(har_of(calls), tmp_path).exchanges]
    assert bodies == [None, ZOE][: 1 + counts]


def test_a_server_that_misreads_a_name_is_found_by_the_lengths(tmp_path: Path) -> None:
    assert found([entry(0), zoe(answer=MADE | {"name": misread("Zoë 7f2c")})], tmp_path)[0] == {"CREATE-2"}


@pytest.mark.parametrize(
    ("end", "fails"), [("... (truncated)", set()), ("…", set()), ("...", set()), (", {", {"SERVICE-1"})]
)
def test_a_text_that_says_that_it_was_cut_is_not_judged(end: str, fails: set[str], tmp_path: Path) -> None:
    one = entry(1, "/pets?limit=100")
    without(one, "response", "content-length")
    text = one["response"]["content"]["text"][:60] + end
    one["response"]["content"] |= {"text": text, "size": len(text.encode())}
    assert found([entry(0), one], tmp_path)[0] == fails


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_that_is_not_what_its_encoding_says_is_not_json(encoding: str, tmp_path: Path) -> None:
    raw = zlib.compress(b"[]" * 40)[2:-1]  # raw deflate, and cut
    one = entry(1, "/pets?limit=100")
    without(one, "response", "content-length")
    one["response"]["content"] |= {"text": base64.b64encode(raw).decode(), "encoding": "base64", "size": len(raw)}
    one["response"]["headers"] += rows({"Content-Encoding": encoding})
    assert found([entry(0), one], tmp_path)[0] == set()  # its length is not known
    one["response"]["headers"] += rows({"Content-Length": str(len(raw))})
    result = judged(har_of([entry(0), one]), tmp_path)
    said = {row.id: row.reason for row in result.requirements if row.outcome == "fail"}
    assert list(said) == ["SERVICE-1"]
    assert f"Content-Encoding is {encoding}, but the body cannot be decoded" in said["SERVICE-1"]


# ---- what is no fault of the service


def deflated(one: Entry) -> None:
    raw = zlib.compress(one["response"]["content"]["text"].encode())
    without(one, "response", "content-length")
    one["response"]["headers"] += rows({"content-encoding": "deflate"})
    one["response"]["content"] |= {"size": len(raw), "text": base64.b64encode(raw).decode(), "encoding": "base64"}


def gzip_as_text(one: Entry) -> None:
    raw = gzip.compress(one["response"]["content"]["text"].encode())
    one["response"]["headers"] += rows({"content-encoding": "gzip"})
    one["response"]["content"] |= {"size": len(raw), "text": raw.decode("latin-1")}


def brotli(one: Entry) -> None:
    without(one, "response", "content-length")
    one["response"]["headers"] += rows({"content-encoding": "br"})
    one["response"]["content"] |= {"text": base64.b64encode(b"\x0b\x02\x80[]\x03").decode(), "encoding": "base64"}


def only_in_mime_type(one: Entry) -> None:
    without(one, "response", "content-type")


def headers_as_an_object(one: Entry) -> None:
    for part in ("request", "response"):
        one[part]["headers"] = {row["name"]: [row["value"]] for row in one[part]["headers"]}


def of_a_slow_clock(one: Entry) -> None:
    one["startedDateTime"] = one["startedDateTime"].replace("T12:", "T11:")


NUMBERS: tuple[Any, ...] = (float("nan"), 10**400, "9" * 400, 1e300, 1e15, -1, 0, None, [], True)
STARTS: tuple[Any, ...] = (10**400, "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "", None)
TIMES = (*(("time", number) for number in NUMBERS), *(("startedDateTime", start) for start in STARTS))
HARMLESS: dict[str, Callable[[list[Entry]], list[Entry]]] = {
    "a file twice": lambda calls: calls * 2,
    "one entry twice": lambda calls: [*calls, calls[7]],
    "the recording of a second program": lambda calls: [*calls, *changed(calls, of_a_slow_clock)],
    "two programs, of which one has another clock": lambda calls: [*changed(calls[::2], of_a_slow_clock), *calls[1::2]],
    "gzip as text": lambda calls: changed(calls, gzip_as_text),
    "deflate": lambda calls: changed(calls, deflated),
    "an encoding that cannot be undone": lambda calls: changed(calls, brotli),
    "a media type in mimeType only": lambda calls: changed(calls, only_in_mime_type),
    "only the headers that scripts see": lambda calls: changed(
        calls, lambda one: without(one, "response", "date", *(name.lower() for name in RATE_HEADERS))
    ),
    "headers as an object": lambda calls: changed(calls, headers_as_an_object),
}


@pytest.mark.parametrize("habit", HARMLESS)
def test_no_habit_of_a_recorder_is_a_fault(habit: str, tmp_path: Path) -> None:
    assert found(HARMLESS[habit](story()), tmp_path)[0] == set()


@pytest.mark.parametrize(("name", "value"), TIMES, ids=[f"{name} {str(value)[:18]}" for name, value in TIMES])
def test_no_time_that_a_recorder_makes_up_is_a_fault(name: str, value: Any, tmp_path: Path) -> None:
    calls = story()
    calls[1] = entry(1, "/pets?limit=1", left=298)
    assert found(changed(calls, lambda one: one.update({name: value})), tmp_path)[0] == {"LIST-3"}


def test_an_exchange_that_was_recorded_twice_counts_once(tmp_path: Path) -> None:
    assert judged(har_of(story() * 3), tmp_path).targets[0].requests.total == len(story())


def test_a_large_integer_that_a_script_has_rounded_shows_nothing(tmp_path: Path) -> None:
    large = {"id": 2**62, "name": "Mia", "categoryId": 2**60 + 1}
    made = entry(3, sent={"name": "Mia", "categoryId": 2**60 + 1}, status=201, answer=large)
    rounded = copy.deepcopy(made)
    as_axios(rounded)
    rounded["response"]["content"]["text"] = json.dumps({**large, "categoryId": 2**60})
    assert found([made], tmp_path)[0] == set()
    assert found([rounded], tmp_path)[0] == set()
    exact = copy.deepcopy(rounded)
    del exact["response"]["startedDateTime"]  # of a program that keeps the text
    assert found([exact], tmp_path)[0] == {"CREATE-3"}


# ---- what a recording shows all the same


def test_content_length_decides_whether_a_body_is_whole(tmp_path: Path) -> None:
    wrong = entry(0, answer="<h1>pets</h1>")
    wrong["response"]["content"]["size"] *= 2
    assert "SERVICE-1" in found([wrong], tmp_path)[0]
    wrong["response"]["content"]["text"] = "<h1>"
    assert found([wrong], tmp_path)[0] == set()


def test_json_that_was_taken_apart_as_a_form_is_put_together_again(tmp_path: Path) -> None:
    made = entry(0, sent={"name": "a&b=c", "categoryId": 3}, status=201, answer=REX)
    text = made["request"]["postData"].pop("text")
    pairs = [pair.partition("=") for pair in text.split("&")]
    made["request"]["postData"]["params"] = [{"name": name, "value": value} for name, _, value in pairs]
    assert found([made], tmp_path)[0] == {"CREATE-2"}


def test_without_times_and_date_what_one_exchange_shows_is_judged(tmp_path: Path) -> None:
    calls = story()
    calls[1] = entry(1, "/pets?limit=1", left=298)
    for one in calls:
        without(one, "response", "date")
        del one["startedDateTime"], one["time"]
    assert found(calls, tmp_path)[0] == {"LIST-3"}


@pytest.mark.parametrize(
    "written", ["https://Pets.Example/v1", "HTTPS://pets.example:443/v1", "https://pets.example/v1"]
)
@pytest.mark.parametrize("given", [None, "https://PETS.example/v1", "https://pets.example:443/v1"])
def test_a_host_is_the_same_in_any_spelling(written: str, given: str | None, tmp_path: Path) -> None:
    calls = [entry(0, base=written), entry(1, "/pets?limit=1", base=written)]
    assert found(calls, tmp_path, base_url=given)[0] == {"LIST-3"}


MASKS: tuple[str, ...] = (
    "***",
    "Bearer ***",
    "[redacted]",
    "Bearer",
    "Bearer ",
    "",
    "REDACTED",
    "Bearer •••••",
    "Bearer XXXXX",
    "Bearer …",
)
MASKS += ("Bearer MASKED", "<token>", "Bearer YOUR_API_KEY", "Bearer 0000", "--sanitized--", "Bearer [Filtered]")


@pytest.mark.parametrize("mask", MASKS)
def test_a_masked_key_hides_no_fault_and_is_none(mask: str, tmp_path: Path) -> None:
    def masked(one: Entry) -> None:
        for row in one["request"]["headers"]:
            row["value"] = mask if row["name"] == "Authorization" else row["value"]

    calls = story()
    refused = entry(5.5, status=401, answer=ERROR, key="another-key-0192837465", left=293)
    assert found(changed([*calls, refused], masked), tmp_path)[0] == set()
    calls[1] = entry(1, "/pets?limit=1", left=298)
    calls[5] = entry(5, key=None, left=294)
    fails, passes = found(changed(calls, masked), tmp_path)
    assert fails == {"LIST-3", "AUTH-1"}
    assert not passes & {"AUTH-7", "RATE-4", "RATE-6", "RATE-8", "RATE-9"}


def redirected(one: Entry, to: str) -> Entry:
    one["response"] |= {"status": 302, "content": {"size": 0, "mimeType": ""}, "redirectURL": to}
    without(one, "response", "content-length", "content-type")
    one["response"]["headers"] += rows({"Location": to})
    return one


def test_a_redirect_where_401_was_due_is_a_fault(tmp_path: Path) -> None:
    calls = story()
    calls[5] = redirected(calls[5], "https://pets.example/login")
    login = entry(5.1, "/login", answer="<h1>Log in</h1>", base="https://pets.example", key=None)
    assert found([*calls, login], tmp_path)[0] == {"AUTH-1"}


@pytest.mark.parametrize("to", ["https://www.pets.example/v1/pets", "http://pets.example/v1/pets?x=1"])
def test_a_redirect_to_the_same_path_is_of_something_in_front(to: str, tmp_path: Path) -> None:
    calls = story()
    calls[5] = redirected(calls[5], to)
    assert found(calls, tmp_path)[0] == set()
    with_key = story()
    with_key[0] = redirected(with_key[0], "https://pets.example/login")
    assert found(with_key, tmp_path)[0] == set()


def test_an_empty_body_is_a_fault_where_the_recorder_keeps_bodies(tmp_path: Path) -> None:
    calls = story()
    calls[4]["response"] |= {"status": 200, "content": {"size": 0, "mimeType": "application/json"}, "bodySize": 0}
    without(calls[4], "response", "content-length")
    assert found(calls, tmp_path)[0] == {"SERVICE-1"}
    broken_off = copy.deepcopy(calls)
    broken_off[4]["response"]["_error"] = "net::ERR_ABORTED"
    assert found(broken_off, tmp_path)[0] == set()


# ---- what a recording does not show


@pytest.mark.parametrize("part", ["request", "response"])
def test_without_bodies_nothing_about_created_animals_passes(part: str, tmp_path: Path) -> None:
    calls = story()
    for one in calls:
        if one["request"]["method"] == "POST":
            one[part].pop("postData", None)
            one[part]["content"] = {"size": 0, "mimeType": ""}
            without(one, part, "content-length")
            one[part]["bodySize"] = -1
    fails, passes = found(calls, tmp_path)
    assert fails == set()
    assert not passes & {f"CREATE-{number}" for number in range(1, 15)}


def test_a_request_without_any_header_may_have_had_a_key(tmp_path: Path) -> None:
    calls = [*story(), entry(9.5, "/pets?limit=100", left=280)]
    calls[-1]["request"]["headers"] = []
    assert found(calls, tmp_path)[0] == set()


@pytest.mark.parametrize("status", [201, 400])
def test_without_a_readable_list_no_category_is_in_doubt(status: int, tmp_path: Path) -> None:
    new = {"name": "Mia", "categoryId": 3}
    calls = [entry(0), entry(3, sent=new, status=status, answer=new | {"id": 43} if status == 201 else ERROR)]
    for one in calls:
        one["response"]["content"] = {"size": 500, "mimeType": "application/json"}
    assert not found(calls, tmp_path)[1] & {"CREATE-14", "CREATE-2", "PETS-1", "PET-1"}


def test_a_base_url_without_the_version_is_a_fault(tmp_path: Path) -> None:
    calls = [
        entry(0, base="https://pets.example/api"),
        entry(1, "/pets/41", answer=REX, base="https://pets.example/api"),
    ]
    assert found(calls, tmp_path)[0] == {"VERSION-1"}
    assert found(calls, tmp_path, base_url="https://pets.example/api")[0] == {"VERSION-1"}


def test_an_older_animal_of_the_same_short_name_is_none_of_the_refused_post(tmp_path: Path) -> None:
    old = REX | {"id": 5}
    before, page = entry(0, "/pets?status=sold", answer=[BELLA]), entry(15, answer=[old, BELLA])
    new = {"name": "Rex", "status": "sold"}
    refused = entry(3, sent=new, status=400, answer=ERROR | {"status": 400})
    assert found([before, refused, page], tmp_path)[0] == set()
    named = entry(3, sent=new | {"name": "Rex 7f2c19"}, status=400, answer=ERROR | {"status": 400})
    assert found([before, named, entry(15, answer=[old | {"name": "Rex 7f2c19"}, BELLA])], tmp_path)[0] == {"CREATE-11"}


def packed(text: str, times: int = 1) -> str:
    data = text.encode()
    for _ in range(times):
        data = gzip.compress(data)
    return base64.b64encode(data).decode()


def in_lines(one: dict[str, Any]) -> None:
    content = one["response"]["content"]
    coded = base64.b64encode(content["text"].encode()).decode()
    content.update(encoding="Base64", text="\n".join(coded[at : at + 20] for at in range(0, len(coded), 20)))


def packed_twice(one: dict[str, Any]) -> None:
    content = one["response"]["content"]
    one["response"]["headers"] = [row for row in one["response"]["headers"] if row["name"] != "Content-Length"]
    one["response"]["headers"].append({"name": "Content-Encoding", "value": "gzip, gzip"})
    content.update(encoding="base64", text=packed(content["text"], 2))


def posted_packed(one: dict[str, Any]) -> None:
    if "postData" in one["request"]:
        posted = one["request"]["postData"]
        one["request"]["headers"].append({"name": "Content-Encoding", "value": "gzip"})
        posted.update(encoding="base64", text=packed(posted["text"]))


def status_in_words(one: dict[str, Any]) -> None:
    one["response"]["status"] = str(one["response"]["status"])


@pytest.mark.parametrize("change", [in_lines, packed_twice, posted_packed, status_in_words])
def test_another_spelling_of_a_recording_loses_nothing(change: Callable[[Any], None], tmp_path: Path) -> None:
    calls = story()
    for one in calls:
        change(one)
    assert outcomes(judged(har_of(calls), tmp_path)) == outcomes(judged(har_of(story()), tmp_path))


def test_a_body_that_a_recorder_says_it_cut_is_no_failure(tmp_path: Path) -> None:
    calls = story()
    content = calls[0]["response"]["content"]
    calls[0]["response"]["headers"] = [
        row for row in calls[0]["response"]["headers"] if row["name"] != "Content-Length"
    ]
    content.update(text=content["text"][:20], size=20, comment="truncated")
    assert "fail" not in outcomes(judged(har_of(calls), tmp_path)).values()


def test_one_huge_number_spoils_no_other_entry(tmp_path: Path) -> None:
    text = json.dumps(har_of(story())).replace('"time": 12.5', f'"time": {"9" * 5000}', 1)
    assert outcomes(judged(text, tmp_path)) == outcomes(judged(har_of(story()), tmp_path))


@pytest.mark.parametrize("path", ["/v1/%70ets", "/v1/pet%73?limit=2", "/%76%31/pets"])
def test_a_path_with_needless_escapes_is_the_same_path(path: str, tmp_path: Path) -> None:
    one = entry(0, "/pets")
    one["request"]["url"] = f"https://pets.example{path}"
    (exchange,) = stream_in(har_of([one]), tmp_path).exchanges
    assert exchange.request.url.partition("?")[0] == "https://pets.example/v1/pets"


HOST = "pets.example:8080"


@pytest.mark.parametrize("name", ["Host", "host"])
def test_a_request_line_without_a_host_has_it_in_a_header(name: str, tmp_path: Path) -> None:
    one = entry(0, "/pets/41", answer=REX)
    one["request"] |= {
        "url": "/v1/pets/41",
        "headers": [*one["request"]["headers"], *rows({name: "pets.example:8080"})],
    }
    (exchange,) = stream_in(har_of([one]), tmp_path).exchanges
    assert exchange.request.url == f"http://{HOST}/v1/pets/41"


@pytest.mark.parametrize("wrong", [False, True])
def test_judging_keeps_nothing_that_it_reads_of_a_body(
    wrong: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recording of 100 MB has a hundred thousand exchanges; how often some fail is not looked for in all of them."""
    monkeypatch.setattr(traffic, "_PIECE", 2)
    pages = [entry((90 if wrong else 2) + at, "/pets?limit=100") for at in range(5)]  # RATE-3: a Reset in the past
    calls = [entry(0, sent={"name": "Rex", "categoryId": 3}, status=201, answer=REX), entry(1, "/pets/41", answer=REX)]
    stream = stream_in(har_of([*calls, *pages]), tmp_path)
    written = judged_again(stream, tmp_path / "reports")
    assert written.trouble == []
    assert ("fail" in outcomes(written.result).values()) == wrong
    shown = {index for row in written.result.requirements if row.outcome == "fail" for index in row.decisive}
    assert len(shown) < len(pages)
    for one in [one for one in stream.exchanges if one.index not in shown]:
        assert not {"_parsed", "_by_name", "date", "page"} & {
            *vars(one),
            *vars(one.heard),
        }
        assert "parsed" not in vars(one.request)
