"""The completions and the man page, from the parsers of all commands; as a program, writes them into the package."""

from __future__ import annotations

import argparse
import sys

import shtab
from build_manpages.manpage import Manpage

from petcheck.cli.commands import COMMANDS, whole_parser
from petcheck.cli.completion import FILES, FOLDER, MAN_PAGE
from petcheck.config.choice import known_words
from petcheck.spec.figures import PLANS
from petcheck.spec.version import VERSION

_COMPLETED = {"FILE": shtab.FILE, "DIR": shtab.DIRECTORY, "RECORDING": shtab.FILE, "RUN": shtab.FILE, "A": shtab.FILE}
# a word without an option is a requirement or a command
_CHOICES = {"ID": known_words(), "PLAN": list(PLANS), "SHELL": list(FILES), "COMMAND": list(COMMANDS)}


def files() -> dict[str, str]:
    """The text of each file, by name."""
    texts = {name: shtab.complete(_for_completion(), shell=shell) for shell, name in FILES.items() if shell != "zsh"}
    return texts | {FILES["zsh"]: _for_zsh(), MAN_PAGE: man_page()}


def man_page() -> str:
    """The manual page."""
    parser = whole_parser()
    parser.man_short_description = "judge a server by the pet store service interface"  # type: ignore[attr-defined]
    examples, _, parser.description = (parser.description or "").partition("\n\n")
    lines = str(Manpage(parser, format="single-commands-section")).rstrip().splitlines()
    # the generator dates the page, and cannot add examples
    title = f'.TH PETCHECK "1" "" "petcheck {VERSION}" "User Commands"'
    lines = [title if line.startswith(".TH ") else line for line in lines]
    shown = [line.strip().replace("-", "\\-") for line in examples.splitlines()]
    return "\n".join([*lines, ".SH EXAMPLES", ".nf", *shown, ".fi", ""])


def _for_zsh() -> str:
    """The completion of zsh, where shtab completes either the first words of a program or its commands, not both.

    Raises ValueError if shtab writes something else than is extended here.
    """
    parser = _for_completion()
    parser._actions = [action for action in parser._actions if action.dest != "words"]
    text: str = shtab.complete(parser, shell="zsh")
    for anchor, extended in _ZSH_WORDS.items():
        if text.count(anchor) != 1:
            raise ValueError(f"shtab does not write {anchor.strip()!r} once")
        text = text.replace(anchor, extended)
    return text


_ZSH_WORDS = {
    "_shtab_petcheck_commands() {\n": (
        f"_petcheck_words() {{\n  compadd -- {' '.join(known_words())}\n}}\n\n"
        "_shtab_petcheck_commands() {\n  _petcheck_words\n"
    ),
    "        compare) _arguments": (
        "        [A-Z0-9]*) _arguments -C -s \"${(@)_shtab_petcheck_options:#*: :*}\" '*: :_petcheck_words' ;;\n"
        "        compare) _arguments"
    ),
}
"""Text of shtab, and what replaces it: requirements and options follow where shtab expects a command."""


def _for_completion() -> argparse.ArgumentParser:
    """The parser of all commands, with the values that each option accepts. The commands check them too."""
    parser = whole_parser()
    for each in _with_commands(parser):
        for action in each._actions:
            name = action.metavar if isinstance(action.metavar, str) else ""
            if name in _CHOICES and not isinstance(action, argparse._SubParsersAction):
                action.choices = [*_CHOICES[name], *(COMMANDS if each is parser and action.dest == "words" else ())]
            elif name in _COMPLETED:
                action.complete = _COMPLETED[name]  # type: ignore[attr-defined]
    return parser


def _with_commands(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return [parser, *commands.choices.values()]


def main() -> int:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
