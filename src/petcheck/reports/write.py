"""Writes all files of a run into its folder, in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from petcheck.comparison import sides
from petcheck.errors import NotWritten
from petcheck.exchange import Exchange
from petcheck.reports import badge, fleet_html, junit, report_html, summary
from petcheck.results import atomic_write, har, manifest, parts, recording
from petcheck.results.environment import environment
from petcheck.results.fleet import is_fleet
from petcheck.results.load import RecordedRun
from petcheck.results.manifest import digest_of
from petcheck.results.recording import Stream
from petcheck.results.result import FILE, Result, head_of, load, write
from petcheck.results.sanitize import FIELD_LIMIT, printable


@dataclass(frozen=True)
class Product:
    """A run's result, and the exchanges that it refers to. The `stream`, if there is one, has written all exchanges."""

    result: Result
    exchanges: tuple[Exchange, ...]
    stream: Stream | None = None

    def write_stream(self, folder: Path) -> None:
        """Write exchanges.jsonl, unless that was done while the run lasted. Raises OSError."""
        if self.stream is not None and self.stream.trouble is None:
            return
        if self.stream is not None and any(t.requests.kept < t.requests.total for t in self.result.targets):
            raise self.stream.trouble or OSError()  # memory holds a sample
        recording.write_stream(folder, self.result, self.exchanges)

    @property
    def entries(self) -> Iterator[dict[str, Any]]:
        """All exchanges as entries of a HAR; those in memory where the stream has none. Raises OSError."""
        if self.stream is None or self.stream.trouble is not None:
            return map(har.entry_of, self.exchanges)
        return recording.entries_in(self.stream.path, [target.name for target in self.result.targets])

    @cached_property
    def evidence(self) -> tuple[har.Evidence, ...]:
        """The exchanges as the views show them."""
        return tuple(map(har.evidence_of, self.exchanges))


_VIEWS = [junit.FILE, report_html.FILE, summary.FILE, badge.SVG_FILE, badge.JSON_FILE]


def names(result: Result) -> list[str]:
    """The files that `write_all` writes for a result."""
    return [FILE, recording.FILE, har.FILE, *_VIEWS, *_compared(result)]


def joined_names(joined: Result) -> list[str]:
    """The files that `write_joined` writes, and the manifests of the targets that it joins."""
    return [FILE, *_VIEWS, *_compared(joined), *(manifest.entry_of_part(target.name) for target in joined.targets)]


def _compared(result: Result) -> list[str]:
    return [sides.FILE] if sides.has_several_sides(result) and not is_fleet(result) else []


def write_all(product: Product, folder: Path) -> None:
    """Write result.json, exchanges.jsonl, exchanges.har, junit.xml, report.html, summary.md, the badges into `folder`.

    A run of several targets gets comparison.html too; with one target, an old comparison.html is removed. The folder is
    created if it is missing. Each file is replaced atomically. If some files cannot be written, raises `NotWritten`
    after the others are.
    """
    result = product.result
    writers: dict[str, Callable[[], object]] = {
        FILE: lambda: write(result, folder),
        recording.FILE: lambda: product.write_stream(folder),
        har.FILE: lambda: har.write_har(folder, product.entries, version=result.suite.version, head=head_of(result)),
        report_html.FILE: lambda: atomic_write.write(
            folder / report_html.FILE, report_html.render(result, product.evidence, _origin(folder))
        ),
        **_other_views(product, folder),
        sides.FILE: lambda: _compare(product, folder / sides.FILE),
    }
    _write_each(writers, folder)


def joined_product(joined: Result, folder: Path) -> Product:
    """What the views of a run in parts show: the joined outline of a fleet, or all of a few targets below `folder`.

    Raises NotARun, and OSError.
    """
    return Product(joined, ()) if is_fleet(joined) else _whole(joined, folder)


def write_joined(shown: Product, folder: Path) -> None:
    """Write what joins the reports of the targets below `folder`: result.json, junit.xml, report.html and the others.

    `shown` is their `joined_product`. Files of an earlier run of one recording are removed, since they are of another
    run. Raises `NotWritten` as `write_all` does.
    """
    result = shown.result
    render = fleet_html.render if is_fleet(result) else report_html.render
    writers: dict[str, Callable[[], object]] = {
        FILE: lambda: parts.write_joined(result, folder),
        report_html.FILE: lambda: atomic_write.write(folder / report_html.FILE, render(result, shown.evidence)),
        **_other_views(shown, folder),
    }
    for name in (recording.FILE, har.FILE, sides.FILE):
        with suppress(OSError):
            (folder / name).unlink()
    if _compared(result):
        writers[sides.FILE] = lambda: _compare(shown, folder / sides.FILE)
    _write_each(writers, folder)


def _other_views(product: Product, folder: Path) -> dict[str, Callable[[], object]]:
    """The writers of the views that every run has beside its page."""
    result = product.result
    return {
        junit.FILE: lambda: atomic_write.write(folder / junit.FILE, junit.junit(result)),
        summary.FILE: lambda: atomic_write.write(folder / summary.FILE, summary.render(result, product.evidence)),
        badge.SVG_FILE: lambda: atomic_write.write(folder / badge.SVG_FILE, badge.svg(result)),
        badge.JSON_FILE: lambda: atomic_write.write(folder / badge.JSON_FILE, badge.endpoint(result)),
    }


def _whole(joined: Result, folder: Path) -> Product:
    """The product of a few targets, read from their folders."""
    folders = [parts.part_of(folder, target.name) for target in joined.targets]
    results = [load(each / FILE) for each in folders]
    whole = replace(
        joined,
        requirements=tuple(row for each in results for row in each.requirements),
        checks=tuple(row for each in results for row in each.checks),
        observations=tuple(row for each in results for row in each.observations),
    )
    exchanges = (exchange for each in folders for exchange in recording.read_stream(each / recording.FILE).exchanges)
    sampled = {target.name for target in joined.targets if target.requests.kept < target.requests.total}
    referred = {(row.target, index) for row in whole.requirements for index in row.exchanges}
    referred |= {(row.target, index) for row in whole.observations for index in row.exchanges}
    shown = (one for one in exchanges if one.target not in sampled or (one.target, one.index) in referred)
    return Product(whole, tuple(shown))


def _write_each(writers: Mapping[str, Callable[[], object]], folder: Path) -> None:
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


def _origin(folder: Path) -> report_html.Origin | None:
    """Where the page comes from; None if exchanges.jsonl is not there."""
    try:
        digest = digest_of(folder / recording.FILE)
    except OSError:
        return None
    made = environment()
    return report_html.Origin(digest, made.commit, made.platform)


def _compare(product: Product, path: Path) -> None:
    """Write the comparison of the run's targets, or why there is none. An error in it does not fail the run."""
    with suppress(OSError):
        if not sides.has_several_sides(product.result):
            path.unlink(missing_ok=True)
            return
        try:
            from petcheck.comparison import compare  # needed by few runs
            from petcheck.reports import comparison_html

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
