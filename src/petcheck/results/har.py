"""exchanges.har: every exchange of a run in the format that browsers' developer tools open (HAR 1.2).

`_petcheck` of each entry holds what HAR has no member for: target and index (the pair that result.json refers to),
operation, credential, the `curl` line, the section that the request was sent for, seconds on a monotonic clock, and
what happened to the body. A request without an answer has status 0 and the reason in `_error`, as in browsers.
`exchange_of` reads an entry back as the exchange that it was, `entries_by_index` all of them as `Evidence` for views.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from petcheck.errors import NotEvidence
from petcheck.exchange import Credential, Exchange, NoAnswer, Request, Response, Silence
from petcheck.results import atomic_write
from petcheck.results.curl import curl_line
from petcheck.results.har_room import Room
from petcheck.spec.figures import CONTENT_TYPE
from petcheck.spec.operations import Operation

FILE = "exchanges.har"
_SHORT = 200  # characters of a header


@dataclass(frozen=True, slots=True)
class Evidence:
    """One exchange in exchanges.har.

    `index` counts within `target`. Without an answer, `status` is 0 and `error` says why. `started` is UTC in ISO 8601,
    `elapsed_ms` the milliseconds until the last byte or until petcheck gave up. `whole` is false if the response body
    exceeded the size cap. `request_body` is None if no body was sent.
    """

    target: str
    index: int
    operation: Operation
    credential: Credential
    curl: str
    started: str
    elapsed_ms: float
    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: bytes | None
    status: int
    reason: str
    http_version: str
    response_headers: tuple[tuple[str, str], ...]
    response_body: bytes
    whole: bool
    error: str | None
    log: str | None = None

    @property
    def request(self) -> Request:
        """The request, as it was sent."""
        return Request(self.operation, self.method, self.url, self.request_headers, self.request_body, self.credential)


def path_below(url: str, base_url: str) -> str:
    """The path of `url` below `base_url`, with its query; the whole URL if it is not below it."""
    base = base_url.rstrip("/")
    return url[len(base) :] if base and url.startswith(f"{base}/") else url


def har(exchanges: Sequence[Exchange], *, version: str, head: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A HAR document of `exchanges`, in their order; `version` is the suite's, `head` the head of their recording."""
    return {"log": {**_log(version, head), "entries": [entry_of(exchange) for exchange in exchanges]}}


def _log(version: str, head: Mapping[str, Any] | None) -> dict[str, Any]:
    belongs = {"comment": f"petcheck --seed {head['run']['seed']} repeats this run", "_petcheck": head} if head else {}
    return {"version": "1.2", "creator": {"name": "petcheck", "version": version}, **belongs}


def run_of(document: Mapping[str, Any]) -> tuple[str, str] | None:
    """The id and the start of the run that a HAR document belongs to; None if it does not say."""
    try:
        run = document["log"]["_petcheck"]["run"]
        return run["id"], run["started"]
    except (KeyError, TypeError):
        return None


def pieces(entries: Iterable[Mapping[str, Any]], *, version: str, head: Mapping[str, Any] | None) -> Iterator[str]:
    """The text of a HAR file, piece by piece: with an entry a line, and never more than one of them in memory.

    Entries that are too long for the file are cut.
    """
    room = Room()
    yield json.dumps({"log": _log(version, head)}, indent=1).removesuffix("\n }\n}") + ',\n  "entries": ['
    comma = "\n"
    for entry in entries:
        yield comma + room.line(entry)
        comma = ",\n"
    yield "\n  ]\n }\n}\n"


def write_har(
    folder: Path, entries: Iterable[Mapping[str, Any]], *, version: str, head: Mapping[str, Any] | None = None
) -> Path:
    """Write entries as exchanges.har into `folder`, all at once; its path. Raises OSError."""
    path = folder / FILE
    atomic_write.write(path, pieces(entries, version=version, head=head))
    return path


