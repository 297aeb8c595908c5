"""The pytest plugin: options, the fixtures and markers of checks, and how pytest shows their outcomes.

The `conftest.py` above `checks/` loads it. It does nothing in a run without checks.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from petcheck.config.choice import group_of, words_in
from petcheck.config.keys import without_keys
from petcheck.config.load import configure, drawn_seed, expect_no_key_in_arguments, utc_today
from petcheck.config.options import OPTIONS, given_options
from petcheck.config.targets import Embedded
from petcheck.errors import ConfigError, Inconclusive, NothingToRun, Untestable
from petcheck.results.fleet import SIDE_BY_SIDE
from petcheck.results.judge import judge
from petcheck.runner import signals
from petcheck.runner.console import Kept, Screen
from petcheck.runner.finish import RunEnd
from petcheck.runner.progress import Announcer
from petcheck.runner.reports_folder import DEBUGGING_PAGE, PYTEST_STYLES
from petcheck.runner.schedule import STAGES, USUAL_STAGE, Check, Schedule
from petcheck.runner.session import Session
from petcheck.runner.start import Prepared, prepare, runs_in_parts
from petcheck.runner.xdist import XdistController, controller_seed, reporter, tell_trouble
from petcheck.spec.files import suite_file
from petcheck.spec.outcomes import Exit
from petcheck.stream.files import StreamWriter
from petcheck.stream.lines import NARROWED
from petcheck.toolkit.target import Target
from petcheck.wire.clock import Clock, SkippingClock
from petcheck.words import how_to_repeat, plural

if TYPE_CHECKING:
    from petcheck.properties.examples import Examples

CHECK = pytest.StashKey[Check]()
# pytest has its own --strict, which `checks.toml` switches on anyway; here the flag means both
_SHARED_FLAG = "--strict"
_OBJECTS_BEFORE_COLLECTION = 20_000  # Python's 700 fit a small program


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options to pytest's."""
    group = parser.getgroup("petcheck", "petcheck: judge a pet store server")
    for option in OPTIONS:
        if option.flag != _SHARED_FLAG:
            group.addoption(option.flag, **option.settings())


@pytest.hookimpl(tryfirst=True)  # before pytest-html reads its options
def pytest_configure(config: pytest.Config) -> None:
    """Set up the run before anything is collected, so that a mistake in its configuration ends it at once."""
    for line in (
        "requirement(*ids): the catalogue entries that a check judges",
        "observes(*ids): the open points that a check observes without judging",
        "sends(*kinds): the kinds of requests that a check makes, see petcheck.toolkit.feeds",
        f"stage(name): when a check runs: {', '.join(STAGES)}; {USUAL_STAGE!r} by default",
    ):
        config.addinivalue_line("markers", line)
    if not _has_checks(config):
        return
    run = config.stash[RUN] = _Run(config, _prepared(config))
    config.pluginmanager.register(run, "petcheck-run")
    frozen = run.session.config
    option = config.option
    if option.tbstyle == "auto":
        option.tbstyle = "no"
    option.reportchars = ""
    option.self_contained_html = True
    if hasattr(option, "css"):
        option.css = [*map(str, PYTEST_STYLES), *option.css]
    # it holds every check of every target: too much for several, unless it is asked for
    one = len(frozen.targets) == 1 and not frozen.dry_run and not option.collectonly
    if getattr(option, "htmlpath", "") is None and one:
        option.htmlpath = str(frozen.reports / DEBUGGING_PAGE)
    if getattr(option, "dist", "no") not in ("no", None):
        # a new worker would lack what the dead one knew, and would begin in the middle
        option.maxworkerrestart = "0"


def _prepared(config: pytest.Config) -> Prepared:
    """The run that the command line prepared, otherwise one from pytest's options."""
    for plugin in config.pluginmanager.get_plugins():
        if isinstance(plugin, Prepared):
            return plugin
    words = words_in(config.option.keyword)
    if words:
        # pytest would keep the checks that these words name, and none of those that they need
        config.option.keyword, config.option.petcheck_choose = "", [*(config.option.petcheck_choose or ()), *words]
    options = given_options(config.option) | {_SHARED_FLAG[2:]: _SHARED_FLAG in config.invocation_params.args}
    seed = controller_seed(config) or drawn_seed()
    try:
        configured = configure(options, os.environ, today=utc_today(), seed=seed)
        expect_no_key_in_arguments(map(str, config.invocation_params.args), os.environ)
        if runs_in_parts(configured):
            raise ConfigError(f"pytest judges at most {SIDE_BY_SIDE} targets, and no shards; run `petcheck` instead")
        return prepare(configured, writes_reports=not (config.option.collectonly or _is_worker(config)))
    except NothingToRun as error:
        pytest.exit(str(error), returncode=Exit.NOTHING_SELECTED)
    except ConfigError as error:
        raise pytest.UsageError(without_keys(str(error), os.environ)) from None


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _narrowed(config: pytest.Config) -> dict[str, list[str]]:
    """What else than petcheck's own options chooses among the checks: evidence that lacks some has to say why."""
    option, checks = config.option, suite_file("checks")
    chosen = [f"{flag} {text}" for flag, text in (("-k", option.keyword), ("-m", option.markexpr)) if text]
    for name in ("deselect", "ignore", "ignore_glob", "lf", "stepwise"):
        value = getattr(option, name, None)
        chosen += [f"--{name.replace('_', '-')} {value}"] if value else []
    whole = any(Path(config.invocation_params.dir, argument).resolve() == checks for argument in config.args)
    chosen += [] if whole else config.args
    return {NARROWED: chosen} if chosen else {}


