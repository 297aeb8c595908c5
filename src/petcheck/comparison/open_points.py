"""Compares the observations of runs: whether targets behave the same where the document is silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from petcheck.comparison.behaviour import page_sizes_in, same_page_size
from petcheck.comparison.difference import Agreement, contradict
from petcheck.comparison.normalize import normalized
from petcheck.comparison.pairing import Counterparts, SideRecord
from petcheck.results.findings import Observation
from petcheck.spec import sections


@dataclass(frozen=True, slots=True)
class ComparedPoint:
    """An open point of the document and what each side does there; None if the run did not see it.

    One that only some sides saw is equal there.
    """

    id: str
    section: str
    statement: str
    values: tuple[str | None, ...]
    exchanges: tuple[Counterparts, ...]
    agreement: Agreement


def compare_open_points(
    observed: Sequence[Mapping[str, Observation]], records: Sequence[SideRecord]
) -> list[ComparedPoint]:
    """The open points of all sides in the document's order; `observed` are the observations of each side by id."""
    pages = [page_sizes_in(one) for one in records]
    found = []
    for name in dict.fromkeys(name for by_id in observed for name in by_id):
        rows = [by_id.get(name) for by_id in observed]
        seen = [row if row is not None and row.seen else None for row in rows]
        first = next(row for row in rows if row is not None)
        values = tuple(row.value if row else None for row in seen)
        given = {_behaviour(row, record.run) for row, record in zip(seen, records, strict=True) if row is not None}
        sizes = [
            mine.get(row.exchanges[0])
            if row and row.exchanges and any(a.animals is not None for a in row.answers)
            else None
            for row, mine in zip(seen, pages, strict=True)
        ]
        agreement: Agreement = "one-sided" if None in values and given else "agreed"
        if contradict(given) or not same_page_size(sizes):
            agreement = "contradicted"
        found.append(ComparedPoint(name, first.section, first.statement, values, _exchanges(seen, records), agreement))
    return sorted(found, key=lambda point: sections.order(point.section))


def _behaviour(row: Observation, run: str) -> frozenset[tuple[object, ...]]:
    """What was observed, without values that change from run to run, reason phrases and the number of animals."""
    if not row.answers:
        return frozenset({(normalized(row.value, run),)})
    return frozenset((a.asked, a.status, a.animals is not None, normalized(a.detail, run)) for a in row.answers)


def _exchanges(rows: Sequence[Observation | None], records: Sequence[SideRecord]) -> tuple[Counterparts, ...]:
    """The exchanges that show an open point, the first of each side."""
    found = tuple(
        next((index for index in row.exchanges if index in record.entries), None) if row else None
        for row, record in zip(rows, records, strict=True)
    )
    return (found,) if any(index is not None for index in found) else ()
