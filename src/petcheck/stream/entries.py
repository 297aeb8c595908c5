"""An exchange as an entry of a HAR 1.2, the format that browsers' developer tools open, and back.

`_petcheck` of each entry holds what HAR has no member for: target and index (the pair that result.json refers to),
operation, credential, how the server is reached, the `curl` line, the section that the request was sent for, seconds on
a monotonic clock, and what happened to the body. A request without an answer has status 0 and the reason in `_error`,
as in browsers.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from petcheck.call import Credential, Form
from petcheck.errors import NotEvidence
from petcheck.exchange import DIRECT, Exchange, NoAnswer, Reach, Request, Response, Silence
from petcheck.spec.figures import CONTENT_TYPE
from petcheck.spec.operations import Operation
from petcheck.stream.curl import curl_line
from petcheck.stream.typed import plain, timestamp, typed

T = TypeVar("T")

_SHORT = 200  # characters of a header
# members of ours that most exchanges have not, in their order
_MARKS = {
    "resent": bool,
    "cause": str,
    "on_top": bool,
    "example": bool,
    "simplifies": int,
    "burst": int,
    "again": int,
    "connection": int,
    "log": str,
}
_USUAL = {each.name: each.default for each in fields(Exchange)}


def entry_of(exchange: Exchange) -> dict[str, Any]:
    """An exchange as an entry of a HAR."""
    request, answer = exchange.request, exchange.answer
    milliseconds = round(max(exchange.elapsed, 0.0) * 1000, 3)
    broken = exchange.heard.encoding_broken
    sent: dict[str, Any] = {
        "method": request.method,
        "url": request.url,
        "httpVersion": answer.http_version if isinstance(answer, Response) else "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(request.headers),
        "queryString": _pairs(_query(request.url)),
        "headersSize": -1,
        "bodySize": len(request.body or b""),
    }
    if request.body is not None:
        sent["postData"] = {"mimeType": first_of(request.headers, CONTENT_TYPE) or "", **_text(request.body)}
    return {
        "startedDateTime": timestamp(exchange.started),
        "time": milliseconds,
        "request": sent,
        "response": _response(exchange),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "_petcheck": {
            "target": exchange.target,
            "index": exchange.index,
            "operation": request.operation.value,
            "credential": request.credential.value,
            **({"form": request.form.value} if request.form is not Form.PLAIN else {}),
            **({"reach": plain(request.reach)} if request.reach != DIRECT else {}),
            "curl": curl_line(request, served=exchange.log is not None),
            "body_complete": exchange.heard.body_complete,
            "section": exchange.section,
            "sent": exchange.sent,
            "finished": exchange.finished,
            **{name: getattr(exchange, name) for name in _MARKS if getattr(exchange, name) != _USUAL[name]},
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
            index=_of_type(ours["index"], int),
            target=_of_type(ours["target"], str),
            request=_request_of(entry["request"], ours),
            answer=_answer_of(entry["response"], ours),
            started=datetime.fromisoformat(entry["startedDateTime"]).astimezone(UTC),
            sent=_seconds(ours["sent"]),
            finished=_seconds(ours["finished"]),
            section=_of_type(ours["section"], str),
            **{name: _of_type(ours[name], kind) for name, kind in _MARKS.items() if name in ours},
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise NotEvidence(f"has an entry that petcheck has not written: {type(error).__name__} {error}") from None
    return exchange


def _request_of(sent: Mapping[str, Any], ours: Mapping[str, Any]) -> Request:
    return Request(
        Operation(ours["operation"]),
        _of_type(sent["method"], str),
        _of_type(sent["url"], str),
        _headers_of(sent),
        _bytes(sent["postData"]) if "postData" in sent else None,
        Credential(ours["credential"]),
        Form(ours["form"]) if "form" in ours else Form.PLAIN,
        typed(Reach, ours["reach"]) if "reach" in ours else DIRECT,
    )


def _answer_of(received: Mapping[str, Any], ours: Mapping[str, Any]) -> Response | NoAnswer:
    if "_error" in received:
        kind, _, detail = _of_type(received["_error"], str).partition(": ")
        return NoAnswer(Silence(kind), detail)
    broken = ours.get("encoding_broken")
    return Response(
        _of_type(received["status"], int),
        _of_type(received["statusText"], str),
        _of_type(received["httpVersion"], str),
        _headers_of(received),
        _bytes(received["content"]),
        _of_type(ours["body_complete"], bool),
        None if broken is None else _of_type(broken, str),
    )


def _headers_of(message: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(shared(_of_type(one["name"], str), _of_type(one["value"], str)) for one in message["headers"])


def _seconds(value: object) -> float:
    return float(value) if type(value) is int else _of_type(value, float)


def _of_type(value: Any, kind: type[T]) -> T:
    # not isinstance, since a truth value is an int too
    if type(value) is not kind:
        raise TypeError("a member of an entry has the wrong type")
    return value


def _response(exchange: Exchange) -> dict[str, Any]:
    heard, silent = exchange.heard, isinstance(exchange.answer, NoAnswer)
    mime_type = first_of(heard.headers, CONTENT_TYPE) or ""
    return {
        "status": heard.status,
        "statusText": heard.reason,
        "httpVersion": heard.http_version,
        "cookies": [],
        "headers": _pairs(heard.headers),
        "content": {"size": len(heard.body), "mimeType": mime_type, **({} if silent else _text(heard.body))},
        "redirectURL": first_of(heard.headers, "Location") or "",
        "headersSize": -1,
        "bodySize": -1,
        **({"_error": str(exchange.answer)} if silent else {}),
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


def first_of(headers: Iterable[tuple[str, str]], name: str) -> str | None:
    """The value of the first header with that name, in any case; None if there is none."""
    return next((value for key, value in headers if key.lower() == name.lower()), None)
