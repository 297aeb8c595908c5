"""Distinguishes a server from a gateway in front of it, and from a wrong base URL. Pure.

A redirect to https, a login page, a demand for a client certificate or an unknown path gives every request the same
answer, with a key and without one, and sends none of the document's rate limit headers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from petcheck.exchange import Exchange, Response
from petcheck.spec.figures import BASE_SEGMENT, CONTENT_TYPE, GATEWAY_TROUBLE, RATE_HEADERS
from petcheck.spec.operations import Operation

_TITLE = re.compile(rb"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_TITLE_WITHIN, _QUOTED = 64 * 1024, 120
_NOT_HERE = (404, 405)


def is_strange(exchange: Exchange) -> bool:
    """Whether a plain request with a valid key got an answer that no server of the interface gives."""
    answer = exchange.answer
    if not isinstance(answer, Response):
        return False
    if answer.status in GATEWAY_TROUBLE:
        return _is_html(answer) and not has_rate_headers(exchange)
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
    if first.status in _NOT_HERE:
        return None  # the base URL is wrong, see `elsewhere`
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
    title = _TITLE.search(response.body[:_TITLE_WITHIN])
    return f"page: {_quoted(html.unescape(title[1].decode('utf-8', 'replace')))}" if title else ""


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
    if "certificate" in said or response.status in (495, 496):
        return "it asks for a client certificate, and petcheck cannot send one"
    if response.status in (401, 407):
        return "it asks for its own login; let requests with an API key through"
    return "check the URL, and let requests from here through"
