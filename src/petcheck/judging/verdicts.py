"""One verdict for each requirement and target, from what a rule decides over the whole record.

A run only asks. What it could not ask is on record as `Dropped`, and can keep a requirement from passing; only an
exchange can fail it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest
from typing import Literal

from petcheck.exchange import Exchange, NoAnswer, Response, Silence
from petcheck.judging.apply import last_before_the_end
from petcheck.judging.cells import Coverage
from petcheck.judging.creations import categories_in
from petcheck.judging.decision import LIMITS, Failed, Held, Record, Settled
from petcheck.judging.frequency import Frequency, among_others, frequency_of, ids_under_overlap, told_by_body
from petcheck.judging.request_bodies import Due, asked_of
from petcheck.judging.statuses import query_is_valid
from petcheck.judging.suspects import SIMPLIFIED, after_unread, in_form, named_before, simplified_from, spoiled_by
from petcheck.spec.catalogue import Requirement
from petcheck.spec.operations import Operation
from petcheck.spec.outcomes import NOT_IN_FORCE, Outcome
from petcheck.words import plural


@dataclass(frozen=True, slots=True)
class Dropped:
    """Why a check did not ask everything: `not-run` lacks a permission, `inconclusive` got no answer, `error` broke.

    `settled_by` is the option that helps.
    """

    outcome: Literal["not-run", "inconclusive", "error"]
    reason: str
    settled_by: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A check that the run made for a requirement, by its id; `dropped` is None if it asked everything.

    `on_top` marks property examples, which no requirement needs.
    """

    check: str
    dropped: Dropped | None = None
    on_top: bool = False


@dataclass(frozen=True, slots=True)
class AppliedWaiver:
    """The waiver of a verdict: why a failure is accepted, or a `gap`, and the last day of the waiver (YYYY-MM-DD).

    `ended` says that this day has passed, and that the requirement was not examined.
    """

    reason: str
    expires: str
    gap: bool = False
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A property example by its exchanges: the simplest form that fails in the same way, and the form found first."""

    simplest: int
    found: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one requirement of the catalogue for one target, and the row that reports show.

    `checks` are the ids of those that asked. `exchanges` are all that were examined and `decisive` those that decide,
    the most revealing first, by index within the target. `parts` has the deciding part of each of `decisive`: `status`,
    `header:Name`, `body`, or `body:` and a JSON pointer; empty if it is the whole exchange. `expected` are the statuses
    that conform, in words, if a wrong status decides, and empty if not. `in_force` is false if no check can observe the
    requirement, or if it is not in force on the day, or in the set, to judge by; --strict ignores it then. `settled_by`
    is the option to judge a requirement that is open. `example` is set if a simplified property example decides.
    `covered` says how many of its cells were examined; None if it has no cells. `frequency` says how often it fails, if
    single exchanges show that. A `waiver` on a verdict that is not "waived" is stale (pass) or expired (fail), and of
    what was not examined expired if it has `ended`; a gap is accepted there until then, and otherwise stale.
    """

    id: str
    section: str
    level: Literal["stated", "implied"]
    statement: str
    target: str
    outcome: Outcome
    reason: str
    checks: tuple[str, ...] = ()
    exchanges: tuple[int, ...] = ()
    decisive: tuple[int, ...] = ()
    in_force: bool = True
    also: tuple[str, ...] = ()
    waiver: AppliedWaiver | None = None
    settled_by: str | None = None
    parts: tuple[str, ...] = ()
    example: Example | None = None
    expected: str = ""
    covered: Coverage | None = None
    frequency: Frequency | None = None

    @property
    def by_chance(self) -> bool:
        """Whether it fails in a way that a single run may not show."""
        return self.frequency is not None and self.frequency.by_chance

    @property
    def standing(self) -> str:
        """The outcome of a requirement that is in force, otherwise `n/a`."""
        return self.outcome if self.in_force else NOT_IN_FORCE

    @property
    def decisive_by_weight(self) -> tuple[int, ...]:
        """The exchanges that decide: the simplest form of an example first, then its form as found, then the others."""
        first = (self.example.simplest, self.example.found) if self.example else ()
        return tuple(dict.fromkeys((*first, *self.decisive)))

    def part(self, index: int) -> str:
        """The deciding part of a decisive exchange; empty if it is the whole exchange or unknown.

        An example as it was found fails in the same part as its simplest form.
        """
        parts = dict(zip_longest(self.decisive, self.parts, fillvalue=""))
        if self.example is not None and index == self.example.found and index not in parts:
            index = self.example.simplest
        return parts.get(index, "")


def unjudged(requirement: Requirement, target: str, outcome: Outcome, reason: str, *, in_force: bool = True) -> Verdict:
    """The verdict on a requirement that nothing was examined for."""
    return Verdict(
        id=requirement.id,
        section=requirement.section,
        level="stated" if requirement.level == "stated" else "implied",
        statement=requirement.statement,
        target=target,
        outcome=outcome,
        reason=reason,
        in_force=in_force,
        also=requirement.also,
    )


