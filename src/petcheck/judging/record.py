"""Judges by a record alone, without further requests: an interrupted run, and recorded traffic."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from petcheck.judging.apply import decide_from_tries
from petcheck.judging.creations import categories_in, creations_in
from petcheck.judging.judgement import Ask, Failed, Grounds, Held, Record, Undecided
from petcheck.judging.pages import animals_in
from petcheck.judging.rules import RULE
from petcheck.judging.verdicts import Finding
from petcheck.spec.catalogue import Requirement
from petcheck.spec.figures import PLANS

CHECK = "the record"


def grounds_of(
    record: Record,
    *,
    as_of: date,
    plan: str | None,
    category_id: int | None,
    writes: bool,
    run: str,
    repeats: bool,
) -> Grounds:
    """What a record and the user say about a target; `plan` and `category_id` may be None."""
    known = {category_id} if category_id is not None else set()
    return Grounds(
        as_of,
        next((each for name, each in PLANS.items() if name == plan), None),
        categories=frozenset({*known, *categories_in(record)}),
        listed=frozenset({*animals_in(record), *(made.id for made in creations_in(record))}),
        writes=writes,
        run=run,
        repeats=repeats,
    )


def finding_over(requirement: Requirement, target: str, record: Record, grounds: Grounds) -> Finding:
    """What a record shows of a requirement. If only a further request decides, it is inconclusive."""
    decision = decide_from_tries(RULE[requirement.id], record, grounds)
    if isinstance(decision, Ask):
        decision = decision.otherwise
    finding = Finding(
        CHECK,
        (requirement.id,),
        requirement.section,
        target,
        "pass",
        "",
        0.0,
        exchanges=tuple(sorted(exchange.index for exchange in decision.examined)),
    )
    match decision:
        case Held():
            return finding
        case Undecided():
            return replace(
                finding,
                outcome="inconclusive" if decision.tried else "not-run",
                reason=decision.reason,
                settled_by=decision.settled_by,
            )
        case Failed():
            parts = {proof.exchange.index: proof.part for proof in decision.proofs}
            return replace(
                finding,
                outcome="fail",
                reason=decision.text,
                exchanges=tuple(sorted({*finding.exchanges, *parts})),
                decisive=tuple(parts),
                parts=tuple(parts.values()),
                unanswered=decision.unanswered,
                expected=decision.expected,
            )
