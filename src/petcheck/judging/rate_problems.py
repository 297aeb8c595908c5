"""What is wrong with how Remaining changed, or with Limit, by the counts of a key's quota (section 8)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.rate_counts import (
    CLOCK_S,
    ENOUGH,
    MINUTE_S,
    Count,
    QuotaSeen,
    WindowSeen,
    by_remaining,
    demanded,
    has_enough_successes,
    overlapping,
    pairs,
    quotas_in,
    refill,
    served_in_words,
    spent_between,
)
from petcheck.spec.figures import RATE_LIMIT, RATE_REMAINING, RATE_RESET
from petcheck.words import plural

_ENOUGH_IF_RESET_MOVES = 10


@dataclass(frozen=True, slots=True)
class QuotaProblem:
    """What is wrong with how a header changed, and the first and last exchange that show it."""

    text: str
    exchanges: tuple[Exchange, Exchange]
    header: str = RATE_REMAINING


def problem_of(quota: QuotaSeen) -> QuotaProblem | None:
    """What is wrong with how Remaining changed, within windows known to be fixed and compared with Limit."""
    for window in quota.windows:
        problem = problem_in(window) if window.is_fixed else None
        if problem is not None:
            return problem
    return _uncovered(quota) or _never_falls(quota)


def problem_in(window: WindowSeen) -> QuotaProblem | None:
    """What is wrong with how Remaining changed through a fixed window."""
    return _rise(window.counts) or _outlived(window.counts) or _stays(window.counts) or _falls_short(window.counts)


def problem_of_limits(counts: Sequence[Count]) -> QuotaProblem | None:
    """The problem of a Limit that always equals Remaining and takes many values: it counts nothing."""
    if len({count.limit for count in counts}) < ENOUGH or any(one.limit != one.remaining for one in counts):
        return None
    said = f"{RATE_LIMIT} always equals {RATE_REMAINING}; both went from {counts[0].limit} to {counts[-1].limit}"
    return QuotaProblem(said, (counts[0].exchange, counts[-1].exchange), RATE_LIMIT)


def seem_counted_apart(counts: Sequence[Count]) -> bool:
    """Whether Remaining falls with the requests to each operation, as if each of two or more had its own quota."""
    by_operation = grouped((count.exchange.request.operation, count) for count in counts)
    windows = [[window for quota in quotas_in(own) for window in quota.windows] for own in by_operation.values()]
    falling = [own for own in windows if any(one.counts[-1].remaining < one.counts[0].remaining for one in own)]
    return len(falling) > 1 and all(_falls_with_each(window) for own in windows for window in own)


def _falls_with_each(window: WindowSeen) -> bool:
    return all(
        before.remaining - after.remaining >= spent_between(before, after) + after.spends
        for before, after in pairwise(window.counts)
    )


def _rise(counts: Sequence[Count]) -> QuotaProblem | None:
    """The first rise of Remaining that is more than a bucket that refills by its limit a minute gains."""
    rate = refill(counts[0])

    def level(count: Count) -> float:
        """Remaining minus what refills with time."""
        return count.remaining - rate * count.exchange.sent

    done = sorted(counts, key=lambda count: count.exchange.finished)
    finished = [count.exchange.finished for count in done]

    def lower(low: Count, later: Count) -> Count:
        """The lower level; of two equal ones the later, which explains less."""
        return min(later, low, key=level)

    lowest = list(accumulate(done, lower))
    for later in counts:
        before = bisect_right(finished, later.exchange.sent)
        if before == 0:
            continue
        low = lowest[before - 1]
        if later.exchange.finished > low.ends:
            continue
        # rounding to whole requests may show one more than was refilled; a request that counts takes it up
        rounding = 0 if later.spends else 1
        gained = rate * (later.exchange.finished - low.exchange.sent)
        if later.remaining - low.remaining > rounding + gained:
            said = f"{RATE_REMAINING} rose from {low.remaining} to {later.remaining} in one window"
            return QuotaProblem(said, (low.exchange, later.exchange))
    return None


def _outlived(counts: Sequence[Count]) -> QuotaProblem | None:
    """The first rise after the window has certainly ended: a server that begins another window moves Reset.

    A bucket that refills by its limit a minute may explain it.
    """
    for before, after in pairwise(counts):
        if after.exchange.sent <= before.ends + 2 * CLOCK_S or after.exchange.sent < before.exchange.finished:
            continue
        gained = after.limit * (after.exchange.finished - before.exchange.sent) / MINUTE_S
        if after.remaining - before.remaining > gained + 1:
            said = (
                f"{RATE_REMAINING} rose from {before.remaining} to {after.remaining}, and {RATE_RESET} stayed the same"
            )
            return QuotaProblem(said, (before.exchange, after.exchange))
    return None


def _stays(counts: Sequence[Count]) -> QuotaProblem | None:
    first = min(counts, key=lambda count: count.exchange.finished)
    last = max(counts, key=lambda count: count.exchange.sent)
    if not has_enough_successes(counts) or last.remaining < first.remaining or last.remaining == 0:
        return None
    # a bucket may have refilled what was spent; a request that overlapped with the first or the last may count later
    spent = min(spent_between(first, last) + last.spends, sum(count.spends for count in counts) - 1)
    if spent < ENOUGH - 1 or refill(first) * (last.exchange.finished - first.exchange.sent) >= spent:
        return None
    said = f"{RATE_REMAINING} stayed at {last.remaining} over {plural(len(counts), 'request')} in one window"
    return QuotaProblem(said, (first.exchange, last.exchange))


def _falls_short(counts: Sequence[Count]) -> QuotaProblem | None:
    """Remaining fell by less than was spent in between."""
    worst = _worst(counts, lambda earlier, later: earlier.remaining - later.remaining)
    if worst is None:
        return None
    earlier, later = worst
    said = (
        f"{RATE_REMAINING} went from {earlier.remaining} to {later.remaining} in one window, "
        f"although at least {served_in_words(spent_between(earlier, later))} in between"
    )
    return QuotaProblem(said, (earlier.exchange, later.exchange))


def _uncovered(quota: QuotaSeen) -> QuotaProblem | None:
    """More was spent than Limit - Remaining covers, in any kind of window."""
    worst = _worst(quota.counts, lambda _, later: quota.limit - later.remaining)
    if worst is None:
        return None
    earlier, later = worst
    said = (
        f"{RATE_REMAINING} is {later.remaining} of {quota.limit}, "
        f"although at least {served_in_words(spent_between(earlier, later))} "
        f"in the {later.exchange.finished - earlier.exchange.sent:.1f} s before"
    )
    return QuotaProblem(said, (earlier.exchange, later.exchange))


def _worst(counts: Sequence[Count], covered: Callable[[Count, Count], int]) -> tuple[Count, Count] | None:
    """The pair with the most missing from what is `covered`; with none left, nothing can be missing."""

    def missing(pair: tuple[Count, Count]) -> float:
        return demanded(*pair) - covered(*pair)

    worst = max((pair for pair in pairs(counts) if pair[1].remaining > 0), key=missing, default=None)
    return worst if worst is not None and missing(worst) > 0 else None


def _never_falls(quota: QuotaSeen) -> QuotaProblem | None:
    """Remaining never falls from one success to the next, although a bucket refills more slowly."""
    served = [count for group in overlapping(quota.successes) for count in by_remaining(group)]
    if len(served) < _ENOUGH_IF_RESET_MOVES:
        return None
    if any(after.remaining < before.remaining for before, after in pairwise(served)):
        return None
    first = min(served, key=lambda count: count.exchange.finished)
    last = max(served, key=lambda count: count.exchange.sent)
    spent = spent_between(first, last)
    if spent < _ENOUGH_IF_RESET_MOVES - 2 or last.remaining == 0:
        return None
    span = min(MINUTE_S, *(count.span - CLOCK_S for count in served))
    if (last.remaining - first.remaining + spent) * span <= quota.limit * (
        last.exchange.finished - first.exchange.sent
    ):
        return None
    moved = "stayed at" if last.remaining == first.remaining else f"rose from {first.remaining} to"
    return QuotaProblem(
        f"{RATE_REMAINING} {moved} {last.remaining} over {plural(len(served), 'request')} that got a response",
        (first.exchange, last.exchange),
    )
