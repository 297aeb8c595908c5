"""Runs the suite against one reference server, in this process, and hands out what came of it.

The server is on a real socket; what is shortened is waiting: `Hurried` time runs faster for the suite's pauses. `judge`
has pytest run the checks, as a user's run does. `judge_in_place` calls them itself, in the same order and with the same
configuration, so that hundreds of servers can be judged in a minute; `test_trial.py` holds it to what pytest comes to.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

import pytest

from petcheck import plugin
from petcheck.assembly import Course, assemble
from petcheck.checking import Check, finding, places
from petcheck.cli import UNUSED_PARTS
from petcheck.config import Config, configure, utc_today
from petcheck.exchange import Exchange
from petcheck.judging.catalogue import catalogue
from petcheck.options import OPTIONS
from petcheck.plugin import CHECK, SESSION
from petcheck.reference.serve import running
from petcheck.reference.server import ReferenceSettings, create_app
from petcheck.reports import outputs
from petcheck.reports.result import Result
from petcheck.session import Session
from petcheck.suite_files import openapi_sha256, suite_root
from petcheck.target import Untestable
from petcheck.wire.clock import SystemClock

KEY = "trial-key-5d1c7f0a9b3e4826"


class Hurried:
    """Time that passes `pace` times as fast for whoever sleeps, and as usual otherwise."""

    def __init__(self, pace: float) -> None:
        self._pace = pace
        self._skipped = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self._skipped

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self._skipped)

    def time(self) -> float:
        """The same as a Unix time, for the server."""
        return time.time() + self._skipped

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds / self._pace)
        self._skipped += seconds - seconds / self._pace


@dataclass(frozen=True)
class Trial:
    """What came of a run: its result, its exit code, what it printed, and its exchanges."""

    result: Result
    exit: int
    printed: str
    exchanges: tuple[Exchange, ...] = ()

    def ids(self, outcome: str) -> set[str]:
        return {row.id for row in self.result.requirements if row.outcome == outcome}

    @property
    def reasons(self) -> Mapping[str, str]:
        return {row.id: row.reason for row in self.result.requirements}

    @property
    def requests(self) -> int:
        """Requests but for those of property examples."""
        return sum(target.requests.total - target.requests.examples for target in self.result.targets)

    @property
    def examples(self) -> int:
        return sum(target.requests.examples for target in self.result.targets)


@contextlib.contextmanager
def server(
    *,
    faults: Sequence[str] = (),
    variations: Sequence[str] = (),
    animals: int = 130,
    plan: str = "pro",
    window: float = 60.0,
    as_of: date | None = None,
    clock: Hurried | None = None,
) -> Iterator[str]:
    """A reference server's base URL, while the block lasts."""
    settings = ReferenceSettings(
        keys={KEY: plan},
        window_seconds=window,
        animals=animals,
        as_of=as_of,
        faults=tuple(faults),
        variations=tuple(variations),
    )
    with running(create_app(settings, clock=clock.time if clock else time.time)) as url:
        yield f"{url}/v1"


def judge(url: str, *options: str, clock: Hurried | None = None, key: str = KEY, seed: int | None = None) -> Trial:
    """Have pytest run every check against a base URL. `seed` is drawn, as it were, and not asked for by `--seed`."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, _unwritten() as results, _drawn(seed):
        code = _pytest("--target", url, *options, key=key, watcher=_Hurry(clock))
    result, exchanges = results[0]
    return Trial(result, code, printed.getvalue(), exchanges)


def judge_in_place(
    url: str, *options: str, clock: Hurried | None = None, key: str = KEY, seed: int | None = None
) -> Trial:
    """Call every check against a base URL. `options` are the suite's own."""
    with tempfile.TemporaryDirectory() as folder, _drawn(seed):
        config = _configured("--target", url, "--reports", folder, *options, key=key)
    session = Session(config, clock=clock or SystemClock())
    order = places(session.names, config.max_requests)
    called = [one for one in _collected() if session.runs(one.check)]
    for one in sorted(called, key=lambda one: order[one.check.target, one.check.stage]):
        began = time.perf_counter()
        error = one.outcome(session)
        target = session.target(one.check.target)
        session.findings.append(finding(one.check, error, target, time.perf_counter() - began))
    session.close()
    course = Course(session.run, session.started, datetime.now(UTC))
    result, exchanges = assemble(config, catalogue(), openapi_sha256(), course, session.reports())
    return Trial(result, result.run.exit, "", exchanges)


