"""Everything that is derived from the code and quick to make; as a program, writes it.

Whole files are made by the modules that they come from. A page that people write has regions: a region begins with
`<!-- generated: NAME -->` and ends with `<!-- end -->`, in the same line or below. NAME is one of REGIONS.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from petcheck.cli.explain import DATA
from petcheck.reports.outputs import OUTPUTS
from petcheck.runner.dry_run import Forecast
from tools import architecture, explanations, kill_matrix, licences, openapi_ids, result_schema, shell_files, shown_runs
from tools.forecasts import forecast, most

ROOT = Path(__file__).resolve().parent.parent
PAGES = (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "reports" / "README.md")
_REGION = re.compile(r"(<!-- generated: ([a-z-]+) -->\n*).*?(\n*<!-- end -->)", re.DOTALL)


def _requests() -> str:
    """The rows of a table: checks alone, with property examples, and after silence; when reading, and with writes."""
    rows = []
    for words, examples in (("checks only (`--examples 0`)", 0), ("with property examples (the default)", None)):
        reading, writing = (forecast(writes=writes, examples=examples) for writes in (False, True))
        rows.append(
            f"| {words} | {reading.requests} | {writing.requests}, of which {writing.posts} POST | "
            f"{_left_behind(writing)} |"
        )
    rows.append(f"| either, if requests get no answer | {most(writes=False)} | {most(writes=True)} | |")
    header = "| requests, at most | reading | with `--allow-writes` | animals that stay |\n|---|--:|--:|--:|"
    return "\n".join([header, *rows, "| usual wait for the next minute of the plan Free | none | 1 minute | |"])


def _left_behind(run: Forecast) -> str:
    """How many animals stay, as `--dry-run` prints it."""
    (about,) = re.findall(r"left behind: (about \d+)", "\n".join(run.lines()))
    return str(about)


def _outputs() -> str:
    """A table of the files that a run writes."""
    return "\n".join(["| file | content |\n|---|---|", *(f"| `{one.name}` | {one.about} |" for one in OUTPUTS)])


REGIONS: Mapping[str, Callable[[], str]] = {
    "outputs": _outputs,
    "requests": _requests,
    "requests-reading": partial(most, writes=False),
    "requests-writing": partial(most, writes=True),
}


def filled(text: str) -> str:
    """A page with its regions as they have to be. Raises KeyError for a region that nothing makes."""
    return _REGION.sub(lambda found: found[1] + REGIONS[found[2]]() + found[3], text)


def files() -> Iterator[tuple[Path, str]]:
    """Each generated file, and each page with regions, with the text that it has to have."""
    yield architecture.PICTURE, architecture.picture()
    yield openapi_ids.FILE, openapi_ids.with_ids()
    yield result_schema.FILE, result_schema.with_settings()
    yield licences.DOCUMENT, licences.document()
    yield DATA, explanations.with_every_requirement()
    yield kill_matrix.DOCUMENT, kill_matrix.of_today()
    yield from shell_files.files().items()
    for path in PAGES:
        if path != kill_matrix.DOCUMENT:
            text = path.read_text("utf-8")
            if "<!-- generated: " in text:
                yield path, shown_runs.with_first_failure(filled(text)) if path == shown_runs.FIRST else filled(text)


def outdated() -> list[Path]:
    """The files that `make generated` would change."""
    return [path for path, text in files() if not path.exists() or path.read_text("utf-8") != text]


def main() -> int:
    """Write what has changed."""
    for path, text in files():
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} has changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
