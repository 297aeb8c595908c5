"""Ends a run, whatever the cause: writes the results and sets the exit code."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import signal
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from petcheck.errors import NotWritten
from petcheck.reports import write
from petcheck.reports.write import Product
from petcheck.results import atomic_write
from petcheck.runner.results import RunFacts, assemble, join_reports
from petcheck.runner.session import Session
from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import suite_file
from petcheck.spec.outcomes import Exit

DEBUGGING_PAGE = "pytest.html"


@dataclass
class RunEnd:
    """Ends one run, in the process that writes its reports.

    `workers` are the ids of the processes that run checks for it, and `parts` their pickled `Session.unsent_reports`.
    `lost` is true if a worker died. `product` is None until the result is assembled. `unwritten` are the files that
    could not be written.
    """

    run: Session
    workers: set[int] = field(default_factory=set)
    parts: list[bytes] = field(default_factory=list)
    lost: bool = False
    product: Product | None = None
    unwritten: dict[str, Exception] = field(default_factory=dict)
    broken: str | None = None

    def stop_workers(self) -> None:
        """End the workers at once: they have reported their findings, and would continue to send requests."""
        for process in list(self.workers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)

    def finish(self, *, interrupted: bool, cut_short: bool, nothing_selected: bool, runner_broke: bool) -> int:
        """Assemble the result and write it; returns the exit code.

        `cut_short` means that the run stopped at a failure, `runner_broke` that pytest could not end the run.
        """
        by_pytest = "pytest had an internal error" if runner_broke else None
        self.broken = "a worker process died" if self.lost else by_pytest
        facts = RunFacts(
            run=self.run.run,
            started=self.run.started,
            finished=datetime.now(UTC),
            interrupted=interrupted,
            cut_short=cut_short,
            nothing_selected=nothing_selected,
            broken=self.broken,
        )
        order = {name: place for place, name in enumerate(self.run.names)}
        # a copy: a worker may send its last report at any time
        sent = join_reports(part for packed in list(self.parts) for part in pickle.loads(packed))  # noqa: S301 - our own
        reports = sorted([*self.run.reports(), *sent], key=lambda report: order.get(report.name, len(order)))
        digest = hashlib.sha256(suite_file("openapi.yaml").read_bytes()).hexdigest()
        self.product = Product(*assemble(self.run.config, catalogue(), digest, facts, reports))
        try:
            write.write_all(self.product, self.run.config.reports)
        except NotWritten as error:
            self.unwritten |= error.errors
        return self.exit_code(self.product.result.run.exit)

    def append_job_summary(self) -> None:
        """Add the summary to the job's page, if the CI system has one. An error in it does not fail the run."""
        from petcheck.reports import summary
        from petcheck.reports.annotations import job_summary

        path = job_summary(os.environ)
        if path is not None and self.product is not None:
            with contextlib.suppress(Exception), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(summary.render(self.product.result))

    @property
    def trouble(self) -> list[str]:
        """What broke the suite, one line each."""
        lines = [f"the suite broke: {self.broken}"] if self.broken else []
        return lines + ([str(write.not_written(self.run.config.reports, self.unwritten))] if self.unwritten else [])

    def exit_code(self, code: int) -> int:
        """`code`, or the exit code for a broken suite."""
        return int(Exit.BROKE) if self.trouble else code

    def take_over_page(self, plugins: Iterable[object], *, unwritten: bool = False) -> object:
        """Write pytest-html's page atomically like the other files, or not at all if `unwritten`.

        By default pytest-html empties the old page before it has a new one. Returns its plugin, None if there is none.
        """
        from pytest_html.basereport import BaseReport  # type: ignore[import-untyped, unused-ignore]

        page = next((plugin for plugin in plugins if isinstance(plugin, BaseReport)), None)
        if page is not None:
            page._write_report = lambda text: None if unwritten else self._write_page(page._report_path, text)
        return page

    def _write_page(self, path: Path, text: str) -> None:
        try:
            atomic_write.write(path, text)
        except OSError as error:
            self.unwritten[path.name] = error
