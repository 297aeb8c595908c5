"""The end of a run on the screen, where pytest does not show it: of many targets, or of a recording."""

from __future__ import annotations

import os
import sys

from petcheck.cli.output import look
from petcheck.cli.parser import PROGRAM
from petcheck.reports import terminal
from petcheck.reports.annotations import lines as annotation_lines
from petcheck.runner.again import Written, append_job_summary


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
