"""A run of many targets on the command line: its progress, and what it says at its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from petcheck.cli.output import look
from petcheck.cli.parser import PROGRAM
from petcheck.config.options import Config
from petcheck.reports import terminal
from petcheck.reports.annotations import lines as annotation_lines
from petcheck.runner.again import Written, append_job_summary
from petcheck.runner.dry_run import Forecast
from petcheck.runner.fleet import run_fleet
from petcheck.runner.progress import Announcer
from petcheck.runner.start import Prepared


def judge(prepared: Prepared, options: Sequence[str], *, processes: int, quiet: bool, failing: int | None) -> int:
    """Judge every target of a run; returns the exit code.

    `options` are pytest's for the run of one target. At most `processes` targets are judged at a time; after `failing`
    targets that fail, no further one is begun.
    """
    config = prepared.config
    budget = sum(Forecast(target, config.max_requests, config.examples).requests_in_all for target in config.targets)
    watched = not quiet and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
    announcer = Announcer(None if quiet else sys.stdout, live=watched, budget=budget, unit="targets")
    end = run_fleet(prepared, options, announcer, processes=processes, most_failing=failing)
    show(end, str(config.given.get("reports", config.reports)), quiet=quiet)
    return end.code


def forecast(config: Config) -> int:
    """Print what a run sends to each target; returns the exit code."""
    for target in config.targets:
        print(*Forecast(target, config.max_requests, config.examples).lines(), sep="\n")
    return 0


def show(end: Written, folder: str | None, *, quiet: bool = False, on_the_job: bool = True) -> None:
    """Print the end of a run; `folder` is where its reports are. `on_the_job` adds it to the page of a CI job."""
    for command in annotation_lines(end.result, end.material.evidence, os.environ):
        print(command)
    if quiet:
        print(terminal.one_line(end.result, folder))
    else:
        print(terminal.render(end.result, end.material.evidence, folder=folder, unwritten=end.unwritten, **look()))
    sys.stdout.flush()
    for trouble in end.trouble:
        print(f"{PROGRAM}: {trouble}", file=sys.stderr)
    if on_the_job:
        append_job_summary(end.material)
