"""Everything that a run leaves in its folder, written in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from petcheck.exchange import Exchange
from petcheck.reports import atomic, badge, har, html, junit, summary
from petcheck.reports.result import FILE, Result, write


def write_all(result: Result, exchanges: Sequence[Exchange], folder: Path) -> None:
    """Write result.json, exchanges.har, junit.xml, report.html, summary.md and the two badges into `folder`.

    The folder is made if need be. Each file is replaced all at once. Where one cannot be written the others still are;
    then an ExceptionGroup is raised whose message names the missing ones and which holds what went wrong with each.
    Raises OSError where the folder cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    document = har.har(exchanges, version=result.suite.version)
    evidence = tuple(har.entries_by_index(document).values())
    writers: dict[str, Callable[[], object]] = {
        FILE: lambda: write(result, folder),
        har.FILE: lambda: har.write_har(document, folder),
        junit.FILE: lambda: atomic.replace(folder / junit.FILE, junit.junit(result)),
        html.FILE: lambda: atomic.replace(folder / html.FILE, html.render(result, evidence)),
        summary.FILE: lambda: atomic.replace(folder / summary.FILE, summary.render(result)),
        badge.SVG_FILE: lambda: atomic.replace(folder / badge.SVG_FILE, badge.svg(result)),
        badge.JSON_FILE: lambda: atomic.replace(folder / badge.JSON_FILE, badge.endpoint(result)),
    }
    wrong: dict[str, Exception] = {}
    for name, writer in writers.items():
        try:
            writer()
        except Exception as error:  # one view's trouble must not cost the others
            wrong[name] = error
    if wrong:
        raise ExceptionGroup(f"not written into {folder}: {', '.join(wrong)}", list(wrong.values()))
