"""What a run shows on screen: its progress, then its verdicts at the very end.

pytest's own report is hidden, unless the user asked for it (`-v`, `--tb`, `--durations`, `--collect-only`) or something
broke.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from petcheck.reports.annotations import lines as annotation_lines
from petcheck.reports.outputs import Material
from petcheck.runner.finish import RunEnd
from petcheck.runner.progress import Announcer
from petcheck.runner.shown_checks import OUTCOME
from petcheck.sanitize import escape_commands


class Screen:
    """A pytest plugin: the only part of a run that writes to the screen."""

    def __init__(self, config: pytest.Config, *, budget: int, folder: Path | None) -> None:
        """`budget` is the most requests that the run may send; `folder` holds its reports, as the user wrote it.

        It is None where another shows the end of the run.
        """
        option = config.option
        verbosity = option.verbose
        self._quiet = verbosity < 0 and not option.collectonly
        asked = verbosity > 0 or option.collectonly or option.durations is not None
        self._hidden = not asked and option.tbstyle in ("auto", "no")
        self._folder = folder
        self._kept = io.StringIO()
        self._terminal: Any = None
        self.end: RunEnd | None = None  # shown after pytest's last output
        watched = not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
        self.announcer = Announcer(None if self._quiet else sys.stdout, live=self._hidden and watched, budget=budget)

    # ---- during the run

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> Iterator[None]:
        """Redirect pytest's output before its first line."""
        reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            self._terminal = reporter._tw
            if self._hidden:
                reporter._tw = type(reporter._tw)(self._kept)
        return (yield)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the checks."""
        if session.items:
            self.announcer.expect(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Count the checks that workers collect."""
        self.announcer.expect(len(ids))

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """One letter and one word for each outcome of a check."""
        outcome = dict(getattr(report, "user_properties", ())).get(OUTCOME)
        if report.when == "teardown" or outcome not in ("inconclusive", "not-run", "error"):
            return None
        letter = {"inconclusive": "i", "not-run": "-", "error": "E"}[str(outcome)]
        category = "error" if outcome == "error" else "skipped"
        return category, letter, str(outcome).upper()

    # ---- the end

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """After all other plugins, show pytest's output if it helps, then the verdicts."""
        value: None = yield
        self.announcer.close()
        end = self.end
        broke = end is None or end.product is None or end.broken is not None
        # pytest itself reports a mistake in its options
        if self._hidden and broke and session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.USAGE_ERROR):
            sys.stderr.write(self._kept.getvalue())
        if end is not None and end.product is not None and self._terminal is not None and self._folder is not None:
            for command in annotation_lines(end.product.result, end.product.evidence, os.environ):
                self._terminal.line(command)
            self._terminal.line(self._summary(end.product, str(self._folder), end.unwritten))
            if end.note and not self._quiet:
                self._terminal.line(f"\n{escape_commands(end.note)}")
            for trouble in end.trouble:
                sys.stderr.write(f"petcheck: {trouble}\n")
            self._terminal.flush()
        return value

    def _summary(self, product: Material, folder: str, unwritten: Collection[str]) -> str:
        from petcheck.reports import terminal

        if self._quiet:
            return terminal.one_line(product.result, folder)
        return terminal.render(
            product.result,
            product.evidence,
            width=self._terminal.fullwidth,
            colour=self._terminal.hasmarkup,
            folder=folder,
            unwritten=unwritten,
        )
