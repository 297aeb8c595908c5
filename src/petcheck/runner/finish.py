"""Ends a run, whatever the cause: ends its stream, judges it, writes what follows, and sets the exit code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from petcheck.errors import ConfigError, NotARun
from petcheck.reports import outputs
from petcheck.reports.outputs import Material
from petcheck.results import atomic_write
from petcheck.results.attestation import Seal
from petcheck.results.judge import judge
from petcheck.runner.again import written
from petcheck.runner.reports_folder import DEBUGGING_PAGE
from petcheck.runner.session import Session
from petcheck.runner.waiver_update import update_waivers
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Exit
from petcheck.stream import files
from petcheck.stream.lines import End, Revised
from petcheck.stream.stream import Stream
from petcheck.stream.typed import in_milliseconds


@dataclass
class RunEnd:
    """Ends one run, in the process that writes its reports.

    `workers` are the ids of the processes that run checks for it; `lost` says what befell one of them, if anything.
    `product` is None until the stream is judged. `unwritten` are the files that could not be written. `seal` signs the
    attestation; None without a signature. `note` says what happened to the waivers.
    """

    run: Session
    seal: Seal | None = None
    workers: set[int] = field(default_factory=set)
    lost: str | None = None
    product: Material | None = None
    unwritten: dict[str, Exception] = field(default_factory=dict)
    broken: str | None = None
    note: str | None = None
    _said: list[str] = field(default_factory=list)
    _page: Path | None = None

    def stop_workers(self) -> None:
        """End the workers at once: what they have sent is on record, and nothing may follow the end of the stream."""
        for process in list(self.workers):
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(process, signal.SIGTERM)
                os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)

    def finish(self, *, interrupted: bool, cut_short: bool, nothing_selected: bool, runner_broke: bool) -> int:
        """End the stream, judge it and write the reports; returns the exit code.

        `cut_short` means that the run stopped at a failure, `runner_broke` that pytest could not end the run.
        """
        self.broken = self.lost or ("pytest had an internal error" if runner_broke else None)
        finished = in_milliseconds(datetime.now(UTC))
        stream = self._ended(End(finished, interrupted, cut_short, nothing_selected, self.broken))
        self.product = Material(judge(stream), stream)
        folder, writer = self.run.config.reports, self.run.writer
        if folder is not None:
            whole = writer.path is not None and writer.trouble is None and stream.cut is None and self.lost is None
            but = [files.FILE] if whole else []  # a process that is lost may have left half a line
            self.unwritten |= written(self.product, folder, self.seal, but=but).unwritten
        return self.exit_code(self.product.result.run.exit)

    def _ended(self, end: End) -> Stream:
        """The stream with its last line. With --update-waivers the revised waivers come before it."""
        writer, update = self.run.writer, self.run.config.waiver_update
        try:
            stream = writer.stream()
        except NotARun as error:
            self._said.append(f"the recording cannot be read back, so the verdicts rest on memory: {error}")
            stream = writer.kept()
        lines: list[Revised | End] = [end]
        if update is not None:
            try:
                found = judge(Stream((*stream.entries, end)))
                waivers, self.note = update_waivers(self.run.config, update, found)
                lines.insert(0, Revised(waivers))
            except ConfigError as error:
                self._said.append(f"the waivers were not updated: {error}")
        for line in lines:
            writer.write(line)
        return replace(stream, entries=(*stream.entries, *lines))

    def drop_old_page(self) -> None:
        """Remove pytest-html's page of an earlier run."""
        folder = self.run.config.reports
        page = folder and folder / DEBUGGING_PAGE
        if page is not None and self._page != page.resolve() and DEBUGGING_PAGE not in self.unwritten:
            with contextlib.suppress(OSError):
                page.unlink(missing_ok=True)

    @property
    def trouble(self) -> list[str]:
        """What broke the suite, one line each."""
        lines = [f"the suite broke: {self.broken}"] if self.broken else []
        lines += [printable(said, 400) for said in self._said]
        folder = self.run.config.reports
        return lines + ([outputs.not_written(folder, self.unwritten)] if folder and self.unwritten else [])

    def exit_code(self, code: int) -> int:
        """`code`, or the exit code for a broken suite."""
        return int(Exit.BROKE) if self.trouble else code

    def take_over_page(self, plugins: Iterable[object], *, unwritten: bool = False) -> object:
        """Write pytest-html's page atomically like the other files, or not at all if `unwritten`.

        By default pytest-html empties the old page before it has a new one. Returns its plugin, None if there is none.
        """
        if "pytest_html" not in sys.modules:
            return None
        from pytest_html.basereport import BaseReport  # type: ignore[import-untyped, unused-ignore]

        page = next((plugin for plugin in plugins if isinstance(plugin, BaseReport)), None)
        if page is not None:
            page._write_report = lambda text: None if unwritten else self._write_page(page._report_path, text)
        return page

    def _write_page(self, path: Path, text: str) -> None:
        try:
            atomic_write.write(path, text)
            self._page = path.resolve()
        except OSError as error:
            self.unwritten[path.name] = error
