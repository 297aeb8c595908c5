"""From what was found out about each target to the result of the run. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from petcheck import __version__
from petcheck.config import Config
from petcheck.exchange import Exchange
from petcheck.judging.catalogue import Catalogue
from petcheck.judging.deciding import parts_of
from petcheck.judging.interface import INTERFACE_VERSION
from petcheck.judging.verdicts import (
    Exit,
    Finding,
    RunState,
    Verdict,
    apply_waivers,
    exit_of,
    roll_up,
    settle_silence,
)
from petcheck.reports import result as form
from petcheck.wire.transport import Tally


@dataclass(frozen=True, slots=True)
class TargetReport:
    """All that a run has to say of one target. Nothing in it holds the key.

    `exchanges` are those that were kept, `tally` counts all; `examples` are the requests that property examples took.
    `simplified` are examples that fail, by requirement: the index of the simplest form, and of the one that was found.
    """

    name: str
    base_url: str
    plan: str | None
    writes: bool
    fingerprint: str
    exchanges: tuple[Exchange, ...] = ()
    tally: Tally = field(default_factory=Tally)
    examples: int = 0
    simplified: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    observed: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    left_behind: tuple[tuple[int | None, str], ...] = ()
    waited_s: float = 0.0
    untestable: str | None = None


# where the exchanges that were kept stand in the list of all targets
Places = Mapping[int, int]


def joined(parts: Iterable[TargetReport]) -> list[TargetReport]:
    """One report of each target, from parts of it in the order in which they were found out."""
    whole: dict[str, TargetReport] = {}
    for part in parts:
        before = whole.get(part.name)
        whole[part.name] = (
            part
            if before is None
            else replace(
                part,
                exchanges=before.exchanges + part.exchanges,
                findings=before.findings + part.findings,
                left_behind=before.left_behind + part.left_behind,
            )
        )
    return list(whole.values())


@dataclass(frozen=True, slots=True)
class Course:
    """How the run went as a whole. `broken` says what broke, in words."""

    run: str
    started: datetime
    finished: datetime
    interrupted: bool = False
    cut_short: bool = False
    nothing_selected: bool = False
    broken: str | None = None


def assemble(
    config: Config, catalogue: Catalogue, openapi_sha256: str, course: Course, reports: Sequence[TargetReport]
) -> tuple[form.Result, tuple[Exchange, ...]]:
    """The result, and the exchanges that it refers to, numbered through all targets."""
    requirements: list[form.RequirementRow] = []
    checks: list[form.CheckRow] = []
    observations: list[form.Observation] = []
    targets: list[form.TargetInfo] = []
    exchanges: list[Exchange] = []
    verdicts: list[Verdict] = []
    for report in reports:
        first = len(exchanges)
        place = {exchange.index: number for number, exchange in enumerate(report.exchanges, first)}
        exchanges += [replace(exchange, index=place[exchange.index]) for exchange in report.exchanges]
        judged = _verdicts(config, catalogue, course, report)
        verdicts += judged
        kept = {exchange.index: exchange for exchange in report.exchanges}
        requirements += [_requirement_row(verdict, kept, place, report.simplified) for verdict in judged]
        checks += [_check_row(finding, place) for finding in report.findings]
        observations += _observations(catalogue, report, place)
        targets.append(_target_info(report))
    state = RunState(
        interrupted=course.interrupted,
        nothing_selected=course.nothing_selected,
        untestable=tuple(report.untestable for report in reports if report.untestable),
        strict=config.strict,
    )
    code = Exit.BROKE if course.broken else exit_of(verdicts, state)
    result = form.Result(
        complete=not (course.interrupted or course.cut_short or course.broken),
        suite=form.SuiteInfo("petcheck", __version__, INTERFACE_VERSION, openapi_sha256, catalogue.sha256),
        run=form.RunInfo(
            id=course.run,
            started=_iso(course.started),
            finished=_iso(course.finished),
            as_of=config.as_of.isoformat(),
            seed=config.seed,
            exit=code.value,
            options=dict(config.given),  # type: ignore[arg-type]
        ),
        targets=tuple(targets),
        requirements=tuple(requirements),
        checks=tuple(checks),
        observations=tuple(observations),
        untestable=tuple(
            form.OpenPoint(entry.id, entry.section, entry.statement, entry.untestable)
            for entry in catalogue.entries
            if entry.open and entry.untestable
        ),
    )
    return result, tuple(exchanges)


def _verdicts(config: Config, catalogue: Catalogue, course: Course, report: TargetReport) -> list[Verdict]:
    findings = settle_silence(report.findings, report.exchanges)
    verdicts = [
        roll_up(
            requirement,
            report.name,
            [finding for finding in findings if requirement.id in finding.requirements],
            as_of=config.as_of,
            missing=f"{report.untestable}." if report.untestable else _why_missing(course),
            untestable=report.untestable is not None,
        )
        for requirement in catalogue.judged
    ]
    return apply_waivers(verdicts, config.waivers, today=course.started.date())


def _why_missing(course: Course) -> str:
    if course.interrupted:
        return "The run was interrupted before a check of it ran."
    if course.broken:
        return f"No check of it ran: {course.broken}."
    return "Deselected: no check of it ran."


def _placed(indices: Iterable[int], place: Places) -> tuple[int, ...]:
    return tuple(place[index] for index in indices if index in place)


def _requirement_row(
    verdict: Verdict, kept: Mapping[int, Exchange], place: Places, simplified: Mapping[str, tuple[int, int]]
) -> form.RequirementRow:
    requirement = verdict.requirement
    deciding = [kept[index] for index in verdict.decisive if index in kept]
    example = simplified.get(requirement.id, ())
    shown = bool(example) and set(example) <= set(verdict.decisive) & place.keys()
    reason = " ".join(part for part in (verdict.waiver_trouble, verdict.reason) if part)
    return form.RequirementRow(
        id=requirement.id,
        section=requirement.section,
        level="stated" if requirement.level == "stated" else "implied",
        statement=requirement.statement,
        target=verdict.target,
        outcome=verdict.outcome,
        reason=reason,
        checks=tuple(dict.fromkeys(finding.check for finding in verdict.findings)),
        exchanges=_placed(verdict.exchanges, place),
        decisive=_placed(verdict.decisive, place),
        in_force=verdict.in_force,
        also=requirement.also,
        waiver=form.Waiver(verdict.waiver.reason, verdict.waiver.expires.isoformat()) if verdict.waiver else None,
        settled_by=verdict.settled_by,
        parts=parts_of(requirement.id, deciding),
        example=form.Example(*_placed(example, place)) if shown else None,
    )


def _check_row(finding: Finding, place: Places) -> form.CheckRow:
    return form.CheckRow(
        id=finding.check,
        requirements=finding.requirements,
        section=finding.section,
        target=finding.target,
        outcome=finding.outcome,
        reason=finding.reason,
        duration_s=round(finding.duration_s, 6),
        exchanges=_placed(finding.exchanges, place),
    )


def _observations(catalogue: Catalogue, report: TargetReport, place: Places) -> list[form.Observation]:
    seen = {name: (value, indices) for name, value, indices in report.observed}
    rows = []
    for entry in catalogue.observed:
        value, indices = seen.get(entry.id, ("not observed in this run", ()))
        rows.append(
            form.Observation(entry.id, entry.section, report.name, value, entry.statement, _placed(indices, place))
        )
    return rows


def _target_info(report: TargetReport) -> form.TargetInfo:
    tally = report.tally
    return form.TargetInfo(
        name=report.name,
        base_url=report.base_url,
        plan=report.plan,
        writes=report.writes,
        key=report.fingerprint,
        requests=form.RequestCount(
            tally.sent,
            tally.methods["GET"],
            tally.methods["POST"],
            {section: tally.sections[section] for section in sorted(tally.sections) if section},
            examples=report.examples,
            kept=len(report.exchanges),
        ),
        waited_s=round(report.waited_s, 3),
        rate_limited=tally.statuses[429],
        created=tuple(form.Created(number, name) for number, name in report.left_behind),
        unreachable=report.untestable,
    )


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
