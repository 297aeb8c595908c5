"""Compares answers to the same request: their status and, in an Error, `code` and `message`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from petcheck.comparison.difference import Difference, contradict, json_body, shows_behaviour
from petcheck.comparison.normalize import normalized
from petcheck.comparison.pairing import Counterparts, NormalizedRequest, SideRecord
from petcheck.exchange import Exchange
from petcheck.sanitize import FIELD_LIMIT
from petcheck.spec.operations import Operation

_LISTED = 6  # values of one side that a difference names

# one side's answers to a request: each value with the first exchange that shows it
_Answers = Mapping[str, int]


def compare_answers(
    records: Sequence[SideRecord], runs: Sequence[str], reported: Collection[NormalizedRequest] = ()
) -> tuple[list[Difference], int]:
    """The requests that the sides answer differently, and how many they answer in the same way.

    `runs` are the ids of the runs. Statuses give one difference for each operation; codes and messages one for all.
    The statuses of `reported` requests are skipped: an open point reports them.
    """
    of_sides = [_by_request(record, run) for record, run in zip(records, runs, strict=True)]
    statuses: dict[tuple[Operation, tuple[str | None, ...]], list[tuple[NormalizedRequest, Counterparts]]] = {}
    errors: dict[str, list[tuple[NormalizedRequest, Sequence[_Answers]]]] = {"code": [], "message": []}
    alike = 0
    for request in dict.fromkeys(request for side in of_sides for request in side):
        sides = [side.get(request, {}) for side in of_sides]
        for kind, part in (("status", 0), ("code", 1), ("message", 2)):
            given = [_part(side, part) for side in sides]
            if not contradict(map(set, filter(None, given))):
                continue
            if kind != "status":
                errors[kind].append((request, given))
            elif request not in reported:
                key = (request.operation, tuple(", ".join(sorted(side)) or None for side in given))
                statuses.setdefault(key, []).append((request, _examples(given)))
            break
        else:
            alike += sum(bool(side) for side in sides) > 1
    found = [
        Difference("answer", "", tuple(str(request) for request, _ in rows), values, rows[0][1])
        for (_, values), rows in statuses.items()
    ]
    return [*found, *(_error_difference(kind, rows) for kind, rows in errors.items() if rows)], alike


def _by_request(record: SideRecord, run: str) -> dict[NormalizedRequest, dict[tuple[str, str, str], int]]:
    """The answers to each request (status, `code`, `message`), each with the first exchange that shows it."""
    found: dict[NormalizedRequest, dict[tuple[str, str, str], int]] = {}
    for index, entry in sorted(record.entries.items()):
        if shows_behaviour(entry):
            answer = (str(entry.status), *_code_and_message(entry, run))
            found.setdefault(record.requests[index], {}).setdefault(answer, index)
    return found


def _code_and_message(entry: Exchange, run: str) -> tuple[str, str]:
    """`code` and `message` of an Error, the message without numbers; empty if there is none."""
    body = json_body(entry) if entry.heard.status >= 400 else None
    code, message = (body.get("code"), body.get("message")) if isinstance(body, dict) else ("", "")
    return (
        code[:FIELD_LIMIT] if isinstance(code, str) else "",
        re.sub(r"\d+", "…", normalized(message[:FIELD_LIMIT], run)) if isinstance(message, str) else "",
    )


def _part(side: Mapping[tuple[str, str, str], int], part: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for answer, index in side.items():
        found.setdefault(answer[part], index)
    return found


def _examples(sides: Sequence[_Answers]) -> Counterparts:
    """For each side the exchange with an answer that another side did not give, otherwise its first."""
    return tuple(_distinctive(side, (other for other in sides if other is not side)) for side in sides)


def _distinctive(side: _Answers, others: Iterable[_Answers]) -> int | None:
    rest = list(others)
    own = (index for answer, index in side.items() if any(answer not in other for other in rest))
    return next(own, next(iter(side.values()), None))


def _error_difference(kind: str, rows: Sequence[tuple[NormalizedRequest, Sequence[_Answers]]]) -> Difference:
    """One difference for all requests whose Errors differ in `code`, or in `message`."""
    values = []
    for number in range(len(rows[0][1])):
        given = sorted({text or "none" for _, sides in rows for text in sides[number]})
        more = f" and {len(given) - _LISTED} more" if len(given) > _LISTED else ""
        values.append(", ".join(given[:_LISTED]) + more or None)
    places = tuple(dict.fromkeys(str(request) for request, _ in rows))
    return Difference(kind, "", places, tuple(values), _examples(rows[0][1]))
