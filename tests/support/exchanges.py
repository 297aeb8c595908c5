"""Exchanges made by hand, for judging."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from math import inf

from petcheck.call import Credential, Form
from petcheck.exchange import Exchange, NoAnswer, Request, Response, Silence
from petcheck.judging.judgement import Known
from petcheck.spec.operations import Operation

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
JSON = ("Content-Type", "application/json")
PATHS = {
    Operation.LIST_PETS: "/pets",
    Operation.CREATE_PET: "/pets",
    Operation.GET_PET: "/pets/7",
    Operation.STORE_ORDERS: "/store/orders",
}


def known(*categories: int) -> dict[int, Known]:
    """Categories that were known all the time."""
    return dict.fromkeys(categories, Known(-inf))


def exchange(
    operation: Operation = Operation.LIST_PETS,
    status: int | Silence = 200,
    body: object = (),
    *,
    path: str | None = None,
    headers: Iterable[tuple[str, str]] = (JSON,),
    credential: Credential = Credential.VALID,
    index: int = 0,
    sent: float | None = None,
    took: float = 0.1,
    whole: bool = True,
    asked: object = None,
    form: Form = Form.PLAIN,
) -> Exchange:
    """An exchange; `body` and `asked`, the request's own, are bytes as they are or a value for JSON, `status` may be
    a silence. Those of a record are sent one after the other unless `sent` says something else.
    """
    sent = float(index) if sent is None else sent
    raw, posted = (part if isinstance(part, bytes) else json.dumps(part).encode() for part in (body, asked))
    answer = (
        NoAnswer(status, "nothing was received")
        if isinstance(status, Silence)
        else Response(status, "", "HTTP/1.1", tuple(headers), raw, whole)
    )
    method = "POST" if operation is Operation.CREATE_PET else "GET"
    request = Request(
        operation,
        method,
        "https://h/v1" + (path or PATHS[operation]),
        (),
        None if asked is None else posted,
        credential,
        form,
    )
    return Exchange(index, "target", request, answer, NOON + timedelta(seconds=sent), sent, sent + took)


def rates(limit: object, remaining: object, reset: object, *more: tuple[str, str]) -> list[tuple[str, str]]:
    """The three rate limit headers of section 8, and more."""
    named = [("X-RateLimit-Limit", limit), ("X-RateLimit-Remaining", remaining), ("X-RateLimit-Reset", reset)]
    return [*((name, str(value)) for name, value in named if value is not None), *more]


def unix(seconds: float) -> int:
    """Unix time, that many seconds after noon."""
    return int(NOON.timestamp() + seconds)


def short(value: object) -> str:
    """A value for a test's name, in characters that allow calling the test by name."""
    text = str(value)
    plain = re.sub(r"[^ -~]|\\", "_", text)
    return f"{plain[:20]}~{len(text)}"
