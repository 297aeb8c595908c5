"""The command `petcheck`: runs the checks, or one of the smaller commands.

Slow modules are imported only when needed, so `petcheck --version` answers at once.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from petcheck.cli.commands import COMMANDS
from petcheck.cli.parser import PROGRAM, fail
from petcheck.spec.outcomes import Exit
from petcheck.spec.version import VERSION

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
    near = difflib.get_close_matches(first, COMMANDS, n=1)
    if near and near[0] != first and not first.startswith("-"):
        fail(f"unknown command {first}; did you mean {near[0]}?")
    command, *rest = argv if first in COMMANDS else ["run", *argv]
    try:
        if command != "serve":  # its server has its own handlers
            from petcheck.runner import signals

            signals.install_handlers()
        return int(import_module(f"petcheck.cli.{command}").main(rest))
    except KeyboardInterrupt:  # before or after the part that pytest handles
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return int(Exit.INTERRUPTED)
