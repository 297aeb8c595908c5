"""`petcheck open`: shows the page of a folder of reports in the browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from petcheck.cli.parser import Parser
from petcheck.errors import ConfigError
from petcheck.sanitize import printable

_PAGES = ("report.html", "comparison.html", "history.html")

PARSER = Parser(
    "open",
    usage="petcheck open [DIR]",
    description="Show the report in the browser, and print where it is.",
)
PARSER.add_argument("folder", nargs="?", default="reports", metavar="DIR", help="a folder of reports (reports)")


def main(argv: list[str]) -> int:
    """Open the page; returns the exit code."""
    folder = Path(PARSER.parse(argv).folder)
    page = folder if folder.is_file() else next((folder / name for name in _PAGES if (folder / name).is_file()), None)
    if page is None:
        raise ConfigError(f"{printable(str(folder))} holds no {_PAGES[0]}; make a run first, or name its folder")
    print(printable(str(page)), flush=True)
    webbrowser.open(page.resolve().as_uri())
    return 0
