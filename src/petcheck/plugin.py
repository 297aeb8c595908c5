"""The pytest side: options, the fixtures and markers of checks, and what pytest shows of how they ended.

Loaded by the `conftest.py` above `checks/`. It does nothing in a run that has no check in it.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from petcheck.announcer import Announcer
from petcheck.checking import STAGES, USUAL_STAGE, Check, finding, places
from petcheck.config import Config, configure, utc_today
from petcheck.ending import DEBUGGING_PAGE, Ending
from petcheck.exchange import Exchange
from petcheck.forecast import forecast, most_in_all
from petcheck.judging.verdicts import Breach, Inconclusive
from petcheck.options import OPTIONS
from petcheck.reports.result import Result
from petcheck.reports.visible import REASON_LIMIT, inert, visible
from petcheck.screen import SENT, Screen
from petcheck.session import Session
from petcheck.suite_files import suite_file
from petcheck.target import Target, Untestable
from petcheck.values import ConfigError
from petcheck.wire.api import Api
from petcheck.wire.transport import NotSent
from petcheck.workers import Directing, Working, seed_from_above

if TYPE_CHECKING:
    from petcheck.examples.runner import Examples

SESSION = pytest.StashKey[Session]()
_SCREEN = pytest.StashKey[Screen]()
_ENDING = pytest.StashKey[Ending]()
CHECK = pytest.StashKey[Check]()

# pytest has a --strict of its own, which `checks.toml` switches on anyway: here it says that and more
_SHARED_FLAG = "--strict"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options beside pytest's own."""
    group = parser.getgroup("petcheck", "petcheck: judge a pet store server")
    for option in OPTIONS:
        if option.flag != _SHARED_FLAG:
            group.addoption(option.flag, **option.settings())


@pytest.hookimpl(tryfirst=True)  # pytest-html reads its options in its own
def pytest_configure(config: pytest.Config) -> None:
    """Freeze the configuration before anything is collected, so that a mistake in it ends the run at once."""
    for line in (
        "requirement(*ids): the catalogue entries that a check judges",
        "observes(*ids): the open points that a check looks at, judging nothing",
        f"stage(name): when a check runs: {', '.join(STAGES)}; {USUAL_STAGE!r} where nothing is said",
    ):
        config.addinivalue_line("markers", line)
    if not _has_checks(config):
        return
    try:
        frozen = configured(config)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None
    session = config.stash[SESSION] = Session(frozen)
    if _writes_reports(frozen, config):
        config.stash[_ENDING] = Ending(session)
        try:
            config.stash[_ENDING].claim()
        except ConfigError as error:
            raise pytest.UsageError(str(error)) from None
    if hasattr(config, "workerinput"):
        # what a worker prints is lost, but for its stderr
        session.announcer = Announcer(None if config.option.verbose < 0 else sys.stderr, beside_live=True)
        config.pluginmanager.register(Working(session), "petcheck-worker")
    else:
        budget = sum(most_in_all(session.plan_of(name)) for name in session.names)
        screen = config.stash[_SCREEN] = Screen(config, budget=budget, folder=frozen.reports)
        config.pluginmanager.register(screen, "petcheck-screen")
        config.pluginmanager.register(Directing(session, config.stash.get(_ENDING, None)), "petcheck-workers")
        session.announcer = screen.announcer
    option = config.option
    if option.tbstyle == "auto":
        option.tbstyle = "no"
    option.reportchars = ""
    if getattr(option, "htmlpath", "") is None and not frozen.dry_run:
        option.htmlpath = str(frozen.reports / DEBUGGING_PAGE)
        option.self_contained_html = True
    if getattr(option, "dist", "no") not in ("no", None):
        # a worker that died took what it had found out with it, and another one would begin in the middle
        option.maxworkerrestart = "0"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let other runs have the folder."""
    ending = config.stash.get(_ENDING, None)
    if ending is not None:
        ending.release()


def _writes_reports(frozen: Config, config: pytest.Config) -> bool:
    """Whether this process writes the reports: a worker of pytest-xdist leaves that to the run that it is part of."""
    return not (frozen.dry_run or config.option.collectonly or hasattr(config, "workerinput"))


def configured(config: pytest.Config) -> Config:
    """The frozen configuration behind pytest's options. Raises `ConfigError`."""
    options = {option.flag[2:]: getattr(config.option, option.dest, None) for option in OPTIONS}
    options[_SHARED_FLAG[2:]] = _SHARED_FLAG in config.invocation_params.args
    return configure(options, os.environ, today=utc_today(), seed=seed_from_above(config) or drawn_seed())