def entries_by_index(document: Mapping[str, Any]) -> dict[tuple[str, int], Evidence]:
    """The exchanges of a HAR document by target and index, in file order. Raises NotEvidence."""
    try:
        entries = [_typed(_evidence(entry)) for entry in document["log"]["entries"]]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise NotEvidence(f"is not a HAR of petcheck: {type(error).__name__} {error}") from None
    return {(entry.target, entry.index): entry for entry in entries}


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
        "startedDateTime": _iso(exchange.started),
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
            "curl": curl_line(request, served=exchange.log is not None),
            "body_complete": not isinstance(answer, Response) or answer.body_complete,
            "section": exchange.section,
            "sent": exchange.sent,
            "finished": exchange.finished,
            **({"resent": True} if exchange.resent else {}),
            **({"log": exchange.log} if exchange.log is not None else {}),
            **({"encoding_broken": broken} if broken is not None else {}),
        },
    }


def evidence_of(exchange: Exchange) -> Evidence:
    """An exchange as views show it."""
    return _evidence(entry_of(exchange))


def exchange_of(entry: Mapping[str, Any]) -> Exchange:
    """The exchange that an entry of ours holds. Raises NotEvidence, also for an entry that is only a part of one."""
    if entry.get("_petcheck", {}).get("cut"):
        raise NotEvidence("holds only a part of a long answer; give the exchanges.jsonl of the run")
    try:
        seen, ours = _typed(_evidence(entry)), entry["_petcheck"]
        broken = ours.get("encoding_broken")
        exchange = Exchange(
            index=seen.index,
            target=seen.target,
            request=seen.request,
            answer=_no_answer(seen.error)
            if seen.error is not None
            else Response(
                seen.status,
                seen.reason,
                seen.http_version,
                seen.response_headers,
                seen.response_body,
                seen.whole,
                None if broken is None else str(broken),
            ),
            started=datetime.fromisoformat(seen.started).astimezone(UTC),
            sent=float(ours["sent"]),
            finished=float(ours["finished"]),
            section=str(ours["section"]),
            resent=bool(ours.get("resent")),
            log=seen.log,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise NotEvidence(f"has an entry that petcheck has not written: {type(error).__name__} {error}") from None
    return exchange


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


def _evidence(entry: Mapping[str, Any]) -> Evidence:
    ours, request, response = entry["_petcheck"], entry["request"], entry["response"]
    return Evidence(
        target=ours["target"],
        index=ours["index"],
        operation=Operation(ours["operation"]),
        credential=Credential(ours["credential"]),
        curl=ours["curl"],
        started=entry["startedDateTime"],
        elapsed_ms=float(entry["time"]),
        method=request["method"],
        url=request["url"],
        request_headers=tuple(shared(header["name"], header["value"]) for header in request["headers"]),
        request_body=_bytes(request["postData"]) if "postData" in request else None,
        status=response["status"],
        reason=response["statusText"],
        http_version=response["httpVersion"],
        response_headers=tuple(shared(header["name"], header["value"]) for header in response["headers"]),
        response_body=_bytes(response["content"]),
        whole=ours["body_complete"] and not ours.get("cut", False),
        error=response.get("_error"),
        log=ours.get("log"),
    )


def shared(name: str, value: str) -> tuple[str, str]:
    """A header; equal ones are one value, since a recording has most of them thousands of times."""
    return _remembered(name, value) if len(name) + len(value) < _SHORT else (name, value)


@lru_cache(maxsize=4096)
def _remembered(name: str, value: str) -> tuple[str, str]:
    return name, value


def _typed(entry: Evidence) -> Evidence:
    """`entry` if all of its fields have the right types. Raises TypeError."""
    texts = [
        *(entry.target, entry.curl, entry.started, entry.method, entry.url),
        *(entry.reason, entry.http_version, entry.error or "", entry.log or ""),
        *(text for pair in (*entry.request_headers, *entry.response_headers) for text in pair),
    ]
    numbers = (entry.index, entry.status)
    if not all(type(text) is str for text in texts) or not all(type(number) is int for number in numbers):
        raise TypeError("a member of an entry has the wrong type")
    if type(entry.whole) is not bool:
        raise TypeError("body_complete is neither true nor false")
    return entry


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


def _iso(moment: datetime) -> str:
    precision = "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")
