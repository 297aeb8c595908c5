"""What a run prints when it is over: the table by section, what is left to settle, and the failures last."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence

from petcheck.document import TITLES
from petcheck.reports import comparison, digest, sections
from petcheck.reports.har import Evidence
from petcheck.reports.result import Outcome, RequirementRow, Result, TargetInfo
from petcheck.reports.visible import REASON_LIMIT, inert, visible

# an option and its number stay on one line; what a target says has no such space left in it
_OPTION = re.compile(r"(--[a-z][a-z-]{1,24}) (?=\d)")
_TIED = "\u00a0"

_BOLD, _DIM, _RED, _GREEN, _YELLOW = "1", "2", "31", "32", "33"

_COLUMNS: tuple[tuple[Outcome, str], ...] = (
    ("pass", "pass"),
    ("fail", "fail"),
    ("inconclusive", "inconclusive"),
    ("not-run", "not-run"),
    ("error", "error"),
    ("waived", "waived"),
)
_ALWAYS: frozenset[Outcome] = frozenset({"pass", "fail", "inconclusive", "not-run"})
_PAINT: dict[Outcome, str] = {"pass": _GREEN, "fail": _RED, "error": _RED, "inconclusive": _YELLOW, "waived": _YELLOW}

_FILES = ("report.html", "result.json", "exchanges.har", "junit.xml", "summary.md")
_CURL_LINES = 3  # of one failure; the others differ little and are in report.html
_CURL_LIMIT = 4_000
_ANIMALS = 5  # named of those left behind
_NARROWEST = 40


def render(
    result: Result,
    evidence: Sequence[Evidence],
    *,
    width: int,
    colour: bool,
    folder: str,
    unwritten: Collection[str] = (),
) -> str:
    """The end of a run as text, without a line feed at its end.

    `width` is the terminal's in columns (taken as 40 where it is less): prose wraps and tables fit; `curl` lines are
    left whole, so that they can be copied. With `colour`, ANSI colours support the words, never replace them.
    `folder` is where the reports are, as the user knows it, but for those `unwritten`.
    """
    page = _Page(max(width, _NARROWEST), colour)
    page.say(page.paint(_BOLD, digest.headline(result)))
    page.say(
        f"petcheck {visible(result.suite.version, 40)}, interface {visible(result.suite.interface, 40)}, "
        f"judged as on {result.run.as_of}; {digest.again(result.run)}"
    )
    for target in result.targets:
        page.blank()
        _table(page, result, target)
    _open(page, result)
    _spent(page, result)
    named = [*_FILES, *([comparison.FILE] if comparison.follows(result) else [])]
    written = [name for name in named if name not in unwritten]
    if written:
        page.blank()
        page.say(f"reports: {visible(folder.rstrip('/'))}/{', '.join(written)}")
    _waivers(page, result)
    _trouble(page, result, {(entry.target, entry.index): entry for entry in evidence})
    return "\n".join(page.lines)


def one_line(result: Result, folder: str) -> str:
    """The verdict, the counts, the requests, the seed and where the report is in one line, for -q."""
    found = [f"{number} {outcome}" for outcome, number in digest.counts(result.requirements).items() if number]
    total = sum(target.requests.total for target in result.targets)
    counts = f"{', '.join(found) or 'no verdicts'}; {digest.plural(total, 'request')}; seed {result.run.seed}"
    return inert(f"{digest.headline(result)} ({counts}) {visible(folder.rstrip('/'))}/report.html")


class _Page:
    """Lines of at most `width` columns, and paint where there is colour."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def blank(self) -> None:
        self.lines.append("")

    def say(self, text: str, indent: str = "", hanging: str | None = None) -> None:
        """Add `text`, wrapped; later lines are indented by `hanging`. Painted text is never broken inside."""
        rest = indent if hanging is None else hanging
        painted = text.startswith("\x1b[")
        code, bare = (text[2 : text.index("m")], text[text.index("m") + 1 : -4]) if painted else ("", text)
        wrapped = textwrap.wrap(
            _OPTION.sub(rf"\1{_TIED}", bare),
            self.width,
            initial_indent=indent,
            subsequent_indent=rest,
            break_on_hyphens=False,
        ) or [""]
        lines = [inert(line.replace(_TIED, " ")) for line in wrapped]
        self.lines += [self.paint(code, line) for line in lines] if painted else lines

    def whole(self, text: str, indent: str) -> None:
        """Add `text` as one line, however long."""
        self.lines.append(indent + inert(text))


def _table(page: _Page, result: Result, target: TargetInfo) -> None:
    rows = [row for row in result.requirements if row.target == target.name]
    name = visible(target.name, 60)
    page.say(page.paint(_BOLD, f"{name}  {visible(target.base_url)}"))
    if not rows:
        page.say("no requirement was judged", "  ")
        return
    total = digest.counts(rows)
    if target.unreachable is not None and not any(row.exchanges for row in rows):
        page.say("nothing was judged", "  ")
        return
    columns = [(outcome, head) for outcome, head in _COLUMNS if outcome in _ALWAYS or total[outcome]]
    numbers = sum(len(head) + 2 for _, head in columns)
    room = page.width - numbers - 7
    if room < 8:  # too narrow for titles: numbers of sections say enough
        columns = [(outcome, head[:4]) for outcome, head in columns]
        room = page.width - 6 * len(columns) - 7
    room = min(max(room, 0), max(len(title) for title in TITLES.values()))
    heads = "".join(f"  {head:>{len(head)}}" for _, head in columns)
    page.lines.append(page.paint(_DIM, f"  {'§':<4} {'section'[:room]:<{room}}{heads}"))
    for section, group in digest.by_section(rows).items():
        page.lines.append(_line(page, section, sections.title(section), digest.counts(group), columns, room))
    page.lines.append(_line(page, "", "all", total, columns, room))


