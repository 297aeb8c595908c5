"""The commands beside a run, and what they share: a parser, and the one-line error that ends a command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from copy import deepcopy
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from petcheck.spec.outcomes import Exit
from petcheck.words import did_you_mean

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

PROGRAM = "petcheck"
COLOURS = "PY_COLORS"
"""The environment variable that decides about colours before any other, for pytest too."""
COLOUR_FLAGS = {"--color": "1", "--no-color": "0"}
"""The options of all commands that set it, and to what."""
COMMANDS = {
    "explain": "explain requirements in full",
    "requirements": "list everything that is judged or observed",
    "serve": "serve the reference server, for developing clients",
    "compare": "show what differs between earlier runs",
    "history": "show the verdicts of runs over time",
    "annotate": "write verdicts beside the interface document",
    "judge": "judge recorded traffic; send nothing",
    "verify": "check that a folder of reports proves what it says",
    "replay": "send again what failed, and say what changed",
    "open": "show the report in the browser",
    "merge": "merge the reports of several runs, such as shards",
    "help": "show this overview, or the help of a command",
    "completion": "print the completion of bash, zsh or fish",
}
"""Each command and what it does, in the order in which help lists them."""

# a name less alike than that is another option: --api-key is not --sign-key
_ALIKE = 0.75
_WIDTH = 80  # columns of the help


class Parser(argparse.ArgumentParser):
    """Reports a usage error in one line, with the nearest known option. Accepts no abbreviated options."""

    def __init__(self, command: str = "", **settings: str) -> None:
        super().__init__(
            prog=f"{PROGRAM} {command}".rstrip(),
            allow_abbrev=False,
            formatter_class=_Help,
            **settings,  # type: ignore[arg-type]
        )

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options; exits if one is not known."""
        for argument in arguments:
            flag, space, value = argument.partition(" ")
            if space and flag in self._option_string_actions:  # argparse would take it for a name or a file
                fail(f"{flag} {value}: is one word; write it as {flag}={value.strip()}")
        known, unknown = self.parse_known_intermixed_args(arguments)
        if unknown:
            self._refuse(unknown)
        return known

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        print(message, end="", file=file)  # argparse hides that a disk is full

    def error(self, message: str) -> NoReturn:
        """End the command with this error."""
        fail(message)

    def _refuse(self, arguments: Sequence[str]) -> NoReturn:
        wrong = next((argument for argument in arguments if argument.startswith("-")), arguments[0])
        # repeat only the name: the value may be a key
        name = wrong.partition("=")[0]
        known = [flag for action in self._actions for flag in action.option_strings]
        hint = did_you_mean(name, known, f"`{self.prog} --help` lists all options", alike=_ALIKE)
        fail(f"unknown {'option' if wrong.startswith('-') else 'argument'} {name}; {hint}")


class _Help(argparse.HelpFormatter):
    """Help of 80 columns, in which an option takes one line; text of several lines stays as it is written."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=_WIDTH)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        # a separate word would be read as a requirement
        if action.option_strings and action.nargs == "?":
            return f"{action.option_strings[-1]}[={action.metavar}]"
        return super()._format_action_invocation(action)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


def parser_of(command: str) -> Parser:
    """The parser of a command, for the caller to change."""
    made: Parser = deepcopy(import_module(f"petcheck.cli.{command}").PARSER)
    return made


def output_lost() -> bool:
    """Whether standard output takes nothing any more, for example on a full disk."""
    try:
        print(flush=True)
    except OSError:
        return True
    return False


def fail(message: str, code: Exit = Exit.USAGE) -> NoReturn:
    """End the command with an error: one line on stderr, without keys."""
    from petcheck.config.keys import without_keys
    from petcheck.errors import ConfigError

    print(f"{PROGRAM}: {without_keys(str(ConfigError(message)), os.environ)}", file=sys.stderr)
    raise SystemExit(int(code))
