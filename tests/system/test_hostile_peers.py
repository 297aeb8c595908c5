"""Hostile and broken targets: nothing hangs, nothing breaks, nothing leaks, and every report is complete."""

# ruff: noqa: E501 - what a peer sends stands in one line

from __future__ import annotations

import gzip
import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from tests.support.command import KEY, Ran
from tests.support.forked import petcheck
from tests.support.peers import JSON, Behaviour, Caller, peer, rate_headers

AT_MOST_S = 40.0
AT_MOST_MB = 300.0
MARKUP = "<script>alert(1)</script>'\"&]]><img src=x onerror=alert(1)>\x1b[31m\x1b]0;owned\x07\u202e\ud800\x00`[x](javascript:alert(1))|"


def body(data: bytes, *, status: str = "200 OK", headers: bytes = JSON, length: int | None = None) -> Behaviour:
    """The same body to every request."""
    return lambda caller: caller.answer(data, status=status, headers=headers, length=length)


def raw(data: bytes) -> Behaviour:
    """The same bytes to every request."""
    return lambda caller: caller.send(data)


def endless(beginning: bytes, piece: bytes) -> Behaviour:
    def behaviour(caller: Caller) -> None:
        caller.send(beginning)
        while not caller.stopping.is_set():
            caller.send(piece)

    return behaviour


def megabytes(number: int) -> Behaviour:
    """A list of that many megabytes, sent while it is generated."""
    piece = b'{"id":1,"name":"Rex","categoryId":1},' * 27_027
    last = b'{"id":1,"name":"Rex","categoryId":1}]'
    length = 1 + number * len(piece) + len(last)

    def behaviour(caller: Caller) -> None:
        caller.answer(b"[", headers=JSON, length=length)
        for _ in range(number):
            caller.send(piece)
        caller.send(last)

    return behaviour


def dripping(beginning: bytes, drop: bytes) -> Behaviour:
    def behaviour(caller: Caller) -> None:
        caller.send(beginning)
        caller.drip(drop, every=0.1)

    return behaviour


def echo(caller: Caller) -> None:
    """Echoes everything that was sent, including the key, in every part of a response."""
    said = f"{caller.head.decode('latin-1')}{caller.body.decode('latin-1')}"
    one_line = (caller.header("Authorization") or "").encode()
    text = json.dumps([{"id": 1, "name": said, "categoryId": 1, "status": one_line.decode()}]).encode()
    caller.send(
        b"HTTP/1.1 200 " + one_line + b"\r\nContent-Length: " + str(len(text)).encode() + b"\r\n" + rate_headers()
        + b"X-Echo: " + one_line + b"\r\nX-RateLimit-Policy: " + one_line[::-1] + b"\r\n" + JSON + b"\r\n" + text
    )  # fmt: skip


def store(caller: Caller) -> None:
    """A small conforming pet store, for runs that only read."""
    animals = [{"id": n, "name": f"Rex {n}", "categoryId": 1, "status": "sold"} for n in range(1, 4)]
    asked = dict(parse_qsl(caller.query))
    shown = [animal for animal in animals if asked.get("status", animal["status"]) == animal["status"]]
    limit = asked.get("limit", "20")
    if caller.header("Authorization") != f"Bearer {KEY}":
        failure(caller, 401)
    elif caller.path == "/v1/pets":
        caller.answer(json.dumps(shown[: int(limit) if limit.isdecimal() else 20]).encode(), headers=JSON)
    elif caller.path == "/v1/store/orders":
        caller.answer(b"{}", headers=JSON)
    else:
        found = [animal for animal in animals if str(animal["id"]) == caller.path.rpartition("/")[2]]
        if found:
            caller.answer(json.dumps(found[0]).encode(), headers=JSON)
        else:
            failure(caller, 404)


def failure(caller: Caller, status: int, more: bytes = b"") -> None:
    error = {"code": "no", "message": "no", "status": status}
    caller.answer(json.dumps(error).encode(), status=f"{status} No", headers=JSON + more)


def only_orders_hang(caller: Caller) -> None:
    if caller.path == "/v1/store/orders":
        caller.hang()
    else:
        store(caller)


def only_an_animal_is_cut_short(caller: Caller) -> None:
    if caller.path.startswith("/v1/pets/") and caller.header("Authorization") == f"Bearer {KEY}":
        caller.answer(b'{"id": 1', headers=JSON, length=100)
    else:
        store(caller)


