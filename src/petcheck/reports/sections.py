"""The document's sections, by number, as every view of a result heads them."""

from __future__ import annotations

from petcheck.document import TITLES


def title(section: str) -> str:
    """The heading of `section` in the document; empty for a number that it does not have."""
    return TITLES.get(section, "")


def order(section: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts section numbers as the document does: 4 before 4.1 before 4.10 before 5."""
    return tuple((int(part), "") if part.isdecimal() else (1_000_000, part) for part in section.split("."))
