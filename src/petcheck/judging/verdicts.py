"""Turns the findings of checks into one verdict for each requirement and target, and into the exit code of a run.

A check ends in one of four ways, three of them exceptions:

- it returns: everything it examined conforms;
- `Breach`: an exchange contradicts a requirement. The only one that can become a `fail`;
- `Inconclusive`: it ran, and the target's state gave nothing to judge;
- `NotRun`: it needs a permission that was not given.

Any other exception is a bug of the suite and becomes `error`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from petcheck.exchange import Exchange, Response
from petcheck.spec.catalogue import Requirement
from petcheck.spec.outcomes import Exit, Outcome, Waiver
from petcheck.words import plural


@dataclass(frozen=True, slots=True)
class Finding:
    """How one check ended on one target. `exchanges` are indices of that target's exchanges.

    `decisive` are those that decide it, the most revealing first, and `parts` the deciding part of each. `expected` are
    the statuses that conform, in words, if a wrong status decides. `on_top` marks property examples, which a
    requirement does not need.
    """

    check: str
    requirements: tuple[str, ...]
    section: str
    target: str
    outcome: Outcome
    reason: str
    duration_s: float
    exchanges: tuple[int, ...] = ()
    decisive: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()
    settled_by: str | None = None
    unanswered: bool = False
    expected: str = ""
    on_top: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one requirement on one target. `in_force` is false if no run on that day could judge it."""

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
        """Indices of the exchanges that decide it, the most revealing first."""
        return tuple(dict.fromkeys(index for finding in self.findings for index in finding.decisive))

    @property
    def expected(self) -> str:
        """The statuses that conform, in words, if a wrong status decides; otherwise empty."""
        return next((finding.expected for finding in self.findings if finding.expected), "")

    @property
    def parts(self) -> dict[int, str]:
        """The part of each deciding exchange that decides, by its index."""
        found: dict[int, str] = {}
        for finding in self.findings:
            for index, part in zip(finding.decisive, finding.parts, strict=True):
                found[index] = found.get(index) or part
        return found


def settle_silence(findings: Iterable[Finding], exchanges: Sequence[Exchange]) -> list[Finding]:
    """Turn silence that no answer followed into `error`: the cause may not be the server."""
    answered = [exchange.index for exchange in exchanges if isinstance(exchange.answer, Response)]
    return [
        _as_error(finding)
        if finding.unanswered and all(max(finding.decisive) > index for index in answered)
        else finding
        for finding in findings
    ]


def _as_error(finding: Finding) -> Finding:
    return replace(finding, outcome="error", reason=f"{finding.reason} The target answered nothing after that.")


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

    The first that applies decides: a failure fails it; a broken check is an error; a part that gave nothing to judge
    leaves it inconclusive; a check that held passes it, and the reason names the parts that need a permission.
    `missing` is the reason if no check of it ran; that is an error if the target is `untestable`.
    """
    if requirement.untestable:
        reason = f"Not testable. {requirement.untestable}"
        return Verdict(requirement, target, "not-run", reason, in_force=False)
    if not requirement.in_force(as_of):
        day = requirement.until or requirement.start
        reason = f"Not in force on {as_of}: it {'ended' if requirement.until else 'starts'} on {day}."
        return Verdict(requirement, target, "not-run", reason, tuple(findings), in_force=False)
    if not findings:
        return Verdict(requirement, target, "error" if untestable else "not-run", missing)
    by_outcome = {outcome: [f for f in findings if f.outcome == outcome] for outcome in _GRAVEST_FIRST}
    outcome = next(name for name in _GRAVEST_FIRST if by_outcome[name])
    unjudged = [finding for finding in by_outcome["inconclusive"] if not finding.on_top]
    if outcome == "pass" and unjudged:
        outcome = "inconclusive"
    unexamined = [*by_outcome["inconclusive"], *by_outcome["not-run"]]
    settled_by = next((finding.settled_by for finding in unexamined if finding.settled_by), None)
    reason = _reason(outcome, by_outcome, unjudged)
    # the option that helps where the reason says what is missing
    said = (
        unjudged if outcome == "inconclusive" and unjudged else by_outcome["not-run" if outcome == "pass" else outcome]
    )
    option = next((finding.settled_by for finding in said if finding.settled_by in _ADVICE), None)
    if option is not None:
        reason += f" {_ADVICE[option]}"
    return Verdict(requirement, target, outcome, reason, tuple(findings), settled_by=settled_by)


_GRAVEST_FIRST: tuple[Outcome, ...] = ("fail", "error", "pass", "inconclusive", "not-run")
_REASONS_SHOWN = 3
# what the user can do, by the option that helps
_ADVICE = {
    "--allow-writes": "Run with --allow-writes.",
    "--category-id": "Name one that exists with --category-id.",
    "--exhaust-rate-limit": "Run with --exhaust-rate-limit.",
    "--max-requests": "Allow more with --max-requests.",
    "--max-wait": "Allow a longer wait with --max-wait.",
    "--plan": "Name it with --plan.",
}


def _reasons(findings: Sequence[Finding]) -> str:
    distinct = list(dict.fromkeys(finding.reason for finding in _without_repeats(findings)))
    more = len(distinct) - _REASONS_SHOWN
    return " ".join(distinct[:_REASONS_SHOWN]) + (f" And {more} more." if more > 0 else "")


def _without_repeats(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, in order; of those that a common exchange decides, only the one with the most, or the last.

    Several checks judge a requirement by one growing record, so a later reason repeats an earlier one and adds to it.
    """
    kept: list[int] = []
    for place in sorted(range(len(findings)), key=lambda place: (-len(findings[place].decisive), -place)):
        if not any(set(findings[place].decisive) & set(findings[other].decisive) for other in kept):
            kept.append(place)
    return [findings[place] for place in sorted(kept)]


