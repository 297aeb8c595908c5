"""A comparison as text: the sentences that every view shares, and the whole of it on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.comparison.compare import EXAMINED, ComparedRequirement, Comparison
from petcheck.comparison.difference import KINDS, Difference
from petcheck.grouping import grouped
from petcheck.judging.frequency import BY_CHANCE, CHANCE
from petcheck.judging.matchers import one_of
from petcheck.reports.text_lines import BOLD, GREEN, RED, TextLines
from petcheck.sanitize import comma_list, printable, printable_reason
from petcheck.words import plural


def render(comparison: Comparison, *, width: int, colour: bool, page: str | None) -> str:
    """The comparison as text, without a line feed at its end.

    `width` is the terminal's in columns. With `colour`, ANSI colours support the words and never replace them. `page`
    is where comparison.html was written, None where it was not.
    """
    lines = TextLines(width, colour)
    lines.say(headline(comparison), hanging="  ", style=f"{BOLD};{RED if comparison.different else GREEN}")
    for one in comparison.left_out:
        lines.say(f"{printable(one.label, 80)} is left out. It could not be tested: {printable_reason(one.why)}", "  ")
    for name, each in comparison.circumstances.items():
        values = "; ".join(
            f"{printable(side.label, 80)}: {printable(value, 80)}"
            for side, value in zip(comparison.sides, each, strict=True)
        )
        lines.say(f"{name}: {values}", "  ", "    ")
    open_points = [
        (f"{printable(one.id, 60)}  {_by_side(comparison, one.values)}",) for one in comparison.differing_points
    ]
    others = [
        (f"{printable(difference_title(one), 200)}  {_by_side(comparison, one.values)} ({comma_list(one.places, 2)})",)
        for one in comparison.differences
    ]
    lines.listed("verdicts that differ", [_contradicted(comparison, entry) for entry in comparison.contradicted])
    lines.listed("not examined everywhere, so not known to be equal", _one_sided(comparison))
    lines.listed("open points that differ (the document allows it)", open_points, len(open_points))
    lines.listed("other behaviour that differs", others)
    lines.blank()
    if comparison.one_sided_points:
        points = comma_list([point.id for point in comparison.one_sided_points], 40)
        lines.say(f"open points not observed everywhere (not counted): {points}", hanging="  ")
    if comparison.network_path:
        traits = comma_list([difference_title(one) for one in comparison.network_path], 12)
        lines.say(f"the network path differs (not counted): {printable(traits, 500)}", hanging="  ")
    requirements, points = len(comparison.agreed), plural(len(comparison.agreed_points), "open point")
    lines.say(f"equal: {plural(requirements, 'requirement')}, {points}", hanging="  ")
    if page is not None:
        lines.say(f"page: {printable(page)}", hanging="  ")
    return str(lines)


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
        return f"{found}{CHANCE[requirement.when[side] or 'always']}"
    if found is None:
        return "no verdict there"
    return "not in force there" if not requirement.in_force[side] else f"not examined there ({found})"


def chance_note(requirement: ComparedRequirement) -> str:
    """What a pass is worth beside a failure that a single run may not show; empty without one."""
    return BY_CHANCE if requirement.by_chance and "pass" in requirement.outcomes else ""


def difference_title(difference: Difference) -> str:
    """The title of a difference: its kind and its subject, if it has one."""
    kind = KINDS[difference.kind]
    return f"{kind}: {difference.subject}" if difference.subject else kind


def remedy(requirements: Sequence[ComparedRequirement]) -> str:
    """How to examine everything on all sides; empty if no option does that."""
    options = sorted({option for one in requirements for option in one.settled_by if option is not None})
    return f"Run each with {one_of(options, 'and')}, if that is permitted, and compare again." if options else ""


# ---- on the terminal


def _contradicted(comparison: Comparison, entry: ComparedRequirement) -> list[str]:
    """A requirement whose verdicts differ, with the reason of each failure."""
    outcomes = _by_side(comparison, _outcomes(comparison, entry))
    reasons = [
        f"{printable(side.label, 80)}: {printable_reason(reason)}"
        for side, outcome, reason in zip(comparison.sides, entry.outcomes, entry.reasons, strict=True)
        if outcome in ("fail", "waived")
    ]
    note = chance_note(entry)
    return [f"{printable(entry.id, 60)} · section {entry.section}  {outcomes}", *reasons, *([note] if note else [])]


def _one_sided(comparison: Comparison) -> list[tuple[str]]:
    """The requirements that only some sides examined, grouped by their outcomes, and how to examine them."""
    ids = grouped((_outcomes(comparison, entry), entry.id) for entry in comparison.one_sided)
    groups = [(f"{_by_side(comparison, outcomes)}: {comma_list(same, 40)}",) for outcomes, same in ids.items()]
    how = remedy(comparison.one_sided)
    return [*groups, (how,)] if how else groups


def _outcomes(comparison: Comparison, entry: ComparedRequirement) -> tuple[str, ...]:
    return tuple(side_outcome(entry, side) for side in range(len(comparison.sides)))


def _by_side(comparison: Comparison, values: Sequence[str | None]) -> str:
    """What each side does; sides that do the same are grouped."""
    sides = (printable(side.label, 80) for side in comparison.sides)
    groups = grouped(zip(values, sides, strict=True))
    return "; ".join(
        f"{one_of(names, 'and')}: {'nothing to compare' if value is None else printable(value, 200)}"
        for value, names in groups.items()
    )
