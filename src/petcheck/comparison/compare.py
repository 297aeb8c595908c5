"""Compares runs made at different times and places: where verdicts differ, where behaviour differs, what is equal.

A side is one target of one run. What counts:

- Verdicts differ if two sides were examined and have different outcomes. A waived failure and a plain one differ.
- A requirement that was examined (pass, fail, waived) on some sides only is *not* equal, since the other sides are
  unknown. It counts, in a separate group, with the option that lets it be judged. One that no side examined is equal.
- Open points differ if two sides were seen to behave differently. Which ones a run sees depends on the requests that
  it has left, so one that only some sides saw is reported and does not count.
- For other behaviour (headers, media types, further fields, …) see `behaviour`. What a
  gateway adds or changes is reported as the network path and does not count.

Values that change from run to run are replaced first (`normalize`). Runs with different permissions, days or seeds can
be compared; the report lists these circumstances because they may explain a difference. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Literal, TypeVar, get_args

from petcheck.comparison.behaviour import compare_behaviour
from petcheck.comparison.comparable import circumstances, sides_in
from petcheck.comparison.difference import Agreement, Difference
from petcheck.comparison.open_points import ComparedPoint, compare_open_points
from petcheck.comparison.pairing import MAX_COUNTERPARTS, Counterparts, SideRecord
from petcheck.judging.frequency import When
from petcheck.judging.verdicts import Verdict
from petcheck.results import totals
from petcheck.results.findings import Observation, RunInfo, TargetInfo
from petcheck.results.load import RecordedRun
from petcheck.spec import sections
from petcheck.spec.outcomes import Outcome

EXAMINED: frozenset[Outcome] = frozenset({"pass", "fail", "waived"})

# open points that summarize the whole run, each with the kind of behaviour that compares it for equal requests;
# only that kind counts, since the runs may have sent different requests
_SUMMARIES = {"error-codes": "code", "pet-extra-fields": "fields"}

_Compared = TypeVar("_Compared", "ComparedRequirement", ComparedPoint)


@dataclass(frozen=True, slots=True)
class Side:
    """One target of one run: its verdicts and observations by id, and its exchanges in `record`.

    `label` is unique within a comparison.
    """

    label: str
    file: str
    target: TargetInfo
    run: RunInfo
    verdicts: Mapping[str, Verdict] = field(repr=False)
    observed: Mapping[str, Observation] = field(repr=False)
    record: SideRecord = field(repr=False, compare=False)

    @property
    def counts(self) -> dict[str, int]:
        """How many of its verdicts have each standing."""
        return totals.tally(self.verdicts.values())


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A target that could not be tested, and why; its label is like that of a side."""

    label: str
    why: str


