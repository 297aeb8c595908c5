"""How many animals a target puts on a page, told apart from how many it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from petcheck.reports.divergence import Divergence, json_of
from petcheck.reports.pairing import Record

_UNFILTERED = ("/pets", "/pets?limit=1", "/pets?limit=20", "/pets?limit=100")


@dataclass(frozen=True, slots=True)
class Page:
    """How many animals a page held, and whether it was cut: more were known by then that could stand on it."""

    size: int
    cut: bool
    index: int

    def __str__(self) -> str:
        """In words."""
        return f"{self.size}, though more are known" if self.cut else str(self.size)


def pages_in(record: Record) -> dict[int, Page]:
    """Every page that came with 200 and an array, by the index of its exchange."""
    pages: dict[int, Page] = {}
    known: set[str] = set()
    for index, entry in sorted(record.entries.items()):
        if entry.operation not in ("listPets", "createPet") or entry.status not in (200, 201):
            continue
        value = json_of(entry)
        pets = value if isinstance(value, list) else [value]
        known |= {str(pet.get("id")) for pet in pets if isinstance(pet, dict)}
        if entry.operation == "listPets" and isinstance(value, list):
            pages[index] = Page(len(value), len(known) > len(value), index)
    return pages


def same_size(pages: Sequence[Page | None]) -> bool:
    """Whether pages hold as many animals as one server would give: one that was not cut may hold fewer."""
    given = [page for page in pages if page is not None]
    cut = {page.size for page in given if page.cut}
    return len(cut) < 2 and all(page.size <= size for page in given for size in cut)


def page_sizes(records: Sequence[Record], pages: Sequence[Mapping[int, Page]]) -> tuple[list[Divergence], int]:
    """Where the same unfiltered request gets pages of another size; and how many do not."""
    of_sides = [_by_path(record, mine) for record, mine in zip(records, pages, strict=True)]
    groups: dict[tuple[str | None, ...], list[tuple[str, tuple[int | None, ...]]]] = {}
    alike = 0
    for path in dict.fromkeys(path for side in of_sides for path in side):
        found = [side.get(path) for side in of_sides]
        if same_size(found):
            alike += sum(page is not None for page in found) > 1
            continue
        values = tuple(str(page) if page else None for page in found)
        groups.setdefault(values, []).append((f"GET {path}", tuple(page.index if page else None for page in found)))
    return [
        Divergence("page size", "", tuple(place for place, _ in rows), values, rows[0][1])
        for values, rows in groups.items()
    ], alike


def _by_path(record: Record, pages: Mapping[int, Page]) -> dict[str, Page]:
    """The first page of each unfiltered request that got pages of one size only."""
    found: dict[str, list[Page]] = {}
    for index, page in pages.items():
        if record.asked[index].path in _UNFILTERED and record.asked[index].credential == "a valid key":
            found.setdefault(record.asked[index].path, []).append(page)
    return {path: few[0] for path, few in found.items() if len({page.size for page in few if page.cut}) < 2}
