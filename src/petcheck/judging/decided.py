"""What a record shows of one requirement: what its rule decides, within the limit, with the cells that a pass needs."""

from __future__ import annotations

from petcheck.judging.apply import decide_from_tries
from petcheck.judging.cells import coverage
from petcheck.judging.decision import LIMITS, Ask, Decision, Failed, Held, Record, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.once import Once, WholeRecord
from petcheck.judging.rules import RULE
from petcheck.spec.catalogue import Requirement


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


_ENDPOINTS = "4."


def _served_or_not_over(record: Record) -> Record:
    """A record without the refusals over the limit, which section 8 judges and not section 4."""
    kept = WholeRecord(e for e in record if e.section != LIMITS or e.status == 200)
    return kept if len(kept) < len(record) else record


def _without_what_is_on_top(record: Record) -> Record:
    return WholeRecord(exchange for exchange in record if not exchange.on_top)


_within_the_limit, _needed = Once(_served_or_not_over), Once(_without_what_is_on_top)


def _without_question(decision: Decision) -> Held | Failed | Undecided:
    return decision.otherwise if isinstance(decision, Ask) else decision
