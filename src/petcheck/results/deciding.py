"""What decides a failure, and what failures with one cause have in common.

That is the part of an exchange and the response there, or the animal that a request created which should have been
refused. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.json_values import Json
from petcheck.judging.suspects import unread_before
from petcheck.judging.verdicts import Verdict
from petcheck.spec.figures import CONTENT_TYPE, LIMIT_MAX, NEW_PET_FIELDS, PET_REQUIRED, RATE_HEADERS
from petcheck.spec.operations import Operation

Entries: TypeAlias = Mapping[tuple[str, int], Exchange]
"""Exchanges by target and index."""


def by_index(exchanges: Iterable[Exchange]) -> dict[tuple[str, int], Exchange]:
    """Exchanges by target and index."""
    return {(exchange.target, exchange.index): exchange for exchange in exchanges}


MOST = 60
"""The most exchanges of a failure that are looked at."""

NOT_SERVED, NOT_JSON, UNREAD, AT_ONCE, TOO_LONG = "not served", "not JSON", "unread", "at once", "too long"
"""The first parts of five kinds of marks: an operation is not there at all, a body is not JSON, the server answers what
it left unread of an earlier request, requests at the same time disturb each other, a page has more animals than it may.
"""

# refusals that frameworks send by themselves, whatever the operation
_REFUSALS = frozenset({400, 401, 403, 422})
_MISSING = frozenset({404, 405, 501})
_REFUSED = "400"
# Python's http.server says so of a request line; petcheck sends no such line, so it is the rest of an earlier request
_NO_REQUEST_LINE = re.compile(
    r"(Bad request syntax|Bad request version|Bad HTTP/0\.9 request type|Unsupported method) \("
)
_ACCEPTED, _NO_KEY = "accepted", "401"
_ABOUT_THE_REST = (400, 404)
_FIELDS = "2"  # the section that says which values an animal may have
_TRACEBACK = 3  # lines at the end of a log that say what was raised, and where


@dataclass(frozen=True, slots=True)
class DecidingExchange:
    """An exchange that decides a failure, and the part of it. Failures with one cause have the same `mark`.

    `before` is the POST before it on the same connection, if the server may have taken its body for this request.
    """

    exchange: Exchange
    part: str
    mark: Hashable
    before: Exchange | None = None

    def origin(self, created: Mapping[Hashable, Hashable], accepted: Mapping[Credential, Hashable]) -> Hashable:
        """The mark of the failure that this one follows from; None if it follows from none.

        That failure created the animal which the part is of, or accepted the key: then the status is about the rest.
        """
        kind, _, pointer = self.part.partition(":")
        there = self.mark != (NOT_SERVED, self.exchange.request.operation)
        if kind == "status" and self.exchange.status in _ABOUT_THE_REST and there:
            return accepted.get(self.exchange.request.credential)
        on_the_way = _values_to(self.exchange, pointer) if kind == "body" and created else []
        # the outermost: what is wrong in an animal may be an object too
        return created.get(next((number for value in on_the_way if (number := _id_in(value)) is not None), None))


def decisions_of(row: Verdict, evidence: Entries) -> list[DecidingExchange]:
    """The exchanges that decide a failure, the most revealing first."""
    indices = [index for index in row.decisive_by_weight if (row.target, index) in evidence]
    parts = [(evidence[row.target, index], row.part(index)) for index in indices[:MOST]]
    befores = [unread_before(exchange, evidence.values()) for exchange, _ in parts]
    return [
        DecidingExchange(exchange, part, (UNREAD,) if before else _mark(row, exchange, part, evidence), before)
        for (exchange, part), before in zip(parts, befores, strict=True)
    ]


def _mark(row: Verdict, exchange: Exchange, part: str, evidence: Entries) -> Hashable:
    """What failures with one cause have in common."""
    kind, _, which = part.partition(":")
    if exchange.status is None:
        return "no answer", exchange.request.operation
    if quotes_a_body(exchange):
        return (UNREAD,)
    if kind == "status" and not row.expected:
        return row.id  # the status is right, and something else contradicts it
    if kind == "status":
        operation = exchange.request.operation
        missing = operation is Operation.STORE_ORDERS and exchange.status in _MISSING
        if missing and not _is_past_guard(exchange, evidence):
            return NOT_SERVED, operation
        # what is accepted by mistake may be 200 or 201, as the operation has it
        status = _ACCEPTED if exchange.heard.status < 300 else exchange.heard.status
        return kind, status, _beside_status(row, exchange)
    parsed = exchange.heard.parsed
    if part in ("body", f"header:{CONTENT_TYPE}") and parsed.wrong and not parsed.unread:
        return NOT_JSON, exchange.heard.status >= 400
    if kind == "header":
        # with the headers that are missing together with it
        together = [one for one in RATE_HEADERS if lacks(exchange, one)] if which in RATE_HEADERS else [which]
        return ("no header", *together) if lacks(exchange, which) else (kind, which)
    if kind == "body":
        member = member_of(which)
        return ("member", member, exchange.heard.status >= 400) if member else (kind, names_at(exchange, which))
    return row.id


def quotes_a_body(exchange: Exchange) -> bool:
    """Whether the server says that it took something else for the request."""
    return _NO_REQUEST_LINE.match(exchange.heard.reason) is not None


def _is_past_guard(exchange: Exchange, evidence: Entries) -> bool:
    """Whether its invalid key was not refused, though the operation refuses others."""
    request = exchange.request
    return not request.has_valid_key and any(
        one.request.operation is request.operation and one.status == int(_NO_KEY) and not one.request.has_valid_key
        for one in evidence.values()
        if one.target == exchange.target
    )


def without_circumstances(decision: DecidingExchange) -> Hashable:
    """The mark without the operation and the status, for a fault that depends on neither."""
    kind, _, which = decision.part.partition(":")
    if decision.mark in ((NOT_JSON, True), (NOT_JSON, False)):
        return NOT_JSON, False
    if kind == "header":
        return decision.mark
    return "by chance", kind, member_of(which), min(decision.exchange.heard.status, 500) if kind == "status" else ""


def _beside_status(row: Verdict, exchange: Exchange) -> Hashable:
    """What else failures by a wrong status with one cause have in common."""
    # requests that are accepted should have been refused alike, and a framework refuses each kind in its own way
    refused = exchange.status in _REFUSALS and row.expected.startswith("4")
    if exchange.heard.status < 300 or refused:
        return row.expected
    raised = tuple((exchange.log or "").rstrip().split("\n")[-_TRACEBACK:])
    return raised if any(raised) else exchange.request.operation


# ---- keys that are accepted by mistake


def accepted_keys(found: Mapping[Verdict, Sequence[DecidingExchange]]) -> dict[Credential, Hashable]:
    """The kinds of invalid key that some request was served with, with the mark of that failure."""
    every = (one for row, decisions in found.items() if row.expected == _NO_KEY for one in decisions)
    refused = [one for one in every if not one.exchange.request.has_valid_key and one.exchange.status is not None]
    served = [one for one in refused if one.exchange.heard.status < 300]
    return {one.exchange.request.credential: one.mark for one in reversed(served)}


# ---- animals that a refused request should not have created


def created_by(rows: Iterable[Verdict], evidence: Entries) -> dict[Hashable, Hashable]:
    """The animals that POSTs created which should have been refused: by id, with the mark of that failure."""
    ids: dict[Hashable, Hashable] = {}
    for row in rows:
        for index in row.exchanges[:MOST] if row.expected == _REFUSED else ():
            exchange = evidence.get((row.target, index))
            created = exchange is not None and exchange.request.operation is Operation.CREATE_PET
            if exchange is not None and created and exchange.heard.status // 100 == 2:
                ids[_id_in(exchange.json)] = _mark(row, exchange, "status", evidence)
    marks = set(ids.values())
    for row in (row for row in rows if row.section == _FIELDS):  # elsewhere a later answer may be what is wrong
        for index in row.decisive[:MOST]:
            exchange = evidence.get((row.target, index))
            mark = ("status", _ACCEPTED, _REFUSED) if exchange is not None and exchange.status == 201 else None
            if exchange is not None and mark in marks and repeats(exchange, row.part(index)):
                ids.setdefault(_id_in(exchange.json), mark)
    return {name: mark for name, mark in ids.items() if name is not None}


def _id_in(animal: Json) -> Hashable:
    """The id of an animal; None if it has none."""
    name = animal.get("id") if isinstance(animal, dict) else None
    return name if isinstance(name, int | str) else None


def repeats(exchange: Exchange, part: str) -> bool:
    """Whether what is wrong in the answer to a POST is what was sent: it should have been refused."""
    name, request = part.removeprefix("body:/"), exchange.request
    sent = request.parsed.value
    body = exchange.json
    if request.operation is not Operation.CREATE_PET or not isinstance(sent, dict) or not isinstance(body, dict):
        return False
    # an id is not a field of a NewPet: a server may accept a body that has one
    return name in NEW_PET_FIELDS and name in sent and name in body and sent[name] == body[name]


def _values_to(exchange: Exchange, pointer: str) -> list[Json]:
    """The value of the body, and each on the way to the one that the pointer leads to; None where it leads nowhere."""
    values = [exchange.json]
    for step in pointer.split("/")[1:]:
        value = values[-1]
        if isinstance(value, list):
            values.append(value[int(step)] if step.isdecimal() and int(step) < len(value) else None)
        else:
            values.append(value.get(step) if isinstance(value, dict) else None)
    return values


def names_at(exchange: Exchange, pointer: str) -> Hashable:
    """What bodies with one fault have in common: the names of the members, or else that very exchange.

    In an animal that lacks nothing, the names show nothing: it may be one too many, or of another status. Pages
    that are too long are alike.
    """
    value = _values_to(exchange, pointer)[-1]
    if isinstance(value, dict) and not value.keys() >= {*PET_REQUIRED}:
        return tuple(sorted(value))
    place = pointer.rpartition("/")[2]
    page = exchange.page if place.isdecimal() else None
    return TOO_LONG if page is not None and int(place) >= (page.asked or LIMIT_MAX) else exchange.index


def lacks(exchange: Exchange, name: str) -> bool:
    """Whether the response has no header of that name."""
    return exchange.heard.header(name) is None


def member_of(pointer: str) -> str:
    """The name of the member that a JSON pointer leads to; empty if it leads to an item or to the whole body."""
    last = pointer.rpartition("/")[2]
    return "" if last.isdecimal() else last
