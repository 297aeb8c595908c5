"""A run of many targets on the command line: its progress, and what it says at its end."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress

from petcheck.cli.parser import PROGRAM
from petcheck.config.options import Config
from petcheck.reports import summary, terminal
from petcheck.reports.annotations import job_summary
from petcheck.reports.annotations import lines as annotation_lines
from petcheck.runner.again import Written
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


def show(end: Written, folder: str | None, *, quiet: bool = False) -> None:
    """Print the end of a run in parts, and append it to the page of a CI job; `folder` is where its reports are."""
    for command in annotation_lines(end.result, end.material.evidence, os.environ):
        print(command)
    if quiet:
        print(terminal.one_line(end.result, folder))
    else:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        width = shutil.get_terminal_size().columns
        print(
            terminal.render(
                end.result, end.material.evidence, width=width, colour=colour, folder=folder, unwritten=end.unwritten
            )
        )
    sys.stdout.flush()
    for trouble in end.trouble:
        print(f"{PROGRAM}: {trouble}", file=sys.stderr)
    page = job_summary(os.environ)
    if page is not None:
        with suppress(Exception), page.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(summary.render(end.result, end.material.evidence))
