"""The command `petcheck`: one pytest run over `checks/`, or one of the small commands beside it.

Nothing heavy is imported before it is needed; `petcheck --version` answers at once.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from petcheck import __version__

INTERRUPTED, BROKE, USAGE_ERROR = 2, 3, 4
BROKEN_PIPE = 141  # as a shell tells it
_PROGRAM = "petcheck"
# parts of pytest that no check uses, and that would cost a short run a quarter of its time
UNUSED_PARTS = (
    *("logging", "warnings", "doctest", "unittest", "threadexception", "unraisableexception", "faulthandler"),
    *("junitxml", "pastebin", "stepwise", "setuponly", "setupplan", "recwarn"),
)


def _number(text: str) -> str:
    """A number for pytest, which would refuse another one in several lines."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text}: not a whole number of 0 or more")
    return text


def _processes(text: str) -> str:
    return text if text in ("auto", "logical") else _number(text)


def _style(text: str) -> str:
    styles = ("auto", "long", "short", "no", "line", "native")
    if text not in styles:
        raise argparse.ArgumentTypeError(f"{text}: there are {', '.join(styles)}")
    return text


_PASSED_TO_PYTEST = (
    ("-k", "EXPRESSION", "only checks whose names match", str),
    ("-m", "EXPRESSION", "only checks whose markers match", str),
    ("-n", "N", "processes; each target stays in one", _processes),
    ("--maxfail", "N", "stop after that many failed checks", _number),
    ("--tb", "STYLE", "pytest's tracebacks of failed checks", _style),
    ("--durations", "N", "the slowest checks", _number),
)
_FLAGS_PASSED_TO_PYTEST = (
    (("-x", "--exitfirst"), "stop at the first failed check"),
    (("-q", "--quiet"), "one line: the verdict, the counts, where the report is"),
    (("-v", "--verbose"), "pytest's own report as well, check by check"),
    (("-s",), "do not capture output"),
    (("-l", "--showlocals"), "local variables in tracebacks"),
    (("--collect-only", "--co"), "list the checks, run none"),
)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, with the nearest known option."""

    def error(self, message: str) -> NoReturn:
        _fail(message)

    def unknown(self, arguments: Sequence[str]) -> NoReturn:
        wrong = next((argument for argument in arguments if argument.startswith("-")), arguments[0])
        known = [flag for action in self._actions for flag in action.option_strings]
        near = difflib.get_close_matches(wrong.partition("=")[0], known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"`{_PROGRAM} --help` lists what there is"
        # what stands behind the sign may be a key
        _fail(f"unknown {'option' if wrong.startswith('-') else 'argument'} {wrong.partition('=')[0]}; {hint}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    try:
        code = _command(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:  # a second one, while the first was seen to
        return INTERRUPTED
    return code


def _command(argv: list[str]) -> int:
    if argv[:1] == ["--version"]:
        print(f"{_PROGRAM} {__version__}")
        return 0
    commands = {"serve": _serve, "requirements": _requirements, "compare": _compare}
    if argv and argv[0] in commands:
        return commands[argv[0]](argv[1:])
    if argv and not argv[0].startswith("-") and "/" not in argv[0] and ".py" not in argv[0]:
        near = difflib.get_close_matches(argv[0], commands, n=1)
        hint = f"did you mean {near[0]}?" if near else "a target is given with --target URL"
        _fail(f"unknown command{' ' + argv[0] if near else ''}; {hint}")
    try:
        return _judge(argv)
    except KeyboardInterrupt:  # before or after what pytest looks after
        print(f"{_PROGRAM}: interrupted", file=sys.stderr)
        return INTERRUPTED


def _fail(message: str) -> NoReturn:
    from petcheck.environment import without_keys
    from petcheck.values import ConfigError

    print(f"{_PROGRAM}: {without_keys(str(ConfigError(message)), os.environ)}", file=sys.stderr)
    raise SystemExit(USAGE_ERROR)


# ---- judge


def _judge(argv: list[str]) -> int:
    from petcheck import interruption

    interruption.heed()
    from petcheck.config import configure, utc_today
    from petcheck.options import OPTIONS
    from petcheck.values import ConfigError

    parser = _Parser(
        prog=_PROGRAM,
        allow_abbrev=False,
        usage="petcheck [options]                 judge a server; without --target or --app the embedded one\n"
        "       petcheck serve [options]           serve the reference server\n"
        "       petcheck requirements [--json]     list what is judged\n"
        "       petcheck compare A B [C …]         what differs between runs made earlier",
        epilog="Exit: 0 nothing fails, 1 something does, 2 interrupted, 3 the suite broke, 4 usage, "
        "5 nothing selected, 6 the target could not be tested, 7 --strict and something is unsettled.",
    )
    parser.add_argument("--version", action="version", version=f"{_PROGRAM} {__version__}")
    for option in OPTIONS:
        settings = option.settings()
        settings["help"] = settings["help"].replace("%", "%%")
        parser.add_argument(option.flag, **settings)
    for flag, metavar, text, read in _PASSED_TO_PYTEST:
        parser.add_argument(flag, metavar=metavar, help=text, type=read)
    for flags, text in _FLAGS_PASSED_TO_PYTEST:
        parser.add_argument(*flags, action="count", help=text)
    known, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.unknown(unknown)
    options = {option.flag[2:]: getattr(known, option.dest) for option in OPTIONS}
    try:
        config = configure(options, os.environ, today=utc_today(), seed=1)
        if config.app:
            from petcheck.environment import app_key
            from petcheck.session import load_app

            app_key(os.environ)
            load_app(config.app)
        if not (config.dry_run or known.collect_only):
            from petcheck.ending import claimed

            # the run itself takes it again; here the refusal is our one line
            claimed(config.reports).release()
    except ConfigError as error:
        _fail(str(error))
    return _run_pytest(argv, parallel=known.n is not None)


def _run_pytest(argv: list[str], *, parallel: bool) -> int:
    """The checks under pytest, whatever else is installed beside it or lies about in the user's folder."""
    from petcheck.suite_files import suite_root

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(variable, None)
    import pytest

    root = suite_root()
    plugins = [
        "petcheck.plugin",
        "pytest_metadata.plugin",
        "pytest_html.plugin",
        *(["xdist.plugin"] if parallel else []),
    ]
    own = ["-c", str(_ini()), "--rootdir", str(root), "-p", "no:cacheprovider"]
    for name in [*plugins, *(f"no:{part}" for part in UNUSED_PARTS)]:
        own += ["-p", name]
    try:
        return int(pytest.main([*own, str(root / "checks"), *argv]))
    except Exception as error:
        # what is wrong may hold anything, the key too; what the disk says does not
        place = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        print(f"{_PROGRAM}: the suite broke outside of the checks ({type(error).__name__}{place})", file=sys.stderr)
        return BROKE


