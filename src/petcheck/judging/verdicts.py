"""From what single checks found to one verdict for each requirement and target, and to the exit code of a run.

A check ends in one of four ways, three of them exceptions:

- it returns: what it examined held;
- `Breach`: an exchange contradicts a requirement. The only one that can become a `fail`;
- `Inconclusive`: it was tried, and the target's state gave nothing to judge;
- `NotRun`: it needs a permission that was not given.

Anything else that it raises is a mistake of the suite and becomes `error`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from typing import Literal

from petcheck.exchange import Exchange, Response
from petcheck.judging.catalogue import Requirement

Outcome = Literal["pass", "fail", "inconclusive", "not-run", "waived", "error"]


class Breach(AssertionError):
    """An exchange contradicts a requirement.

    `decisive` are the exchanges that show it; `unanswered` tells that the contradiction is silence, which counts only
    where the target went on answering afterwards.
    """

    def __init__(self, message: str, *decisive: Exchange, unanswered: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.decisive = decisive
        self.unanswered = unanswered


class Inconclusive(Exception):
    """Nothing could be judged; the message says why and what would settle it, `settled_by` the flag that would."""

    def __init__(self, reason: str, settled_by: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.settled_by = settled_by


class NotRun(Inconclusive):
    """Not tried, for want of a permission or because it is not in force."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How one check ended on one target. `exchanges` and `decisive` are indices of exchanges of that target."""

    check: str
    requirements: tuple[str, ...]
    section: str
    target: str
    outcome: Outcome
    reason: str
    duration_s: float
    exchanges: tuple[int, ...] = ()
    decisive: tuple[int, ...] = ()
    settled_by: str | None = None
    unanswered: bool = False


@dataclass(frozen=True, slots=True)
class Waiver:
    """A failure that somebody answers for, until the day `expires`, that day included."""

    requirement: str
    target: str
    reason: str
    expires: date


@dataclass(frozen=True, slots=True)
class Verdict:
    """What holds for one requirement on one target. `in_force` is false where no run of that day could judge it."""

    requirement: Requirement
    target: str
    outcome: Outcome
    reason: str
    findings: tuple[Finding, ...] = ()
    settled_by: str | None = None
    in_force: bool = True
    waiver: Waiver | None = None
    waiver_trouble: str | None = None

    @property
    def exchanges(self) -> tuple[int, ...]:
        """Indices of all exchanges behind the verdict, in order."""
        return tuple(sorted({index for finding in self.findings for index in finding.exchanges}))

    @property
    def decisive(self) -> tuple[int, ...]:
        """Indices of the exchanges that decide it, in order."""
        return tuple(sorted({index for finding in self.findings for index in finding.decisive}))


def settle_silence(findings: Iterable[Finding], exchanges: Sequence[Exchange]) -> list[Finding]:
    """Turn silence that nothing followed into `error`: where nothing answers any more, nobody can tell whose fault."""
    answered = [exchange.index for exchange in exchanges if isinstance(exchange.answer, Response)]
    return [
        _as_error(finding)
        if finding.unanswered and all(max(finding.decisive) > index for index in answered)
        else finding
        for finding in findings
    ]


def _as_error(finding: Finding) -> Finding:
    return replace(finding, outcome="error", reason=f"{finding.reason} Nothing was answered after that.")


def roll_up(
    requirement: Requirement,
    target: str,
    findings: Sequence[Finding],
    *,
    as_of: date,
    missing: str,
    untestable: bool,
) -> Verdict:
    """One verdict from the findings of every check of `requirement` on `target`.

    One failure fails it; else one broken check is an error; else one check that held passes it, and the reason names
    what was left unexamined. `missing` is the reason where no check of it ran; that is an error where the target is
    `untestable`.
    """
    if requirement.untestable:
        reason = f"No check can see it. {requirement.untestable}"
        return Verdict(requirement, target, "not-run", reason, in_force=False)
    if not requirement.in_force(as_of):
        day = requirement.until or requirement.start
        reason = f"Not in force on {as_of}: it {'ended' if requirement.until else 'begins'} on {day}."
        return Verdict(requirement, target, "not-run", reason, tuple(findings), in_force=False)
    if not findings:
        return Verdict(requirement, target, "error" if untestable else "not-run", missing)
    by_outcome = {outcome: [f for f in findings if f.outcome == outcome] for outcome in _GRAVEST_FIRST}
    outcome = next(name for name in _GRAVEST_FIRST if by_outcome[name])
    deciding = by_outcome[outcome]
    unexamined = [*by_outcome["inconclusive"], *by_outcome["not-run"]]
    reason = _held(findings, unexamined) if outcome == "pass" else _reasons(deciding)
    settled_by = next((finding.settled_by for finding in unexamined if finding.settled_by), None)
    return Verdict(requirement, target, outcome, reason, tuple(findings), settled_by=settled_by)


