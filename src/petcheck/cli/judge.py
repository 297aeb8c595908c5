"""`petcheck judge`: verdicts from recorded traffic. Nothing is sent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from petcheck.cli.output import look, write_page
from petcheck.cli.parser import Parser
from petcheck.comparison import compare
from petcheck.comparison.comparable import FILE
from petcheck.config import values
from petcheck.config.keys import KEY_VARIABLE, checked_key
from petcheck.config.urls import base_url
from petcheck.errors import ConfigError, NotComparable
from petcheck.reports import comparison_html, comparison_text, report_html
from petcheck.results.judge import suite
from petcheck.results.load import RecordedRun, recording_at, recording_in
from petcheck.results.parts import expect_other_folders, gravest, names_of_parts
from petcheck.runner.fleet import judge_fleet_again
from petcheck.runner.written import Otherwise, Written, judged_again, show
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Exit
from petcheck.traffic.sorting import sorted_out, stream_of
from petcheck.words import plural


@dataclass(frozen=True, slots=True)
class Judged:
    """A recording and what it comes to: None if it holds nothing; lines about it. `in_parts` has several recordings."""

    name: str
    told: tuple[str, ...]
    end: Written | None = None
    in_parts: bool = False

    @property
    def code(self) -> int:
        """The exit code that it asks for."""
        return self.end.code if self.end is not None else int(Exit.NOTHING_SELECTED)


PARSER = Parser(
    "judge",
    usage="petcheck judge RECORDING… [options]",
    description="Judge recorded traffic; nothing is sent. A recording is a folder of reports, its exchanges.har or "
    "exchanges.jsonl, or any HAR of a browser or a proxy. What it does not show is inconclusive.",
    epilog="Exit: like that of a run; 4 also if the recording cannot be read or has several base URLs, 5 if it has "
    "none of the four operations, 6 if it shows no key that was accepted.",
)
PARSER.add_argument("recordings", nargs="*", metavar="RECORDING", help="a folder of reports, or a file of one")
PARSER.add_argument("--base-url", metavar="URL", help="the one to judge, where a HAR of another program has several")
PARSER.add_argument("--plan", metavar="PLAN", help="the key's plan (default: the run's)")
PARSER.add_argument("--as-of", metavar="DAY", help="judge as on that day, YYYY-MM-DD (default: the run's)")
PARSER.add_argument("--requirements-as-of", metavar="VERSION", help="judge by the requirements of this version")
PARSER.add_argument("--reports", metavar="DIR", help="folder for the reports (default: none are written)")


def main(argv: list[str]) -> int:
    """Judge recordings; returns the exit code."""
    options = PARSER.parse(argv)
    if not options.recordings:
        raise ConfigError("name a recording: petcheck judge reports/")
    older_set = options.requirements_as_of
    otherwise = Otherwise(
        values.plan(options.plan, "--plan"),
        values.iso_date(options.as_of, "--as-of") if options.as_of else None,
        values.requirement_set(older_set, "--requirements-as-of") if older_set else None,
    )
    base = base_url(options.base_url, "--base-url", insecure=True) if options.base_url else None
    recordings = [Path(recording) for recording in options.recordings]
    folders = _folders(options.reports, recordings) if options.reports is not None else [None] * len(recordings)
    found = [_judged(path, base, reports, otherwise) for path, reports in zip(recordings, folders, strict=True)]
    for judged in found:
        print(*judged.told, sep="\n")
        if judged.end is not None:
            show(judged.end, None, look(), on_the_job=judged.in_parts)
    if len(found) > 1:
        _compare(found, options.reports)
    return int(gravest([judged.code for judged in found]))


def _folders(given: str, recordings: Sequence[Path]) -> list[Path]:
    """The folder for the reports of each recording. Raises ConfigError if they would replace any of the recordings."""
    above = values.folder(given, "--reports")
    folders = [above / str(number) for number in range(1, len(recordings) + 1)] if recordings[1:] else [above]
    inputs = [path if path.is_dir() else path.parent for path in recordings]
    expect_other_folders(above, [], inputs, "--reports")  # what differs between several goes there
    for folder, path in zip(folders, recordings, strict=True):
        expect_other_folders(folder, names_of_parts(path), inputs, "--reports")
    return [values.folder(str(folder), "--reports") for folder in folders]


def _judged(path: Path, base: str | None, reports: Path | None, otherwise: Otherwise) -> Judged:
    name = printable(str(path))
    if path.is_dir() and (targets := names_of_parts(path)):
        end = judge_fleet_again(path, reports, otherwise)
        return Judged(
            name, (f"judged from {name}: {plural(len(targets), 'target')}, nothing was sent",), end, in_parts=True
        )
    stream = recording_in(path) if path.is_dir() else recording_at(path)
    if stream is None:
        return _judged_traffic(path, base, reports, otherwise)
    if not stream.exchanges:
        return Judged(name, (f"{name} holds no exchange",))
    end = judged_again(otherwise.applied(stream), reports)
    told = [f"judged from {name}: {plural(len(stream.exchanges), 'exchange')}, nothing was sent"]
    told += [f"{name}: {stream.cut}"] if stream.cut else []
    if stream.head.suite != suite():
        told.append(f"recorded by petcheck {printable(stream.head.suite.version, 40)}, which has other rules")
    return Judged(name, tuple(told), end)


def _judged_traffic(path: Path, base: str | None, reports: Path | None, otherwise: Otherwise) -> Judged:
    name = printable(str(path))
    secret = os.environ.get(KEY_VARIABLE, "").strip()
    traffic = sorted_out(path, base, checked_key(secret, KEY_VARIABLE).secret if secret else None)
    alone = ", ".join(f"{number} {reason}" for reason, number in traffic.left_alone.most_common())
    found = f"{name}: {len(traffic.exchanges):,} of {traffic.entries:,} entries are exchanges with the four operations"
    told = [found + (f"; ignored: {alone}" if alone else "")]
    if not traffic.exchanges:
        return Judged(name, tuple(told))
    known = "were recorded" if traffic.key else "were not recorded, so section 5 is not judged"
    told.append(f"judged below {printable(traffic.base_url)}, nothing was sent; keys {known}")
    return Judged(name, tuple(told), judged_again(otherwise.applied(stream_of(traffic)), reports))


def _compare(found: Sequence[Judged], folder: str | None) -> None:
    """Say what differs between several recordings, as between runs."""
    ends = [(one.name, one.end) for one in found if one.end is not None and not one.in_parts]
    sides = [RecordedRun(name, end.result, end.material.evidence) for name, end in ends]
    try:
        compared = compare.compare(sides)
    except NotComparable as error:
        print(f"not compared: {error}")
        return
    page = Path(folder, FILE) if folder else None
    if page is not None:
        pages = {one.name: f"{number}/{report_html.FILE}" for number, one in enumerate(found, 1) if one.end is not None}
        write_page(page, comparison_html.render(compared, pages), "give --reports another folder")
    print(comparison_text.render(compared, page=str(page) if page is not None else None, **look()))
