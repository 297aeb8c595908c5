"""The catalogue of requirements, `requirements.yaml`, as frozen values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

from petcheck.spec.document import section_of
from petcheck.spec.files import read_yaml, suite_file
from petcheck.spec.sections import order

Level = Literal["stated", "implied", "open"]

FIRST_SET = "0.1.0"
"""The version that published the first set of requirements; entries without `since` are in it."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One entry: what a server can obey or break, or an open point. The `statement` is petcheck's own wording.

    In force from the day `start` until the day before `until`, if given. `since` is the version of petcheck that
    published it first. `at` are the places of the sentences and table rows that say it, and `also` the sections of
    those that are in another one than `section`.
    """

    id: str
    section: str
    level: Level
    statement: str
    also: tuple[str, ...] = ()
    untestable: str | None = None
    start: date | None = None
    until: date | None = None
    since: str = FIRST_SET
    at: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its id and statement, for tools that show names only."""
        return title(self.id, self.statement)

    @property
    def open(self) -> bool:
        """Whether the document is silent, so that the point is observed and never judged."""
        return self.level == "open"

    def in_force(self, day: date) -> bool:
        """Whether a server must obey it on that day."""
        return (self.start is None or self.start <= day) and (self.until is None or day < self.until)


def title(requirement: str, statement: str) -> str:
    """The id and the statement of a requirement on one line, for tools that show names only."""
    return f"{requirement} {statement.replace('`', '')}"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All entries in the document's order, and the SHA-256 of the file that they come from.

    `silent` has the places of what states nothing that could be tested, each with the reason.
    """

    entries: tuple[Requirement, ...]
    sha256: str
    silent: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Requirement:
        return next(entry for entry in self.entries if entry.id == name)

    def __contains__(self, name: object) -> bool:
        return any(entry.id == name for entry in self.entries)

    @property
    def judged(self) -> tuple[Requirement, ...]:
        """The entries that get a verdict: everything stated or implied."""
        return tuple(entry for entry in self.entries if not entry.open)

    @property
    def observed(self) -> tuple[Requirement, ...]:
        """The open points that a run can observe."""
        return tuple(entry for entry in self.entries if entry.open and not entry.untestable)

    @property
    def sets(self) -> tuple[str, ...]:
        """The versions that published requirements, the oldest first. The set of each has those of the older ones."""
        return tuple(sorted({FIRST_SET, *(entry.since for entry in self.entries)}, key=_numbers))

    def newer_than(self, version: str | None) -> tuple[str, ...]:
        """The ids of the entries that are not yet in the set of a version; none for None, the newest set."""
        sets = self.sets
        later = sets[sets.index(version) + 1 :] if version is not None else ()
        return tuple(entry.id for entry in self.entries if entry.since in later)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def read(path: Path) -> Catalogue:
    """The catalogue of a `requirements.yaml`. Raises `KeyError` or `ValueError` if an entry is incomplete."""
    source = path.read_bytes()
    document = read_yaml(source)
    entries = tuple(
        Requirement(
            id=row["id"],
            section=row["section"],
            level=row["level"],
            statement=row["statement"],
            also=tuple(sorted({section_of(place) for place in row.get("at", ())} - {row["section"]}, key=order)),
            untestable=row.get("untestable"),
            start=row.get("from"),
            until=row.get("until"),
            since=row.get("since", FIRST_SET),
            at=tuple(row.get("at", ())),
        )
        for row in document["requirements"]
    )
    silent = {place: row["reason"] for row in document["silent"] for place in row["at"]}
    return Catalogue(entries, hashlib.sha256(source).hexdigest(), silent)


@cache
def catalogue() -> Catalogue:
    """The catalogue of this suite."""
    return read(suite_file("requirements.yaml"))
