"""A stream that is judged again: from a recording, from the traffic of another program, or as a part of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from petcheck.reports import outputs, summary
from petcheck.reports.annotations import job_summary
from petcheck.reports.outputs import Material, names, not_written
from petcheck.results import proof
from petcheck.results.attestation import Seal
from petcheck.results.judge import judge
from petcheck.results.result import Result
from petcheck.runner import reports_folder
from petcheck.spec.outcomes import Exit
from petcheck.stream.stream import Stream


@dataclass
class Written:
    """What a run comes to, once its reports are written where they have a folder; `trouble` with them, a line each."""

    material: Material
    trouble: list[str] = field(default_factory=list)
    unwritten: dict[str, Exception] = field(default_factory=dict)

    @property
    def result(self) -> Result:
        """The result."""
        return self.material.result

    @property
    def code(self) -> int:
        """The exit code of the command."""
        return int(Exit.BROKE) if self.trouble else self.result.run.exit


def judged_again(stream: Stream, reports: Path | None) -> Written:
    """Judge a stream and write its reports. Raises `ConfigError` if the folder is in use or holds files of others."""
    made = Material(judge(stream), stream)
    if reports is None:
        return Written(made)
    with reports_folder.taken(reports):
        return written(made, reports, None)


def judged_otherwise(stream: Stream, plan: str | None, as_of: date | None) -> Stream:
    """A stream to judge for another plan, or as on another day, if these are given."""
    head = stream.head
    targets = tuple(replace(one, plan=plan or one.plan) for one in head.targets)
    return stream.with_head(replace(head, as_of=as_of or head.as_of, targets=targets))


def written(
    material: Material,
    folder: Path,
    seal: Seal | None,
    *,
    but: Collection[str] = (),
    besides: Callable[[], Iterable[str]] = lambda: (),
) -> Written:
    """Write the reports of a run and what proves them, and the files `besides` that the proof covers.

    Those in `but` are there already.
    """
    end = Written(material, unwritten=outputs.write_outputs(material, folder, but=but))
    listed = [name for name in names(material) if name not in end.unwritten]
    end.unwritten |= proof.write_proof(folder, [*listed, *besides()], material.result, material.environment, seal)
    if end.unwritten:
        end.trouble.append(not_written(folder, end.unwritten))
    return end


def append_job_summary(material: Material) -> None:
    """Add the summary to the job's page, if the CI system has one. An error in it does not fail the run."""
    path = job_summary(os.environ)
    if path is not None:
        with suppress(Exception), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(summary.render(material.result, material.evidence))
