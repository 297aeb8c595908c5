"""A comparison on the terminal: what differs, the gravest first, and where the page is."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from petcheck.reports import comparison_words as words
from petcheck.reports.comparison import Comparison, Requirement
from petcheck.reports.digest import listed, plural
from petcheck.reports.visible import REASON_LIMIT, visible

_BOLD, _RED, _GREEN = "1", "31", "32"
_SHOWN = 12  # differences of one kind; the page has them all
_NARROWEST = 40


def render(comparison: Comparison, *, width: int, colour: bool, page: str) -> str:
    """The comparison as text, without a line feed at its end.

    `width` is the terminal's in columns (taken as 40 where it is less). With `colour`, ANSI colours support the words,
    never replace them. `page` is where comparison.html was written.
    """
    lines = _Lines(max(width, _NARROWEST), colour)
    lines.say(words.headline(comparison), code=f"{_BOLD};{_RED if comparison.different else _GREEN}")
    for one in comparison.circumstances:
        told = "; ".join(
            f"{visible(side.label, 80)}: {visible(value, 80)}"
            for side, value in zip(comparison.sides, one.values, strict=True)
        )
        lines.say(f"{one.name}: {told}", "  ")
    _verdicts(lines, comparison, comparison.contradicted, "verdicts that differ")
    if comparison.one_sided:
        lines.head("not examined everywhere, so not shown to be equal")
        alike: dict[tuple[str, ...], list[str]] = {}
        for entry in comparison.one_sided:
            said = tuple(words.outcome(entry, side) for side in range(len(comparison.sides)))
            alike.setdefault(said, []).append(entry.id)
        for said, ids in alike.items():
            lines.say(f"{_by_side(comparison, said)}: {listed(ids, 40)}", "  ")
        lines.say(words.remedy(comparison.one_sided), "  ")
    if comparison.diverging:
        lines.head("open points done otherwise; the document allows all of it")
        for point in comparison.diverging:
            lines.say(f"{visible(point.id, 60)}  {_by_side(comparison, point.values)}", "  ")
    if comparison.divergences:
        lines.head("other behaviour that differs")
        for divergence in comparison.divergences[:_SHOWN]:
            where = listed(divergence.places, 2)
            lines.say(
                f"{visible(words.title(divergence), 200)}  {_by_side(comparison, divergence.values)} ({where})", "  "
            )
        if len(comparison.divergences) > _SHOWN:
            lines.say(f"and {len(comparison.divergences) - _SHOWN} more, on the page", "  ")
    lines.blank()
    if comparison.points_one_sided:
        points = listed([point.id for point in comparison.points_one_sided], 40)
        lines.say(f"open points not looked at everywhere, which does not count: {points}")
    lines.say(
        f"equal: {plural(len(comparison.agreed), 'requirement')}, {plural(len(comparison.agreed_points), 'open point')}"
    )
    lines.say(f"page: {visible(page)}")
    return "\n".join(lines.all)


class _Lines:
    """Lines of at most `width` columns."""

    def __init__(self, width: int, colour: bool) -> None:
        self.all: list[str] = []
        self._width = width
        self._colour = colour

    def blank(self) -> None:
        self.all.append("")

    def head(self, text: str) -> None:
        self.blank()
        self.say(text, code=_BOLD)

    def say(self, text: str, indent: str = "", *, code: str = "") -> None:
        wrapped = textwrap.wrap(
            text, self._width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
        )
        self.all += [f"\x1b[{code}m{line}\x1b[0m" if code and self._colour else line for line in wrapped]


def _verdicts(lines: _Lines, comparison: Comparison, entries: Sequence[Requirement], head: str) -> None:
    if entries:
        lines.head(head)
    for entry in entries[:_SHOWN]:
        said = [words.outcome(entry, side) for side in range(len(comparison.sides))]
        lines.say(f"{visible(entry.id, 60)} · section {entry.section}  {_by_side(comparison, said)}", "  ")
        for side, outcome in enumerate(entry.outcomes):
            if outcome in ("fail", "waived"):
                reason = visible(entry.reasons[side], REASON_LIMIT, whole_in="result.json")
                lines.say(f"{visible(comparison.sides[side].label, 80)}: {reason}", "    ")
    if len(entries) > _SHOWN:
        lines.say(f"and {len(entries) - _SHOWN} more, on the page", "  ")


def _by_side(comparison: Comparison, values: Sequence[str | None]) -> str:
    """What each side does, side by side; sides that do the same together."""
    groups: dict[str | None, list[str]] = {}
    for side, value in zip(comparison.sides, values, strict=True):
        groups.setdefault(value, []).append(visible(side.label, 80))
    return "; ".join(
        f"{words.joined(names)}: {'nothing to compare' if value is None else visible(value, 200)}"
        for value, names in groups.items()
    )
