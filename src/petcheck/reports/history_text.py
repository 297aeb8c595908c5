"""A history on the terminal: what fails now and since when, what changed, and where the page is."""

from __future__ import annotations

from petcheck.comparison.history import Flip, History, TargetHistory, Track
from petcheck.reports import history_words as words
from petcheck.reports.text_lines import BOLD, GREEN, RED, TextLines
from petcheck.sanitize import REASON_LIMIT, comma_list, printable


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

    def title(target: TargetHistory, track: Track, also: str = "") -> str:
        return printable(track.entry.id, 60) + also + (f" on {printable(target.name, 80)}" if several else "")

    now = [
        (
            f"{title(target, track, f' · section {track.entry.section}')}  {words.since(track, history)}",
            printable(track.reason, REASON_LIMIT, whole_in="result.json"),
        )
        for target, track in failing
    ]
    flips = [
        (f"{title(target, track)} {words.flip_title(flip)} {words.flip_place(flip, history)}", *_why(flip))
        for target, track, flip in words.flips_by_time(history)
    ]
    flaky = [
        (f"{title(target, track)}  {words.course(track)}. {words.candidate_text(track)}",)
        for target, track in words.candidates(history)
    ]
    steps = [
        (f"run {before + 1} → {after + 1}{f' ({comma_list(names, 4)})' * several}  {words.changes_text(changes)}",)
        for before, after, changes, names in words.steps_with_changes(history)
    ]
    lines.listed("fails now", now)
    lines.listed("what changed, the newest first", flips)
    lines.listed("flipped although nothing recorded changed: possibly flaky", flaky)
    lines.listed("what changed between runs, the newest first", steps)
    if page is not None:
        lines.blank()
        lines.say(f"page: {printable(page)}", hanging="  ")
    return str(lines)


def _why(flip: Flip) -> list[str]:
    return [words.changes_text(flip.changes)] if flip.changes else []
