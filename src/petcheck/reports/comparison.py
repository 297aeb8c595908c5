"""Runs made at different times and places, side by side: where verdicts differ, where behaviour does, what is equal.

A side is one target of one run. The rules of what counts:

- Verdicts differ where two sides were examined and came to other outcomes. A waived failure and a plain one differ.
- A requirement that was examined (pass, fail, waived) on some sides only is *not* equal: nobody knows what the others
  do there. It counts as a difference, told apart from the others, with the option that would settle it. Where no side
  examined it, there is nothing to compare, and it is told among what is equal.
- Open points differ where both were looked at and came out otherwise. Which of them a run looks at depends on the
  requests that it had left, so one that was looked at on some sides only is told, and does not count.
- Behaviour that neither of these names (headers, media types, further fields, …) differs as `divergence` says.

Values that change from run to run (`volatile`) are put aside before anything is compared. Other permissions, days and
seeds do not keep runs from being compared, but explain differences: they are told as circumstances. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Literal

from petcheck.reports import digest, sections
from petcheck.reports.answers import answers
from petcheck.reports.behaviour import traits
from petcheck.reports.comparable import Recorded, comparable
from petcheck.reports.divergence import KINDS, Divergence
from petcheck.reports.openpoints import OpenPoint, points
from petcheck.reports.paging import Page, page_sizes, pages_in
from petcheck.reports.pairing import PAIRS, Pair, Record, record
from petcheck.reports.result import Level, Outcome, RequirementRow, Result, RunInfo, TargetInfo

FILE = "comparison.html"

EXAMINED: frozenset[Outcome] = frozenset({"pass", "fail", "waived"})

# options that change what a run may find out; where it went and what it wrote are no part of that
_TELLING = ("exhaust-rate-limit", "examples", "max-requests", "max-wait", "category-id", "timeout", "insecure-http")
# an open point that sums up all that was sent, and the kind of behaviour that shows it for the same request: where
# other things were sent, only the latter tells anything
SUMMED_UP = {"error-codes": "code", "pet-extra-fields": "fields"}


@dataclass(frozen=True, slots=True)
class Side:
    """One target of one run. `label` is unique within a comparison; `record` holds its exchanges."""

    label: str
    file: str
    target: TargetInfo
    run: RunInfo
    counts: Mapping[Outcome, int]
    record: Record = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Circumstance:
    """Something about how the runs were made that is not the same for all sides; a value for each side."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement and, for each side, its outcome and reason; None where a side has no row for it.

    `settled_by` has for each side the option that would settle what was not examined.
    """

    id: str
    section: str
    level: Level
    statement: str
    outcomes: tuple[Outcome | None, ...]
    reasons: tuple[str, ...]
    settled_by: tuple[str | None, ...]
    in_force: tuple[bool, ...]
    pairs: tuple[Pair, ...] = ()

    @property
    def standing(self) -> Literal["contradicted", "one-sided", "agreed"]:
        """Whether its verdicts differ, were given on some sides only, or agree (as those do that nobody examined)."""
        examined = {outcome for outcome in self.outcomes if outcome in EXAMINED}
        if len(examined) > 1:
            return "contradicted"
        return "one-sided" if examined and not set(self.outcomes) <= EXAMINED else "agreed"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A target of a run that is no side, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sides, and all that was compared, sorted by what became of it.

    `contradicted` and `one_sided` are requirements whose verdicts differ, `diverging` open points and `divergences`
    other behaviour that differs; they make the sides different. `points_one_sided` does not count. `agreed` and
    `agreed_points` are the same on all sides, `alike` counts for each kind of behaviour the places where it was.
    """

    sides: tuple[Side, ...]
    suite: str
    interface: str
    circumstances: tuple[Circumstance, ...]
    contradicted: tuple[Requirement, ...]
    one_sided: tuple[Requirement, ...]
    diverging: tuple[OpenPoint, ...]
    divergences: tuple[Divergence, ...]
    points_one_sided: tuple[OpenPoint, ...]
    agreed: tuple[Requirement, ...]
    agreed_points: tuple[OpenPoint, ...]
    alike: Mapping[str, int]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def different(self) -> bool:
        """Whether anything differs that counts."""
        return bool(self.contradicted or self.one_sided or self.diverging or self.divergences)


def follows(result: Result) -> bool:
    """Whether a run is compared with itself: it is whole, and two or more of its targets could be tested."""
    return result.complete and sum(target.unreachable is None for target in result.targets) > 1


def compare(runs: Sequence[Recorded], *, leave_out: bool = False) -> Comparison:
    """What the targets of `runs` have in common and what not.

    Raises NotComparable; with `leave_out`, a target that could not be tested is left out instead, with the reason.
    """
    usable, broken = comparable(runs, leave_out=leave_out)
    sides = tuple(_side(run, target, label) for (run, target), label in zip(usable, _labels(usable), strict=True))
    requirements = _requirements([run.result for run, _ in usable], sides)
    records = [side.record for side in sides]
    pages = [pages_in(one) for one in records]
    observed = [{row.id: row for row in run.result.observations if row.target == target.name} for run, target in usable]
    run_ids = [side.run.id for side in sides]
    open_points = points(observed, run_ids, records, pages)
    divergences, alike = _divergences(records, run_ids, pages, open_points.diverging)
    kinds = {one.kind for one in divergences}
    summed_up = [
        point for point in open_points.diverging if SUMMED_UP.get(point.id, "") not in kinds and point.id in SUMMED_UP
    ]
    return Comparison(
        sides=sides,
        suite=f"{runs[0].result.suite.name} {runs[0].result.suite.version}",
        interface=runs[0].result.suite.interface,
        circumstances=tuple(_circumstances(sides)),
        contradicted=tuple(one for one in requirements if one.standing == "contradicted"),
        one_sided=tuple(one for one in requirements if one.standing == "one-sided"),
        diverging=tuple(point for point in open_points.diverging if point not in summed_up),
        divergences=divergences,
        points_one_sided=(*open_points.one_sided, *summed_up),
        agreed=tuple(one for one in requirements if one.standing == "agreed"),
        agreed_points=open_points.agreed,
        alike=alike,
        left_out=tuple(LeftOut(target.name, target.unreachable or "") for _, target in broken),
    )


