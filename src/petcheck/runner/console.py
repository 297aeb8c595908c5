"""What a run shows on screen: its progress, then its verdicts at the very end.

pytest's own report is hidden, unless the user asked for it (`-v`, `--tb`, `--durations`, `--collect-only`) or something
broke.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from petcheck.config.resolve import in_ci
from petcheck.runner.progress import Announcer
from petcheck.runner.shown_checks import OUTCOME
from petcheck.runner.written import Look, Written, show


class Screen:
    """A pytest plugin: the only part of a run that writes to the screen."""

    def __init__(self, config: pytest.Config, *, budget: int, waits: float, folder: Path | None) -> None:
        """`budget` and `waits` as in `Announcer`; `folder` holds the reports of the run, as the user wrote it.

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
        self.end: Written | None = None  # shown after pytest's last output
        watched = not in_ci(os.environ) and os.environ.get("TERM") != "dumb"
        live, stream = self._hidden and watched, None if self._quiet else sys.stdout
        self.announcer = Announcer(stream, live=live, budget=budget, waits=waits)

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
        broke = end is None or end.broken is not None
        # pytest itself reports a mistake in its options
        if self._hidden and broke and session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.USAGE_ERROR):
            sys.stderr.write(self._kept.getvalue())
        if end is not None and self._terminal is not None and self._folder is not None:
            look: Look = {"width": self._terminal.fullwidth, "colour": self._terminal.hasmarkup}
            show(end, str(self._folder), look, quiet=self._quiet, line=self._terminal.line)
            self._terminal.flush()
        return value
