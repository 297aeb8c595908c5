"""Which exchange of one run answers to which of another: the same check sent the same request, ids and names aside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from petcheck.exchange import Operation
from petcheck.reports.har import Evidence
from petcheck.reports.result import CheckRow
from petcheck.reports.volatile import request_body, request_path

PAIRS = 3
"""Exchanges side by side below one difference, at most."""

Pair: TypeAlias = tuple[int | None, ...]
"""Exchanges that answer to one another, an index for each side; None where that side has none."""

_WORDS = {operation.value: str(operation) for operation in Operation}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it is in every run: the operation in words, the credential, the path, the body."""

    operation: str
    credential: str
    path: str
    body: str | None

    def __str__(self) -> str:
        """In a line: method and path, the credential where it is not the valid key, the body where there is one."""
        method = self.operation.partition(" ")[0]
        with_key = "" if self.credential == "a valid key" else f" with {self.credential}"
        body = f" {self.body}" if self.body is not None else ""
        return f"{method} {self.path}{with_key}{body}"


@dataclass(frozen=True)
class Record:
    """The exchanges of one side by index, and the ways to find them."""

    entries: Mapping[int, Evidence]
    asked: Mapping[int, Asked]
    checks: Mapping[int, frozenset[str]]
    _by_request: Mapping[Asked, Sequence[int]] = field(repr=False)
    _by_check: Mapping[str, Sequence[int]] = field(repr=False)

    def like(self, index: int, other: Record, status: int | None = None) -> int | None:
        """The exchange of this side that answers to exchange `index` of the `other`; None where there is none.

        Of several that sent that request, one that the same checks looked at, and, if it is given, with that
        `status`. Where nobody sent it, what the same check sent in its place.
        """
        asked = other.asked[index]
        checks = other.checks.get(index, frozenset())
        candidates = self._by_request.get(asked, ())
        if candidates:
            return min(
                candidates,
                key=lambda mine: (
                    status is not None and self.entries[mine].status != status,
                    -len(self.checks.get(mine, frozenset()) & checks),
                    mine,
                ),
            )
        # a check that looks at the whole record says nothing of what was sent in place of what
        narrow = [check for check in checks if len(self._by_check.get(check, ())) <= _NARROW]
        near = (
            mine
            for check in sorted(narrow)
            for mine in self._by_check.get(check, ())
            if (self.asked[mine].operation, self.asked[mine].credential) == (asked.operation, asked.credential)
        )
        return next(near, None)


_NARROW = 6  # exchanges of a check that sends something of its own


def record(entries: Iterable[Evidence], checks: Iterable[CheckRow], *, target: str, base_url: str, run: str) -> Record:
    """The record of one target of a run, whose id is `run`."""
    mine = {entry.index: entry for entry in entries if entry.target == target}
    asked = {index: _asked(entry, base_url, run) for index, entry in mine.items()}
    by_request: dict[Asked, list[int]] = {}
    for index in sorted(mine):
        by_request.setdefault(asked[index], []).append(index)
    by_check: dict[str, list[int]] = {}
    looked: dict[int, set[str]] = {}
    for row in checks:
        if row.target == target:
            name = check_name(row)
            for index in row.exchanges:
                if index in mine:
                    by_check.setdefault(name, []).append(index)
                    looked.setdefault(index, set()).add(name)
    return Record(mine, asked, {index: frozenset(names) for index, names in looked.items()}, by_request, by_check)


def check_name(row: CheckRow) -> str:
    """The id of a check without the name of the target, which stands first among its parameters."""
    return re.sub(rf"\[{re.escape(row.target)}(?:-|(?=\]$))", "[", row.id, count=1)


def operation_of(entry: Evidence) -> str:
    """The operation of an exchange, as the document writes it."""
    return _WORDS.get(entry.operation, f"{entry.method} {entry.operation}")


def _asked(entry: Evidence, base_url: str, run: str) -> Asked:
    return Asked(
        operation_of(entry), entry.credential, request_path(entry, base_url), request_body(entry.request_body, run)
    )
