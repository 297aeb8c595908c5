"""The answers to requests over the limit, and the next request while a quota is being used up (section 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from petcheck.exchange import Call, Exchange
from petcheck.judging.judgement import Ask, Record, Undecided
from petcheck.judging.matchers import answer_text
from petcheck.judging.once import once
from petcheck.judging.quotas import (
    ROUNDING_S,
    Count,
    Quota,
    Window,
    counts_in,
    demanded,
    pairs,
    quotas_in,
    refill,
    served_in_words,
)
from petcheck.judging.rate_limits import is_of_a_longer_quota, retry_after
from petcheck.judging.statuses import query_is_valid
from petcheck.spec.figures import GATEWAY_TROUBLE, LIMIT_MAX, LIMIT_MIN, PLANS, STATUSES
from petcheck.spec.operations import Operation
from petcheck.words import plural

# requests beyond a limit that rounding explains
_SURPLUS = 10
# a run gives up on a quota after this many windows have ended, and this many more requests
_WINDOWS_TRIED, _EXTRA_REQUESTS = 4, 40
_TROUBLE_PAUSE_S = 1.0
_HOUR_S, _MINUTE_S = 3600.0, 61.0
# with this few left, each request is for a different page, which no cache can answer
_FEW = 5
_CHEAPEST = Call(Operation.LIST_PETS, query=(("limit", "1"),))
NOT_EXCEEDED = "No request exceeded the rate limit."


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request with the key that was not served, the last answer before it, and the requests in between."""

    exchange: Exchange
    before: Count | None
    between: int

    @property
    def is_429(self) -> bool:
        """Whether it has the status that section 8 requires."""
        return self.exchange.status == 429

    @property
    def is_over(self) -> bool:
        """Whether the answer before said that no request was left, in a window that had not ended."""
        return self.before is not None and self.before.remaining == 0 and self.exchange.sent < self.before.ends

    @property
    def is_early(self) -> bool:
        """Whether it is a 429 although the answer before said that more requests were left than were sent since.

        A 429 of a longer quota is not early.
        """
        if self.before is None or not self.is_429 or is_of_a_longer_quota(self.exchange):
            return False
        return self.before.remaining > self.between and self.exchange.sent < self.before.ends


@once
def refusals_in(record: Record) -> Sequence[Refusal]:
    """Each 429 to the key, and each other answer without success to a request for a page."""
    counts = {id(count.exchange): count for count in counts_in(record)}
    before: Count | None = None
    between, found = 0, []
    for exchange in keyed(record):
        if exchange.status == 429 or (is_a_page(exchange) and not _is_served(exchange)):
            found.append(Refusal(exchange, before, between))
        between += 1
        if id(exchange) in counts:
            before, between = counts[id(exchange)], 0
    return found


def gateway_refusals_in(record: Record) -> list[Refusal]:
    """Requests over the limit that got a 502, 503 or 504 with Retry-After, if in at least two windows.

    A single one may be a gateway's error. Its second try comes in a later window, where it is served.
    """
    found = [
        refusal
        for refusal in refusals_in(record)
        if refusal.is_over and refusal.exchange.status in GATEWAY_TROUBLE and retry_after(refusal.exchange) is not None
    ]
    return found if len({refusal.before.reset for refusal in found if refusal.before}) > 1 else []


def keyed(record: Record) -> Iterator[Exchange]:
    """The exchanges with the valid key."""
    return (exchange for exchange in record if exchange.request.has_valid_key)


def is_a_page(exchange: Exchange) -> bool:
    """Whether the request must be answered with a page, unless it is over the limit."""
    return exchange.request.operation is Operation.LIST_PETS and query_is_valid(exchange)


def _is_served(exchange: Exchange) -> bool:
    return exchange.status is not None and exchange.status < 300


@once
def others_spend(record: Record) -> bool:
    """Whether Remaining fell by more than one for each request of ours: others use the key, or requests cost more."""
    counts = {id(count.exchange): count for count in counts_in(record)}
    # requests without a valid key are ours too, and a server may charge them to the same quota
    seen = [(place, counts[id(one)]) for place, one in enumerate(record) if id(one) in counts]
    return any(
        before.limit == after.limit and before.remaining - after.remaining > later - earlier
        for (earlier, before), (later, after) in pairwise(seen)
    )


# ---- over the limit


@dataclass(frozen=True, slots=True)
class Over:
    """Requests that were served over the limit: `excess` of them after Remaining was 0; 0 if it never was."""

    quota: Quota
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
    refused = [exchange.sent for exchange in keyed(record) if exchange.status == 429]
    for quota in quotas:
        for earlier, later in pairs(quota.counts):
            if demanded(earlier, later) <= quota.limit + _SURPLUS:
                continue
            # a 429 in between shows that the limit is enforced
            if not any(earlier.exchange.sent < sent < later.exchange.sent for sent in refused):
                return Over(quota, 0, (earlier.exchange, later.exchange))
    return None


