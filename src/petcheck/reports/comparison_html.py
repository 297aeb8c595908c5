"""comparison.html: what differs between targets first, both exchanges side by side, then all that is equal, folded.

How a page is made, harmless and of one piece, is in `templating`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from petcheck.reports import comparison_words, digest, sections, templating
from petcheck.reports.comparison import EXAMINED, Comparison
from petcheck.reports.divergence import KINDS
from petcheck.reports.marking import HEADERS, Line, side_by_side
from petcheck.reports.pairing import Pair

if TYPE_CHECKING:
    from markupsafe import Markup

LISTED = 200
"""Differences of one kind that the page lists."""

_ROOM = 3_000_000  # characters of exchanges side by side; with the rest, a page stays well below 5 MB


def render(comparison: Comparison) -> str:
    """The whole page."""
    return templating.page(
        "comparison.html.jinja",
        "comparison.css",
        comparison=comparison,
        words=comparison_words,
        digest=digest,
        place=_place,
        kinds=KINDS,
        examined=EXAMINED,
        listed=LISTED,
        headers=HEADERS,
        pieces=_pieces,
        blocks=_Blocks(comparison),
    )


class _Blocks:
    """The exchanges side by side as markup, as far as there is room."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._left = _ROOM
        self._shown: dict[Pair, int] = {}
        module: Any = templating.environment().get_template("pair.html.jinja").module
        self._macro = module.pair

    def of(self, pair: Pair) -> Markup | None:
        """The block of a pair, or a link to where it stands already; None where the page has no room left for it."""
        if self._left <= 0:
            return None
        if pair in self._shown:
            again = f'<p class="aside"><a href="#pair-{self._shown[pair]}">Shown above</a>.</p>'
            return templating.markup(again)
        sides = self._comparison.sides
        entries = [
            None if index is None else side.record.entries.get(index) for side, index in zip(sides, pair, strict=True)
        ]
        shown = side_by_side(entries, [side.target.base_url for side in sides], [side.run.id for side in sides])
        number = len(self._shown)
        block: Markup = self._macro(number, [side.label for side in sides], shown, _pieces, _differs)
        self._left -= len(block)
        if self._left <= 0:
            return None
        self._shown[pair] = number
        return block


def _pieces(line: Line) -> Markup:
    """Pieces of visible text as markup; those that differ are marked."""
    parts = (
        templating.markup(f"<mark>{templating.escaped(piece.text)}</mark>")
        if piece.differs
        else templating.escaped(piece.text)
        for piece in line
    )
    return templating.markup("").join(parts)


def _differs(line: Iterable[Any]) -> bool:
    """Whether any piece of a line differs."""
    return any(piece.differs for piece in line)


def _place(section: str) -> str:
    """A section by its number and title."""
    return f"{section} {sections.title(section)}".rstrip()
