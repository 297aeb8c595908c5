"""The end of a run, whatever ended it: what was found out until then is written, and decides the exit code."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from petcheck.assembly import Course, assemble, joined
from petcheck.exchange import Exchange
from petcheck.judging.catalogue import catalogue
from petcheck.judging.verdicts import Exit
from petcheck.reports import atomic, outputs
from petcheck.reports.claim import Claim, InUse
from petcheck.reports.result import Result
from petcheck.session import Session
from petcheck.suite_files import openapi_sha256
from petcheck.values import ConfigError

DEBUGGING_PAGE = "pytest.html"


@dataclass
class Ending:
    """The end of one run, in the process that writes its reports.

    `workers` are other processes that run checks, by their ids, and `parts` what `Session.news` said there, pickled;
    `lost` tells that one of them died. `product` is there once everything was put together, written or not;
    `unwritten` are the files that could not be written.
    """

    run: Session
    workers: set[int] = field(default_factory=set)
    parts: list[bytes] = field(default_factory=list)
    lost: bool = False
    product: tuple[Result, tuple[Exchange, ...]] | None = None
    unwritten: dict[str, Exception] = field(default_factory=dict)
    broken: str | None = None
    _claim: Claim | None = None

    def claim(self) -> None:
        """Take the folder for this run. Raises `ConfigError` where another run has it."""
        self._claim = claimed(self.run.config.reports)
        if self._claim.held:
            atomic.sweep(self.run.config.reports)

    def release(self) -> None:
        """Let other runs have the folder."""
        if self._claim is not None:
            self._claim.release()

    def stop_workers(self) -> None:
        """End other processes of this run at once: they have told what they know, and would go on sending."""
        for process in list(self.workers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)

    def finish(self, *, interrupted: bool, cut_short: bool, nothing_selected: bool, runner_broke: bool) -> int:
        """Put the result together and write it; the exit code that the verdicts ask for.

        `cut_short` is a run that stopped at a failure, `runner_broke` one that pytest could not bring to its end.
        """
        self.broken = self._what_broke(runner_broke)
        course = Course(
            run=self.run.run,
            started=self.run.started,
            finished=datetime.now(UTC),
            interrupted=interrupted,
            cut_short=cut_short,
            nothing_selected=nothing_selected,
            broken=self.broken,
        )
        order = {name: place for place, name in enumerate(self.run.names)}
        # a copy: a worker's last words may come in at any time
        told = joined(part for packed in list(self.parts) for part in pickle.loads(packed))  # noqa: S301 - our own
        reports = sorted([*self.run.reports(), *told], key=lambda report: order.get(report.name, len(order)))
        self.product = assemble(self.run.config, catalogue(), openapi_sha256(), course, reports)
        result, exchanges = self.product
        try:
            outputs.write_all(result, exchanges, self.run.config.reports)
        except outputs.NotWritten as error:
            self.unwritten |= error.errors
        return self.code(result.run.exit)

    @property
    def trouble(self) -> list[str]:
        """What broke the suite, in a line each."""
        lines = [f"the suite broke: {self.broken}"] if self.broken else []
        return lines + ([str(outputs.NotWritten(self.run.config.reports, self.unwritten))] if self.unwritten else [])

    def code(self, due: int) -> int:
        """The exit code that was `due`, or the one that says that the suite broke."""
        return Exit.BROKE.value if self.trouble else due

    def take_over(self, plugins: Iterable[object], *, unwritten: bool = False) -> object:
        """Have pytest-html's page written as the other files are, or not at all.

        By itself it empties the old page before it has a new one. Returns its plugin, None where there is none.
        """
        from pytest_html.basereport import BaseReport  # type: ignore[import-untyped, unused-ignore]

        page = next((plugin for plugin in plugins if isinstance(plugin, BaseReport)), None)
        if page is not None:
            page._write_report = lambda text: None if unwritten else self._write_page(page._report_path, text)
        return page

    def _write_page(self, path: Path, text: str) -> None:
        try:
            atomic.replace(path, text)
        except OSError as error:
            self.unwritten[path.name] = error

    def _what_broke(self, runner_broke: bool) -> str | None:
        if self.lost:
            return "a worker process died"
        return "pytest met an error of its own" if runner_broke else None


def claimed(folder: Path) -> Claim:
    """The folder, held for one run. Raises `ConfigError` where another run has it."""
    try:
        return Claim(folder)
    except InUse as taken:
        raise ConfigError(f"{taken}; wait for its end, or give this run a folder of its own with --reports") from None
