"""Groups failures that very likely have one cause, so that a reader fixes the server once and not ten times.

The groups rest on what decided each failure: the part of the exchange, and the answer there. A wrong group hides
nothing, since each requirement keeps its own row in every view. Pure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from petcheck.results import totals
from petcheck.results.har import Evidence
from petcheck.results.result import RequirementRow, Result
from petcheck.results.sanitize import printable

_Entries = Mapping[tuple[str, int], Evidence]

# refusals that frameworks send by themselves, whatever the operation
_REFUSALS = frozenset({400, 401, 403, 422})


@dataclass(frozen=True, slots=True)
class Cause:
    """Failures of one target that very likely have one cause. `rows` are in the document's order, at least one.

    `title` says in a few words what the server does; for a single row it is the requirement's statement.
    `exchange` is the one that shows it best, and `part` its deciding part; None where the recording does not hold it.
    """

    title: str
    rows: tuple[RequirementRow, ...]
    exchange: Evidence | None
    part: str

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.rows[0].target

    @property
    def ids(self) -> str:
        """The ids of its requirements; three or more in a row are a range: `CREATE-5 to CREATE-8, AUTH-5`."""
        return totals.id_ranges([row.id for row in self.rows])


def causes(result: Result, evidence: Iterable[Evidence]) -> tuple[Cause, ...]:
    """The causes of all failures, by target, and in the document's order of their first requirements.

    `evidence` are exchanges of the run, the deciding ones among them.
    """
    entries = {(entry.target, entry.index): entry for entry in evidence}
    groups: dict[tuple[str, Hashable], list[RequirementRow]] = {}
    for target in result.targets:
        for row in totals.with_outcome(result, "fail"):
            if row.target == target.name:
                groups.setdefault((row.target, _mark(row, entries)), []).append(row)
    return tuple(cause_of(rows, entries) for rows in groups.values())


def _deciding(row: RequirementRow, evidence: _Entries) -> tuple[Evidence | None, str]:
    """The exchange that shows a failure best, and the part of it that decides."""
    for index in row.decisive_by_weight:
        if (row.target, index) in evidence:
            return evidence[row.target, index], row.part(index)
    return None, ""


def _mark(row: RequirementRow, evidence: _Entries) -> Hashable:
    """What failures with one cause have in common."""
    exchange, part = _deciding(row, evidence)
    if exchange is None:
        return row.id
    kind, _, which = part.partition(":")
    if exchange.error is not None:
        return "no answer", exchange.operation
    if kind == "status":
        # two answers that are both accepted have a cause in common only if they should have been refused alike
        detail = row.expected if exchange.status < 300 else "" if exchange.status in _REFUSALS else exchange.operation
        return kind, exchange.status, detail
    if kind == "header":
        return ("no header", exchange.index) if _lacks(exchange, which) else (kind, which)
    if kind == "body":
        member = _member(which)
        return ("member", member, exchange.status >= 400) if member else (kind, exchange.index)
    return row.id


def cause_of(rows: Sequence[RequirementRow], evidence: _Entries) -> Cause:
    """The cause of some failures; `evidence` are the exchanges by target and index."""
    exchange, part = _deciding(rows[0], evidence)
    title = rows[0].statement if len(rows) == 1 or exchange is None else _title(rows, exchange, evidence)
    return Cause(title, tuple(rows), exchange, part)


def _title(rows: Sequence[RequirementRow], exchange: Evidence, evidence: _Entries) -> str:
    parts = [_deciding(row, evidence)[1] for row in rows]
    kind, _, which = parts[0].partition(":")
    if exchange.error is not None:
        return f"No answer to {exchange.operation}"
    if kind == "status":
        required = dict.fromkeys(row.expected for row in rows if row.expected[:1].isdigit())
        wanted = " or ".join(dict.fromkeys(part for one in required for part in one.split(" or ")))
        return f"{_status(exchange)} where {wanted or 'another status'} is required"
    if kind == "header":
        names = dict.fromkeys(printable(part.partition(":")[2]) for part in parts)
        return f"{'No' if _lacks(exchange, which) else 'Wrong'} {_listed(list(names))}"
    bodies = f"the body of {_status(exchange)}" if exchange.status >= 400 else "a Pet"
    return f"Wrong `{printable(_member(which))}` in {bodies}" if _member(which) else f"Wrong members in {bodies}"


def _status(exchange: Evidence) -> str:
    return f"{exchange.status} {printable(exchange.reason, 40)}".strip()


def _lacks(exchange: Evidence, name: str) -> bool:
    return all(name.lower() != sent.lower() for sent, _ in exchange.response_headers)


def _member(pointer: str) -> str:
    """The name of the member that a JSON pointer leads to; empty if it leads to an item or to the whole body."""
    last = pointer.rpartition("/")[2]
    return "" if last.isdecimal() else last


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
