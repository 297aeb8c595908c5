"""The possible outcomes of requirements, waivers and runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from typing import Literal, get_args

Outcome = Literal["pass", "fail", "error", "inconclusive", "not-run", "waived"]
"""The verdict on one requirement for one target, in the order in which reports count them."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Exit(IntEnum):
    """The exit code of a run."""

    HOLDS = 0
    FAILS = 1
    INTERRUPTED = 2
    BROKE = 3
    USAGE = 4
    NOTHING_SELECTED = 5
    UNTESTABLE = 6
    UNSETTLED = 7


@dataclass(frozen=True, slots=True)
class Waiver:
    """An accepted failure, up to and including the day `expires`."""

    requirement: str
    target: str
    reason: str
    expires: date
