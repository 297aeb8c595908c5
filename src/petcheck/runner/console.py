"""What a run shows on screen: its progress, then its verdicts at the very end; and what pytest shows of the checks.

pytest's own report is hidden, unless the user asked for it (`-v`, `--tb`, `--durations`, `--collect-only`) or something
broke.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from petcheck.config.keys import without_keys
from petcheck.config.resolve import in_ci
from petcheck.judging.verdicts import Dropped, Verdict
from petcheck.results.fleet import WORST_FIRST
from petcheck.results.judge import failing
from petcheck.results.result import Result
from petcheck.runner.progress import Announcer
from petcheck.runner.schedule import Check
from petcheck.runner.written import Look, Written, show
from petcheck.sanitize import escape_commands, printable_lines, printable_reason
from petcheck.spec.outcomes import Outcome
from petcheck.stream.stream import Stream
from petcheck.toolkit.target import Target

OUTCOME = "petcheck"
"""The property of a pytest report that has the outcome of its check."""


class Screen:
    """A pytest plugin: the only part of a run that writes to the screen."""

    def __init__(self, config: pytest.Config, *, budget: int, waits: float, folder: Path) -> None:
        """`budget` and `waits` as in `Announcer`; `folder` holds the reports of the run, as the user wrote it."""
        option = config.option
        verbosity = option.verbose
        self._quiet = verbosity < 0 and not option.collectonly
        asked = verbosity > 0 or option.collectonly or option.durations is not None
        self._hidden = not asked and option.tbstyle in ("auto", "no")
        self._folder = folder
        self._kept = io.StringIO()
        self._terminal: Any = None
        self.end: Written | None = None  # shown after pytest's last output
        self._begun = True
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

    def nothing_begun(self, why: str) -> None:
        """Say why nothing was begun: the run has no end to show."""
        self._begun = False
        print(f"petcheck: {why}", file=sys.stderr)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """After all other plugins, show pytest's output if it helps, then the verdicts."""
        value: None = yield
        self.announcer.close()
        end = self.end
        broke = (end is None or end.broken is not None) and self._begun
        # pytest itself reports a mistake in its options
        if self._hidden and broke and session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.USAGE_ERROR):
            sys.stderr.write(without_keys(self._kept.getvalue(), os.environ))
        if end is not None and self._terminal is not None:
            look: Look = {"width": self._terminal.fullwidth, "colour": self._terminal.hasmarkup}
            show(end, str(self._folder), look, quiet=self._quiet, line=self._terminal.line)
            self._terminal.flush()
        return value


# ---- the checks: they ask first, and end as the verdicts say once the stream is judged


class Kept:
    """The reports of the checks that have asked, until the verdicts are known."""

    def __init__(self) -> None:
        self._reports: list[tuple[pytest.Item, Check, list[pytest.TestReport]]] = []
        self._failed: set[tuple[str, str]] = set()

    def run(self, item: pytest.Item, check: Check, nextitem: pytest.Item | None) -> None:
        """Run a check, and keep what pytest has to say of it."""
        self._reports.append((item, check, runtestprotocol(item, log=False, nextitem=nextitem)))

    def failed(self, check: Check, stream: Stream) -> int:
        """How many requirements fail and checks broke by now; `check` is the last that has asked."""
        self._failed |= {(check.target, name) for name in failing(stream, check.target, check.requirements)}
        dropped = _dropped_in(stream).get(check.id)
        if dropped is not None and dropped.outcome == "error":
            self._failed.add((check.target, check.id))
        return len(self._failed)

    def show(
        self,
        result: Result,
        stream: Stream,
        targets: Mapping[str, Target],
        begin: Callable[[pytest.Item], object] | None = None,
    ) -> None:
        """Hand the reports to pytest, with the outcomes of the verdicts.

        In a worker, whose controller knows that the checks ran, `begin` is called before the reports of each.
        """
        rows = {(row.target, row.id): row for row in result.requirements}
        asked = {row.id for row in result.checks if row.exchanges}
        dropped = _dropped_in(stream)
        while self._reports:
            item, check, reports = self._reports.pop(0)
            verdicts = [rows[check.target, name] for name in check.requirements if (check.target, name) in rows]
            shown = _shown(verdicts, dropped.get(check.id), asked=check.id in asked)
            target = targets.get(check.target)
            if begin is not None:
                begin(item)
            else:
                item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for report in reports:
                _complete(report, item, *shown, partial(_redacted, target))
                item.ihook.pytest_runtest_logreport(report=report)
            if begin is None:
                item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _dropped_in(stream: Stream) -> dict[str, Dropped | None]:
    """What each check could not ask."""
    return {ended.check: ended.dropped for part in stream.parts for ended in part.ended}


def _complete(
    report: pytest.TestReport, item: pytest.Item, outcome: Outcome, reason: str, redacted: Callable[[str], str]
) -> None:
    """Put the outcome of a check into the report that decides it."""
    report.sections = [(title, _lines(redacted(text))) for title, text in report.sections]
    if report.when == "teardown" or (report.when == "setup" and report.passed):
        return
    # text from the target in a reason stays plain text
    reason = escape_commands(printable_reason(reason))
    report.user_properties.append((OUTCOME, outcome))
    if outcome in ("inconclusive", "not-run"):
        report.outcome = "skipped"
        report.longrepr = (item.location[0], item.location[1] or 0, reason)
    elif outcome in ("fail", "error"):
        broke = report.longrepr is not None and outcome == "error" and bool(report.longreprtext)
        # a traceback may show a request with its key
        report.longrepr = _lines(redacted(report.longreprtext)) if broke else reason
        report.outcome = "failed"
    else:
        report.outcome, report.longrepr = "passed", None


def _redacted(target: Target | None, text: str) -> str:
    """A text without the keys that the run knows."""
    return without_keys(text if target is None else target.transport.sender.redacted(text), os.environ)


def _shown(verdicts: Sequence[Verdict], dropped: Dropped | None, *, asked: bool) -> tuple[Outcome, str]:
    """The outcome of a check and its reason: a failure, or what it could not ask, or the gravest of its verdicts.

    One that has not `asked` anything because a permission was missing does not fail for what another check has seen.
    """
    gravest = min(verdicts, key=lambda one: WORST_FIRST.index(one.outcome), default=None)
    if gravest is not None and gravest.outcome == "fail" and (asked or dropped is None):
        return "fail", gravest.reason
    if dropped is not None:
        return dropped.outcome, dropped.reason
    return ("pass", "") if gravest is None else (gravest.outcome, gravest.reason)


def _lines(text: str) -> str:
    return "\n".join(printable_lines(text))
