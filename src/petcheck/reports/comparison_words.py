"""What a comparison comes to, in the sentences that every view of it opens with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from petcheck.reports.comparison import EXAMINED, Comparison, Requirement
from petcheck.reports.digest import plural
from petcheck.reports.divergence import KINDS, Divergence
from petcheck.reports.visible import visible


def headline(comparison: Comparison, quote: Callable[[str], str] = visible) -> str:
    """Whether the sides are equal, in one sentence; `quote` makes names safe for the format it is written in."""
    names = joined([quote(side.label) for side in comparison.sides])
    if not comparison.different:
        return f"{names} are equal in all that was compared."
    parts = [
        f"{plural(len(rows), what)}"
        for rows, what in (
            (comparison.contradicted, "verdict"),
            (comparison.diverging, "open point"),
            (comparison.divergences, "other trait"),
        )
        if rows
    ]
    # what nobody looked at on one side is no difference that anybody saw
    said = f"{names} differ in {joined(parts)}" if parts else f"{names} cannot be called equal"
    if comparison.one_sided:
        were = "requirement was" if len(comparison.one_sided) == 1 else "requirements were"
        said += f"; {len(comparison.one_sided)} {were} not examined everywhere"
    return f"{said}."


def joined(words: Sequence[str]) -> str:
    """`words` with commas and an "and" between."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def outcome(requirement: Requirement, side: int) -> str:
    """What one side came to: its outcome, or why there is none to compare."""
    found = requirement.outcomes[side]
    if found in EXAMINED:
        return str(found)
    if found is None:
        return "no verdict there"
    return "not in force there" if not requirement.in_force[side] else f"not examined there ({found})"


def title(divergence: Divergence) -> str:
    """What a divergence is about: its kind and, where it has one, its subject."""
    kind = KINDS[divergence.kind]
    return f"{kind}: {divergence.subject}" if divergence.subject else kind


def remedy(requirements: Sequence[Requirement]) -> str:
    """How to have examined on all sides what was examined on some; empty where no option would do it."""
    options = sorted({option for one in requirements for option in one.settled_by if option is not None})
    return f"Run each with {joined(options)}, where that may be, and compare again." if options else ""
