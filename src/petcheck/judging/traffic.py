"""Decides by traffic that another program recorded: what it does not show is undecided.

What a run would request again does not fail.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.absence import name_sent
from petcheck.judging.decided import decided, grounds_of
from petcheck.judging.decision import Failed, Held, Record, Settled, Undecided
from petcheck.judging.judgement import Grounds, Known
from petcheck.judging.once import WholeRecord
from petcheck.judging.rules import RULE
from petcheck.spec.catalogue import Requirement, catalogue
from petcheck.spec.figures import CONTENT_TYPE

_MOST_KEYS = 5
_PIECE, _PIECE_BYTES = 3_000, 4 * 1024 * 1024  # exchanges, and bytes of the bodies of their answers
_SECTION, _LIMITS = "5", "8"
# judged by our own clock where the answer has none: a recorder's may be wrong by any span
_BY_THE_CLOCK = frozenset({"RATE-3", "RATE-7", "RATE-9"})
# how a count moves can be judged for one key only, and that key must be known
_OF_ONE_KEY = frozenset({"RATE-4", "RATE-6", "RATE-8", "RATE-9"})
_KEY_IS_ACCEPTED, _UNKNOWN_ID = "AUTH-7", "GET-3"
_NOTHING_STORED = frozenset({"AUTH-6", "CREATE-11"})
_OWN_NAME = re.compile(r"(?=.*\d).{8,}", re.DOTALL)  # hardly another client's too
# what a script sees of an answer of another host (Fetch, section 2.2.2): a recorder in a page has no others
_SEEN_BY_SCRIPTS = frozenset(
    (CONTENT_TYPE.lower(), "cache-control", "content-language", "content-length", "expires", "last-modified", "pragma")
)
_NO_HEADERS = "The recording has only the response headers that a page shows to scripts. Record with a proxy."
_NO_KEYS = "The recording has no Authorization headers, so it does not show which requests had a key. Record with them."
_MASKED = "The recording has masked keys, so it does not show which requests had the same one. Record with them."
_REFUSED = "the server refused every request with a key in the recording; record some with a valid key"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a record shows about a target.

    By the requirement's id, `decisions` holds what its rule decided, and `pieces` the part of the record that a failure
    is in; a run needs neither.
    """

    grounds: Grounds
    decisions: Mapping[str, Settled]
    pieces: Mapping[str, Record]


def shown_by_traffic(record: Record, *, as_of: date, plan: str | None) -> Shown:
    """What traffic shows.

    To save memory, a long record is judged piece by piece, each with what the whole shows about the target. A piece is
    a shorter recording, and of the decisions on all pieces only the gravest is kept.
    """
    used, latest = _keys_in(record), _latest_end(record)
    # the animals may belong to any client and to any day
    known = {
        key: _together(
            grounds_of(
                _as_seen_by(key, piece, latest),
                as_of=as_of,
                plan=plan,
                writes=True,
                run="",
                repeats=True,
            )
            for piece in _pieces(record)
        )
        for key in used
    }
    rules = [requirement for requirement in catalogue().judged if requirement.id in RULE]
    found: dict[str, Settled] = {}
    of: dict[str, Record] = {}
    for piece in _pieces(record):
        for key in used:
            seen = _as_seen_by(key, piece, latest)
            for requirement in rules:
                decision = decided(requirement, seen, known[key])
                if requirement.id not in found or _gravity(decision) < _gravity(found[requirement.id]):
                    found[requirement.id] = decision
                    of |= {requirement.id: seen} if isinstance(decision, Failed) else {}
            forget(seen)  # a decision that is kept has some of it
    shown = {exchange.request.authorization for exchange in record} - {None}
    named = {name.lower() for exchange in record for name, _ in exchange.heard.headers}
    of_keys = _Recorded(bool(shown), any("$" in header for header in shown if header), not named <= _SEEN_BY_SCRIPTS)
    return Shown(_together(known.values()), {one.id: _settled(one, found[one.id], of_keys) for one in rules}, of)


def forget(record: Record) -> None:
    """Free what was read from a record, to save memory; it is read again when it is needed."""
    for exchange in record:
        exchange.forget()
        exchange.request.forget()
        exchange.heard.forget()


def _latest_end(record: Record) -> Callable[[Exchange], float]:
    """When an answer may have come at the latest: recorders cut their times, or leave durations out."""
    parts = [exchange.started.microsecond for exchange in record]
    tick = 0.0 if any(part % 1000 for part in parts) else 0.001 if any(parts) else 1.0
    end = max([0.0, *(exchange.finished for exchange in record)])
    return lambda one: (one.finished if one.elapsed > 0 else end) + tick