def cuts_some_short() -> Behaviour:
    """Cuts one of four requests short when they first come, and answers them when they are sent again."""
    seen: set[object] = set()

    def behaviour(caller: Caller) -> None:
        asked = caller.path, caller.query, caller.header("Authorization")
        is_new = asked not in seen
        seen.add(asked)
        if is_new and len(seen) % 4 == 0:
            caller.answer(b"[", headers=JSON, length=100)
        else:
            store(caller)

    return behaviour


def falls_silent() -> Behaviour:
    """Answers ten requests, and nothing after that."""
    count = itertools.count()
    return lambda caller: store(caller) if next(count) < 10 else caller.hang()


def restarts() -> Behaviour:
    """Answers five requests, drops all requests for a second, and answers again."""
    count, began = itertools.count(), list[float]()

    def behaviour(caller: Caller) -> None:
        if next(count) == 5:
            began.append(time.monotonic())
        if not began or time.monotonic() - began[0] > 1.0:
            store(caller)

    return behaviour


def keeps_no_connection() -> Behaviour:
    """Drops each connection without notice when a second request comes."""

    def behaviour(caller: Caller) -> bool:
        if not caller.served:
            store(caller)
        return not caller.served

    return behaviour


def drops_odd_bodies(caller: Caller) -> None:
    """Creates well-formed animals, and drops the connection of any other POST, as servers with some JSON libraries do."""
    if caller.method != "POST" or caller.header("Authorization") != f"Bearer {KEY}":
        store(caller)
        return
    try:
        pet = json.loads(caller.body)
        sound = isinstance(pet["name"], str) and type(pet["categoryId"]) is int
        sound = sound and pet.get("status", "sold") in ("available", "pending", "sold")
    except (ValueError, TypeError, KeyError, RecursionError):
        return
    if sound:
        caller.answer(json.dumps({**pet, "id": next(_IDS)}).encode(), status="201 Created", headers=JSON)
    else:
        failure(caller, 400)


def never_ends_a_201(caller: Caller) -> None:
    """Refuses POSTs at once, but a 201 has no length and its connection stays open."""
    if caller.method != "POST" or caller.header("Authorization") != f"Bearer {KEY}" or b"refused" in caller.body:
        store(caller)
        return
    caller.send(b"HTTP/1.1 201 Created\r\n" + JSON + b"\r\n" + caller.body[:-1] + b', "id": 1}')
    caller.hang()


_IDS = itertools.count(1000)


def page_in_front(status: str, title: str, headers: str = "") -> Behaviour:
    """A page of HTML to every request, without the document's headers."""
    text = f"<html><head><title>{title}</title></head><body></body></html>"
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(text)}\r\n{headers}\r\n"
    return lambda caller: caller.send((head + text).encode())


def hostile_fields(caller: Caller) -> None:
    text = json.dumps([{"id": MARKUP, "name": MARKUP, "categoryId": MARKUP, "status": MARKUP, MARKUP: MARKUP}]).encode()
    header = MARKUP.encode("utf-8", "surrogatepass").replace(b"\x00", b"").replace(b"\x1b", b"").replace(b"\x07", b"")
    caller.answer(text, status="200 <script>alert(1)</script>", headers=b"X-A: " + header + b"\r\n" + JSON)


def refused(headers: bytes) -> Behaviour:
    return lambda caller: caller.send(b"HTTP/1.1 429 No\r\nContent-Length: 0\r\n" + headers + b"\r\n")


OK = b"HTTP/1.1 200 OK\r\n"
LONG_NUMBER = b"9" * 200_000
DEEP = b"[" * 200_000 + b"]" * 200_000
JUST_READABLE = b'[{"id":' + b"[" * 880 + b"]" * 880 + b"}]"