def _has_checks(config: pytest.Config) -> bool:
    checks = suite_file("checks")
    paths = [Path(config.invocation_params.dir, argument.partition("::")[0]).resolve() for argument in config.args]
    return any(path == checks or checks in path.parents for path in paths)


# ---- collection


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect checks that have nothing to do, and sort the others.

    Raises UsageError if checks would run beside other tests, or without a run of ours.
    """
    run, checks = config.stash.get(RUN, None), suite_file("checks")
    ours = [item for item in items if checks in item.path.parents]
    if ours and (run is None or len(ours) < len(items)):
        raise pytest.UsageError(
            "the checks of petcheck run alone: give pytest only their folder, or run `petcheck`; "
            "in your own suite, petcheck.requirement_tests(…) makes a test for each requirement"
        )
    if run is None:
        return
    session = run.session
    schedule = Schedule(session.config, session.config.targets)
    for item in items:
        check = item.stash[CHECK] = _check(item, session)
        named = (*check.requirements, *check.observes)
        item.extra_keyword_matches |= {*named, *map(group_of, check.requirements), check.section}
    deselected = [item for item in items if not schedule.includes(item.stash[CHECK])]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if schedule.includes(item.stash[CHECK])]
    items.sort(key=lambda item: schedule.place(item.stash[CHECK]))


def _check(item: pytest.Item, session: Session) -> Check:
    callspec = getattr(item, "callspec", None)
    stage = item.get_closest_marker("stage")
    return Check(
        id=item.nodeid,
        target=callspec.params.get("opened_target", session.names[0]) if callspec else session.names[0],
        requirements=tuple(name for mark in item.iter_markers("requirement") for name in mark.args),
        observes=tuple(name for mark in item.iter_markers("observes") for name in mark.args),
        stage=stage.args[0] if stage else USUAL_STAGE,
        sends=tuple(kind for mark in item.iter_markers("sends") for kind in mark.args),
    )


# ---- fixtures


@pytest.fixture(scope="session")
def opened_target(request: pytest.FixtureRequest) -> Target:
    """The target of a check, opened and probed once."""
    return request.config.stash[RUN].session.target(request.param)


@pytest.fixture
def target(opened_target: Target, request: pytest.FixtureRequest) -> Iterator[Target]:
    """The target, with requests counted for the check's section."""
    check = request.node.stash[CHECK]
    with opened_target.on_behalf_of(check.section, on_top=check.on_top):
        yield opened_target


@pytest.fixture
def examples(target: Target, request: pytest.FixtureRequest) -> Examples:
    """The property examples of the target, sent once for all checks."""
    return request.config.stash[RUN].session.examples_of(target)


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, int, int]:
    """Write the reports even if pytest cannot end the run, for example if its working folder is gone."""
    try:
        return (yield)
    except OSError as error:
        run = config.stash.get(RUN, None)
        if run is not None and run.end is not None and run.end.written is None and run.session.writer.begun:
            run.end.error = type(error).__name__
            run.end.finish(pytest.ExitCode.INTERNAL_ERROR)
        raise


# ---- a run of the checks


