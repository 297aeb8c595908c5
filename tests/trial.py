"""Runs the suite against one reference server, in this process, and hands out what came of it.

The server is on a real socket; what is shortened is waiting: `Hurried` time runs faster for the suite's pauses.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pytest

from petcheck.cli import UNUSED_PARTS
from petcheck.plugin import SESSION
from petcheck.reference.serve import running
from petcheck.reference.server import ReferenceSettings, create_app
from petcheck.reports import outputs
from petcheck.reports.result import Result
from petcheck.suite_files import suite_root

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
    """What came of a run: its result, its exit code, and what it printed."""

    result: Result
    exit: int
    printed: str

    def ids(self, outcome: str) -> set[str]:
        return {row.id for row in self.result.requirements if row.outcome == outcome}

    @property
    def reasons(self) -> Mapping[str, str]:
        return {row.id: row.reason for row in self.result.requirements}

    @property
    def requests(self) -> int:
        return sum(target.requests.total for target in self.result.targets)


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


def judge(url: str, *options: str, clock: Hurried | None = None, key: str = KEY) -> Trial:
    """Run every check against a base URL."""
    hurry = _Hurry(clock)
    with tempfile.TemporaryDirectory() as folder, _environment(PETSTORE_API_KEY=key):
        arguments = [
            "-c", str(suite_root() / "src/petcheck/checks.toml"), "--rootdir", str(suite_root()), "-s",
            "-p", "no:cacheprovider", "-p", "petcheck.plugin", str(suite_root() / "checks"),
            "--target", url, "--reports", folder, *options,
        ]  # fmt: skip
        for part in UNUSED_PARTS:
            arguments += ["-p", f"no:{part}"]
        with contextlib.redirect_stdout(io.StringIO()) as printed, _unwritten() as results:
            code = int(pytest.main(arguments, plugins=[hurry]))
        return Trial(results[0], code, printed.getvalue())


@contextlib.contextmanager
def _unwritten() -> Iterator[list[Result]]:
    """Keeps results instead of writing them; other tests look at what is written, hundreds of runs here need not."""
    results: list[Result] = []
    write = outputs.write_all
    outputs.write_all = lambda result, exchanges, folder: results.append(result)
    try:
        yield results
    finally:
        outputs.write_all = write


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
