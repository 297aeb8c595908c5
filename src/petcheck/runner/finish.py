"""Ends a run, whatever the cause: ends its stream, judges it, writes what follows, and sets the exit code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from petcheck.errors import ConfigError, NotARun
from petcheck.reports.outputs import Material
from petcheck.results import atomic_write
from petcheck.results.judge import judge
from petcheck.results.proof import NOBODY, Witnesses
from petcheck.runner.again import Written, written
from petcheck.runner.session import Session
from petcheck.runner.waiver_update import update_waivers
from petcheck.sanitize import printable
from petcheck.stream import files
from petcheck.stream.lines import End, Revised
from petcheck.stream.stream import Stream
from petcheck.stream.typed import in_milliseconds


@dataclass
class RunEnd:
    """Ends one run, in the process that writes its reports.

    `workers` are the ids of the processes that run checks for it; `lost` says what befell one of them, if anything.
    `written` is None until the stream is judged. `witnesses` sign and date the reports.
    """

    run: Session
    witnesses: Witnesses = NOBODY
    workers: set[int] = field(default_factory=set)
    lost: str | None = None
    written: Written | None = None
    _note: str | None = None
    _told: list[str] = field(default_factory=list)
    _damaged: bool = False

    def stop_workers(self) -> None:
        """End the workers at once: what they have sent is on record, and nothing may follow the end of the stream."""
        for process in list(self.workers):
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(process, signal.SIGTERM)
                os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)

    def finish(self, *, interrupted: bool, cut_short: bool, nothing_selected: bool, runner_broke: bool) -> Written:
        """End the stream, judge it and write the reports.

        `cut_short` means that the run stopped at a failure, `runner_broke` that pytest could not end the run.
        """
        broken = self.lost or ("pytest had an internal error" if runner_broke else None)
        finished = in_milliseconds(self.run.clock.now())
        stream = self._ended(End(finished, interrupted, cut_short, nothing_selected, broken))
        made = Material(judge(stream), stream)
        folder, writer = self.run.config.reports, self.run.writer
        whole = writer.path is not None and writer.trouble is None and self.lost is None and not self._damaged
        but = [files.FILE] if whole else []  # a process that is lost may have left half a line
        end = Written(made) if folder is None else written(made, folder, self.witnesses, but=but)
        self.written = replace(
            end,
            broken=stream.end.broken if stream.end else broken,
            told=[printable(told, 400) for told in self._told],
            note=self._note,
        )
        return self.written

    def _ended(self, end: End) -> Stream:
        """The stream with its last line. With --update-waivers the revised waivers come before it."""
        writer, update = self.run.writer, self.run.config.waiver_update
        try:
            stream = writer.stream()
        except NotARun as error:
            self._told.append(f"the recording cannot be read back, so the verdicts rest on memory: {error}")
            stream = writer.kept()
        if stream.cut is not None:
            self._damaged = True
            broken = end.broken or (None if end.interrupted else f"{files.FILE}: {stream.cut}")
            stream, end = replace(stream, cut=None), replace(end, broken=broken)
        lines: list[Revised | End] = [end]
        if update is not None:
            try:
                found = judge(Stream((*stream.entries, end)))
                waivers, self._note = update_waivers(self.run.config, update, found)
                lines.insert(0, Revised(waivers))
            except ConfigError as error:
                self._told.append(f"the waivers were not updated: {error}")
        for line in lines:
            writer.write(line)
        return replace(stream, entries=(*stream.entries, *lines))

    def take_over_page(self, plugins: Iterable[object]) -> object:
        """Write pytest-html's page atomically like the other files, or not at all if nothing was judged.

        By default pytest-html empties the old page before it has a new one. Returns its plugin, None if there is none.
        """
        if "pytest_html" not in sys.modules:
            return None
        from pytest_html.basereport import BaseReport  # type: ignore[import-untyped, unused-ignore]

        page = next((plugin for plugin in plugins if isinstance(plugin, BaseReport)), None)
        if page is not None:
            page._write_report = lambda text: self._write_page(page._report_path, text)
        return page

    def _write_page(self, path: Path, text: str) -> None:
        if self.written is None:
            return
        try:
            atomic_write.write(path, text)
        except OSError as error:
            self.written.unwritten[path.name] = error
