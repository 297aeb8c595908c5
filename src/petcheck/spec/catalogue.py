"""The catalogue of requirements, `requirements.yaml`, as frozen values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

from petcheck.spec.files import suite_file

Level = Literal["stated", "implied", "open"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One entry: a sentence or table row that a server can obey or break, or an open point.

    In force from the day `start` until the day before `until`, if given.
    """

    id: str
    section: str
    level: Level
    statement: str
    also: tuple[str, ...] = ()
    untestable: str | None = None
    start: date | None = None
    until: date | None = None

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
    """All entries in the document's order, and the SHA-256 of the file that they come from."""

    entries: tuple[Requirement, ...]
    sha256: str

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


def read(path: Path) -> Catalogue:
    """The catalogue of a `requirements.yaml`. Raises `KeyError` or `ValueError` if an entry is incomplete."""
    import yaml

    source = path.read_bytes()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    entries = tuple(
        Requirement(
            id=row["id"],
            section=row["section"],
            level=row["level"],
            statement=row["statement"],
            also=tuple(row.get("also", ())),
            untestable=row.get("untestable"),
            start=row.get("from"),
            until=row.get("until"),
        )
        for row in yaml.load(source, loader)  # noqa: S506 - CSafeLoader is the safe one
    )
    return Catalogue(entries, hashlib.sha256(source).hexdigest())


@cache
def catalogue() -> Catalogue:
    """The catalogue of this suite."""
    return read(suite_file("requirements.yaml"))
