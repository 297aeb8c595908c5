"""The command `petcheck`: runs the checks, or one of the smaller commands.

Slow modules are imported only when needed, so `petcheck --version` answers at once.
"""

from __future__ import annotations

import codecs
import difflib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from petcheck.cli.parser import COLOUR_FLAGS, COLOURS, COMMANDS, PROGRAM, fail, output_lost
from petcheck.errors import AppFailed, ConfigError, NotARun, NotComparable, NothingToRun
from petcheck.spec.outcomes import Exit
from petcheck.spec.version import VERSION

# a command cannot do what it was asked: the message is one line that says why, and what to do
_REFUSALS = (ConfigError, NotARun, NotComparable, AppFailed)
_CODES = {NothingToRun: Exit.NOTHING_SELECTED, AppFailed: Exit.UNTESTABLE}
_BROKEN_PIPE = 141  # the code that a shell reports


# what stands for our own signs where the output has only ASCII
_IN_ASCII = {"·": "-", "§": "S", "…": "...", "–": "-", "×": "x", "→": "->", "\u00a0": " "}


def _accept_any_text() -> None:
    """Make the standard streams take any text: one that is closed drops it, and one of ASCII gets other signs."""
    codecs.register_error("petcheck", _other_signs)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))
        elif number and isinstance(stream, io.TextIOWrapper):
            with suppress(OSError):  # one that another program has opened and moved
                stream.reconfigure(errors="petcheck")


def _other_signs(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    known = _IN_ASCII.get(error.object[error.start])
    return (known, error.start + 1) if known else codecs.backslashreplace_errors(error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    _accept_any_text()
    try:
        try:
            code = _command(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            sys.stdout.flush()
    except OSError as error:
        gone = isinstance(error, BrokenPipeError)  # the reader of the output
        if not gone and not output_lost():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is tried again at the exit
        if gone:
            return _BROKEN_PIPE
        with suppress(OSError):
            print(f"{PROGRAM}: the output could not be written ({error.strerror})", file=sys.stderr)
        return int(Exit.BROKE)
    except KeyboardInterrupt:  # a second one while the first was handled
        return int(Exit.INTERRUPTED)
    finally:
        # an interrupt that has left code made from text ends Python by SIGINT, until other text has run
        exec("")  # noqa: S102 - dataclasses are made from text
    return code


def _command(argv: list[str]) -> int:
    for flag, value in COLOUR_FLAGS.items():
        if flag in argv:
            argv, os.environ[COLOURS] = [one for one in argv if one != flag], value
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
    except _REFUSALS as error:
        code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), Exit.USAGE)
        fail(f"{error}" if command == "run" else f"{command}: {error}", code)
    except (KeyboardInterrupt, RuntimeError) as error:  # before or after the part that pytest handles
        # Python 3.11 raises a RuntimeError from what leaves a __set_name__
        if not isinstance(error if isinstance(error, KeyboardInterrupt) else error.__cause__, KeyboardInterrupt):
            raise
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return int(Exit.INTERRUPTED)
