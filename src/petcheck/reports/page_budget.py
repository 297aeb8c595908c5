"""Chooses which exchanges report.html shows, and where: a page of many megabytes is too slow to open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from petcheck.exchange import Exchange
from petcheck.judging.verdicts import Verdict
from petcheck.reports import exchange_text
from petcheck.results.deciding import by_index
from petcheck.results.result import Result
from petcheck.sanitize import printable
from petcheck.spec.operations import Operation
from petcheck.words import plural

_IN_PLACE = 3  # deciding exchanges that are shown below a failure; the others are linked
_LINKS = 40  # exchanges that are linked below one verdict
_SENT = 60  # characters of a request's body in one line
_APPENDIX_ROOM = 2_500_000  # characters of markup; the whole page stays well below 5 MB
_IN_PLACE_ROOM = 1_000_000

_Key = tuple[str, int]


class PageBudget:
    """The exchanges of a page: each once in the appendix until that is full, the deciding ones also below verdicts.

    `markup` renders one exchange; its second argument is the part to mark. `total` counts all exchanges.
    """

    def __init__(self, result: Result, evidence: Sequence[Exchange], markup: Callable[[Exchange, str], Markup]) -> None:
        self._result = result
        self._markup = markup
        self._entries = by_index(evidence)
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
    def appendix(self) -> list[tuple[Exchange, str, Markup]]:
        """The exchanges of the appendix in the order sent, each with its anchor and its markup."""
        order = sorted(self._kept, key=lambda key: (self._numbers[key[0]], key[1]))
        return [(self._entries[key], self.anchor(*key), self._kept[key]) for key in order]

    def anchor(self, target: str, index: int) -> str:
        """The URL fragment of an exchange in the appendix; empty if it is not there."""
        return f"x{self._numbers[target]}-{index}" if (target, index) in self._kept else ""

    def line(self, target: str, index: int) -> str:
        """An exchange in one line: number, request, credential, body sent, status, animals on a page, time."""
        entry = self._entries.get((target, index))
        if entry is None:
            return f"#{index}"
        parts = [exchange_text.request_of(entry, self._result), entry.request.credential.value]
        if entry.request.body is not None:
            parts.append(_shortened(entry.request.body))
        answer = [exchange_text.status_or_error(entry), _animals(entry), exchange_text.milliseconds(entry)]
        return f"#{index} {', '.join(parts)} → {' · '.join(filter(None, answer))}"

    def links(self, row: Verdict) -> list[tuple[str, str, bool]]:
        """For each exchange linked below a verdict: its line, its anchor (may be empty), and whether it decides."""
        deciding = set(row.decisive)
        return [
            (self.line(row.target, index), self.anchor(row.target, index), index in deciding) for index in _linked(row)
        ]

    def in_place(self, row: Verdict) -> list[tuple[str, str, str, Markup, Exchange]]:
        """The first of the deciding exchanges, to show below a verdict other than pass.

        For each: its role as a property example, its line, the deciding part in words, its markup with that part
        marked, and itself.
        """
        blocks = []
        for index in row.decisive_by_weight[:_IN_PLACE]:
            entry = self._entries.get((row.target, index))
            if entry is None:
                continue
            block = self._markup(entry, row.part(index))
            if len(block) <= self._left_in_place:
                self._left_in_place -= len(block)
                part = exchange_text.decided_by(entry, row.part(index))
                blocks.append((_of_example(row, index), self.line(row.target, index), part, block, entry))
        return blocks


def _shortened(body: bytes) -> str:
    text = body.decode("utf-8", "backslashreplace")
    shown = printable(text, len(text))
    return f"{shown[:_SENT]}…" if len(shown) > _SENT else shown or "an empty body"


def _animals(entry: Exchange) -> str:
    """How many animals a page shows; empty for any other answer."""
    if entry.request.operation is not Operation.LIST_PETS or entry.status != 200:
        return ""
    page = replace(entry.heard).parsed.value  # of a copy, so that it does not stay in memory
    return plural(len(page), "animal") if isinstance(page, list) else ""


def _of_example(row: Verdict, index: int) -> str:
    if row.example is None:
        return ""
    return {row.example.simplest: "simplest example", row.example.found: "as found"}.get(index, "")


def _linked(row: Verdict) -> tuple[int, ...]:
    """The exchanges linked below a verdict: those that decide, then the others, at most _LINKS."""
    deciding = set(row.decisive)
    return (*row.decisive_by_weight, *(index for index in row.exchanges if index not in deciding))[:_LINKS]


def _by_weight(result: Result, entries: Mapping[_Key, Exchange]) -> Iterator[Exchange]:
    """The exchanges of the result's targets, each once, the most important first.

    First those that decide a verdict other than pass, then those of observations and other verdicts, then the rest.
    """
    judged = [row for row in result.requirements if row.outcome != "pass"]
    ordered = [
        *((row.target, row.decisive_by_weight[:_IN_PLACE]) for row in judged),
        *((row.target, row.decisive) for row in judged),
        *((observation.target, observation.exchanges[:_LINKS]) for observation in result.observations),
        *((row.target, _linked(row)) for row in result.requirements),
    ]
    names = {target.name for target in result.targets}
    rest = (key for key in entries if key[0] in names)
    for key in dict.fromkeys([*((target, index) for target, indices in ordered for index in indices), *rest]):
        if key in entries:
            yield entries[key]
