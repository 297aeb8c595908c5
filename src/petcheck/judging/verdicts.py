"""One verdict for each requirement and target, from what a rule decides over the whole record, and the exit code.

A run only asks. What it could not ask is on record as `Dropped`, and can keep a requirement from passing; only an
exchange can fail it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from petcheck.exchange import Exchange, Form, Response
from petcheck.json_values import integer
from petcheck.judging.apply import decide_from_tries
from petcheck.judging.cells import Coverage, coverage
from petcheck.judging.creations import posts_in
from petcheck.judging.frequency import Frequency, frequency_of, ids_under_overlap
from petcheck.judging.judgement import LIMITS, Ask, Decision, Failed, Grounds, Held, Record, Undecided
from petcheck.judging.matchers import answer_text, one_of
from petcheck.judging.once import Once, WholeRecord
from petcheck.judging.rules import RULE
from petcheck.spec.catalogue import Requirement
from petcheck.spec.operations import Operation
from petcheck.spec.outcomes import NOT_IN_FORCE, OPEN, Exit, Outcome, Waiver
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

    `ended` says of a gap that this day has passed.
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
    single exchanges show that. A `waiver` on a verdict that is not "waived" is stale (pass) or expired (fail); a gap is
    accepted where the requirement was not examined, and otherwise stale.
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
        parts = dict(zip(self.decisive, self.parts, strict=False))
        if self.example is not None and index == self.example.found:
            parts.setdefault(index, parts.get(self.example.simplest, ""))
        return parts.get(index, "")


# ---- one requirement


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


def decided(requirement: Requirement, record: Record, grounds: Grounds) -> Held | Failed | Undecided:
    """What a record shows of a requirement. If only a further request decides, it is undecided.

    Extra requests, such as property examples, can break a requirement, and never keep it from passing.
    """
    rule = RULE[requirement.id]
    if requirement.section.startswith(_ENDPOINTS):
        record = _within_the_limit(record)
    decision = _as_needed(requirement, _without_question(decide_from_tries(rule, record, grounds)), grounds)
    if isinstance(decision, Undecided) and any(exchange.on_top for exchange in record):
        without = _without_question(decide_from_tries(rule, _needed(record), grounds))
        without = _as_needed(requirement, without, grounds)
        return without if isinstance(without, Held) else decision
    return decision


def _as_needed(
    requirement: Requirement, decision: Held | Failed | Undecided, grounds: Grounds
) -> Held | Failed | Undecided:
    """The decision, undecided where it lacks cells that a pass needs."""
    if not isinstance(decision, Held):
        return decision
    covered = coverage(requirement.id, decision.examined, grounds)
    if covered is None or not covered.missing:
        return decision
    return Undecided(f"Not examined: {'; '.join(covered.missing)}.", examined=decision.examined)


_ENDPOINTS, _OF_ANIMALS = "4.", "2"


def _served_or_not_over(record: Record) -> Record:
    """A record without the refusals over the limit, which section 8 judges and not section 4."""
    kept = WholeRecord(e for e in record if e.section != LIMITS or e.status == 200)
    return kept if len(kept) < len(record) else record


def _without_what_is_on_top(record: Record) -> Record:
    return WholeRecord(exchange for exchange in record if not exchange.on_top)


_within_the_limit, _needed = Once(_served_or_not_over), Once(_without_what_is_on_top)


def _without_question(decision: Decision) -> Held | Failed | Undecided:
    return decision.otherwise if isinstance(decision, Ask) else decision


def verdict_of(
    requirement: Requirement,
    target: str,
    decision: Held | Failed | Undecided,
    record: Record,
    attempts: Sequence[Attempt],
    *,
    missing: str = "",
    covered: Coverage | None = None,
) -> Verdict:
    """The verdict on a requirement from what the record decides and what was asked for it.

    A failure fails it. A check that broke, or met a target that no longer answers, is an error. What was not asked
    leaves it inconclusive, unless only a permission is missing: then it passes, and the reason names what was left
    out. `missing` is the reason if no check of it has ended and the record decides nothing. `covered` says how much of
    the requirement was examined, if it has cells.
    """
    examined = tuple(sorted({exchange.index for exchange in decision.examined}))
    verdict = replace(
        unjudged(requirement, target, "pass", ""),
        checks=tuple(dict.fromkeys(attempt.check for attempt in attempts)),
        exchanges=examined,
        covered=covered,
    )
    dropped = [(attempt.dropped, attempt.on_top) for attempt in attempts if attempt.dropped is not None]
    broken = [one for one, _ in dropped if one.outcome == "error"]
    if isinstance(decision, Failed):
        failed = _failed(verdict, decision, record)
        silent = Dropped("error", failed.reason)
        return failed if failed.outcome == "fail" else replace(failed, reason=_reasons([*broken, silent]))
    if broken:
        return replace(verdict, outcome="error", reason=_reasons(broken))
    not_run = [one for one, _ in dropped if one.outcome == "not-run"]
    unanswered = [one for one, _ in dropped if one.outcome == "inconclusive"]
    needed = [one for one, on_top in dropped if one.outcome == "inconclusive" and not on_top]
    settled_by = _option(*unanswered, *not_run)
    said = f"onfirmed in {plural(len(examined), 'exchange')}{f' ({covered})' if covered else ''}."
    if isinstance(decision, Held):
        if needed:
            reason = f"{_reasons(needed)} Otherwise c{said}"
            return _advised(replace(verdict, outcome="inconclusive", reason=reason, settled_by=settled_by), needed)
        if covered is not None and covered.forbidden:
            not_run.append(Dropped("not-run", f"{', '.join(covered.forbidden)}.", "--allow-writes"))
            settled_by = settled_by or "--allow-writes"
        left_out = f" Not examined: {_reasons(not_run)}" if not_run else ""
        return _advised(replace(verdict, reason=f"C{said}{left_out}", settled_by=settled_by), not_run)
    asked = any(attempt.dropped is None and not attempt.on_top for attempt in attempts)
    if asked or (not attempts and not missing):
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
    """The verdict on a failure; an error if no answer followed the silences, as their cause may not be the server."""
    first, parts = decision.proofs[0].exchange, dict[int, str]()
    for proof in decision.proofs:
        parts[proof.exchange.index] = parts.get(proof.exchange.index) or proof.part
    # each is a second try, so one answer after any of them is enough
    since = min(proof.exchange.finished for proof in decision.proofs)
    later = (exchange for exchange in record if exchange.sent >= since)
    if decision.unanswered and not any(isinstance(exchange.answer, Response) for exchange in later):
        return replace(verdict, outcome="error", reason=f"{decision.text} The target answered nothing after that.")
    often = frequency_of(decision, record, of_animals=verdict.section == _OF_ANIMALS)
    said = often and (ids_under_overlap(often, decision, record) or often.sentence)
    if said:
        reason = f"{decision.text} {said}"
    else:
        # a count is compared with others, whatever their form
        form = "" if verdict.section == LIMITS and not decision.wrong else _in_form(decision, record)
        reason = f"{_spoiled_by(first, record)}{decision.text}{form}"
    return replace(
        verdict,
        outcome="fail",
        reason=reason + _simplified_from(first, record),
        exchanges=tuple(sorted({*verdict.exchanges, *parts})),
        decisive=tuple(parts),
        parts=tuple(parts.values()),
        example=None if first.simplifies is None else Example(first.index, first.simplifies),
        expected=decision.expected,
        frequency=often,
    )


def _spoiled_by(exchange: Exchange, record: Record) -> str:
    """The POST of the run after which a page could no longer be read, in words; empty if it could not before."""
    request = exchange.request
    of_page = request.operation is Operation.LIST_PETS and request.has_valid_key
    if not of_page or exchange.page is not None or exchange.burst is not None:
        return ""
    worked = [e for e in record if e.page is not None and e.request.call == request.call]
    before = max((e.finished for e in worked if e.finished <= exchange.sent), default=None)
    if before is None or any(e.finished > exchange.sent for e in worked):
        return ""
    posts = [e for e in posts_in(record) if e.status == 201 and before <= e.sent and e.finished <= exchange.sent]
    # likeliest are an animal whose own 201 cannot be read, and one whose body is not plain JSON
    worst = max(posts, key=lambda e: (e.object is None, bool(e.request.parsed.wrong), e.index), default=None)
    if worst is None:
        return ""
    number = integer((worst.object or {}).get("id"))
    animal = "an animal" if number is None else f"animal {number}"
    return f"It worked until {worst.request.summary} created {animal}. "


def forms_in(decision: Failed) -> tuple[Form, ...]:
    """The forms of all exchanges with a failure if they may be the cause: they are few, and not the plain one.

    Of a failure in a burst, those beside it may be the cause, unless it fails alone too.
    """
    alone = any(one.burst is None for one in decision.wrong)
    if not alone and any(proof.exchange.burst is not None for proof in decision.proofs):
        return ()
    forms = tuple(dict.fromkeys(proof.exchange.request.form for proof in decision.proofs))
    return forms if len(forms) <= _FORMS and Form.PLAIN not in forms else ()


_FORMS = 2  # as many have header names in another case, or another Accept


def in_plain_form(exchange: Exchange, record: Record) -> Exchange | None:
    """The latest exchange of a record whose request means the same and has the plain form."""
    call = exchange.request.call
    return next((e for e in reversed(record) if e.request.form is Form.PLAIN and e.request.call == call), None)


def _in_form(decision: Failed, record: Record) -> str:
    """The form on which a failure depends, in words, and the answer to the plain form; empty if that is not seen.

    It is seen if the form failed more than once.
    An equal status shows that only if it was returned later: earlier, the store may have been another one.
    """
    forms, first = forms_in(decision), decision.proofs[0].exchange
    plain = in_plain_form(first, record) if forms else None
    earlier = plain is not None and plain.status == first.status and plain.sent < first.finished
    if plain is None or plain.status is None or len(decision.wrong) == 1 or earlier:
        return ""
    return f" The request had {one_of([form.value for form in forms])}; in the plain form it got {answer_text(plain)}."


SIMPLIFIED = " Simplified from "
"""What follows in a reason names the example as it was found."""


def _simplified_from(exchange: Exchange, record: Record) -> str:
    """The example that an exchange is a simpler form of, in words; empty if it is of none."""
    found = next((one for one in record if one.index == exchange.simplifies), None)
    return f"{SIMPLIFIED}{found.request.summary}." if found is not None else ""


EXHAUST = "--exhaust-rate-limit"
_REASONS_SHOWN = 3
# what the user can do, by the option that helps
_ADVICE = {
    "--allow-writes": "Run with --allow-writes.",
    "--category-id": "Name one that exists with --category-id.",
    EXHAUST: "Run with --exhaust-rate-limit.",
    "--max-requests": "Allow more with --max-requests.",
    "--max-wait": "Allow a longer wait with --max-wait.",
    "--plan": "Name it with --plan.",
}


def _reasons(dropped: Iterable[Dropped]) -> str:
    distinct = list(dict.fromkeys(one.reason for one in dropped))
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


# ---- all of them


def apply_waivers(verdicts: Iterable[Verdict], waivers: Sequence[Waiver], *, today: date) -> list[Verdict]:
    """Mark what a waiver in force covers, and waivers that are expired or stale.

    A waiver is stale if the requirement passes, a gap if it was examined.
    """
    settled = []
    for verdict in verdicts:
        ours = [one for one in waivers if one.requirement == verdict.id and one.target == verdict.target]
        fitting = [one for one in ours if one.gap == (verdict.outcome in OPEN)]
        waiver = max(fitting or ours, key=lambda one: one.expires, default=None)
        if waiver is None:
            settled.append(verdict)
            continue
        reason, outcome = verdict.reason, verdict.outcome
        left = plural((waiver.expires - today).days, "day")
        ended = waiver.gap and outcome in OPEN and waiver.expires < today
        if ended:
            reason = f"The gap ended on {waiver.expires}: have it examined, or agree on a new one. {reason}"
        elif waiver.gap and outcome in OPEN:
            reason = f"Accepted as a gap until {waiver.expires} ({left} left): {waiver.reason}. {reason}"
        elif waiver.gap and outcome != "error":
            reason = f"The gap is stale: the requirement is examined now. Remove it from the configuration. {reason}"
        elif waiver.expires < today and outcome in ("fail", "pass"):
            reason = f"The waiver expired on {waiver.expires}: fix the server, or agree on a new one. {reason}"
        elif outcome == "fail":
            outcome = "waived"
            reason = f"Waived until {waiver.expires} ({left} left): {waiver.reason}. {reason}"
        elif outcome == "pass":
            reason = f"The waiver is stale: the requirement holds now. Remove it from the configuration. {reason}"
        applied = AppliedWaiver(waiver.reason, waiver.expires.isoformat(), waiver.gap, ended)
        settled.append(replace(verdict, outcome=outcome, reason=reason, waiver=applied))
    return settled


@dataclass(frozen=True, slots=True)
class RunState:
    """What decides the exit code in addition to the verdicts. `chosen` are the ids to judge; None for all.

    `min_examined` is how many of them each target has to have examined, as a number or with % as a share; None for any.
    """

    interrupted: bool = False
    nothing_selected: bool = False
    untestable: bool = False
    broken: bool = False
    strict: bool = False
    chosen: tuple[str, ...] | None = None
    min_examined: str | None = None


def exit_of(verdicts: Sequence[Verdict], state: RunState) -> Exit:
    """The exit code of a run."""
    if state.broken:
        return Exit.BROKE
    if state.interrupted:
        return Exit.INTERRUPTED
    if state.nothing_selected:
        return Exit.NOTHING_SELECTED
    chosen = [verdict for verdict in verdicts if state.chosen is None or verdict.id in state.chosen]
    if any(one.outcome == "fail" for one in verdicts) or any(map(fails_by_waiver, chosen)):
        return Exit.FAILS
    if state.untestable:
        return Exit.UNTESTABLE
    if any(verdict.outcome == "error" for verdict in verdicts):
        return Exit.BROKE
    if not any(verdict.outcome in ("pass", "waived") for verdict in chosen):
        return Exit.NOTHING_SELECTED
    if state.strict and any(is_open(verdict) for verdict in chosen):
        return Exit.UNSETTLED
    return Exit.UNSETTLED if too_few(chosen, state.min_examined) else Exit.HOLDS


def is_open(verdict: Verdict) -> bool:
    """Whether a requirement in force was not examined, and not accepted as a gap."""
    accepted = verdict.waiver is not None and verdict.waiver.gap and not verdict.waiver.ended
    return verdict.in_force and verdict.outcome in OPEN and not accepted


def fails_by_waiver(verdict: Verdict) -> bool:
    """Whether a waiver fails the run although its requirement does not: it is stale, or a gap that has ended."""
    return verdict.waiver is not None and (verdict.outcome == "pass" or (verdict.waiver.ended and is_open(verdict)))


def too_few(chosen: Iterable[Verdict], least: str | None) -> dict[str, tuple[int, int]]:
    """The targets with fewer requirements examined than `--min-examined` asks for: how many, of how many in force."""
    rows: dict[str, list[bool]] = {}
    for verdict in chosen if least is not None else ():
        if verdict.in_force:
            rows.setdefault(verdict.target, []).append(verdict.outcome not in OPEN)
    number, share = int((least or "0").rstrip("%")), (least or "").endswith("%")
    return {
        target: (sum(seen), len(seen))
        for target, seen in rows.items()
        if (100 * sum(seen) < number * len(seen) if share else sum(seen) < number)
    }