def _reason(outcome: Outcome, by_outcome: Mapping[Outcome, Sequence[Finding]], unjudged: Sequence[Finding]) -> str:
    held = {index for finding in by_outcome["pass"] for index in finding.exchanges}
    said = f"confirmed in {plural(len(held), 'exchange')}."
    if outcome == "pass":
        # property examples that tested nothing leave nothing out
        left_out = f" Not examined: {_reasons(by_outcome['not-run'])}" if by_outcome["not-run"] else ""
        return f"C{said[1:]}{left_out}"
    if outcome == "inconclusive" and unjudged:
        return _reasons(unjudged) + (f" Otherwise {said}" if held else "")
    return _reasons(by_outcome[outcome])


def apply_waivers(verdicts: Iterable[Verdict], waivers: Sequence[Waiver], *, today: date) -> list[Verdict]:
    """Mark failures that a waiver in force covers, and waivers that are expired or stale (the requirement passes)."""
    settled = []
    for verdict in verdicts:
        ours = (w for w in waivers if w.requirement == verdict.requirement.id and w.target == verdict.target)
        waiver = max(ours, key=lambda w: w.expires, default=None)
        if waiver is None:
            settled.append(verdict)
        elif waiver.expires < today and verdict.outcome in ("fail", "pass"):
            trouble = f"The waiver expired on {waiver.expires}: fix the server, or agree on a new one."
            settled.append(replace(verdict, waiver=waiver, waiver_trouble=trouble))
        elif verdict.outcome == "fail":
            days = (waiver.expires - today).days
            left = f"{days} day{'s' * (days != 1)} left"
            reason = f"Waived until {waiver.expires} ({left}): {waiver.reason}. {verdict.reason}"
            settled.append(replace(verdict, outcome="waived", reason=reason, waiver=waiver))
        elif verdict.outcome == "pass":
            trouble = "The waiver is stale: the requirement holds now. Remove it from the configuration."
            settled.append(replace(verdict, waiver=waiver, waiver_trouble=trouble))
        else:
            settled.append(replace(verdict, waiver=waiver))
    return settled


@dataclass(frozen=True, slots=True)
class RunState:
    """What decides the exit code in addition to the verdicts. `chosen` are the ids to judge; None for all."""

    interrupted: bool = False
    nothing_selected: bool = False
    untestable: tuple[str, ...] = ()
    strict: bool = False
    chosen: frozenset[str] | None = None


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
    chosen = [v for v in verdicts if state.chosen is None or v.requirement.id in state.chosen]
    if not any(verdict.outcome in ("pass", "waived") for verdict in chosen):
        return Exit.NOTHING_SELECTED
    if state.strict and any(v.in_force and v.outcome in ("inconclusive", "not-run") for v in chosen):
        return Exit.UNSETTLED
    return Exit.HOLDS
