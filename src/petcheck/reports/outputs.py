"""Every file of a run, as a function of its result and its stream: the same bytes each time.

`OUTPUTS` is the one table of them; whatever lists, writes or checks the files of a run reads it. `pytest.html` is not
among them: it is pytest-html's own page, and no evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path

from petcheck.comparison import comparable
from petcheck.errors import NotARun, NotDated
from petcheck.exchange import Exchange
from petcheck.reports import badge, fleet_html, junit, report_html, statement_html, summary, timeline
from petcheck.results import atomic_write, load, parts
from petcheck.results import result as results
from petcheck.results.fleet import in_parts, is_fleet
from petcheck.results.judge import judge
from petcheck.results.manifest import digest_of_text
from petcheck.results.result import Result
from petcheck.sanitize import FIELD_LIMIT, printable
from petcheck.stream import files, har
from petcheck.stream.files import read_stream
from petcheck.stream.stream import Stream


@dataclass(frozen=True)
class Material:
    """What the outputs are made from: a result and its stream.

    A run in parts has a `folder` below which its targets have their streams; `parts` are these, if they are few enough
    to be shown.
    """

    result: Result
    stream: Stream
    folder: Path | None = None
    parts: tuple[Stream, ...] = field(default=(), repr=False)

    @cached_property
    def evidence(self) -> tuple[Exchange, ...]:
        """The exchanges of all targets."""
        return tuple(one for stream in self.parts or (self.stream,) for part in stream.parts for one in part.exchanges)

    @cached_property
    def waited(self) -> Mapping[str, Sequence[timeline.Pause]]:
        """The waits for each target."""
        streams = self.parts or (self.stream,)
        return {part.name: list(timeline.pauses(one, part.name)) for one in streams for part in one.parts}

    @cached_property
    def stream_sha256(self) -> str:
        """The digest of exchanges.jsonl."""
        return digest_of_text(files.text_of(self.stream.entries)).sha256


@dataclass(frozen=True, slots=True)
class Output:
    """A file that every run has, unless `of` says that this one has not: its name, and its text in pieces.

    `about` says what is in it, in one line of Markdown. If it is `shown`, the end of a run names it.
    """

    name: str
    about: str
    pieces: Callable[[Material], Iterable[str]]
    of: Callable[[Result], bool] = lambda _: True
    shown: bool = False


def _result(material: Material) -> Iterable[str]:
    if material.folder is None:
        return [results.text_of(material.result)]
    return parts.pieces(material.result, material.folder)


def _page(material: Material) -> Iterable[str]:
    if is_fleet(material.result):
        return [fleet_html.render(material.result, _recorded(material))]
    if material.folder is not None:
        return [report_html.render(material.result, material.evidence, waited=material.waited)]
    digest = material.stream_sha256
    return [report_html.render(material.result, material.evidence, material.stream.head, digest, material.waited)]


def _statement(material: Material) -> Iterable[str]:
    suite = material.result.suite
    digests = {
        files.FILE: material.stream_sha256,
        results.FILE: digest_of_text(_result(material)).sha256,
        "requirements.yaml": suite.requirements_sha256,
        "openapi.yaml": suite.openapi_sha256,
    }
    return [statement_html.render(material.result, material.stream.head.environment, digests.items())]


def _recorded(material: Material) -> Iterator[tuple[Result, Stream]]:
    """Of a fleet the targets to draw, one after the other: no more than one is in memory. A lost one is left out."""
    for name in fleet_html.with_pictures(material.result):
        folder = parts.part_of(material.folder or Path(), name)
        with suppress(NotARun):
            yield load.read_result(folder / results.FILE), read_stream(folder / files.FILE)


def _comparison(material: Material) -> Iterable[str]:
    """The comparison of the run's targets, or why there is none: an error in it does not fail the run."""
    try:
        from petcheck.comparison import compare  # needed by few runs
        from petcheck.reports import comparison_html

        run = load.RecordedRun(results.FILE, material.result, material.evidence)
        return [comparison_html.render(compare.compare([run]), {results.FILE: report_html.FILE})]
    except Exception as error:
        why = escape(printable(f"{type(error).__name__}: {error}"))
        return [f'<!doctype html><html lang="en"><meta charset="utf-8"><title>No comparison</title><p>{why}</p>\n']


