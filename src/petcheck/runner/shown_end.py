"""The end of a run on the screen: what a CI system reads, the verdicts, and trouble."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TypedDict

from petcheck.reports.annotations import job_summary
from petcheck.reports.annotations import lines as annotation_lines
from petcheck.runner.again import Written
from petcheck.sanitize import escape_commands


class Look(TypedDict):
    """How text for the screen looks: columns, and whether it has colours."""

    width: int
    colour: bool


def show(
    end: Written,
    folder: str | None,
    look: Look,
    *,
    quiet: bool = False,
    on_the_job: bool = True,
    line: Callable[[str], object] = print,
) -> None:
    """Show the end of a run, by `line`; `folder` is where its reports are.

    `on_the_job` adds it to the page of a CI job.
    """
    from petcheck.reports import terminal

    for command in annotation_lines(end.result, end.material.evidence, os.environ):
        line(command)
    if quiet:
        line(terminal.one_line(end.result, folder))
    else:
        line(terminal.render(end.result, end.material.evidence, folder=folder, unwritten=end.unwritten, **look))
        if end.note:
            line(f"\n{escape_commands(end.note)}")
    sys.stdout.flush()
    for trouble in end.trouble:
        print(f"petcheck: {trouble}", file=sys.stderr)
    if on_the_job:
        _append_job_summary(end)


def _append_job_summary(end: Written) -> None:
    """Add the summary to the job's page, if the CI system has one. An error in it does not fail the run."""
    from petcheck.reports import summary

    path = job_summary(os.environ)
    if path is not None:
        with suppress(Exception), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(summary.render(end.result, end.material.evidence))
