"""Measures one run and the judging of it: compared with an older commit, with the target's response times and with a
longer run, and at its start."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from petcheck.results.judge import judge
from petcheck.spec.files import suite_root
from petcheck.stream.files import FILE, read_stream
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, environment, largest_size

BASELINE = "c623700b"  # judged while it was still sending
ROUNDS = 9
LATENCY_S = 0.05
PAIRS = 5
LATENCIES_S = (0.0, 0.05, 0.2)
STARTS = {
    "`--version`": ("--version",),
    "`--help`": ("--help",),
    "an unknown option": ("--no-such-option",),
    "a target that is not a URL": ("--target", "no-url"),
}
EXAMPLES = (150, 600)
A_RUN_WITH_WRITES = "a run with writes"
RUNS = {"a run that only reads": (), A_RUN_WITH_WRITES: ("--allow-writes",), "without examples": ("--examples", "0")}


@dataclass(frozen=True)
class Cost:
    """One process: its CPU and its duration in seconds, its peak memory in MB, and the target's answers in seconds.

    `requests` is the number of requests that it sent.
    """

    cpu: float
    seconds: float
    peak_mb: float
    answers: float = 0.0
    requests: int = 0


def lines() -> list[str]:
    """The section of the document."""
    with tempfile.TemporaryDirectory() as folder:
        older = unpacked(BASELINE, Path(folder))
        parts = (_beside(older), _beside_a_longer_run(), _beside_the_answers(), _at_the_same_time(), _starts())
        return [line for part in parts for line in (*part, "")][:-1]


def unpacked(commit: str, folder: Path) -> Path | None:
    """A commit of this repository in `folder`; None if the repository or the commit is not there."""
    packed = subprocess.run(["git", "archive", commit], cwd=suite_root(), capture_output=True, check=False)
    if packed.returncode:
        return None
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


@contextmanager
def served(latency: float = 0.0) -> Iterator[str]:
    """The base URL of a conforming server that answers after `latency` seconds, and never makes a run wait."""
    window = 60.0 if latency else 3.0
    # several runs in a minute send more requests without a valid key than the server usually allows an address
    app = create_app(ReferenceSettings(keys={KEY: "business"}, window_seconds=window, anonymous_limit=10_000))

    async def slow(scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(latency)
        await app(scope, receive, send)

    with running(slow if latency else app) as url:
        yield f"{url}/v1"


def cost_of(source: Path, *arguments: str, code: int = 0) -> Cost:
    """The cost of the command in the source folder, run with this Python and its packages."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "petcheck", *arguments],
            cwd=folder,
            env=environment(KEY, {"PYTHONPATH": str(source / "src")}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        peak, ended = 0.0, 0
        while not ended:
            peak = max(peak, largest_size(process.pid))
            time.sleep(0.005)
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != code:
            raise RuntimeError(f"petcheck {' '.join(arguments)} ended with {process.returncode}")
        seconds = time.monotonic() - began
        har = Path(folder, "reports", "exchanges.har")
        entries = json.loads(har.read_bytes())["log"]["entries"] if har.exists() else []
        answers = sum(entry["time"] for entry in entries) / 1000
        return Cost(used.ru_utime + used.ru_stime, seconds, peak, answers, len(entries))


def _beside(older: Path | None) -> list[str]:
    if older is None:
        return [f"Commit {BASELINE} is not in this repository, so there is no comparison with it."]
    found = [
        f"Compared with commit {BASELINE}: medians of {ROUNDS} runs of each, in turns. CPU is relative to that commit.",
        "",
        f"| | CPU | peak memory | peak memory of {BASELINE} |",
        "|---|--:|--:|--:|",
    ]
    sources = (suite_root(), older)
    with served() as url, tempfile.TemporaryDirectory() as folder:
        reports = [Path(folder, name) for name in ("now", "then")]
        commands = {
            title: [("--target", url, "--seed", "1", *options)] * len(sources) for title, options in RUNS.items()
        }
        commands[f"`judge` of {A_RUN_WITH_WRITES}"] = [("judge", str(each)) for each in reports]
        for source, each in zip(sources, reports, strict=True):
            cost_of(source, "--target", url, "--seed", "1", "--allow-writes", "--reports", str(each))
        for title, both in commands.items():
            pairs = [
                [cost_of(source, *arguments) for source, arguments in zip(sources, both, strict=True)]
                for _ in range(ROUNDS + 1)
            ][1:]  # the first one compiles
            ratio = statistics.median(now.cpu / then.cpu for now, then in pairs)
            peaks = [max(cost.peak_mb for cost in costs) for costs in zip(*pairs, strict=True)]
            found.append(f"| {title} | {ratio:.2f} | {peaks[0]:.0f} MB | {peaks[1]:.0f} MB |")
    return found


def _beside_a_longer_run() -> list[str]:
    each, sent = [], []
    for examples in EXAMPLES:
        with served() as url, tempfile.TemporaryDirectory() as folder:
            options = ("--allow-writes", "--examples", str(examples), "--seed", "1", "--reports", folder)
            cost_of(suite_root(), "--target", url, *options)
            times = []
            for _ in range(ROUNDS):
                stream = read_stream(Path(folder, FILE))  # again, since an exchange remembers what was parsed
                began = time.process_time()
                judge(stream)
                times.append(time.process_time() - began)
        sent.append(len(stream.exchanges))
        each.append(statistics.median(times) / sent[-1])
    return [
        f"Judging a run of {sent[1]} exchanges (`--examples {EXAMPLES[1]}`) takes {each[1] / each[0]:.2f}",
        f"times the CPU for each exchange that judging one of {sent[0]} (`--examples {EXAMPLES[0]}`) takes.",
    ]


def _beside_the_answers() -> list[str]:
    with served(LATENCY_S) as url:
        costs = [cost_of(suite_root(), "--target", url, "--seed", "1") for _ in range(3)]
    times = statistics.median(cost.seconds / cost.answers for cost in costs)
    return [
        f"On a server that answers in {LATENCY_S * 1000:.0f} ms, a run that only reads takes {times:.2f} times the sum",
        "of the response times, since some requests are sent at the same time.",
    ]


def _at_the_same_time() -> list[str]:
    found = [
        "A run with writes, which sends some requests at the same time, beside one that sends one after the other",
        f"(`--connections 1`): medians of {PAIRS} pairs, in turns.",
        "",
        "| the server answers in | time, relative to one after the other | requests |",
        "|---|--:|--:|",
    ]
    for latency in LATENCIES_S:
        with served(latency) as url:
            usual = ("--target", url, "--allow-writes")
            pairs = [
                [cost_of(suite_root(), *usual, "--seed", str(seed), *more) for more in ((), ("--connections", "1"))]
                for seed in range(PAIRS)
            ]
        ratio = statistics.median(ours.seconds / serial.seconds for ours, serial in pairs)
        sent = [statistics.median(cost.requests for cost in costs) for costs in zip(*pairs, strict=True)]
        found.append(f"| {latency * 1000:.0f} ms | {ratio:.2f} | {sent[0]:.0f} and {sent[1]:.0f} |")
    return found


def _starts() -> list[str]:
    def median(arguments: tuple[str, ...]) -> float:
        code = 0 if len(arguments) == 1 and arguments[0] in ("--version", "--help") else 4
        return statistics.median(cost_of(suite_root(), *arguments, code=code).cpu for _ in range(ROUNDS))

    shown = ", ".join(f"{name} {median(arguments) * 1000:.0f} ms" for name, arguments in STARTS.items())
    return [f"CPU time of a command that sends nothing: {shown}."]
