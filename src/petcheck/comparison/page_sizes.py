"""Compares how many animals targets put on a page, regardless of how many they have (section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petcheck.call import Credential
from petcheck.comparison.difference import Difference
from petcheck.comparison.pairing import Counterparts, SideRecord
from petcheck.spec.figures import LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN
from petcheck.spec.operations import Operation

_PATH = Operation.LIST_PETS.path
_UNFILTERED = (_PATH, *(f"{_PATH}?limit={limit}" for limit in (LIMIT_MIN, LIMIT_DEFAULT, LIMIT_MAX)))


@dataclass(frozen=True, slots=True)
class PageSize:
    """How many animals a page held; `cut` if more were known then that could be on it; `index` is its exchange."""

    size: int
    cut: bool
    index: int

    def __str__(self) -> str:
        """In words."""
        return f"{self.size}, though more are known" if self.cut else str(self.size)


def page_sizes_in(record: SideRecord) -> dict[int, PageSize]:
    """Every answer to GET /pets with 200 and an array, by the index of its exchange."""
    pages: dict[int, PageSize] = {}
    known: set[str] = set()
    for index, entry in sorted(record.entries.items()):
        if entry.request.operation not in (Operation.LIST_PETS, Operation.CREATE_PET) or entry.status not in (200, 201):
            continue
        value = entry.json
        pets = value if isinstance(value, list) else [value]
        known |= {str(pet.get("id")) for pet in pets if isinstance(pet, dict)}
        if entry.request.operation is Operation.LIST_PETS and isinstance(value, list):
            pages[index] = PageSize(len(value), len(known) > len(value), index)
    return pages


def same_page_size(pages: Sequence[PageSize | None]) -> bool:
    """Whether one server could return all of these pages: a page that was not cut may hold fewer animals."""
    given = [page for page in pages if page is not None]
    cut = {page.size for page in given if page.cut}
    return len(cut) < 2 and all(page.size <= size for page in given for size in cut)


def compare_page_sizes(records: Sequence[SideRecord]) -> tuple[list[Difference], int]:
    """The unfiltered requests that get pages of different sizes, and how many get pages of the same size."""
    of_sides = [_by_path(record) for record in records]
    groups: dict[tuple[str | None, ...], list[tuple[str, Counterparts]]] = {}
    alike = 0
    for path in dict.fromkeys(path for side in of_sides for path in side):
        found = [side.get(path) for side in of_sides]
        if same_page_size(found):
            alike += sum(page is not None for page in found) > 1
            continue
        values = tuple(str(page) if page else None for page in found)
        place = f"{Operation.LIST_PETS.method} {path}"
        groups.setdefault(values, []).append((place, tuple(page.index if page else None for page in found)))
    return [
        Difference("page size", "", tuple(place for place, _ in rows), values, rows[0][1])
        for values, rows in groups.items()
    ], alike


def _by_path(record: SideRecord) -> dict[str, PageSize]:
    """One page of each unfiltered request whose cut pages all have one size: a cut page if there is one."""
    found: dict[str, list[PageSize]] = {}
    for index, page in page_sizes_in(record).items():
        request = record.requests[index]
        if request.path in _UNFILTERED and request.credential is Credential.VALID:
            found.setdefault(request.path, []).append(page)
    return {
        path: next((page for page in few if page.cut), few[0])
        for path, few in found.items()
        if len({page.size for page in few if page.cut}) < 2
    }
