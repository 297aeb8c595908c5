"""The pytest side: options, the fixtures and markers of checks, and what becomes of their outcomes.

Loaded by the `conftest.py` above `checks/`. It does nothing in a run that has no check in it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from petcheck.announcer import Announcer
from petcheck.config import Config, configure, utc_today
from petcheck.ending import DEBUGGING_PAGE, Ending
from petcheck.exchange import Exchange
from petcheck.forecast import forecast, most_in_all
from petcheck.judging.catalogue import Requirement, catalogue
from petcheck.judging.verdicts import Breach, Finding, Inconclusive, NotRun, Outcome
from petcheck.options import OPTIONS
from petcheck.reports.result import Result
from petcheck.reports.visible import REASON_LIMIT, inert, visible
from petcheck.screen import SENT, Screen
from petcheck.session import Session
from petcheck.suite_files import suite_file
from petcheck.target import WRITING_BUDGET, Target, Untestable
from petcheck.values import ConfigError
from petcheck.wire.api import Api
from petcheck.wire.transport import BudgetSpent, NotPermitted, NotSent, TargetDown

if TYPE_CHECKING:
    from petcheck.examples.runner import Examples

SESSION = pytest.StashKey[Session]()
_SCREEN = pytest.StashKey[Screen]()
_ENDING = pytest.StashKey[Ending]()

# pytest has a --strict of its own, which `checks.toml` switches on anyway: here it says that and more
_SHARED_FLAG = "--strict"
# what must not be stored is posted before what is created: a page that shows the latter would show the former
STAGES = ("refuse", "create", "read", "look", "spare", "open", "examples", "sequence", "exhaust", "record")
# with fewer requests than a whole run takes, what one GET settles comes first
FRUGAL_STAGES = ("read", "create", "refuse", "look", "spare", "open", "examples", "sequence", "exhaust", "record")


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
        f"stage(name): when a check runs: {', '.join(STAGES)}; 'read' where nothing is said",
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
    else:
        budget = sum(most_in_all(session.plan_of(name)) for name in session.names)
        screen = config.stash[_SCREEN] = Screen(config, budget=budget, folder=frozen.reports)
        config.pluginmanager.register(screen, "petcheck-screen")
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
    seed = getattr(config, "workerinput", {}).get("petcheck_seed")
    return configure(options, os.environ, today=utc_today(), seed=seed or random.SystemRandom().randrange(1, 2**31))


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
    names = session.names
    untried = [item for item in items if not session.runs(_stage(item), _target_name(item) or names[0])]
    if untried:
        config.hook.pytest_deselected(items=untried)
        items[:] = [item for item in items if item not in untried]
    stages = STAGES if session.config.max_requests >= WRITING_BUDGET else FRUGAL_STAGES
    items.sort(key=lambda item: (names.index(_target_name(item) or names[0]), stages.index(_stage(item))))


def _stage(item: pytest.Item) -> str:
    marker = item.get_closest_marker("stage")
    return marker.args[0] if marker else "read"


def _target_name(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("opened_target") if callspec else None


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
    with opened_target.on_behalf_of(_entries(request.node)[0].section):
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


def _entries(item: pytest.Item) -> list[Requirement]:
    names = [name for kind in ("requirement", "observes") for mark in item.iter_markers(kind) for name in mark.args]
    return [catalogue()[name] for name in names]


# ---- outcomes


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Turn how a check ended into a finding, and into what pytest shows of it."""
    session = item.config.stash.get(SESSION, None)
    error = call.excinfo.value if call.excinfo else None
    option, style = item.config.option, item.config.option.tbstyle
    if session is not None and isinstance(error, Breach | Untestable | NotSent):
        option.tbstyle = "no"  # a traceback takes a tenth of a second, and only the reason is shown of it
    try:
        report: pytest.TestReport = yield  # type: ignore[assignment]
    finally:
        option.tbstyle = style
    if session is None or (call.when != "call" and call.excinfo is None) or call.when == "teardown":
        return report  # type: ignore[return-value]
    name = _target_name(item)
    target = session.target(name) if name else None
    clean = target.transport.redacted if target else str
    outcome, reason = _outcome(error, item)
    reason = clean(reason)
    examined = target.api.examined if target and not target.untestable else []
    decisive = error.decisive if isinstance(error, Breach) else ()
    entries = _entries(item)
    finding = Finding(
        check=item.nodeid,
        requirements=tuple(mark_name for mark in item.iter_markers("requirement") for mark_name in mark.args),
        section=entries[0].section,
        target=name or session.names[0],
        outcome=outcome,
        reason=reason,
        duration_s=call.duration,
        exchanges=tuple(sorted({exchange.index for exchange in [*examined, *decisive]})),
        decisive=tuple(sorted({exchange.index for exchange in decisive})),
        settled_by=getattr(error, "settled_by", None),
        unanswered=isinstance(error, Breach) and error.unanswered,
    )
    session.findings.append(finding)
    report.user_properties.append(("petcheck", "untestable" if isinstance(error, Untestable) else outcome))
    if target is not None:
        report.user_properties.append((SENT, (finding.target, len(target.record))))
    if outcome in ("inconclusive", "not-run"):
        report.outcome = "skipped"
        path, line, _ = item.location
        report.longrepr = (path, line or 0, _shown(reason))
    elif outcome == "fail" or (outcome == "error" and isinstance(error, Untestable | NotSent)):
        report.longrepr = _shown(reason)
    elif report.longrepr is not None:
        # a traceback may show what the wire was about to send
        report.longrepr = _lines(clean(report.longreprtext))
    report.sections = [(title, _lines(clean(text))) for title, text in report.sections]
    return report  # type: ignore[return-value]


