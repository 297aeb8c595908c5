"""The commands beside a run, and their parsers: what help, completion and the man page come from."""

from __future__ import annotations

from copy import deepcopy
from importlib import import_module

from petcheck.cli.parser import Parser

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


def parser_of(command: str) -> Parser:
    """The parser of a command, for the caller to change."""
    made: Parser = deepcopy(import_module(f"petcheck.cli.{command}").PARSER)
    return made
