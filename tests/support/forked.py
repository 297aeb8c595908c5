"""The command in its own process, forked from one that has imported everything.

Its exit code, memory, signals and output are as real as those of `python -m petcheck`, which `tests.support.command`
starts; only its start is not. For tests of what a run does, not of how it starts.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.support.command import KEY, Ran, ended, environment, without_examples
from tests.support.compiled import BYTECODE

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.support.preloaded"])


@dataclass(frozen=True)
class Forked:
    """A forked process."""

    process: ForkServerProcess

    @property
    def pid(self) -> int:
        return self.process.pid or 0

    def poll(self) -> int | None:
        return self.process.exitcode

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


def petcheck(
    folder: Path,
    *arguments: str,
    key: str | None = KEY,
    more: Mapping[str, str] | None = None,
    as_it_comes: bool = False,
) -> Ran:
    """Like `petcheck` of `tests.support.command`."""
    arguments = arguments if as_it_comes else without_examples(arguments)
    return ended(start(folder, *arguments, key=key, more=more), folder)


def start(
    folder: Path,
    *arguments: str,
    key: str | None = KEY,
    more: Mapping[str, str] | None = None,
    terminal: str | None = None,
) -> Forked:
    """Start a run, and leave it running. Its output goes to `terminal` if there is one, else into files."""
    folder.mkdir(parents=True, exist_ok=True)
    streams = (terminal,) * 3 if terminal else (os.devnull, str(folder / "stdout"), str(folder / "stderr"))
    for stream in streams[1:] if not terminal else ():
        Path(stream).write_bytes(b"")
    process = _FORKING.Process(target=_run, args=(list(arguments), str(folder), environment(key, more), streams))
    process.start()
    return Forked(process)


def at_once(descriptor: int) -> None:
    """Instead of `os.fsync`, which waits for the disk a dozen times in a run."""


def _run(arguments: list[str], folder: str, variables: dict[str, str], streams: tuple[str, ...]) -> None:
    """In the new process: set it up like any other, and run the command."""
    os.environ.clear()
    os.environ.update(variables)
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(BYTECODE)
    sys.argv = ["petcheck", *arguments]
    os.chdir(folder)
    for number, stream in enumerate(streams):
        opened = os.open(stream, os.O_RDWR | os.O_NOCTTY)
        os.dup2(opened, number)
        os.close(opened)
    for written in (sys.stdout, sys.stderr):
        written.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    os.fsync = at_once  # type: ignore[assignment]  # no test switches the power off
    from petcheck.cli.main import main

    sys.exit(main(arguments))
