"""What a run shows: how far it is while it lasts, and its verdicts last of all, where they are seen.

pytest's own report of a run is kept back, unless it was asked for (`-v`, `--tb`, `--durations`, `--collect-only`) or
something broke: then it is what is needed.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from petcheck.announcer import Announcer
from petcheck.ending import Ending
from petcheck.exchange import Exchange
from petcheck.reports.annotations import lines as commands
from petcheck.reports.result import Result

SENT = "petcheck-sent"
"""The property of a pytest report that tells a check's target and the requests sent to it until then."""


class Screen:
    """A pytest plugin: the only one to write to the screen of a run that judges."""

    def __init__(self, config: pytest.Config, *, budget: int, folder: Path) -> None:
        """`budget` are the requests of the run at most; `folder` is where its reports are, as the user knows it."""
        option = config.option
        verbosity = option.verbose
        self._quiet = verbosity < 0 and not option.collectonly
        asked = verbosity > 0 or option.collectonly or option.durations is not None
        self._hushed = not asked and option.tbstyle in ("auto", "no")
        self._folder = folder
        self._kept = io.StringIO()
        self._terminal: Any = None
        self._ending: Ending | None = None
        watched = not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
        self.announcer = Announcer(None if self._quiet else sys.stdout, live=self._hushed and watched, budget=budget)

    def end_with(self, ending: Ending) -> None:
        """What the run came to, shown when pytest has said all that it has to say."""
        self._ending = ending

    # ---- while it lasts

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> Iterator[None]:
        """Lead pytest's words aside before it says the first."""
        reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            self._terminal = reporter._tw
            if self._hushed:
                reporter._tw = type(reporter._tw)(self._kept)
        return (yield)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Now it is known how many checks there are."""
        if session.items:
            self.announcer.expect(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """The same where workers collect."""
        self.announcer.expect(len(ids))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One more check, here or in a worker."""
        for name, value in report.user_properties:
            if name == SENT and isinstance(value, tuple | list):
                self.announcer.sent(*value)
        if report.when == "teardown":
            self.announcer.check_done()

    # ---- the end

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """After everybody else: what pytest said where that helps, then the verdicts."""
        value: None = yield
        self.announcer.close()
        ending = self._ending
        broke = ending is None or ending.product is None or ending.broken is not None
        # of a mistake in the options pytest says what there is to say
        if self._hushed and broke and session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.USAGE_ERROR):
            sys.stderr.write(self._kept.getvalue())
        if ending is not None and ending.product is not None and self._terminal is not None:
            result, exchanges = ending.product
            for command in commands(result, os.environ):
                self._terminal.line(command)
            self._terminal.line(self._said(result, exchanges, ending.unwritten))
            for trouble in ending.trouble:
                sys.stderr.write(f"petcheck: {trouble}\n")
            self._terminal.flush()
        return value

    def _said(self, result: Result, exchanges: Sequence[Exchange], unwritten: Collection[str]) -> str:
        from petcheck.reports import terminal
        from petcheck.reports.har import entries_by_index, har

        if self._quiet:
            return terminal.one_line(result, str(self._folder))
        return terminal.render(
            result,
            tuple(entries_by_index(har(exchanges, version=result.suite.version)).values()),
            width=self._terminal.fullwidth,
            colour=self._terminal.hasmarkup,
            folder=str(self._folder),
            unwritten=unwritten,
        )
