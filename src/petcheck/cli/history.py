"""`petcheck history`: shows the verdicts of runs over time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from petcheck.cli.output import address, deliver, expect_no_input, look, page_of
from petcheck.cli.parser import Parser
from petcheck.comparison.history import FILE, history, past_run
from petcheck.errors import ConfigError
from petcheck.reports import history_html, history_text, json_text, report_html
from petcheck.results.load import result_files
from petcheck.results.parts import verdicts_in
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Exit

PARSER = Parser(
    "history",
    usage="petcheck history DIR… [-o FILE] [--json]",
    description="Show the verdicts of runs in order of time: when each requirement began to fail, when it was "
    "fixed, what changed between the runs, and what flipped although nothing changed.",
    epilog="Exit: 0 the history is written, 4 a folder holds no run, or a run is given twice.",
)
PARSER.add_argument(
    "runs", nargs="*", metavar="DIR", help="a folder of reports, a folder of such folders, or a result.json"
)
PARSER.add_argument("-o", "--output", metavar="FILE", help=f"the page ({FILE}); - is standard output")
PARSER.add_argument("--json", action="store_true", help="print JSON; write a page only with -o")


def main(argv: list[str]) -> int:
    """Show the history of runs; returns the exit code."""
    options = PARSER.parse(argv)
    if not options.runs:
        raise ConfigError("name the folders of the runs: petcheck history nightly/")
    page = page_of(options.output, FILE, json=options.json)
    files = [file for run in options.runs for file in result_files(Path(run))]
    # one after the other, since only their verdicts are kept
    made = history(past_run(printable(str(file)), verdicts_in(file)) for file in files)
    if page is not None:
        expect_no_input(page, map(str, files))
    deliver(
        page,
        lambda: history_html.render(made, reports_of(files, page)),
        lambda: history_text.render(made, page=str(page), **look()),
        json_text.of_history(made) if options.json else None,
    )
    return int(Exit.HOLDS)


def reports_of(files: Iterable[Path], page: Path | None) -> dict[str, str]:
    """Where a page finds the report beside each result.json that has one, by the printable name of that."""
    beside = ((file, file.with_name(report_html.FILE)) for file in files)
    return {printable(str(file)): address(report, page) for file, report in beside if report.is_file()}
