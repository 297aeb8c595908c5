"""Section 1: other ways to send the same answers, below the application."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, ServerState, SocketOptions
from petstore_reference.messages import Answer, EncodedAnswer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import header, rewritten
from petstore_reference.registry import variation

_LINE = b"HTTP/1.1 "
_CLOSES = "close-without-notice close-with-notice close-after-7-responses close-when-idle"
_READING = (Operation.LIST, Operation.GET, Operation.ORDERS)


def _socket(make: Callable[[SocketOptions], SocketOptions]) -> Override:
    return lambda behaviour: replace(behaviour, socket_options=make(behaviour.socket_options))


def _http_1_0(behaviour: Behaviour) -> Behaviour:
    older = rewritten(lambda data: b"HTTP/1.0 " + data.removeprefix(_LINE) if data.startswith(_LINE) else data)
    return _socket(lambda options: replace(options, close_after=1))(older(behaviour))


def _odd_reason(data: bytes) -> bytes:
    if not data.startswith(_LINE):
        return data
    line, _, rest = data.partition(b"\r\n")
    return b" ".join((*line.split(b" ")[:2], b"So Far So Good")) + b"\r\n" + rest


def _early_hints(data: bytes) -> bytes:
    return (
        _LINE + b"103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n" + data if data.startswith(_LINE) else data
    )


def _busy_once(behaviour: Behaviour) -> Behaviour:
    def before_key_check(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        if len(state.log) >= 5 and not any(record.status == 503 for record in state.log):
            raise Refused(503, "busy", "Try again in a moment.", (("Retry-After", "1"),))
        behaviour.before_key_check(call, state, whole)

    return replace(behaviour, before_key_check=before_key_check)


def _one_backend_down(behaviour: Behaviour) -> Behaviour:
    """A gateway sends every second request to a backend that is down, and answers 502 without the server's headers."""
    lost = "backend_down"

    def before_key_check(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        if len(state.log) % 2:
            raise Refused(502, lost, "")
        behaviour.before_key_check(call, state, whole)

    def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
        if refusal.code == lost:
            return Answer(502, b"<html><title>502 Bad Gateway</title></html>", (), "text/html")
        return behaviour.refuse(refusal, call, state)

    def finish(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
        reply = behaviour.finish(reply, call)
        of_gateway = tuple(each for each in reply.headers if not each[0].lower().startswith("x-ratelimit"))
        return replace(reply, headers=of_gateway) if reply.status == 502 else reply

    return replace(behaviour, before_key_check=before_key_check, refuse=refuse, finish=finish)


VARIATIONS = [
    variation("http-1.0", "1", "Responses use HTTP/1.0.", _http_1_0, conflicts="chunked early-hints"),
    variation(
        "chunked",
        "1",
        "Bodies are sent in chunks, without Content-Length.",
        _socket(lambda options: replace(options, chunked=True)),
        conflicts="http-1.0",
    ),
    variation(
        "close-without-notice",
        "1",
        "The server closes the connection after each response, without `Connection: close`.",
        _socket(lambda options: replace(options, close_after=1)),
        conflicts=_CLOSES,
    ),
    variation(
        "close-after-7-responses",
        "1",
        "The server closes the connection after 7 responses, without `Connection: close`.",
        _socket(lambda options: replace(options, close_after=7)),
        conflicts=f"{_CLOSES} http-1.0",
    ),
    variation(
        "close-when-idle",
        "1",
        "The server closes a connection that is idle for 50 ms, without `Connection: close`.",
        _socket(lambda options: replace(options, idle_seconds=0.05)),
        conflicts=_CLOSES,
    ),
    variation(
        "close-with-notice",
        "1",
        "The server closes the connection after each response, with `Connection: close`.",
        header("Connection", "close"),
        conflicts=_CLOSES,
    ),
    variation(
        "odd-reason-phrase",
        "1",
        "The reason phrase is unusual: `200 So Far So Good`.",
        rewritten(_odd_reason),
        conflicts="no-reason-phrase",
    ),
    variation(
        "no-reason-phrase",
        "1",
        "The status line has no reason phrase.",
        rewritten(lambda data: _odd_reason(data).replace(b" So Far So Good", b" ", 1)),
        conflicts="odd-reason-phrase",
    ),
    variation(
        "early-hints",
        "1",
        "The server sends 103 (Early Hints) before each response.",
        rewritten(_early_hints),
        conflicts="http-1.0",
    ),
    variation("slow", "1", "Each response takes 50 ms.", _socket(lambda options: replace(options, delay=0.05))),
    variation("busy-once", "1", "One request gets 503 with Retry-After.", _busy_once, at=_READING),
    variation(
        "one-backend-down",
        "7",
        "One of two backends is down: every second request gets 502 from a gateway.",
        _one_backend_down,
        conflicts="busy-once",
    ),
]
