"""A comparison on the terminal: the differences, most serious first, and where the page is."""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.comparison.compare import ComparedRequirement, Comparison
from petcheck.comparison.difference import Difference
from petcheck.judging.matchers import one_of
from petcheck.reports import comparison_words as words
from petcheck.reports.text_lines import BOLD, GREEN, RED, TextLines
from petcheck.sanitize import REASON_LIMIT, comma_list, printable
from petcheck.words import plural


def render(comparison: Comparison, *, width: int, colour: bool, page: str | None) -> str:
    """The comparison as text, without a line feed at its end.

    `width` is the terminal's in columns. With `colour`, ANSI colours support the words and never replace them. `page`
    is where comparison.html was written, None where it was not.
    """
    lines = TextLines(width, colour)
    lines.say(words.headline(comparison), hanging="  ", style=f"{BOLD};{RED if comparison.different else GREEN}")
    for one in comparison.circumstances:
        values = "; ".join(
            f"{printable(side.label, 80)}: {printable(value, 80)}"
            for side, value in zip(comparison.sides, one.values, strict=True)
        )
        lines.say(f"{one.name}: {values}", "  ", "    ")
    open_points = [
        (f"{printable(one.id, 60)}  {_by_side(comparison, one.values)}",) for one in comparison.differing_points
    ]
    lines.listed("verdicts that differ", [_contradicted(comparison, entry) for entry in comparison.contradicted])
    lines.listed("not examined everywhere, so not known to be equal", _one_sided(comparison))
    lines.listed("open points that differ (the document allows it)", open_points, len(open_points))
    lines.listed("other behaviour that differs", [_difference(comparison, one) for one in comparison.differences])
    lines.blank()
    if comparison.one_sided_points:
        points = comma_list([point.id for point in comparison.one_sided_points], 40)
        lines.say(f"open points not observed everywhere (not counted): {points}", hanging="  ")
    if comparison.network_path:
        traits = comma_list([words.difference_title(one) for one in comparison.network_path], 12)
        lines.say(f"the network path differs (not counted): {printable(traits, 500)}", hanging="  ")
    requirements, points = len(comparison.agreed), plural(len(comparison.agreed_points), "open point")
    lines.say(f"equal: {plural(requirements, 'requirement')}, {points}", hanging="  ")
    if page is not None:
        lines.say(f"page: {printable(page)}", hanging="  ")
    return str(lines)


def _contradicted(comparison: Comparison, entry: ComparedRequirement) -> list[str]:
    """A requirement whose verdicts differ, with the reason of each failure."""
    outcomes = _by_side(comparison, _outcomes(comparison, entry))
    reasons = [
        f"{printable(side.label, 80)}: {printable(reason, REASON_LIMIT, whole_in='result.json')}"
        for side, outcome, reason in zip(comparison.sides, entry.outcomes, entry.reasons, strict=True)
        if outcome in ("fail", "waived")
    ]
    return [f"{printable(entry.id, 60)} · section {entry.section}  {outcomes}", *reasons]


def _one_sided(comparison: Comparison) -> list[tuple[str]]:
    """The requirements that only some sides examined, grouped by their outcomes, and how to examine them."""
    ids: dict[tuple[str, ...], list[str]] = {}
    for entry in comparison.one_sided:
        ids.setdefault(_outcomes(comparison, entry), []).append(entry.id)
    groups = [(f"{_by_side(comparison, outcomes)}: {comma_list(same, 40)}",) for outcomes, same in ids.items()]
    remedy = words.remedy(comparison.one_sided)
    return [*groups, (remedy,)] if remedy else groups


def _difference(comparison: Comparison, one: Difference) -> tuple[str]:
    title = printable(words.difference_title(one), 200)
    return (f"{title}  {_by_side(comparison, one.values)} ({comma_list(one.places, 2)})",)


def _outcomes(comparison: Comparison, entry: ComparedRequirement) -> tuple[str, ...]:
    return tuple(words.side_outcome(entry, side) for side in range(len(comparison.sides)))


def _by_side(comparison: Comparison, values: Sequence[str | None]) -> str:
    """What each side does; sides that do the same are grouped."""
    groups: dict[str | None, list[str]] = {}
    for side, value in zip(comparison.sides, values, strict=True):
        groups.setdefault(value, []).append(printable(side.label, 80))
    return "; ".join(
        f"{one_of(names, 'and')}: {'nothing to compare' if value is None else printable(value, 200)}"
        for value, names in groups.items()
    )
