"""The picture of a history: a bar for each run and a strip for each requirement that ever failed, as SVG paths.

Every run has a column of the same width, whatever time passed between runs. Colours support the picture and never
carry it alone: a failure fills the height of its strip, a waived one three quarters, a broken one half, a pass is a
line in the middle, and what was not examined a dot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from petcheck.comparison.history import History, Tally, TargetHistory, Track
from petcheck.reports import history_words as words
from petcheck.results.totals import plural
from petcheck.spec.outcomes import OUTCOMES, Outcome

COLUMN = 10
"""Units of width for each run; a gap of one unit is between two."""

HEIGHT = 20
"""Units of height of a strip, and of a chart of bars."""

# of each outcome the distance from the top and the height, in units
_BARS: dict[Outcome, tuple[int, int]] = {
    "fail": (0, HEIGHT),
    "waived": (HEIGHT // 4, HEIGHT * 3 // 4),
    "error": (HEIGHT // 2, HEIGHT // 2),
    "pass": (8, 4),
    "inconclusive": (9, 2),
    "not-run": (9, 2),
}
_DOT = ("inconclusive", "not-run")

_STRIPS = 40  # requirements of a target that have a strip
_PICTURES = 12  # targets that have strips of requirements
_TARGETS = 200  # targets that have a bar chart


@dataclass(frozen=True, slots=True)
class Strip:
    """One row: `label`, a `note` at its end, its `paths` by class, and the same `spoken`, for who cannot see it."""

    label: str
    note: str
    paths: tuple[tuple[str, str], ...]
    spoken: str


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of one target: its `bars`, the `changes` between its runs, its requirements; `more` have no strip."""

    target: str
    bars: Strip
    changes: Strip | None
    strips: tuple[Strip, ...]
    more: int


def pictures(history: History) -> tuple[Picture, ...]:
    """A picture for each target, those with failures first; of very many targets only for as many as a page holds."""
    ordered = sorted(history.targets, key=_weight)
    return tuple(
        _picture(target, history, with_strips=place < _PICTURES) for place, target in enumerate(ordered[:_TARGETS])
    )


def _weight(target: TargetHistory) -> tuple[int, int]:
    """Targets that fail come first, then those that changed."""
    return -len(target.in_state("failing")), -sum(len(track.flips) for track in target.tracks)


def _picture(target: TargetHistory, history: History, *, with_strips: bool) -> Picture:
    failed = sorted((track for track in target.tracks if track.ever_failed), key=lambda track: track.state != "failing")
    shown = failed[:_STRIPS] if with_strips else []
    return Picture(
        target.name, _bars(target), _changes(target), tuple(_strip(t, history) for t in shown), len(failed) - len(shown)
    )


def _bars(target: TargetHistory) -> Strip:
    most = max((one.fail + one.waived for one in target.tallies), default=0)
    rects: dict[str, list[tuple[int, int, int]]] = {"fail": [], "waived": [], "pass": [], "error": []}
    for one in target.tallies:
        fail, both = (-(-HEIGHT * number // max(most, 1)) for number in (one.fail, one.fail + one.waived))
        if not one.tested:
            rects["error"].append((one.run, HEIGHT // 2, HEIGHT // 2))
        elif not both:
            rects["pass"].append((one.run, HEIGHT - 1, 1))
        if fail:
            rects["fail"].append((one.run, HEIGHT - fail, fail))
        if both > fail:
            rects["waived"].append((one.run, HEIGHT - both, both - fail))
    numbers = ", ".join(_tally_text(one) for one in target.tallies)
    note = f"{_tally_text(target.tallies[-1])} now, {most} at most" if most else "none in any run"
    return Strip("failing", note, _paths(rects.items()), f"Requirements that fail, run by run: {numbers}")


def _tally_text(tally: Tally) -> str:
    if not tally.tested:
        return "not tested"
    return f"{tally.fail} + {tally.waived} waived" if tally.waived else str(tally.fail)


def _changes(target: TargetHistory) -> Strip | None:
    """A mark before each run that something was changed for; None without changes."""
    steps = [step for step in target.steps if step.changes]
    if not steps:
        return None
    marks = "".join(f"M{step.after * COLUMN - 2} 0h3v{HEIGHT}h-3z" for step in steps)
    spoken = "; ".join(f"before run {step.after + 1}: {', '.join(c.name for c in step.changes)}" for step in steps)
    return Strip("changes", plural(len(steps), "time"), (("change", marks),), f"Something changed {spoken}")


def _strip(track: Track, history: History) -> Strip:
    rects: dict[Outcome, list[tuple[int, int, int]]] = {}
    for run, outcome in enumerate(track.outcomes):
        if outcome is not None:
            rects.setdefault(outcome, []).append((run, *_BARS[outcome]))
    return Strip(
        track.entry.id,
        _strip_note(track, history),
        _paths((outcome, rects[outcome]) for outcome in OUTCOMES if outcome in rects),
        f"{track.entry.id}: {words.course(track)}",
    )


def _strip_note(track: Track, history: History) -> str:
    if track.since is None:
        return "no verdict that counts"
    verb = {"fail": "fails", "waived": "waived, fails"}.get(str(track.outcome), "holds")
    return f"{verb} since {words.day(history.runs[track.since])}"


def _paths(rects: Iterable[tuple[str, Sequence[tuple[int, int, int]]]]) -> tuple[tuple[str, str], ...]:
    """A path for each class: a rectangle for each run, distance from the top, and height."""
    return tuple((name, "".join(_rectangles(name, found))) for name, found in rects if found)


def _rectangles(name: str, found: Sequence[tuple[int, int, int]]) -> Iterator[str]:
    indent = 3 if name in _DOT else 0
    for run, top, height in found:
        yield f"M{run * COLUMN + indent} {top}h{COLUMN - 1 - 2 * indent}v{height}h-{COLUMN - 1 - 2 * indent}z"
