"""Assembles the result of the run from the reports of all targets. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from petcheck.config.load import Config
from petcheck.exchange import Exchange
from petcheck.judging.verdicts import Finding, RunState, Verdict, apply_waivers, exit_of, roll_up, settle_silence
from petcheck.results import result as form
from petcheck.spec.catalogue import Catalogue, Requirement
from petcheck.spec.figures import INTERFACE_VERSION
from petcheck.spec.outcomes import Exit
from petcheck.spec.version import VERSION
from petcheck.toolkit.target import Observed
from petcheck.wire.tally import RequestTally, Unplanned


@dataclass(frozen=True, slots=True)
class TargetReport:
    """All findings of a run about one target, without its key.

    `exchanges` are the kept ones, `tally` counts all; `examples` counts the requests of property examples. `simplified`
    has the failing example of each requirement: the indices of its simplest and of its first form.
    """

    name: str
    base_url: str
    plan: str | None
    writes: bool
    fingerprint: str | None
    exhaust: bool = False
    category_id: int | None = None
    exchanges: tuple[Exchange, ...] = ()
    tally: RequestTally = field(default_factory=RequestTally)
    examples: int = 0
    simplified: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    observed: tuple[Observed, ...] = ()
    left_behind: tuple[tuple[int | None, str], ...] = ()
    waited_s: float = 0.0
    untestable: str | None = None


Kept = Mapping[int, Exchange]
"""The exchanges of one target that the views show, by index."""


def join_reports(parts: Iterable[TargetReport]) -> list[TargetReport]:
    """One report for each target, joined from its parts in the order in which they were made."""
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
class RunFacts:
    """Facts about the whole run. `broken` says what broke the suite, None if nothing did."""

    run: str
    started: datetime
    finished: datetime
    interrupted: bool = False
    cut_short: bool = False
    nothing_selected: bool = False
    broken: str | None = None


def assemble(
    config: Config, catalogue: Catalogue, openapi_sha256: str, facts: RunFacts, reports: Sequence[TargetReport]
) -> tuple[form.Result, tuple[Exchange, ...]]:
    """The result, and the exchanges that it refers to."""
    requirements: list[form.RequirementRow] = []
    checks: list[form.CheckRow] = []
    observations: list[form.Observation] = []
    targets: list[form.TargetInfo] = []
    exchanges: list[Exchange] = []
    verdicts: list[Verdict] = []
    for report in reports:
        exchanges += report.exchanges
        judged = _verdicts(config, catalogue, facts, report)
        verdicts += judged
        kept = {exchange.index: exchange for exchange in report.exchanges}
        requirements += [_requirement_row(verdict, kept, report.simplified) for verdict in judged]
        checks += [_check_row(finding, kept) for finding in report.findings]
        observations += _observations(catalogue, report, kept)
        targets.append(_target_info(report))
    state = RunState(
        interrupted=facts.interrupted and config.earlier is None,
        nothing_selected=facts.nothing_selected,
        untestable=tuple(report.untestable for report in reports if report.untestable),
        strict=config.strict,
        chosen=config.choice,
    )
    code = Exit.BROKE if facts.broken else exit_of(verdicts, state)
    result = form.Result(
        complete=not (facts.interrupted or facts.cut_short or facts.broken),
        suite=_suite(catalogue, openapi_sha256),
        run=run_info(config, facts.run, facts.started, facts.finished, code),
        targets=tuple(targets),
        requirements=tuple(requirements),
        checks=tuple(checks),
        observations=tuple(observations),
        untestable=tuple(
            form.UntestablePoint(entry.id, entry.section, entry.statement, entry.untestable)
            for entry in catalogue.entries
            if entry.open and entry.untestable
        ),
    )
    return result, tuple(exchanges)


def head(config: Config, catalogue: Catalogue, openapi_sha256: str, run: str, started: datetime) -> form.Result:
    """What is known about a run before it sends anything: its result if it is killed."""
    return form.Result(
        complete=False,
        suite=_suite(catalogue, openapi_sha256),
        run=run_info(config, run, started, started, Exit.INTERRUPTED),
        targets=tuple(
            _target_info(
                TargetReport(
                    target.name,
                    str(target.source),
                    target.plan,
                    target.writes,
                    None,
                    exhaust=target.exhaust,
                    category_id=target.category_id,
                )
            )
            for target in config.targets
        ),
        requirements=(),
        checks=(),
        observations=(),
        untestable=(),
    )


def _suite(catalogue: Catalogue, openapi_sha256: str) -> form.SuiteInfo:
    return form.SuiteInfo("petcheck", VERSION, INTERFACE_VERSION, openapi_sha256, catalogue.sha256)


def run_info(config: Config, run: str, started: datetime, finished: datetime, code: Exit) -> form.RunInfo:
    """A run as its result describes it; `run` is its id."""
    waivers = (
        form.AgreedWaiver(waiver.requirement, waiver.target, waiver.reason, waiver.expires.isoformat())
        for waiver in config.waivers
    )
    return form.RunInfo(
        id=run,
        started=_iso(started),
        finished=_iso(finished),
        as_of=config.as_of.isoformat(),
        seed=config.seed,
        exit=code.value,
        options=dict(config.given),  # type: ignore[arg-type]
        settings=form.RunSettings(
            config.max_requests,
            config.max_wait,
            config.examples,
            config.repeats,
            config.strict,
            bool(config.earlier and config.earlier.traffic),
            None if config.choice is None else tuple(sorted(config.choice)),
            config.populate,
            tuple(waivers),
        ),
        shard=_shard(config),
    )


def _shard(config: Config) -> form.ShardInfo | None:
    shard = config.shard
    return None if shard is None else form.ShardInfo(shard.number, shard.of, shard.targets, shard.list_sha256)


def _verdicts(config: Config, catalogue: Catalogue, facts: RunFacts, report: TargetReport) -> list[Verdict]:
    findings = settle_silence(report.findings, report.exchanges)
    verdicts = [
        roll_up(
            requirement,
            report.name,
            [finding for finding in findings if requirement.id in finding.requirements],
            as_of=config.as_of,
            missing=f"{report.untestable}." if report.untestable else _why_missing(facts, config, requirement),
            untestable=report.untestable is not None,
        )
        for requirement in catalogue.judged
    ]
    return apply_waivers(verdicts, config.waivers, today=facts.started.date())


def _why_missing(facts: RunFacts, config: Config, requirement: Requirement) -> str:
    if config.choice is not None and requirement.id not in config.choice:
        return "Not chosen."
    if facts.interrupted:
        return "The run stopped before this requirement was checked."
    if facts.broken:
        return f"No check of this requirement ran: {facts.broken}."
    return "Deselected: no check of this requirement ran."


def _shown(indices: Iterable[int], kept: Kept) -> tuple[int, ...]:
    return tuple(index for index in indices if index in kept)


def _requirement_row(verdict: Verdict, kept: Kept, simplified: Mapping[str, tuple[int, int]]) -> form.RequirementRow:
    requirement = verdict.requirement
    deciding = [kept[index] for index in verdict.decisive if index in kept]
    example = simplified.get(requirement.id, ())
    shown = bool(example) and set(example) <= set(verdict.decisive) & kept.keys()
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
        exchanges=_shown(verdict.exchanges, kept),
        decisive=_shown(verdict.decisive, kept),
        in_force=verdict.in_force,
        also=requirement.also,
        waiver=form.AppliedWaiver(verdict.waiver.reason, verdict.waiver.expires.isoformat())
        if verdict.waiver
        else None,
        settled_by=verdict.settled_by,
        parts=tuple(verdict.parts.get(exchange.index, "") for exchange in deciding),
        example=form.Example(*example) if shown else None,
        expected=verdict.expected,
    )


def _check_row(finding: Finding, kept: Kept) -> form.CheckRow:
    return form.CheckRow(
        id=finding.check,
        requirements=finding.requirements,
        section=finding.section,
        target=finding.target,
        outcome=finding.outcome,
        reason=finding.reason,
        duration_s=round(finding.duration_s, 6),
        exchanges=_shown(finding.exchanges, kept),
    )


def _observations(catalogue: Catalogue, report: TargetReport, kept: Kept) -> list[form.Observation]:
    observed = {one.id: one for one in report.observed}
    rows = []
    for entry in catalogue.observed:
        one = observed.get(entry.id, Observed(entry.id, "not observed in this run", (), seen=False))
        shown = _shown(one.exchanges, kept)
        rows.append(
            form.Observation(
                entry.id, entry.section, report.name, one.value, entry.statement, shown, one.seen, one.answers
            )
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
            repeats={cause.value: tally.repeats[cause] for cause in Unplanned if tally.repeats[cause]},
            lost=tally.lost,
            forgiven={str(status): tally.forgiven[status] for status in sorted(tally.forgiven)},
        ),
        waited_s=round(report.waited_s, 3),
        rate_limited=tally.statuses[429],
        created=tuple(form.Created(number, name) for number, name in report.left_behind),
        unreachable=report.untestable,
        exhaust=report.exhaust,
        category_id=report.category_id,
    )


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
