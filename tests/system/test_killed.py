"""A run that ends at any moment: its stream is readable, and every file that it wrote follows from it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from petcheck.cli.main import main
from petcheck.results.result import load
from petcheck.stream.files import read_stream
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from petstore_reference.store import Store
from tests.support.command import KEY, ended
from tests.support.forked import start
from tests.support.trial import without_network
from tests.system.test_interruption import until

pytestmark = pytest.mark.slow

MOMENTS = (1, 2, 5, 11, 18, 24, 31, 40, 49, 57)  # exchanges on record, of some 60
OF_THE_PROOF = {"manifest.json", "attestation.json"}
WRITES = ("--allow-writes", "--examples", "0", "--seed", "3")


@contextmanager
def slow(animals: int) -> Iterator[tuple[str, Store]]:
    """A server that takes its time for each answer, and its store."""
    app = create_app(ReferenceSettings(keys={KEY: "enterprise"}, animals=animals))

    async def later(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.005)
        await app(scope, receive, send)

    with running(later) as url:
        yield f"{url}/v1", app.state.store


def killed(folder: Path, url: str, number: signal.Signals, moment: int, *arguments: str) -> int:
    """The exit code of a run that gets a signal when that many exchanges are on record."""
    stream = folder / "reports" / "exchanges.jsonl"
    process = start(folder, "--target", url, *arguments)
    until(lambda: stream.exists() and stream.read_bytes().count(b'"_petcheck"') >= moment)
    os.kill(process.pid, number)
    return ended(process, folder).code


def left_behind(result: Path, store: Store) -> tuple[set[int], set[int]]:
    """The ids that a result says it may have left, and those that are there."""
    told = {one.id for target in load(result).targets for one in target.created if one.id is not None}
    return told, {animal.id for animal in store.newest_first() if animal.born}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["SIGINT", "SIGKILL"])
@pytest.mark.parametrize(
    ("animals", "more", "moments"),
    [(130, (), MOMENTS), (0, ("--populate", "60"), (4, 15, 33))],
    ids=["run", "populate"],
)
def test_what_a_run_had_is_judged(
    number: signal.Signals,
    animals: int,
    more: tuple[str, ...],
    moments: tuple[int, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for moment in moments:
        folder = tmp_path / str(moment)
        with slow(animals) as (url, store):
            code = killed(folder, url, number, moment, *WRITES, *more)
            monkeypatch.chdir(folder)
            stream = read_stream(Path("reports/exchanges.jsonl"))
            assert len(stream.exchanges) >= moment
            with without_network():
                assert main(["judge", "reports", "--reports", "again"]) == 2
            assert "The run was interrupted; the rest was not judged." in capsys.readouterr().out
            told, there = left_behind(Path("again/result.json"), store)
        if number is signal.SIGKILL:
            assert stream.end is None
            assert len(there - told) <= 1  # the one whose answer never came
            continue
        assert code == 2
        assert stream.end is not None
        assert stream.end.interrupted
        assert told == there
        again = {path.name: path.read_bytes() for path in Path("again").iterdir()}
        live = {path.name: path.read_bytes() for path in Path("reports").iterdir() if path.name != "pytest.html"}
        assert again.keys() == live.keys()
        assert [name for name in live if live[name] != again[name]] == []
        assert main(["verify", "reports"]) == 0
        assert capsys.readouterr().out.startswith("proven: ")
