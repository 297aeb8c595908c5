"""What a run prints at its end. What matters comes last: the table, the verdict, what fails, and what to do next."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.verdicts import Verdict
from petcheck.reports import advice, exchange_text, report_html
from petcheck.reports.exchange_text import answer_line
from petcheck.reports.outputs import OUTPUTS
from petcheck.reports.text_lines import BOLD, DIM, GREEN, RED, YELLOW, TextLines
from petcheck.results import fleet, totals
from petcheck.results.causes import SHOWN_BESIDE, Cause, by_target, cause_of, causes
from petcheck.results.findings import TargetInfo
from petcheck.results.manifest import PARTS
from petcheck.results.result import Result
from petcheck.sanitize import FIELD_LIMIT, comma_list, escape_commands, printable, printable_lines, printable_reason
from petcheck.spec import sections
from petcheck.spec.outcomes import NOT_IN_FORCE, Exit, Outcome
from petcheck.spec.sections import TITLES
from petcheck.stream.curl import BASE_VARIABLE
from petcheck.words import plural

_COLUMNS: tuple[Outcome, ...] = ("pass", "fail", "inconclusive", "not-run", "error", "waived")
_ALWAYS: frozenset[Outcome] = frozenset({"pass", "fail", "inconclusive", "not-run"})
_PAINT: dict[str, str] = {"pass": GREEN, "fail": RED, "error": RED, "inconclusive": YELLOW, "waived": YELLOW}

_CURL_LIMIT = 4_000
_BESIDE_TITLES = 7  # columns of the screen for section numbers
_PLAIN_WIDTH = 100  # columns of a text that no terminal shows
_SERVED = f"export {BASE_VARIABLE}=http://127.0.0.1:8000/v1"
_IDS = 20  # that are named before a reason; more are counted
_WAIVED = 20  # failures that are waived, and waivers that fail the run, that are named
_SUMMED_UP = 12  # causes that are named beside the verdict


def render(
    result: Result,
    evidence: Sequence[Exchange],
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
    found = causes(result, evidence)
    for cause in found:
        _cause(page, result, cause)
    if found and any(entry.log is not None for entry in evidence):
        page.blank()
        page.say(f"{BASE_VARIABLE} is where you serve it, to send a request again: {_SERVED}")
    _errors(page, result)
    _not_examined(page, result)
    _requests(page, result)
    page.say(
        f"petcheck {printable(result.suite.version, 40)}, interface {printable(result.suite.interface, 40)}, "
        f"judged as on {result.run.as_of}, {totals.seed_text(result.run)}"
    )
    for target in () if fleet.is_fleet(result) else result.targets:
        page.blank()
        _table(page, result, target)
    _waivers(page, result)
    page.blank()
    _verdict(page, result, found)
    if folder is not None:
        _reports(page, result, printable(folder.rstrip("/")), unwritten)
    next_step = advice.next_step(result, found)
    if next_step:
        page.say(f"next: {next_step.replace('`', '')}", "", " " * 6)
    return str(page).removeprefix("\n")


def _reports(page: TextLines, result: Result, folder: str, unwritten: Collection[str]) -> None:
    shown = [output.name for output in OUTPUTS if output.shown and output.of(result) and output.name not in unwritten]
    if shown:
        shown.sort(key=report_html.FILE.__ne__)  # what people open comes first
        each = f"; those of each target in {folder}/{PARTS}/" if fleet.in_parts(result) else ""
        page.say(f"reports: {folder}/{', '.join(shown)}{each}")


def one_failure(result: Result, row: Verdict, evidence: Sequence[Exchange]) -> str:
    """Why one requirement fails, or could not be judged, as plain text: its rule, what was found, and a `curl` line.

    Of the requirements that fail for one cause, one has all that; the others say which.
    """
    page = TextLines(_PLAIN_WIDTH, colour=False)
    whole = next((one for one in causes(result, evidence) if row in one.rows), None)
    if whole is None or whole.shown == row:
        _cause(page, result, whole or cause_of(row, evidence))
    else:
        page.head(f"{row.id} · section {row.section}", "")
        page.named("rule", printable_reason(row.statement, FIELD_LIMIT))
        page.named("found", printable_reason(row.reason))
        page.named("cause", f"that of {whole.shown.id}, which shows the exchange")
    state = totals.waiver_state(row, result.run)
    if state:
        page.say(state, "    ")
    return str(page).strip("\n")


def one_line(result: Result, folder: str | None) -> str:
    """One line for -q: the verdict, the counts, the requests, the seed, and the path of the report if there is one."""
    total = sum(target.requests.total for target in result.targets)
    spent = f"{plural(total, 'request')}; seed {result.run.seed}"
    found = [f"{number} {outcome}" for outcome, number in totals.tally(result.requirements).items() if number]
    counts = spent if fleet.is_fleet(result) else f"{', '.join(found) or 'no verdicts'}; {spent}"
    where = f" {printable(folder.rstrip('/'))}/report.html" if folder is not None else ""
    return escape_commands(f"{totals.headline(result)} ({counts}){where}")


# ---- what fails


def _cause(page: TextLines, result: Result, cause: Cause) -> None:
    """The failures of one cause: the rules, what was found, the answer that decides, and how to send it again."""
    shown, several = cause.shown, len(cause.rows) > 1
    said = f" · {cause.title}" if several else f" · section {shown.section}"
    page.head(f"{cause.ids}{totals.where(cause.targets, result)}{said}", f"{BOLD};{RED}")
    name = f"{printable(shown.id, 60)}: " if several else ""
    page.named("rule", f"{name}{printable_reason(shown.statement, FIELD_LIMIT)}")
    of = f"on {printable(cause.target, 60)}: " if cause.others else ""
    page.named("found", f"{of}{printable_reason(cause.reason)}")
    for ids, reason in cause.beside[:SHOWN_BESIDE]:
        page.named("also", f"{ids}: {printable_reason(reason, FIELD_LIMIT)}", most=4)
    if len(cause.beside) > SHOWN_BESIDE:
        page.named("also", f"{len(cause.beside) - SHOWN_BESIDE} more, in report.html")
    for ids, why in cause.followers.items():
        page.named("also", f"{ids}: {why}")
    if cause.exchange is None:
        return
    answer = answer_line(cause.exchange, cause.part)
    if answer:
        of = f"{exchange_text.request_of(cause.exchange, result)}: " if cause.another else ""
        page.named("answer", f"{of}{answer}")
    if cause.then is not None:
        page.named("then", f"{exchange_text.request_of(cause.then[0], result)}: {answer_line(*cause.then)}")
    if cause.exchange.log:
        page.line("  log    the application's own lines")
    for line in printable_lines(cause.exchange.log) if cause.exchange.log else ():
        page.line(f"           {line}")
    page.line(
        f"  send   {printable(exchange_text.curl_of(cause.exchange, short=True, before=cause.before), _CURL_LIMIT)}"
    )


def _errors(page: TextLines, result: Result) -> None:
    """What could not be judged, by reason; of a fleet also the targets that could not be tested."""
    silent = {target.name: target for target in result.targets if target.unreachable is not None}
    unreachable = totals.untested(result) if fleet.is_fleet(result) else {}  # of a few, the verdict says why
    if unreachable:
        page.head(f"{plural(len(silent), 'target')} could not be tested", f"{BOLD};{RED}")
    for why, names in unreachable.items():
        page.say(printable_reason(why), "  ", "    ")
        page.say(f"on {comma_list(names)}", "    ")
    rows = [
        row
        for row in totals.with_outcome(result, "error")
        if row.target not in silent or (row.exchanges and not unreachable)
    ]
    broken = grouped((row.reason, row) for row in rows)
    if broken:
        page.head(f"{plural(len(rows), 'requirement')} could not be judged", f"{BOLD};{RED}")
    for reason, same in broken.items():
        page.say(printable_reason(reason), "  ", "    ")
        where = totals.where(list(dict.fromkeys(row.target for row in same)), result)
        page.say(totals.id_ranges(list(dict.fromkeys(row.id for row in same))) + where, "    ")


# ---- the table, and what is around it


def _table(page: TextLines, result: Result, target: TargetInfo) -> None:
    rows = totals.chosen_rows(result, target)
    name = printable(target.name, 60)
    page.say(f"{name}  {printable(target.base_url)}", style=BOLD)
    if not rows:
        page.say("no requirement was judged", "  ")
        return
    if target.unreachable is not None and not any(row.exchanges for row in rows):
        page.say("nothing was judged", "  ")
        return
    total = totals.tally(rows)
    heads = [one for one in (*_COLUMNS, NOT_IN_FORCE) if one in _ALWAYS or total[one]]
    columns = [(one, len(one) + 2) for one in heads]  # outcomes, and how wide each column is
    room = page.width - sum(width for _, width in columns) - _BESIDE_TITLES
    if room < 8:  # too narrow for titles; section numbers are enough
        width = min((page.width - _BESIDE_TITLES) // len(heads), 6)
        columns, room = [(one, width) for one in heads], 0
    room = min(room, max(len(title) for title in TITLES.values()))
    titles = "".join(f"{head[: width - 1]:>{width}}" for head, width in columns)
    page.line(f"  {'§':<4} {'section'[:room]:<{room}}{titles}", DIM)
    for section, group in totals.by_section(rows).items():
        page.line(_row(page, section, sections.title(section), totals.tally(group), columns, room))
    page.line(_row(page, "", "all", total, columns, room))
    if least := totals.least_covered(rows):
        page.say(f"least covered: {least}", "  ", "    ")


def _row(
    page: TextLines,
    section: str,
    title: str,
    found: Mapping[str, int],
    columns: Sequence[tuple[str, int]],
    room: int,
) -> str:
    short = title if len(title) <= room else title[: max(room - 1, 0)] + "…" * (room > 0)
    cells = []
    for outcome, width in columns:
        number = found[outcome]
        cell = f"{number if number else '·':>{width}}"
        style = _PAINT.get(outcome, "") if number else DIM
        cells.append(page.paint(style, cell))
    return f"  {section:<4} {short:<{room}}" + "".join(cells)


def _not_examined(page: TextLines, result: Result) -> None:
    groups = totals.unexamined(result)
    unseen = totals.not_in_force(result) if any(row.exchanges for row in result.requirements) else {}
    if not groups and not unseen:
        return
    page.head("not examined")
    for group in groups:
        where, ids = totals.where(group.targets, result), totals.id_ranges(group.ids)
        if group.settled_by is not None:
            way = f"{totals.way_to(group.settled_by, result.run)} {printable(group.settled_by, 80)}"
            page.say(f"{way} to judge {len(group.rows)}{where}: {ids}", "  ", "    ")
        elif fleet.is_fleet(result):
            page.say(f"{where.lstrip()}, see the report of each: {ids}", "  ", "    ")
        else:
            for reason, names in grouped((row.reason, row.id) for row in group.rows).items():
                why = printable_reason(reason)
                which = totals.id_ranges(names) if len(names) <= _IDS else plural(len(names), "requirement")
                page.say(f"{which}{where}: {why}", "  ", "    ")
    if unseen:
        ids = totals.id_ranges(list(unseen))
        page.say(f"{NOT_IN_FORCE} (not testable, or not in force): {ids}", "  ", "    ")


def _requests(page: TextLines, result: Result) -> None:
    page.blank()
    if fleet.is_fleet(result):
        page.say(f"sent: {totals.spent(result)}")
        return
    for target in result.targets:
        where = totals.where([target.name], result)
        page.say(f"sent{where}: {'; '.join(filter(None, (totals.request_summary(target), totals.waits(target))))}")
        if note := totals.repeats_note(target):
            page.say(note, "  ")
        if target.created:
            page.say(f"left behind{where}: {totals.left_behind(target)}", "", "  ")


def _waivers(page: TextLines, result: Result) -> None:
    faults = totals.waiver_faults(result)
    waived = totals.with_outcome(result, "waived")
    if faults or waived:
        page.blank()
    for row in waived[:_WAIVED]:
        state = totals.waiver_state(row, result.run)
        reason = printable_reason(row.waiver.reason, FIELD_LIMIT) if row.waiver else ""
        page.say(f"{printable(row.id, 60)} on {printable(row.target, 60)}: {state}. {reason}", "", "  ")
        # it may be another failure than the one that the waiver was written for
        page.say(f"found  {printable_reason(row.reason, FIELD_LIMIT)}", "  ", " " * 9)
    if len(waived) > _WAIVED:
        page.say(f"and {plural(len(waived) - _WAIVED, 'other failure')} waived")
    for sentence in faults[:_WAIVED]:
        page.say(sentence, style=RED)
    if len(faults) > _WAIVED:
        page.say(f"and {plural(len(faults) - _WAIVED, 'other waiver')}", style=RED)


# ---- the end


def _verdict(page: TextLines, result: Result, found: Sequence[Cause]) -> None:
    """The verdict, and below it what fails, one line for each cause."""
    styles = {"fail": RED, "error": RED, "pass": GREEN}
    alone = [totals.target_outcome(target, result) for target in result.targets]
    if fleet.is_fleet(result):
        alone = [min(alone, key=fleet.WORST_FIRST.index)]
    others = RED if found or result.run.exit == Exit.FAILS else YELLOW
    for sentence, outcome in zip_longest(totals.sentences(result, causes=by_target(found)), alone):
        page.say(sentence, style=f"{BOLD};{styles.get(outcome, YELLOW) if outcome else others}")
    for cause in found[:_SUMMED_UP]:
        where = totals.where(cause.targets, result)
        page.say(f"{cause.ids}{where}: {printable_reason(cause.summary, FIELD_LIMIT)}", "  ", "    ", most=2)
    if len(found) > _SUMMED_UP:
        page.say(f"and {len(found) - _SUMMED_UP} more, above", "  ")
