"""Replaces values that change from run to run on the same server: dates, times, counters, ids, the run's id."""

from __future__ import annotations

import json
import re
from typing import Any

from petcheck.exchange import Exchange
from petcheck.spec.figures import INT64_MAX, INT64_MIN, RETRY_AFTER
from petcheck.spec.operations import Operation

_INT64 = range(INT64_MIN, INT64_MAX + 1)
_EXACT_IN_A_DOUBLE = 2**53

_HEADERS = re.compile(
    rf"date|authorization|age|expires|last-modified|etag|content-length|set-cookie|{RETRY_AFTER}|location|traceparent|tracestate|cf-ray"
    r"|server-timing|keep-alive|(x-)?ratelimit-.*|(x-)?rate-limit-.*"
    r"|.*(request|correlation|trace|span|transaction|session|amz)[-_]?id.*|.*(runtime|response[-_]time|duration|uptime).*",
    re.IGNORECASE,
)
_MEMBERS = re.compile(r"(?i)id|.*[a-z_](Id|_id|ID)|uuid|time.*|.*(timestamp|_at|At|_time|Time|date|Date)|trace.*")
_TEXT = (
    (re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"), "{uuid}"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "{time}"),
    (re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\b"), "{time}"),
    (re.compile(r"\b1\d{9}(\d{3})?(\.\d+)?\b"), "{time}"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}\b", re.IGNORECASE), "{hex}"),
)


def header_varies(name: str) -> bool:
    """Whether the value of this header may change from answer to answer on any server."""
    return _HEADERS.fullmatch(name) is not None


def member_varies(name: str) -> bool:
    """Whether the value of a JSON member with this name is an id or a time."""
    return _MEMBERS.fullmatch(name) is not None


def normalized(text: str, run: str) -> str:
    """`text` with times, random ids and the id of the `run` replaced."""
    if run:
        text = text.replace(run, "{run}")
    for pattern, placeholder in _TEXT:
        text = pattern.sub(placeholder, text)
    return text


def request_path(entry: Exchange, base_url: str) -> str:
    """The path and query of a request below `base_url`; an int64 id is replaced."""
    path, mark, query = entry.request.path_below(base_url).partition("?")
    head, _, last = path.rpartition("/")
    if entry.request.operation is Operation.GET_PET and re.fullmatch(r"-?\d{1,19}", last) and int(last) in _INT64:
        path = f"{head}/{{id}}"
    return path + mark + query


def request_body(body: bytes | None, run: str) -> str | None:
    """The body of a request with the run's id, categories and random numbers replaced; None if there is none.

    Extreme values stay: numbers that a double cannot hold, fractions, other types.
    """
    if body is None:
        return None
    text = body.decode("utf-8", "backslashreplace")
    try:
        return json.dumps(_replaced(json.loads(text), run), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return re.sub(r"\d+", "{n}", normalized(text, run))


def _replaced(value: Any, run: str) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(item, run) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, run) for item in value]
    if isinstance(value, str):
        return "{n}" if value.isascii() and value.isdecimal() else normalized(value, run)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _EXACT_IN_A_DOUBLE:
        return "{int}"
    return value
