"""Ends a run, whatever the cause: ends its stream, judges it, writes what follows, and sets the exit code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from petcheck.config.options import Config, WaiverUpdate
from petcheck.config.settings_file import SettingsFile, read_settings
from petcheck.config.values import why
from petcheck.config.waivers import waivers_in
from petcheck.errors import ConfigError, NotARun
from petcheck.judging.waivers import revised
from petcheck.reports.outputs import Material
from petcheck.results import atomic_write
from petcheck.results.judge import judge
from petcheck.results.proof import NOBODY, Witnesses
from petcheck.results.result import Result
from petcheck.runner.session import Session
from petcheck.runner.written import Written, written
from petcheck.sanitize import comma_list, printable
from petcheck.spec.outcomes import Waiver
from petcheck.stream import files
from petcheck.stream.lines import End, Revised
from petcheck.stream.stream import Stream
from petcheck.stream.typed import in_milliseconds
from petcheck.words import plural

_WORKERS_END_S = 10.0  # longer than a signal waits for a POST that is under way
_HAS_ENDED = os.WEXITED | os.WNOWAIT


@dataclass
class RunEnd:
    """Ends one run, in the process that writes its reports.

    `workers` are the ids of the processes that run checks for it; `lost` says what befell one of them, if anything.
    `error` is the type of an exception that broke pytest, if it is known: the message may contain the key.
    `written` is None until the stream is judged. `witnesses` sign and date the reports.
    """

    run: Session
    witnesses: Witnesses = NOBODY
    workers: set[int] = field(default_factory=set)
    lost: str | None = None
    error: str | None = None
    written: Written | None = None
    _note: str | None = None
    _told: list[str] = field(default_factory=list)
    _damaged: bool = False

    def finish(self, status: int, *, cut_short: bool = False) -> Written:
        """End the stream, judge it and write the reports; then close what the run has opened.

        `status` is pytest's exit code; `cut_short` means that the run stopped at a failure.
        """
        try:
            return self._finished(status, cut_short=cut_short)
        finally:
            self.run.close()  # last: an application may take long to end, or be killed meanwhile

    def _finished(self, status: int, *, cut_short: bool) -> Written:
        interrupted = status == pytest.ExitCode.INTERRUPTED
        if interrupted:
            self._stop_workers()
        nothing_selected = status == pytest.ExitCode.NO_TESTS_COLLECTED
        inside = f"pytest had an internal error{f' ({self.error})' if self.error else ''}"
        broken = self.lost or (inside if status == pytest.ExitCode.INTERNAL_ERROR else None)
        finished = in_milliseconds(self.run.clock.now())
        stream = self._ended(End(finished, interrupted, cut_short, nothing_selected, broken))
        made = Material(judge(stream), stream)
        folder, writer = self.run.config.reports, self.run.writer
        whole = writer.trouble is None and self.lost is None and not self._damaged
        but = [files.FILE] if whole else []  # a process that is lost may have left half a line
        end = written(made, folder, self.witnesses, but=but)
        self.written = replace(
            end,
            broken=stream.end.broken if stream.end else broken,
            told=[printable(told, 400) for told in self._told],
            note=self._note,
        )
        return self.written

    def _stop_workers(self) -> None:
        """End the workers: each puts on record what it has sent, and nothing may follow the end of the stream."""
        for process in self.workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        patience = time.monotonic() + _WORKERS_END_S
        for process in self.workers:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                while not os.waitid(os.P_PID, process, _HAS_ENDED | os.WNOHANG) and time.monotonic() < patience:
                    time.sleep(0.01)
                os.kill(process, signal.SIGKILL)
                os.waitid(os.P_PID, process, _HAS_ENDED)

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
                waivers, self._note = _update_waivers(self.run.config, update, found)
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


# ---- the waivers that a run asks for


def _update_waivers(config: Config, update: WaiverUpdate, result: Result) -> tuple[tuple[Waiver, ...], str]:
    """Write the waivers that `result` asks for. A run that was cut short leaves the file as it is.

    Returns the waivers that the file has now, and one line that says what changed. Raises `ConfigError` if the file
    cannot be written, or if its waivers for these targets changed during the run.
    """
    name = printable(str(update.path))
    if not result.complete:
        return config.waivers, f"{name} is unchanged, since the run was not complete"
    file = read_settings(str(update.path)) if update.path.exists() else SettingsFile(str(update.path), {})
    targets = [target.name for target in result.targets]
    before = waivers_in(file, [*targets, *(one.target for one in config.waivers)])
    if _of(targets, before) != _of(targets, [one for one in config.waivers if not one.gap]):
        raise ConfigError(f"{name}: its waivers changed during the run; run again")
    outcomes = {(row.id, row.target): row.outcome for row in result.requirements}
    after = revised(before, outcomes, reason=update.reason, expires=update.expires)
    if after != before:
        from petcheck.config.waivers_file import edited  # tomlkit is needed for an update only

        text = edited(file, before, after)
        try:
            atomic_write.write(update.path, text)
        except OSError as error:
            raise ConfigError(f"{name}: cannot be written ({why(error)})") from None
    return (*after, *(one for one in config.waivers if one.gap)), _note(name, before, after)


def _of(targets: Sequence[str], waivers: Sequence[Waiver]) -> list[Waiver]:
    return [waiver for waiver in waivers if waiver.target in targets]


def _note(name: str, before: Sequence[Waiver], after: Sequence[Waiver]) -> str:
    """What changed; a waiver with another reason and day is renewed."""
    new, old = (_failures(one, other) for one, other in ((after, before), (before, after)))
    groups = {
        "added": [key for key in new if key not in old],
        "renewed": [key for key in new if key in old],
        "removed": [key for key in old if key not in new],
    }
    parts = [f"{plural(len(keys), 'waiver')} {verb} ({comma_list(keys)})" for verb, keys in groups.items() if keys]
    stands = sum(one in before for one in after)
    parts += [f"{plural(stands, 'waiver')} kept"] if stands else []
    return f"{name}: {'; '.join(parts) or 'nothing to waive'}"


def _failures(waivers: Sequence[Waiver], other: Sequence[Waiver]) -> list[str]:
    """What those of `waivers` are about that are not in `other`, in their order."""
    return list(dict.fromkeys(f"{one.requirement} on {one.target}" for one in waivers if one not in other))
