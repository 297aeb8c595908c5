"""What a record shows: of a target, and of a requirement by its rule, within the limit, with the cells of a pass."""

from __future__ import annotations

from datetime import date

from petcheck.judging.apply import decide_from_tries
from petcheck.judging.cells import coverage
from petcheck.judging.creations import categories_in, creations_in
from petcheck.judging.decision import LIMITS, Ask, Held, Record, Settled, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.once import Once, WholeRecord
from petcheck.judging.pages import animals_in
from petcheck.judging.rules import RULE
from petcheck.spec.catalogue import Requirement
from petcheck.spec.figures import PLANS


def grounds_of(record: Record, *, as_of: date, plan: str | None, writes: bool, run: str, repeats: bool) -> Grounds:
    """What a record and the user say about a target; `plan` may be None.

    A category that the user names is known once the target has shown it: it may be another target's.
    """
    return Grounds(
        as_of,
        None if plan is None else PLANS.get(plan),
        categories=categories_in(record),
        listed=frozenset({*animals_in(record), *(made.id for made in creations_in(record))}),
        writes=writes,
        run=run,
        repeats=repeats,
        # if one id was given several times, the first
        begun={made.id: made.exchange.sent for made in reversed(creations_in(record))},
    )


def decided(requirement: Requirement, record: Record, grounds: Grounds) -> Settled:
    """What a record shows of a requirement. If only a further request decides, it is undecided.

    Extra requests, such as property examples, can break a requirement, and never keep it from passing.
    """
    if requirement.section.startswith(_ENDPOINTS):
        record = _within_the_limit(record)
    decision = _settled(requirement, record, grounds)
    if isinstance(decision, Undecided) and any(exchange.on_top for exchange in record):
        without = _settled(requirement, _needed(record), grounds)
        return without if isinstance(without, Held) else decision
    return decision


def _settled(requirement: Requirement, record: Record, grounds: Grounds) -> Settled:
    """What its rule decides, without questions, and undecided where cells are missing that a pass needs."""
    decision = decide_from_tries(RULE[requirement.id], record, grounds)
    if isinstance(decision, Ask):
        return decision.otherwise
    covered = coverage(requirement.id, decision.examined, grounds) if isinstance(decision, Held) else None
    if covered is None or not covered.missing:
        return decision
    return Undecided(f"Not examined: {'; '.join(covered.missing)}.", examined=decision.examined)


_ENDPOINTS = "4."


def _served_or_not_over(record: Record) -> Record:
    """A record without the refusals over the limit, which section 8 judges and not section 4."""
    kept = WholeRecord(e for e in record if e.section != LIMITS or e.status == 200)
    return kept if len(kept) < len(record) else record


def _without_what_is_on_top(record: Record) -> Record:
    return WholeRecord(exchange for exchange in record if not exchange.on_top)


_within_the_limit, _needed = Once(_served_or_not_over), Once(_without_what_is_on_top)
