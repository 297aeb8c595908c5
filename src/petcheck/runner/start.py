"""Starts a run: prepares everything that pytest needs before it collects the first check, and calls it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from petcheck.config.options import Config
from petcheck.config.targets import App
from petcheck.errors import AppFailed, ConfigError, NotAKey, NotARun, NothingToRun
from petcheck.judging.verdicts import not_in_force
from petcheck.judging.waivers import fails_by_waiver
from petcheck.results.attestation import read_seal
from petcheck.results.fleet import SIDE_BY_SIDE
from petcheck.results.lock import FolderLock
from petcheck.results.parts import verdicts_in
from petcheck.results.proof import NOBODY, Witnesses
from petcheck.results.result import FILE
from petcheck.results.timestamp import stamp_by
from petcheck.runner import reports_folder
from petcheck.runner.application import load_app
from petcheck.runner.dry_run import forecasts
from petcheck.sanitize import comma_list, printable
from petcheck.spec.catalogue import catalogue
from petcheck.wire import authority
from petcheck.wire.tally import DEADLINE_S
from petcheck.wire.throttle import Limits

if TYPE_CHECKING:
    from petcheck.runner.finish import RunEnd


@dataclass(eq=False)
class Prepared:
    """A run that can start. The command line hands it to the plugin as a pytest plugin.

    `lock` holds the reports folder; it is None in a run that writes no reports. `witnesses` sign and date them.
    `end` is how the run ends, once it has begun. `limits` are what is known about the servers before it and after it.
    """

    config: Config
    lock: FolderLock | None
    witnesses: Witnesses = NOBODY
    end: RunEnd | None = None
    limits: dict[str, Limits] = field(default_factory=dict)


def runs_in_parts(config: Config) -> bool:
    """Whether each target of a run gets its own process and folder."""
    return len(config.targets) > SIDE_BY_SIDE or config.shard is not None


def prepare(config: Config, *, writes_reports: bool) -> Prepared:
    """Load what the run needs: what failed last, its application, its witnesses; and lock the reports folder.

    Raises `ConfigError`, also if the budget has no room for `--populate`, and `NothingToRun` if nothing failed last or
    no run on that day can judge what was chosen.
    """
    for forecast in forecasts(config):
        forecast.expect_room()
    if config.failed:
        config = replace(config, choice=_failed_last(config.reports))
    elif config.choice is not None:
        _expect_judged(config.choice, config.as_of)
    for target in config.targets:
        if isinstance(target.source, App):
            with suppress(AppFailed):  # raised again when the target is opened, which the reports tell
                load_app(target.source)
    witnesses = witnesses_of(config.sign_key, config.timestamp_url, config.timeout, config.ca_bundle)
    folder = config.reports if writes_reports and not config.dry_run else None
    return Prepared(config, reports_folder.take(folder) if folder is not None else None, witnesses)


def _failed_last(folder: Path) -> frozenset[str]:
    """What failed in the run whose reports a folder holds."""
    try:
        result = verdicts_in(folder / FILE, "make a whole run first")
    except NotARun as error:
        raise ConfigError(f"--failed: {error}") from None
    failed = frozenset(row.id for row in result.requirements if row.outcome in ("fail", "error"))
    unknown = sorted(name for name in failed if name not in catalogue())
    if unknown:
        raise ConfigError(
            f"--failed: {folder} says that {printable(comma_list(unknown, 3))} failed, and this petcheck has no "
            "requirement of that name; name the requirements"
        )
    if not failed and any(fails_by_waiver(row) for row in result.requirements if result.chose(row)):
        raise NothingToRun(f"no requirement failed in the last run, but a waiver is stale or expired, see {folder}")
    if not failed:
        raise NothingToRun(f"nothing failed in the last run, see {folder}; leave out --failed to run everything")
    return failed


def _expect_judged(choice: Iterable[str], as_of: date) -> None:
    """Raise `NothingToRun` if no run on that day can judge or observe any of the entries of the catalogue."""
    entries = [catalogue()[name] for name in sorted(choice)]
    unjudged = [not_in_force(entry, "", as_of) for entry in entries if not entry.open]
    reasons = [f"{row.id}: {row.reason}" for row in unjudged if row is not None]
    if len(reasons) < len(entries):
        return
    starts = min((entry.start for entry in entries if entry.start is not None), default=None)
    raise NothingToRun(" ".join(reasons) + (f" Judge that day with --as-of {starts}." if starts else ""))


def witnesses_of(
    key: Path | None, url: str | None, deadline: float = DEADLINE_S, ca_bundle: str | None = None
) -> Witnesses:
    """The private key in a file, and the time stamp authority at a URL, where they are given. Raises `ConfigError`.

    `deadline` in seconds and `ca_bundle` are those of the request to the authority.
    """
    try:
        seal = read_seal(key) if key is not None else None
        if url is None:
            return Witnesses(seal)
        return Witnesses(seal, stamp_by(partial(authority.ask, url, deadline=deadline, ca_bundle=ca_bundle)))
    except NotAKey as error:
        raise ConfigError(f"--sign-key {key} {error}") from None


def run_checks(prepared: Prepared, options: Sequence[str]) -> int:
    """Run pytest with these options; returns its exit code. Afterwards `prepared` has the end of the run."""
    import pytest

    before = dict(os.environ)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(variable, None)
    try:
        return int(pytest.main(list(options), plugins=[prepared]))
    finally:
        os.environ.clear()
        os.environ.update(before)
