"""Time in pictures: the requests of a run, or of a burst, as bars over time, and how long the answers took.

`timeline` draws both, in thousandths of the picture's width; each of the requests that overlap has its own lane.
Colours support the picture and never carry it alone: what decides a failure has a mark below it, or words beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.rate_headers import remaining_of
from petcheck.judging.verdicts import Verdict
from petcheck.results.result import Result
from petcheck.spec.operations import Operation
from petcheck.stream.curl import curl_burst
from petcheck.stream.lines import Waited
from petcheck.stream.stream import Stream

_WIDTH = 1000
_LANE = 10  # units of height, a gap of two below included
_LANES = 12  # at most: whatever overlaps more shares the lane that is free first
_NARROWEST, _MARK = 2, 7  # width of a bar at least, and of a mark
_BARS = 600  # with more, those that decide nothing are drawn together: a page must stay small
_APART = 6  # bars that are drawn together are at least so far apart
_BURSTS = 40
_LONG = 1 / 8  # of the rest: a longer gap is drawn shorter
_MOMENT = 1e-6  # seconds that are left of the rest, at least
_COMMAND = 20_000  # characters of a command that a page shows

Pause = tuple[int, float]
"""A wait: the index of the first exchange that may have come after it, and its seconds."""

Fails = Mapping[int, Sequence[Verdict]]
"""The failures that an exchange decides, by its index."""


@dataclass(frozen=True, slots=True)
class Bar:
    """An exchange in a picture, the failures that it decides, and its place."""

    exchange: Exchange
    fails: Sequence[Verdict]
    lane: int
    left: int
    right: int

    @property
    def kind(self) -> str:
        """How it is drawn: plain, fail or waived."""
        return min((row.outcome for row in self.fails), default="plain")

    @property
    def path(self) -> str:
        """Its shape."""
        return _rectangle(self.left, self.lane * _LANE, self.right, _LANE - 2)


@dataclass(frozen=True, slots=True)
class Timeline:
    """A picture of exchanges in the order sent; `seconds` are those from the first request to the last answer.

    `single` are the bars to draw one by one; `together` are the shapes of all others, by kind. `marks` are those of
    failures. `waits` are spans without a request under way: waits, and those so long that they are `shortened`.
    `remaining` are the values of X-RateLimit-Remaining with the valid key, and `line` is their line: as many units of
    height as of width, the greatest value at the top.
    """

    bars: Sequence[Bar]
    single: Sequence[Bar]
    together: Sequence[tuple[str, str]]
    marks: Sequence[tuple[str, str]]
    waits: Sequence[tuple[str, str]]
    height: int
    seconds: float
    shortened: bool
    remaining: Sequence[int]
    line: str


@dataclass(frozen=True, slots=True)
class Times:
    """How long answers took: their number, and those with the median, the 95th percentile and the longest time."""

    name: str
    number: int
    median: Exchange
    most: Exchange
    slowest: Exchange


@dataclass(frozen=True, slots=True)
class Burst:
    """Requests that were sent at the same time. `alone` are the same requests sent one after the other, by index.

    `repeats` is the number of the burst that it repeats; `command` sends it again, and is empty if none can.
    """

    target: str
    number: int
    picture: Timeline
    alone: Mapping[int, Exchange]
    repeats: int | None
    command: str


def fails_of(result: Result, target: str) -> Fails:
    """The failures of a target, waived ones too, by the exchanges that decide them."""
    rows = [row for row in result.rows_of(target) if row.outcome in ("fail", "waived")]
    return grouped((index, row) for row in rows for index in row.decisive)


def pauses(stream: Stream, target: str) -> Iterator[Pause]:
    """The waits for a target."""
    following = 0
    for entry in stream.entries:
        if isinstance(entry, Exchange) and entry.target == target:
            following = entry.index + 1
        elif isinstance(entry, Waited) and entry.target == target:
            yield following, entry.seconds


def timeline(exchanges: Iterable[Exchange], fails: Fails, waited: Iterable[Pause] = (), most: int = _BARS) -> Timeline:
    """The picture of exchanges with one target, at least one; of more than `most` failures alone have their own bar."""
    ordered = sorted(exchanges, key=lambda one: (one.sent, one.index))
    gaps = _gaps(ordered)
    scale = _Scale(ordered, gaps)
    free: list[float] = []
    bars = []
    for one in ordered:
        lane = next((lane for lane, end in enumerate(free) if end <= one.sent), len(free))
        if lane == _LANES:
            lane = free.index(min(free))
        free[lane : lane + 1] = [max([one.finished, *free[lane : lane + 1]])]
        left = min(scale.place(one.sent), _WIDTH - _NARROWEST)
        right = max(scale.place(one.finished) - 1, left + _NARROWEST)
        bars.append(Bar(one, fails.get(one.index, ()), lane, left, right))
    single = [bar for bar in bars if bar.fails or len(bars) <= most][:most]
    drawn = {bar.exchange.index for bar in single}
    rest = [bar for bar in bars if bar.exchange.index not in drawn]
    decides = [(bar.kind, 0, min(bar.left, _WIDTH - _MARK)) for bar in bars if bar.fails]
    spans = [*scale.long, *_spans(ordered, gaps, waited)]
    levels = {
        scale.place(one.finished): level
        for one in sorted(ordered, key=lambda one: one.finished)
        if one.request.has_valid_key and (level := remaining_of(one)) is not None
    }
    height = len(free) * _LANE
    return Timeline(
        bars,
        single,
        _shapes(((bar.kind, bar.lane, bar.left, bar.right) for bar in rest), _LANE - 2, _APART),
        _shapes(((*place, place[2] + _MARK) for place in decides), _LANE),
        _shapes((("wait", 0, scale.place(start), scale.place(end)) for start, end in spans), height),
        height,
        scale.seconds,
        bool(scale.long),
        tuple(levels.values()),
        _steps(levels),
    )


def times(exchanges: Iterable[Exchange]) -> list[Times]:
    """How long the answers took, by operation in the document's order, and of several all together."""
    answered = sorted((one for one in exchanges if one.status is not None), key=lambda one: (one.elapsed, one.index))
    found = {str(kind): [one for one in answered if one.request.operation is kind] for kind in Operation}
    groups = {name: group for name, group in found.items() if group}
    if len(groups) > 1:
        groups["all"] = answered
    return [
        Times(name, len(group), *(group[ceil(share * len(group)) - 1] for share in (0.5, 0.95, 1)))
        for name, group in groups.items()
    ]