def excess_in(window: Window) -> list[tuple[Count, Count]]:
    """Each success after Remaining was 0, with the answer before it, until the window may have ended."""
    return [
        (before, after)
        for before, after in pairwise(window.counts)
        if before.remaining == 0
        and after.spends
        and before.exchange.finished <= after.exchange.sent
        and after.exchange.finished < before.ends
    ]


def served_text(record: Record, last: Exchange) -> str:
    """The requests that were served without a refusal until `last`, in words."""
    until = [exchange for exchange in keyed(record) if exchange.sent <= last.sent and exchange is not last]
    if _is_served(last):
        until.append(last)
    served = [*takewhile(_is_served, reversed(until))][::-1]
    if not served:
        return f"no request was served (got {answer_text(last)})"
    seconds = last.finished - served[0].sent
    counts = counts_in(record)
    left = next((count.remaining for count in reversed(counts) if count.exchange is served[-1]), None)
    said = "" if left is None else f", the last with {left} left"
    then = "" if _is_served(last) else f", and the next got {answer_text(last)}"
    return f"{served_in_words(len(served))} in {seconds:.1f} s{said}{then}"


# ---- using a quota up


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
    its Retry-After has passed, and another if that is 429 too. A second round follows a 429 that was too early.
    """
    sent = record[began:]
    counts = counts_in(record)
    last = sent[-1] if sent else None
    if last is None or not counts:
        return _ask(record, began, [_CHEAPEST] * 2) if last is None else None
    before = sent[-2] if len(sent) > 1 else None
    if last.status is None or last.status in GATEWAY_TROUBLE:
        in_vain = before is not None and before.request == last.request and not _is_served(before)
        if in_vain or gateway_refusals_in(sent):
            return None
        same = Call(Operation.LIST_PETS, query=last.request.query)
        return _ask(record, began, [same], last.finished + _TROUBLE_PAUSE_S)
    if last.status == 429:
        again = len([*takewhile(lambda exchange: exchange.status == 429, reversed(sent))])
        return _ask(record, began, pages_not_asked(record, 1)) if again <= 2 else None
    if not _is_served(last):
        return None
    if before is not None and before.status == 429:
        refused = [refusal for refusal in refusals_in(sent) if refusal.is_429]
        if len([refusal for refusal in refused if refusal.is_early]) != 1 or refused[0].exchange is not before:
            return None
    return _more(record, began, counts)


def _more(record: Record, began: int, counts: Sequence[Count]) -> Ask | Undecided | None:
    """Further requests in the same window, unless it is clear that none will be refused."""
    if over_in(record) is not None:
        return None
    tail, latest = record[-1], counts[-1]
    limit = latest.limit
    served = len([*takewhile(_is_served, reversed(record[began:]))])
    if served > _WINDOWS_TRIED * limit + _EXTRA_REQUESTS:
        return Undecided(
            f"The quota could not be used up, since its windows end too soon: {served_text(record, tail)}."
        )
    quota = next(quota for quota in quotas_in(counts) if quota.limit == limit)
    window = next(window for window in quota.windows if window.reset == latest.reset)
    if excess_in(window) and not window.is_fixed and not quota.moves:
        # a request sent after the second that rounding hides shows whether the window is fixed
        return _ask(record, began, pages_not_asked(record, 1), window.counts[0].exchange.finished + 2 * ROUNDING_S)
    if latest.exchange is tail and latest.remaining > _FEW:
        return _ask(record, began, [_CHEAPEST] * (latest.remaining - _FEW))
    more = limit // 10 if quota.moves or latest.exchange is not tail else 2
    return _ask(record, began, pages_not_asked(record, max(latest.remaining, more) + 1))


def _ask(record: Record, began: int, calls: Sequence[Call], not_before: float = 0.0) -> Ask:
    done = f": {served_text(record, record[-1])}" if len(record) > began else ""
    return Ask(tuple(calls), Undecided(f"The quota could not be used up{done}."), not_before)


def pages_not_asked(record: Record, number: int) -> list[Call]:
    """`number` pages, small ones first; pages not requested before come first."""
    asked = {exchange.request.query for exchange in record if exchange.request.operation is Operation.LIST_PETS}
    every = [
        (("limit", str(size)), *((("status", status),) if status else ()))
        for size in range(LIMIT_MIN, LIMIT_MAX + 1)
        for status in (None, *STATUSES)
    ]
    new = [query for query in every if query not in asked]
    again = [every[(len(record) + place) % len(every)] for place in range(number - len(new))]
    return [Call(Operation.LIST_PETS, query=query) for query in [*new[:number], *again]]
