"""Whether targets do the same where the document is silent: the observations of their runs, compared."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from petcheck.reports import sections
from petcheck.reports.paging import Page, same_size
from petcheck.reports.pairing import Pair, Record
from petcheck.reports.result import Observation
from petcheck.reports.volatile import settled

# with these words a check says that it saw nothing
_UNSEEN = ("not observed", "too few to tell", "no list came", "no 401 came")
# these name one answer after the other, and the last ones may be missing
_ONE_BY_ONE = frozenset({"pet-id-not-int64"})
_PAGE = re.compile(r"(?s)(.*), \d+ animals")


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """An open point of the document and what each side does there; None where it was not looked at."""

    id: str
    section: str
    statement: str
    values: tuple[str | None, ...]
    pairs: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class Points:
    """The open points by what became of them, each in the document's order.

    `one_sided` were looked at on some sides only, and are the same there.
    """

    diverging: tuple[OpenPoint, ...]
    one_sided: tuple[OpenPoint, ...]
    agreed: tuple[OpenPoint, ...]


def points(
    observed: Sequence[Mapping[str, Observation]],
    runs: Sequence[str],
    records: Sequence[Record],
    pages: Sequence[Mapping[int, Page]],
) -> Points:
    """The open points of all sides, for each of which there is one entry in every argument.

    `observed` are its observations by id, `runs` the id of its run, `pages` its pages by exchange.
    """
    diverging, one_sided, agreed = [], [], []
    for name in dict.fromkeys(name for by_id in observed for name in by_id):
        rows = [by_id.get(name) for by_id in observed]
        seen = [row if row is not None and not row.value.startswith(_UNSEEN) else None for row in rows]
        first = next(row for row in rows if row is not None)
        values = tuple(row.value if row else None for row in seen)
        point = OpenPoint(name, first.section, first.statement, values, _pairs(seen, records))
        given = {
            _settled(row, run, record) for row, run, record in zip(seen, runs, records, strict=True) if row is not None
        }
        sizes = [
            mine.get(row.exchanges[0]) if row is not None and row.exchanges and _PAGE.fullmatch(row.value) else None
            for row, mine in zip(seen, pages, strict=True)
        ]
        apart = _apart(name, given) or not same_size(sizes)
        if apart:
            diverging.append(point)
        elif None in values and given:
            one_sided.append(point)
        else:
            agreed.append(point)
    return Points(*(tuple(sorted(group, key=_place)) for group in (diverging, one_sided, agreed)))


def _apart(name: str, values: Collection[str]) -> bool:
    if name not in _ONE_BY_ONE:
        return len(values) > 1
    parts = [set(value.split("; ")) for value in values]
    return any(not (one <= other or other <= one) for one, other in combinations(parts, 2))


def _place(point: OpenPoint) -> tuple[tuple[int, str], ...]:
    return sections.order(point.section)


def _settled(row: Observation, run: str, record: Record) -> str:
    """What was observed, without what changes from run to run, reason phrases and the number of animals."""
    value = row.value
    for status, reason in {(entry.status, entry.reason) for entry in record.entries.values() if entry.reason}:
        value = value.replace(f"{status} {reason}", str(status))
    page = _PAGE.fullmatch(value)
    return settled(f"{page[1]}, a page" if page else value, run)


def _pairs(rows: Sequence[Observation | None], records: Sequence[Record]) -> tuple[Pair, ...]:
    """The exchanges that show an open point, the first of each side."""
    pair = tuple(
        next((index for index in row.exchanges if index in record.entries), None) if row else None
        for row, record in zip(rows, records, strict=True)
    )
    return (pair,) if any(index is not None for index in pair) else ()
