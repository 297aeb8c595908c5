"""Everything that a run leaves in its folder, written in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path

from petcheck.exchange import Exchange
from petcheck.reports import atomic, badge, comparison, comparison_html, har, html, junit, summary
from petcheck.reports.comparable import Recorded
from petcheck.reports.result import FILE, Result, write
from petcheck.reports.visible import visible


def write_all(result: Result, exchanges: Sequence[Exchange], folder: Path) -> None:
    """Write result.json, exchanges.har, junit.xml, report.html, summary.md and the two badges into `folder`.

    Where several targets were tested, comparison.html too; one of an earlier run is removed where not.

    The folder is made if need be. Each file is replaced all at once. Where one cannot be written the others still are;
    then an ExceptionGroup is raised whose message names the missing ones and which holds what went wrong with each.
    Raises OSError where the folder cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    document = har.har(exchanges, version=result.suite.version, run=result.run)
    evidence = tuple(har.entries_by_index(document).values())
    writers: dict[str, Callable[[], object]] = {
        FILE: lambda: write(result, folder),
        har.FILE: lambda: har.write_har(document, folder),
        junit.FILE: lambda: atomic.replace(folder / junit.FILE, junit.junit(result)),
        html.FILE: lambda: atomic.replace(folder / html.FILE, html.render(result, evidence)),
        summary.FILE: lambda: atomic.replace(folder / summary.FILE, summary.render(result)),
        badge.SVG_FILE: lambda: atomic.replace(folder / badge.SVG_FILE, badge.svg(result)),
        badge.JSON_FILE: lambda: atomic.replace(folder / badge.JSON_FILE, badge.endpoint(result)),
        comparison.FILE: lambda: _compare(result, evidence, folder / comparison.FILE),
    }
    wrong: dict[str, Exception] = {}
    for name, writer in writers.items():
        try:
            writer()
        except Exception as error:  # one view's trouble must not cost the others
            wrong[name] = error
    if wrong:
        raise ExceptionGroup(f"not written into {folder}: {', '.join(wrong)}", list(wrong.values()))


def _compare(result: Result, evidence: tuple[har.Evidence, ...], path: Path) -> None:
    """Write the comparison of the run's targets, or why there is none. No trouble with it makes the run fail."""
    with suppress(OSError):
        if not comparison.follows(result):
            path.unlink(missing_ok=True)
            return
        try:
            run = Recorded(FILE, result, evidence)
            page = comparison_html.render(comparison.compare([run], leave_out=True))
        except Exception as error:
            why = escape(visible(f"{type(error).__name__}: {error}"))
            page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>No comparison</title><p>{why}</p>\n'
        atomic.replace(path, page)
