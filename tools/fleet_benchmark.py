"""Measures runs of many targets, on real local servers, for `make bench ARGS=fleet`.

The servers run in a separate process, so that only petcheck's own cost counts. Ratios compare runs side by side;
seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, environment

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

FAULTS = {3: ("default-limit-50",), 7: ("no-key-needed",)}
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
_SAMPLED_EVERY_S = 0.5


@dataclass(frozen=True)
class Spent:
    """What a command and all its processes used: seconds, CPU seconds, and peak memory in MB.

    `page` is the size of report.html in bytes.
    """

    seconds: float
    cpu: float
    peak_mb: float
    page: int


def main() -> int:
    """Measure the named parts, or all, and print them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--serve", nargs=2, metavar=("N", "MS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return _serve(int(options.serve[0]), float(options.serve[1]) / 1000)
    print("\n".join(lines(options.parts)))
    return 0


def lines(parts: Sequence[str] = ()) -> list[str]:
    """The lines of the document for those parts, or for all."""
    ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1)
    return [PARTS[part]() for part in parts or PARTS]


def _processes() -> str:
    one, two = (spent(50, 50, "-n", number) for number in ("1", "2"))
    return (
        f"- 50 targets: `-n 2` takes {two.cpu / one.cpu:.2f} times the CPU of one process "
        f"({two.cpu:.0f} and {one.cpu:.0f} s), which is {one.cpu / 50:.2f} s for each target."
    )


def _latency() -> str:
    one, eight = (spent(24, 24, "-n", number, latency=50) for number in ("1", "8"))
    return (
        f"- 24 servers that answer after 50 ms: with `-n 8` a run is {one.seconds / eight.seconds:.1f} times as fast "
        f"as without ({eight.seconds:.0f} and {one.seconds:.0f} s)."
    )


def _two_hundred() -> str:
    return f"- 200 targets on 200 servers, `-n 4`: {_told(spent(200, 200, '-n', '4'))}."


def _thousand() -> str:
    few = ("-k", "test_9 or test_page_is", "--examples", "0")
    said = _told(spent(20, 1000, "-n", "4", *few))
    return f"- 1,000 targets by name, on 20 servers and with few checks, `-n 4`: {said}."


def _told(spent: Spent) -> str:
    return (
        f"{spent.seconds:.0f} s, {spent.cpu:.0f} s of CPU, at most {spent.peak_mb:.0f} MB of memory in all processes, "
        f"a page of {spent.page / 1000:.0f} KB"
    )


PARTS = {"processes": _processes, "latency": _latency, "two-hundred": _two_hundred, "thousand": _thousand}


def spent(servers: int, targets: int, *options: str, latency: float = 0) -> Spent:
    """What a reading run uses on that many servers, with that many named targets; `latency` in milliseconds."""
    with tempfile.TemporaryDirectory() as name, _served(servers, latency) as urls:
        folder = Path(name)
        rows = (f'[targets.tenant-{n + 1:04}]\nurl = "{urls[n % servers]}"\n' for n in range(targets))
        (folder / "petcheck.toml").write_text("".join(rows))
        before, began = _cpu(), time.monotonic()
        command = [sys.executable, "-m", "petcheck", "--quiet", "--seed", "1", *options]
        with (folder / "said").open("wb") as said:
            process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=said, stderr=subprocess.STDOUT)
            peak = 0.0
            while process.poll() is None:
                peak = max(peak, sum(map(_share_of_memory, _tree(process.pid))))
                time.sleep(_SAMPLED_EVERY_S)
        seconds = time.monotonic() - began
        if process.returncode not in (0, 1):
            raise RuntimeError((folder / "said").read_text())
        while len(_tree(os.getpid())) > 2:  # this process and the servers; forked processes may still be ending
            _cpu()
            time.sleep(_SAMPLED_EVERY_S)
        page = (folder / "reports" / "report.html").stat().st_size
        return Spent(seconds, _cpu() - before, peak, page)


@contextmanager
def _served(servers: int, latency: float) -> Iterator[list[str]]:
    command = [sys.executable, "-m", "tools.fleet_benchmark", "--serve", str(servers), str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.stdin.close()


def _serve(servers: int, latency: float) -> int:
    """Serve until stdin is closed; prints the base URLs."""
    with ExitStack() as stack:
        urls = []
        for number in range(servers):
            faults = FAULTS.get(number, ())
            app = create_app(ReferenceSettings(keys={KEY: "business"}, window_seconds=3.0, faults=faults))
            urls.append(f"{stack.enter_context(running(_slow(app, latency) if latency else app))}/v1")
        print(json.dumps(urls), flush=True)
        sys.stdin.read()
    return 0


def _slow(app: ASGIApp, latency: float) -> ASGIApp:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(latency)
        await app(scope, receive, send)

    return slow


def _cpu() -> float:
    """CPU seconds of all processes that have ended; orphans are adopted and waited for."""
    while True:
        try:
            # the servers keep running: do not wait for them
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            break
    used: Any = resource.getrusage(resource.RUSAGE_CHILDREN)
    return float(used.ru_utime + used.ru_stime)


def _tree(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += _tree(int(child))
    except OSError:
        pass
    return found


def _share_of_memory(pid: int) -> float:
    """The memory of a process in MB, with its part of shared memory; 0 once it has ended."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("Pss:")), 0.0)


if __name__ == "__main__":
    sys.exit(main())