def bursts(exchanges: Iterable[Exchange], fails: Fails) -> list[Burst]:
    """The bursts to one target: those that decide a failure, and as many others as a page has room for."""
    exchanges = list(exchanges)
    members = grouped((one.burst, one) for one in exchanges if one.burst is not None)
    alone = {one.again: one for one in reversed(exchanges) if one.burst is None and one.again is not None}
    first = {one.index: number for number, each in members.items() for one in each}
    made = []
    for number, each in members.items():
        same = {one.index: one.index if one.again is None else one.again for one in each}
        command = curl_burst({one.index: one.request for one in each}, served=each[0].log is not None)
        made.append(
            Burst(
                each[0].target,
                number,
                timeline(each, fails),
                {index: alone[origin] for index, origin in same.items() if origin in alone},
                next((first[one.again] for one in each if one.again in first), None),
                command if len(command) <= _COMMAND else "",
            )
        )
    kept = sorted(made, key=lambda one: (not one.picture.marks, one.number))[:_BURSTS]
    return sorted(kept, key=lambda one: one.number)


class _Scale:
    """Moments as places in a picture, whose width is the time from the first request to the last answer."""

    def __init__(self, ordered: Sequence[Exchange], gaps: Iterable[tuple[float, float]]) -> None:
        self._start = ordered[0].sent
        self.seconds = rest = max(one.finished for one in ordered) - self._start
        self.long = []
        for start, end in sorted(gaps, key=lambda gap: gap[0] - gap[1]):
            if not rest * _LONG < end - start < rest - _MOMENT:
                break
            self.long.append((start, end))
            rest -= end - start
        self._drawn = rest * _LONG
        self._unit = _WIDTH / (rest + self._drawn * len(self.long) or 1.0)

    def place(self, moment: float) -> int:
        """Where a moment is."""
        passed = moment - self._start
        for start, end in self.long:
            passed -= min(max(moment - start, 0.0), end - start) * (1 - self._drawn / (end - start))
        return min(max(round(passed * self._unit), 0), _WIDTH)


def _gaps(ordered: Sequence[Exchange]) -> list[tuple[float, float]]:
    """The spans in which no request was under way."""
    found, latest = [], ordered[0].sent
    for one in ordered:
        if one.sent > latest:
            found.append((latest, one.sent))
        latest = max(latest, one.finished)
    return found


def _spans(
    ordered: Sequence[Exchange], gaps: Sequence[tuple[float, float]], waited: Iterable[Pause]
) -> Iterator[tuple[float, float]]:
    """The waits as spans: a wait ends with the first request after it that has a gap as long before it."""
    for following, seconds in waited:
        later = {one.sent for one in ordered if one.index >= following}
        yield from [(end - seconds, end) for start, end in gaps if end in later and end - start >= 0.9 * seconds][:1]


def _steps(levels: Mapping[int, int]) -> str:
    """A line with steps through values at their places."""
    top = max(levels.values(), default=0) or 1
    steps = [f"H{place}V{_WIDTH - level * _WIDTH // top}" for place, level in levels.items()]
    return "".join(steps).replace("H", "M", 1).replace("V", " ", 1)


def _shapes(spans: Iterable[tuple[str, int, int, int]], height: int, apart: int = 2) -> list[tuple[str, str]]:
    """Spans, each with its kind and lane, as a shape for each kind; those that are less than `apart` apart are one."""
    found: dict[str, str] = {}
    before = ("", 0, 0, 0)
    for kind, lane, left, right in [*sorted(spans), ("", 0, 0, 0)]:
        if before[:2] == (kind, lane) and left < before[3] + apart:
            before = (kind, lane, before[2], max(right, before[3]))
            continue
        if before[0]:
            found[before[0]] = found.get(before[0], "") + _rectangle(before[2], before[1] * _LANE, before[3], height)
        before = (kind, lane, left, right)
    return list(found.items())


def _rectangle(left: int, top: int, right: int, height: int) -> str:
    return f"M{left} {top}h{right - left}v{height}h{left - right}z"