def not_in_force(requirement: Requirement, target: str, as_of: date, older_set: str | None = None) -> Verdict | None:
    """The verdict on a requirement that no run on that day can judge; None if one can.

    `older_set` is the version whose set lacks it, if the run judges by that one.
    """
    if older_set is not None:
        reason = f"Not in the requirements of {older_set}: {requirement.since} added it."
    elif requirement.untestable:
        reason = f"Not testable. {requirement.untestable}"
    elif not requirement.in_force(as_of):
        day = requirement.until or requirement.start
        reason = f"Not in force on {as_of}: it {'ended' if requirement.until else 'starts'} on {day}."
    else:
        return None
    return unjudged(requirement, target, "not-run", reason, in_force=False)


def verdict_of(
    requirement: Requirement,
    target: str,
    decision: Settled,
    record: Record,
    attempts: Sequence[Attempt],
    *,
    missing: str = "",
    covered: Coverage | None = None,
) -> Verdict:
    """The verdict on a requirement from what the record decides and what was asked for it.

    A failure fails it. A check that broke, or met a target that no longer answers, is an error. What was not asked
    leaves it inconclusive, unless only a permission is missing: then it passes, and the reason names what was left
    out. `missing` is the reason if a check of it has not ended and the record decides nothing. `covered` says how much
    of the requirement was examined, if it has cells.
    """
    examined = tuple(sorted({exchange.index for exchange in decision.examined}))
    said = f"confirmed in {plural(len(examined), 'exchange')}{f': {covered}' if covered else ''}."
    verdict = replace(
        unjudged(requirement, target, "pass", said.replace("c", "C", 1)),
        checks=tuple(dict.fromkeys(attempt.check for attempt in attempts)),
        exchanges=examined,
        covered=covered,
    )
    dropped = [(attempt.dropped, attempt.on_top) for attempt in attempts if attempt.dropped is not None]
    broken = [one for one, _ in dropped if one.outcome == "error"]
    if isinstance(decision, Failed):
        failed = _failed(verdict, decision, record)
        return failed if failed.outcome == "fail" else replace(failed, reason=_reasons(broken, failed.reason))
    if broken:
        return replace(verdict, outcome="error", reason=_reasons(broken))
    not_run = [one for one, _ in dropped if one.outcome == "not-run"]
    unanswered = [one for one, _ in dropped if one.outcome == "inconclusive"]
    needed = [one for one, on_top in dropped if one.outcome == "inconclusive" and not on_top]
    settled_by = _option(*unanswered, *not_run)
    if isinstance(decision, Held):
        if needed:
            reason = f"{_reasons(needed)} Otherwise {said}"
            return _advised(replace(verdict, outcome="inconclusive", reason=reason, settled_by=settled_by), needed)
        if covered is not None and covered.forbidden:
            not_run.insert(0, replace(_NO_WRITES, reason=f"{', '.join(covered.forbidden)}."))
            settled_by = settled_by or _NO_WRITES.settled_by
        left_out = f" Not examined: {_reasons(not_run)}" if not_run else ""
        return _advised(replace(verdict, reason=f"{verdict.reason}{left_out}", settled_by=settled_by), not_run)
    asked = any(attempt.dropped is None and not attempt.on_top for attempt in attempts)
    if asked or (not dropped and not missing):
        outcome: Literal["not-run", "inconclusive"] = "inconclusive" if decision.tried else "not-run"
        open_ = [Dropped(outcome, decision.reason, decision.settled_by)]
    else:
        open_ = needed or not_run or unanswered or [Dropped("not-run", missing)]
    by = _option(*open_) or settled_by
    made = replace(verdict, outcome=open_[0].outcome, reason=_reasons(open_), settled_by=by)
    return _advised(made, open_)


def _option(*dropped: Dropped) -> str | None:
    """The first option that helps."""
    return next((one.settled_by for one in dropped if one.settled_by), None)


