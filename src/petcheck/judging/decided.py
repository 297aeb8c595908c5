"""What a record shows: of a target, and of a requirement by its rule, within the limit, with the cells of a pass."""

from __future__ import annotations

from datetime import date

from petcheck.judging.apply import decide_from_tries, sentence
from petcheck.judging.cells import coverage, covering, needs_cells
from petcheck.judging.creations import categories_in, creations_in, is_unwanted
from petcheck.judging.decision import LIMITS, Ask, Held, Record, Settled, Undecided
from petcheck.judging.judgement import Grounds, Problem
from petcheck.judging.once import Once, only
from petcheck.judging.pages import animals_in, older_in
from petcheck.judging.rules import RULE
from petcheck.spec.catalogue import Requirement
from petcheck.spec.figures import PLANS
from petcheck.spec.operations import Operation


def grounds_of(record: Record, *, as_of: date, plan: str | None, writes: bool, run: str, repeats: bool) -> Grounds:
    """What a record and the user say about a target; `plan` may be None.

    A category that the user names is known once the target has shown it: it may be another target's.
    """
    return Grounds(
        as_of,
        next((row for name, row in PLANS.items() if name == plan), None),  # a forged stream may name any
        categories=categories_in(record),
        listed=frozenset({*animals_in(record), *(made.id for made in creations_in(record))}),
        writes=writes,
        run=run,
        repeats=repeats,
        older=older_in(record),
        # if one id was given several times, the first
        begun={made.id: made.exchange.sent for made in reversed(creations_in(record))},
        unwanted=frozenset(made.id for made in creations_in(record) if is_unwanted(made)),
    )


def decided(requirement: Requirement, record: Record, grounds: Grounds) -> Settled:
    """What a record shows of a requirement. If only a further request decides, it is undecided.

    Extra requests, such as property examples, can break a requirement. They keep it from passing only if their answers
    contradict it.
    """
    if requirement.section.startswith(_ENDPOINTS):
        record = _within_the_limit(record)
    decision = _settled(requirement, record, grounds)
    if isinstance(decision, Undecided) and not decision.doubtful and any(exchange.on_top for exchange in record):
        # a page that was asked for on top may still show what others are judged by
        without = (_settled(requirement, some(record), grounds) for some in (_needed, _with_reads_on_top))
        return next((one for one in without if isinstance(one, Held)), decision)
    return decision


def _settled(requirement: Requirement, record: Record, grounds: Grounds) -> Settled:
    """What its rule decides, without questions, and undecided where cells are missing that a pass needs."""
    decision = decide_from_tries(RULE[requirement.id], record, grounds)
    if isinstance(decision, Ask):
        return decision.otherwise
    needy = isinstance(decision, Held) and needs_cells(requirement.id, grounds)
    covered = coverage(requirement.id, decision.examined, grounds) if needy else None
    if covered is None or not covered.missing:
        return decision
    left = "; ".join(f"{need}{_why_not(requirement, need, record, grounds)}" for need in covered.missing)
    return Undecided(f"Of {covered.dimensions}, these were not examined: {left}.", examined=decision.examined)


def _why_not(requirement: Requirement, need: str, record: Record, grounds: Grounds) -> str:
    """Why the answers that cover what a pass needs do not show it, in words; empty if nothing explains it."""
    seen = covering(requirement.id, need, record, grounds)
    if any(e.status == 400 and e.request.has_valid_key and requirement.section == _CREATING for e in seen):
        return " (the service refused it)"
    for exchange in seen:
        for name, rule in RULE.items():
            problem = rule.one(exchange, grounds)
            if isinstance(problem, Problem) and not problem.part.startswith("header:"):
                return f" ({sentence(rule.section, exchange, problem)}; see {name})"
    return ""


_ENDPOINTS, _CREATING = "4.", Operation.CREATE_PET.section


def _served_or_not_over(record: Record) -> Record:
    """A record without the refusals over the limit, which section 8 judges and not section 4."""
    kept = only(record, lambda exchange: exchange.section != LIMITS or exchange.status == 200)
    return kept if len(kept) < len(record) else record


def _without_what_is_on_top(record: Record) -> Record:
    return only(record, lambda exchange: not exchange.on_top)


def _without_posts_on_top(record: Record) -> Record:
    return only(record, lambda exchange: not exchange.on_top or exchange.request.operation.safe)


_within_the_limit = Once(_served_or_not_over)
_needed, _with_reads_on_top = Once(_without_what_is_on_top), Once(_without_posts_on_top)
