"""Which of the tracebacks of an application belongs to which request."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from urllib.parse import urlsplit

from petcheck.exchange import Exchange, Request
from petcheck.grouping import grouped

_UNKNOWN = "Several requests were alike, so which of these is this one's cannot be known.\n\n"
_SHOWN = 4  # tracebacks of requests that are alike


@dataclass(frozen=True, slots=True)
class Raised:
    """The traceback of an error, as `lines`, and what was `asked` then, as `asked` has it; empty if unknown."""

    asked: str
    lines: str


def asked(method: str, target: str, body: bytes | None) -> str:
    """A request as its server knows it: the method, the path with the query, and the body unless it is None."""
    known = f"{method} {target}"
    return known if body is None else f"{known} {hashlib.sha256(body).hexdigest()}"


def with_tracebacks(exchanges: Sequence[Exchange], raised: Iterable[Raised]) -> list[Exchange]:
    """The exchanges, each that is unanswered or a 5xx with the traceback that belongs to it, if the server runs here.

    `raised` are in the order of time. Where it could be one of several, the first of the requests that are alike says
    so, and has some of them.
    """
    lines = grouped((one.asked, one.lines) for one in raised)
    alike = grouped(
        (next((name for name in _names(exchange.request) if name in lines), ""), exchange)
        for exchange in exchanges
        if exchange.status is None or exchange.status >= 500
    )
    logs: dict[int, str] = {}
    for name, those in alike.items():
        logs |= zip(map(id, those), _logs(those, lines.get(name, [])), strict=True)
    return [replace(exchange, log=logs.get(id(exchange), "")) for exchange in exchanges]


def _logs(alike: Sequence[Exchange], lines: Sequence[str]) -> Iterator[str]:
    """For each of the broken exchanges that are alike what was raised: those of one time share what was raised then."""
    each_raised = len(lines) == len(alike)
    done = 0
    for together in _at_one_time(alike) if each_raised and len(set(lines)) > 1 else [len(alike)]:
        found = list(dict.fromkeys(lines[done : done + together] if each_raised else lines))
        several = len(found) > 1
        yield _UNKNOWN + "\n\n".join(found[:_SHOWN]) if several else "".join(found)
        yield from repeat("" if several else "".join(found), together - 1)
        done += together


def _at_one_time(exchanges: Sequence[Exchange]) -> Iterator[int]:
    """How many exchanges in a row overlap in time, for each such row."""
    until, number = 0.0, 0
    for one in exchanges:
        if number and one.sent >= until:
            yield number
            number = 0
        until, number = max(until, one.finished), number + 1
    yield number


def _names(request: Request) -> tuple[str, str]:
    """What a request may be known as: an application may fail before it reads the body."""
    url = urlsplit(request.url)
    target = f"{url.path}{'?' * bool(url.query)}{url.query}"
    return asked(request.method, target, request.body or b""), asked(request.method, target, None)
