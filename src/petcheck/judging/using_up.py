"""What a run sends to use up a quota, one request after the other, and whether it may (section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from petcheck.call import Call, page_call
from petcheck.exchange import Exchange
from petcheck.judging.decision import Ask, Record, Undecided
from petcheck.judging.rate_counts import CLOCK_S, MINUTE_S, ROUNDING_S, Count, QuotaSeen, counts_in, quotas_in
from petcheck.judging.rate_headers import is_of_a_longer_quota
from petcheck.judging.rate_refusals import (
    NOT_EXCEEDED,
    excess_in,
    gateway_refusals_in,
    held_back_in,
    is_served,
    over_in,
    refusals_in,
    served_text,
    slowed_in,
)
from petcheck.spec.figures import GATEWAY_TROUBLE, LIMIT_MAX, LIMIT_MIN, PLANS, RATE_RESET, STATUSES
from petcheck.spec.operations import Operation
from petcheck.words import plural

# a run gives up on a quota after this many windows have ended, and this many more requests
_WINDOWS_TRIED, _EXTRA_REQUESTS = 2, 40
_TROUBLE_PAUSE_S = 1.0
_HOUR_S, _MINUTE_S = 3600.0, 61.0
# with this few left, each request is for a different page, which no cache can answer
_FEW = 5
_AT_ONCE = 100  # the next step asks for the rest, unless these show that the server is too slow
_PACE_SHOWN = 20  # requests that show how fast a server serves
_CHEAPEST = page_call(1)
_NO_TIME = f"no {RATE_RESET} is a Unix time ahead, so when a window ends is unknown (see RATE-3)"


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a run may spend to use up a quota: whether it may do so, the seconds it may wait, and requests."""

    allowed: bool
    wait_s: float
    requests: int


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of using up the quota: requests, then seconds of waiting."""

    requests: int
    wait_s: float


def cost_of_using_up(record: Record, allowance: Allowance, now: float) -> Cost | Undecided:
    """The cost of using up the key's quota at the monotonic time `now`, or the reason why a run may not do it."""
    if not allowance.allowed:
        return Undecided(NOT_EXCEEDED, "--exhaust-rate-limit", tried=False)
    counts = counts_in(record)
    if not counts:
        return Undecided(
            "The rate limit headers are not readable, so the number of requests left is unknown; see RATE-1 to RATE-3."
        )
    last = counts[-1]
    longest = max(count.span for count in counts if count.limit == last.limit)
    if longest > _HOUR_S or (longest > _MINUTE_S and last.limit in {plan.per_day for plan in PLANS.values()}):
        return Undecided("The window is a day's, and petcheck never uses up a day's quota.", tried=False)
    lasts = max(last.exchange.sent + last.span - now, 0.0)
    if lasts > allowance.wait_s:
        said = f"The window ends in {lasts:.0f} s, but the run waits at most {allowance.wait_s:.0f} s."
        return Undecided(said, "--max-wait", tried=False)
    needed = (last.remaining if lasts > 0 else last.limit) + 2
    if needed > allowance.requests:
        said = f"Using up the quota takes {plural(needed, 'request')}; this run has {max(allowance.requests, 0)} left."
        return Undecided(said, "--max-requests", tried=False)
    return Cost(needed, lasts)


def next_step(record: Record, began: int) -> Ask | Undecided | None:
    """The next requests, to send until one is not served; None if the record shows enough; or why none can be sent.

    The run began to use up the quota at exchange number `began` of the record. After a 429, one request follows once
    its Retry-After has passed, and another if that is 429 too. A second round follows a 429 that was too early, or
    at the end of a window.
    """
    sent = record[began:]
    counts = counts_in(record)
    last = sent[-1] if sent else None
    if last is None or not counts:
        return _ask(record, began, [_CHEAPEST] * 2) if last is None else None
    before = sent[-2] if len(sent) > 1 else None
    if last.status is None or last.status in GATEWAY_TROUBLE:
        in_vain = before is not None and before.request == last.request and not is_served(before)
        if in_vain or gateway_refusals_in(sent):
            return None
        same = Call(Operation.LIST_PETS, query=last.request.query)
        return _ask(record, began, [same], last.finished + _TROUBLE_PAUSE_S)
    if last.status == 429:
        again = len([*takewhile(lambda exchange: exchange.status == 429, reversed(sent))])
        return _ask(record, began, pages_not_asked(record, 1)) if again <= 2 else None
    if not is_served(last):
        return None
    if before is not None and before.status == 429:
        refused = [refusal for refusal in refusals_in(sent) if refusal.is_429]
        first = refused[0]
        if first.exchange is not before or first.is_over or is_of_a_longer_quota(before):
            return None
        # a window that ends in a moment cannot tell whether a 429 is early
        if not first.is_early and (first.before is None or counts[-1].ends <= last.finished):
            return None
    return _more(record, began, counts)


