"""Everything that a run leaves in its folder, written in one call."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from petcheck.exchange import Exchange
from petcheck.reports import atomic, har, html, junit, summary
from petcheck.reports.result import FILE, Result, write
from petcheck.reports.visible import FIELD_LIMIT, visible


class NotWritten(Exception):
    """Some files could not be written; the message, one line, names them, their folder and why. `errors` by file."""

    def __init__(self, folder: Path, errors: Mapping[str, Exception]) -> None:
        self.errors = dict(errors)
        reasons = "; ".join(dict.fromkeys(_reason(error) for error in self.errors.values()))
        super().__init__(visible(f"not written into {folder}: {', '.join(self.errors)} ({reasons})", 2 * FIELD_LIMIT))


def write_all(result: Result, exchanges: Sequence[Exchange], folder: Path) -> None:
    """Write result.json, exchanges.har, junit.xml, report.html and summary.md into `folder`, which is made if need be.

    Each file is replaced all at once. Where one cannot be written the others still are, and then `NotWritten` is
    raised.
    """
    document = har.har(exchanges, version=result.suite.version)
    evidence = tuple(har.entries_by_index(document).values())
    writers: dict[str, Callable[[], object]] = {
        FILE: lambda: write(result, folder),
        har.FILE: lambda: har.write_har(document, folder),
        junit.FILE: lambda: atomic.replace(folder / junit.FILE, junit.junit(result)),
        html.FILE: lambda: atomic.replace(folder / html.FILE, html.render(result, evidence)),
        summary.FILE: lambda: atomic.replace(folder / summary.FILE, summary.render(result)),
    }
    with contextlib.suppress(OSError):  # which the files will meet as well
        folder.mkdir(parents=True, exist_ok=True)
    wrong: dict[str, Exception] = {}
    for name, writer in writers.items():
        try:
            writer()
        except Exception as error:  # one view's trouble must not cost the others
            wrong[name] = error
    if wrong:
        raise NotWritten(folder, wrong)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or f"{type(error).__name__}: {error}"
