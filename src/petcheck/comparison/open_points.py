"""Compares the observations of runs: whether targets behave the same where the document is silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from petcheck.comparison.difference import contradict
from petcheck.comparison.normalize import normalized
from petcheck.comparison.page_sizes import PageSize, same_page_size
from petcheck.comparison.pairing import Counterparts, SideRecord
from petcheck.results.result import Observation
from petcheck.spec import sections

# what one side does at an open point, in the form that is compared
_Behaviour = frozenset[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class ComparedPoint:
    """An open point of the document and what each side does there; None if the run did not see it."""

    id: str
    section: str
    statement: str
    values: tuple[str | None, ...]
    exchanges: tuple[Counterparts, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedPoints:
    """The open points by the result of the comparison, each group in the document's order.

    `one_sided` were seen on some sides only, and are equal there.
    """

    differing: tuple[ComparedPoint, ...]
    one_sided: tuple[ComparedPoint, ...]
    agreed: tuple[ComparedPoint, ...]


def compare_open_points(
    observed: Sequence[Mapping[str, Observation]],
    runs: Sequence[str],
    records: Sequence[SideRecord],
    pages: Sequence[Mapping[int, PageSize]],
) -> ComparedPoints:
    """The open points of all sides; every argument has one entry for each side.

    `observed` are its observations by id, `runs` the id of its run, `pages` its pages by exchange.
    """
    differing, one_sided, agreed = [], [], []
    for name in dict.fromkeys(name for by_id in observed for name in by_id):
        rows = [by_id.get(name) for by_id in observed]
        seen = [row if row is not None and row.seen else None for row in rows]
        first = next(row for row in rows if row is not None)
        values = tuple(row.value if row else None for row in seen)
        point = ComparedPoint(name, first.section, first.statement, values, _exchanges(seen, records))
        given = {_behaviour(row, run) for row, run in zip(seen, runs, strict=True) if row is not None}
        sizes = [
            mine.get(row.exchanges[0]) if row is not None and row.exchanges and _is_page(row) else None
            for row, mine in zip(seen, pages, strict=True)
        ]
        if contradict(given) or not same_page_size(sizes):
            differing.append(point)
        elif None in values and given:
            one_sided.append(point)
        else:
            agreed.append(point)
    return ComparedPoints(*(tuple(sorted(group, key=_order)) for group in (differing, one_sided, agreed)))


def _order(point: ComparedPoint) -> tuple[tuple[int, str], ...]:
    return sections.order(point.section)


def _behaviour(row: Observation, run: str) -> _Behaviour:
    """What was observed, without values that change from run to run, reason phrases and the number of animals."""
    if not row.answers:
        return frozenset({(normalized(row.value, run),)})
    return frozenset((a.asked, a.status, a.animals is not None, normalized(a.detail, run)) for a in row.answers)


def _is_page(row: Observation) -> bool:
    return any(answer.animals is not None for answer in row.answers)


def _exchanges(rows: Sequence[Observation | None], records: Sequence[SideRecord]) -> tuple[Counterparts, ...]:
    """The exchanges that show an open point, the first of each side."""
    found = tuple(
        next((index for index in row.exchanges if index in record.entries), None) if row else None
        for row, record in zip(rows, records, strict=True)
    )
    return (found,) if any(index is not None for index in found) else ()
