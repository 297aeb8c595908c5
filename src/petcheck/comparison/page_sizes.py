"""Compares how many animals targets put on a page, regardless of how many they have (section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petcheck.comparison.difference import json_body
from petcheck.comparison.pairing import SideRecord
from petcheck.spec.operations import Operation


@dataclass(frozen=True, slots=True)
class PageSize:
    """How many animals a page held; `cut` if more were known then that could be on it."""

    size: int
    cut: bool


def page_sizes_in(record: SideRecord) -> dict[int, PageSize]:
    """Every answer to GET /pets with 200 and an array, by the index of its exchange."""
    pages: dict[int, PageSize] = {}
    known: set[str] = set()
    for index, entry in sorted(record.entries.items()):
        if entry.request.operation not in (Operation.LIST_PETS, Operation.CREATE_PET) or entry.status not in (200, 201):
            continue
        value = json_body(entry)
        pets = value if isinstance(value, list) else [value]
        known |= {str(pet.get("id")) for pet in pets if isinstance(pet, dict)}
        if entry.request.operation is Operation.LIST_PETS and isinstance(value, list):
            pages[index] = PageSize(len(value), len(known) > len(value))
    return pages


def same_page_size(pages: Sequence[PageSize | None]) -> bool:
    """Whether one server could return all of these pages: a page that was not cut may hold fewer animals."""
    given = [page for page in pages if page is not None]
    cut = {page.size for page in given if page.cut}
    return len(cut) < 2 and all(page.size <= size for page in given for size in cut)