def _more(record: Record, began: int, counts: Sequence[Count]) -> Ask | Undecided | None:
    """Further requests in the same window, unless it is clear that none will be refused."""
    if any(one(record) is not None for one in (over_in, held_back_in, slowed_in)):
        return None
    tail, latest = record[-1], counts[-1]
    limit = latest.limit
    served = [*takewhile(is_served, reversed(record[began:]))]
    quota = next(quota for quota in quotas_in(counts) if quota.limit == limit)
    if len(served) > _WINDOWS_TRIED * limit + _EXTRA_REQUESTS:
        known = any(window.end_is_known for window in quota.windows)
        why = "since its windows end too soon" if known else f"and {_NO_TIME}"
        return Undecided(f"The quota could not be used up, {why}: {served_text(record, tail)}.")
    if (too_slow := _too_slow(quota, latest, served[::-1])) is not None:
        return too_slow
    window = next(window for window in quota.windows if window.reset == latest.reset)
    if excess_in(window) and not window.is_fixed and not quota.moves:
        # a request sent after the second that rounding hides shows whether the window is fixed
        return _ask(record, began, pages_not_asked(record, 1), window.counts[0].exchange.finished + 2 * ROUNDING_S)
    left = min(latest.remaining, _AT_ONCE)
    if latest.exchange is tail and left > _FEW:
        return _ask(record, began, [_CHEAPEST] * (left - _FEW))
    more = min(limit // 10, _AT_ONCE) if quota.moves or latest.exchange is not tail else 2
    return _ask(record, began, pages_not_asked(record, max(left, more) + 1))


def _too_slow(quota: QuotaSeen, latest: Count, served: Sequence[Exchange]) -> Undecided | None:
    """Why a server cannot serve so many requests that the quota is used up; None if it can.

    It can if those that are left fit into this window, or all of a quota into the next.
    """
    if len(served) < _PACE_SHOWN:
        return None
    took = served[-1].finished - served[0].sent
    counted = next(window.counts for window in quota.windows if window.reset == latest.reset)
    # a request may cost more than one, and others may share the key
    cost = max(1.0, (counted[0].remaining - latest.remaining) / max(len(counted) - 1, 1))
    seconds_each = took / len(served) / cost
    length = max(count.span for count in quota.counts)
    if quota.moves or len(quota.windows) == 1 or not length:
        # the run may have begun late in a window, and Reset may be the time when a bucket is full, or name no time
        length = max(length, MINUTE_S)
    fits_into_a_window = quota.limit * seconds_each <= length - CLOCK_S
    fits_into_this = not quota.moves and latest.remaining * seconds_each <= latest.ends - served[-1].finished
    if fits_into_a_window or fits_into_this:
        return None
    said = f"The quota could not be used up: {plural(len(served), 'request')} took {took:.1f} s, one after the other, "
    if not any(window.end_is_known for window in quota.windows):
        return Undecided(f"{said}and {_NO_TIME}.")
    return Undecided(
        f"{said}so a window ends before its quota of {quota.limit} is used. Run petcheck nearer to the server, or with "
        "a key of a smaller plan."
    )


def _ask(record: Record, began: int, calls: Sequence[Call], not_before: float = 0.0) -> Ask:
    done = f": {served_text(record, record[-1])}" if len(record) > began else ""
    return Ask(tuple(calls), Undecided(f"The quota could not be used up{done}."), not_before)


def pages_not_asked(record: Record, number: int) -> list[Call]:
    """`number` pages, small ones first; pages not requested before come first."""
    asked = {exchange.request.query for exchange in record if exchange.request.operation is Operation.LIST_PETS}
    every = [page_call(size, status) for size in range(LIMIT_MIN, LIMIT_MAX + 1) for status in (None, *STATUSES)]
    new = [call for call in every if call.query not in asked]
    return [*new[:number], *(every[(len(record) + place) % len(every)] for place in range(number - len(new)))]
