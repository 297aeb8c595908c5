"""The result of a comparison in words, shared by every view of it."""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.comparison.compare import EXAMINED, ComparedRequirement, Comparison
from petcheck.comparison.difference import KINDS, Difference
from petcheck.judging.matchers import one_of
from petcheck.sanitize import printable
from petcheck.words import plural


def headline(comparison: Comparison) -> str:
    """Whether the sides are equal, in one sentence."""
    names = one_of([printable(side.label) for side in comparison.sides], "and")
    if not comparison.different:
        return f"{names} are equal in everything compared."
    parts = [
        plural(len(rows), noun)
        for rows, noun in (
            (comparison.contradicted, "verdict"),
            (comparison.differing_points, "open point"),
            (comparison.differences, "other trait"),
        )
        if rows
    ]
    # a requirement that one side did not examine is not an observed difference
    sentence = f"{names} differ in {one_of(parts, 'and')}" if parts else f"{names} cannot be called equal"
    if comparison.one_sided:
        were = "requirement was" if len(comparison.one_sided) == 1 else "requirements were"
        sentence += f"; {len(comparison.one_sided)} {were} not examined everywhere"
    return f"{sentence}."


def side_outcome(requirement: ComparedRequirement, side: int) -> str:
    """The outcome on one side, or why there is none to compare."""
    found = requirement.outcomes[side]
    if found in EXAMINED:
        return str(found)
    if found is None:
        return "no verdict there"
    return "not in force there" if not requirement.in_force[side] else f"not examined there ({found})"


def difference_title(difference: Difference) -> str:
    """The title of a difference: its kind and its subject, if it has one."""
    kind = KINDS[difference.kind]
    return f"{kind}: {difference.subject}" if difference.subject else kind


def remedy(requirements: Sequence[ComparedRequirement]) -> str:
    """How to examine everything on all sides; empty if no option does that."""
    options = sorted({option for one in requirements for option in one.settled_by if option is not None})
    return f"Run each with {one_of(options, 'and')}, if that is permitted, and compare again." if options else ""
