"""What a run prints at its end: the table by section, what was not examined, and the failures last."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from petcheck.comparison import compare
from petcheck.reports.text_lines import BOLD, DIM, GREEN, RED, YELLOW, TextLines
from petcheck.results import totals
from petcheck.results.har import Evidence
from petcheck.results.result import RequirementRow, Result, TargetInfo
from petcheck.results.sanitize import REASON_LIMIT, escape_commands, printable
from petcheck.spec import sections
from petcheck.spec.outcomes import Outcome
from petcheck.spec.sections import TITLES

_COLUMNS: tuple[Outcome, ...] = ("pass", "fail", "inconclusive", "not-run", "error", "waived")
_ALWAYS: frozenset[Outcome] = frozenset({"pass", "fail", "inconclusive", "not-run"})
_PAINT: dict[Outcome, str] = {"pass": GREEN, "fail": RED, "error": RED, "inconclusive": YELLOW, "waived": YELLOW}

_FILES = ("report.html", "result.json", "exchanges.har", "junit.xml", "summary.md")
_CURL_LINES = 3  # of one failure; the others differ little and are in report.html
_CURL_LIMIT = 4_000
_ANIMALS = 5  # named of those left behind


def render(
    result: Result,
    evidence: Sequence[Evidence],
    *,
    width: int,
    colour: bool,
    folder: str | None,
    unwritten: Collection[str] = (),
) -> str:
    """The final output of a run as text, without a line feed at its end.

    `width` is the terminal's in columns: prose wraps and tables fit, but `curl` lines stay whole so that they can be
    copied. With `colour`, ANSI colours support the words and never replace them. `folder` is where the reports are, as
    the user named it, except those `unwritten`; None where there are none.
    """
    page = TextLines(width, colour)
    page.say(totals.headline(result), style=BOLD)
    page.say(
        f"petcheck {printable(result.suite.version, 40)}, interface {printable(result.suite.interface, 40)}, "
        f"judged as on {result.run.as_of}; {totals.repeat_hint(result.run)}"
    )
    for target in result.targets:
        page.blank()
        _table(page, result, target)
    _not_examined(page, result)
    _requests(page, result)
    named = [*_FILES, *([compare.FILE] if compare.has_several_sides(result) else [])]
    written = [name for name in named if name not in unwritten]
    if written and folder is not None:
        page.blank()
        page.say(f"reports: {printable(folder.rstrip('/'))}/{', '.join(written)}")
    _waivers(page, result)
    _errors_and_failures(page, result, {(entry.target, entry.index): entry for entry in evidence})
    return str(page)


def one_line(result: Result, folder: str | None) -> str:
    """One line for -q: the verdict, the counts, the requests, the seed, and the path of the report if there is one."""
    found = [f"{number} {outcome}" for outcome, number in totals.counts(result.requirements).items() if number]
    total = sum(target.requests.total for target in result.targets)
    counts = f"{', '.join(found) or 'no verdicts'}; {totals.plural(total, 'request')}; seed {result.run.seed}"
    where = f" {printable(folder.rstrip('/'))}/report.html" if folder is not None else ""
    return escape_commands(f"{totals.headline(result)} ({counts}){where}")


def _table(page: TextLines, result: Result, target: TargetInfo) -> None:
    rows = result.rows_of(target.name)
    name = printable(target.name, 60)
    page.say(f"{name}  {printable(target.base_url)}", style=BOLD)
    if not rows:
        page.say("no requirement was judged", "  ")
        return
    total = totals.counts(rows)
    if target.unreachable is not None and not any(row.exchanges for row in rows):
        page.say("nothing was judged", "  ")
        return
    columns: list[tuple[Outcome, str]] = [(one, one) for one in _COLUMNS if one in _ALWAYS or total[one]]
    numbers = sum(len(head) + 2 for _, head in columns)
    room = page.width - numbers - 7
    if room < 8:  # too narrow for titles; section numbers are enough
        columns = [(outcome, head[:4]) for outcome, head in columns]
        room = page.width - 6 * len(columns) - 7
    room = min(max(room, 0), max(len(title) for title in TITLES.values()))
    heads = "".join(f"  {head:>{len(head)}}" for _, head in columns)
    page.line(f"  {'§':<4} {'section'[:room]:<{room}}{heads}", DIM)
    for section, group in totals.by_section(rows).items():
        page.line(_row(page, section, sections.title(section), totals.counts(group), columns, room))
    page.line(_row(page, "", "all", total, columns, room))


def _row(
    page: TextLines,
    section: str,
    title: str,
    found: dict[Outcome, int],
    columns: Sequence[tuple[Outcome, str]],
    room: int,
) -> str:
    short = title if len(title) <= room else title[: max(room - 1, 0)] + "…" * (room > 0)
    cells = []
    for outcome, head in columns:
        number = found[outcome]
        cell = f"  {number if number else '·':>{len(head)}}"
        cells.append(page.paint(_PAINT.get(outcome, "") if number else DIM, cell) if outcome != "not-run" else cell)
    return f"  {section:<4} {short:<{room}}" + "".join(cells)


def _not_examined(page: TextLines, result: Result) -> None:
    groups = totals.unexamined(result)
    unseen = totals.not_in_force(result)
    if not groups and not unseen:
        return
    page.head("not examined")
    for group in groups:
        where = f" on {totals.comma_list(group.targets)}" if len(result.targets) > 1 else ""
        ids = totals.comma_list([row.id for row in group.rows], 40)
        if group.settled_by is not None:
            option = printable(group.settled_by, 80)
            page.say(f"{option} settles {len(group.rows)}{where}: {ids}", "  ", "    ")
        else:
            by_reason: dict[str, list[str]] = {}
            for row in group.rows:
                by_reason.setdefault(row.reason, []).append(row.id)
            for reason, names in by_reason.items():
                why = printable(reason, REASON_LIMIT, whole_in="result.json")
                page.say(f"{totals.comma_list(names, 40)}{where}: {why}", "  ", "    ")
    if unseen:
        page.say(f"not observable, or not in force on that day: {totals.comma_list(list(unseen), 40)}", "  ", "    ")


def _requests(page: TextLines, result: Result) -> None:
    for target in result.targets:
        where = f" on {printable(target.name, 60)}" if len(result.targets) > 1 else ""
        page.blank()
        page.say(
            f"sent{where}: {totals.request_summary(target)}; "
            f"{target.waited_s:.1f} s waited for the rate limit, {target.rate_limited} answered 429"
        )
        for note in filter(None, (totals.repeats_note(target), totals.sample_note(target))):
            page.say(note, "  ")
        if target.created:
            animals = totals.plural(len(target.created), "animal")
            page.say(f"left behind{where}: {animals}, since no operation deletes any")
            for animal in target.created[:_ANIMALS]:
                number = f"id {animal.id}" if animal.id is not None else "no answer, so it may exist"
                page.say(f"{printable(animal.name, 80)}, {number}", "  ", "    ")
            if len(target.created) > _ANIMALS:
                page.say(f"and {len(target.created) - _ANIMALS} more, in report.html", "  ")


def _waivers(page: TextLines, result: Result) -> None:
    faults = totals.waiver_faults(result)
    waived = totals.with_outcome(result, "waived")
    if faults or waived:
        page.blank()
    for row in waived:
        if row.waiver is not None:
            state = totals.waiver_state(row, result.run)
            reason = printable(row.waiver.reason, whole_in="result.json")
            page.say(f"{printable(row.id, 60)} on {printable(row.target, 60)}: {state}. {reason}", "", "  ")
    for sentence in faults:
        page.say(sentence, style=RED)


def _errors_and_failures(page: TextLines, result: Result, entries: dict[tuple[str, int], Evidence]) -> None:
    """Errors of the suite, then the failures, which come last on the screen."""
    broken: dict[tuple[str, str], list[str]] = {}  # an unreachable target repeats one reason
    for row in totals.with_outcome(result, "error"):
        broken.setdefault((row.target, row.reason), []).append(row.id)
    if broken:
        page.blank()
        number = totals.plural(sum(map(len, broken.values())), "requirement")
        page.say(f"{number} could not be judged", style=f"{BOLD};{RED}")
    for (target, reason), ids in broken.items():
        where = f"{printable(target, 60)}: " if len(result.targets) > 1 else ""
        page.say(where + printable(reason, REASON_LIMIT, whole_in="result.json"), "  ", "    ")
        page.say(totals.comma_list(ids), "    ")
    failures = totals.with_outcome(result, "fail")
    if failures:
        page.blank()
        verb = "requirement fails" if len(failures) == 1 else "requirements fail"
        page.say(f"{len(failures)} {verb}", style=f"{BOLD};{RED}")
    for row in failures:
        _failure(page, result, row, entries)


def _failure(page: TextLines, result: Result, row: RequirementRow, entries: dict[tuple[str, int], Evidence]) -> None:
    place = f"section {row.section}" + (f", {printable(row.target, 60)}" if len(result.targets) > 1 else "")
    page.blank()
    page.say(f"{printable(row.id, 60)} · {place}", "  ", style=BOLD)
    page.say(f"rule  {printable(row.statement, whole_in='result.json')}", "    ", " " * 10)
    page.say(f"found {printable(row.reason, REASON_LIMIT, whole_in='result.json')}", "    ", " " * 10)
    deciding = [entries[row.target, index].curl for index in row.decisive_by_weight if (row.target, index) in entries]
    lines = list(dict.fromkeys(deciding))  # a request that was sent twice is printed once
    for line in lines[:_CURL_LINES]:
        page.line(f"    {printable(line, _CURL_LIMIT)}")
    if len(lines) > _CURL_LINES:
        page.say(f"and {len(lines) - _CURL_LINES} more requests like that, in report.html", "    ")
