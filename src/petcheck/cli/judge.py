"""`petcheck judge`: verdicts from recorded traffic. Nothing is sent."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from petcheck.cli import fleet
from petcheck.cli.output import write_page
from petcheck.cli.parser import PROGRAM, Parser, fail
from petcheck.cli.run import pytest_options
from petcheck.comparison import compare
from petcheck.comparison.sides import FILE
from petcheck.config import values
from petcheck.config.keys import KEY_VARIABLE
from petcheck.config.urls import base_url
from petcheck.errors import ConfigError, NotARun, NotComparable
from petcheck.reports import comparison_html, comparison_text, terminal
from petcheck.reports.annotations import lines as annotation_lines
from petcheck.reports.write import Product
from petcheck.results.differences import differing_verdicts
from petcheck.results.load import RecordedRun, read_har, recording_in, with_result
from petcheck.results.parts import names_of_parts
from petcheck.results.recording import Recording, read_stream
from petcheck.results.sanitize import printable
from petcheck.runner import signals
from petcheck.runner.fleet import FleetEnd, judge_fleet_again
from petcheck.runner.judge import judged_again
from petcheck.runner.replay import config_of, is_of_this_suite
from petcheck.runner.traffic import config_of_traffic
from petcheck.spec.outcomes import Exit
from petcheck.traffic.sorting import sorted_out
from petcheck.words import plural


@dataclass(frozen=True, slots=True)
class Judged:
    """A recording and its end: the exit code, lines about it, and trouble with its reports.

    A run in parts has a `fleet` instead of a `product`.
    """

    name: str
    product: Product | None
    code: int
    told: tuple[str, ...]
    trouble: tuple[str, ...] = ()
    fleet: FleetEnd | None = None


def main(argv: list[str]) -> int:
    """Judge recordings; returns the exit code."""
    options = judge_parser().parse(argv)
    if not options.recordings:
        fail("judge: name a recording: petcheck judge reports/")
    signals.install_handlers()
    try:
        plan = values.plan(options.plan, "--plan")
        as_of = values.iso_date(options.as_of, "--as-of") if options.as_of else None
        base = base_url(options.base_url, "--base-url", insecure=True) if options.base_url else None
        several = len(options.recordings) > 1
        found = []
        for number, path in enumerate(map(Path, options.recordings), 1):
            folder = Path(options.reports, str(number)) if several and options.reports else options.reports
            if folder is not None and Path(folder).resolve() in (path.resolve(), path.resolve().parent):
                fail(f"judge: {printable(str(folder))} holds the recording; give --reports another folder")
            reports = None if folder is None else values.folder(str(folder), "--reports")
            found.append(_judged(path, base, reports, plan, as_of))
    except (ConfigError, NotARun) as error:
        fail(f"judge: {error}")
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return int(Exit.INTERRUPTED)
    for judged in found:
        _show(judged)
    if several:
        _compare(found, options.reports)
    codes = [judged.code for judged in found]
    return int(Exit.FAILS) if Exit.FAILS in codes else max(codes)


def judge_parser() -> Parser:
    """The options of the command."""
    parser = Parser(
        "judge",
        usage="petcheck judge RECORDING… [options]",
        description="Judge recorded traffic; nothing is sent. A recording is a folder of reports, its exchanges.har or "
        "exchanges.jsonl, or any HAR of a browser or a proxy. What it does not show is inconclusive.",
        epilog="Exit: like that of a run; 4 also if the recording cannot be read or has several base URLs, 5 if it has "
        "none of the four operations, 6 if it shows no key that was accepted.",
    )
    parser.add_argument("recordings", nargs="*", metavar="RECORDING", help="a folder of reports, or a file of one")
    parser.add_argument(
        "--base-url", metavar="URL", help="the one to judge, where a HAR of another program has several"
    )
    parser.add_argument("--plan", metavar="PLAN", help="the key's plan (default: the run's)")
    parser.add_argument("--as-of", metavar="DAY", help="judge as on that day, YYYY-MM-DD (default: the run's)")
    parser.add_argument("--reports", metavar="DIR", help="folder for the reports (default: none are written)")
    return parser


def _judged(path: Path, base: str | None, reports: Path | None, plan: str | None, as_of: date | None) -> Judged:
    name = printable(str(path))
    if path.is_dir() and (targets := names_of_parts(path)):
        ended = judge_fleet_again(path, reports, plan, as_of, pytest_options())
        judged = f"judged from {name}: {plural(len(targets), 'target')}, nothing was sent"
        return Judged(name, None, ended.code, (judged,), fleet=ended)
    recording = _read(path)
    if recording is None:
        return _judged_traffic(path, base, reports, plan, as_of)
    if not recording.exchanges:
        return Judged(name, None, int(Exit.NOTHING_SELECTED), (f"{name} holds no exchange",))
    end = judged_again(config_of(recording, reports=reports, plan=plan, as_of=as_of), pytest_options)
    told = [f"judged from {name}: {plural(len(recording.exchanges), 'exchange')}, nothing was sent"]
    if recording.result.requirements and not is_of_this_suite(recording.result):
        suite = recording.result.suite
        told.append(
            f"recorded by petcheck {printable(suite.version, 40)}, which has other rules; these verdicts differ:"
        )
        told += [f"  {line}" for line in differing_verdicts(recording.result, end.product.result)] or ["  nothing"]
    code = int(Exit.BROKE) if end.trouble else end.product.result.run.exit
    return Judged(name, end.product, code, tuple(told), end.trouble)


def _judged_traffic(path: Path, base: str | None, reports: Path | None, plan: str | None, as_of: date | None) -> Judged:
    name = printable(str(path))
    own_key = os.environ.get(KEY_VARIABLE, "").strip() or None
    traffic = sorted_out(path, base, own_key)
    alone = ", ".join(f"{number} {reason}" for reason, number in traffic.left_alone.most_common())
    found = f"{name}: {len(traffic.exchanges):,} of {traffic.entries:,} entries are exchanges with the four operations"
    told = [found + (f"; ignored: {alone}" if alone else "")]
    if not traffic.exchanges:
        return Judged(name, None, int(Exit.NOTHING_SELECTED), tuple(told))
    known = "were recorded" if traffic.key else "were not recorded, so section 5 is not judged"
    told.append(f"judged below {printable(traffic.base_url)}, nothing was sent; keys {known}")
    end = judged_again(config_of_traffic(traffic, reports=reports, plan=plan, as_of=as_of), pytest_options)
    code = int(Exit.BROKE) if end.trouble else end.product.result.run.exit
    return Judged(name, end.product, code, tuple(told), end.trouble)


def _read(path: Path) -> Recording | None:
    """The recording at a path; None where it is a HAR of another program. Raises NotARun."""
    if path.is_dir():
        return recording_in(path)
    if path.suffix == ".jsonl":
        return with_result(read_stream(path), path.parent)
    found = read_har(path)
    return None if found is None else with_result(found, path.parent)


def _compare(found: Sequence[Judged], folder: str | None) -> None:
    """Say what differs between several recordings, as between runs."""
    sides = [RecordedRun(one.name, one.product.result, one.product.evidence) for one in found if one.product]
    try:
        compared = compare.compare(sides, leave_out=True)
    except NotComparable as error:
        print(f"not compared: {error}")
        return
    page = Path(folder, FILE) if folder else None
    if page is not None:
        write_page("judge", page, comparison_html.render(compared), "give --reports another folder")
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    shown = str(page) if page is not None else None
    print(comparison_text.render(compared, width=shutil.get_terminal_size().columns, colour=colour, page=shown))


def _show(judged: Judged) -> None:
    for line in judged.told:
        print(line)
    if judged.fleet is not None:
        fleet.show(judged.fleet, None)
    if judged.product is not None:
        result = judged.product.result
        for command in annotation_lines(result, judged.product.evidence, os.environ):
            print(command)
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        width = shutil.get_terminal_size().columns
        print(terminal.render(result, judged.product.evidence, width=width, colour=colour, folder=None))
    for trouble in judged.trouble:
        print(f"{PROGRAM}: {trouble}", file=sys.stderr)
