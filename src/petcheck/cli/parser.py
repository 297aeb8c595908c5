"""What all commands share: a parser, and the one line that ends a command after a mistake."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from petcheck.spec.outcomes import Exit

PROGRAM = "petcheck"


class Parser(argparse.ArgumentParser):
    """Reports a mistake in one line, with the nearest known option. Accepts no shortened options."""

    def __init__(self, command: str = "", **settings: str) -> None:
        super().__init__(prog=f"{PROGRAM} {command}".rstrip(), allow_abbrev=False, **settings)  # type: ignore[arg-type]

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options; exits where one is not known."""
        known, unknown = self.parse_known_args(arguments)
        if unknown:
            self._refuse(unknown)
        return known

    def error(self, message: str) -> NoReturn:
        """End the command with this mistake."""
        fail(message)

    def _refuse(self, arguments: Sequence[str]) -> NoReturn:
        wrong = next((argument for argument in arguments if argument.startswith("-")), arguments[0])
        # only the name is repeated: the value may be a key
        name = wrong.partition("=")[0]
        known = [flag for action in self._actions for flag in action.option_strings]
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"`{PROGRAM} --help` lists what there is"
        fail(f"unknown {'option' if wrong.startswith('-') else 'argument'} {name}; {hint}")


def fail(message: str) -> NoReturn:
    """End the command with a usage error: one line on stderr, without keys."""
    from petcheck.config.keys import without_keys
    from petcheck.errors import ConfigError

    print(f"{PROGRAM}: {without_keys(str(ConfigError(message)), os.environ)}", file=sys.stderr)
    raise SystemExit(int(Exit.USAGE))
