"""report.html: the result as a document for people to read, sign and forward."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from petcheck.comparison import sides
from petcheck.exchange import Exchange
from petcheck.judging.verdicts import Verdict
from petcheck.reports import templating
from petcheck.reports.advice import next_step
from petcheck.reports.page_budget import PageBudget
from petcheck.reports.templating import slug
from petcheck.results import fleet, totals
from petcheck.results.causes import causes
from petcheck.results.manifest import PARTS
from petcheck.results.result import Observation, Result
from petcheck.spec import sections
from petcheck.spec.outcomes import OUTCOMES
from petcheck.stream import har

if TYPE_CHECKING:
    from markupsafe import Markup

FILE = "report.html"

_STANDINGS = (*OUTCOMES, slug(totals.NOT_IN_FORCE))


@dataclass(frozen=True, slots=True)
class _RequirementEntry:
    """One requirement and its row for each target, in the order of the targets; None if a target has none."""

    id: str
    section: str
    level: str
    statement: str
    also: tuple[str, ...]
    rows: tuple[Verdict | None, ...]

    @property
    def outcomes(self) -> str:
        return " ".join(sorted({slug(totals.standing(row)) for row in self.rows if row is not None}))


@dataclass(frozen=True, slots=True)
class _PointEntry:
    """One open point and what each target does there."""

    id: str
    section: str
    statement: str
    rows: tuple[Observation | None, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a page comes from: the sha256 of exchanges.jsonl, the suite's commit if it has one, and the machine."""

    evidence_sha256: str
    commit: str | None
    platform: str


def render(result: Result, evidence: Sequence[Exchange], origin: Origin | None = None) -> str:
    """The whole page. `evidence` are the exchanges of exchanges.har, in any order; `origin` is None if unknown."""
    groups = _groups(result)
    found = causes(result, evidence)
    return templating.page(
        "report.html.jinja",
        "report.css",
        _filters(groups),
        result=result,
        origin=origin,
        totals=totals,
        title=sections.title,
        groups=groups,
        points=_points(result),
        found={target.name: totals.tally(result.rows_of(target.name)) for target in result.targets},
        total=totals.tally(result.requirements),
        causes=found,
        next_steps={
            target.name: next_step(
                result, [cause.rows[0].id for cause in found if cause.target == target.name], repeatable=True
            )
            for target in result.targets
        },
        compared=sides.FILE if sides.has_several_sides(result) else None,
        recordings=f"{PARTS}/" if fleet.in_parts(result) else har.FILE,
        exchanges=PageBudget(result, evidence, _exchange_markup()),
    )


def _groups(result: Result) -> dict[str, list[_RequirementEntry]]:
    """The requirements by section, one for each id with the rows of all targets."""
    groups: dict[str, list[_RequirementEntry]] = {}
    for section, rows in totals.by_section(result.requirements).items():
        of_id: dict[str, dict[str, Verdict]] = {}
        for row in rows:
            of_id.setdefault(row.id, {})[row.target] = row
        for by_target in of_id.values():
            row = next(iter(by_target.values()))
            columns = tuple(by_target.get(target.name) for target in result.targets)
            groups.setdefault(section, []).append(
                _RequirementEntry(row.id, row.section, row.level, row.statement, row.also, columns)
            )
    return groups


def _filters(groups: Mapping[str, Sequence[_RequirementEntry]]) -> str:
    """The style rules that filter by verdict and by section, and show a note if nothing is left."""
    rules, nothing = [], []
    for section, entries in groups.items():
        name = slug(section)
        rules.append(f':root:has(#s-{name}:checked) .group:not([data-section="{name}"]) {{ display: none; }}')
        found = {outcome for entry in entries for outcome in entry.outcomes.split()}
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


def _points(result: Result) -> list[_PointEntry]:
    """The observations in the document's order, one for each id with the values of all targets."""
    of_id: dict[str, dict[str, Observation]] = {}
    for observation in sorted(result.observations, key=lambda entry: sections.order(entry.section)):
        of_id.setdefault(observation.id, {})[observation.target] = observation
    points = []
    for by_target in of_id.values():
        first = next(iter(by_target.values()))
        columns = tuple(by_target.get(target.name) for target in result.targets)
        points.append(_PointEntry(first.id, first.section, first.statement, columns))
    return points


def _exchange_markup() -> Callable[[Exchange, str], Markup]:
    """The macro that renders an exchange, with the deciding part marked."""
    module: Any = templating.environment().get_template("exchange.html.jinja").module
    macro: Callable[[Exchange, str], Markup] = module.exchange
    return macro
