"""`petcheck compare`: shows what differs between runs made at different times or places."""

from __future__ import annotations

from pathlib import Path

from petcheck.cli.history import reports_of
from petcheck.cli.output import deliver, expect_no_input, look, page_of
from petcheck.cli.parser import Parser
from petcheck.comparison import compare
from petcheck.comparison.comparable import FILE
from petcheck.errors import ConfigError, NotComparable
from petcheck.evidence.verify import unfounded
from petcheck.reports import comparison_html, comparison_text, json_text
from petcheck.results.load import RecordedRun, read_run, result_file
from petcheck.results.manifest import PARTS
from petcheck.results.parts import names_of_parts
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Exit

PARSER = Parser(
    "compare",
    usage="petcheck compare A/result.json B/result.json … [-o FILE] [--json]",
    description="Compare runs that were made at different times or places: where verdicts differ, where behaviour "
    "differs, what is equal. Each result.json needs its exchanges.jsonl in the same folder.",
    epilog="Exit: 0 equal, 1 different, 4 not comparable, or a result does not follow from its recording, 6 equal, but "
    "a target could not be tested.",
)
PARSER.add_argument("runs", nargs="*", metavar="RUN", help="a result.json, or the folder that holds one")
PARSER.add_argument("-o", "--output", metavar="FILE", help="the page (comparison.html); - is standard output")
PARSER.add_argument("--json", action="store_true", help="print JSON; write a page only with -o")


def main(argv: list[str]) -> int:
    """Compare runs; returns the exit code."""
    options = PARSER.parse(argv)
    if not options.runs:
        raise ConfigError("name the runs: petcheck compare A/result.json B/result.json")
    page = page_of(options.output, FILE, json=options.json)
    if page is not None:
        expect_no_input(page, options.runs)
    read = {run: proven_run(Path(run)) for run in dict.fromkeys(options.runs)}
    compared = compare.compare([read[run] for run in options.runs])
    deliver(
        page,
        lambda: comparison_html.render(compared, reports_of(map(result_file, map(Path, read)), page)),
        lambda: comparison_text.render(compared, page=str(page), **look()),
        json_text.of_comparison(compared) if options.json else None,
    )
    if compared.different:
        return int(Exit.FAILS)
    return int(Exit.UNTESTABLE if compared.left_out else Exit.HOLDS)


def proven_run(run: Path) -> RecordedRun:
    """The run in a folder of reports, or of a result.json.

    Raises ConfigError if it is in parts, NotARun, and NotComparable where the result does not follow from its
    recording: someone may have changed it.
    """
    folder = run if run.is_dir() else run.parent
    if names_of_parts(folder):
        name = printable(str(run))
        raise ConfigError(f"{name} has many targets; give the folder of one, {name}/{PARTS}/NAME")
    read = read_run(run)
    wrong = unfounded(folder)
    if wrong:
        raise NotComparable(
            f"{printable(str(run))} does not follow from its recording ({wrong[0]}); "
            "see petcheck verify; give an unchanged run"
        )
    return read
