"""What a run comes to, and what a stream does that is judged again: its reports are written, and its end is shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TypedDict

from petcheck.reports import outputs
from petcheck.reports.annotations import job_summary
from petcheck.reports.annotations import lines as annotation_lines
from petcheck.reports.outputs import Material, names, not_written
from petcheck.results import proof
from petcheck.results.judge import judge
from petcheck.results.proof import NOBODY, Witnesses
from petcheck.results.result import Result
from petcheck.runner import reports_folder
from petcheck.sanitize import escape_commands
from petcheck.spec.outcomes import Exit
from petcheck.stream.stream import Stream


@dataclass
class Written:
    """What a run comes to, once its reports are written into `folder`; without one, none are.

    `broken` is what broke the suite, and `told` are lines on other trouble. `unwritten` are the files that could not be
    written. `note` says what happened to the waivers.
    """

    material: Material
    folder: Path | None = None
    told: list[str] = field(default_factory=list)
    unwritten: dict[str, Exception] = field(default_factory=dict)
    broken: str | None = None
    note: str | None = None

    @property
    def result(self) -> Result:
        """The result."""
        return self.material.result

    @property
    def trouble(self) -> list[str]:
        """What broke the suite, and what else went wrong, one line each."""
        lines = [f"the suite broke: {self.broken}"] if self.broken else []
        lost = [not_written(self.folder, self.unwritten)] if self.folder and self.unwritten else []
        return [*lines, *self.told, *lost]

    @property
    def code(self) -> int:
        """The exit code of the command."""
        return int(Exit.BROKE) if self.trouble else self.result.run.exit


def judged_again(stream: Stream, reports: Path | None) -> Written:
    """Judge a stream and write its reports. Raises `ConfigError` if the folder is in use or holds files of others."""
    made = Material(judge(stream), stream)
    if reports is None:
        return Written(made)
    with reports_folder.take(reports):
        return written(made, reports)


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What a stream is judged by instead of what its run was given; None for that."""

    plan: str | None = None
    as_of: date | None = None
    requirements_as_of: str | None = None

    def applied(self, stream: Stream) -> Stream:
        """The stream to judge."""
        head = stream.head
        older_set = self.requirements_as_of or head.settings.requirements_as_of
        # what is judged otherwise is as good as an option of the run
        given = {"plan": self.plan, "as-of": self.as_of, "requirements-as-of": self.requirements_as_of}
        changed = replace(
            head,
            options={**head.options, **{name: str(value) for name, value in given.items() if value is not None}},
            as_of=self.as_of or head.as_of,
            settings=replace(head.settings, requirements_as_of=older_set),
            targets=tuple(replace(one, plan=self.plan or one.plan) for one in head.targets),
        )
        return stream.with_head(changed)


def written(
    material: Material,
    folder: Path,
    witnesses: Witnesses = NOBODY,
    *,
    but: Collection[str] = (),
    besides: Callable[[], Iterable[str]] = lambda: (),
) -> Written:
    """Write the reports of a run and what proves them, and the files `besides` that the proof covers.

    Those in `but` are there already. The debugging page of an earlier run goes.
    """
    with suppress(OSError):
        (folder / reports_folder.DEBUGGING_PAGE).unlink()
    end = Written(material, folder, unwritten=outputs.write_outputs(material, folder, but=but))
    listed = [name for name in names(material) if name not in end.unwritten]
    covered = [*listed, *besides()]
    end.unwritten |= proof.write_proof(folder, covered, material.result, material.stream.head.environment, witnesses)
    return end


# ---- on the screen


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
    from petcheck.reports import report_html, terminal

    for command in annotation_lines(end.result, end.material.evidence, os.environ):
        line(command)
    if quiet:
        line(terminal.one_line(end.result, None if report_html.FILE in end.unwritten else folder))
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
