"""A history as text: the sentences that every view shares, and the whole of it on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from petcheck.comparison.history import Change, Flip, History, PastRun, TargetHistory, Track
from petcheck.grouping import grouped
from petcheck.judging.frequency import BY_CHANCE, CHANCE
from petcheck.judging.matchers import one_of
from petcheck.reports.text_lines import BOLD, GREEN, RED, TextLines
from petcheck.sanitize import comma_list, printable, printable_reason
from petcheck.words import plural

UNEXPLAINED = (
    "Nothing recorded changed. Either the server changed, or the server or this suite does not always do the same."
)

_NAMED = 4  # targets that have a sentence each


def render(history: History, *, width: int, colour: bool, page: str | None) -> str:
    """The history as text, without a line feed at its end.

    `width` is the terminal's in columns. With `colour`, ANSI colours support the words and never replace them. `page`
    is where history.html was written, None where it was not.
    """
    lines = TextLines(width, colour)
    failing = failing_now(history)
    lines.say(headline(history), hanging="  ", style=f"{BOLD};{RED if failing else GREEN}")
    lines.say(period(history))
    several = len(history.targets) > 1

    def title(target: TargetHistory, track: Track, also: str = "") -> str:
        return printable(track.entry.id, 60) + also + (f" on {printable(target.name, 80)}" if several else "")

    now = [
        (
            f"{title(target, track, f' · section {track.entry.section}')}  {since(track, history)}",
            printable_reason(track.reason),
        )
        for target, track in failing
    ]
    flips = [
        (
            f"{title(target, track)} {flip_title(flip)} {flip_place(flip, history)}",
            *([BY_CHANCE] if flip.fixed and flip.by_chance else []),
            *([changes_text(flip.changes)] if flip.changes else []),
        )
        for target, track, flip in flips_by_time(history)
    ]
    flaky = [
        (f"{title(target, track)}  {course(track)}. {candidate_text(track)}",) for target, track in candidates(history)
    ]
    steps = [
        (f"run {before + 1} → {after + 1}{f' ({comma_list(names, 4)})' * several}  {changes_text(changes)}",)
        for before, after, changes, names in steps_with_changes(history)
    ]
    lines.listed("fails now", now)
    lines.listed("what changed, the newest first", flips)
    lines.listed("flipped although nothing recorded changed: possibly flaky", flaky)
    lines.listed("what changed between runs, the newest first", steps)
    if page is not None:
        lines.blank()
        lines.say(f"page: {printable(page)}", hanging="  ")
    return str(lines)


def period(history: History) -> str:
    """How many runs there are, and from when to when."""
    first, last = day(history.runs[0]), day(history.runs[-1])
    number = plural(len(history.runs), "run")
    return f"{number} on {first}" if first == last else f"{number} from {first} to {last}"


def headline(history: History) -> str:
    """What fails now and what changed, in a sentence for each target; of many targets in one for all."""
    targets = history.targets
    if not targets:
        return "No target was tested."
    if len(targets) <= _NAMED:
        return " ".join(map(_target_sentence, targets))
    failing = sum(any(track.outcome == "fail" for track in target.tracks) for target in targets)
    verb = "fails" if failing == 1 else "fail"
    return f"{failing} of {len(targets)} targets {verb} at least one requirement now; {_moves(targets)}."


def _target_sentence(target: TargetHistory) -> str:
    name, failing = printable(target.name, 80), target.in_state("failing")
    if not failing and not target.in_state("passing"):
        return f"{name}: nothing was examined."
    return f"{name}: {_now(failing)}; {_moves([target])}."


def _now(failing: Sequence[Track]) -> str:
    if not failing:
        return "nothing fails now"
    waived = sum(track.outcome == "waived" for track in failing)
    number = len(failing) - waived
    also = f"{plural(waived, 'failure')} {'is' if waived == 1 else 'are'} waived"
    if not number:
        return f"nothing fails now that is not waived, and {also}"
    fails = f"{plural(number, 'requirement')} {'fails' if number == 1 else 'fail'} now"
    return f"{fails}, and {also}" if waived else fails


def _moves(targets: Iterable[TargetHistory]) -> str:
    flips = [flip for target in targets for track in target.tracks for flip in track.flips]
    if not flips:
        return "no verdict changed"
    passes = [flip for flip in flips if flip.fixed]
    chance = sum(flip.by_chance for flip in passes)
    began, fixed = len(flips) - len(passes), len(passes) - chance
    parts = [f"{began} began to fail"] if began else []
    parts += [f"{fixed} {'was' if fixed == 1 else 'were'} fixed"] if fixed else []
    parts += [f"{chance} failed now and then, and passed"] if chance else []
    return one_of(parts, "and")


def moment(run: PastRun) -> str:
    """When a run started, to the minute."""
    return run.info.started[:16].replace("T", " ")


def day(run: PastRun) -> str:
    """The day on which a run started."""
    return run.info.started[:10]


def flip_title(flip: Flip) -> str:
    """What happened."""
    if flip.by_chance:
        return "failed now and then, and passed" if flip.fixed else "began to fail now and then"
    return "was fixed" if flip.fixed else "began to fail"


def flip_place(flip: Flip, history: History) -> str:
    """Between which runs it happened."""
    runs = history.runs
    before, after = (f"run {index + 1} ({moment(runs[index])})" for index in (flip.before, flip.after))
    return f"between {before} and {after}"


def since(track: Track, history: History) -> str:
    """Since when the requirement has its last verdict that counts; empty if no verdict counts."""
    if track.since is None:
        return ""
    start = f"{moment(history.runs[track.since])}{CHANCE[track.entry.frequency.when] if track.entry.frequency else ''}"
    return f"since {start}" if track.flips else f"since the first run that examined it, {start}"


def changes_text(changes: Sequence[Change]) -> str:
    """All changes in a line, or that there are none."""
    lines = (f"{one.name}: {printable(one.before, 120)} → {printable(one.after, 120)}" for one in changes)
    return "; ".join(lines) or UNEXPLAINED


def course(track: Track) -> str:
    """The verdicts in order of time, equal ones in a row counted: "pass × 3, fail"."""
    return ", ".join(
        outcome if number == 1 else f"{outcome} × {number}"
        for outcome, number in ((outcome or "no verdict", len(list(same))) for outcome, same in groupby(track.outcomes))
    )


def flips_by_time(history: History) -> list[tuple[TargetHistory, Track, Flip]]:
    """Every flip with its target and requirement, the newest first."""
    found = [(target, track, flip) for target in history.targets for track in target.tracks for flip in track.flips]
    return sorted(found, key=lambda one: -one[2].after)


def failing_now(history: History) -> list[tuple[TargetHistory, Track]]:
    """Every requirement that fails now, with its target."""
    return [(target, track) for target in history.targets for track in target.in_state("failing")]


def candidates(history: History) -> list[tuple[TargetHistory, Track]]:
    """The candidates for flakiness of all targets, most flips first."""
    found = [(target, track) for target in history.targets for track in target.tracks if track.unexplained]
    return sorted(found, key=lambda one: -one[1].unexplained)


def candidate_text(track: Track) -> str:
    """How strongly a candidate suggests flakiness."""
    number = track.unexplained
    also = "; a change of the server would also explain it" if number == 1 else ""
    if any(flip.by_chance for flip in track.flips):
        also = "; the server does not always do the same: it failed now and then in one run"
    return f"{plural(number, 'flip')} without a change of the run{also}."


def steps_with_changes(history: History) -> list[tuple[int, int, tuple[Change, ...], tuple[str, ...]]]:
    """Each pair of runs between which something changed, with the changes and the targets that share them.

    The newest pair comes first.
    """
    found = grouped(
        ((step.before, step.after, step.changes), target.name)
        for target in history.targets
        for step in target.steps
        if step.changes
    )
    return [(*key, tuple(names)) for key, names in sorted(found.items(), key=lambda one: -one[0][1])]
