"""The first few answers: a server, a gateway in front of it, or a wrong base URL."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date

import pytest

from petcheck.config.targets import TargetConfig, Url
from petcheck.errors import Untestable
from petcheck.exchange import NoAnswer, Response, Silence
from petcheck.toolkit.target import Target
from petcheck.wire.api import Api
from tests.support.fakes import KEY, Bench, Sent, at_noon, bench, rates, response

HEADERS = [*rates(60, 50, at_noon(60)), ("Content-Type", "application/json")]
Answer = Callable[[Sent], Response | NoAnswer]


def error(status: int, headers: list[tuple[str, str]] | None = None) -> Response:
    body = json.dumps({"code": "no", "message": "no", "status": status}).encode()
    return response(status, HEADERS if headers is None else headers, body)


def page(status: int, title: str = "", *headers: tuple[str, str]) -> Response:
    return response(status, [("Content-Type", "text/html"), *headers], f"<title>{title}</title>".encode())


def probed(
    answer: Answer, base_url: str = "https://pets.example/v1", *, max_requests: int = 1000, max_wait: float = 120.0
) -> tuple[str | None, Bench]:
    """Why a target cannot be tested, or None; and the requests sent to find out."""
    rig = bench(answer, writes=True, max_requests=max_requests, max_wait=max_wait)
    rig.transport.sender.base_url = base_url
    target = Target(
        TargetConfig("pets", Url(base_url, KEY), writes=True), Api(rig.transport), "r", date(2026, 11, 21), 1
    )
    try:
        target.probe()
    except Untestable as reason:
        return str(reason), rig
    return None, rig


def server(sent: Sent, base: str = "https://pets.example/v1") -> Response:
    """A server of the interface, which answers 404 to unknown paths, and 401 before that."""
    path = sent.url.partition("?")[0].removeprefix(base)
    if sent.authorization != f"Bearer {KEY.secret}":
        return error(401)
    known = path in ("/pets", "/store/orders")
    return response(200, HEADERS) if known else error(404)


def test_a_limit_of_the_run_is_not_blamed_on_the_server() -> None:
    said = (
        "https://pets.example/v1 could not be tried: the run has reached its limit of 3 requests; raise --max-requests"
    )
    assert probed(lambda sent: error(404), max_requests=3)[0] == said
    limited = response(429, [*HEADERS, ("Retry-After", "100")])
    reason = str(probed(lambda sent: limited, max_wait=60)[0])
    assert reason.startswith("https://pets.example/v1 could not be tried: ")
    assert reason.endswith("but this run waits at most 60 s; raise --max-wait")


def test_a_server_costs_one_request() -> None:
    reason, rig = probed(server)
    assert reason is None
    assert len(rig.client.sent) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            page(301, "", ("Location", "https://pets.example/v1/pets")),
            "returns 301 (Location: https://pets.example/v1/pets) to every request, with and without the key, "
            "so something in front of the server answers; petcheck does not follow redirects",
        ),
        (page(302, "", ("Location", "/login")), "returns 302 (Location: /login) to every request"),
        (page(401, "Sign in", ("WWW-Authenticate", 'Basic realm="x"')), '(WWW-Authenticate: Basic realm="x")'),
        (page(401, "Sign in"), "returns 401 (page: Sign in) to every request"),
        (error(401, [("WWW-Authenticate", "Negotiate")]), "(WWW-Authenticate: Negotiate) to every request"),
        (page(403, "Access\n  denied &amp; logged"), "returns 403 (page: Access denied & logged) to every request"),
        (
            page(400, "400 The SSL certificate error"),
            "it asks for a client certificate; give one that it accepts with --client-cert",
        ),
        (page(500, "Oops"), "returns 500 (page: Oops) to every request"),
        (page(503, "Down for maintenance"), "returns 503 (page: Down for maintenance) to every request"),
        (response(503), "returns 503 to every request, with and without the key, so something in front of the server"),
        (response(503), "answers; the service is down; run again when it is up"),
        (error(503, []), "; the service is down; run again when it is up"),
        (
            response(400, [("Content-Type", "text/html")], b"<title>400 The plain HTTP request was sent to HTTPS port"),
            "use https:// in the base URL",
        ),
        (response(400, [], b"Client sent an HTTP request to an HTTPS server.\n"), "use https:// in the base URL"),
        (response(403), "returns 403 to every request, with and without the key"),
    ],
)
def test_a_gateway_in_front_of_the_server_is_quoted(answer: Response, words: str) -> None:
    reason, rig = probed(lambda sent: answer)
    assert words in (reason or "")
    assert {sent.method for sent in rig.client.sent} == {"GET"}
    assert len({(sent.path, sent.authorization is None) for sent in rig.client.sent}) == 4


def test_a_redirect_of_the_same_host_to_https_says_what_to_do() -> None:
    answer = page(308, "", ("Location", "https://pets.example/v1/pets"))
    reason, _ = probed(lambda sent: answer, "http://pets.example/v1")
    assert (reason or "").endswith("; use https in the base URL")


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        ("https://pets.example/v1/pets", "remove /pets from the end of the base URL"),
        ("https://pets.example/v1/pets/", "remove /pets from the end of the base URL"),
        ("https://pets.example/v1/store/orders", "remove /store/orders from the end of the base URL"),
        ("https://pets.example/v2", "the base URL must end in /v1 (section 9)"),
        ("https://pets.example", "the base URL must end in /v1 (section 9)"),
        ("https://pets.example/api/v1", "check the base URL: it is the part before /pets"),
    ],
)
@pytest.mark.parametrize("key_first", [True, False])
def test_a_wrong_base_url_is_named(base_url: str, words: str, key_first: bool) -> None:
    def answer(sent: Sent) -> Response:
        return server(sent) if key_first else page(404, "Not Found")

    reason, rig = probed(answer, base_url)
    assert words in (reason or "")
    assert len(rig.client.sent) == 4


def test_below_an_operation_a_server_may_read_the_path_as_a_bad_id() -> None:
    def strict(sent: Sent) -> Response:
        answer = server(sent)
        return error(400) if answer.status == 404 and sent.url.endswith("/pets/pets") else answer

    reason, _ = probed(strict, "https://pets.example/v1/pets")
    assert "remove /pets from the end" in (reason or "")


@pytest.mark.parametrize(
    "answer",
    [
        lambda sent: error(404) if sent.path == "/pets" else server(sent),
        lambda sent: response(404) if sent.path == "/pets" else server(sent),
        lambda sent: response(200),
        lambda sent: response(200) if sent.authorization else response(404),
        lambda sent: response(500),
        lambda sent: error(503),
        lambda sent: response(503) if sent.path == "/pets" else server(sent),
        lambda sent: page(200, "Pets", *HEADERS[:3]),
        lambda sent: page(200, "Pets") if sent.path == "/pets" else server(sent),
        lambda sent: response(302, HEADERS),
        lambda sent: page(302) if sent.authorization else error(401),
        lambda sent: error(400),
        lambda sent: NoAnswer(Silence.TIMEOUT, "x") if sent.path == "/pets" else server(sent),
    ],
    ids=[
        "list",
        "bare list",
        "no headers",
        "public",
        "500",
        "503 with headers",
        "503 list",
        "page with headers",
        "page for a list",
        "headers",
        "keyless",
        "400",
        "silent list",
    ],
)
def test_a_faulty_server_is_judged(answer: Answer) -> None:
    assert probed(answer)[0] is None


@pytest.mark.parametrize("elsewhere", [200, 404, 500])
def test_a_web_site_is_not_the_interface(elsewhere: int) -> None:
    reason, rig = probed(lambda sent: page(200 if sent.path == "/pets" else elsewhere, "Welcome &amp; hello"))
    shown = "an HTML page, titled 'Welcome & hello'"
    assert reason == f"every answer from https://pets.example/v1 is {shown}, so it is not the API; check the base URL"
    assert {sent.method for sent in rig.client.sent} == {"GET"}


@pytest.mark.parametrize(
    ("base_url", "silence", "said"),
    [
        (
            "https://pets.example:8080/v1",
            NoAnswer(Silence.TLS, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)"),
            "https://pets.example:8080/v1 does not speak TLS; use http:// in the base URL, if this is the port",
        ),
        (
            "http://localhost:8443/v1",
            NoAnswer(Silence.RESET, "the connection was closed without an answer"),
            "http://localhost:8443/v1 does not answer (reset: the connection was closed without an answer); check the "
            "URL, and that the server is running and reachable; if this port speaks TLS, use https://",
        ),
        (
            "http://localhost:8443/v1",
            NoAnswer(Silence.UNREACHABLE, "refused"),
            "http://localhost:8443/v1 does not answer (unreachable: refused); check the URL, and that the server is "
            "running and reachable",
        ),
        (
            "http://localhost:8443/v1",
            NoAnswer(Silence.TIMEOUT, "nothing was received"),
            "http://localhost:8443/v1 does not answer (timeout: nothing was received); check the URL, and that the "
            "server is running and reachable; give a slower one more time with --timeout",
        ),
        (
            "http://localhost:8443/v1",
            NoAnswer(Silence.UNREAD, "its headers are too long"),
            "http://localhost:8443/v1 cannot be tested: its headers are too long",
        ),
    ],
)
def test_what_may_help_is_suggested_where_nothing_answers(base_url: str, silence: NoAnswer, said: str) -> None:
    assert probed(lambda sent: silence, base_url)[0] == said


@pytest.mark.parametrize("challenge", [None, "Bearer", 'Bearer realm="pets"'])
@pytest.mark.parametrize("headers", [True, False])
def test_a_key_refused_everywhere_is_reported_as_such(challenge: str | None, headers: bool) -> None:
    said = [*(HEADERS if headers else []), *([("WWW-Authenticate", challenge)] if challenge else [])]
    reason, _ = probed(lambda sent: error(401, said))
    assert "rejects the key sha256:" in (reason or "")


def test_a_certificate_that_is_not_trusted_says_what_to_do_and_nothing_else() -> None:
    reason, rig = probed(lambda sent: NoAnswer(Silence.TLS, "self-signed; name it with --ca-bundle"))
    assert reason == "https://pets.example/v1 does not answer (TLS: self-signed; name it with --ca-bundle)"
    assert len(rig.client.sent) == 2