OUTPUTS = (
    Output(files.FILE, "the run itself, line by line as it happened: settings, plan, every request and response "
           "(without the key), waits, what was not asked and why, the end. A killed run leaves what it had. All other "
           "files are made from this one", lambda run: files.text_of(run.stream.entries)),
    Output(results.FILE, "the result: verdicts, reasons, observations; its schema is "
           "`src/petcheck/results/result.schema.json`", _result, shown=True),
    Output(har.FILE, "the same exchanges for browsers, written at the end; a long answer is cut there, with its length "
           "and sha256", lambda run: har.pieces(run.stream), lambda result: not in_parts(result), shown=True),
    Output(junit.FILE, "for CI: each test case is a requirement", lambda run: [junit.junit(run.result)], shown=True),
    Output(report_html.FILE, "for people: the verdicts with their evidence; one file, no script", _page, shown=True),
    Output(statement_html.FILE, "for people who sign: one page, with the digests of the evidence", _statement),
    Output(summary.FILE, "for the page of a CI job: the verdicts in short",
           lambda run: [summary.render(run.result, run.evidence)], shown=True),
    Output(badge.SVG_FILE, "the verdict in a few words, as a picture; with several targets, the worst",
           lambda run: [badge.svg(run.result)]),
    Output(badge.JSON_FILE, "the same as an endpoint for shields.io", lambda run: [badge.endpoint(run.result)]),
    Output(comparable.FILE, "for people, after a run with several targets: what differs between them", _comparison,
           comparable.has_several_sides, shown=True),
)  # fmt: skip


def render(material: Material) -> Iterator[tuple[str, Iterable[str]]]:
    """Each file of a run: its name, and its text in pieces."""
    return ((output.name, output.pieces(material)) for output in OUTPUTS if output.of(material.result))


def material_of_parts(stream: Stream, outlines: Sequence[Result], folder: Path) -> Material:
    """What the outputs of a run in parts are made from: the joined outline of a fleet, or all of a few targets.

    Raises NotARun.
    """
    joined = parts.joined(stream, outlines)
    if is_fleet(joined):
        return Material(joined, stream, folder)
    streams = [read_stream(parts.part_of(folder, target.name) / files.FILE) for target in joined.targets]
    return Material(parts.with_rows(joined, list(map(judge, streams))), stream, folder, tuple(streams))


def write_outputs(material: Material, folder: Path, *, but: Iterable[str] = ()) -> dict[str, Exception]:
    """Write every file of a run into `folder`, which is created if it is missing, `but` those that are there.

    Each is replaced atomically. Files of an earlier run that this one has not are removed. Returns what could not be
    written, with the reason; the others are.
    """
    with suppress(OSError):  # writing the files reports the same error
        folder.mkdir(parents=True, exist_ok=True)
    wrong: dict[str, Exception] = {}
    for output in OUTPUTS:
        path = folder / output.name
        try:
            if not output.of(material.result):
                with suppress(OSError):
                    path.unlink()
            elif output.name not in but:
                atomic_write.write(path, output.pieces(material))
        except Exception as error:  # a view that fails must not prevent the others
            wrong[output.name] = error
    return wrong


def names(material: Material) -> list[str]:
    """The files that a run has."""
    return [output.name for output in OUTPUTS if output.of(material.result)]


def not_written(folder: Path, errors: Mapping[str, Exception]) -> str:
    """One line that says which files could not be written, where and why."""
    reasons = "; ".join(dict.fromkeys(_reason(error) for error in errors.values()))
    return printable(f"not written into {folder}: {', '.join(errors)} ({reasons})", 2 * FIELD_LIMIT)


def _reason(error: Exception) -> str:
    if isinstance(error, NotDated):
        return str(error)
    return (error.strerror if isinstance(error, OSError) else None) or f"{type(error).__name__}: {error}"