class _Run:
    """The pytest plugin of a run that has checks. `end` is None in a run that writes no reports."""

    def __init__(self, config: pytest.Config, prepared: Prepared) -> None:
        self._lock, frozen = prepared.lock, prepared.config
        writes = prepared.lock is not None or (_is_worker(config) and not config.option.collectonly)
        clock = SkippingClock() if isinstance(frozen.targets[0].source, Embedded) else Clock()
        writer = StreamWriter(frozen.reports if writes else None)
        session = self.session = Session(frozen, clock=clock, writer=writer, limits=prepared.limits)
        session.head = replace(session.head, options={**session.head.options, **_narrowed(config)})
        self._kept = Kept()
        self.end = prepared.end = RunEnd(session, prepared.witnesses) if prepared.lock is not None else None
        self._screen: Screen | None = None
        self._in_worker = _is_worker(config)
        if self._in_worker:
            signals.install_handlers(in_worker=True)
            # nobody sees a worker's stdout
            session.announcer = Announcer(None if config.option.verbose < 0 else sys.stderr, beside_live=True)
            return
        expected = session.forecasts()
        budget, waits = sum(one.requests_in_all for one in expected), max(one.wait_s or 0 for one in expected)
        screen = self._screen = Screen(config, budget=budget, waits=waits, folder=frozen.reports)
        config.pluginmanager.register(screen, "petcheck-screen")
        config.pluginmanager.register(XdistController(session, self.end, screen.announcer), "petcheck-workers")
        session.announcer = screen.announcer

    def pytest_unconfigure(self) -> None:
        """Release the reports folder for other runs."""
        if self._lock is not None:
            self._lock.release()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every check once for each target."""
        if "opened_target" in metafunc.fixturenames:
            metafunc.parametrize("opened_target", self.session.names, indirect=True, scope="session")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Begin the stream. Without checks, begin nothing; under --dry-run, print what a run sends."""
        gc.freeze()  # what exists now stays until the end; looking for garbage in it takes a twentieth of a short run
        gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
        gc.enable()
        checks = [item.stash[CHECK] for item in session.items]
        alone = session.config.getoption("dist", "no") == "no" and not self.session.config.part
        if not checks and alone:
            # a word that is mistyped must not cost the reports of the run before
            if self._screen is not None:
                self._screen.nothing_begun("no check is selected; `petcheck --collect-only` lists them")
            return True
        if not self.session.config.dry_run:
            self.session.plan(checks)
            with signals.held():  # a recording is that of the run before, or has its head
                self.session.begin(elsewhere=_is_worker(session.config))
            return None
        from petcheck.runner.shown_plan import dry_run

        self.session.announcer.lines(dry_run(self.session.forecasts(checks)))
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Have a check ask; what pytest shows of it waits until the stream is judged."""
        check, worker = item.stash[CHECK], _is_worker(item.config)
        if worker:
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        self._kept.run(item, check, nextitem)
        if worker:
            item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self.session.announcer.check_done()
        most = item.config.getvalue("maxfail")
        if most and self._kept.failed(check, self.session.writer.kept()) >= most:
            item.session.shouldfail = f"stopping after {plural(int(most), 'failure')}"
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # what it raises passes no plugin that shows it in a warning
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Note in the stream that a check has ended."""
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, pytest.skip.Exception):
            error = Inconclusive(str(error))
        if isinstance(error, Inconclusive | Untestable):
            # a traceback takes up to a tenth of a second, and only the reason is shown
            item._repr_failure_py = lambda *_, **__: ""  # type: ignore[method-assign, assignment]
        report: pytest.TestReport = yield  # type: ignore[assignment]
        if call.when != "teardown" and (call.when == "call" or error is not None):
            self.session.ended(item.stash[CHECK], error, call.duration)
        return report  # type: ignore[return-value]

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Leave out places without a line, which pytest cannot show: a signal may come between two lines.

        A worker ends here: what it has sent is on record, and nobody waits for what it has to say.
        """
        if self._in_worker and excinfo.errisinstance(KeyboardInterrupt):
            os._exit(Exit.INTERRUPTED)
        excinfo.traceback = excinfo.traceback.filter(lambda place: place._rawentry.tb_lineno is not None)
        if self._screen is not None and not self.session.writer.begun:
            self._screen.nothing_begun("interrupted")

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Remember what broke pytest, or a plugin of it."""
        if self.end is not None:
            self.end.error = excinfo.typename

    @pytest.hookimpl(wrapper=True, trylast=True)  # before the terminal shows the end
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Iterator[None]:
        """Write everything, and let the verdicts decide the exit code. A run that has not begun writes nothing."""
        run, end = self.session, self.end
        plugins = session.config.pluginmanager.get_plugins()
        if end is None or exitstatus == pytest.ExitCode.USAGE_ERROR or not run.writer.begun:
            run.close()
            if end is not None:
                _drop(end.take_over_page(plugins), session.config)
            elif _is_worker(session.config) and run.writer.begun:
                stream = run.writer.kept()
                self._kept.show(judge(stream), stream, run.opened, reporter(session))
                tell_trouble(session.config, run.writer)
            return (yield)
        with signals.first_calls(lambda: None):  # the run is over, and what it says stands
            written = end.finish(exitstatus, cut_short=bool(session.shouldfail or session.shouldstop))
            session.exitstatus = written.code
            self._kept.show(written.result, written.material.stream, run.opened)
            page = end.take_over_page(plugins)
            try:
                return (yield)
            except Exception as error:  # an error of another plugin must not lose the verdict
                written.broken = f"{type(error).__name__} at the end of the run"
                return None
            finally:
                if self._screen is not None:
                    self._screen.end = written
                if written.trouble:
                    session.exitstatus = Exit.BROKE
                if DEBUGGING_PAGE in written.unwritten:
                    _drop(page, session.config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Say what pytest-html's page is."""
        report.title = "The checks as pytest saw them"

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Add to pytest-html's page where the verdicts are, and how to repeat the run."""
        prefix.append("<p>report.html has the verdicts and their evidence.</p>")
        prefix.append(f"<p>petcheck: {how_to_repeat(self.session.config.seed)}.</p>")


def _drop(page: object, config: pytest.Config) -> None:
    """Stop pytest-html from reporting that it wrote its page."""
    if page is not None:
        config.pluginmanager.unregister(page)


RUN = pytest.StashKey[_Run]()
