"""Shared by all commands: a parser, and the one-line error that ends a command."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from petcheck.spec.outcomes import Exit

PROGRAM = "petcheck"
# a name less alike than that is another option: --api-key is not --sign-key
_ALIKE = 0.75


class Parser(argparse.ArgumentParser):
    """Reports a usage error in one line, with the nearest known option. Accepts no abbreviated options."""

    def __init__(self, command: str = "", **settings: str) -> None:
        super().__init__(prog=f"{PROGRAM} {command}".rstrip(), allow_abbrev=False, **settings)  # type: ignore[arg-type]

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options; exits if one is not known."""
        known, unknown = self.parse_known_intermixed_args(arguments)
        if unknown:
            self._refuse(unknown)
        return known

    def error(self, message: str) -> NoReturn:
        """End the command with this error."""
        fail(message)

    def _refuse(self, arguments: Sequence[str]) -> NoReturn:
        wrong = next((argument for argument in arguments if argument.startswith("-")), arguments[0])
        # repeat only the name: the value may be a key
        name = wrong.partition("=")[0]
        known = [flag for action in self._actions for flag in action.option_strings]
        near = difflib.get_close_matches(name, known, n=1, cutoff=_ALIKE)
        hint = f"did you mean {near[0]}?" if near else f"`{PROGRAM} --help` lists all options"
        fail(f"unknown {'option' if wrong.startswith('-') else 'argument'} {name}; {hint}")


def fail(message: str, code: Exit = Exit.USAGE) -> NoReturn:
    """End the command with an error: one line on stderr, without keys."""
    from petcheck.config.keys import without_keys
    from petcheck.errors import ConfigError

    print(f"{PROGRAM}: {without_keys(str(ConfigError(message)), os.environ)}", file=sys.stderr)
    raise SystemExit(int(code))