def _ini() -> str:
    from pathlib import Path

    return str(Path(__file__).with_name("checks.toml"))


# ---- serve


def _serve(argv: list[str]) -> int:
    from petcheck.judging.interface import PLANS

    parser = _Parser(
        prog=f"{_PROGRAM} serve", allow_abbrev=False, description="Serve the reference server on loopback."
    )
    parser.add_argument("--plan", default="free", metavar="PLAN", help=f"the key's plan: {', '.join(PLANS)}")
    parser.add_argument("--port", type=int, default=8080, metavar="N", help="0 takes a free one")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME", help="break it in that one way")
    parser.add_argument("--variation", action="append", default=[], metavar="NAME", help="use that freedom")
    parser.add_argument("--window", type=float, default=60.0, metavar="S", help="seconds in its minute")
    parser.add_argument("--animals", type=int, default=130, metavar="N", help="animals at the start")
    parser.add_argument("--as-of", metavar="YYYY-MM-DD", help="the day that it takes for today")
    parser.add_argument("--list", action="store_true", help="list the faults and variations")
    known, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.unknown(unknown)
    if known.list:
        return _list_faults()
    from datetime import date

    from petcheck.reference.serve import serve
    from petcheck.reference.server import ReferenceSettings, create_app

    key = os.environ.get("PETSTORE_API_KEY") or "reference-key-0123456789"
    try:
        app = create_app(
            ReferenceSettings(
                keys={key: known.plan},
                window_seconds=known.window,
                animals=known.animals,
                as_of=date.fromisoformat(known.as_of) if known.as_of else None,
                faults=tuple(known.fault),
                variations=tuple(known.variation),
            )
        )
    except ValueError as error:
        _fail(f"serve: {error}")
    told = "the one in PETSTORE_API_KEY" if os.environ.get("PETSTORE_API_KEY") else key

    def announce(url: str) -> None:
        print(f"pet store on {url}/v1 (key: {told}; plan: {known.plan}); stop it with Ctrl-C", flush=True)

    try:
        serve(app, port=known.port, announce=announce)
    except (OSError, OverflowError) as error:
        _fail(f"serve: port {known.port} cannot be had ({error}); give --port another, or 0 for a free one")
    return 0


