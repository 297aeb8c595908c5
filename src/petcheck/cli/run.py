"""`petcheck` without a command: judges a server in one pytest run over `checks/`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from petcheck import __version__
from petcheck.cli.parser import PROGRAM, Parser, fail
from petcheck.config.load import configure, drawn_seed, utc_today
from petcheck.config.options import OPTIONS, given_options
from petcheck.errors import ConfigError
from petcheck.spec.files import pytest_settings, suite_root
from petcheck.spec.outcomes import Exit

if TYPE_CHECKING:
    from petcheck.runner.start import Prepared

# parts of pytest that no check uses, and that take a quarter of the time of a short run
_UNUSED_PARTS = (
    *("logging", "warnings", "doctest", "unittest", "threadexception", "unraisableexception", "faulthandler"),
    *("junitxml", "pastebin", "stepwise", "setuponly", "setupplan", "recwarn"),
)


def main(argv: list[str]) -> int:
    """Run the checks; returns the exit code."""
    options = run_parser().parse(argv)
    try:
        config = configure(given_options(options), os.environ, today=utc_today(), seed=drawn_seed())
        from petcheck.runner.start import in_parts, prepare

        prepared = prepare(config, writes_reports=not options.collect_only)
    except ConfigError as error:
        fail(str(error))
    if in_parts(config) and not options.collect_only:
        return _judge_fleet(prepared, options)
    plugins = ["pytest_metadata.plugin", "pytest_html.plugin", *(["xdist.plugin"] if options.n is not None else [])]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(variable, None)
    import pytest

    try:
        return int(pytest.main([*pytest_options(plugins), *argv], plugins=[prepared]))
    except BrokenPipeError:  # the reader of the output is gone
        raise
    except Exception as error:
        # the message may contain the key; the reason of a disk error does not
        place = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        print(f"{PROGRAM}: the suite broke outside of the checks ({type(error).__name__}{place})", file=sys.stderr)
        return int(Exit.BROKE)


def _judge_fleet(prepared: Prepared, options: argparse.Namespace) -> int:
    """Judge many targets; returns the exit code."""
    from petcheck.cli import fleet

    if prepared.config.dry_run:
        return fleet.forecast(prepared.config)
    passed_on = [
        word for flag, value in _passed_on(options) if flag not in _OF_THE_WHOLE_RUN for word in (flag, *value)
    ]
    failing = int(options.maxfail) if options.maxfail else 1 if options.exitfirst else None
    return fleet.judge(
        prepared,
        [*pytest_options(), *passed_on],
        processes=_workers(options.n),
        quiet=bool(options.quiet),
        failing=failing,
    )


_OF_THE_WHOLE_RUN = ("-n", "--maxfail", "-x", "-q")


def _passed_on(options: argparse.Namespace) -> Iterable[tuple[str, list[str]]]:
    """The options of pytest that were given, each with its value if it has one."""
    for flag, *_ in _PASSED_TO_PYTEST:
        value = getattr(options, flag.lstrip("-"))
        if value is not None:
            yield flag, [value]
    for flags, _ in _FLAGS_PASSED_TO_PYTEST:
        if getattr(options, flags[-1].lstrip("-").replace("-", "_"), None):
            yield flags[0], []


def _workers(given: str | None) -> int:
    if given in ("auto", "logical"):
        return os.cpu_count() or 1
    return max(int(given or 1), 1)


def pytest_options(plugins: Iterable[str] = ()) -> list[str]:
    """The pytest options that run the checks with our plugin and these plugins, and no other installed plugin."""
    root = suite_root()
    options = ["-c", str(pytest_settings()), "--rootdir", str(root), "-p", "no:cacheprovider"]
    for name in ("petcheck.runner.plugin", *plugins, *(f"no:{part}" for part in _UNUSED_PARTS)):
        options += ["-p", name]
    return [*options, str(root / "checks")]


def _whole_number(text: str) -> str:
    """A number that pytest accepts; pytest refuses any other with an error of several lines."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text}: not a whole number of 0 or more")
    return text


def _processes(text: str) -> str:
    return text if text in ("auto", "logical") else _whole_number(text)


def _style(text: str) -> str:
    styles = ("auto", "long", "short", "no", "line", "native")
    if text not in styles:
        raise argparse.ArgumentTypeError(f"{text}: must be one of {', '.join(styles)}")
    return text


_PASSED_TO_PYTEST = (
    ("-k", "EXPRESSION", "only checks whose names match", str),
    ("-m", "EXPRESSION", "only checks whose markers match", str),
    ("-n", "N", "processes; each target stays in one", _processes),
    ("--maxfail", "N", "stop after that many failed checks", _whole_number),
    ("--tb", "STYLE", "pytest's tracebacks of failed checks", _style),
    ("--durations", "N", "the slowest checks", _whole_number),
)
_FLAGS_PASSED_TO_PYTEST = (
    (("-x", "--exitfirst"), "stop at the first failed check"),
    (("-q", "--quiet"), "one line: the verdict, the counts, where the report is"),
    (("-v", "--verbose"), "pytest's own report as well, check by check"),
    (("-s",), "do not capture output"),
    (("-l", "--showlocals"), "local variables in tracebacks"),
    (("--collect-only", "--co"), "list the checks, run none"),
)


def run_parser() -> Parser:
    """The options of a run: petcheck's own, and those of pytest that are passed on."""
    parser = Parser(
        usage="petcheck [options]                 judge a server; without --target or --app the embedded one\n"
        "       petcheck serve [options]           serve the reference server\n"
        "       petcheck requirements [--json]     list what is judged\n"
        "       petcheck compare A B [C …]         show what differs between earlier runs\n"
        "       petcheck judge RECORDING…          judge recorded traffic; sends nothing\n"
        "       petcheck verify DIR                show whether a folder proves what it says\n"
        "       petcheck merge DIR… [-o DIR]       join the reports of several runs, as of shards",
        epilog="Exit: 0 nothing fails, 1 something fails, 2 interrupted, 3 the suite broke, 4 usage, "
        "5 nothing selected, 6 the target could not be tested, 7 --strict and something is unsettled.",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    for option in OPTIONS:
        settings = option.settings()
        settings["help"] = settings["help"].replace("%", "%%")
        parser.add_argument(option.flag, **settings)
    for flag, metavar, text, read in _PASSED_TO_PYTEST:
        parser.add_argument(flag, metavar=metavar, help=text, type=read)
    for flags, text in _FLAGS_PASSED_TO_PYTEST:
        parser.add_argument(*flags, action="count", help=text)
    return parser
