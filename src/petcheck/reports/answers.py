"""Whether targets answer the same request alike: with the same status, and the same `code` where it is an Error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from petcheck.reports.divergence import Divergence, json_of, tells
from petcheck.reports.pairing import Asked, Record


def answers(records: Sequence[Record]) -> tuple[list[Divergence], int]:
    """Where the same request was answered with another status, or with another `code`; and how many were not."""
    of_sides = [_answers_of(record) for record in records]
    asked = dict.fromkeys(key for answers in of_sides for key in answers)
    groups: dict[tuple[str, tuple[str | None, ...]], list[tuple[Asked, tuple[int | None, ...]]]] = {}
    codes: list[tuple[Asked, list[Mapping[str, int]]]] = []
    alike = 0
    for key in asked:
        sides: list[Mapping[str, int]] = [answers.get(key, {}) for answers in of_sides]
        statuses = [{answer.partition(" ")[0]: index for answer, index in side.items()} for side in sides]
        if _apart([set(side) for side in statuses]):
            values = tuple(", ".join(sorted(side)) or None for side in statuses)
            shown = tuple(_peculiar(side, statuses) for side in statuses)
            groups.setdefault((key.operation, values), []).append((key, shown))
        elif _apart([set(side) for side in sides]):
            codes.append((key, sides))
        else:
            alike += sum(bool(side) for side in sides) > 1
    found = [
        Divergence("answer", operation, tuple(str(key) for key, _ in rows), values, rows[0][1])
        for (operation, values), rows in groups.items()
    ]
    if codes:
        said = [sorted({answer for _, sides in codes for answer in sides[number]}) for number in range(len(records))]
        shown_by = tuple(_peculiar(side, codes[0][1]) for side in codes[0][1])
        values = tuple(", ".join(side) or None for side in said)
        found.append(Divergence("code", "", tuple(dict.fromkeys(str(key) for key, _ in codes)), values, shown_by))
    return found, alike


def _answers_of(record: Record) -> dict[Asked, dict[str, int]]:
    """For each request its answers, status and `code`, and the first exchange with each."""
    answers: dict[Asked, dict[str, int]] = {}
    for index, entry in sorted(record.entries.items()):
        if tells(entry):
            body = json_of(entry) if entry.status >= 400 else None
            code = body.get("code") if isinstance(body, dict) else None
            said = f"{entry.status} {code}" if isinstance(code, str) else str(entry.status)
            answers.setdefault(record.asked[index], {}).setdefault(said, index)
    return answers


def _apart(sides: Sequence[set[str]]) -> bool:
    """Whether two sides answer differently. One that has given fewer answers, all of them the other's too, does not:
    what an id or a name stands for may not be there on every target.
    """
    given = [side for side in sides if side]
    return any(not (one <= other or other <= one) for one, other in combinations(given, 2))


def _peculiar(side: Mapping[str, int], sides: Iterable[Mapping[str, int]]) -> int | None:
    """The exchange of a side that shows what others do not do, else its first."""
    others = [other for other in sides if other is not side]
    own = [index for answer, index in side.items() if any(answer not in other for other in others)]
    return next(iter([*own, *side.values()]), None)