def _outcome(error: BaseException | None, item: pytest.Item) -> tuple[Outcome, str]:
    match error:
        case None:
            return "pass", ""
        case Breach():
            return "fail", error.message
        case NotRun():
            return "not-run", error.reason
        case Inconclusive():
            return "inconclusive", error.reason
        case NotPermitted() | BudgetSpent():
            return "not-run", _sentence(error.reason)
        case TargetDown():
            return "error", _sentence(error.reason)
        case NotSent():
            return "inconclusive", _sentence(error.reason)
        case Untestable():
            return "error", _sentence(str(error))
        case pytest.skip.Exception():
            return "inconclusive", str(error)
    where = _place(error, item)
    return (
        "error",
        f"The check itself broke, which says nothing about the server: {type(error).__name__}: {error}{where}",
    )


def _shown(reason: str) -> str:
    """A reason as pytest may print it: what the target said in it stays text."""
    return inert(visible(reason, REASON_LIMIT, whole_in="result.json"))


def _lines(text: str) -> str:
    return "\n".join(map(inert, visible(text, len(text), lines=True).split("\n")))


def _sentence(text: str) -> str:
    begins = text if "://" in text.partition(" ")[0] else text[:1].upper() + text[1:]
    return begins + ("" if text.endswith(".") else ".")


def _place(error: BaseException, item: pytest.Item) -> str:
    trace = error.__traceback__
    last = ""
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path == item.path or "petcheck" in path.parts:
            last = f" ({path.name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return last


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
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["petcheck"] = pickle.dumps(run.news())
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


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give every pytest-xdist worker the same seed."""
    run = node.config.stash.get(SESSION, None)
    if run is not None:
        node.workerinput["petcheck_seed"] = run.config.seed


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each target stays with one pytest-xdist worker: what is known of it, its pace above all, is in that process."""
    run = config.stash.get(SESSION, None)
    if run is None:
        return None
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    names = sorted(run.names, key=len, reverse=True)

    class ByTarget(LoadScopeScheduling):  # type: ignore[misc, unused-ignore]
        def _split_scope(self, nodeid: str) -> str:
            parameters = nodeid.rpartition("[")[2].rstrip("]") + "-"
            return next((name for name in names if parameters.startswith(f"{name}-")), "")

    return ByTarget(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a pytest-xdist worker found out."""
    packed = getattr(node, "workeroutput", {}).get("petcheck")
    ending = node.config.stash.get(_ENDING, None)
    if ending is not None and packed is not None:
        ending.parts.append(packed)
    elif ending is not None:
        ending.lost = True


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(config: pytest.Config) -> Iterator[Any]:
    """In a pytest-xdist worker: send what was found out with every report, so that it is not lost with the worker."""
    data = yield
    if data is not None and SESSION in config.stash and hasattr(config, "workerinput"):
        data["petcheck"] = (os.getpid(), pickle.dumps(config.stash[SESSION].news()))
    return data


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(config: pytest.Config, data: dict[str, Any]) -> Iterator[Any]:
    """In the process that has the workers: keep it for the end. This runs in a thread that must not wait."""
    process, packed = data.pop("petcheck", (0, b""))
    if packed and _ENDING in config.stash:
        config.stash[_ENDING].workers.add(process)
        config.stash[_ENDING].parts.append(packed)
    return (yield)
