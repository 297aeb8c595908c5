"""Decides by traffic that another program recorded: what it does not show is undecided.

What a run would request again does not fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TypeAlias

from petcheck.exchange import Credential, Exchange, Response
from petcheck.judging.judgement import Failed, Grounds, Held, Record, Undecided
from petcheck.judging.once import WholeRecord
from petcheck.judging.record import grounds_of
from petcheck.judging.rules import RULE
from petcheck.judging.verdicts import decided
from petcheck.spec.catalogue import Requirement, catalogue

Settled: TypeAlias = Held | Failed | Undecided
"""A decision that asks nothing."""

_MOST_KEYS = 5
_PIECE, _PIECE_BYTES = 3_000, 4 * 1024 * 1024  # exchanges, and bytes of the bodies of their answers
_SECTION = "5"
# judged by our own clock where the answer has none: a recorder's may be wrong by any span
_BY_THE_CLOCK = frozenset({"RATE-3", "RATE-7", "RATE-9"})
# how a count moves can be judged for one key only, and that key must be known
_OF_ONE_KEY = frozenset({"RATE-4", "RATE-6", "RATE-8", "RATE-9"})
_BASE_URL, _UNKNOWN_ID = "VERSION-1", "GET-3"
_NO_KEYS = "The recording has no Authorization headers, so it does not show which requests had a key. Record with them."
_REFUSED = "the server refused every request with a key in the recording; record some with a valid key"


def decisions_on_traffic(record: Record, *, as_of: date, plan: str | None) -> Mapping[str, Settled]:
    """What traffic shows of each requirement that is judged, by its id.

    To save memory, a long record is judged piece by piece, each with what the whole shows about the target. A piece is
    a shorter recording.
    """
    used = _keys_in(record)
    known = {key: _grounds(key, record, as_of, plan) for key in used}
    rules = [requirement for requirement in catalogue().judged if requirement.id in RULE]
    found: dict[str, list[Settled]] = {requirement.id: [] for requirement in rules}
    for piece in _pieces(record):
        for key in used:
            seen = _as_seen_by(key, piece)
            for requirement in rules:
                found[requirement.id].append(decided(requirement, seen, known[key]))
    keys = any(_authorization(exchange) is not None for exchange in record)
    return {one.id: _settled(one, _gravest(found[one.id]), record, keys=keys) for one in rules}


def refused_everywhere(record: Record) -> str | None:
    """Why traffic cannot be judged, where no key that it shows was accepted."""
    with_key = [exchange for exchange in record if _authorization(exchange) is not None]
    refused = with_key and all(exchange.status in (401, 403) for exchange in with_key)
    return _REFUSED if refused and not any((exchange.status or 0) < 300 for exchange in record) else None


def _grounds(key: str | None, record: Record, as_of: date, plan: str | None) -> Grounds:
    # the animals may belong to any client and to any day
    found = [
        grounds_of(_as_seen_by(key, piece), as_of=as_of, plan=plan, category_id=None, writes=True, run="", repeats=True)
        for piece in _pieces(record)
    ]
    return replace(
        found[0],
        categories=frozenset(number for one in found for number in one.categories),
        listed=frozenset(number for one in found for number in one.listed),
    )


def _keys_in(record: Record) -> list[str | None]:
    """The keys that were used most; None stands for the one that was not recorded."""
    used = Counter(_authorization(exchange) for exchange in record if exchange.request.credential is Credential.VALID)
    return [key for key, _ in used.most_common(_MOST_KEYS)] or [None]


def _as_seen_by(key: str | None, record: Record) -> WholeRecord:
    """A record as one of the keys sees it: the others are of unknown validity there.

    It is a copy, so that what judging has read from it does not stay in memory.
    """

    def seen(exchange: Exchange) -> Credential:
        ours = exchange.request.credential
        return ours if ours is not Credential.VALID or _authorization(exchange) == key else Credential.UNKNOWN

    return WholeRecord(
        replace(exchange, request=replace(exchange.request, credential=seen(exchange)), answer=replace(exchange.answer))
        for exchange in record
    )


def _pieces(record: Record) -> Iterator[Record]:
    """The record in pieces of a size that can be judged in little memory; a short one whole."""
    first = size = 0
    for place, exchange in enumerate(record):
        own = len(exchange.answer.body) if isinstance(exchange.answer, Response) else 0
        if place > first and (place - first >= _PIECE or size + own > _PIECE_BYTES):
            yield record[first:place]
            first, size = place, 0
        size += own
    yield record[first:]


def _authorization(exchange: Exchange) -> str | None:
    return next((value for name, value in exchange.request.headers if name.lower() == "authorization"), None)


def _gravest(found: Sequence[Settled]) -> Settled:
    order = (Failed, Held, Undecided)
    return min(
        found,
        key=lambda one: (order.index(type(one)), isinstance(one, Undecided) and not one.tried, -len(one.examined)),
    )


def _settled(requirement: Requirement, decision: Settled, record: Record, *, keys: bool) -> Settled:
    """A decision without what recorded traffic cannot show."""
    doubt = next(_doubts(requirement, decision, record, keys=keys), None)
    if doubt is not None:
        return Undecided(doubt, examined=decision.examined)
    return replace(decision, settled_by=None, tried=True) if isinstance(decision, Undecided) else decision


def _doubts(requirement: Requirement, decision: Settled, record: Record, *, keys: bool) -> Iterator[str]:
    if requirement.section == _SECTION and not keys:
        yield _NO_KEYS
    if isinstance(decision, Held) and requirement.id in _OF_ONE_KEY and not keys:
        yield _NO_KEYS
    if not isinstance(decision, Failed):
        return
    decisive = [proof.exchange for proof in decision.proofs]
    if requirement.id == _BASE_URL:
        yield "The recorded base URL may belong to a proxy, so it does not show how the base URL of the service ends."
    if requirement.id in _OF_ONE_KEY and not keys:
        yield _NO_KEYS
    if requirement.id == _UNKNOWN_ID and any(exchange.status == 200 for exchange in decisive):
        yield "Recorded traffic does not show whether an animal has an id that returned 200."
    if requirement.id in _BY_THE_CLOCK and not all(map(_has_date, decisive)):
        yield "A response has no Date header, and the recorder's clock may be wrong."


def _has_date(exchange: Exchange) -> bool:
    return isinstance(exchange.answer, Response) and exchange.answer.date is not None
