"""The answers to requests over the rate limit, which must be 429, and to those before it (section 8)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import TypeAlias

from petcheck.exchange import Exchange
from petcheck.judging.decision import Record
from petcheck.judging.matchers import answer_text
from petcheck.judging.once import Once
from petcheck.judging.overlap import crowded_in
from petcheck.judging.rate_counts import (
    CLOCK_S,
    ENOUGH,
    Count,
    QuotaSeen,
    WindowSeen,
    counts_in,
    demanded,
    keyed,
    pairs,
    quotas_in,
    refill,
    served_in_words,
)
from petcheck.judging.rate_headers import is_of_a_longer_quota, retry_after
from petcheck.judging.statuses import query_is_valid
from petcheck.spec.figures import GATEWAY_TROUBLE
from petcheck.spec.operations import Operation

# requests beyond a limit that rounding explains
_SURPLUS = 10
# a request that is sent so long before the end of a window is over the limit
_HELD_S = 5.0
# what a server holds back takes longer than anything before by this factor, and at least so long
_SLOWER, _NOTICEABLE_S = 2.0, 0.2
NOT_EXCEEDED = "No request exceeded the rate limit."


@dataclass(frozen=True, slots=True)
class NotServed:
    """A request with the key that was not served, and the last answer that had come before it was sent.

    `between` counts the requests that may have been counted between the two. It is `crowded` if it overlapped with
    others: a server may limit connections.
    """

    exchange: Exchange
    before: Count | None
    between: int
    crowded: bool = False

    @property
    def is_429(self) -> bool:
        """Whether it has the status that section 8 requires."""
        return self.exchange.status == 429

    @property
    def is_over(self) -> bool:
        """Whether the answer before said that no request was left, in a window that had not ended."""
        return self.before is not None and self.before.remaining == 0 and self.exchange.sent < self.before.ends

    @property
    def limits_connections(self) -> bool:
        """Whether it may only say that too many requests were under way."""
        return self.crowded and not self.is_over and retry_after(self.exchange) is not None

    @property
    def is_early(self) -> bool:
        """Whether it is a 429 although the answer before said that more requests were left than were sent since.

        A 429 of a longer quota is not early, nor is one that limits connections.
        """
        if self.before is None or not self.is_429 or self.limits_connections or is_of_a_longer_quota(self.exchange):
            return False
        return self.before.remaining > self.between and self.exchange.sent < self.before.ends


def _refusals_in(record: Record) -> Sequence[NotServed]:
    """Each 429 to the key, and each other answer without success to a request for a page."""
    counts = sorted(counts_in(record), key=lambda count: count.exchange.finished)
    came = [count.exchange.finished for count in counts]
    crowded, between = crowded_in(record), _between(keyed(record))
    found = []
    for place, exchange in enumerate(keyed(record)):
        if exchange.status == 429 or (is_a_page(exchange) and not is_served(exchange)):
            until = bisect_right(came, exchange.sent)
            before = counts[until - 1] if until else None
            since = between(before.exchange, exchange) - 1 if before else place
            found.append(NotServed(exchange, before, since, id(exchange) in crowded))
    return found


refusals_in = Once(_refusals_in)


_Bisect: TypeAlias = Callable[[Sequence[float], float], int]
# whether a request counts that was sent, or answered, in the very moment in which another one was
_TOUCHING: tuple[_Bisect, _Bisect] = bisect_right, bisect_left
_APART: tuple[_Bisect, _Bisect] = bisect_left, bisect_right


def _between(
    exchanges: Iterable[Exchange], moments: tuple[_Bisect, _Bisect] = _TOUCHING
) -> Callable[[Exchange, Exchange], int]:
    """For two answers, how many requests may have been counted after the first, up to and with the second."""
    own = [*exchanges]
    sent, came = [exchange.sent for exchange in own], sorted(exchange.finished for exchange in own)
    until, since = moments
    return lambda before, after: until(sent, after.finished) - since(came, before.sent) - 1


def gateway_refusals_in(record: Record) -> list[NotServed]:
    """Requests over the limit that got a 502, 503 or 504 with Retry-After, if in at least two windows.

    A single one may be a gateway's error. Its second try comes in a later window, where it is served.
    """
    found = [
        refusal
        for refusal in refusals_in(record)
        if refusal.is_over
        and not refusal.crowded
        and refusal.exchange.status in GATEWAY_TROUBLE
        and retry_after(refusal.exchange) is not None
    ]
    return found if len({refusal.before.reset for refusal in found if refusal.before}) > 1 else []


def is_a_page(exchange: Exchange) -> bool:
    """Whether the request must be answered with a page, unless it is over the limit."""
    return exchange.request.operation is Operation.LIST_PETS and query_is_valid(exchange)


def is_served(exchange: Exchange) -> bool:
    """Whether an answer is a success."""
    return exchange.status is not None and exchange.status < 300


def others_spend(record: Record) -> bool:
    """Whether Remaining fell by more than one for each request of ours: others use the key, or requests cost more.

    A 429 that has none left does not say so: that it came too early is what is judged.
    """
    # requests without a valid key are ours too, and a server may charge them to the same quota
    # no answer counts a request that was sent in the moment in which it ended
    between = _between(record, _APART)
    return any(
        before.limit == after.limit
        and before.remaining - after.remaining > max(between(before.exchange, after.exchange), 1)
        for before, after in pairwise(counts_in(record))
        if after.exchange.status != 429
    )


def cost_in(record: Record) -> int | None:
    """How much of the quota each request costs, if Remaining falls by the same number each time; None if not.

    What a refused request costs is another matter.
    """
    windows = (window.counts for quota in quotas_in(counts_in(record)) for window in quota.windows)
    in_a_row = (pair for counts in windows for pair in pairwise(counts) if all(count.spends for count in pair))
    steps = [before.remaining - after.remaining for before, after in in_a_row]
    costs = set(steps)
    return costs.pop() if len(steps) >= ENOUGH and len(costs) == 1 else None


# ---- over the limit


@dataclass(frozen=True, slots=True)
class Over:
    """Requests that were served over the limit: `excess` of them after Remaining was 0; 0 if it never was."""

    quota: QuotaSeen
    excess: int
    exchanges: tuple[Exchange, Exchange]


def over_in(record: Record) -> Over | None:
    """Requests that were served although a fixed window had none left, or although no window allows that many."""
    quotas = quotas_in(counts_in(record))
    for quota in quotas:
        for window in quota.windows:
            excess = excess_in(window) if window.is_fixed else []
            if not excess:
                continue
            (first, second), (_, last) = excess[0], excess[-1]
            freed = refill(first) * (last.exchange.finished - first.exchange.sent)
            if len(excess) > freed + (0 if window.counts_steadily else 1):
                return Over(quota, len(excess), (first.exchange, second.exchange))
    refused = sorted(exchange.sent for exchange in keyed(record) if exchange.status == 429)
    for quota in quotas:
        for earlier, later in pairs(quota.counts):
            if demanded(earlier, later) <= quota.limit + _SURPLUS:
                continue
            # a 429 in between shows that the limit is enforced
            if bisect_right(refused, earlier.exchange.sent) == bisect_left(refused, later.exchange.sent):
                return Over(quota, 0, (earlier.exchange, later.exchange))
    return None


def excess_in(window: WindowSeen) -> list[tuple[Count, Count]]:
    """Each success after Remaining was 0, with the answer before it, until the window may have ended."""
    return [
        (before, after)
        for before, after in pairwise(window.counts)
        if before.remaining == 0
        and after.spends
        and before.exchange.finished <= after.exchange.sent
        and after.exchange.finished < before.ends
    ]


def held_back_in(record: Record) -> tuple[Exchange, Exchange] | None:
    """A request that waited with nothing left until Reset, and was served then, after the answer before it.

    A request that was sent shortly before that time, or answered long after it, may have met a slow server.
    """
    last = {id(count.exchange): count for count in counts_in(record) if count.remaining == 0}
    for before, after in pairwise(keyed(record)):
        count = last.get(id(before))
        if count is None or not is_served(after) or after.sent < before.finished:
            continue
        end = count.ends + CLOCK_S
        if after.sent + _HELD_S <= end and abs(after.finished - end) <= CLOCK_S:
            return before, after
    return None


@dataclass(frozen=True, slots=True)
class Slowed:
    """Requests that were served with none left, each after `least` seconds or more; none before took over `most`."""

    exchanges: tuple[Exchange, ...]
    least: float
    most: float


def slowed_in(record: Record) -> Slowed | None:
    """At least five requests of a fixed window that were answered late, after none were left.

    A quota that refills meanwhile explains that they were served, but not that they took longer than all before them: a
    server that waits until it has refilled holds back what it must refuse.
    """
    for quota in quotas_in(counts_in(record)):
        for window in quota.windows:
            usual = [count.exchange.elapsed for count in window.counts if count.remaining]
            if not window.is_fixed or len(usual) < ENOUGH or any(one.exchange.status == 429 for one in window.counts):
                continue
            most = max(usual)
            late = [
                after.exchange
                for _, after in excess_in(window)
                if after.remaining == 0 and after.exchange.elapsed >= max(_SLOWER * most, _NOTICEABLE_S)
            ]
            if len(late) >= ENOUGH:
                return Slowed(tuple(late), min(one.elapsed for one in late), most)
    return None


def served_text(record: Record, last: Exchange) -> str:
    """The requests that were served without a refusal until `last`, in words."""
    until = [exchange for exchange in keyed(record) if exchange.sent <= last.sent and exchange is not last]
    if is_served(last):
        until.append(last)
    served = [*takewhile(is_served, reversed(until))][::-1]
    if not served:
        return f"no request was served (got {answer_text(last)})"
    seconds = last.finished - served[0].sent
    counts = counts_in(record)
    left = next((count.remaining for count in reversed(counts) if count.exchange is served[-1]), None)
    said = "" if left is None else f", the last with {left} left"
    then = "" if is_served(last) else f", and the next got {answer_text(last)}"
    return f"{served_in_words(len(served))} in {seconds:.1f} s{said}{then}"
