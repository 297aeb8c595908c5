"""Writes all files of a run into its folder, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from petcheck.comparison import compare
from petcheck.errors import NotWritten
from petcheck.exchange import Exchange
from petcheck.reports import badge, comparison_html, junit, report_html, summary
from petcheck.results import atomic_write, har
from petcheck.results.load import RecordedRun
from petcheck.results.result import FILE, Result, write
from petcheck.results.sanitize import FIELD_LIMIT, printable


@dataclass(frozen=True)
class Product:
    """A run's result and the exchanges that it refers to. The HAR and the evidence are built once, for every view."""

    result: Result
    exchanges: tuple[Exchange, ...]

    @cached_property
    def document(self) -> dict[str, Any]:
        """The exchanges as a HAR document."""
        return har.har(self.exchanges, version=self.result.suite.version, run=self.result.run)

    @cached_property
    def evidence(self) -> tuple[har.Evidence, ...]:
        """The exchanges as the views show them."""
        return tuple(har.entries_by_index(self.document).values())


def write_all(product: Product, folder: Path) -> None:
    """Write result.json, exchanges.har, junit.xml, report.html, summary.md and the two badges into `folder`.

    A run of several targets gets comparison.html too; with one target, an old comparison.html is removed. The folder is
    created if it is missing. Each file is replaced atomically. If some files cannot be written, raises `NotWritten`
    after the others are.
    """
    result = product.result
    writers: dict[str, Callable[[], object]] = {
        FILE: lambda: write(result, folder),
        har.FILE: lambda: har.write_har(product.document, folder),
        junit.FILE: lambda: atomic_write.write(folder / junit.FILE, junit.junit(result)),
        report_html.FILE: lambda: atomic_write.write(
            folder / report_html.FILE, report_html.render(result, product.evidence)
        ),
        summary.FILE: lambda: atomic_write.write(folder / summary.FILE, summary.render(result)),
        badge.SVG_FILE: lambda: atomic_write.write(folder / badge.SVG_FILE, badge.svg(result)),
        badge.JSON_FILE: lambda: atomic_write.write(folder / badge.JSON_FILE, badge.endpoint(result)),
        compare.FILE: lambda: _compare(product, folder / compare.FILE),
    }
    with suppress(OSError):  # writing the files reports the same error
        folder.mkdir(parents=True, exist_ok=True)
    wrong: dict[str, Exception] = {}
    for name, writer in writers.items():
        try:
            writer()
        except Exception as error:  # a view that fails must not prevent the others
            wrong[name] = error
    if wrong:
        raise not_written(folder, wrong)


def _compare(product: Product, path: Path) -> None:
    """Write the comparison of the run's targets, or why there is none. An error in it does not fail the run."""
    with suppress(OSError):
        if not compare.has_several_sides(product.result):
            path.unlink(missing_ok=True)
            return
        try:
            run = RecordedRun(FILE, product.result, product.evidence)
            page = comparison_html.render(compare.compare([run], leave_out=True))
        except Exception as error:
            why = escape(printable(f"{type(error).__name__}: {error}"))
            page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>No comparison</title><p>{why}</p>\n'
        atomic_write.write(path, page)


def not_written(folder: Path, errors: Mapping[str, Exception]) -> NotWritten:
    """The error that says in one line which files could not be written, where and why."""
    reasons = "; ".join(dict.fromkeys(_reason(error) for error in errors.values()))
    return NotWritten(printable(f"not written into {folder}: {', '.join(errors)} ({reasons})", 2 * FIELD_LIMIT), errors)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or f"{type(error).__name__}: {error}"
