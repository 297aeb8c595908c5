"""Everything that a run leaves in its folder, written in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path

from petcheck.exchange import Exchange
from petcheck.reports import atomic, badge, comparison, comparison_html, har, html, junit, summary
from petcheck.reports.comparable import Recorded
from petcheck.reports.result import FILE, Result, write
from petcheck.reports.visible import FIELD_LIMIT, visible


class NotWritten(Exception):
    """Some files could not be written; the message, one line, names them, their folder and why. `errors` by file."""

    def __init__(self, folder: Path, errors: Mapping[str, Exception]) -> None:
        self.errors = dict(errors)
        reasons = "; ".join(dict.fromkeys(_reason(error) for error in self.errors.values()))
        super().__init__(visible(f"not written into {folder}: {', '.join(self.errors)} ({reasons})", 2 * FIELD_LIMIT))


def write_all(result: Result, exchanges: Sequence[Exchange], folder: Path) -> None:
    """Write result.json, exchanges.har, junit.xml, report.html, summary.md and the two badges into `folder`.

    Where several targets were tested, comparison.html too; one of an earlier run is removed where not.

    The folder is made if need be. Each file is replaced all at once. Where one cannot be written the others still are,
    and then `NotWritten` is raised.
    """
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
    with suppress(OSError):  # which the files will meet as well
        folder.mkdir(parents=True, exist_ok=True)
    wrong: dict[str, Exception] = {}
    for name, writer in writers.items():
        try:
            writer()
        except Exception as error:  # one view's trouble must not cost the others
            wrong[name] = error
    if wrong:
        raise NotWritten(folder, wrong)


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


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or f"{type(error).__name__}: {error}"