def _failed(verdict: Verdict, decision: Failed, record: Record) -> Verdict:
    """The verdict on a failure; an error if no answer followed the silences, as their cause may not be the server.

    An odd request that the server closed its connection on, and after which it was gone, is the cause itself.
    """
    first, parts = decision.proofs[0].exchange, dict[int, str]()
    for proof in decision.proofs:
        parts[proof.exchange.index] = parts.get(proof.exchange.index) or proof.part
    together = among_others(decision, record)
    ended = _is_ended_by(first, record)
    if decision.unanswered and not ended and not _is_answered_later(decision, record):
        reason = f"{decision.text}{together} The target answered nothing after that."
        return replace(verdict, outcome="error", reason=reason)
    unread = after_unread(decision, record)
    # it depends on what comes before it, and not on chance
    often = None if unread else frequency_of(decision, record, of_animals=verdict.section == _OF_ANIMALS)
    said = often and (ids_under_overlap(often, decision, record) or often.sentence)
    if ended:
        reason = f"{decision.text.replace(', twice', '')} {_ENDED}"  # it could not be sent again
    elif often and often.when == "at the same time":  # how often it fails there says more than that it does
        reason = f"{decision.text} {said}"
    elif unread:
        reason = f"{decision.text}{unread}"
    elif said:
        reason = f"{decision.text}{together} {said}"
    else:
        # a count is compared with others, whatever their form
        form = "" if verdict.section == LIMITS and not decision.wrong else in_form(decision, record)
        named = named_before(first, record) if decision.expected in _CREATED else ""
        reason = f"{_spoiled(decision, record)}{decision.text}{together}{told_by_body(decision)}{form}{named}"
    example = simplified_from(decision)
    if example:
        reason += f"{SIMPLIFIED}{example.request.summary}."
    return replace(
        verdict,
        outcome="fail",
        reason=reason,
        exchanges=tuple(sorted({*verdict.exchanges, *parts})),
        decisive=tuple(parts),
        parts=tuple(parts.values()),
        example=Example(first.index, example.index) if example else None,
        expected=decision.expected,
        frequency=often,
    )


def _spoiled(decision: Failed, record: Record) -> str:
    """That a POST of the run broke a page that the failure shows, in words; empty if none did."""
    first = decision.proofs[0].exchange
    told = (spoiled_by(proof.exchange, record, first) for proof in decision.proofs)
    return next(filter(None, told), "")


_ENDED = "The server has answered nothing since: this request ends it. Start it again, and send the request alone."


def _is_ended_by(exchange: Exchange, record: Record) -> bool:
    """Whether a request ended the server: one that careless code does not expect. A plain one may meet a restart.

    One that was lost on a kept connection found it open, so the server was there then, and gone when it was resent.
    """
    kind = exchange.answer.kind if isinstance(exchange.answer, NoAnswer) else None
    closed = kind is (Silence.UNREACHABLE if exchange.resent else Silence.RESET)
    return closed and exchange is last_before_the_end(record) and _is_odd(exchange, record)


def _is_odd(exchange: Exchange, record: Record) -> bool:
    request = exchange.request
    match request.operation:
        case _ if not request.has_valid_key:
            return True
        case Operation.CREATE_PET:
            return asked_of(request, categories_in(record)).due is not Due.CREATED
        case Operation.LIST_PETS:
            return not query_is_valid(exchange)
        case Operation.GET_PET:
            return request.pet_id is None
    return bool(request.query)


def _is_answered_later(decision: Failed, record: Record) -> bool:
    """Whether the target answered anything after a silence: each is a second try, so after any first one is enough."""
    silent = (*(proof.exchange for proof in decision.proofs), *decision.wrong)
    since = min(_first_try(one, record).finished for one in silent)
    return any(isinstance(exchange.answer, Response) for exchange in record if exchange.sent >= since)


def _first_try(exchange: Exchange, record: Record) -> Exchange:
    """The try right before this one of the same request, if it got no response either; otherwise this one."""
    earlier = [one for one in record if one.request == exchange.request and one.index < exchange.index]
    return earlier[-1] if earlier and not isinstance(earlier[-1].answer, Response) else exchange


EXHAUST = "--exhaust-rate-limit"
_CREATED = (Due.CREATED.value, Due.CREATED_OR_REFUSED.value)
_REASONS_SHOWN = 3
_NO_WRITES = Dropped("not-run", "", "--allow-writes")
_OF_ANIMALS = "2"  # the section about them
# what the user can do, by the option that helps
_ADVICE = {
    "--allow-writes": "Run with --allow-writes.",
    "--category-id": "Name one that exists with --category-id.",
    EXHAUST: "Run with --exhaust-rate-limit.",
    "--max-requests": "Allow more with --max-requests.",
    "--max-wait": "Allow a longer wait with --max-wait.",
    "--plan": "Name it with --plan.",
}


def _reasons(dropped: Iterable[Dropped], *others: str) -> str:
    distinct = list(dict.fromkeys((*(one.reason for one in dropped), *others)))
    more = len(distinct) - _REASONS_SHOWN
    return " ".join(distinct[:_REASONS_SHOWN]) + (f" And {more} more." if more > 0 else "")


def _advised(verdict: Verdict, dropped: Iterable[Dropped]) -> Verdict:
    """A verdict that says what the user can do, where its reason says what is missing."""
    option = next((one.settled_by for one in dropped if one.settled_by in _ADVICE), None)
    return verdict if option is None else replace(verdict, reason=f"{verdict.reason} {_ADVICE[option]}")


def without_given(verdict: Verdict, option: str) -> Verdict:
    """A verdict that does not ask for an option that the run had."""
    if verdict.settled_by != option:
        return verdict
    instead = "" if verdict.id == "RATE-6" else "See RATE-6."
    return replace(verdict, reason=verdict.reason.replace(_ADVICE[option], instead).rstrip(), settled_by=None)