def refused_everywhere(record: Record) -> str | None:
    """Why traffic cannot be judged, where no key that it shows was accepted."""
    with_key = [exchange for exchange in record if exchange.request.authorization is not None]
    refused = with_key and all(exchange.status in (401, 403) for exchange in with_key)
    return _REFUSED if refused and not any(exchange.heard.status < 300 for exchange in record) else None


def _together(several: Iterable[Grounds]) -> Grounds:
    """What any of them knows."""
    found = list(several)
    categories = grouped(pair for one in found for pair in one.categories.items())
    return replace(
        found[0],
        categories={number: _whole(several) for number, several in categories.items()},
        listed=frozenset().union(*(one.listed for one in found)),
        begun={number: sent for one in reversed(found) for number, sent in one.begun.items()},
    )


def _whole(several: Sequence[Known]) -> Known:
    """The time for which any of them shows a category."""
    return Known(min(known.since for known in several), max(known.until for known in several))


def _keys_in(record: Record) -> list[str | None]:
    """The keys that were used most; None stands for the one that was not recorded."""
    valid = (exchange.request for exchange in record if exchange.request.credential is Credential.VALID)
    used = Counter(request.authorization for request in valid)
    return [key for key, _ in used.most_common(_MOST_KEYS)] or [None]


def _as_seen_by(key: str | None, record: Record, latest: Callable[[Exchange], float]) -> WholeRecord:
    """A record as one of the keys sees it, with doubtful times: the others are of unknown validity there.

    It is a copy, so that what judging has read from it does not stay in memory.
    """

    def seen(exchange: Exchange) -> Credential:
        ours = exchange.request.credential
        return ours if ours is not Credential.VALID or exchange.request.authorization == key else Credential.UNKNOWN

    return WholeRecord(
        replace(
            one,
            request=replace(one.request, credential=seen(one)),
            answer=replace(one.answer),
            finished=latest(one),
        )
        for one in record
    )


def _pieces(record: Record) -> Iterator[Record]:
    """The record in pieces of a size that can be judged in little memory; a short one whole."""
    first = size = 0
    for place, exchange in enumerate(record):
        own = len(exchange.heard.body)
        if place > first and (place - first >= _PIECE or size + own > _PIECE_BYTES):
            yield record[first:place]
            first, size = place, 0
        size += own
    yield record[first:]


def _gravity(one: Settled) -> tuple[bool, bool, bool, bool, int]:
    """The gravest comes first: a failure, then what contradicts the requirement, then what holds."""
    return (
        not isinstance(one, Failed),
        not (isinstance(one, Undecided) and one.doubtful),
        not isinstance(one, Held),
        isinstance(one, Undecided) and not one.tried,
        -len(one.examined),
    )


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What a recording shows: whether requests had a key, and which, and headers of answers that scripts do not see."""

    keys: bool
    which: bool
    headers: bool


def _settled(requirement: Requirement, decision: Settled, shown: _Recorded) -> Settled:
    """A decision without what recorded traffic cannot show."""
    doubt = next(_doubts(requirement, decision, shown), None)
    if doubt is not None:
        return Undecided(doubt, examined=decision.examined)
    return replace(decision, settled_by=None, tried=True) if isinstance(decision, Undecided) else decision


def _doubts(requirement: Requirement, decision: Settled, shown: _Recorded) -> Iterator[str]:
    if requirement.section == _SECTION and not shown.keys:
        yield _NO_KEYS
    if requirement.id in (_OF_ONE_KEY | {_KEY_IS_ACCEPTED}) and not shown.which:
        yield _NO_KEYS if not shown.keys else _MASKED
    if requirement.section == _LIMITS and not shown.headers:
        yield _NO_HEADERS
    if not isinstance(decision, Failed):
        return
    decisive = [proof.exchange for proof in decision.proofs]
    if requirement.id in _NOTHING_STORED:
        names = [name for exchange in decisive if (name := name_sent(exchange)) is not None]
        if not any(map(_OWN_NAME.fullmatch, names)):
            yield "Another client may have given an animal the name of the refused POST."
    if requirement.id == _UNKNOWN_ID and any(exchange.status == 200 for exchange in decisive):
        yield "Recorded traffic does not show whether an animal has an id that returned 200."
    if requirement.id in _BY_THE_CLOCK and any(exchange.heard.date is None for exchange in decisive):
        yield "A response has no Date header, and the recorder's clock may be wrong."
