"""Runs property examples without limit for a given time, and checks what grows: nothing but the recorded exchanges.

    python -m tools.soak [--minutes 30]

It samples the process for that time after its first 1,000 requests, stops it with Ctrl-C, and checks its reports. It
exits with 1 if something grew.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, ended, start

# growth that is allowed from the second quarter of the time to the last; allocators are not exact
GROWTH_MB = 12.0
# of each exchange a run keeps the answer, as bytes and as values, since it is judged by all of them at the end
KEPT_MB = 0.03
# after these, the caches of a run's libraries are full
WARM_UP_REQUESTS = 1_000
WARM_UP_SECONDS = 240.0
WITHOUT_LIMIT = "100000000"


@dataclass(frozen=True)
class Sample:
    """The resources of a process after some requests: memory in MB, open descriptors, temporary files."""

    sent: int
    memory_mb: float
    descriptors: int
    files: int


def sample(pid: int, temporary: Path, sent: int) -> Sample:
    """The resources that a running process uses now, after it `sent` some requests."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    resident = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    descriptors = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    return Sample(sent, int(resident) / 1024, descriptors, sum(1 for path in temporary.rglob("*") if path.is_file()))


def soak(minutes: float, folder: Path) -> tuple[list[Sample], int, int, list[str]]:
    """Run for that many minutes after the warm-up.

    Returns the samples, the requests sent, the exit code, and the defects of the reports.
    """
    temporary = folder / "tmp"
    temporary.mkdir()
    app = create_app(ReferenceSettings(keys={KEY: "business"}, window_seconds=0.5))
    samples = []
    with running(app) as url:
        options = ("--target", f"{url}/v1", "--allow-writes", "--examples", WITHOUT_LIMIT)
        caps = ("--max-requests", WITHOUT_LIMIT, "--max-wait", "100000", "--seed", "1")
        process = start(folder / "run", *options, *caps, more={"TMPDIR": str(temporary)})
        began = time.monotonic()
        sent, end = 0, began + WARM_UP_SECONDS
        warm = False
        while time.monotonic() < end and process.poll() is None:
            time.sleep(min(2.0, minutes))
            # the server runs in this process, so that its log does not count as memory of the run
            sent += len(app.state.log)
            app.state.log.clear()
            if not warm and sent >= WARM_UP_REQUESTS:
                warm, end = True, time.monotonic() + minutes * 60
            if warm and process.poll() is None:
                samples.append(sample(process.pid, temporary, sent))
        process.send_signal(signal.SIGINT)
        ran = ended(process, folder / "run")
    wrong = []
    if ran.code != 2:
        wrong.append(f"expected exit 2 (interrupted), got {ran.code}: {ran.err[-500:]}")
    else:
        ran.assert_reports()
        failed = [name for name, outcome in ran.outcomes.items() if outcome in ("fail", "error")]
        wrong += [f"{name} is {ran.outcomes[name]}: {ran.reason(name)}" for name in failed]
    left = [path for path in temporary.rglob("*") if path.is_file()]
    wrong += [f"{path.name} was not deleted" for path in left]
    return samples, ran.result.targets[0].requests.total if ran.code == 2 else 0, ran.code, wrong


def grown(samples: Sequence[Sample]) -> list[str]:
    """What grew from the second quarter of the time to the last, by medians."""
    quarter = len(samples) // 4
    before, after = samples[quarter : 2 * quarter], samples[-quarter:]

    def gain(name: str) -> float:
        first, last = (statistics.median([float(getattr(s, name)) for s in part]) for part in (before, after))
        return last - first

    beyond = gain("memory_mb") - gain("sent") * KEPT_MB
    wrong = [f"memory grew by {beyond:.1f} MB beyond what exchanges take"] if beyond > GROWTH_MB else []
    wrong += [f"{gain('descriptors'):.0f} more descriptors are open"] if gain("descriptors") > 2 else []
    return wrong + ([f"{gain('files'):.0f} more temporary files"] if gain("files") > 0 else [])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the soak test and print its result."""
    parser = argparse.ArgumentParser(prog="python -m tools.soak", allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=30.0)
    minutes = parser.parse_args(arguments).minutes
    with tempfile.TemporaryDirectory() as folder:
        samples, requests, code, wrong = soak(minutes, Path(folder))
    if len(samples) < 8:
        wrong.append(f"the run ended after only {len(samples)} samples")
    else:
        wrong += grown(samples)
        picked = [samples[len(samples) * part // 4] for part in range(4)] + [samples[-1]]
        memory = ", ".join(f"{one.memory_mb:.0f}" for one in picked)
        descriptors = ", ".join(str(one.descriptors) for one in picked)
        print(f"{minutes:g} minutes, {requests:,} requests, exit {code}; at each quarter of the time:")
        files = max(one.files for one in samples)
        print(f"  memory {memory} MB; descriptors {descriptors}; temporary files {files} at most")
    for line in wrong:
        print(f"  {line}")
    print("nothing grew but the recording" if not wrong else "FAILED")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