# each with the expected exit code
PEERS: dict[str, tuple[Callable[[], Behaviour], int]] = {
    "never answers": (lambda: Caller.hang, 6),
    "resets": (lambda: Caller.reset, 6),
    "closes at once": (lambda: raw(b""), 6),
    "is no HTTP": (lambda: raw(b"220 mail.example ESMTP\r\n\r\n"), 6),
    "drips a header": (lambda: dripping(OK, b"X: y\r\n" * 100), 6),
    "drips a body": (lambda: dripping(OK + b"Content-Length: 999\r\n\r\n", b"x" * 999), 6),
    "endless body": (lambda: endless(OK + rate_headers() + JSON + b"\r\n", b"[" * 65536), 1),
    "endless informational answers": (lambda: endless(b"", b"HTTP/1.1 102 Wait\r\n\r\n" * 100), 6),
    "endless headers": (lambda: endless(OK, b"X-Filler: yyyyyyyyyyyyyy\r\n" * 1000), 6),
    "gzip bomb": (lambda: body(gzip.compress(b"[" + b" " * 60_000_000 + b"]"), headers=JSON + b"Content-Encoding: gzip\r\n"), 1),
    "two hundred megabytes of JSON": (lambda: megabytes(200), 1),
    "a megabyte of JSON": (lambda: body(b'[{"id":1,"name":"' + b"x" * 1_000_000 + b'","categoryId":1}]'), 1),
    "deep nesting": (lambda: body(DEEP), 1),
    "nesting that can just be read": (lambda: body(JUST_READABLE), 1),
    "a long integer": (lambda: body(b'[{"id":' + LONG_NUMBER + b',"name":"x","categoryId":-' + LONG_NUMBER + b"}]"), 1),
    "an integer beyond every double": (lambda: body(b'[{"id":' + b"9" * 400 + b',"name":"x","categoryId":1}]'), 1),
    "NaN": (lambda: body(b'[{"id":NaN,"name":"x","categoryId":-Infinity}]'), 1),
    "invalid UTF-8": (lambda: body(b'[{"id":1,"name":"\xff\xfe\xc0","categoryId":1}]'), 1),
    "lone surrogates": (lambda: body(b'[{"id":1,"name":"\\ud800","categoryId":1,"\\udfff":1}]'), 1),
    "control characters": (lambda: body(b'[{"id":1,"name":"a\x00\x1b[31m\x07b","categoryId":1}]'), 1),
    "escaped control characters": (lambda: body(b'[{"id":1,"name":"\\u0000\\u001b[31m","categoryId":1}]'), 1),
    "fifty thousand headers": (lambda: raw(OK + b"X-Filler: y\r\n" * 50_000 + b"\r\n"), 6),
    "length and chunks": (lambda: raw(OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n"), 1),
    "shorter than its length": (lambda: body(b"[]", length=100), 6),
    "longer than its length": (lambda: body(b"[]HTTP/1.1 200 OK\r\n\r\n", length=2), 1),
    "an unknown charset": (lambda: body(b"[]", headers=b"Content-Type: application/json; charset=rot13\r\n"), 1),
    "a redirect to another host": (lambda: body(b"", status="302 Found", headers=b"Location: http://192.0.2.1/v1\r\n"), 1),
    "a redirect in a loop": (lambda: body(b"", status="307 Again", headers=b"Location: /v1/pets\r\n"), 1),
    "429 for an hour": (lambda: refused(b"Retry-After: 3600\r\n"), 6),
    "429 for ever without a word": (lambda: refused(b""), 6),
    "429 for ever at once": (lambda: refused(b"Retry-After: 0\r\n"), 6),
    "503 for ever": (lambda: raw(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: 0\r\n\r\n"), 6),
    "503 for ever without a word": (lambda: raw(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"), 6),
    "503 for an hour": (lambda: raw(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: 3600\r\n\r\n"), 6),
    "markup in every field": (lambda: hostile_fields, 1),
    "an echo": (lambda: echo, 1),
    "only orders hang": (lambda: only_orders_hang, 1),
    "only an animal is cut short": (lambda: only_an_animal_is_cut_short, 1),
    "cuts some answers short": (cuts_some_short, 0),
    "falls silent": (falls_silent, 6),
    "redirects to https": (lambda: page_in_front("301 Moved", "301", "Location: https://127.0.0.1/v1/pets\r\n"), 6),
    "asks for a login": (lambda: page_in_front("401 No", "Sign in", 'WWW-Authenticate: Basic realm="staging"\r\n'), 6),
    "asks for a client certificate": (lambda: page_in_front("400 Bad", "400 No required SSL certificate was sent"), 6),
    "a maintenance page": (lambda: page_in_front("503 Down", "Back soon"), 6),
    "nothing is there": (lambda: page_in_front("404 Not Found", "404 Not Found"), 6),
    "claims gzip": (lambda: body(b"[]", headers=JSON + b"Content-Encoding: gzip\r\n"), 1),
    "restarts": (restarts, 0),
    "keeps no connection": (keeps_no_connection, 0),
    "seven megabytes in one name": (lambda: body(b'[{"id":1,"name":"' + b"x" * 7_000_000 + b'","categoryId":1}]', headers=JSON), 1),
    "headers that make no sense": (
        lambda: raw(
            OK + b"Content-Length: 2\r\nX-RateLimit-Limit: 0\r\nX-RateLimit-Remaining: -5\r\n"
            b"X-RateLimit-Reset: 99999999999999999999\r\nDate: Fri, 31 Dec 9999 23:59:59 -0100\r\n\r\n[]"
        ),
        1,
    ),
}  # fmt: skip


def a_hanging_target_costs_two_deadlines(ran: Ran) -> None:
    (target,) = ran.result.targets
    assert target.requests.total == 2
    assert target.unreachable is not None
    assert "does not answer (timeout: no complete answer within 0.3 s: nothing was received)" in target.unreachable
    assert set(ran.outcomes.values()) == {"error", "not-run"}


def one_dead_operation_stops_no_other(ran: Ran) -> None:
    outcomes = ran.outcomes
    assert outcomes["ORDERS-1"] == "fail"
    assert "no answer (timeout: no complete answer within 1 s: nothing was received)" in ran.reason("ORDERS-1")
    assert {outcomes[name] for name in ("LIST-1", "LIST-2", "GET-1", "GET-3", "ERROR-4")} == {"pass"}
    assert outcomes["RATE-1"] == "inconclusive"
    assert "GET /store/orders" in ran.reason("RATE-1")
    assert "3 animals are known" in ran.reason("LIST-3")
    assert "error" not in outcomes.values()


def a_body_cut_short_fails_what_was_due(ran: Ran) -> None:
    outcomes = ran.outcomes
    assert outcomes["GET-1"] == "fail"
    assert "no answer (cut short: status 200 was received, but its body did not end: " in ran.reason("GET-1")
    assert {outcomes[name] for name in ("LIST-1", "LIST-2", "ORDERS-1", "AUTH-1")} == {"pass"}
    assert "3 animals are known" in ran.reason("LIST-3")
    assert "error" not in outcomes.values()


def fails(requirement: str, words: str) -> Callable[[Ran], None]:
    """The requirement fails, and its reason names the cause."""

    def check(ran: Ran) -> None:
        assert ran.outcomes[requirement] == "fail"
        assert words in ran.reason(requirement)

    return check


def leaves_open(requirement: str, words: str) -> Callable[[Ran], None]:
    """The requirement is inconclusive, and its reason names the cause."""

    def check(ran: Ran) -> None:
        assert ran.outcomes[requirement] == "inconclusive"
        assert words in ran.reason(requirement)

    return check


def it_is_left_alone(ran: Ran) -> None:
    (target,) = ran.result.targets
    assert target.requests.total == 1
    assert target.unreachable is not None
    assert "; resuming in 60 min, but this run waits at most 1 s" in target.unreachable


def in_front(*words: str) -> Callable[[Ran], None]:
    """The run ends after a few requests, without a POST, and the reason has these words."""

    def check(ran: Ran) -> None:
        (target,) = ran.result.targets
        assert target.requests.post == 0
        assert target.requests.total <= 8
        for word in words:
            assert word in (target.unreachable or "")

    return check


def nothing_is_lost(ran: Ran) -> None:
    assert "error" not in ran.outcomes.values()
    assert "fail" not in ran.outcomes.values()


def the_key_is_masked(ran: Ran) -> None:
    assert b"[redacted-key]" in (ran.reports / "exchanges.har").read_bytes()


# what else must be true for runs against some of them
MORE = {
    "never answers": a_hanging_target_costs_two_deadlines,
    "only orders hang": one_dead_operation_stops_no_other,
    "only an animal is cut short": a_body_cut_short_fails_what_was_due,
    "NaN": fails("SERVICE-1", "the body is not JSON: NaN is not a JSON value"),
    "invalid UTF-8": fails("SERVICE-1", "byte 18 of the body is not valid UTF-8"),
    "deep nesting": leaves_open("SERVICE-1", "the body has more values than petcheck reads (100,000)"),
    "503 for ever without a word": in_front("returns 503 to every request", "the service is down"),
    "a redirect in a loop": fails("LIST-1", "expected 200 (section 4.1), got 307 Again"),
    "429 for an hour": it_is_left_alone,
    "503 for an hour": it_is_left_alone,
    "an echo": the_key_is_masked,
    "redirects to https": in_front("returns 301 (Location: https://127.0.0.1/v1/pets)", "use https in the base URL"),
    "asks for a login": in_front('returns 401 (WWW-Authenticate: Basic realm="staging")', "its own login"),
    "asks for a client certificate": in_front("(page: 400 No required SSL certificate was sent)", "client certificate"),
    "a maintenance page": in_front("returns 503 (page: Back soon)", "something in front of the server"),
    "nothing is there": in_front("it returns 404 (page: 404 Not Found)", "check the base URL"),
    "claims gzip": fails("SERVICE-1", "Content-Encoding is gzip, but the body cannot be decoded: "),
    "cuts some answers short": nothing_is_lost,
    "restarts": nothing_is_lost,
    "keeps no connection": nothing_is_lost,
}


# what an example may meet too: large bodies, odd ones, an operation that is silent, and trouble that does not end
WITH_EXAMPLES = (
    *("a megabyte of JSON", "lone surrogates", "an echo", "markup in every field"),
    *("only orders hang", "falls silent", "503 for ever without a word", "429 for ever at once"),
)

# these never send anything complete, so a longer wait shows no more
SILENT = ("never answers", "drips a header", "drips a body", "endless informational answers")


@pytest.mark.slow
def test_a_server_that_drops_malformed_bodies_is_judged(tmp_path: Path) -> None:
    with peer(drops_odd_bodies) as up:
        ran = petcheck(tmp_path, "--target", up.url, "--allow-writes", "--examples", "0", "--seed", "1")
    outcomes = ran.outcomes
    assert "error" not in outcomes.values()
    assert outcomes["CREATE-1"] == "pass"
    assert outcomes["LIST-1"] == "pass"
    unanswered = [row for row in ran.result.requirements if "no answer (reset: " in row.reason]
    assert {row.outcome for row in unanswered} == {"fail"}


def drops_invalid_keys(caller: Caller) -> None:
    if caller.header("Authorization") == f"Bearer {KEY}":
        drops_odd_bodies(caller)


def long_headers_for_invalid_keys(caller: Caller) -> None:
    if caller.header("Authorization") == f"Bearer {KEY}":
        drops_odd_bodies(caller)
    else:
        failure(caller, 401, b"X-Long: " + b"y" * 200_000 + b"\r\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behaviour", "outcome"),
    [(drops_invalid_keys, "fail"), (long_headers_for_invalid_keys, "inconclusive")],
    ids=["silence", "long headers"],
)
def test_keys_that_get_no_answer_cost_no_more_requests(behaviour: Behaviour, outcome: str, tmp_path: Path) -> None:
    """Each is sent once for all checks; what petcheck chose not to read fails nothing."""
    with peer(behaviour) as up:
        ran = petcheck(tmp_path, "--target", up.url, "--allow-writes", "--seed", "1", as_it_comes=True)
    assert {ran.outcomes[f"AUTH-{number}"] for number in (1, 2, 3)} == {outcome}
    (target,) = ran.result.targets
    assert target.requests.total <= 100
    assert target.requests.post <= 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_a_reading_run_keeps_its_bound_where_no_invalid_key_gets_an_answer(seed: str, tmp_path: Path) -> None:
    with peer(lambda caller: store(caller) if caller.header("Authorization") == f"Bearer {KEY}" else None) as up:
        ran = petcheck(tmp_path, "--target", up.url, "--seed", seed, as_it_comes=True)
    assert {ran.outcomes[f"AUTH-{number}"] for number in (1, 2, 3, 4)} == {"fail"}
    assert ran.result.targets[0].requests.total <= 58


@pytest.mark.slow
def test_a_201_that_never_ends_is_no_answer(tmp_path: Path) -> None:
    """What was seen before the run stopped calling the operation is judged."""
    with peer(never_ends_a_201) as up:
        ran = petcheck(tmp_path, "--target", up.url, "--allow-writes", "--timeout", "1", "--seed", "1")
    assert ran.outcomes["CREATE-1"] == "fail"
    assert "no complete answer within 1 s: status 201 was received, but its body did not end" in ran.reason("CREATE-1")
    assert ran.outcomes["CREATE-2"] == "inconclusive"


def run_against(name: str, folder: Path) -> tuple[Ran, int]:
    """Judge one of the peers from a folder: how the run went, and how many requests reached the peer."""
    hurry = ("--timeout", "0.3" if name in SILENT else "1", "--max-wait", "1", "--max-requests", "100", "--seed", "1")
    with peer(PEERS[name][0]()) as up:
        ran = petcheck(folder, "--target", up.url, *hurry, as_it_comes=name in WITH_EXAMPLES)
        return ran, len(up.heads)


@pytest.mark.slow
@pytest.mark.parametrize("name", PEERS)
def test_a_peer(name: str, tmp_path: Path) -> None:
    ran, _ = run_against(name, tmp_path)
    said = ran.out + ran.err
    assert ran.code == PEERS[name][1], said[-3000:]
    assert ran.seconds < AT_MOST_S
    assert ran.peak_mb < AT_MOST_MB
    assert "Traceback" not in said
    assert "INTERNALERROR" not in said
    ran.assert_reports()
    assert ran.result.complete
    assert "The check itself broke" not in " ".join(row.reason for row in ran.result.requirements)
    assert [name for name, content in ran.written().items() if KEY[:15].encode() in content] == []
    assert not set("\x00\x07\x1b\u202e") & set(said)
    if name in MORE:
        MORE[name](ran)