# ---- sides


def _labels(usable: Sequence[tuple[Recorded, TargetInfo]]) -> list[str]:
    """A name for each side: the target's; where names clash, with the folder, else the file, else a number."""
    names = Counter(target.name for _, target in usable)
    labels = [target.name for _, target in usable]
    folders = [PurePath(run.file).parent.name or run.file for run, _ in usable]
    for places in (folders, [run.file for run, _ in usable]):
        if len(set(labels)) < len(labels):
            labels = [
                target.name if names[target.name] == 1 else f"{target.name} ({place})"
                for (_, target), place in zip(usable, places, strict=True)
            ]
    often = Counter(labels)
    seen: Counter[str] = Counter()
    numbered = []
    for label in labels:
        seen[label] += 1
        numbered.append(label if often[label] == 1 else f"{label} #{seen[label]}")
    return numbered


def _side(run: Recorded, target: TargetInfo, label: str) -> Side:
    rows = [row for row in run.result.requirements if row.target == target.name]
    exchanges = record(
        run.evidence, run.result.checks, target=target.name, base_url=target.base_url, run=run.result.run.id
    )
    return Side(label, run.file, target, run.result.run, digest.counts(rows), exchanges)


def _circumstances(sides: Sequence[Side]) -> Iterator[Circumstance]:
    """How the runs were made, as far as that is not the same for all."""
    rows: dict[str, list[str]] = {
        "judged as on": [side.run.as_of for side in sides],
        "writes": ["allowed" if side.target.writes else "not allowed" for side in sides],
        "plan": [side.target.plan or "not told" for side in sides],
        "seed": [str(side.run.seed) for side in sides],
    }
    for option in _TELLING:
        given = [side.run.options.get(option) for side in sides]
        rows[f"--{option}"] = ["not given" if one is None else "given" if one is True else str(one) for one in given]
    for name, values in rows.items():
        if len(set(values)) > 1:
            yield Circumstance(name, tuple(values))


# ---- verdicts


def _requirements(results: Sequence[Result], sides: Sequence[Side]) -> list[Requirement]:
    """Every requirement with its verdicts, in the document's order."""
    rows = [
        {row.id: row for row in result.requirements if row.target == side.target.name}
        for result, side in zip(results, sides, strict=True)
    ]
    found = [
        _requirement([by_id.get(name) for by_id in rows], sides) for name in dict.fromkeys(n for r in rows for n in r)
    ]
    return sorted(found, key=lambda one: sections.order(one.section))


def _requirement(rows: Sequence[RequirementRow | None], sides: Sequence[Side]) -> Requirement:
    first = next(row for row in rows if row is not None)
    made = Requirement(
        id=first.id,
        section=first.section,
        level=first.level,
        statement=first.statement,
        outcomes=tuple(row.outcome if row else None for row in rows),
        reasons=tuple(row.reason if row else "" for row in rows),
        settled_by=tuple(row.settled_by if row and row.outcome not in EXAMINED else None for row in rows),
        in_force=tuple(row is None or row.in_force for row in rows),
    )
    return made if made.standing != "contradicted" else replace(made, pairs=_decisive(rows, sides))


def _decisive(rows: Sequence[RequirementRow | None], sides: Sequence[Side]) -> tuple[Pair, ...]:
    """What decides a failure, beside what answers to it on the other sides; each request once."""
    pairs: dict[object, Pair] = {}
    for number, row in enumerate(rows):
        if row is None or row.outcome not in ("fail", "waived"):
            continue
        mine = sides[number].record
        for index in row.decisive or row.exchanges[:1]:
            if index in mine.entries and len(pairs) < PAIRS:
                pairs.setdefault(
                    mine.asked[index],
                    tuple(
                        index if other == number else side.record.like(index, mine) for other, side in enumerate(sides)
                    ),
                )
    return tuple(dict.fromkeys(pairs.values()))


# ---- behaviour


def _divergences(
    records: Sequence[Record],
    runs: Sequence[str],
    pages: Sequence[Mapping[int, Page]],
    diverging: Sequence[OpenPoint],
) -> tuple[tuple[Divergence, ...], dict[str, int]]:
    """What no verdict and no open point names, in the order of KINDS; and at how many places it was alike."""
    found, alike = traits(records)
    told = {
        side.asked[index]
        for point in diverging
        for pair in point.pairs
        for side, index in zip(records, pair, strict=True)
        if index is not None
    }
    other_answers, answers_alike = answers(records, runs, told)
    sizes, sizes_alike = page_sizes(records, pages)
    order = list(KINDS)
    every = sorted([*found, *other_answers, *sizes], key=lambda one: order.index(one.kind))
    counted = alike | {"answer": answers_alike, "page size": sizes_alike}
    return tuple(every), {kind: counted[kind] for kind in KINDS if counted.get(kind)}
