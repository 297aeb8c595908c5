"""What decides a failure, and what failures with one cause have in common.

That is the part of an exchange and the response there, or the animal that a request created which should have been
refused. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from petcheck.judging.verdicts import Verdict
from petcheck.results.evidence import Evidence
from petcheck.spec.figures import CONTENT_TYPE, RATE_HEADERS
from petcheck.spec.operations import Operation

Entries: TypeAlias = Mapping[tuple[str, int], Evidence]
"""Exchanges by target and index."""

MOST = 60
"""The most exchanges of a failure that are looked at."""

NOT_SERVED, NOT_JSON, UNREAD = "not served", "not JSON", "unread"
"""The first part of three marks: an operation is not there at all, a body is not JSON, the server answers what it left
unread of an earlier request.
"""

# refusals that frameworks send by themselves, whatever the operation
_REFUSALS = frozenset({400, 401, 403, 422})
_MISSING = frozenset({404, 405, 501})
_REFUSED = "400"
# Python's http.server says so of a request line; petcheck sends no such line, so it is the rest of an earlier request
_NO_REQUEST_LINE = re.compile(
    r"(Bad request syntax|Bad request version|Bad HTTP/0\.9 request type|Unsupported method) \("
)
_TRACEBACK = 3  # lines at the end of a log that say what was raised, and where
_LONGEST_BODY = 128 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Decision:
    """An exchange that decides a failure, and the part of it. Failures with one cause have the same `mark`."""

    exchange: Evidence
    part: str
    mark: Hashable

    def cause_of_animal(self, created: Mapping[Any, Hashable]) -> Hashable:
        """The mark of the failure that created the animal which the part is of; None if no failure did."""
        kind, _, pointer = self.part.partition(":")
        value = _parsed(self.exchange) if kind == "body" and created else None
        found = value if isinstance(value, dict) else None
        for step in pointer.split("/")[1:]:
            value = _at(value, step)
            found = value if isinstance(value, dict) else found
        name = found.get("id") if found is not None else None
        return created.get(name) if isinstance(name, str) else None


def decisions_of(row: Verdict, evidence: Entries) -> list[Decision]:
    """The exchanges that decide a failure, the most revealing first."""
    indices = [index for index in row.decisive_by_weight if (row.target, index) in evidence]
    parts = [(evidence[row.target, index], row.part(index)) for index in indices[:MOST]]
    return [Decision(exchange, part, _mark(row, exchange, part)) for exchange, part in parts]


def _mark(row: Verdict, exchange: Evidence, part: str) -> Hashable:
    """What failures with one cause have in common."""
    kind, _, which = part.partition(":")
    if exchange.error is not None:
        return "no answer", exchange.operation
    if _NO_REQUEST_LINE.match(exchange.reason):
        return (UNREAD,)
    if kind == "status" and not row.expected:
        return row.id  # the status is right, and something else contradicts it
    if kind == "status":
        if exchange.operation is Operation.STORE_ORDERS and exchange.status in _MISSING:
            return NOT_SERVED, exchange.operation
        return kind, exchange.status, _beside_status(row, exchange)
    if part in ("body", f"header:{CONTENT_TYPE}") and not _is_json(exchange):
        return NOT_JSON, exchange.status >= 400
    if kind == "header":
        return ("no header", *_lacking(exchange, which)) if lacks(exchange, which) else (kind, which)
    if kind == "body":
        member = member_of(which)
        return ("member", member, exchange.status >= 400) if member else (kind, names_at(exchange, which))
    return row.id


def _beside_status(row: Verdict, exchange: Evidence) -> Hashable:
    """What else failures by a wrong status with one cause have in common."""
    if exchange.status < 300:  # requests that are accepted should have been refused alike
        return row.expected
    if exchange.status in _REFUSALS:
        return ""
    raised = tuple((exchange.log or "").rstrip().split("\n")[-_TRACEBACK:])
    return raised if any(raised) else exchange.operation


# ---- animals that a refused request should not have created


def created_by(rows: Iterable[Verdict], evidence: Entries) -> dict[Any, Hashable]:
    """The animals that POSTs created which should have been refused: by id, with the mark of that failure."""
    ids: dict[Any, Hashable] = {}
    for row in rows:
        for index in row.exchanges[:MOST] if row.expected == _REFUSED else ():
            exchange = evidence.get((row.target, index))
            if exchange is not None and exchange.operation is Operation.CREATE_PET and 200 <= exchange.status < 300:
                body = _parsed(exchange)
                if isinstance(body, dict) and isinstance(body.get("id"), str):
                    ids[body["id"]] = _mark(row, exchange, "status")
    marks = set(ids.values())
    for row in rows:
        for index in row.decisive[:MOST]:
            exchange = evidence.get((row.target, index))
            if exchange is not None and (mark := ("status", exchange.status, _REFUSED)) in marks:
                body = _parsed(exchange)
                if repeats(exchange, row.part(index)) and isinstance(body.get("id"), str):
                    ids.setdefault(body["id"], mark)
    return ids


def repeats(exchange: Evidence, part: str) -> bool:
    """Whether what is wrong in the answer to a POST is what was sent: it should have been refused."""
    name = part.removeprefix("body:/")
    sent, body = _json_or_none(exchange.request_body or b""), _parsed(exchange)
    both = isinstance(sent, dict) and isinstance(body, dict) and name in sent and name in body
    return exchange.operation is Operation.CREATE_PET and both and sent[name] == body[name]


def _at(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    return value[int(step)] if isinstance(value, list) and step.isdecimal() and int(step) < len(value) else None


def _parsed(exchange: Evidence) -> Any:
    """The body as JSON; None if it is not JSON, or too long to look at."""
    return _json_or_none(exchange.response_body)


@lru_cache(maxsize=64)  # several failures rest on the same bodies
def _json_or_none(body: bytes) -> Any:
    try:
        return _json_of(body) if len(body) <= _LONGEST_BODY else None
    except (ValueError, RecursionError):
        return None


def _is_json(exchange: Evidence) -> bool:
    try:
        if len(exchange.response_body) <= _LONGEST_BODY:
            _json_of(exchange.response_body)
    except ValueError:
        return False
    except RecursionError:
        pass
    return True


def _json_of(body: bytes) -> Any:
    """The body, with numbers as the text that they are. Raises ValueError or RecursionError."""
    return json.loads(body, parse_constant=_refuse, parse_int=str, parse_float=str)


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # Python reads NaN and Infinity; JSON has neither


def names_at(exchange: Evidence, pointer: str) -> Hashable:
    """What bodies with one fault have in common: the names of the members, or else that very exchange."""
    value = _parsed(exchange)
    for step in pointer.split("/")[1:]:
        value = _at(value, step)
    return tuple(sorted(value)) if isinstance(value, dict) else exchange.index


def _lacking(exchange: Evidence, name: str) -> list[str]:
    """The headers that are missing together with that one."""
    return [one for one in RATE_HEADERS if lacks(exchange, one)] if name in RATE_HEADERS else [name]


def lacks(exchange: Evidence, name: str) -> bool:
    """Whether the response has no header of that name."""
    return all(name.lower() != sent.lower() for sent, _ in exchange.response_headers)


def member_of(pointer: str) -> str:
    """The name of the member that a JSON pointer leads to; empty if it leads to an item or to the whole body."""
    last = pointer.rpartition("/")[2]
    return "" if last.isdecimal() else last
