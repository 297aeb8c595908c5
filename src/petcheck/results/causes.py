"""Groups failures that very likely have one cause, so that a reader fixes the server once and not ten times.

The groups rest on what decided each failure: the part of the exchange, and the response there. A wrong group hides
nothing, since each requirement keeps its own row in every view. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from petcheck.results import totals
from petcheck.results.har import Evidence
from petcheck.results.result import RequirementRow, Result
from petcheck.results.sanitize import printable
from petcheck.spec.figures import CONTENT_TYPE, ERROR_FIELDS, PET_FIELDS, RATE_HEADERS
from petcheck.spec.operations import Operation

_Entries = Mapping[tuple[str, int], Evidence]

# refusals that frameworks send by themselves, whatever the operation
_REFUSALS = frozenset({400, 401, 403, 422})
_REQUIRED = tuple(name for name in PET_FIELDS if name != "status")
# the operation is not there at all
_MISSING = frozenset({404, 405, 501})
_NOT_SERVED, _NOT_JSON = "not served", "not JSON"
_REFUSED = "400"
_MOST = 200  # exchanges of a failure that are looked at
_STATUSES = 3  # statuses that a title names
_TRACEBACK = 3  # lines at the end of a log that say what was raised, and where
_LONGEST_BODY = 1_000_000


@dataclass(frozen=True, slots=True)
class Cause:
    """Failures of one target that very likely have one cause.

    `rows` are in the document's order, at least one; those of `follow`, which only repeat what the others show, come
    last. `title` says in a few words what the server does; for a single row it is the requirement's statement.
    `summary` does so in one line in either case. `exchange` is the one that shows it best, and `part` its deciding
    part; None where the recording does not hold it. `another` is true if the reason of the first row is about another
    exchange, which another cause explains. `then` is a later exchange without which it shows nothing, and its part.
    """

    title: str
    summary: str
    rows: tuple[RequirementRow, ...]
    exchange: Evidence | None
    part: str
    follow: tuple[RequirementRow, ...] = ()
    another: bool = False
    then: tuple[Evidence, str] | None = None

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.rows[0].target

    @property
    def ids(self) -> str:
        """The ids of its requirements; three or more in a row are a range: `CREATE-5 to CREATE-8, AUTH-5`."""
        return totals.id_ranges([row.id for row in self.rows])

    @property
    def leading(self) -> tuple[RequirementRow, ...]:
        """The rows that show the cause itself."""
        return self.rows[: len(self.rows) - len(self.follow)]


def causes(result: Result, evidence: Iterable[Evidence]) -> tuple[Cause, ...]:
    """The causes of all failures, by target, and in the document's order of their first requirements.

    `evidence` are exchanges of the run, the deciding ones among them.
    """
    entries = {(entry.target, entry.index): entry for entry in evidence}
    found: list[Cause] = []
    for target in result.targets:
        rows = [row for row in totals.with_outcome(result, "fail") if row.target == target.name]
        found += _of_target({row: _decisions(row, entries) for row in rows}, _created(rows, entries))
    return tuple(found)


def cause_of(row: RequirementRow, evidence: Iterable[Evidence]) -> Cause:
    """The cause of one failure; `evidence` are exchanges of the run."""
    decisions = _decisions(row, {(entry.target, entry.index): entry for entry in evidence})
    return _cause([row], [], [decisions], decisions)


def _of_target(found: Mapping[RequirementRow, Sequence[_Decision]], created: Mapping[Any, Hashable]) -> list[Cause]:
    known = {each[0].mark for each in found.values() if len({one.mark for one in each}) == 1}
    leading: dict[Hashable, list[RequirementRow]] = {}
    follow: dict[Hashable, list[RequirementRow]] = {}
    own: dict[RequirementRow, list[_Decision]] = {}
    for row, decisions in found.items():
        causing = {one.cause_of_animal(created) for one in decisions}
        if len(causing) == 1 and None not in causing:
            follow.setdefault(causing.pop(), []).append(row)
            continue
        # what another failure shows by itself says nothing new here
        alone = len({one.mark for one in decisions}) <= 1
        new = [
            one for one in decisions if (alone or one.mark not in known) and one.cause_of_animal(created) is None
        ] or list(decisions)
        mark = new[0].mark if new else row.id
        own[row] = [one for one in new if one.mark == mark]
        leading.setdefault(mark, []).append(row)
    return [
        _cause(rows, follow.get(mark, []), [own[row] for row in rows], found[rows[0]]) for mark, rows in leading.items()
    ]


@dataclass(frozen=True, slots=True)
class _Decision:
    """An exchange that decides a failure, and the part of it. Failures with one cause have the same `mark`."""

    exchange: Evidence
    part: str
    mark: Hashable

    def cause_of_animal(self, created: Mapping[Any, Hashable]) -> Hashable:
        """The mark of the failure that created the animal which the part is of; None if no failure did."""
        kind, _, pointer = self.part.partition(":")
        value = _parsed(self.exchange) if kind == "body" and created else None
        found = value if isinstance(value, dict) else None
        for step in pointer.split("/")[1:]:
            value = _at(value, step)
            found = value if isinstance(value, dict) else found
        name = found.get("id") if found is not None else None
        return created.get(name) if isinstance(name, str) else None


def _decisions(row: RequirementRow, evidence: _Entries) -> list[_Decision]:
    """The exchanges that decide a failure, the most revealing first."""
    indices = [index for index in row.decisive_by_weight if (row.target, index) in evidence]
    parts = [(evidence[row.target, index], row.part(index)) for index in indices[:_MOST]]
    return [_Decision(exchange, part, _mark(row, exchange, part)) for exchange, part in parts]


def _mark(row: RequirementRow, exchange: Evidence, part: str) -> Hashable:
    """What failures with one cause have in common."""
    kind, _, which = part.partition(":")
    if exchange.error is not None:
        return "no answer", exchange.operation
    if kind == "status" and not row.expected:
        return row.id  # the status is right, and something else contradicts it
    if kind == "status":
        if exchange.operation is Operation.STORE_ORDERS and exchange.status in _MISSING:
            return _NOT_SERVED, exchange.operation
        return kind, exchange.status, _beside_status(row, exchange)
    if part in ("body", f"header:{CONTENT_TYPE}") and not _is_json(exchange):
        return _NOT_JSON, exchange.status >= 400
    if kind == "header":
        return ("no header", *_lacking(exchange, which)) if _lacks(exchange, which) else (kind, which)
    if kind == "body":
        member = _member(which)
        return ("member", member, exchange.status >= 400) if member else (kind, _names(exchange, which))
    return row.id


def _beside_status(row: RequirementRow, exchange: Evidence) -> Hashable:
    """What else failures by a wrong status with one cause have in common."""
    if exchange.status < 300:  # requests that are accepted should have been refused alike
        return row.expected
    if exchange.status in _REFUSALS:
        return ""
    raised = tuple((exchange.log or "").rstrip().split("\n")[-_TRACEBACK:])
    return raised if any(raised) else exchange.operation


# ---- animals that a refused request should not have created


def _created(rows: Iterable[RequirementRow], evidence: _Entries) -> dict[Any, Hashable]:
    """The animals that POSTs created which should have been refused: by id, with the mark of that failure."""
    ids: dict[Any, Hashable] = {}
    for row in rows:
        for index in row.exchanges[:_MOST] if row.expected == _REFUSED else ():
            exchange = evidence.get((row.target, index))
            if exchange is not None and exchange.operation is Operation.CREATE_PET and 200 <= exchange.status < 300:
                body = _parsed(exchange)
                if isinstance(body, dict) and isinstance(body.get("id"), str):
                    ids[body["id"]] = _mark(row, exchange, "status")
    marks = set(ids.values())
    for row in rows:
        for index in row.decisive[:_MOST]:
            exchange = evidence.get((row.target, index))
            if exchange is not None and (mark := ("status", exchange.status, _REFUSED)) in marks:
                body = _parsed(exchange)
                if _repeats(exchange, row.part(index)) and isinstance(body.get("id"), str):
                    ids.setdefault(body["id"], mark)
    return ids


def _repeats(exchange: Evidence, part: str) -> bool:
    """Whether what is wrong in the answer to a POST is what was sent: it should have been refused."""
    name = part.removeprefix("body:/")
    sent, body = _json_or_none(exchange.request_body or b""), _parsed(exchange)
    both = isinstance(sent, dict) and isinstance(body, dict) and name in sent and name in body
    return exchange.operation is Operation.CREATE_PET and both and sent[name] == body[name]


def _at(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    return value[int(step)] if isinstance(value, list) and step.isdecimal() and int(step) < len(value) else None


def _parsed(exchange: Evidence) -> Any:
    """The body as JSON; None if it is not JSON, or too long to look at."""
    return _json_or_none(exchange.response_body)


def _json_or_none(body: bytes) -> Any:
    try:
        return _json_of(body) if len(body) <= _LONGEST_BODY else None
    except (ValueError, RecursionError):
        return None


def _is_json(exchange: Evidence) -> bool:
    try:
        if len(exchange.response_body) <= _LONGEST_BODY:
            _json_of(exchange.response_body)
    except ValueError:
        return False
    except RecursionError:
        pass
    return True


def _json_of(body: bytes) -> Any:
    """The body, with numbers as the text that they are. Raises ValueError or RecursionError."""
    return json.loads(body, parse_constant=_refuse, parse_int=str, parse_float=str)


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # Python reads NaN and Infinity; JSON has neither


def _names(exchange: Evidence, pointer: str) -> Hashable:
    """What bodies with one fault have in common: the names of the members, or else that very exchange."""
    value = _parsed(exchange)
    for step in pointer.split("/")[1:]:
        value = _at(value, step)
    return tuple(sorted(value)) if isinstance(value, dict) else exchange.index


# ---- in words


def _cause(
    rows: Sequence[RequirementRow],
    follow: Sequence[RequirementRow],
    of_rows: Sequence[Sequence[_Decision]],
    decisions: Sequence[_Decision],
) -> Cause:
    """The cause of `rows` and those that `follow`.

    `of_rows` are the decisions of each row that show it, `decisions` all of the first row.
    """
    deciding = of_rows[0][0] if of_rows and of_rows[0] else None
    title = _title(rows, [one for each in of_rows for one in each]) if deciding else ""
    single = len(rows) == 1 and (not follow or not title)
    summary = title or rows[0].reason.partition(" (section ")[0]
    return Cause(
        rows[0].statement if single else title or summary,
        summary,
        (*rows, *follow),
        deciding.exchange if deciding else None,
        deciding.part if deciding else "",
        tuple(follow),
        deciding is not None and decisions[0].exchange != deciding.exchange,
        _then(decisions) if deciding is not None and decisions[0].exchange == deciding.exchange else None,
    )


def _then(decisions: Sequence[_Decision]) -> tuple[Evidence, str] | None:
    """The second exchange, if the first shows nothing without it: what was sent before, or another part."""
    if len(decisions) < 2:
        return None
    first, second = decisions[:2]
    created = _repeats(first.exchange, first.part) or (first.part == "body" and first.exchange.status == 201)
    kinds = {one.part.partition(":")[0] for one in (first, second)}
    later = created and second.exchange.operation is not Operation.CREATE_PET
    return (second.exchange, second.part) if later or len(kinds) > 1 else None


def _title(rows: Sequence[RequirementRow], every: Sequence[_Decision]) -> str:
    """What the server does, in a few words; empty for one row whose reason says it best."""
    exchange, part, mark = every[0].exchange, every[0].part, every[0].mark
    kind, _, which = part.partition(":")
    if exchange.error is not None:
        return f"No answer to {exchange.operation}"
    if kind == "status":
        return _of_status(rows, every) if rows[0].expected else ""
    if mark in ((_NOT_JSON, True), (_NOT_JSON, False)):
        return f"The body of {_statuses(every)} is not JSON"
    names = list(dict.fromkeys(printable(one.part.partition(":")[2]) for one in every))
    if kind == "header" and _lacks(exchange, which):
        missing = "rate limit headers" if set(names) == set(RATE_HEADERS) else _listed(names)
        return f"No {missing} in {_statuses(every)}"
    if len(rows) == 1:
        return ""
    if kind == "header":
        return f"Wrong {_listed(names)}"
    place = f"the body of {_statuses(every)}" if exchange.status >= 400 else _of_pets(exchange, which)
    if _member(which):
        return f"Wrong `{printable(_member(which))}` in {place}"
    there = _names(exchange, which)
    fields = ERROR_FIELDS if exchange.status >= 400 else _REQUIRED
    lacking = [f"`{name}`" for name in fields if isinstance(there, tuple) and name not in there]
    return f"No {_listed(lacking)} in {place}" if len(lacking) >= len(rows) else f"Wrong members in {place}"


def _of_pets(exchange: Evidence, pointer: str) -> str:
    return "the list" if exchange.operation is Operation.LIST_PETS and not pointer else "a Pet"


def _of_status(rows: Sequence[RequirementRow], every: Sequence[_Decision]) -> str:
    operations = list(dict.fromkeys(str(one.exchange.operation) for one in every))
    status = every[0].exchange.status
    said = f"{operations[0]} returns {status}" if len(operations) == 1 else f"Several operations return {status}"
    required = dict.fromkeys(row.expected for row in rows if row.expected[:1].isdigit())
    wanted = " or ".join(dict.fromkeys(part for one in required for part in one.split(" or ")))
    if every[0].mark == (_NOT_SERVED, every[0].exchange.operation):
        return said
    if wanted:
        return f"{said} where {wanted} is required"
    return said


def _statuses(every: Sequence[_Decision]) -> str:
    found = sorted({one.exchange.status for one in every})
    if len(found) > _STATUSES:
        return "most responses"
    return f"{_listed(list(map(str, found)))} responses"


def _lacking(exchange: Evidence, name: str) -> list[str]:
    """The headers that are missing together with that one."""
    return [one for one in RATE_HEADERS if _lacks(exchange, one)] if name in RATE_HEADERS else [name]


def _lacks(exchange: Evidence, name: str) -> bool:
    return all(name.lower() != sent.lower() for sent, _ in exchange.response_headers)


def _member(pointer: str) -> str:
    """The name of the member that a JSON pointer leads to; empty if it leads to an item or to the whole body."""
    last = pointer.rpartition("/")[2]
    return "" if last.isdecimal() else last


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
