"""Below the application: other ways to carry the same answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from petcheck.reference.behaviour import Behaviour, Change, Site, Wire
from petcheck.reference.changes import header, rewritten
from petcheck.reference.messages import Call, Operation, Refusal
from petcheck.reference.seam import variation

_LINE = b"HTTP/1.1 "
_READING = (Operation.LIST, Operation.GET, Operation.ORDERS)


def _wired(make: Callable[[Wire], Wire]) -> Change:
    return lambda behaviour: replace(behaviour, wire=make(behaviour.wire))


def _http_1_0(behaviour: Behaviour) -> Behaviour:
    older = rewritten(lambda data: b"HTTP/1.0 " + data.removeprefix(_LINE) if data.startswith(_LINE) else data)
    return _wired(lambda wire: replace(wire, close_after=True))(older(behaviour))


def _odd_reason(data: bytes) -> bytes:
    if not data.startswith(_LINE):
        return data
    line, _, rest = data.partition(b"\r\n")
    return b" ".join((*line.split(b" ")[:2], b"So Be It")) + b"\r\n" + rest


def _early_hints(data: bytes) -> bytes:
    return (
        _LINE + b"103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n" + data if data.startswith(_LINE) else data
    )


def _busy_once(behaviour: Behaviour) -> Behaviour:
    def look_first(call: Call, site: Site, whole: Behaviour) -> None:
        if len(site.log) >= 5 and not any(record.status == 503 for record in site.log):
            raise Refusal(503, "busy", "Try again in a moment.", (("Retry-After", "1"),))
        behaviour.look_first(call, site, whole)

    return replace(behaviour, look_first=look_first)


VARIATIONS = [
    variation("http-1.0", "1", "Responses are HTTP/1.0.", _http_1_0, conflicts="chunked early-hints"),
    variation(
        "chunked",
        "1",
        "Bodies come in chunks, without a length.",
        _wired(lambda wire: replace(wire, chunked=True)),
        conflicts="http-1.0",
    ),
    variation(
        "close-without-notice",
        "1",
        "The connection is closed after each response, and no header says so.",
        _wired(lambda wire: replace(wire, close_after=True)),
        conflicts="close-with-notice",
    ),
    variation(
        "close-with-notice",
        "1",
        "The connection is closed after each response.",
        header("Connection", "close"),
        conflicts="close-without-notice",
    ),
    variation(
        "odd-reason-phrase",
        "1",
        "The reason phrase is not the usual one.",
        rewritten(_odd_reason),
        conflicts="no-reason-phrase",
    ),
    variation(
        "no-reason-phrase",
        "1",
        "There is no reason phrase.",
        rewritten(lambda data: _odd_reason(data).replace(b" So Be It", b" ", 1)),
        conflicts="odd-reason-phrase",
    ),
    variation("early-hints", "1", "A 103 comes before each response.", rewritten(_early_hints), conflicts="http-1.0"),
    variation("slow", "1", "Each answer takes 50 ms.", _wired(lambda wire: replace(wire, delay=0.05))),
    variation("busy-once", "1", "Once it is 503 with Retry-After.", _busy_once, at=_READING),
]
