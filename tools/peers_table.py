"""Prints the cost of a run against each hostile peer: exit code, seconds, peak memory, requests that it received."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.system.test_hostile_peers import PEERS, run_against


def main() -> None:
    """Run against one peer at a time, so that no run slows another."""
    print("| peer | exit | seconds | peak MB | requests |")
    print("|---|---|---|---|---|")
    for name in PEERS:
        with tempfile.TemporaryDirectory() as folder:
            ran, requests = run_against(name, Path(folder) / "run")
        print(f"| {name} | {ran.code} | {ran.seconds:.1f} | {ran.peak_mb:.0f} | {requests} |", flush=True)


if __name__ == "__main__":
    main()
