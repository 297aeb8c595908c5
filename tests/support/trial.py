"""Runs the suite against one reference server, in this process, and returns the result.

The server is on a real socket; only waits are shortened: `Hurried` time runs faster during the suite's pauses. `judge`
has pytest run the checks, as a user's run does. `judge_in_place` calls them itself, in the same order and with the same
configuration, which is faster; `test_trial.py` compares the two.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from petcheck.cli.run import pytest_options, run_parser
from petcheck.config.load import configure, utc_today
from petcheck.config.options import Config, given_options
from petcheck.exchange import Exchange
from petcheck.reports import outputs
from petcheck.reports.outputs import Material, render
from petcheck.results import proof
from petcheck.results.judge import judge as judge_stream
from petcheck.results.manifest import digest_of_text
from petcheck.results.result import Result
from petcheck.runner.finish import RunEnd
from petcheck.runner.plugin import CHECK, RUN
from petcheck.runner.schedule import Check, Schedule
from petcheck.runner.session import Session
from petcheck.runner.start import prepare
from petcheck.spec.catalogue import catalogue
from petcheck.stream import files
from petcheck.stream.stream import Stream, checked
from petcheck.wire.clock import Clock
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app

KEY = "trial-key-5d1c7f0a9b3e4826"

# the same in all tests, so that a test that fails fails again; `make soundness` draws others
SEED = 7


class Hurried(Clock):
    """Time that passes `pace` times as fast during `sleep`, and as usual otherwise."""

    def __init__(self, pace: float) -> None:
        self._pace = pace
        self._skipped = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self._skipped

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self._skipped)

    def time(self) -> float:
        """`now` as a Unix time, for the server."""
        return time.time() + self._skipped

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds / self._pace)
        self._skipped += seconds - seconds / self._pace


@dataclass(frozen=True)
class Trial:
    """A run: its result and stream, its exit code, and what it printed."""

    result: Result
    exit: int
    printed: str
    stream: Stream

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return self.stream.exchanges

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as its file has it: what the rules have found in the exchanges stays behind."""
        return _read_back, (self.result, self.exit, self.printed, tuple(files.text_of(self.stream.entries)))

    def ids(self, outcome: str) -> set[str]:
        return {row.id for row in self.result.requirements if row.outcome == outcome}

    @property
    def reasons(self) -> Mapping[str, str]:
        return {row.id: row.reason for row in self.result.requirements}

    @property
    def requests(self) -> int:
        """Planned requests without those of property examples."""
        counts = [target.requests for target in self.result.targets]
        return sum(count.total - count.examples - sum(count.repeats.values()) for count in counts)

    @property
    def examples(self) -> int:
        return sum(target.requests.examples for target in self.result.targets)


def _read_back(result: Result, code: int, printed: str, lines: Sequence[str]) -> Trial:
    return Trial(result, code, printed, checked(files.from_json(json.loads(line)) for line in lines))


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
    key: str = KEY,
) -> Iterator[str]:
    """A reference server's base URL, while the block lasts."""
    settings = ReferenceSettings(
        keys={key: plan},
        window_seconds=window,
        animals=animals,
        as_of=as_of,
        faults=tuple(faults),
        variations=tuple(variations),
    )
    with running(create_app(settings, clock=clock.time if clock else time.time)) as url:
        yield f"{url}/v1"


def judge(url: str, *options: str, clock: Hurried | None = None, key: str = KEY, seed: int = SEED) -> Trial:
    """Let pytest run every check against a base URL. `seed` replaces the random one of a run without `--seed`."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, _unwritten() as products:
        code = _pytest("--target", url, *options, key=key, seed=seed, watcher=_Hurry(clock))
    assert products[0].stream is not None
    return Trial(products[0].result, code, printed.getvalue(), products[0].stream)


def judge_in_place(url: str, *options: str, clock: Hurried | None = None, key: str = KEY, seed: int = SEED) -> Trial:
    """Call every check against a base URL. `options` are the suite's own."""
    with tempfile.TemporaryDirectory() as folder:
        config = configured("--target", url, "--reports", folder, *options, key=key, seed=seed)
    return _called(config, Session(config, clock=clock or Clock()))


def judge_again(trial: Trial) -> Material:
    """What the stream of a trial comes to, written to a file and read from there, without a network."""
    with tempfile.TemporaryDirectory() as folder, without_network():
        path = Path(folder, files.FILE)
        path.write_text("".join(files.text_of(trial.stream.entries)), encoding="utf-8")
        stream = files.read_stream(path)
        return Material(judge_stream(stream), stream)