_GRAVEST_FIRST: tuple[Outcome, ...] = ("fail", "error", "pass", "inconclusive", "not-run")
_REASONS_SHOWN = 3


def _reasons(findings: Sequence[Finding]) -> str:
    distinct = list(dict.fromkeys(finding.reason for finding in findings))
    more = len(distinct) - _REASONS_SHOWN
    return " ".join(distinct[:_REASONS_SHOWN]) + (f" And {more} more like it." if more > 0 else "")


def _held(findings: Sequence[Finding], unexamined: Sequence[Finding]) -> str:
    count = len({index for finding in findings if finding.outcome == "pass" for index in finding.exchanges})
    held = f"Held in {count} exchange{'s' if count != 1 else ''}."
    return f"{held} Not examined: {_reasons(unexamined)}" if unexamined else held


def apply_waivers(verdicts: Iterable[Verdict], waivers: Sequence[Waiver], *, today: date) -> list[Verdict]:
    """Mark failures that a waiver in force covers, and waivers that are stale (it passes) or expired."""
    settled = []
    for verdict in verdicts:
        ours = (w for w in waivers if w.requirement == verdict.requirement.id and w.target == verdict.target)
        waiver = max(ours, key=lambda w: w.expires, default=None)
        if waiver is None:
            settled.append(verdict)
        elif waiver.expires < today and verdict.outcome in ("fail", "pass"):
            trouble = f"The waiver expired on {waiver.expires}: mend the server or agree on a new one."
            settled.append(replace(verdict, waiver=waiver, waiver_trouble=trouble))
        elif verdict.outcome == "fail":
            days = (waiver.expires - today).days
            reason = f"Waived until {waiver.expires} ({days} days left): {waiver.reason}. {verdict.reason}"
            settled.append(replace(verdict, outcome="waived", reason=reason, waiver=waiver))
        elif verdict.outcome == "pass":
            trouble = "The waiver is stale: the requirement holds now. Take it out of the configuration."
            settled.append(replace(verdict, waiver=waiver, waiver_trouble=trouble))
        else:
            settled.append(replace(verdict, waiver=waiver))
    return settled


class Exit(Enum):
    """What the exit code of a run says."""

    HOLDS = 0
    FAILS = 1
    INTERRUPTED = 2
    BROKE = 3
    USAGE = 4
    NOTHING_SELECTED = 5
    UNTESTABLE = 6
    UNSETTLED = 7


@dataclass(frozen=True, slots=True)
class RunState:
    """What besides the verdicts decides the exit code."""

    interrupted: bool = False
    nothing_selected: bool = False
    untestable: tuple[str, ...] = ()
    strict: bool = False


def exit_of(verdicts: Sequence[Verdict], state: RunState) -> Exit:
    """The exit code of a run."""
    if state.interrupted:
        return Exit.INTERRUPTED
    if state.nothing_selected:
        return Exit.NOTHING_SELECTED
    if any(verdict.outcome == "fail" or verdict.waiver_trouble for verdict in verdicts):
        return Exit.FAILS
    if state.untestable:
        return Exit.UNTESTABLE
    if any(verdict.outcome == "error" for verdict in verdicts):
        return Exit.BROKE
    if state.strict and any(v.in_force and v.outcome in ("inconclusive", "not-run") for v in verdicts):
        return Exit.UNSETTLED
    return Exit.HOLDS
