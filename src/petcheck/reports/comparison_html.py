"""comparison.html: the differences between targets, with exchanges side by side, then everything equal, collapsed."""

from __future__ import annotations

from markupsafe import Markup

from petcheck.comparison.compare import EXAMINED, Comparison
from petcheck.comparison.difference import KINDS
from petcheck.comparison.pairing import Counterparts
from petcheck.reports import comparison_text, templating
from petcheck.reports.side_by_side import Line, side_by_side
from petcheck.results import totals
from petcheck.sanitize import HEADER_LIMIT

LISTED = 200
"""The most differences of one kind that the page lists."""

_ROOM = 3_000_000  # characters of exchanges side by side; the whole page stays well below 5 MB


def render(comparison: Comparison) -> str:
    """The whole page."""
    return templating.page(
        "comparison.html.jinja",
        "comparison.css",
        comparison=comparison,
        words=comparison_text,
        totals=totals,
        kinds=KINDS,
        examined=EXAMINED,
        listed=LISTED,
        headers=HEADER_LIMIT,
        blocks=_Blocks(comparison),
    )


class _Blocks:
    """The exchanges side by side as markup, until the page is full."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._left = _ROOM
        self._numbers: dict[Counterparts, int] = {}
        self._macro = templating.macro("pair")

    def of(self, counterparts: Counterparts) -> Markup | None:
        """The block of these exchanges, or a link to it if the page has it already; None if the page is full."""
        if self._left <= 0:
            return None
        if counterparts in self._numbers:
            link = f'<p class="aside"><a href="#pair-{self._numbers[counterparts]}">Shown above</a>.</p>'
            return Markup(link)
        sides = self._comparison.sides
        entries = [
            None if index is None else side.record.entries.get(index)
            for side, index in zip(sides, counterparts, strict=True)
        ]
        aligned = side_by_side(entries, [side.target.base_url for side in sides], [side.run.id for side in sides])
        number = len(self._numbers)
        block: Markup = self._macro(number, [side.label for side in sides], aligned, templating.marked_up, _differs)
        self._left -= len(block)
        if self._left <= 0:
            return None
        self._numbers[counterparts] = number
        return block


def _differs(line: Line) -> bool:
    """Whether any piece of a line differs."""
    return any(piece.marked for piece in line)