@cache
def small_run() -> Material:
    """A run of a few requirements, with what its files are made from."""
    with server() as url:
        trial = judge_in_place(url, "--choose", "LIST-4", "--examples", "0", seed=3)
    return Material(trial.result, trial.stream)


@contextlib.contextmanager
def without_network() -> Iterator[None]:
    """Nothing can be connected to while the block lasts."""

    def refused(*_: object) -> None:
        raise AssertionError("a connection was asked for")

    before = socket.socket.connect
    socket.socket.connect = refused  # type: ignore[method-assign]
    try:
        yield
    finally:
        socket.socket.connect = before  # type: ignore[method-assign]


def differences(trial: Trial) -> list[str]:
    """The files of a run that differ from those of its recording."""
    live, again = (
        {name: digest_of_text(pieces) for name, pieces in render(material)}
        for material in (Material(trial.result, trial.stream), judge_again(trial))
    )
    return [name for name in live | again if live.get(name) != again.get(name)]


def _called(config: Config, session: Session) -> Trial:
    schedule = Schedule(config, config.targets)
    called = [one for one in collected() if schedule.includes(one.check)]
    called.sort(key=lambda one: schedule.place(one.check))
    session.plan(one.check for one in called)
    session.begin()
    for one in called:
        began = time.perf_counter()
        error = one.outcome(session)
        session.ended(one.check, error, time.perf_counter() - began)
    end = RunEnd(session)
    with _unwritten():
        written = end.finish(pytest.ExitCode.OK)
    return Trial(written.result, written.code, "", written.material.stream)


@dataclass(frozen=True)
class _Called:
    """A check to call: its function, and its parameters that are not fixtures."""

    check: Check
    function: Callable[..., None]
    arguments: Mapping[str, Any]

    def outcome(self, session: Session) -> BaseException | None:
        """The exception that it raises."""
        target = session.target(self.check.target)
        fixtures: dict[str, Callable[[], object]] = {
            "target": lambda: target,
            "opened_target": lambda: target,
            "examples": lambda: session.examples_of(target),
        }
        try:
            with target.on_behalf_of(self.check.section, on_top=self.check.on_top):
                wanted = inspect.signature(self.function).parameters.keys() - self.arguments.keys()
                self.function(**{name: fixtures[name]() for name in wanted}, **self.arguments)
        except Exception as error:
            return error
        return None


@cache
def collected() -> tuple[_Called, ...]:
    """Every check, as pytest collects it for one target: a run that chooses every requirement has most."""
    keeper = _Keeper()
    chosen = [f"--choose={entry.id}" for entry in catalogue().judged]
    with contextlib.redirect_stdout(io.StringIO()):
        everything = ("--target", "http://127.0.0.1:9/v1", "--allow-writes", "--examples", "100", "--populate", "1")
        _pytest(*everything, *chosen, key=KEY, seed=1, watcher=keeper, collect_only=True)
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


def configured(*arguments: str, key: str = KEY, seed: int = SEED) -> Config:
    options = given_options(run_parser().parse(arguments))
    return configure(options, {"PETSTORE_API_KEY": key}, today=utc_today(), seed=seed)


def _pytest(*options: str, key: str, seed: int, watcher: object, collect_only: bool = False) -> int:
    with tempfile.TemporaryDirectory() as folder, _environment(PETSTORE_API_KEY=key):
        config = configured("--reports", folder, *options, key=key, seed=seed)
        prepared = prepare(config, writes_reports=not collect_only)
        arguments = ["-s", "--reports", folder, *options, *(["--collect-only"] if collect_only else [])]
        return int(pytest.main([*pytest_options(), *arguments], plugins=[watcher, prepared]))


@contextlib.contextmanager
def _unwritten() -> Iterator[list[Material]]:
    """Collects what a run would write, which other tests check."""
    products: list[Material] = []

    def collect(material: Material, folder: Path, *, but: Iterable[str] = ()) -> dict[str, Exception]:
        products.append(material)
        return {}

    write_outputs, write_proof = outputs.write_outputs, proof.write_proof
    outputs.write_outputs, proof.write_proof = collect, lambda *of: {}
    try:
        yield products
    finally:
        outputs.write_outputs, proof.write_proof = write_outputs, write_proof


class _Hurry:
    def __init__(self, clock: Hurried | None) -> None:
        self._clock = clock

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        if self._clock is not None and RUN in config.stash:
            config.stash[RUN].session.clock = self._clock


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
