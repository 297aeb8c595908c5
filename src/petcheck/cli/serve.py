"""`petcheck serve`: runs the reference server on loopback, to develop clients against."""

from __future__ import annotations

import os
import sys
from datetime import datetime

from petcheck.cli.parser import Parser
from petcheck.config import values
from petcheck.config.keys import KEY_VARIABLE
from petcheck.errors import ConfigError
from petcheck.spec.figures import BASE_SEGMENT, PLANS

# requests without a valid key in a window: a run sends some twenty, and the next ones should not have to wait
_KEYLESS = 600
_PLAN = "business"  # on a smaller one, the third run of a minute would wait
_KEY = "reference-key-0123456789"
_MOST_ANIMALS = 50_000  # they are there within a second

PARSER = Parser("serve", description="Serve the reference server on loopback.")
PARSER.add_argument("--plan", default=_PLAN, metavar="PLAN", help=f"the key's plan: {', '.join(PLANS)} ({_PLAN})")
PARSER.add_argument("--port", type=int, default=8080, metavar="N", help="the port (8080); 0 picks a free one")
PARSER.add_argument(
    "--fault", action="append", default=[], metavar="FAULT", help="break one rule; --list shows the names"
)
PARSER.add_argument(
    "--variation",
    action="append",
    default=[],
    metavar="VARIATION",
    help="be unusual, but conform; --list shows the names",
)
PARSER.add_argument("--window", type=float, default=60.0, metavar="S", help="seconds of a rate limit window (60)")
PARSER.add_argument("--animals", type=int, default=130, metavar="N", help="animals at the start (130)")
PARSER.add_argument("--as-of", metavar="YYYY-MM-DD", help="the server's date (today)")
PARSER.add_argument("--quiet", "-q", action="store_true", help="print no line for each request")
PARSER.add_argument(
    "--list", nargs="?", const="", metavar="WORD", help="list the faults and variations, or those about a word"
)


def main(argv: list[str]) -> int:
    """Serve until a signal arrives; returns the exit code."""
    options = PARSER.parse(argv)
    if options.list is not None:
        _print_names(options.list)
        return 0
    values.seconds(options.window, "--window")
    values.whole_number(options.animals, "--animals", least=0, most=_MOST_ANIMALS)
    if options.plan not in PLANS:
        raise ConfigError(f"--plan {options.plan}: must be one of {', '.join(PLANS)}")
    from petstore_reference.serve import serve
    from petstore_reference.server import ReferenceSettings, create_app

    own_key = os.environ.get(KEY_VARIABLE)
    as_of = values.iso_date(options.as_of, "--as-of") if options.as_of else None
    try:
        app = create_app(
            ReferenceSettings(
                keys={own_key or _KEY: options.plan},
                window_seconds=options.window,
                anonymous_limit=_KEYLESS,
                animals=options.animals,
                as_of=as_of,
                faults=tuple(options.fault),
                variations=tuple(options.variation),
            )
        )
    except ValueError as error:
        end = "" if str(error).endswith("?") else ";"
        raise ConfigError(f"{error}{end} `petcheck serve --list` lists all, `--list WORD` those about a word") from None
    key = f"the one in {KEY_VARIABLE}" if own_key else _KEY

    def announce(url: str) -> None:
        print(f"pet store on {url}/{BASE_SEGMENT} (key: {key}; plan: {options.plan}); stop it with Ctrl-C", flush=True)

    try:
        serve(app, port=options.port, announce=announce, log=None if options.quiet else _log)
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"port {options.port} cannot be used ({error}); give --port another, or 0 for a free one"
        ) from None
    return 0


def _log(line: str) -> None:
    print(f"{datetime.now():%H:%M:%S} {line}", file=sys.stderr, flush=True)


def _print_names(word: str) -> None:
    """List the faults and variations whose name, section or summary has a word in it."""
    from petstore_reference.faults import KINDS
    from petstore_reference.variations import VARIATIONS

    found = 0
    for title, rows in (*KINDS.items(), ("variations", VARIATIONS)):
        lines = [f"  {row.name:40} {row.section:4} {row.summary}" for row in rows.values()]
        lines = [line for line in lines if word.lower() in line.lower()]
        found += len(lines)
        print(*([title, *lines] if lines else []), sep="\n", end="\n" if lines else "")
    if not found:
        raise ConfigError(f"no fault and no variation is about {word!r}; `petcheck serve --list` lists all")
