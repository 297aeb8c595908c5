"""report.html: the result as a document for people to read, sign and forward."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypeVar

from petcheck.comparison import comparable
from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.verdicts import Verdict
from petcheck.reports import templating, timeline
from petcheck.reports.advice import next_step
from petcheck.reports.exchange_text import request_of
from petcheck.reports.page_budget import PageBudget
from petcheck.reports.templating import slug
from petcheck.reports.timeline import Pause
from petcheck.results import fleet, totals
from petcheck.results.causes import by_target, causes
from petcheck.results.findings import Observation
from petcheck.results.manifest import PARTS
from petcheck.results.result import Result
from petcheck.spec import sections
from petcheck.spec.outcomes import NOT_IN_FORCE, OUTCOMES
from petcheck.stream import har
from petcheck.stream.lines import Head

FILE = "report.html"

_STANDINGS = (*OUTCOMES, slug(NOT_IN_FORCE))


_Row = TypeVar("_Row", Verdict, Observation)


@dataclass(frozen=True, slots=True)
class _Line(Generic[_Row]):
    """One requirement or open point: a row for each target in their order, None if a target has none."""

    first: _Row
    rows: tuple[_Row | None, ...]


@dataclass(frozen=True, slots=True)
class _Fold:
    """What paper shows of failures, up to which number of causes; the style sheet knows its `classes`."""

    most: float
    classes: str
    shows: str


_TARGET_WEIGHS = 10  # a target takes the room of as many causes
_FOLDS = (
    _Fold(12, "", "one exchange for each cause of a failure, without its headers"),
    _Fold(30, "long", "the answer behind each cause of a failure, and no whole exchange"),
    _Fold(
        math.inf,
        "long longest",
        "the answers behind the first 12 causes of each target, and no other reasons",
    ),
)


def render(
    result: Result,
    evidence: Sequence[Exchange],
    head: Head | None = None,
    digest: str = "",
    waited: Mapping[str, Sequence[Pause]] = MappingProxyType({}),
) -> str:
    """The whole page. `evidence` are the run's exchanges, in any order, and `digest` is the sha256 of exchanges.jsonl.

    A run in parts has no `head` and no digest. `waited` are the waits for each target, by name.
    """
    by_section = totals.by_section(result.requirements)
    groups = {section: _lines(rows, result) for section, rows in by_section.items()}
    found = causes(result, evidence)
    names = [target.name for target in result.targets]
    sent = {name: [one for one in evidence if one.target == name] for name in names}
    fails = {name: timeline.fails_of(result, name) for name in names}
    bursts = [burst for name in names for burst in timeline.bursts(sent[name], fails[name])]
    anchors = {(one.target, one.number): f"b{names.index(one.target)}-{one.number}" for one in bursts}
    return templating.page(
        "report.html.jinja",
        "report.css",
        _filters(groups),
        result=result,
        head=head,
        digest=digest,
        request_of=request_of,
        groups=groups,
        points=_lines(sorted(result.observations, key=lambda row: sections.order(row.section)), result),
        outcomes=_outcomes,
        told=_told,
        found={target.name: totals.tally(result.rows_of(target.name)) for target in result.targets},
        total=totals.tally(result.requirements),
        causes=found,
        fold=_fold(len(found), len(names)),
        numbers=by_target(found),
        next_steps={
            target.name: next_step(result, [cause for cause in found if cause.target == target.name])
            for target in result.targets
        },
        compared=comparable.FILE if comparable.has_several_sides(result) else None,
        recordings=f"{PARTS}/" if fleet.in_parts(result) else har.FILE,
        page_of=of_target if fleet.in_parts(result) else None,
        pictures=[
            (name, timeline.timeline(each, fails[name], waited.get(name, ())), timeline.times(each))
            for name, each in sent.items()
            if each
        ],
        bursts=bursts,
        burst_anchor=lambda target, number: anchors.get((target, number), ""),
        exchanges=PageBudget(result, evidence, templating.macro("exchange")),
    )


def of_target(name: str) -> str:
    """Where the report of a target of a run in parts is, from the folder of the run."""
    return f"{PARTS}/{name}/{FILE}"


def _told(line: _Line[Verdict]) -> Iterable[list[Verdict]]:
    """The rows of a line: those without exchanges that say the same, together."""
    rows = [row for row in line.rows if row is not None]
    return grouped((row.target if row.exchanges else (row.standing, row.reason), row) for row in rows).values()


def _lines(rows: Iterable[_Row], result: Result) -> list[_Line[_Row]]:
    """A line for each id, in the order of `rows`."""
    of_id: dict[str, dict[str, _Row]] = {}
    for row in rows:
        of_id.setdefault(row.id, {})[row.target] = row
    return [
        _Line(next(iter(by_target.values())), tuple(by_target.get(target.name) for target in result.targets))
        for by_target in of_id.values()
    ]


def _fold(causes: int, targets: int) -> _Fold:
    """How much of the evidence paper shows: the more there is, the less of it, so that it takes at most ten pages."""
    weight = causes + _TARGET_WEIGHS * (targets - 1)
    return next(fold for fold in _FOLDS if weight <= fold.most)


def _outcomes(line: _Line[Verdict]) -> str:
    return " ".join(sorted({slug(row.standing) for row in line.rows if row is not None}))


def _filters(groups: Mapping[str, Sequence[_Line[Verdict]]]) -> str:
    """The style rules that filter by verdict and by section, and show a note if nothing is left."""
    rules, nothing = [], []
    for section, entries in groups.items():
        name = slug(section)
        rules.append(f':root:has(#s-{name}:checked) .group:not([data-section="{name}"]) {{ display: none; }}')
        found = {outcome for entry in entries for outcome in _outcomes(entry).split()}
        nothing += [(outcome, name) for outcome in _STANDINGS if outcome not in found]
    for outcome in _STANDINGS:
        rules.append(
            f':root:has(#v-{outcome}:checked) :is(.group, .requirement):not([data-outcomes~="{outcome}"]) '
            "{ display: none; }"
        )
    rules += [
        f":root:has(#v-{outcome}:checked):has(#s-{name}:checked) .nothing {{ display: block; }}"
        for outcome, name in nothing
    ]
    return "@media screen {\n" + "\n".join(rules) + "\n}\n"
