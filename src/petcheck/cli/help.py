"""`petcheck help`: an overview on one screen, or the help of a command."""

from __future__ import annotations

from petcheck.cli.parser import COMMANDS, PROGRAM, Parser, parser_of
from petcheck.errors import ConfigError
from petcheck.words import did_you_mean

_EXAMPLES = (
    ("--target https://staging.example.com/v1", "judge a server; only reads"),
    ("--app shop.main:app --allow-writes", "judge a Python application"),
    ("explain LIST-4", "what a requirement means"),
)

PARSER = Parser("help", usage="petcheck help [COMMAND]", description="Show an overview, or the help of a command.")
PARSER.add_argument("command", nargs="?", metavar="COMMAND", help=f"run, {', '.join(COMMANDS)}")


def main(argv: list[str]) -> int:
    """Print help; returns the exit code."""
    options = PARSER.parse(argv)
    if options.command is None:
        print("\n".join(overview()))
    elif options.command in COMMANDS:
        parser_of(options.command).print_help()
    elif options.command == "run":
        from petcheck.cli.run import run_parser

        run_parser().print_help()
    else:
        hint = did_you_mean(options.command, [*COMMANDS, "run"], "`petcheck help` lists them")
        raise ConfigError(f"unknown command {options.command}; {hint}")
    return 0


def overview() -> list[str]:
    """Three examples, and every command in a line."""
    width = max(len(example) for example, _ in _EXAMPLES) + 2
    return [
        f"{PROGRAM} checks whether a server obeys the pet store service interface.",
        "",
        *(f"  {PROGRAM} {example:<{width}}{text}" for example, text in _EXAMPLES),
        "",
        "commands:",
        f"  {PROGRAM} {'[ID …] [options]':<18} judge a server (default: --self-test)",
        *(f"  {PROGRAM} {name:<18} {text}" for name, text in COMMANDS.items()),
        "",
        f"`{PROGRAM} --help` lists the options of a run, `{PROGRAM} help NAME` of a command.",
    ]
