"""Turns the end of a check into a finding: the only place that maps exceptions to outcomes."""

from __future__ import annotations

from pathlib import Path

from petcheck.errors import Breach, BudgetSpent, Inconclusive, NotPermitted, NotRun, NotSent, TargetDown, Untestable
from petcheck.judging.verdicts import Finding
from petcheck.runner.schedule import EXAMPLE_STAGES, Check
from petcheck.spec.files import suite_file
from petcheck.spec.outcomes import Outcome
from petcheck.toolkit.target import Target


def finding(check: Check, error: BaseException | None, target: Target, duration_s: float) -> Finding:
    """What a check found. `error` is the exception that it raised, if any; its evidence is what it examined."""
    if isinstance(error, NotSent) and not isinstance(error, TargetDown):
        # the check could not go on, but may have seen enough
        error = target.seen_broken(check.requirements) or error
    outcome, reason = _outcome(error)
    judged = tuple(name for name in check.requirements if outcome == "error" or target.choice.covers(name))
    if check.requirements and not judged:
        outcome, reason = "not-run", "This check only sent its requests; its requirement was not chosen."
    examined = target.api.examined if not target.untestable else []
    shown = zip(error.decisive, error.parts, strict=True) if isinstance(error, Breach) else ()
    decisive = {exchange.index: part for exchange, part in shown}  # in the order of their weight
    return Finding(
        check=check.id,
        requirements=judged,
        section=check.section,
        target=check.target,
        outcome=outcome,
        reason=target.transport.redacted(reason),
        duration_s=duration_s,
        exchanges=tuple(sorted({exchange.index for exchange in examined} | decisive.keys())),
        decisive=tuple(decisive),
        parts=tuple(decisive.values()),
        settled_by=getattr(error, "settled_by", None),
        unanswered=isinstance(error, Breach) and error.unanswered,
        expected=error.expected if isinstance(error, Breach) else "",
        on_top=check.stage in EXAMPLE_STAGES,
    )


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
    where = _last_own_line(error)
    return (
        "error",
        f"The check itself broke, which says nothing about the server. Report this as a bug of petcheck: "
        f"{type(error).__name__}: {error}{where}",
    )


def _sentence(text: str) -> str:
    begins = text if "://" in text.partition(" ")[0] else text[:1].upper() + text[1:]
    return begins + ("" if text.endswith(".") else ".")


def _last_own_line(error: BaseException) -> str:
    """The last line of petcheck's own code in the traceback."""
    trace = error.__traceback__
    checks = suite_file("checks")
    last = ""
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if checks in path.parents or "petcheck" in path.parts:
            last = f" ({path.name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return last
