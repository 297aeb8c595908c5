"""Which exchanges report.html shows, and where: a page that weighs megabytes is one that nobody opens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from petcheck.reports import digest, marked
from petcheck.reports.har import Evidence
from petcheck.reports.result import RequirementRow, Result
from petcheck.reports.visible import visible

if TYPE_CHECKING:
    from markupsafe import Markup

IN_PLACE = 3
"""Deciding exchanges that stand below a failure; the others are linked."""

LINKS = 40
"""Exchanges that are listed below one verdict."""

_APPENDIX_ROOM = 2_500_000  # characters of markup; with what stands in place, a page stays well below 5 MB
_IN_PLACE_ROOM = 1_000_000

_Key = tuple[str, int]


class ShownExchanges:
    """The exchanges of a page: each once in the appendix as far as there is room, the deciding ones in place too.

    `markup` makes the block of one exchange, given the part of it that is to be marked. `total` is how many there are.
    """

    def __init__(self, result: Result, evidence: Sequence[Evidence], markup: Callable[[Evidence, str], Markup]) -> None:
        self._result = result
        self._markup = markup
        self._entries = {(entry.target, entry.index): entry for entry in evidence}
        self._numbers = {target.name: number for number, target in enumerate(result.targets)}
        self._left_in_place = _IN_PLACE_ROOM
        self._kept: dict[_Key, Markup] = {}
        self.total = len(evidence)
        left = _APPENDIX_ROOM
        for entry in _by_weight(result, self._entries):
            block = markup(entry, "")
            left -= len(block)
            if left < 0:
                break
            self._kept[entry.target, entry.index] = block

    @property
    def appendix(self) -> list[tuple[Evidence, str, Markup]]:
        """What the appendix holds, in the order sent: the exchange, its anchor, its block."""
        order = sorted(self._kept, key=lambda key: (self._numbers[key[0]], key[1]))
        return [(self._entries[key], self.anchor(*key), self._kept[key]) for key in order]

    def anchor(self, target: str, index: int) -> str:
        """The fragment that leads to an exchange in the appendix; empty where it is not there."""
        return f"x{self._numbers[target]}-{index}" if (target, index) in self._kept else ""

    def line(self, target: str, index: int) -> str:
        """An exchange in one line: number, request, what came, time."""
        entry = self._entries.get((target, index))
        if entry is None:
            return f"#{index}"
        path = digest.path_of(entry, self._result)
        return f"#{index} {visible(entry.method, 20)} {path} → {digest.came(entry)} · {digest.milliseconds(entry)}"

    def links(self, row: RequirementRow) -> list[tuple[str, str, bool]]:
        """For each exchange listed below a verdict: its line, its anchor or nothing, and whether it decides."""
        deciding = set(row.decisive)
        return [
            (self.line(row.target, index), self.anchor(row.target, index), index in deciding) for index in _listed(row)
        ]

    def in_place(self, row: RequirementRow) -> list[tuple[str, str, str, Markup]]:
        """The first of the deciding exchanges, for below a verdict that is no pass.

        Each with what it is of a property example, with its line, with the part that decides in words, and as a block
        in which that is marked.
        """
        blocks = []
        for index in row.telling[:IN_PLACE]:
            entry = self._entries.get((row.target, index))
            if entry is None:
                continue
            block = self._markup(entry, row.part(index))
            if len(block) <= self._left_in_place:
                self._left_in_place -= len(block)
                told = marked.words(entry, row.part(index))
                blocks.append((_of_example(row, index), self.line(row.target, index), told, block))
        return blocks


def _of_example(row: RequirementRow, index: int) -> str:
    if row.example is None:
        return ""
    return {row.example.simplest: "simplest example", row.example.found: "as found"}.get(index, "")


def _listed(row: RequirementRow) -> tuple[int, ...]:
    """The exchanges listed below a verdict: those that decide, then the others, at most LINKS."""
    deciding = set(row.decisive)
    return (*row.telling, *(index for index in row.exchanges if index not in deciding))[:LINKS]


def _by_weight(result: Result, entries: dict[_Key, Evidence]) -> Iterator[Evidence]:
    """The exchanges of the result's targets, each once, the most telling first.

    First what decides a verdict other than pass, then what any verdict or observation lists, then the rest.
    """
    names = {target.name for target in result.targets}
    left = {key: entry for key, entry in entries.items() if entry.target in names}
    for key in _keys(result):
        entry = left.pop(key, None)
        if entry is not None:
            yield entry
    yield from left.values()


def _keys(result: Result) -> Iterator[_Key]:
    judged = [row for row in result.requirements if row.outcome != "pass"]
    for row in judged:
        yield from ((row.target, index) for index in row.telling[:IN_PLACE])
    for row in judged:
        yield from ((row.target, index) for index in row.decisive)
    for observation in result.observations:
        yield from ((observation.target, index) for index in observation.exchanges[:LINKS])
    for row in result.requirements:
        yield from ((row.target, index) for index in _listed(row))
