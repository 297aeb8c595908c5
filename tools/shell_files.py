"""The completions, the man page and the page of options, from the parsers; as a program, writes them."""

from __future__ import annotations

import argparse
from itertools import groupby
from pathlib import Path
from textwrap import fill

import shtab
from build_manpages.manpage import Manpage

from petcheck.cli.completion import FILES, FOLDER, MAN_PAGE
from petcheck.cli.parser import COMMANDS, PROGRAM, parser_of
from petcheck.cli.run import run_parser
from petcheck.config.choice import known_words
from petcheck.config.options import OPTIONS, Option, Place
from petcheck.spec.figures import PLANS
from petcheck.spec.version import VERSION
from petstore_reference.faults import FAULTS
from petstore_reference.variations import VARIATIONS

DOCS = Path(__file__).resolve().parent.parent / "docs"
OPTIONS_PAGE = "options.md"
_INTRODUCTION = """\
# Options

Every option of a run, as `petcheck --help` lists them. In `petcheck.toml`, a setting in `[targets.NAME]` goes before
one in `[defaults]`, and the command line before both. `petcheck.check` and `petcheck.requirement_tests` take the
arguments in Python, and also `key`, `name`, `base_path` and `reports`. `make generated` writes this page from the
table in `src/petcheck/config/options.py`.
"""
_COMPLETED = {"FILE": shtab.FILE, "DIR": shtab.DIRECTORY, "RECORDING": shtab.FILE, "RUN": shtab.FILE, "A": shtab.FILE}
# a word without an option is a requirement or a command
_CHOICES: dict[str, list[str]] = {
    "ID": known_words(),
    "PLAN": list(PLANS),
    "SHELL": list(FILES),
    "COMMAND": list(COMMANDS),
    "FAULT": list(FAULTS),
    "VARIATION": list(VARIATIONS),
}


def files() -> dict[Path, str]:
    """The text of each file, by its path."""
    texts = {name: shtab.complete(_for_completion(), shell=shell) for shell, name in FILES.items() if shell != "zsh"}
    texts |= {FILES["zsh"]: _for_zsh(), MAN_PAGE: man_page()}
    return {FOLDER / name: text for name, text in texts.items()} | {DOCS / OPTIONS_PAGE: options_page()}


def whole_parser() -> argparse.ArgumentParser:
    """One parser for a run and all commands, which have a parser each."""
    whole = run_parser()
    commands = whole.add_subparsers(
        title="commands", metavar="COMMAND", prog=PROGRAM, parser_class=argparse.ArgumentParser
    )
    for name, text in COMMANDS.items():
        own = parser_of(name)
        commands.add_parser(
            name,
            help=text,
            usage=own.usage,
            description=own.description,
            epilog=own.epilog,
            parents=[own],
            add_help=False,
        )
    return whole


def options_page() -> str:
    """The page of the documentation that lists the options of a run."""
    lines = [_INTRODUCTION]
    for group, options in groupby(OPTIONS, lambda option: option.group):
        head = ["| option | in `petcheck.toml` | in Python | meaning |", "|---|---|---|---|"]
        lines += [f"## {group.capitalize()}\n", *head, *map(_row, options), ""]
    decide = ", ".join(f"`{option.flag}`" for option in OPTIONS if option.decides)
    text = f"Every recording holds these, because verdicts or reports need them: {decide}."
    lines += ["## In a recording\n", fill(text, 120, break_on_hyphens=False), ""]
    return "\n".join(lines)


def _row(option: Option) -> str:
    value = f"[={option.metavar}]" if option.optional_value else f" {option.metavar}" if option.metavar else ""
    tables = {Place.DEFAULTS: "`[defaults]`", Place.TARGET: "`[targets.NAME]`"}
    file = ", ".join(table for place, table in tables.items() if place in option.places)
    python = f"`{option.argument}`" if Place.PYTHON in option.places else ""
    return f"| `{option.flag}{value}` | {file} | {python} | {option.help} |"


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
