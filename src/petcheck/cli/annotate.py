"""`petcheck annotate`: the interface document with the verdicts of one or two runs in its margin. Nothing is sent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from petcheck.cli.compare import proven_run
from petcheck.cli.output import address, deliver, expect_no_input, look, page_of
from petcheck.cli.parser import Parser
from petcheck.comparison.compare import labels_of
from petcheck.errors import ConfigError
from petcheck.reports import annotated_html, report_html
from petcheck.reports.annotated_html import FILE, JudgedTarget, SourceDocument
from petcheck.reports.text_lines import BOLD, TextLines
from petcheck.results.result import Result
from petcheck.sanitize import printable
from petcheck.spec.catalogue import catalogue
from petcheck.spec.document import blocks_of
from petcheck.spec.outcomes import Exit
from petcheck.stream.reading import RESULT_CAP, read_file, why_unread
from petcheck.words import plural

_CAP = 1024 * 1024  # bytes that are read
_LONGEST = 200_000  # characters: more of some Markdown, such as open brackets, takes minutes
_MARGINS = 4  # a page has room for no more
_ANCHOR = re.compile(rb' id="((?:x\d+-|point-)?[A-Za-z0-9-]+)"')

PARSER = Parser(
    "annotate",
    usage="petcheck annotate DOCUMENT DIR [DIR2] [-o FILE]",
    description="Write the interface document as a page, with the verdict on each sentence and table row in the "
    "margin and a link to the evidence; with two runs, two margins. DOCUMENT is the document in Markdown. List the "
    "sentences that no requirement covers.",
    epilog="Exit: 0 the page is written, 1 it is written and the document is not the one that the catalogue knows, "
    "4 a file cannot be read, or is not what it should be.",
)
PARSER.add_argument("document", nargs="?", metavar="DOCUMENT", help="the interface document, in Markdown")
PARSER.add_argument("runs", nargs="*", metavar="DIR", help="a folder of reports, or two")
PARSER.add_argument("-o", "--output", metavar="FILE", help=f"the page ({FILE}); - is standard output")


def main(argv: list[str]) -> int:
    """Write the annotated document; returns the exit code."""
    options = PARSER.parse(argv)
    if not options.document or not 1 <= len(options.runs) <= 2:
        raise ConfigError("name the document and one or two folders of reports: petcheck annotate document.md reports/")
    page = page_of(options.output, FILE, json=False) or Path(FILE)
    document = Path(options.document)
    read = _reading(document)
    expect_no_input(page, [*options.runs, options.document])
    runs = [proven_run(Path(run)) for run in options.runs]
    titles = iter(labels_of([(run, target) for run in runs for target in run.result.targets]))
    sides = [
        side
        for place, run in zip(options.runs, runs, strict=True)
        for side in _sides(Path(place), run.result, titles, page)
    ]
    if len(sides) > _MARGINS:
        raise ConfigError(
            f"{plural(len(sides), 'target')} in these runs; a page has {_MARGINS} margins, so give one run"
        )
    deliver(
        page,
        lambda: annotated_html.render(read, document.name, sides),
        lambda: _summary(read, str(page)),
        None,
    )
    return int(Exit.FAILS if read.edited else Exit.HOLDS)


def _reading(path: Path) -> SourceDocument:
    """The document in a file; raises ConfigError if it is not the interface document."""
    name = printable(str(path))
    try:
        source = read_file(path, _CAP)
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{name} cannot be read: {why_unread(error)}; give the interface document in Markdown"
        ) from None
    if "\0" in text:
        raise ConfigError(f"{name} is not text in UTF-8; give the interface document in Markdown")
    if len(text) > _LONGEST:
        raise ConfigError(f"{name} has more than {_LONGEST:,} characters; give the interface document in Markdown")
    read = SourceDocument(blocks_of(text), hashlib.sha256(source).hexdigest(), catalogue())
    if not read.carrying:
        raise ConfigError(f"no sentence of {name} is one that a requirement rests on; give the interface document")
    return read


def _sides(run: Path, result: Result, titles: Iterator[str], page: Path) -> list[JudgedTarget]:
    """The margins of a run, with the next of the titles and the way from the page to its report."""
    report = (run if run.is_dir() else run.parent) / report_html.FILE
    try:
        anchors = frozenset(found.decode() for found in _ANCHOR.findall(read_file(report, RESULT_CAP)))
        where = address(report, page)
    except (OSError, ValueError):  # a run without a page: verdicts without links
        anchors, where = frozenset(), ""
    return [JudgedTarget(next(titles), result, target, where, anchors) for target in result.targets]


def _summary(read: SourceDocument, page: str) -> str:
    lines = TextLines(**look())
    lines.say(
        f"{plural(len(read.passages), 'sentence')} and table rows: {len(read.carrying)} carry a requirement or an "
        f"open point, {len(read.silent)} state nothing to test"
        + (f", {len(read.unknown)} are new" if read.unknown else "")
    )
    lines.head("No requirement")
    for line in annotated_html.listed(read):
        lines.say(line, "  ", "    ")
    if read.edited:
        lines.head("The document is not the one that the catalogue knows")
        for line in read.lost:
            lines.say(line, "  ", "    ")
    lines.blank()
    lines.say(f"page: {printable(page)}", style=BOLD)
    return str(lines)
