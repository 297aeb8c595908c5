"""How a key's quota is used, as the rate limit headers of successive answers show it (section 8).

Only answers that no cache can have given count: to POSTs, to URLs requested for the first time, and with headers that
the URL has not shown before. There are three kinds of window. A fixed window keeps its Reset: once the same Reset was
seen for longer than rounding explains, only the refill of a bucket comes free before it. In a sliding window, and in a
bucket whose Reset is the time when it is full, Reset moves: there Limit - Remaining covers what we spent. A Reset that
is seconds to go is wrong (RATE-3), but says when its window ends, so it excuses nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import floor, inf

from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.once import Once
from petcheck.judging.rate_headers import (
    DAY_S,
    header_of,
    is_seconds_to_go,
    limit_of,
    remaining_of,
    retry_after,
    seconds_to_reset,
)
from petcheck.spec.figures import AGE, FRESH, RATE_HEADERS, RATE_RESET

# Date is cut to whole seconds, Reset is rounded to them, and clocks differ by at most 2 s
CLOCK_S = 3.0
# a Reset that follows the clock stays the same for at most a second
ROUNDING_S = 1.1
# seconds to go that fell by so much fell with the clock: rounding hides less
_FALLEN_S = 2.0
# ends that differ by less are one: rounding, and the time that an answer takes
_SAME_END_S = 1.5
# the answers before it that each is compared with: in a long run, all would take too long
_NEAR = 64
ENOUGH = 5  # successes that show whether requests are counted
MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Count:
    """An answer's figures for the key's quota, and the seconds from sending to Reset.

    `reset` names the window: Reset as text, or, if Reset is seconds `to_go`, when that window ends.
    `sent_before` counts the successes that were sent before this answer arrived, itself included; `done_before` counts
    those that arrived before it was sent. Together they give how many were spent between two answers.
    """

    exchange: Exchange
    limit: int
    remaining: int
    reset: str
    span: float
    to_go: bool = False
    sent_before: int = 0
    done_before: int = 0

    @property
    def spends(self) -> bool:
        """Whether the request certainly counts against the quota: a refused one may not."""
        return self.exchange.status is not None and self.exchange.status < 300

    @property
    def ends(self) -> float:
        """When the window ends at the earliest, in monotonic seconds."""
        return self.exchange.sent + self.span - CLOCK_S

    def is_of_the_window_of(self, exchange: Exchange) -> bool:
        """Whether another answer has the Reset of this window."""
        if self.to_go:
            end = exchange.sent + seconds_to_reset(exchange)
            return is_seconds_to_go(exchange) and abs(end - self.ends - CLOCK_S) <= CLOCK_S
        return header_of(exchange, RATE_RESET) == self.reset


@dataclass(frozen=True, slots=True)
class WindowSeen:
    """Answers with one Limit and Reset, in an order that their times allow."""

    counts: tuple[Count, ...]

    @property
    def reset(self) -> str:
        """The Reset of all of them."""
        return self.counts[0].reset

    @property
    def end_is_known(self) -> bool:
        """Whether a Reset lay ahead. One that names no time, or a past one, tells no new window from a wrong count."""
        return any(count.span > 0 for count in self.counts)

    @property
    def first(self) -> Exchange:
        """The first to be answered."""
        return self._first.exchange

    @property
    def _first(self) -> Count:
        return min(self.counts, key=lambda count: count.exchange.finished)

    @property
    def is_fixed(self) -> bool:
        """Whether Reset stays while the clock advances, or the window begins full and a 429 says that it is used up.

        In a window that does not begin full, requests spent before it may come free.
        """
        first, last = self._first, max(self.counts, key=lambda count: count.exchange.sent)
        if first.to_go:
            stays = first.span - last.span >= _FALLEN_S
        else:
            stays = last.exchange.sent - first.exchange.finished > ROUNDING_S
        return stays or self._is_refused_until_reset

    @property
    def counts_steadily(self) -> bool:
        """Whether no request becomes free again: it begins full, Remaining falls by equal steps, and Reset stays.

        In a bucket, Reset moves; a quota that slides does not begin full.
        """
        first, last = self.counts[0], self.counts[-1]
        steps = {a.remaining - b.remaining for a, b in pairwise(self.counts) if a.spends and b.spends and a.remaining}
        if (
            len(steps) != 1
            or not self.is_fixed
            or not has_enough_successes(self.counts)
            or last.remaining >= first.remaining
        ):
            return False
        return first.remaining + steps.pop() >= first.limit

    @property
    def _is_refused_until_reset(self) -> bool:
        falls = [a.remaining - b.remaining for a, b in pairwise(self.counts) if a.remaining > b.remaining]
        if self.counts[0].remaining + min(falls, default=1) < self.counts[0].limit:
            return False
        refusals = (count for count in self.counts if count.exchange.status == 429)
        return any((retry_after(one.exchange) or 0.0) >= max(one.span - CLOCK_S, one.span / 2) > 0 for one in refusals)


@dataclass(frozen=True, slots=True)
class QuotaSeen:
    """All answers with one Limit, in an order that their times allow."""

    limit: int
    counts: tuple[Count, ...]
    windows: tuple[WindowSeen, ...]

    @property
    def successes(self) -> tuple[Count, ...]:
        """The answers that certainly spent something."""
        return tuple(count for count in self.counts if count.spends)

    @property
    def moves(self) -> bool:
        """Whether Reset moved on before it was reached."""
        return any(before.reset != after.reset and _moved(before, after) for before, after in pairwise(self.counts))


def _moved(one: Count, next_: Count) -> bool:
    """Whether the second of two windows was seen before the first ended; of overlapping answers any can be first."""
    if one.exchange.finished <= next_.exchange.sent:
        return next_.exchange.sent < one.ends
    before, after = sorted((one, next_), key=lambda count: count.ends)
    return after.exchange.finished < before.ends


# ---- from a record


def _counts_in(record: Iterable[Exchange]) -> Sequence[Count]:
    """The quota figures of the answers to the key, without answers that a cache can have given."""
    shown: dict[str, set[tuple[str | None, ...]]] = {}
    ends: dict[int, float] = {}
    found = []
    for exchange in record:
        request = exchange.request
        figures = tuple(header_of(exchange, name) for name in RATE_HEADERS)
        before = shown.setdefault(request.url, set()) if request.operation.safe else set()
        new = not before or figures not in before
        before.add(figures)
        # a server that refuses the valid key may count the request for nobody
        if not new or not request.has_valid_key or exchange.status == 401 or _is_aged(exchange):
            continue
        limit, remaining, reset = limit_of(exchange), remaining_of(exchange), figures[2]
        span = seconds_to_reset(exchange)
        # RATE-1 to RATE-3 judge the others
        if limit is None or remaining is None or reset is None or not remaining <= limit > 0 or span > 2 * DAY_S:
            continue
        to_go = is_seconds_to_go(exchange)
        window = _window_ending(exchange.sent + span, ends) if to_go else reset
        found.append(Count(exchange, limit, remaining, window, span, to_go))
    return found


def _window_ending(end: float, ends: dict[int, float]) -> str:
    """The window that ends at about that time, one of `ends` or a new one: seconds to go are rounded, answers late."""
    cell = floor(end / _SAME_END_S)
    for place in (cell, cell - 1, cell + 1):
        if place in ends and abs(ends[place] - end) <= _SAME_END_S:
            return f"ends {ends[place]}"
    ends[cell] = end
    return f"ends {end}"


counts_in = Once(_counts_in)


def keyed(record: Iterable[Exchange]) -> Iterator[Exchange]:
    """The exchanges with the valid key."""
    return (exchange for exchange in record if exchange.request.has_valid_key)


def not_cached(record: Iterable[Exchange]) -> Iterator[Exchange]:
    """The exchanges with the valid key that no cache can have answered: POSTs, and the first of each URL.

    A cache that renews its copy unseen, or for another client, shows figures that are new and old at once.
    """
    asked: set[str] = set()
    for exchange in keyed(record):
        if not exchange.request.operation.safe or exchange.request.url not in asked:
            yield exchange
        asked.add(exchange.request.url)


def _is_aged(exchange: Exchange) -> bool:
    """Whether a cache says that it answered; a POST always reaches the server."""
    return exchange.request.operation.safe and header_of(exchange, AGE) not in (None, FRESH)


def quotas_in(counts: Iterable[Count]) -> list[QuotaSeen]:
    """The answers grouped by Limit, with what was spent between them."""
    by_limit = grouped((count.limit, count) for count in counts)
    return [_quota(limit, _with_spent(own)) for limit, own in by_limit.items()]


def _quota(limit: int, counts: Sequence[Count]) -> QuotaSeen:
    windows = grouped((count.reset, count) for count in counts)
    return QuotaSeen(limit, tuple(counts), tuple(WindowSeen(tuple(own)) for own in windows.values()))


def _with_spent(counts: Sequence[Count]) -> list[Count]:
    """The counts in an order that their times allow, each with the successes before it."""
    spending = [count.exchange for count in counts if count.spends]
    sent = sorted(exchange.sent for exchange in spending)
    done = sorted(exchange.finished for exchange in spending)
    known = [
        replace(
            count,
            sent_before=bisect_right(sent, count.exchange.finished),
            done_before=bisect_right(done, count.exchange.sent),
        )
        for count in counts
    ]
    return [count for group in overlapping(known) for count in _in_order(group)]


def overlapping(counts: Iterable[Count]) -> list[list[Count]]:
    """Counts in groups, of which each came before the next was sent."""
    groups: list[list[Count]] = []
    end = -inf
    for count in sorted(counts, key=lambda count: count.exchange.sent):
        if count.exchange.sent >= end:
            groups.append([])
        groups[-1].append(count)
        end = max(end, count.exchange.finished)
    return groups


def by_remaining(group: Iterable[Count]) -> list[Count]:
    """Answers that overlapped as a quota counts them down."""
    return sorted(group, key=lambda count: -count.remaining)


def _in_order(group: list[Count]) -> list[Count]:
    """Answers that overlapped as a quota counts them down, if their times allow that; otherwise as they were sent."""
    falling, latest = by_remaining(group), -inf
    for count in falling:
        if count.exchange.finished <= latest:
            return group
        latest = max(latest, count.exchange.sent)
    return falling


# ---- what was spent


def has_enough_successes(counts: Sequence[Count]) -> bool:
    """Whether a window has enough successes (five) to show whether requests are counted."""
    return sum(count.spends for count in counts) >= ENOUGH


def spent_between(earlier: Count, later: Count) -> int:
    """Requests served after one answer had arrived and before the request of another was sent."""
    return max(0, later.done_before - earlier.sent_before)


def demanded(earlier: Count, later: Count) -> float:
    """What was spent between two answers, minus what may have come free at Limit per span from the first to its Reset.

    Rounding to whole requests may hide one more. At or below zero, Remaining may stay.
    """
    seconds = later.exchange.finished - earlier.exchange.sent
    return spent_between(earlier, later) - earlier.limit * seconds / (earlier.span - CLOCK_S) - 1


def is_counted_down(quota: QuotaSeen) -> bool:
    """Whether the answers show that requests are counted: a window of five or more falls, or Remaining fell enough."""
    falls = any(
        w.end_is_known and has_enough_successes(w.counts) and w.counts[-1].remaining < w.counts[0].remaining
        for w in quota.windows
    )
    return falls or any(
        spent_between(earlier, later) >= ENOUGH - 1
        and (demanded(earlier, later) > 0 or earlier.remaining - later.remaining >= spent_between(earlier, later))
        for earlier, later in pairs(quota.counts)
    )


def pairs(counts: Sequence[Count]) -> Iterator[tuple[Count, Count]]:
    """Pairs to compare: each answer with the first, the nearest before it, and others at doubling distances.

    The later one comes before half of the time to the earlier one's Reset has passed: windows that slide in steps
    release early what was spent, and a step is at most half of the window.
    """
    rises = (
        place if one.remaining > before.remaining else 0 for place, (before, one) in enumerate(pairwise(counts), 1)
    )
    risen = [*accumulate(rises, max, initial=0)]  # the latest place at which Remaining rose
    for place, later in enumerate(counts):
        near = range(1, min(place, _NEAR) + 1)
        for distance in {place, *near, *(1 << n for n in range(place.bit_length()))} - {0}:
            earlier = counts[place - distance]
            half = earlier.exchange.sent + (earlier.span - CLOCK_S) / 2
            if place - distance < risen[place] and later.exchange.heard.date is None:
                continue  # the clocks may differ, and this be the next window
            if earlier.exchange.finished <= later.exchange.sent and later.exchange.finished < half:
                yield earlier, later


def refill(first: Count) -> float:
    """Requests per second that a bucket gains if it refills fully within a minute, or until Reset if that is sooner."""
    return first.limit / min(MINUTE_S, max(first.span - CLOCK_S, 1e-9))


def served_in_words(number: int) -> str:
    """How many requests were served, in words."""
    return f"{number} request{' was' if number == 1 else 's were'} served"
