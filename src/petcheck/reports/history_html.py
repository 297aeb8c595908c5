"""history.html: a picture of the verdicts over time, then what fails now, what changed, and every run.

The picture is a bar for each run and a strip for each requirement that ever failed, as SVG paths. Every run has a
column of the same width, whatever time passed between runs. Colours support the picture and never carry it alone: a
failure fills the height of its strip, a waived one three quarters, a broken one half, a pass is a line in the middle,
and what was not examined a dot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from petcheck.comparison.history import History, Tally, TargetHistory, Track
from petcheck.reports import history_text, templating
from petcheck.sanitize import printable
from petcheck.spec.outcomes import OUTCOMES, Outcome
from petcheck.words import plural

_COLUMN = 10  # units of width for each run; a gap of one unit is between two
_HEIGHT = 20  # units of height of a strip, and of a chart of bars

# of each outcome the distance from the top and the height, in units
_BARS: dict[Outcome, tuple[int, int]] = {
    "fail": (0, _HEIGHT),
    "waived": (_HEIGHT // 4, _HEIGHT * 3 // 4),
    "error": (_HEIGHT // 2, _HEIGHT // 2),
    "pass": (8, 4),
    "inconclusive": (9, 2),
    "not-run": (9, 2),
}
_DOT = ("inconclusive", "not-run")
_Rect = tuple[str, int, int, int]  # class, run, distance from the top, height

_STRIPS = 40  # requirements of a target that have a strip
_FEW = 4  # so many targets need no overview
_PICTURES = 12  # targets that have their own picture beside the overview
_TARGETS = 200  # targets in the overview


@dataclass(frozen=True, slots=True)
class Strip:
    """One row: `label`, a `note` at its end, its `paths` by class, and the same as words, `spoken`.

    It is a strip of verdicts, a `chart` of failures by run, or `marks` where something changed.
    """

    label: str
    note: str
    paths: tuple[tuple[str, str], ...]
    spoken: str
    kind: str = "strip"


@dataclass(frozen=True, slots=True)
class Picture:
    """Of one target a chart, strips and marks; of all a strip for each. `more` names what is left out."""

    title: str
    strips: tuple[Strip, ...]
    more: str = ""


def render(history: History, reports: Mapping[str, str]) -> str:
    """The whole page. `reports` are the addresses of the reports that runs have, by the file of the run."""
    return templating.page(
        "history.html.jinja",
        "history.css",
        history=history,
        words=history_text,
        reports=reports,
        pictures=pictures(history),
        width=len(history.runs) * _COLUMN - 1,
        height=_HEIGHT,
    )


def pictures(history: History) -> tuple[Picture, ...]:
    """A picture of each target, those with failures first; of many targets an overview, then those that ever failed."""
    # those that fail come first, then those that changed
    ordered = sorted(
        history.targets, key=lambda one: (-len(one.in_state("failing")), -sum(len(track.flips) for track in one.tracks))
    )
    if len(ordered) <= _FEW:
        return tuple(_picture(target, history) for target in ordered)
    failed = [target for target in ordered if any(track.ever_failed for track in target.tracks)]
    return (_overview(ordered), *(_picture(target, history) for target in failed[:_PICTURES]))


def _overview(targets: Sequence[TargetHistory]) -> Picture:
    most = max(_most(target) for target in targets)
    strips = tuple(_bars(target, printable(target.name, 40), most) for target in targets[:_TARGETS])
    left = len(targets) - len(strips)
    are = "is" if left == 1 else "are"
    more = f"{plural(left, 'target')} with no more failures {are} not shown." if left else ""
    return Picture("All targets", strips, more)


def _picture(target: TargetHistory, history: History) -> Picture:
    failed = sorted((track for track in target.tracks if track.ever_failed), key=lambda track: track.state != "failing")
    left = len(failed) - _STRIPS
    return Picture(
        target.name,
        (
            replace(_bars(target, "failing", _most(target)), kind="chart"),
            *(_strip(track, history) for track in failed[:_STRIPS]),
            *_changed(target),
        ),
        f"{plural(left, 'other requirement')} failed at some time." if left > 0 else "",
    )


def _most(target: TargetHistory) -> int:
    """The most failures of a target in one run, waived ones included."""
    return max(one.fail + one.waived for one in target.tallies)


def _bars(target: TargetHistory, label: str, full: int) -> Strip:
    """A bar for each run; `full` failures fill the height."""
    rects: list[_Rect] = []
    for one in target.tallies:
        fail, both = (-(-_HEIGHT * number // max(full, 1)) for number in (one.fail, one.fail + one.waived))
        if not one.tested:
            rects.append(("error", one.run, _HEIGHT // 2, _HEIGHT // 2))
        elif not both:
            rects.append(("pass", one.run, _HEIGHT - 1, 1))
        if fail:
            rects.append(("fail", one.run, _HEIGHT - fail, fail))
        if both > fail:
            rects.append(("waived", one.run, _HEIGHT - both, both - fail))
    spoken = f"{target.name}: requirements that fail, run by run: {', '.join(map(_tally_text, target.tallies))}"
    most = _most(target)
    note = f"{_tally_text(target.tallies[-1])} now, {most} at most" if most else "none in any run"
    return Strip(label, note, _paths(rects, ("fail", "waived", "pass", "error")), spoken)


def _tally_text(tally: Tally) -> str:
    if not tally.tested:
        return "not tested"
    return f"{tally.fail} + {tally.waived} waived" if tally.waived else str(tally.fail)


def _changed(target: TargetHistory) -> Iterator[Strip]:
    """A mark before each run that something was changed for; nothing without changes."""
    if steps := [step for step in target.steps if step.changes]:
        marks = "".join(f"M{step.after * _COLUMN - 2} 0h3v{_HEIGHT}h-3z" for step in steps)
        spoken = "; ".join(f"before run {step.after + 1}: {', '.join(c.name for c in step.changes)}" for step in steps)
        paths = (("change", marks),)
        yield Strip("changes", plural(len(steps), "time"), paths, f"Something changed {spoken}", "marks")


def _strip(track: Track, history: History) -> Strip:
    rects = [(outcome, run, *_BARS[outcome]) for run, outcome in enumerate(track.outcomes) if outcome is not None]
    spoken = f"{track.entry.id}: {history_text.course(track)}"
    return Strip(track.entry.id, _strip_note(track, history), _paths(rects, OUTCOMES), spoken)


def _strip_note(track: Track, history: History) -> str:
    if track.since is None:
        return "no verdict that counts"
    verb = {"fail": "fails", "waived": "waived, fails"}.get(str(track.outcome), "holds")
    return f"{verb} since {history_text.day(history.runs[track.since])}"


def _paths(rects: Iterable[_Rect], order: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """A path for each class in that order, of all its rectangles."""
    found = dict.fromkeys(order, "")
    for name, run, top, height in rects:
        indent = 3 if name in _DOT else 0
        width = _COLUMN - 1 - 2 * indent
        found[name] += f"M{run * _COLUMN + indent} {top}h{width}v{height}h-{width}z"
    return tuple((name, path) for name, path in found.items() if path)
