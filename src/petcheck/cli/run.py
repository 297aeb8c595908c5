"""`petcheck` without a command: judges a server in one pytest run over `checks/`."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from petcheck.cli.parser import COLOUR_FLAGS, PROGRAM, Parser, output_lost
from petcheck.config.choice import words_in
from petcheck.config.load import configure, drawn_seed, expect_no_key_in_arguments, utc_today
from petcheck.config.options import ALLOWED, CHOSEN, JUDGED, OPTIONS, WRITTEN, arguments_of, given_options
from petcheck.config.resolve import in_ci
from petcheck.config.targets import EVERY_TARGET
from petcheck.errors import ConfigError
from petcheck.spec.files import pytest_settings, suite_root
from petcheck.spec.outcomes import Exit
from petcheck.spec.version import VERSION

if TYPE_CHECKING:
    from petcheck.runner.start import Prepared

# parts of pytest that no check uses, and that take a quarter of the time of a short run
_UNUSED_PARTS = (
    *("logging", "warnings", "doctest", "unittest", "threadexception", "unraisableexception", "faulthandler"),
    *("junitxml", "pastebin", "stepwise", "setuponly", "setupplan", "recwarn"),
)
_BY_PROCESSORS = ("auto", "logical")


def main(argv: list[str]) -> int:
    """Run the checks; returns the exit code."""
    gc.disable()  # until the checks begin: a start makes many objects and no garbage
    try:
        return _run(argv)
    finally:
        gc.enable()


def _run(argv: list[str]) -> int:
    options = read_options(argv)
    config = configure(given_options(options), os.environ, today=utc_today(), seed=drawn_seed())
    expect_no_key_in_arguments(argv, os.environ)
    from petcheck.runner.start import prepare, run_checks, runs_in_parts

    prepared = prepare(config, writes_reports=not options.collect_only)
    if runs_in_parts(config) and not options.collect_only:
        return _judge_fleet(prepared, options)
    plugins = ["xdist.plugin"] if options.n is not None else []
    if (len(config.targets) == 1 and not options.collect_only) or options.html is not None:
        plugins += ["pytest_metadata.plugin", "pytest_html.plugin"]
    try:
        return run_checks(prepared, [*pytest_options(plugins), *passed_on(options)])
    except Exception as error:
        if isinstance(error, OSError) and output_lost():
            raise
        # the message may contain the key; the reason of a disk error does not
        place = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        print(f"{PROGRAM}: the suite broke outside of the checks ({type(error).__name__}{place})", file=sys.stderr)
        return int(Exit.BROKE)


def _judge_fleet(prepared: Prepared, options: argparse.Namespace) -> int:
    """Judge many targets; returns the exit code."""
    from petcheck.cli.output import look
    from petcheck.runner.dry_run import forecasts
    from petcheck.runner.fleet import run_fleet
    from petcheck.runner.progress import Announcer
    from petcheck.runner.written import show

    config, quiet, expected = prepared.config, bool(options.quiet), forecasts(prepared.config)
    if config.waiver_update is not None:
        raise ConfigError("--update-waivers takes at most 4 targets and no shard; name the targets with --target")
    if config.dry_run:
        from petcheck.runner.shown_plan import dry_run

        print(*dry_run(expected), sep="\n")
        return int(Exit.HOLDS)
    failing = int(options.maxfail) if options.maxfail else 1 if options.exitfirst else None
    # these are about the whole run, and not about the run of each target
    alone = argparse.Namespace(**vars(options) | {"n": None, "maxfail": None, "exitfirst": None, "quiet": None})
    watched = not quiet and not in_ci(os.environ) and os.environ.get("TERM") != "dumb"
    budget = sum(forecast.requests_in_all for forecast in expected)
    announcer = Announcer(None if quiet else sys.stdout, live=watched, budget=budget, unit="targets")
    given = [*pytest_options(), *passed_on(alone)]
    workers = os.cpu_count() or 1 if options.n in _BY_PROCESSORS else max(int(options.n or 1), 1)
    end = run_fleet(prepared, given, announcer, processes=workers, most_failing=failing)
    show(end, str(config.given.get("reports", config.reports)), look(), quiet=quiet)
    return end.code


def read_options(argv: Sequence[str]) -> argparse.Namespace:
    """The options of a run; its words are among them as `--choose`. Exits, or raises ConfigError, if one is unknown."""
    # argparse would take the word after an option with an optional value for its value
    bare = {option.flag: f"{option.flag}={EVERY_TARGET}" for option in OPTIONS if option.optional_value}
    options = run_parser().parse([bare.get(argument, argument) for argument in argv])
    for word in options.words:
        if "://" not in word and ("/" in word or ".py" in word):
            raise ConfigError(f"unknown argument {word}; choose checks by name with -k")
    words = [*options.words, *((options.k and words_in(options.k)) or ())]
    if words[len(options.words) :]:
        options.k = None
    options.petcheck_choose = [*(options.petcheck_choose or ()), *words] or None
    return options


def passed_on(options: argparse.Namespace) -> list[str]:
    """The options of a run as arguments for pytest: a value is in the same argument as its flag."""
    given = arguments_of(given_options(options))
    for flag, *_ in _PASSED_TO_PYTEST:
        value = getattr(options, _dest([flag]))
        if value is not None:
            given += [f"{flag}={value}"] if flag.startswith("--") else [f"{flag}{value}"]
    for flags, _ in _FLAGS_PASSED_TO_PYTEST:
        given += [flags[0]] * (getattr(options, _dest(flags)) or 0)
    return given


def _dest(flags: Sequence[str]) -> str:
    """The attribute under which argparse stores a flag: its first long name."""
    return next((flag for flag in flags if flag.startswith("--")), flags[0]).strip("-").replace("-", "_")


def pytest_options(plugins: Iterable[str] = ()) -> list[str]:
    """The pytest options that run the checks with our plugin and these plugins, and no other installed plugin."""
    root = suite_root()
    options = ["-c", str(pytest_settings()), "--rootdir", str(root), "-p", "no:cacheprovider"]
    for name in ("petcheck.runner.plugin", *plugins, *(f"no:{part}" for part in _UNUSED_PARTS)):
        options += ["-p", name]
    return [*options, str(root / "checks")]


def _expression(text: str) -> str:
    """An expression that pytest can read; its own error has another form than ours."""
    from _pytest.mark.expression import Expression

    try:
        Expression.compile(text)
    except Exception as error:
        raise argparse.ArgumentTypeError(f"{text}: cannot be read ({error}); write it as NAME or not NAME") from None
    return text


def _whole_number(text: str) -> str:
    """A number that pytest accepts; pytest refuses any other with an error of several lines."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text}: must be a whole number, 0 or more")
    return text


