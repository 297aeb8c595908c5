"""The command `petcheck`: runs the checks, or one of the smaller commands.

Slow modules are imported only when needed, so `petcheck --version` answers at once.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from petcheck.cli.parser import PROGRAM, fail
from petcheck.spec.outcomes import Exit
from petcheck.spec.version import VERSION

COMMANDS = ("serve", "requirements", "explain", "compare", "history", "judge", "verify", "merge")
_BROKEN_PIPE = 141  # the code that a shell reports


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    try:
        code = _command(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except KeyboardInterrupt:  # a second one while the first was handled
        return int(Exit.INTERRUPTED)
    return code


def _command(argv: list[str]) -> int:
    if argv[:1] == ["--version"]:
        print(f"{PROGRAM} {VERSION}")
        return 0
    first = argv[0] if argv else "-"
    if first in COMMANDS:
        return _of(first)(argv[1:])
    near = difflib.get_close_matches(first, COMMANDS, n=1)
    if near and not first.startswith("-"):
        fail(f"unknown command {first}; did you mean {near[0]}?")
    try:
        from petcheck.runner import signals

        signals.install_handlers()
        return _of("run")(argv)
    except KeyboardInterrupt:  # before or after the part that pytest handles
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return int(Exit.INTERRUPTED)


def _of(command: str) -> Callable[[list[str]], int]:
    """The `main` of the command's module."""
    function: Callable[[list[str]], int] = import_module(f"petcheck.cli.{command}").main
    return function
