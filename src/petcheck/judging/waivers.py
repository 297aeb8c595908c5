"""What the waivers of a run accept, and which ones a server needs now: one for each failure, none for what holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TypeAlias

from petcheck.judging.verdicts import AppliedWaiver, Verdict
from petcheck.spec.outcomes import UNEXAMINED, Outcome, Waiver
from petcheck.words import plural


def apply_waivers(verdicts: Iterable[Verdict], waivers: Sequence[Waiver], *, today: date) -> list[Verdict]:
    """Mark what a waiver in force covers, and waivers that are expired or stale.

    A waiver is stale if the requirement passes, a gap if it was examined. Whether one has expired does not depend on
    the verdict, unless that is an error, which fails the run by itself.
    """
    settled = []
    for verdict in verdicts:
        ours = [one for one in waivers if one.requirement == verdict.id and one.target == verdict.target]
        fitting = [one for one in ours if one.gap == (verdict.outcome in UNEXAMINED)]
        waiver = max(fitting or ours, key=lambda one: one.expires, default=None)
        if waiver is None:
            settled.append(verdict)
            continue
        reason, outcome = verdict.reason, verdict.outcome
        left = plural((waiver.expires - today).days, "day")
        expired = waiver.expires < today
        ended = expired and outcome in UNEXAMINED
        if ended and waiver.gap:
            over = f"The gap ended after {waiver.expires}: have the requirement examined, or agree on a later day."
            reason = f"{over} {reason}"
        elif waiver.gap and outcome in UNEXAMINED:
            reason = f"Accepted as a gap until {waiver.expires} ({left} left): {waiver.reason}. {reason}"
        elif waiver.gap and outcome != "error":
            stale = "The gap is stale: the requirement is examined now. Remove it from the configuration."
            reason = _with_fault(reason, stale, outcome)
        elif expired and outcome != "error":
            over = f"The waiver ended after {waiver.expires}: fix the server, or agree on a later day."
            reason = _with_fault(reason, over, outcome)
        elif outcome == "fail":
            outcome = "waived"
            reason = f"Waived until {waiver.expires} ({left} left): {waiver.reason}. {reason}"
        elif outcome == "pass":
            reason = f"The waiver is stale: the requirement holds now. Remove it from the configuration. {reason}"
        applied = AppliedWaiver(waiver.reason, waiver.expires.isoformat(), waiver.gap, ended)
        settled.append(replace(verdict, outcome=outcome, reason=reason, waiver=applied))
    return settled


def _with_fault(reason: str, fault: str, outcome: Outcome) -> str:
    """A reason with what is wrong with its waiver: after a failure, which is what the reader has to fix first."""
    return f"{reason} {fault}" if outcome == "fail" else f"{fault} {reason}"


def is_unexamined(verdict: Verdict) -> bool:
    """Whether a requirement in force was not examined, and not accepted as a gap."""
    accepted = verdict.waiver is not None and verdict.waiver.gap and not verdict.waiver.ended
    return verdict.in_force and verdict.outcome in UNEXAMINED and not accepted


def fails_by_waiver(verdict: Verdict) -> bool:
    """Whether a waiver fails the run although its requirement does not: it or a gap is stale, or has expired."""
    waiver = verdict.waiver
    return waiver is not None and (verdict.outcome == "pass" or waiver.ended)


Outcomes: TypeAlias = Mapping[tuple[str, str], Outcome]
"""The outcome of each requirement on each target, once the waivers are applied: (requirement, target) to outcome."""


def revised(waivers: Sequence[Waiver], outcomes: Outcomes, *, reason: str, expires: date) -> tuple[Waiver, ...]:
    """The waivers that stand, in their order, then a new one for each failure that none of them covers.

    A waiver does not stand if its requirement passes (it is stale) or fails in spite of it (it is expired). One of a
    requirement that was not examined stays: nothing is known about it.
    """
    standing = [one for one in waivers if outcomes.get((one.requirement, one.target)) not in ("pass", "fail")]
    failing = [key for key, outcome in outcomes.items() if outcome == "fail"]
    return (*standing, *(Waiver(requirement, target, reason, expires) for requirement, target in failing))