def _line(
    page: _Page,
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
        cells.append(page.paint(_PAINT.get(outcome, "") if number else _DIM, cell) if outcome != "not-run" else cell)
    return f"  {section:<4} {short:<{room}}" + "".join(cells)


def _open(page: _Page, result: Result) -> None:
    groups = digest.unexamined(result)
    unseen = digest.not_in_force(result)
    if not groups and not unseen:
        return
    page.blank()
    page.say(page.paint(_BOLD, "not examined"))
    for group in groups:
        where = f" on {digest.listed(group.targets)}" if len(result.targets) > 1 else ""
        ids = digest.listed([row.id for row in group.rows], 40)
        if group.settled_by is not None:
            option = visible(group.settled_by, 80)
            page.say(f"{option} would settle {len(group.rows)}{where}: {ids}", "  ", "    ")
        else:
            alike: dict[str, list[str]] = {}
            for row in group.rows:
                alike.setdefault(row.reason, []).append(row.id)
            for reason, names in alike.items():
                said = visible(reason, REASON_LIMIT, whole_in="result.json")
                page.say(f"{digest.listed(names, 40)}{where}: {said}", "  ", "    ")
    if unseen:
        page.say(f"beyond any check, or not in force on that day: {digest.listed(list(unseen), 40)}", "  ", "    ")


def _spent(page: _Page, result: Result) -> None:
    for target in result.targets:
        where = f" on {visible(target.name, 60)}" if len(result.targets) > 1 else ""
        page.blank()
        page.say(
            f"sent{where}: {digest.requests(target)}; "
            f"{target.waited_s:.1f} s waited for the rate limit, {target.rate_limited} answered 429"
        )
        if sample := digest.sample(target):
            page.say(sample, "  ")
        if target.created:
            animals = digest.plural(len(target.created), "animal")
            page.say(f"left behind{where}: {animals}, since no operation deletes any")
            for animal in target.created[:_ANIMALS]:
                number = f"id {animal.id}" if animal.id is not None else "no answer came, so it may exist"
                page.say(f"{visible(animal.name, 80)}, {number}", "  ", "    ")
            if len(target.created) > _ANIMALS:
                page.say(f"and {len(target.created) - _ANIMALS} more, in report.html", "  ")


def _waivers(page: _Page, result: Result) -> None:
    faults = digest.waiver_faults(result)
    waived = digest.with_outcome(result, "waived")
    if faults or waived:
        page.blank()
    for row in waived:
        if row.waiver is not None:
            state = digest.waiver_state(row, result.run)
            reason = visible(row.waiver.reason, whole_in="result.json")
            page.say(f"{visible(row.id, 60)} on {visible(row.target, 60)}: {state}. {reason}", "", "  ")
    for sentence in faults:
        page.say(page.paint(_RED, sentence))


def _trouble(page: _Page, result: Result, entries: dict[tuple[str, int], Evidence]) -> None:
    """Errors of the suite, then the failures: the last thing on the screen."""
    broken: dict[tuple[str, str], list[str]] = {}  # an unreachable target says the same fifty times
    for row in digest.with_outcome(result, "error"):
        broken.setdefault((row.target, row.reason), []).append(row.id)
    if broken:
        page.blank()
        number = digest.plural(sum(map(len, broken.values())), "requirement")
        page.say(page.paint(f"{_BOLD};{_RED}", f"{number} could not be judged"))
    for (target, reason), ids in broken.items():
        where = f"{visible(target, 60)}: " if len(result.targets) > 1 else ""
        page.say(where + visible(reason, REASON_LIMIT, whole_in="result.json"), "  ", "    ")
        page.say(digest.listed(ids), "    ")
    failures = digest.with_outcome(result, "fail")
    if failures:
        page.blank()
        verb = "requirement fails" if len(failures) == 1 else "requirements fail"
        page.say(page.paint(f"{_BOLD};{_RED}", f"{len(failures)} {verb}"))
    for row in failures:
        _failure(page, result, row, entries)


def _failure(page: _Page, result: Result, row: RequirementRow, entries: dict[tuple[str, int], Evidence]) -> None:
    place = f"section {row.section}" + (f", {visible(row.target, 60)}" if len(result.targets) > 1 else "")
    page.blank()
    page.say(page.paint(_BOLD, f"{visible(row.id, 60)} · {place}"), "  ")
    page.say(f"due   {visible(row.statement, whole_in='result.json')}", "    ", " " * 10)
    page.say(f"came  {visible(row.reason, REASON_LIMIT, whole_in='result.json')}", "    ", " " * 10)
    deciding = [entries[row.target, index].curl for index in row.telling if (row.target, index) in entries]
    lines = list(dict.fromkeys(deciding))  # one that was sent twice is printed once
    for line in lines[:_CURL_LINES]:
        page.whole(visible(line, _CURL_LIMIT), "    ")
    if len(lines) > _CURL_LINES:
        page.say(f"and {len(lines) - _CURL_LINES} more requests like that, in report.html", "    ")
