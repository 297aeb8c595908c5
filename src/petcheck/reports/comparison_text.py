"""A comparison on the terminal: the differences, most serious first, and where the page is."""

from __future__ import annotations

from collections.abc import Sequence

from petcheck.comparison.compare import ComparedRequirement, Comparison
from petcheck.reports import comparison_words as words
from petcheck.reports.text_lines import BOLD, GREEN, RED, TextLines
from petcheck.sanitize import REASON_LIMIT, comma_list, printable
from petcheck.words import plural

_LISTED = 12  # differences of one kind; the page lists them all
_INDENT = ("  ", "    ")  # of the first line, and of the lines that it wraps into


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
        lines.say(f"{one.name}: {values}", *_INDENT)
    _contradicted(lines, comparison)
    if comparison.one_sided:
        _one_sided(lines, comparison)
    if comparison.differing_points:
        lines.head("open points that differ (the document allows it)")
        for point in comparison.differing_points:
            lines.say(f"{printable(point.id, 60)}  {_by_side(comparison, point.values)}", *_INDENT)
    if comparison.differences:
        lines.head("other behaviour that differs")
        for difference in comparison.differences[:_LISTED]:
            title, where = printable(words.difference_title(difference), 200), comma_list(difference.places, 2)
            lines.say(f"{title}  {_by_side(comparison, difference.values)} ({where})", *_INDENT)
        _more(lines, len(comparison.differences))
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


def _contradicted(lines: TextLines, comparison: Comparison) -> None:
    """The requirements whose verdicts differ, with the reason of each failure."""
    if comparison.contradicted:
        lines.head("verdicts that differ")
    for entry in comparison.contradicted[:_LISTED]:
        outcomes = _by_side(comparison, _outcomes(comparison, entry))
        lines.say(f"{printable(entry.id, 60)} · section {entry.section}  {outcomes}", *_INDENT)
        for side, outcome in enumerate(entry.outcomes):
            if outcome in ("fail", "waived"):
                reason = printable(entry.reasons[side], REASON_LIMIT, whole_in="result.json")
                lines.say(f"{printable(comparison.sides[side].label, 80)}: {reason}", "    ", "      ")
    _more(lines, len(comparison.contradicted))


def _one_sided(lines: TextLines, comparison: Comparison) -> None:
    """The requirements that only some sides examined, grouped by their outcomes."""
    lines.head("not examined everywhere, so not known to be equal")
    ids: dict[tuple[str, ...], list[str]] = {}
    for entry in comparison.one_sided:
        ids.setdefault(_outcomes(comparison, entry), []).append(entry.id)
    for outcomes, same in ids.items():
        lines.say(f"{_by_side(comparison, outcomes)}: {comma_list(same, 40)}", *_INDENT)
    if remedy := words.remedy(comparison.one_sided):
        lines.say(remedy, *_INDENT)


def _outcomes(comparison: Comparison, entry: ComparedRequirement) -> tuple[str, ...]:
    return tuple(words.side_outcome(entry, side) for side in range(len(comparison.sides)))


def _more(lines: TextLines, number: int) -> None:
    if number > _LISTED:
        lines.say(f"and {number - _LISTED} more, on the page", *_INDENT)


def _by_side(comparison: Comparison, values: Sequence[str | None]) -> str:
    """What each side does; sides that do the same are grouped."""
    groups: dict[str | None, list[str]] = {}
    for side, value in zip(comparison.sides, values, strict=True):
        groups.setdefault(value, []).append(printable(side.label, 80))
    return "; ".join(
        f"{words.and_list(names)}: {'nothing to compare' if value is None else printable(value, 200)}"
        for value, names in groups.items()
    )