@dataclass(frozen=True, slots=True)
class ComparedRequirement:
    """A requirement with its outcome and reason for each side; None if a side has no row for it.

    `settled_by` is, for each side that did not examine it, the option that lets it be judged, and `when` is, for each
    side that it fails on, how often it does.
    """

    id: str
    section: str
    level: Literal["stated", "implied"]
    statement: str
    outcomes: tuple[Outcome | None, ...]
    reasons: tuple[str, ...]
    settled_by: tuple[str | None, ...]
    in_force: tuple[bool, ...]
    exchanges: tuple[Counterparts, ...] = ()
    when: tuple[When | None, ...] = ()

    @property
    def by_chance(self) -> bool:
        """Whether a side fails it in a way that a single run may not show."""
        return any(when not in (None, "always") for when in self.when)

    @property
    def agreement(self) -> Agreement:
        """Whether its verdicts differ, exist on some sides only, or agree (also if no side was examined)."""
        examined = {outcome for outcome in self.outcomes if outcome in EXAMINED}
        if len(examined) > 1:
            return "contradicted"
        return "one-sided" if examined and not set(self.outcomes) <= EXAMINED else "agreed"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The sides, and everything that was compared, grouped by the result.

    `contradicted` and `one_sided` are requirements whose verdicts differ, `differing_points` are open points and
    `differences` other behaviour that differs; any of them makes the sides different. `one_sided_points`, which
    only some sides saw, and `network_path`, which proxies, caches and load balancers explain, do not.
    `agreed` and `agreed_points` are equal; `alike` counts, for each kind of behaviour, the places where it is equal.
    `circumstances` are the settings that are not the same for all sides, each with its value for each side.
    `left_out` are targets that could not be tested.
    """

    sides: tuple[Side, ...]
    suite: str
    interface: str
    circumstances: Mapping[str, tuple[str, ...]]
    contradicted: tuple[ComparedRequirement, ...]
    one_sided: tuple[ComparedRequirement, ...]
    differing_points: tuple[ComparedPoint, ...]
    differences: tuple[Difference, ...]
    network_path: tuple[Difference, ...]
    one_sided_points: tuple[ComparedPoint, ...]
    agreed: tuple[ComparedRequirement, ...]
    agreed_points: tuple[ComparedPoint, ...]
    alike: Mapping[str, int]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def different(self) -> bool:
        """Whether anything that counts differs."""
        return bool(self.contradicted or self.one_sided or self.differing_points or self.differences)


def compare(runs: Sequence[RecordedRun]) -> Comparison:
    """What is equal and what differs between the targets of `runs` that could be tested. Raises NotComparable."""
    found = sides_in(runs)
    labelled = list(zip(labels_of(found), found, strict=True))
    sides = tuple(_side(run, target, label) for label, (run, target) in labelled if target.unreachable is None)
    records = [side.record for side in sides]
    contradicted, one_sided, agreed = _by_agreement(_requirements(sides))
    points = compare_open_points([side.observed for side in sides], records)
    differing, one_sided_points, agreed_points = _by_agreement(points)
    differences, alike = compare_behaviour(records, [shown for point in differing for shown in point.exchanges])
    kinds = {one.kind for one in differences}
    summaries = [one for one in differing if one.id in _SUMMARIES and _SUMMARIES[one.id] not in kinds]
    suite = runs[0].result.suite
    return Comparison(
        sides=sides,
        suite=f"{suite.name} {suite.version}",
        interface=suite.interface,
        circumstances=_circumstances(sides),
        contradicted=contradicted,
        one_sided=one_sided,
        differing_points=tuple(point for point in differing if point not in summaries),
        differences=tuple(one for one in differences if not one.is_of_the_network_path),
        network_path=tuple(one for one in differences if one.is_of_the_network_path),
        one_sided_points=(*one_sided_points, *summaries),
        agreed=agreed,
        agreed_points=agreed_points,
        alike=alike,
        left_out=tuple(
            LeftOut(label, target.unreachable) for label, (_, target) in labelled if target.unreachable is not None
        ),
    )


def _by_agreement(found: Sequence[_Compared]) -> list[tuple[_Compared, ...]]:
    """Those that are contradicted, one-sided and agreed."""
    return [tuple(one for one in found if one.agreement == agreement) for agreement in get_args(Agreement)]


# ---- sides


def labels_of(found: Sequence[tuple[RecordedRun, TargetInfo]]) -> list[str]:
    """A unique name for each target: the target's name, if needed with the folder, the file or a number."""
    labels = [target.name for _, target in found]
    for place in (lambda file: PurePath(file).parent.name or file, str):
        often = Counter(labels)
        labels = [
            label if often[label] == 1 else f"{target.name} ({place(run.file)})"
            for label, (run, target) in zip(labels, found, strict=True)
        ]
    often = Counter(labels)
    return [
        label if often[label] == 1 else f"{label} #{labels[: number + 1].count(label)}"
        for number, label in enumerate(labels)
    ]


def _side(run: RecordedRun, target: TargetInfo, label: str) -> Side:
    result = run.result
    record = SideRecord(run.evidence, result.checks, target=target.name, base_url=target.base_url, run=result.run.id)
    verdicts = {row.id: row for row in result.rows_of(target.name)}
    observed = {row.id: row for row in result.observations if row.target == target.name}
    return Side(label, run.file, target, result.run, verdicts, observed, record)


def _circumstances(sides: Sequence[Side]) -> dict[str, tuple[str, ...]]:
    """The settings of the runs that are not the same for all sides."""
    found = [circumstances(side.run, side.target) for side in sides]
    values = {name: tuple(one[name] for one in found) for name in found[0]}
    return {name: each for name, each in values.items() if len(set(each)) > 1}


# ---- verdicts


def _requirements(sides: Sequence[Side]) -> list[ComparedRequirement]:
    """Every requirement with its verdicts, in the document's order."""
    names = dict.fromkeys(name for side in sides for name in side.verdicts)
    found = [_requirement([side.verdicts.get(name) for side in sides], sides) for name in names]
    return sorted(found, key=lambda one: sections.order(one.section))


def _requirement(rows: Sequence[Verdict | None], sides: Sequence[Side]) -> ComparedRequirement:
    first = next(row for row in rows if row is not None)
    made = ComparedRequirement(
        id=first.id,
        section=first.section,
        level=first.level,
        statement=first.statement,
        outcomes=tuple(row.outcome if row else None for row in rows),
        reasons=tuple(row.reason if row else "" for row in rows),
        settled_by=tuple(row.settled_by if row and row.outcome not in EXAMINED else None for row in rows),
        in_force=tuple(row is None or row.in_force for row in rows),
        when=tuple(row.frequency.when if row and row.frequency else None for row in rows),
    )
    return made if made.agreement != "contradicted" else replace(made, exchanges=_decisive(rows, sides))


def _decisive(rows: Sequence[Verdict | None], sides: Sequence[Side]) -> tuple[Counterparts, ...]:
    """The exchanges that decide a failure, with their counterparts on the other sides; each request once."""
    found: dict[object, Counterparts] = {}
    for number, row in enumerate(rows):
        if row is None or row.outcome not in ("fail", "waived"):
            continue
        mine = sides[number].record
        for index in row.decisive or row.exchanges[:1]:
            if index in mine.entries and len(found) < MAX_COUNTERPARTS:
                records = (side.record for side in sides)
                counterparts = tuple(index if one is mine else one.counterpart(index, mine) for one in records)
                found.setdefault(mine.requests[index], counterparts)
    return tuple(dict.fromkeys(found.values()))
