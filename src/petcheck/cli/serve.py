"""`petcheck serve`: runs the reference server on loopback, to develop clients against."""

from __future__ import annotations

import os
from datetime import date

from petcheck.cli.parser import Parser, fail
from petcheck.config.keys import KEY_VARIABLE
from petcheck.spec.figures import BASE_SEGMENT, PLANS

# requests without a valid key in a window: a run sends some twenty, and the next ones should not have to wait
_KEYLESS = 600
_KEY = "reference-key-0123456789"

PARSER = Parser("serve", description="Serve the reference server on loopback.")
PARSER.add_argument("--plan", default="free", metavar="PLAN", help=f"the key's plan: {', '.join(PLANS)} (free)")
PARSER.add_argument("--port", type=int, default=8080, metavar="N", help="the port (8080); 0 picks a free one")
PARSER.add_argument(
    "--fault", action="append", default=[], metavar="NAME", help="break one rule; --list shows the names"
)
PARSER.add_argument(
    "--variation",
    action="append",
    default=[],
    metavar="NAME",
    help="be unusual, but conform; --list shows the names",
)
PARSER.add_argument("--window", type=float, default=60.0, metavar="S", help="seconds of a rate limit window (60)")
PARSER.add_argument("--animals", type=int, default=130, metavar="N", help="animals at the start (130)")
PARSER.add_argument("--as-of", metavar="YYYY-MM-DD", help="the server's date (today)")
PARSER.add_argument("--list", action="store_true", help="list the faults and variations")


def main(argv: list[str]) -> int:
    """Serve until a signal arrives; returns the exit code."""
    options = PARSER.parse(argv)
    if options.list:
        _print_names()
        return 0
    from petstore_reference.serve import serve
    from petstore_reference.server import ReferenceSettings, create_app

    own_key = os.environ.get(KEY_VARIABLE)
    try:
        app = create_app(
            ReferenceSettings(
                keys={own_key or _KEY: options.plan},
                window_seconds=options.window,
                anonymous_limit=_KEYLESS,
                animals=options.animals,
                as_of=date.fromisoformat(options.as_of) if options.as_of else None,
                faults=tuple(options.fault),
                variations=tuple(options.variation),
            )
        )
    except ValueError as error:
        fail(f"serve: {error}")
    key = f"the one in {KEY_VARIABLE}" if own_key else _KEY

    def announce(url: str) -> None:
        print(f"pet store on {url}/{BASE_SEGMENT} (key: {key}; plan: {options.plan}); stop it with Ctrl-C", flush=True)

    try:
        serve(app, port=options.port, announce=announce)
    except (OSError, OverflowError) as error:
        fail(f"serve: port {options.port} cannot be used ({error}); give --port another, or 0 for a free one")
    return 0


def _print_names() -> None:
    from petstore_reference.faults import FAULTS
    from petstore_reference.variations import VARIATIONS

    for title, rows in (("faults", FAULTS), ("variations", VARIATIONS)):
        print(title)
        for row in rows.values():
            print(f"  {row.name:40} {row.section:4} {row.summary}")
