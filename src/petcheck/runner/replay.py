"""A run that is judged again: its configuration, from what its recording and its result say of it."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

from petcheck.config.load import Config, EarlierRun
from petcheck.config.targets import Recorded, TargetConfig
from petcheck.errors import NotARun
from petcheck.results.recording import Recording
from petcheck.results.result import Result
from petcheck.results.sanitize import printable
from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import openapi_digest
from petcheck.spec.outcomes import Exit, Waiver
from petcheck.spec.version import VERSION


def config_of(
    recording: Recording,
    *,
    reports: Path | None = None,
    plan: str | None = None,
    as_of: date | None = None,
    strict: bool = False,
) -> Config:
    """The configuration that judges a recording as its run did; `plan` and `as_of` replace the run's own.

    Raises NotARun where the recording does not say enough.
    """
    result = recording.result
    run = result.run
    if run.settings is None:
        made = printable(result.suite.version, 40)
        raise NotARun(f"the run is of petcheck {made}, which did not record what judging it again takes")
    try:
        return Config(
            as_of=as_of or date.fromisoformat(run.as_of),
            seed=run.seed,
            targets=tuple(
                TargetConfig(
                    target.name,
                    Recorded(target.base_url, target.key, recording.of(target.name)),
                    plan or target.plan,
                    target.writes,
                    target.category_id,
                    target.exhaust,
                )
                for target in result.targets
            ),
            choice=None if run.settings.choice is None else frozenset(run.settings.choice),
            populate=run.settings.populate,
            max_requests=run.settings.max_requests,
            max_wait=run.settings.max_wait,
            examples=run.settings.examples,
            repeats=run.settings.seed_given,
            strict=strict,
            reports=reports,
            waivers=tuple(
                Waiver(waiver.requirement, waiver.target, waiver.reason, date.fromisoformat(waiver.expires))
                for waiver in run.settings.waivers
            ),
            given=run.options,
            earlier=EarlierRun(
                id=run.id,
                started=datetime.fromisoformat(run.started),
                finished=datetime.fromisoformat(run.finished),
                complete=result.complete,
                interrupted=run.exit == Exit.INTERRUPTED,
                checks=_checks_of(result),
                traffic=run.settings.traffic,
            ),
        )
    except ValueError as error:
        raise NotARun(f"the run has an invalid day or time ({printable(str(error))})") from None


def _checks_of(result: Result) -> frozenset[str] | None:
    """The checks that ran; None where the run was killed before it told, or where this suite may have others."""
    if not result.checks or not is_of_this_suite(result):
        return None
    return frozenset(check.id for check in result.checks)


def is_of_this_suite(result: Result) -> bool:
    """Whether the suite that made a result has the catalogue, the description and the version of this one."""
    suite = result.suite
    ours = (VERSION, catalogue().sha256, openapi_digest())
    return (suite.version, suite.requirements_sha256, suite.openapi_sha256) == ours
