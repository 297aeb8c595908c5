"""An exchange as an entry of a HAR 1.2, the format that browsers' developer tools open, and back.

`_petcheck` of each entry holds what HAR has no member for: target and index (the pair that result.json refers to),
operation, credential, the `curl` line, the section that the request was sent for, seconds on a monotonic clock, and
what happened to the body. A request without an answer has status 0 and the reason in `_error`, as in browsers.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from petcheck.errors import NotEvidence
from petcheck.exchange import Credential, Exchange, Form, NoAnswer, Request, Response, Silence
from petcheck.spec.figures import CONTENT_TYPE
from petcheck.spec.operations import Operation
from petcheck.stream.curl import curl_line
from petcheck.stream.typed import timestamp

T = TypeVar("T")

_SHORT = 200  # characters of a header


def entry_of(exchange: Exchange) -> dict[str, Any]:
    """An exchange as an entry of a HAR."""
    request, answer = exchange.request, exchange.answer
    milliseconds = round(max(exchange.elapsed, 0.0) * 1000, 3)
    http_version = answer.http_version if isinstance(answer, Response) else "HTTP/1.1"
    broken = answer.encoding_broken if isinstance(answer, Response) else None
    sent: dict[str, Any] = {
        "method": request.method,
        "url": request.url,
        "httpVersion": http_version,
        "cookies": [],
        "headers": _pairs(request.headers),
        "queryString": _pairs(_query(request.url)),
        "headersSize": -1,
        "bodySize": len(request.body or b""),
    }
    if request.body is not None:
        sent["postData"] = {"mimeType": _first(request.headers, CONTENT_TYPE), **_text(request.body)}
    return {
        "startedDateTime": timestamp(exchange.started),
        "time": milliseconds,
        "request": sent,
        "response": _silence(answer) if isinstance(answer, NoAnswer) else _response(answer),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "_petcheck": {
            "target": exchange.target,
            "index": exchange.index,
            "operation": request.operation.value,
            "credential": request.credential.value,
            **({"form": request.form.value} if request.form is not Form.PLAIN else {}),
            "curl": curl_line(request, served=exchange.log is not None),
            "body_complete": not isinstance(answer, Response) or answer.body_complete,
            "section": exchange.section,
            "sent": exchange.sent,
            "finished": exchange.finished,
            **({"resent": True} if exchange.resent else {}),
            **({"cause": exchange.cause} if exchange.cause else {}),
            **({"on_top": True} if exchange.on_top else {}),
            **({"example": True} if exchange.example else {}),
            **({"simplifies": exchange.simplifies} if exchange.simplifies is not None else {}),
            **({"log": exchange.log} if exchange.log is not None else {}),
            **({"encoding_broken": broken} if broken is not None else {}),
        },
    }


def exchange_of(entry: Mapping[str, Any]) -> Exchange:
    """The exchange that an entry of ours holds. Raises NotEvidence, also for an entry that is only a part of one."""
    if isinstance(entry.get("_petcheck"), dict) and entry["_petcheck"].get("cut"):
        raise NotEvidence("holds only a part of a long answer; give the exchanges.jsonl of the run")
    try:
        ours = entry["_petcheck"]
        exchange = Exchange(
            index=_whole(ours["index"]),
            target=_text_in(ours["target"]),
            request=_request_of(entry["request"], ours),
            answer=_answer_of(entry["response"], ours),
            started=datetime.fromisoformat(entry["startedDateTime"]).astimezone(UTC),
            sent=_seconds(ours["sent"]),
            finished=_seconds(ours["finished"]),
            section=_text_in(ours["section"]),
            resent=_truth(ours.get("resent", False)),
            log=None if "log" not in ours else _text_in(ours["log"]),
            cause=_text_in(ours.get("cause", "")),
            on_top=_truth(ours.get("on_top", False)),
            example=_truth(ours.get("example", False)),
            simplifies=None if "simplifies" not in ours else _whole(ours["simplifies"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise NotEvidence(f"has an entry that petcheck has not written: {type(error).__name__} {error}") from None
    return exchange


def _request_of(sent: Mapping[str, Any], ours: Mapping[str, Any]) -> Request:
    return Request(
        Operation(ours["operation"]),
        _text_in(sent["method"]),
        _text_in(sent["url"]),
        _headers_of(sent),
        _bytes(sent["postData"]) if "postData" in sent else None,
        Credential(ours["credential"]),
        Form(ours["form"]) if "form" in ours else Form.PLAIN,
    )


def _answer_of(received: Mapping[str, Any], ours: Mapping[str, Any]) -> Response | NoAnswer:
    if "_error" in received:
        return _no_answer(_text_in(received["_error"]))
    broken = ours.get("encoding_broken")
    return Response(
        _whole(received["status"]),
        _text_in(received["statusText"]),
        _text_in(received["httpVersion"]),
        _headers_of(received),
        _bytes(received["content"]),
        _truth(ours["body_complete"]),
        None if broken is None else _text_in(broken),
    )


def _headers_of(message: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(shared(_text_in(header["name"]), _text_in(header["value"])) for header in message["headers"])


def _text_in(value: object) -> str:
    return _of_type(value, str)


def _whole(value: object) -> int:
    return _of_type(value, int)


def _truth(value: object) -> bool:
    return _of_type(value, bool)


def _seconds(value: object) -> float:
    return float(value) if type(value) is int else _of_type(value, float)


def _of_type(value: object, kind: type[T]) -> T:
    # not isinstance, since a truth value is an int too
    if type(value) is not kind:
        raise TypeError("a member of an entry has the wrong type")
    return value


def _no_answer(error: str) -> NoAnswer:
    kind, _, detail = error.partition(": ")
    return NoAnswer(Silence(kind), detail)


def _response(answer: Response) -> dict[str, Any]:
    mime_type = _first(answer.headers, CONTENT_TYPE)
    return {
        "status": answer.status,
        "statusText": answer.reason,
        "httpVersion": answer.http_version,
        "cookies": [],
        "headers": _pairs(answer.headers),
        "content": {"size": len(answer.body), "mimeType": mime_type, **_text(answer.body)},
        "redirectURL": _first(answer.headers, "Location"),
        "headersSize": -1,
        "bodySize": -1,
    }


def _silence(answer: NoAnswer) -> dict[str, Any]:
    return {
        "status": 0,
        "statusText": "",
        "httpVersion": "",
        "cookies": [],
        "headers": [],
        "content": {"size": 0, "mimeType": ""},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
        "_error": f"{answer.kind.value}: {answer.detail}" if answer.detail else answer.kind.value,
    }


def shared(name: str, value: str) -> tuple[str, str]:
    """A header; equal ones are one value, since a recording has most of them thousands of times."""
    return _remembered(name, value) if len(name) + len(value) < _SHORT else (name, value)


@lru_cache(maxsize=4096)
def _remembered(name: str, value: str) -> tuple[str, str]:
    return name, value


def _text(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode("ascii"), "encoding": "base64"}


def _bytes(content: Mapping[str, Any]) -> bytes:
    text: str = content.get("text", "")
    if content.get("encoding") == "base64":
        return base64.b64decode(text)
    return text.encode("utf-8", "surrogatepass")


def _pairs(headers: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:
        return []


def _first(headers: Sequence[tuple[str, str]], name: str) -> str:
    return next((value for key, value in headers if key.lower() == name.lower()), "")
