"""Where a command writes what it has to say: the screen, and the page that `-o` names."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from petcheck.cli.parser import COLOURS
from petcheck.errors import ConfigError, NotARun
from petcheck.results import atomic_write, proof, result
from petcheck.results.atomic_write import is_standard_output
from petcheck.results.manifest import read_manifest
from petcheck.sanitize import printable
from petcheck.stream import files, har

if TYPE_CHECKING:
    from petcheck.runner.written import Look


def page_of(output: str | None, default: str, *, json: bool) -> Path | None:
    """Where the page goes: `output`, what `-o` names; without it `default`, or with `json` nowhere (None).

    Raises ConfigError if both the page and the JSON would go to standard output.
    """
    if output is None:
        return None if json else Path(default)
    page = Path(output)
    if json and is_standard_output(page):
        raise ConfigError(f"-o {printable(output)} and --json both write to standard output; give -o a file")
    return page


def expect_no_input(page: Path, runs: Iterable[str], option: str = "-o") -> None:
    """Raise ConfigError if `page` belongs to a run that is read: a result.json, the folder of one, or another file.

    `option` names the page.
    """
    for run in map(Path, runs):
        folder = run if run.is_dir() else run.parent
        listed: Iterable[str] = ()
        with suppress(NotARun):
            listed = read_manifest(folder)["files"]
        names = (result.FILE, har.FILE, files.FILE, *proof.FILES, *listed)
        inputs = (run, *(folder / name for name in names))
        if os.path.realpath(page) in map(os.path.realpath, inputs):  # Path.resolve refuses a link to itself
            raise ConfigError(f"{printable(str(page))} is part of an input of the command; give {option} another file")


def address(report: Path, page: Path | None) -> str:
    """Where a page finds a report; without one, or on standard output, it is in the working folder."""
    start = Path() if page is None or is_standard_output(page) else page.parent
    return quote(os.fsencode(os.path.relpath(report, start)))


def look() -> Look:
    """How text for this screen looks."""
    decided = os.environ.get(COLOURS)
    if decided not in ("0", "1"):
        shown = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        decided = "0" if os.environ.get("NO_COLOR") else "1" if os.environ.get("FORCE_COLOR") or shown else "0"
    return {"width": shutil.get_terminal_size().columns, "colour": decided == "1"}


def deliver(page: Path | None, html: Callable[[], str], text: Callable[[], str], json: str | None) -> None:
    """Write the page, if there is one, and print `json` or else `text`, unless the page goes to standard output."""
    if page is not None:
        write_page(page, html())
    if json is not None:
        print(json)
    elif page is None or not is_standard_output(page):
        print(text())


def write_page(page: Path, text: str, advice: str = "give -o another file") -> None:
    """Write a page; raises ConfigError, with `advice`, if it cannot be written."""
    try:
        atomic_write.write(page, text)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and is_standard_output(page):
            raise
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{printable(str(page))} cannot be written ({printable(why)}); {advice}") from None