def _processes(text: str) -> str:
    return text if text in _BY_PROCESSORS else _whole_number(text)


def _file(text: str) -> str:
    """A file that can be written, as far as is known: pytest-html finds out only when it breaks."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: is a folder; name a file")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: its folder does not exist; create it first")
    return text


def _style(text: str) -> str:
    styles = ("auto", "long", "short", "no", "line", "native")
    if text not in styles:
        raise argparse.ArgumentTypeError(f"{text}: must be one of {', '.join(styles)}")
    return text


_PASSED_TO_PYTEST = (
    ("-k", "EXPRESSION", "only checks whose names match, or ids", _expression),
    ("-m", "EXPRESSION", "only checks whose markers match", _expression),
    ("-n", "N", "use N processes; each target stays in one", _processes),
    ("--maxfail", "N", "stop after N failed checks", _whole_number),
    ("--tb", "STYLE", "style of pytest's tracebacks of failed checks", _style),
    ("--html", "FILE", "pytest's own page of the run", _file),
    ("--durations", "N", "list the N slowest checks", _whole_number),
)
_FLAGS_PASSED_TO_PYTEST = (
    (("-x", "--exitfirst"), "stop at the first failed check"),
    (("-q", "--quiet"), "one line: verdict, counts, where the report is"),
    (("-v", "--verbose"), "also show pytest's own report"),
    (("-s",), "show output of the checks at once"),
    (("-l", "--showlocals"), "show local variables in tracebacks"),
    (("--collect-only", "--co"), "list the checks, run none"),
)
_PYTEST = "pytest's own"
_USAGE = "petcheck [ID …] [options]"
_DESCRIPTION = """\
  petcheck --target https://staging.example.com/v1    judge a server; only reads
  petcheck --app shop.main:app --allow-writes         judge a Python application
  petcheck CREATE-5 AUTH 4.2 --target URL             only these requirements

Checks whether a server obeys the pet store service interface. Without a target,
petcheck tests itself, except in CI and beside a petcheck.toml: there, that
takes --self-test. `petcheck help` lists the other commands."""
_EPILOG = """\
exit: 0 nothing fails, 1 something fails or a waiver is stale or expired,
      2 interrupted, 3 the suite broke, 4 usage or configuration error,
      5 nothing was selected or examined, 6 the target could not be tested,
      7 --strict or --min-examined: too little was examined"""


def run_parser() -> Parser:
    """The options of a run: petcheck's own, and those of pytest that are passed on."""
    parser = Parser(usage=_USAGE, description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("words", nargs="*", metavar="ID", help="only these requirements, groups or sections")
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {VERSION}", help="print the version")
    for flag in COLOUR_FLAGS:
        parser.add_argument(flag, action="store_true", help=f"{'no ' * ('no' in flag)}colours; any command takes this")
    groups = {title: parser.add_argument_group(title) for title in (CHOSEN, ALLOWED, JUDGED, WRITTEN, _PYTEST)}
    for option in OPTIONS:
        groups[option.group].add_argument(option.flag, **option.settings())
    for flag, metavar, text, read in _PASSED_TO_PYTEST:
        groups[_PYTEST].add_argument(flag, metavar=metavar, help=text, type=read)
    for flags, text in _FLAGS_PASSED_TO_PYTEST:
        groups[_PYTEST].add_argument(*flags, action="count", help=text)
    return parser
