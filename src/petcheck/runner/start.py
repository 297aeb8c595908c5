"""Starts a run: prepares everything that pytest needs before it collects the first check."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from petcheck.config.load import Config
from petcheck.config.targets import App
from petcheck.errors import ConfigError, InUse
from petcheck.results import atomic_write
from petcheck.results.lock import FolderLock
from petcheck.runner.targets import load_app


@dataclass(frozen=True, eq=False)
class Prepared:
    """A run that can start. The command line hands it to the plugin as a pytest plugin.

    `lock` holds the reports folder; it is None in a run that writes no reports.
    """

    config: Config
    lock: FolderLock | None


def prepare(config: Config, *, writes_reports: bool) -> Prepared:
    """Load the run's application, if it has one, and lock the reports folder. Raises `ConfigError`."""
    for target in config.targets:
        if isinstance(target.source, App):
            load_app(target.source.name)
    return Prepared(config, _locked(config.reports) if writes_reports and not config.dry_run else None)


def _locked(folder: Path) -> FolderLock:
    """A lock on the folder for one run, after removing unfinished files of a killed run."""
    try:
        lock = FolderLock(folder)
    except InUse as taken:
        raise ConfigError(f"{taken}; wait for its end, or give this run its own folder with --reports") from None
    if lock.held:
        atomic_write.sweep(folder)
    return lock
