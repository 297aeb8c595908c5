"""The sections of the document, by number."""

from __future__ import annotations

TITLES = {
    "1": "What the service does",
    "2": "Resources and their fields",
    "3": "States and transitions",
    "4": "Endpoints",
    "4.1": "List all animals",
    "4.2": "Add an animal",
    "4.3": "Get an animal (deprecated)",
    "4.4": "Other operations",
    "5": "Authentication",
    "6": "Events",
    "7": "Errors",
    "8": "Limits",
    "9": "Versioning",
}


def title(section: str) -> str:
    """The heading of `section` in the document; empty for a number that it does not have."""
    return TITLES.get(section, "")


def place(section: str) -> str:
    """A section by its number and its heading."""
    return f"{section} {title(section)}".rstrip()


def order(section: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts section numbers as the document does: 4 before 4.1 before 4.10 before 5."""
    return tuple((int(part), "") if part.isdecimal() else (1_000_000, part) for part in section.split("."))
