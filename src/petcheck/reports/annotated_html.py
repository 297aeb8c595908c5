"""annotated.html: the interface document, with the verdicts of runs in the margin of each sentence and table row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from petcheck.grouping import grouped
from petcheck.judging.verdicts import Verdict
from petcheck.reports import templating
from petcheck.reports.templating import slug
from petcheck.results import fleet
from petcheck.results.findings import Observation, TargetInfo
from petcheck.results.result import Result
from petcheck.sanitize import printable
from petcheck.spec.catalogue import Catalogue, Requirement
from petcheck.spec.document import Block, Passage, section_of
from petcheck.words import plural

FILE = "annotated.html"

_REFS = 3  # exchanges that are linked for one verdict
_WORDS = 200  # characters of a sentence in a line


@dataclass(frozen=True)
class SourceDocument:
    """A document as the catalogue knows it: its `blocks`, and the sha256 of its bytes in hex."""

    blocks: tuple[Block, ...]
    sha256: str
    catalogue: Catalogue

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """All its sentences and table rows."""
        return tuple(one for block in self.blocks for one in block.passages)

    @cached_property
    def entries(self) -> Mapping[str, tuple[Requirement, ...]]:
        """The entries of the catalogue at each place that has some."""
        found: dict[str, tuple[Requirement, ...]] = {}
        for entry in self.catalogue.entries:
            for place in entry.at:
                found[place] = (*found.get(place, ()), entry)
        return found

    @cached_property
    def carrying(self) -> tuple[Passage, ...]:
        """Those that carry a requirement or an open point."""
        return tuple(one for one in self.passages if one.place in self.entries)

    @cached_property
    def silent(self) -> tuple[tuple[Passage, str], ...]:
        """Those that state nothing that could be tested, each with the catalogue's reason."""
        reasons = self.catalogue.silent
        return tuple((one, reasons[one.place]) for one in self.passages if one.place in reasons)

    @cached_property
    def unknown(self) -> tuple[Passage, ...]:
        """Those that the catalogue does not know: the document was edited."""
        return tuple(one for one in self.passages if one.place not in {*self.entries, *self.catalogue.silent})

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """What the catalogue knows and the document no longer has, in words."""
        here = {one.place for one in self.passages}
        lines = [
            f"{entry.id}: its sentence in section {section_of(place)} is no longer found"
            for entry in self.catalogue.entries
            for place in entry.at
            if place not in here
        ]
        silent = sum(place not in here for place in self.catalogue.silent)
        note = f"{plural(silent, 'sentence')} without a requirement {'is' if silent == 1 else 'are'} no longer found"
        return (*dict.fromkeys(lines), *([note] if silent else []))

    @property
    def edited(self) -> bool:
        """Whether it is not the document that the catalogue knows."""
        return bool(self.lost or self.unknown)


@dataclass(frozen=True, slots=True)
class JudgedTarget:
    """A margin: a target of a run, the address of the run's report, and the anchors that the report has, if any.

    `title` is what it is called: two runs may have a target of the same name.
    """

    title: str
    result: Result
    target: TargetInfo
    report: str = ""
    anchors: frozenset[str] = frozenset()

    def address(self, anchor: str) -> str:
        """Where the report shows it; empty if it does not."""
        return f"{self.report}#{anchor}" if anchor in self.anchors else ""

    def refs(self, exchanges: Sequence[int]) -> list[tuple[int, str]]:
        """The first of some exchanges, each with its address in the report."""
        number = self.result.targets.index(self.target)
        return [(index, self.address(f"x{number}-{index}")) for index in exchanges[:_REFS]]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a margin says of one entry: the outcome as a class and in words, why, and the exchanges that show it."""

    id: str
    outcome: str
    word: str
    reason: str
    address: str
    refs: Sequence[tuple[int, str]]


def render(read: SourceDocument, name: str, sides: Sequence[JudgedTarget]) -> str:
    """The whole page. `name` is that of the document's file."""
    marks = [_marks(read, side) for side in sides]
    silent = {passage.place: reason for passage, reason in read.silent}
    return templating.page(
        "annotated.html.jinja",
        "annotated.css",
        read=read,
        name=name,
        sides=sides,
        marks=lambda passage: [each.get(passage.place, []) for each in marks],
        worst=_worst,
        silent=silent,
        entries=read.entries,
    )


def _marks(read: SourceDocument, side: JudgedTarget) -> dict[str, list[Mark]]:
    """The marks of a margin by place. A reason is beside the first place of its entry only."""
    rows: dict[str, Any] = {row.id: row for row in side.result.observations if row.target == side.target.name}
    rows |= {row.id: row for row in side.result.rows_of(side.target.name)}
    beside = [(passage.place, entry) for passage in read.carrying for entry in read.entries[passage.place]]
    first = {entry.id: place for place, entry in reversed(beside)}
    return grouped(
        (place, _mark(entry, rows.get(entry.id), side, reason=first[entry.id] == place)) for place, entry in beside
    )


def _mark(entry: Requirement, row: Verdict | Observation | None, side: JudgedTarget, *, reason: bool) -> Mark:
    if isinstance(row, Verdict):
        shown = row.decisive_by_weight or row.exchanges[:1]
        why = row.reason if reason and row.outcome != "pass" else ""
        return Mark(entry.id, slug(row.standing), row.standing, why, side.address(entry.id), side.refs(shown))
    if row is not None:
        address = side.address(f"point-{entry.id}")
        return Mark(entry.id, "open", f"open: {row.value}", "", address, side.refs(row.exchanges[:1]))
    if entry.open:
        return Mark(entry.id, "open", "open: not tested", (entry.untestable or "") if reason else "", "", ())
    return Mark(entry.id, "not-run", "not judged", "", "", ())


def _worst(marks: Sequence[Mark]) -> str:
    """The outcome of the marks that a reader must look at first."""
    order = (*fleet.WORST_FIRST, "n-a", "open")
    return min((mark.outcome for mark in marks), key=order.index, default="")


def listed(read: SourceDocument) -> Iterator[str]:
    """A line for each sentence or row that no requirement covers: its section and words, and why, or that it is new."""
    reasons = {passage.place: reason for passage, reason in read.silent}
    for passage in read.passages:
        if passage.place not in read.entries:
            why = reasons.get(passage.place, "new: the catalogue does not know it")
            yield f'{section_of(passage.place)} "{printable(passage.words, _WORDS, whole_in="the document")}" {why}'
