"""`petcheck replay`: sends requests of an earlier run again, and says what changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from petcheck.call import Credential
from petcheck.cli.destination import add_options, destination, is_here
from petcheck.cli.output import expect_no_input, look, write_page
from petcheck.cli.parser import PROGRAM, Parser
from petcheck.comparison.difference import NETWORK_HEADERS
from petcheck.comparison.normalize import header_varies, normalized
from petcheck.config.keys import DEFAULT_TARGET, KEY_VARIABLE, own_variable
from petcheck.errors import ConfigError, NothingToRun, NotSent
from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.judgement import Grounds
from petcheck.judging.verdicts import Verdict
from petcheck.reports.exchange_text import answer_line, request_of, status_or_error
from petcheck.reports.text_lines import BOLD, GREEN, RED, YELLOW, TextLines
from petcheck.results.judge import grounds_in, judge
from petcheck.results.load import recording_in
from petcheck.results.manifest import PARTS
from petcheck.results.parts import names_of_parts
from petcheck.results.result import Result
from petcheck.runner.replay import as_test, door, failures_of, new_failures, shown_by
from petcheck.sanitize import REASON_LIMIT, printable
from petcheck.spec.outcomes import Exit
from petcheck.stream.curl import BASE_VARIABLE
from petcheck.stream.stream import Part, Stream
from petcheck.wire.sender import TRACE
from petcheck.words import plural

_NUMBER = re.compile(r"(?:([A-Za-z0-9_-]+))?#([0-9]{1,7})|([0-9]{1,7})")

PARSER = Parser(
    "replay",
    usage="petcheck replay DIR [#N …] [--allow-writes] [--as-pytest FILE]",
    description="Send exchanges of an earlier run again, and say what changed: those named by number, or otherwise "
    "the one that best shows each failure. In a shell, write '#13' in quotes, or 13.",
    epilog="Exit: 0 nothing fails now, 1 something does, 4 not a recording, 5 nothing sent or decided, 6 no answer.",
)
PARSER.add_argument(
    "words", nargs="*", metavar="DIR", help="a folder of reports, then numbers: 13, '#13', 'staging#13'"
)
PARSER.add_argument("--allow-writes", action="store_true", help="send POSTs again too; what they create stays")
add_options(PARSER)
PARSER.add_argument("--as-pytest", metavar="FILE", help="send nothing; write tests of pytest that do")


@dataclass(frozen=True, slots=True)
class Resent:
    """An exchange to send again, with the requirements that it failed, those that were judged by it and hold, and those
    that failed and name other exchanges as the ones that decide: too many may fail in the same way to name them all.
    """

    recorded: Exchange
    failed: tuple[Verdict, ...]
    held: tuple[Verdict, ...] = ()
    by_others: tuple[Verdict, ...] = ()


def main(argv: list[str]) -> int:
    """Send exchanges again; returns the exit code."""
    options = PARSER.parse(argv)
    if not options.words:
        raise ConfigError("name a folder of reports: petcheck replay reports/")
    folder, *words = options.words
    name = printable(folder)
    if names_of_parts(Path(folder)):
        raise ConfigError(f"{name} is a run in parts; name the folder of one target: {name}/{PARTS}/NAME")
    stream = recording_in(Path(folder))
    result = judge(stream)
    chosen = _named(words, stream, result) if words else _failed(stream, result)
    if not chosen:
        raise NothingToRun(f"nothing fails in {name}; name exchanges by their numbers")
    if any(each.recorded.request.credential is Credential.UNKNOWN for each in chosen):
        raise ConfigError(f"{name} is the traffic of another program, and its keys are not known")
    if options.as_pytest is not None:
        file = Path(options.as_pytest)
        expect_no_input(file, [folder], "--as-pytest")
        return _write_tests(file, chosen, result, writes=options.allow_writes)
    parts = {part.name: part for part in stream.parts}
    several = [(parts[name], list(of_one)) for name, of_one in groupby(chosen, lambda each: each.recorded.target)]
    ways = [destination(part, stream.head, options) for part, _ in several]  # nothing is sent if one is refused
    page, codes = TextLines(**look()), []
    for way, (part, of_one) in zip(ways, several, strict=True):
        codes.append(_send(page, of_one, way, stream, part, result, writes=options.allow_writes))
    print(str(page).lstrip("\n"))
    return int(_gravest(codes))


def _named(words: Sequence[str], stream: Stream, result: Result) -> list[Resent]:
    """The exchanges with these numbers, by target."""
    sent, found = {part.name: part.exchanges for part in stream.parts}, []
    for word in words:
        match = _NUMBER.fullmatch(word)
        if match is None:
            raise ConfigError(
                f"{printable(word, 40)} is not the number of an exchange; write it as 13, or '#13' in quotes"
            )
        name, number = match[1], int(match[2] or match[3])
        first = next(iter(sent))
        if name is None and len(sent) > 1:
            raise ConfigError(f"{printable(word, 40)}: of which target? write it as '{first}#{number}'")
        target = name or first
        record = sent.get(target, ())
        if number >= len(record):
            raise ConfigError(f"there is no exchange {printable(word, 40)}; the last is #{len(record) - 1}")
        rows = result.rows_of(target)
        failing = [row for row in rows if row.outcome in ("fail", "waived")]
        failed = tuple(row for row in failing if number in row.decisive)
        held = tuple(row for row in rows if row.outcome == "pass" and number in row.exchanges)
        by_others = tuple(row for row in failing if row not in failed and number in row.exchanges)
        found.append(Resent(record[number], failed, held, by_others))
    return sorted(found, key=lambda each: list(sent).index(each.recorded.target))


def _failed(stream: Stream, result: Result) -> list[Resent]:
    """For each failure the exchange that shows it best, once."""
    found = []
    for part in stream.parts:
        shown = grouped(
            (row.decisive_by_weight[0], row)
            for row in result.rows_of(part.name)
            if row.outcome in ("fail", "waived") and row.decisive_by_weight
        )
        found += [Resent(part.exchanges[index], tuple(rows)) for index, rows in shown.items()]
    return found


def _send(
    page: TextLines,
    chosen: Sequence[Resent],
    way: Mapping[str, Any],
    stream: Stream,
    part: Part,
    result: Result,
    *,
    writes: bool,
) -> Exit:
    """Send the exchanges of one target again; `way` are the options that reach it."""
    head = stream.head
    grounds, codes = grounds_in(head, part), []
    where = f" on {part.name}" if len(stream.parts) > 1 else ""
    with door(way, part.name, as_of=head.as_of, seed=head.seed, writes=writes) as transport:
        for each in chosen:
            recorded = each.recorded
            page.head(f"#{recorded.index} {request_of(recorded, result)}{where}", BOLD)
            sent = len(transport.recorded)
            try:
                now = transport.send(replace(recorded.request.call, form=recorded.request.form))
            except NotSent as obstacle:
                advice = f"; add {obstacle.settled_by}" if obstacle.settled_by else ""
                said = "not decided" if len(transport.recorded) > sent else "not sent"
                page.say(f"{said}: {obstacle.reason}{advice}", "  ", "    ", style=YELLOW)
                codes.append(Exit.UNTESTABLE if obstacle.outcome == "error" else Exit.NOTHING_SELECTED)
                continue
            codes.append(_show(page, each, now, grounds, head.run))
    return _gravest(codes)


def _show(page: TextLines, each: Resent, now: Exchange, known: Grounds, run: str) -> Exit:
    """Show an exchange that was sent again: what changed, and which requirements it fails now."""
    before, ids = each.recorded, [row.id for row in (*each.failed, *each.held, *each.by_others)]
    found, alone, codes = failures_of(now, ids, known), failures_of(before, ids, known), [Exit.HOLDS]
    failed = *each.failed, *(row for row in each.by_others if row.id in alone)
    new = new_failures(now, before, known)
    changed = list(_changes(before, now, run))
    part = failed[0].part(before.index) if failed else "body"
    page.say(f"was      {answer_line(before, part) or status_or_error(before)}", "  ", " " * 11, most=2)
    page.say(f"now      {answer_line(now, part) or status_or_error(now)}", "  ", " " * 11, most=2)
    page.say(f"changed  {'; '.join(changed) or 'nothing, but for times and ids'}", "  ", " " * 11)
    for trace in (value for name, value in now.request.headers if name == TRACE):
        page.say(f"sent     {TRACE}: {trace}", "  ", " " * 11)
    for row in failed:
        if row.id in found or not changed:
            said, style, code = f"still fails: {found.get(row.id) or row.reason}", RED, Exit.FAILS
        elif row.id in alone and not shown_by(now, row.id, known):
            said, style, code = "not decided: this answer shows nothing about it", YELLOW, Exit.NOTHING_SELECTED
        elif row.id in alone:
            said, style, code = "no longer fails by this answer", GREEN, Exit.HOLDS
        else:
            said, style, code = f"takes several answers; judge it: {PROGRAM} {row.id}", YELLOW, Exit.NOTHING_SELECTED
        page.say(f"{row.id} {printable(said, REASON_LIMIT)}", "  ", "    ", style=style)
        codes.append(code)
    new |= {row.id: found[row.id] for row in each.held if row.id in found and row.id not in alone}
    for name, text in new.items():
        page.say(f"{name} fails now: {printable(text, REASON_LIMIT)}", "  ", "    ", style=RED)
        codes.append(Exit.FAILS)
    return _gravest(codes)


def _gravest(codes: Sequence[Exit]) -> Exit:
    return max(codes, key=(Exit.HOLDS, Exit.NOTHING_SELECTED, Exit.UNTESTABLE, Exit.FAILS).index)


def _changes(before: Exchange, now: Exchange, run: str) -> Iterator[str]:
    """What differs between two answers to one request, in words; what changes on any server is left out."""
    if status_or_error(before) != status_or_error(now):
        yield f"the status, from {status_or_error(before)} to {status_or_error(now)}"
    values = [
        {name.lower(): value for name, value in one.heard.headers if name.lower() not in NETWORK_HEADERS}
        for one in (before, now)
    ]
    for name in sorted({*values[0], *values[1]}):
        old, new = (printable(each[name], 80) if name in each else None for each in values)
        if old is None or new is None:
            yield f"the header {printable(name, 60)} is {'gone' if new is None else f'there: {new}'}"
        elif old != new and not header_varies(name):
            yield f"the header {printable(name, 60)}, from {old} to {new}"
    bodies = [normalized(one.heard.body.decode("utf-8", "backslashreplace"), run) for one in (before, now)]
    if bodies[0] != bodies[1]:
        yield "the body"


def _write_tests(file: Path, chosen: Sequence[Resent], result: Result, *, writes: bool) -> int:
    """Write a test for each exchange; POSTs only with `writes`."""
    by_name = {target.name: target for target in result.targets}
    known = Grounds(date.fromisoformat(result.run.as_of))  # a test knows neither the store nor the plan
    shown = (
        (each.recorded, [row for row in each.failed or each.held if shown_by(each.recorded, row.id, known)])
        for each in chosen
    )
    judged = [(recorded, rows) for recorded, rows in shown if rows]
    kept = [(recorded, rows) for recorded, rows in judged if writes or recorded.request.operation.safe]
    if not judged:
        raise NothingToRun("no requirement was judged by these exchanges; name others")
    if not kept:
        raise NothingToRun("only POSTs are left, and their tests create animals; add --allow-writes")
    target = by_name[kept[0][0].target]
    if any(recorded.target != target.name for recorded, _ in kept):
        raise ConfigError("--as-pytest takes exchanges of one target; name them: 'NAME#13'")
    tests = []
    for recorded, rows in kept:
        path = recorded.request.path_below(target.base_url)
        statements = {row.id: printable(row.statement) for row in rows}
        tests.append(as_test(recorded, statements, path))
    day = result.run.started[:10]
    key = KEY_VARIABLE if target.name == DEFAULT_TARGET else f"{own_variable(target.name)} or {KEY_VARIABLE}"
    default = f".get({BASE_VARIABLE!r}, {target.base_url!r})"
    named = f"{BASE_VARIABLE} names another server than the one of that run."
    if "app" in result.run.options or not is_here(target.base_url):  # its port is closed, or the key might go anywhere
        default, named = f"[{BASE_VARIABLE!r}]", f"{BASE_VARIABLE} is where the server is."
    head = (
        f'"""Requests that petcheck sent on {day}; `petcheck replay --as-pytest` has written them.\n\n'
        f"The key is in {key}; {named}\n"
        '"""\n\nimport os\n\nimport petcheck\n\n'
        f"URL = os.environ{default}\n"
    )
    write_page(file, "\n\n".join([head, *tests]), "give --as-pytest another file")
    posts = len(judged) - len(kept)
    left = f"; {plural(posts, 'POST')} left out, add --allow-writes" if posts else ""
    print(f"{printable(str(file))}: {plural(len(kept), 'test')}{left}")
    return int(Exit.HOLDS)