def _list_faults() -> int:
    from petcheck.reference.faults import FAULTS
    from petcheck.reference.variations import VARIATIONS

    for title, rows in (("faults", FAULTS), ("variations", VARIATIONS)):
        print(title)
        for row in rows.values():
            print(f"  {row.name:40} {row.section:4} {row.summary}")
    return 0


# ---- requirements


def _requirements(argv: list[str]) -> int:
    import json
    import shutil

    from petcheck import listing
    from petcheck.judging.catalogue import catalogue

    parser = _Parser(
        prog=f"{_PROGRAM} requirements", allow_abbrev=False, description="List the catalogue of requirements."
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    known, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.unknown(unknown)
    if known.json:
        print(json.dumps(listing.rows(catalogue()), indent=1))
        return 0
    # what goes into a pipe is searched by the line
    wraps = sys.stdout.isatty() or "COLUMNS" in os.environ
    print("\n".join(listing.table(catalogue(), shutil.get_terminal_size().columns if wraps else None)))
    return 0


# ---- compare


def _compare(argv: list[str]) -> int:
    from pathlib import Path

    parser = _Parser(
        prog=f"{_PROGRAM} compare",
        allow_abbrev=False,
        usage="petcheck compare A/result.json B/result.json [C …] [-o comparison.html] [--json]",
        description="Compare runs that were made at different times or places: where verdicts differ, where behaviour "
        "does, what is equal. Each result.json needs its exchanges.har beside it.",
        epilog="Exit: 0 equal, 1 different, 4 not comparable.",
    )
    parser.add_argument("runs", nargs="*", metavar="RUN", help="a result.json, or the folder that holds one")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the page (comparison.html)")
    parser.add_argument(
        "--json", action="store_true", help="print the comparison as JSON; a page is written with -o only"
    )
    known, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.unknown(unknown)
    if not known.runs:
        _fail("compare: name the runs: petcheck compare A/result.json B/result.json")
    from petcheck.reports import atomic, comparison, comparison_html, comparison_text
    from petcheck.reports.comparable import NotComparable
    from petcheck.reports.recorded import read_run
    from petcheck.reports.visible import visible

    try:
        compared = comparison.compare([read_run(Path(run)) for run in known.runs])
    except NotComparable as error:
        _fail(f"compare: {error}")
    page = known.output or (None if known.json else comparison.FILE)
    if page is not None and Path(page).resolve() in {Path(run).resolve() for run in known.runs}:
        _fail(f"compare: {visible(page)} is what is compared; give -o another")
    if page is not None:
        try:
            atomic.replace(Path(page), comparison_html.render(compared))
        except (OSError, ValueError) as error:
            _fail(f"compare: {visible(page)} cannot be written ({visible(str(error))}); give -o another")
    if known.json:
        from petcheck.reports.comparison_json import text

        print(text(compared))
    else:
        width, colour = _terminal()
        print(comparison_text.render(compared, width=width, colour=colour, page=str(page)))
    return 1 if compared.different else 0


def _terminal() -> tuple[int, bool]:
    """The width of the terminal in columns, and whether it shows colours."""
    import shutil

    return shutil.get_terminal_size().columns, sys.stdout.isatty() and not os.environ.get("NO_COLOR")


if __name__ == "__main__":
    sys.exit(main())
