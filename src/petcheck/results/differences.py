"""What two results of the same recording say differently: that of a run, and that of judging it again. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from petcheck.results.result import RequirementRow, Result, to_json
from petcheck.results.sanitize import printable

_SHOWN = 160  # characters of a value


def differing_verdicts(claimed: Result, judged: Result) -> Iterator[str]:
    """A line for each requirement whose verdict another suite changed, with why: by its catalogue or by its rules."""
    rows = {(row.target, row.id): row for row in judged.requirements}
    for row in claimed.requirements:
        other = rows.get((row.target, row.id))
        if other is not None and other.outcome != row.outcome and _entry(other) == _entry(row):
            changed = f"it was {row.outcome} and is {other.outcome} (the rules changed: {printable(other.reason)})"
            yield f"{_of(row, claimed)}: {changed}"
        elif other is None or other.outcome != row.outcome:
            yield f"{_of(row, claimed)}: {_between(row, other)}"
        rows.pop((row.target, row.id), None)
    yield from (_added(other, judged) for other in rows.values())


def differing_rows(claimed: Result, judged: Result) -> Iterator[str]:
    """A line for each requirement that two results of one suite judge differently, with why."""
    rows = {(row.target, row.id): row for row in judged.requirements}
    for row in claimed.requirements:
        other = rows.pop((row.target, row.id), None)
        if other != row:
            yield f"{_of(row, claimed)}: {_between(row, other)}"
    yield from (_added(other, judged) for other in rows.values())


def _added(other: RequirementRow, judged: Result) -> str:
    return f"{_of(other, judged)}: it is {other.outcome} now, and the run did not have it (the catalogue changed)"


def _entry(row: RequirementRow) -> tuple[str, str, str]:
    return row.statement, row.level, row.section


def _of(row: RequirementRow, result: Result) -> str:
    return printable(row.id, 60) + (f" on {printable(row.target, 60)}" if len(result.targets) > 1 else "")


def _between(row: RequirementRow, other: RequirementRow | None) -> str:
    if other is None:
        return f"it was {row.outcome}, and this suite does not have it (the catalogue changed)"
    if _entry(row) != _entry(other):
        return f"it was {row.outcome} and is {other.outcome} (the catalogue changed: {printable(other.statement)})"
    if row.outcome != other.outcome:
        return f"the result says {row.outcome}, its recording {other.outcome} ({printable(other.reason)})"
    if row.reason != other.reason:
        return f"{row.outcome}, for another reason: {printable(other.reason)}"
    return f"{row.outcome}, with other evidence"


def differing_members(claimed: Result, judged: Result) -> list[str]:
    """The members of result.json, other than rows of requirements, that do not follow from the recording.

    How long a check took is not judged, and neither is the exit code of a run that did not finish.
    """
    ours, theirs = (_comparable(result) for result in (claimed, judged))
    if not claimed.complete:
        ours["run"].pop("exit"), theirs["run"].pop("exit")
    return list(_paths(ours, theirs, ""))


def _comparable(result: Result) -> dict[str, Any]:
    checks = tuple(replace(check, duration_s=0.0) for check in result.checks)
    return to_json(replace(result, requirements=(), checks=checks))


def _paths(one: Any, other: Any, path: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys([*one, *other]):
            yield from _paths(one.get(name), other.get(name), f"{path}.{name}" if path else name)
    elif isinstance(one, list) and isinstance(other, list):
        for number, (left, right) in enumerate(zip_longest(one, other)):
            yield from _paths(left, right, f"{path}[{number}]")
    elif one != other or type(one) is not type(other):
        said, shown = printable(repr(one), _SHOWN), printable(repr(other), _SHOWN)
        yield f"{printable(path)}: the result says {said}, its recording {shown}"
