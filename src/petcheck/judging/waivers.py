"""Which waivers a server needs now: one for each failure, none for what holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeAlias

from petcheck.spec.outcomes import Outcome, Waiver

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