@dataclass(frozen=True)
class _Called:
    """A check as it is called: the function, and the arguments of its own."""

    check: Check
    function: Callable[..., None]
    arguments: Mapping[str, Any]

    def outcome(self, session: Session) -> BaseException | None:
        """What it raises."""
        target = session.target(self.check.target)
        given: dict[str, Callable[[], object]] = {
            "target": lambda: target,
            "opened_target": lambda: target,
            "api": lambda: target.api,
            "record": lambda: target.record,
            "examples": lambda: session.examples_of(target),
        }
        try:
            if target.untestable:
                raise Untestable(target.untestable)
            with target.on_behalf_of(self.check.section):
                wanted = inspect.signature(self.function).parameters.keys() - self.arguments.keys()
                self.function(**{name: given[name]() for name in wanted}, **self.arguments)
        except Exception as error:
            return error
        return None


@cache
def _collected() -> tuple[_Called, ...]:
    """Every check, as pytest collects it for one target."""
    keeper = _Keeper()
    with contextlib.redirect_stdout(io.StringIO()):
        everything = ("--target", "http://127.0.0.1:9/v1", "--allow-writes", "--examples", "100", "--collect-only")
        _pytest(*everything, key=KEY, watcher=keeper)
    return tuple(
        _Called(
            item.stash[CHECK],
            item.obj,
            {name: value for name, value in item.callspec.params.items() if name != "opened_target"},
        )
        for item in keeper.items
        if isinstance(item, pytest.Function)
    )


class _Keeper:
    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)


def _configured(*arguments: str, key: str) -> Config:
    parser = argparse.ArgumentParser()
    for option in OPTIONS:
        parser.add_argument(option.flag, **option.settings())
    known = parser.parse_args(arguments)
    options = {option.flag[2:]: getattr(known, option.dest) for option in OPTIONS}
    return configure(options, {"PETSTORE_API_KEY": key}, today=utc_today(), seed=plugin.drawn_seed())


def _pytest(*options: str, key: str, watcher: object) -> int:
    with tempfile.TemporaryDirectory() as folder, _environment(PETSTORE_API_KEY=key):
        arguments = [
            "-c", str(suite_root() / "src/petcheck/checks.toml"), "--rootdir", str(suite_root()), "-s",
            "-p", "no:cacheprovider", "-p", "petcheck.plugin", str(suite_root() / "checks"), "--reports", folder,
            *options,
        ]  # fmt: skip
        for part in UNUSED_PARTS:
            arguments += ["-p", f"no:{part}"]
        return int(pytest.main(arguments, plugins=[watcher]))


@contextlib.contextmanager
def _unwritten() -> Iterator[list[tuple[Result, tuple[Exchange, ...]]]]:
    """Keeps results instead of writing them; other tests look at what is written, hundreds of runs here need not."""
    results: list[tuple[Result, tuple[Exchange, ...]]] = []
    write = outputs.write_all
    outputs.write_all = lambda result, exchanges, folder: results.append((result, tuple(exchanges)))
    try:
        yield results
    finally:
        outputs.write_all = write


@contextlib.contextmanager
def _drawn(seed: int | None) -> Iterator[None]:
    draw = plugin.drawn_seed
    if seed is not None:
        plugin.drawn_seed = lambda: seed
    try:
        yield
    finally:
        plugin.drawn_seed = draw


class _Hurry:
    def __init__(self, clock: Hurried | None) -> None:
        self._clock = clock

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        if self._clock is not None and SESSION in config.stash:
            config.stash[SESSION].clock = self._clock


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
