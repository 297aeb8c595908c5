"""Distinguishes a server from a gateway in front of it, and from a wrong base URL. Pure.

A redirect to https, a login page, a demand for a client certificate or an unknown path gives every request the same
answer, with a key and without one, and sends none of the document's rate limit headers. Another web site answers with
pages, and a service that is down with 503.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from petcheck.exchange import Exchange, NoAnswer, Response, Silence
from petcheck.spec.figures import BASE_SEGMENT, CONTENT_TYPE, RATE_HEADERS
from petcheck.spec.operations import Operation

_TITLE = re.compile(rb"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_TITLE_WITHIN, _QUOTED = 64 * 1024, 120
_NOT_HERE = (404, 405)
_DOWN = 503
# what a TLS handshake with a port that speaks plain http ends with, and what servers say of the reverse
_PLAIN_PORT = re.compile(r"WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|PACKET_LENGTH_TOO_LONG")
_TLS_PORT = re.compile(rb"http request.{1,20}https|plain http.{1,20}ssl", re.IGNORECASE)


def is_strange(exchange: Exchange) -> bool:
    """Whether a plain request with a valid key got an answer that no server of the interface gives."""
    answer = exchange.answer
    if not isinstance(answer, Response):
        return False
    if _is_html(answer) or answer.status == _DOWN:
        crashed = answer.status == 500 and exchange.log is not None  # the application of --app, which says why
        return not (has_rate_headers(exchange) or crashed)
    return 300 <= answer.status < 500 and answer.status != 429


def has_rate_headers(exchange: Exchange) -> bool:
    """Whether a response has any of the rate limit headers (section 8)."""
    answer = exchange.answer
    return isinstance(answer, Response) and any(answer.header(name) is not None for name in RATE_HEADERS)


def in_front(base_url: str, answers: Sequence[Exchange]) -> str | None:
    """The gateway in front of the server and what to do about it, in one line; None if there is none.

    `answers` are those to one request with the key for each operation that only reads, and to one without a key.
    """
    responses = [exchange.answer for exchange in answers if isinstance(exchange.answer, Response)]
    first = responses[0] if responses else None
    if first is None or len(responses) < len(answers) or not is_strange(answers[0]):
        return None
    alike = {response.status for response in responses} == {first.status}
    if not alike or any(has_rate_headers(exchange) for exchange in answers):
        return None
    if first.status in _NOT_HERE or first.status < 300:
        return None  # the base URL is wrong, see `elsewhere` and `no_api`
    if first.status == 401 and not _is_html(first) and not _other_scheme(first):
        return None  # the server refuses the key
    said = f" ({said})" if (said := _said(first)) else ""
    return (
        f"{base_url} returns {first.status}{said} to every request, with and without the key, "
        f"so something in front of the server answers; {_advice(base_url, first)}"
    )


def elsewhere(base_url: str, answers: Sequence[Exchange]) -> str | None:
    """What is wrong with the base URL, in one line; None if it leads to the interface.

    `answers` are those to requests with the key: `GET /pets`, `GET /store/orders`, and an animal.
    """
    listed, *others = (exchange.status for exchange in answers)
    too_long = next((op.path for op in Operation if _path(base_url).endswith(op.path)), None)
    # if the base URL ends in an operation's path, the server may read /pets as an id that is not a number
    listed_elsewhere = listed in _NOT_HERE or (too_long is not None and listed in (400, 422))
    if not listed_elsewhere or any(status not in _NOT_HERE for status in others):
        return None
    response = answers[0].answer
    said = f" ({said})" if isinstance(response, Response) and (said := _said(response)) else ""
    found = f"{base_url} has none of the operations: it returns {listed}{said}"
    if too_long is not None:
        return f"{found}; remove {too_long} from the end of the base URL"
    if _path(base_url).rpartition("/")[2] != BASE_SEGMENT:
        return f"{found}; the base URL must end in /{BASE_SEGMENT} (section 9)"
    return f"{found}; check the base URL: it is the part before {Operation.LIST_PETS.path}"


def no_api(base_url: str, answers: Sequence[Exchange]) -> str | None:
    """That every answer is a page of a web site, in one line; None if not every one is. `answers` as for `in_front`."""
    responses = [exchange.answer for exchange in answers if isinstance(exchange.answer, Response)]
    if len(responses) < len(answers) or not all(map(_is_html, responses)) or any(map(has_rate_headers, answers)):
        return None
    title = _title(responses[0])
    titled = f", titled {title!r}" if title else ""
    return f"every answer from {base_url} is an HTML page{titled}, so it is not the API; check the base URL"


def no_answer(base_url: str, silence: NoAnswer) -> str:
    """That a target answers nothing, and what to do about it, in one line."""
    if silence.kind is Silence.PROXY:
        return f"{base_url} was not asked: {silence.detail}; check --proxy"
    if silence.kind is Silence.UNREAD:
        return f"{base_url} cannot be tested: {silence.detail}"
    said = f"{base_url} does not answer ({silence.kind.value}: {silence.detail})"
    https = urlsplit(base_url).scheme == "https"
    if https and _PLAIN_PORT.search(silence.detail):
        return f"{base_url} does not speak TLS; use http:// in the base URL, if this is the port"
    if silence.kind is Silence.TLS:
        return said
    said += "; check the URL, and that the server is running and reachable"
    if silence.kind is Silence.TIMEOUT:
        return f"{said}; give a slower one more time with --timeout"
    tls = not https and silence.kind in (Silence.RESET, Silence.NOT_HTTP)
    return f"{said}; if this port speaks TLS, use https://" if tls else said


def _path(base_url: str) -> str:
    return urlsplit(base_url).path.rstrip("/")


def _is_html(response: Response) -> bool:
    kind = (response.header(CONTENT_TYPE) or "").lower()
    return "html" in kind or response.body[:200].lstrip().lower().startswith((b"<!doctype html", b"<html"))


def _other_scheme(response: Response) -> bool:
    """Whether a challenge names a scheme other than Bearer."""
    challenge = response.header("WWW-Authenticate") or ""
    return bool(challenge.strip()) and "bearer" not in challenge.lower()


def _said(response: Response) -> str:
    """The Location, the challenge or the page's title; empty if there is none."""
    for name in ("Location", "WWW-Authenticate"):
        value = response.header(name)
        if value:
            return f"{name}: {_quoted(value)}"
    title = _title(response)
    return f"page: {title}" if title else ""


def _title(response: Response) -> str:
    found = _TITLE.search(response.body[:_TITLE_WITHIN])
    return _quoted(html.unescape(found[1].decode("utf-8", "replace"))) if found else ""


def _quoted(text: str) -> str:
    words = "".join(c if c.isprintable() else " " for c in text).split()
    line = " ".join(words)
    return line if len(line) <= _QUOTED else line[: _QUOTED - 1] + "…"


def _advice(base_url: str, response: Response) -> str:
    location = response.header("Location") or ""
    if 300 <= response.status < 400:
        here, there = urlsplit(base_url), urlsplit(location)
        if here.scheme == "http" and there.scheme == "https" and here.hostname == there.hostname:
            return "use https in the base URL"
        return "petcheck does not follow redirects, so use the address of the server itself"
    said = _said(response).lower()
    if _TLS_PORT.search(response.body[:_TITLE_WITHIN]):
        return "use https:// in the base URL"
    if response.status == _DOWN:
        return "the service is down; run again when it is up"
    if "certificate" in said or response.status in (495, 496):
        return "it asks for a client certificate; give one that it accepts with --client-cert"
    if response.status in (401, 407):
        return "it asks for its own login; let requests with an API key through"
    return "check the URL, and let requests from here through"
