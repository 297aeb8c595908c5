"""Whether targets answer the same request alike: with one status and, in an Error, one `code` and `message`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from petcheck.reports.divergence import Divergence, json_of, tells
from petcheck.reports.har import Evidence
from petcheck.reports.pairing import Asked, Record
from petcheck.reports.visible import FIELD_LIMIT
from petcheck.reports.volatile import settled

_SHOWN = 6  # values of one side that are named

# what each side answered to a request, and its first exchange with that answer
_Said = Mapping[str, int]


def answers(
    records: Sequence[Record], runs: Sequence[str], told: Collection[Asked] = ()
) -> tuple[list[Divergence], int]:
    """Where the same request was answered otherwise, and how many were answered alike.

    `runs` are the ids of the runs. Another status counts for each operation, other codes and messages as a whole.
    Requests that are `told` of elsewhere are left out.
    """
    of_sides = [_answers(record, run) for record, run in zip(records, runs, strict=True)]
    statuses: dict[tuple[str, tuple[str | None, ...]], list[tuple[Asked, tuple[int | None, ...]]]] = {}
    errors: dict[str, list[tuple[Asked, Sequence[_Said]]]] = {"code": [], "message": []}
    alike = 0
    for request in dict.fromkeys(request for side in of_sides for request in side):
        sides = [side.get(request, {}) for side in of_sides]
        for kind, part in (("status", 0), ("code", 1), ("message", 2)):
            said = [_part(side, part) for side in sides]
            if not _apart(said):
                continue
            if kind != "status":
                errors[kind].append((request, said))
            elif request not in told:
                key = (request.operation, tuple(", ".join(sorted(side)) or None for side in said))
                statuses.setdefault(key, []).append((request, _examples(said)))
            break
        else:
            alike += sum(bool(side) for side in sides) > 1
    found = [
        Divergence("answer", "", tuple(str(request) for request, _ in rows), values, rows[0][1])
        for (_, values), rows in statuses.items()
    ]
    return [*found, *(_of_errors(kind, rows) for kind, rows in errors.items() if rows)], alike


def _answers(record: Record, run: str) -> dict[Asked, dict[tuple[str, str, str], int]]:
    """For each request its answers (status, `code`, `message`), and the first exchange with each."""
    found: dict[Asked, dict[tuple[str, str, str], int]] = {}
    for index, entry in sorted(record.entries.items()):
        if tells(entry):
            found.setdefault(record.asked[index], {}).setdefault((str(entry.status), *_error(entry, run)), index)
    return found


def _error(entry: Evidence, run: str) -> tuple[str, str]:
    """`code` and `message` of an Error, the latter without numbers; empty where there is none."""
    body = json_of(entry) if entry.status >= 400 else None
    code, message = (body.get("code"), body.get("message")) if isinstance(body, dict) else ("", "")
    return (
        code[:FIELD_LIMIT] if isinstance(code, str) else "",
        re.sub(r"\d+", "…", settled(message[:FIELD_LIMIT], run)) if isinstance(message, str) else "",
    )


def _part(side: Mapping[tuple[str, str, str], int], part: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for answer, index in side.items():
        found.setdefault(answer[part], index)
    return found


def _apart(sides: Sequence[_Said]) -> bool:
    """Whether two sides answer differently. One that has given fewer answers, all of them the other's too, does not:
    what an id or a name stands for may not be there on every target.
    """
    given = [set(side) for side in sides if side]
    return any(not (one <= other or other <= one) for one, other in combinations(given, 2))


def _examples(sides: Sequence[_Said]) -> tuple[int | None, ...]:
    """For each side the exchange that shows what others do not do, else its first."""
    return tuple(_peculiar(side, (other for other in sides if other is not side)) for side in sides)


def _peculiar(side: _Said, others: Iterable[_Said]) -> int | None:
    rest = list(others)
    own = (index for answer, index in side.items() if any(answer not in other for other in rest))
    return next(own, next(iter(side.values()), None))


def _of_errors(kind: str, rows: Sequence[tuple[Asked, Sequence[_Said]]]) -> Divergence:
    """All requests whose Errors have another `code`, or another `message`, as one."""
    values = []
    for number in range(len(rows[0][1])):
        said = sorted({text or "none" for _, sides in rows for text in sides[number]})
        more = f" and {len(said) - _SHOWN} more" if len(said) > _SHOWN else ""
        values.append(", ".join(said[:_SHOWN]) + more or None)
    places = tuple(dict.fromkeys(str(request) for request, _ in rows))
    return Divergence(kind, "", places, tuple(values), _examples(rows[0][1]))
