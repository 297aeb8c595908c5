"""`petcheck requirements`: prints the catalogue, as a table for people or as JSON for programs."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from petcheck.cli.explain import notes
from petcheck.cli.parser import Parser
from petcheck.reports.text_lines import TextLines
from petcheck.spec.catalogue import Catalogue, Requirement, catalogue
from petcheck.spec.files import suite_file, suite_root
from petcheck.spec.sections import TITLES

_ID, _LEVEL = 20, 9
_MARGIN = _ID + _LEVEL + 4
_NARROW = 72  # columns; up to this width, each statement starts on its own line

PARSER = Parser("requirements", description="List the catalogue of requirements.")
PARSER.add_argument("--json", action="store_true", help="print JSON")


def main(argv: list[str]) -> int:
    """Print the catalogue; returns the exit code."""
    if PARSER.parse(argv).json:
        print(json.dumps(rows(catalogue()), indent=1))
        return 0
    # a pipe gets one line for each entry, since people search it by line
    wraps = sys.stdout.isatty() or "COLUMNS" in os.environ
    print(table(catalogue(), shutil.get_terminal_size().columns if wraps else None))
    return 0


def rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Each entry as a JSON object.

    `checks` is the file that judges or observes it, null if no check can; `untestable` says why. `from` is the first
    day on which it is in force and `until` the first on which it no longer is; null without a limit. `since` is the
    version that published it.
    """
    return [
        {
            "id": entry.id,
            "section": entry.section,
            "also": list(entry.also),
            "level": entry.level,
            "statement": entry.statement,
            "checks": check_file(entry),
            "untestable": entry.untestable,
            "from": entry.start.isoformat() if entry.start else None,
            "until": entry.until.isoformat() if entry.until else None,
            "since": entry.since,
        }
        for entry in catalogue.entries
    ]


def check_file(entry: Requirement) -> str | None:
    """The file of an entry's checks, of its section or of another section that also states it; None without checks."""
    if entry.untestable:
        return None
    files = [path for section in (entry.section, *entry.also) for path in _files(section)]
    named = (path for path in files if f'"{entry.id}"' in path.read_text(encoding="utf-8"))
    path = next(named, files[0])
    return str(path.relative_to(suite_root()))


def _files(section: str) -> list[Path]:
    return sorted(suite_file("checks").glob(f"test_{section.replace('.', '_')}_[a-z]*.py"))


def table(catalogue: Catalogue, width: int | None) -> str:
    """The catalogue by section, in lines of at most `width` columns; with None, each entry is one line."""
    page, section = TextLines(width or 0, colour=False), ""
    for entry in catalogue.entries:
        if width is None:
            head = f"{entry.id:<{_ID}} {entry.section:<4} {entry.level:<{_LEVEL}}"
            page.line(" ".join([head, entry.statement, *notes(entry), f"[{check_file(entry) or 'no check'}]"]))
            continue
        if entry.section != section:
            if section:
                page.blank()
            section = entry.section
            files = "".join(f" · {path.relative_to(suite_root())}" for path in _files(section))
            page.say(f"{section:<4} {TITLES[section]}{files}", "", "")
        head = f"  {entry.id:<{_ID}} {entry.level:<{_LEVEL}} "
        indent = " " * (4 if width <= _NARROW else _MARGIN)
        if width <= _NARROW:
            page.line(head.rstrip())
        page.say(entry.statement, indent if width <= _NARROW else head, indent)
        for note in notes(entry):
            page.say(note, indent)
    return str(page)
