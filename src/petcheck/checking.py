"""A check on a target: what it judges, when it runs, and what the way in which it ended says. Whoever calls it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from petcheck.exchange import Exchange
from petcheck.judging.catalogue import catalogue
from petcheck.judging.verdicts import Breach, Finding, Inconclusive, NotRun, Outcome
from petcheck.suite_files import suite_file
from petcheck.target import WRITING_BUDGET, Target, Untestable
from petcheck.wire.transport import BudgetSpent, NotPermitted, NotSent, TargetDown

USUAL_STAGE = "read"
# what must not be stored is posted before what is created: a page that shows the latter would show the former
STAGES = ("refuse", "create", "read", "look", "spare", "open", "examples", "sequence", "exhaust", "record")
# with fewer requests than a whole run takes, what one GET settles comes first
FRUGAL_STAGES = ("read", "create", "refuse", "look", "spare", "open", "examples", "sequence", "exhaust", "record")


@dataclass(frozen=True, slots=True)
class Check:
    """A check on one target. `id` is pytest's; `requirements` are judged by it, and at open points it `observes`."""

    id: str
    target: str
    requirements: tuple[str, ...]
    observes: tuple[str, ...]
    stage: str = USUAL_STAGE

    @property
    def section(self) -> str:
        """The section of the document that what it sends is for: that of the first entry it names."""
        return catalogue()[(*self.requirements, *self.observes)[0]].section


def places(targets: Sequence[str], max_requests: int) -> dict[tuple[str, str], int]:
    """By target and stage, the place of its checks in a run: target by target, on each stage by stage.

    `max_requests` is what may be sent to a target.
    """
    stages = STAGES if max_requests >= WRITING_BUDGET else FRUGAL_STAGES
    return {pair: place for place, pair in enumerate((target, stage) for target in targets for stage in stages)}


def finding(check: Check, error: BaseException | None, target: Target, duration_s: float) -> Finding:
    """What a check found that ended with `error`, or without one; its evidence is what it looked at meanwhile."""
    outcome, reason = _outcome(error)
    examined = target.api.examined if not target.untestable else []
    decisive = error.decisive if isinstance(error, Breach) else ()
    return Finding(
        check=check.id,
        requirements=check.requirements,
        section=check.section,
        target=check.target,
        outcome=outcome,
        reason=target.transport.redacted(reason),
        duration_s=duration_s,
        exchanges=_indices([*examined, *decisive]),
        decisive=_indices(decisive),
        settled_by=getattr(error, "settled_by", None),
        unanswered=isinstance(error, Breach) and error.unanswered,
    )


def _indices(exchanges: Iterable[Exchange]) -> tuple[int, ...]:
    return tuple(sorted({exchange.index for exchange in exchanges}))


def _outcome(error: BaseException | None) -> tuple[Outcome, str]:
    match error:
        case None:
            return "pass", ""
        case Breach():
            return "fail", error.message
        case NotRun():
            return "not-run", error.reason
        case Inconclusive():
            return "inconclusive", error.reason
        case NotPermitted() | BudgetSpent():
            return "not-run", _sentence(error.reason)
        case TargetDown():
            return "error", _sentence(error.reason)
        case NotSent():
            return "inconclusive", _sentence(error.reason)
        case Untestable():
            return "error", _sentence(str(error))
    where = _place(error)
    return (
        "error",
        f"The check itself broke, which says nothing about the server: {type(error).__name__}: {error}{where}",
    )


def _sentence(text: str) -> str:
    begins = text if "://" in text.partition(" ")[0] else text[:1].upper() + text[1:]
    return begins + ("" if text.endswith(".") else ".")


def _place(error: BaseException) -> str:
    """The last line of the suite's own that an error came by."""
    trace = error.__traceback__
    checks = suite_file("checks")
    last = ""
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if checks in path.parents or "petcheck" in path.parts:
            last = f" ({path.name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return last
