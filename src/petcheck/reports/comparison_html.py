"""comparison.html: the differences between targets, with exchanges side by side, then everything equal, collapsed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from markupsafe import Markup

from petcheck.comparison.compare import EXAMINED, Comparison
from petcheck.comparison.difference import KINDS
from petcheck.comparison.pairing import Counterparts
from petcheck.reports import comparison_text, templating
from petcheck.reports.side_by_side import side_by_side

_ROOM = 3_000_000  # characters of exchanges side by side; the whole page stays well below 5 MB


def render(comparison: Comparison, reports: Mapping[str, str] = MappingProxyType({})) -> str:
    """The whole page. `reports` are the addresses of the reports that runs have, by the file of the run."""
    return templating.page(
        "comparison.html.jinja",
        "comparison.css",
        comparison=comparison,
        reports=reports,
        words=comparison_text,
        kinds=KINDS,
        examined=EXAMINED,
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
            return Markup(f'<p class="aside"><a href="#pair-{self._numbers[counterparts]}">Shown above</a>.</p>')
        sides = self._comparison.sides
        entries = [
            None if index is None else side.record.entries.get(index)
            for side, index in zip(sides, counterparts, strict=True)
        ]
        aligned = side_by_side(entries, [side.target.base_url for side in sides], [side.run.id for side in sides])
        number = len(self._numbers)
        block: Markup = self._macro(number, [side.label for side in sides], aligned)
        self._left -= len(block)
        if self._left <= 0:
            return None
        self._numbers[counterparts] = number
        return block
