"""A history on the terminal: what fails now and since when, what changed, and where the page is."""

from __future__ import annotations

from petcheck.comparison.history import History
from petcheck.reports import history_words as words
from petcheck.reports.text_lines import BOLD, GREEN, RED, TextLines
from petcheck.sanitize import REASON_LIMIT, comma_list, printable

_LISTED = 12  # of each kind; the page lists more
_INDENT = ("  ", "    ")  # of the first line, and of the lines that it wraps into


def render(history: History, *, width: int, colour: bool, page: str | None) -> str:
    """The history as text, without a line feed at its end.

    `width` is the terminal's in columns. With `colour`, ANSI colours support the words and never replace them. `page`
    is where history.html was written, None where it was not.
    """
    lines = TextLines(width, colour)
    failing = words.failing_now(history)
    lines.say(words.headline(history), hanging="  ", style=f"{BOLD};{RED if failing else GREEN}")
    lines.say(words.period(history))
    several = len(history.targets) > 1

    def place(target: str) -> str:
        return f" on {printable(target, 80)}" if several else ""

    if failing:
        lines.head("fails now")
    for target, track in failing[:_LISTED]:
        title = f"{printable(track.entry.id, 60)} · section {track.entry.section}{place(target.name)}"
        lines.say(f"{title}  {words.since(track, history)}", *_INDENT)
        lines.say(printable(track.reason, REASON_LIMIT, whole_in="result.json"), "    ", "      ")
    _more(lines, len(failing))
    flips = words.flips_by_time(history)
    if flips:
        lines.head("what changed, the newest first")
    for target, track, flip in flips[:_LISTED]:
        title = f"{printable(track.entry.id, 60)}{place(target.name)} {words.flip_title(flip)}"
        lines.say(f"{title} {words.flip_place(flip, history)}", *_INDENT)
        if flip.changes:
            lines.say(words.changes_text(flip.changes), "    ", "      ")
    _more(lines, len(flips))
    found = words.candidates(history)
    if found:
        lines.head("flipped although nothing recorded changed: possibly flaky")
    for target, track in found[:_LISTED]:
        title = f"{printable(track.entry.id, 60)}{place(target.name)}"
        lines.say(f"{title}  {words.course(track)}. {words.candidate_text(track)}", *_INDENT)
    _more(lines, len(found))
    steps = words.steps_with_changes(history)
    if steps:
        lines.head("what changed between runs, the newest first")
    for before, after, changes, names in steps[:_LISTED]:
        on = f" ({comma_list(names, 4)})" if several else ""
        lines.say(f"run {before + 1} → {after + 1}{on}  {words.changes_text(changes)}", *_INDENT)
    _more(lines, len(steps))
    if page is not None:
        lines.blank()
        lines.say(f"page: {printable(page)}", hanging="  ")
    return str(lines)


def _more(lines: TextLines, number: int) -> None:
    if number > _LISTED:
        lines.say(f"and {number - _LISTED} more, on the page", *_INDENT)
