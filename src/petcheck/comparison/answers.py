"""Compares answers to the same request: their status and, in an Error, `code` and `message`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from petcheck.comparison.difference import Difference, contradict, shows_behaviour
from petcheck.comparison.normalize import normalized
from petcheck.comparison.pairing import Counterparts, NormalizedRequest, SideRecord
from petcheck.exchange import Exchange
from petcheck.sanitize import FIELD_LIMIT
from petcheck.spec.operations import Operation

_LISTED = 6  # values of one side that a difference names
_PARTS = ("answer", "code", "message")  # of an answer: its status, and two members of an Error

# one side's answers to a request in one of these parts: each value with the first exchange that shows it
_Answers = dict[str, int]


def compare_answers(
    records: Sequence[SideRecord], reported: Collection[NormalizedRequest] = ()
) -> tuple[list[Difference], int]:
    """The requests that the sides answer differently, and how many they answer in the same way.

    Statuses give one difference for each operation; codes and messages one for all. The statuses of `reported` requests
    are skipped: an open point reports them.
    """
    of_sides = [_by_request(record) for record in records]
    statuses: dict[tuple[Operation, tuple[str | None, ...]], list[tuple[NormalizedRequest, Counterparts]]] = {}
    errors: dict[str, list[tuple[NormalizedRequest, Sequence[_Answers]]]] = {}
    alike = 0
    for request in dict.fromkeys(request for side in of_sides for request in side):
        answers = [side.get(request, ({}, {}, {})) for side in of_sides]
        for kind, given in zip(_PARTS, zip(*answers, strict=True), strict=True):
            if not contradict(set(side) for side in given if side):
                continue
            if kind != "answer":
                errors.setdefault(kind, []).append((request, given))
            elif request not in reported:
                key = (request.operation, tuple(", ".join(sorted(side)) or None for side in given))
                statuses.setdefault(key, []).append((request, _examples(given)))
            break
        else:
            alike += sum(bool(first) for first, *_ in answers) > 1
    found = [
        Difference("answer", "", tuple(str(request) for request, _ in rows), values, rows[0][1])
        for (_, values), rows in statuses.items()
    ]
    return [*found, *(_error_difference(kind, rows) for kind, rows in errors.items())], alike


def _by_request(record: SideRecord) -> dict[NormalizedRequest, tuple[_Answers, ...]]:
    """The answers to each request in each part."""
    found: dict[NormalizedRequest, tuple[_Answers, ...]] = {}
    for index, entry in sorted(record.entries.items()):
        if shows_behaviour(entry):
            by_part = found.setdefault(record.requests[index], ({}, {}, {}))
            for answers, value in zip(by_part, _parts(entry, record.run), strict=True):
                answers.setdefault(value, index)
    return found


def _parts(entry: Exchange, run: str) -> tuple[str, str, str]:
    """Status, `code`, and `message` without numbers; the last two are empty if there is no Error."""
    error: Mapping[str, object] = (entry.object or {}) if entry.heard.status >= 400 else {}
    code, message = (text if isinstance(text := error.get(name), str) else "" for name in ("code", "message"))
    return (
        str(entry.status),
        code[:FIELD_LIMIT],
        re.sub(r"\d+", "…", normalized(message[:FIELD_LIMIT], run)),
    )


def _examples(sides: Sequence[_Answers]) -> Counterparts:
    """For each side the exchange with an answer that another side did not give, otherwise its first."""
    found: list[int | None] = []
    for side in sides:
        own = (index for answer, index in side.items() if any(answer not in other for other in sides))
        found.append(next(own, next(iter(side.values()), None)))
    return tuple(found)


def _error_difference(kind: str, rows: Sequence[tuple[NormalizedRequest, Sequence[_Answers]]]) -> Difference:
    """One difference for all requests whose Errors differ in `code`, or in `message`."""
    values = []
    for of_side in zip(*(sides for _, sides in rows), strict=True):
        given = sorted({text or "none" for answers in of_side for text in answers})
        more = f" and {len(given) - _LISTED} more" if len(given) > _LISTED else ""
        values.append(", ".join(given[:_LISTED]) + more or None)
    places = tuple(dict.fromkeys(str(request) for request, _ in rows))
    return Difference(kind, "", places, tuple(values), _examples(rows[0][1]))
