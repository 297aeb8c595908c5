"""The possible outcomes of requirements, waivers and runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from typing import Literal, get_args

Outcome = Literal["pass", "fail", "error", "inconclusive", "not-run", "waived"]
"""The verdict on one requirement for one target, in the order in which reports count them."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


NOT_IN_FORCE = "n/a"
"""Stands for the outcome of a requirement that no check can see, or that is not in force on the day to judge by."""

UNEXAMINED: frozenset[Outcome] = frozenset({"inconclusive", "not-run"})
"""The outcomes of what was not examined."""


class Exit(IntEnum):
    """The exit code of a command."""

    HOLDS = 0
    FAILS = 1
    INTERRUPTED = 2
    BROKE = 3
    USAGE = 4
    NOTHING_SELECTED = 5
    UNTESTABLE = 6
    UNSETTLED = 7
    OTHER_VERSION = 8
    """Of `verify`: another version made the reports, and only that one can prove them."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """An accepted failure, up to and including the day `expires`; a `gap` is an accepted lack of a verdict instead."""

    requirement: str
    target: str
    reason: str
    expires: date
    gap: bool = False