def drawn_seed() -> int:
    """The seed of a run that is not told one."""
    return random.SystemRandom().randrange(1, 2**31)


def _has_checks(config: pytest.Config) -> bool:
    checks = suite_file("checks")
    paths = [Path(config.invocation_params.dir, argument.partition("::")[0]).resolve() for argument in config.args]
    return any(path == checks or checks in path.parents for path in paths)


# ---- collection


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every check runs once for each target."""
    session = metafunc.config.stash.get(SESSION, None)
    if session is not None and "opened_target" in metafunc.fixturenames:
        metafunc.parametrize("opened_target", session.names, indirect=True, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Target by target; on each, writes come before what looks for them, and what looks at everything comes last."""
    session = config.stash.get(SESSION, None)
    if session is None:
        return
    for item in items:
        item.stash[CHECK] = _check(item, session)
    untried = [item for item in items if not session.runs(item.stash[CHECK])]
    if untried:
        config.hook.pytest_deselected(items=untried)
        items[:] = [item for item in items if item not in untried]
    order = places(session.names, session.config.max_requests)
    items.sort(key=lambda item: order[item.stash[CHECK].target, item.stash[CHECK].stage])


def _check(item: pytest.Item, session: Session) -> Check:
    callspec = getattr(item, "callspec", None)
    stage = item.get_closest_marker("stage")
    return Check(
        id=item.nodeid,
        target=callspec.params.get("opened_target", session.names[0]) if callspec else session.names[0],
        requirements=tuple(name for mark in item.iter_markers("requirement") for name in mark.args),
        observes=tuple(name for mark in item.iter_markers("observes") for name in mark.args),
        stage=stage.args[0] if stage else USUAL_STAGE,
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Under --dry-run nothing runs: what a run would send is told instead."""
    run = session.config.stash.get(SESSION, None)
    if run is None or not run.config.dry_run:
        return None
    announcer = session.config.stash[_SCREEN].announcer
    for name in run.names:
        announcer.lines(forecast(run.plan_of(name)))
    return True


# ---- fixtures


@pytest.fixture(scope="session")
def opened_target(request: pytest.FixtureRequest) -> Target:
    """The target that checks run against, knocked at once."""
    return request.config.stash[SESSION].target(request.param)


@pytest.fixture
def target(opened_target: Target, request: pytest.FixtureRequest) -> Iterator[Target]:
    """The target, with what is sent to it attributed to the check's section."""
    if opened_target.untestable:
        raise Untestable(opened_target.untestable)
    with opened_target.on_behalf_of(request.node.stash[CHECK].section):
        yield opened_target


@pytest.fixture
def api(target: Target) -> Api:
    """The four operations of the target."""
    return target.api


@pytest.fixture
def examples(target: Target, request: pytest.FixtureRequest) -> Examples:
    """The property examples of the target, sent once for all checks."""
    return request.config.stash[SESSION].examples_of(target)


@pytest.fixture
def record(target: Target) -> list[Exchange]:
    """Every exchange with the target so far."""
    return target.record


# ---- outcomes


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Turn how a check ended into a finding, and into what pytest shows of it."""
    session = item.config.stash.get(SESSION, None)
    error = call.excinfo.value if call.excinfo else None
    option, style = item.config.option, item.config.option.tbstyle
    if session is not None and isinstance(error, Breach | Inconclusive | Untestable | NotSent):
        option.tbstyle = "no"  # a traceback takes a tenth of a second, and only the reason is shown of it
    try:
        report: pytest.TestReport = yield  # type: ignore[assignment]
    finally:
        option.tbstyle = style
    if session is None or (call.when != "call" and call.excinfo is None) or call.when == "teardown":
        return report  # type: ignore[return-value]
    if isinstance(error, pytest.skip.Exception):
        error = Inconclusive(str(error))
    check = item.stash[CHECK]
    target = session.target(check.target)
    found = finding(check, error, target, call.duration)
    session.findings.append(found)
    outcome, reason = found.outcome, found.reason
    report.user_properties.append(("petcheck", "untestable" if isinstance(error, Untestable) else outcome))
    report.user_properties.append((SENT, (found.target, len(target.record))))
    if outcome in ("inconclusive", "not-run"):
        report.outcome = "skipped"
        path, line, _ = item.location
        report.longrepr = (path, line or 0, _shown(reason))
    elif outcome == "fail" or (outcome == "error" and isinstance(error, Untestable | NotSent)):
        report.longrepr = _shown(reason)
    elif report.longrepr is not None:
        # a traceback may show what the wire was about to send
        report.longrepr = _lines(target.transport.redacted(report.longreprtext))
    report.sections = [(title, _lines(target.transport.redacted(text))) for title, text in report.sections]
    return report  # type: ignore[return-value]


def _shown(reason: str) -> str:
    """A reason as pytest may print it: what the target said in it stays text."""
    return inert(visible(reason, REASON_LIMIT, whole_in="result.json"))


def _lines(text: str) -> str:
    return "\n".join(map(inert, visible(text, len(text), lines=True).split("\n")))


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """One letter and one word for each outcome."""
    outcome = dict(getattr(report, "user_properties", ())).get("petcheck")
    if outcome == "untestable" and report.when != "teardown":
        return "error", "", "ERROR"  # one line at the end says it all
    if report.when == "teardown" or outcome not in ("inconclusive", "not-run", "error"):
        return None
    letter = {"inconclusive": "i", "not-run": "-", "error": "E"}[str(outcome)]
    category = "error" if outcome == "error" else "skipped"
    return category, letter, str(outcome).upper()


# ---- the end


@pytest.hookimpl(wrapper=True, trylast=True)  # within the terminal's own, which tells what came of it
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Iterator[None]:
    """Write everything, and let the verdicts decide the exit code."""
    run, ending = session.config.stash.get(SESSION, None), session.config.stash.get(_ENDING, None)
    if run is None:
        return (yield)
    if ending is None or exitstatus == pytest.ExitCode.USAGE_ERROR:
        run.close()
        if ending is not None:
            _drop(ending.take_over(session.config.pluginmanager.get_plugins(), unwritten=True), session.config)
        return (yield)
    try:
        session.exitstatus = _finish(session, ending, exitstatus)
    except KeyboardInterrupt:
        # what was found out is not thrown away for it
        session.exitstatus = _finish(session, ending, pytest.ExitCode.INTERRUPTED)
    page = ending.take_over(session.config.pluginmanager.get_plugins())
    try:
        return (yield)
    except Exception as error:  # whatever else ends with the run: its trouble must not cost the verdict
        ending.broken = f"{type(error).__name__} at the end of the run"
        return None
    finally:
        session.exitstatus = ending.code(int(session.exitstatus))
        session.config.stash[_SCREEN].end_with(ending)
        if DEBUGGING_PAGE in ending.unwritten:
            _drop(page, session.config)


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, int, int]:
    """Where pytest cannot even end a run (the folder that it began in is gone): write all the same, and let go."""
    try:
        return (yield)
    except OSError:
        ending = config.stash.get(_ENDING, None)
        if ending is not None and ending.product is None:
            ending.run.close()
            ending.finish(interrupted=False, cut_short=False, nothing_selected=False, runner_broke=True)
        raise


def _drop(page: object, config: pytest.Config) -> None:
    """Keep pytest-html from saying that it wrote its page."""
    if page is not None:
        config.pluginmanager.unregister(page)


def _finish(session: pytest.Session, ending: Ending, exitstatus: int) -> int:
    ending.run.close()
    if exitstatus == pytest.ExitCode.INTERRUPTED:
        ending.stop_workers()
    code = ending.finish(
        interrupted=exitstatus == pytest.ExitCode.INTERRUPTED,
        cut_short=bool(session.shouldfail or session.shouldstop),
        nothing_selected=exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED,
        runner_broke=exitstatus == pytest.ExitCode.INTERNAL_ERROR,
    )
    if ending.product is not None:
        _append_job_summary(ending.product[0])
    return code


def _append_job_summary(result: Result) -> None:
    """Put the summary on the page of the job, where the CI system has one. That it cannot be had fails no run."""
    from petcheck.reports import summary
    from petcheck.reports.annotations import job_summary

    path = job_summary(os.environ)
    if path is not None:
        with contextlib.suppress(Exception), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(summary.render(result))


@pytest.hookimpl(optionalhook=True)
def pytest_html_results_summary(prefix: list[str], session: pytest.Session) -> None:
    """Have pytest-html's page say how to repeat the run."""
    run = session.config.stash.get(SESSION, None)
    if run is not None:
        prefix.append(f"<p>petcheck: --seed {run.config.seed} repeats this run.</p>")
