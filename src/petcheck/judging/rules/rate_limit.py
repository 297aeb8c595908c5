"""Section 8: the rate limit headers of single responses, how they change, and how the limit is enforced.

`rate_headers` reads single headers (RATE-1 to RATE-3, RATE-5, RATE-7), `rate_counts` finds what Remaining counts and
`rate_problems` what is wrong with that (RATE-4), `rate_refusals` the 429 (RATE-6, RATE-8, RATE-9), and `using_up` what
a run sends to see one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence, Set
from functools import partial
from itertools import dropwhile

from petcheck.exchange import Exchange
from petcheck.judging import rate_headers
from petcheck.judging.apply import final_tries
from petcheck.judging.decision import LIMITS, Ask, Decision, Failed, Held, Proof, Record, Rule, Settled, Undecided
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, STATUS, Grounds, Judgement, Problem, header
from petcheck.judging.matchers import answer_text, described
from petcheck.judging.overlap import crowded_in
from petcheck.judging.rate_counts import (
    CLOCK_S,
    ROUNDING_S,
    Count,
    QuotaSeen,
    counts_in,
    is_counted_down,
    keyed,
    not_cached,
    quotas_in,
    served_in_words,
)
from petcheck.judging.rate_problems import problem_in, problem_of, problem_of_limits, seem_counted_apart
from petcheck.judging.rate_refusals import (
    NOT_EXCEEDED,
    NotServed,
    cost_in,
    gateway_refusals_in,
    held_back_in,
    is_a_page,
    others_spend,
    over_in,
    refusals_in,
    served_text,
    slowed_in,
)
from petcheck.judging.statuses import documented
from petcheck.judging.using_up import pages_not_asked
from petcheck.spec.figures import GATEWAY_TROUBLE, RATE_LIMIT, RATE_REMAINING, RATE_RESET, RETRY_AFTER

_COMPARED = 6
_OTHER_QUOTA = "asks for a wait of more than a minute, so it belongs to another quota, the day's."
_OWN_KEY = "Run again with a key that no other client uses."
# two clock readings this close count as equal
_CLOCK_TOLERANCE_S = 0.05
_NO_LIMIT = f"No response had a readable {RATE_LIMIT}; see RATE-1."

# ---- one response


def _rate_header(problem: Callable[[Exchange], Problem | None], exchange: Exchange, grounds: Grounds) -> Judgement:
    return (problem(exchange) or HOLDS) if _has_rate_headers(exchange, grounds) else NOT_CONCERNED


def _has_rate_headers(exchange: Exchange, grounds: Grounds) -> bool:
    """Whether the headers are required: on every response except a gateway's 502, 503 or 504."""
    counts = exchange.status is not None and exchange.status not in GATEWAY_TROUBLE
    return counts and documented(exchange, grounds.as_of)


def _limit_is_the_plans(exchange: Exchange, grounds: Grounds) -> Judgement:
    if grounds.plan is None or not exchange.request.has_valid_key:
        return NOT_CONCERNED
    limit = rate_headers.limit_of(exchange)
    if not limit or not _has_rate_headers(exchange, grounds):
        return NOT_CONCERNED
    figures = [figure for figure in (grounds.plan.per_minute, grounds.plan.per_day) if figure is not None]
    if not figures or limit in figures:
        return HOLDS
    due = " or ".join(f"{figure:,}" for figure in figures)
    return Problem(f"{RATE_LIMIT} is {limit}; expected {due} for the plan {grounds.plan.name}", header(RATE_LIMIT))


def _plan_is_known(record: Record, grounds: Grounds) -> Decision:
    if grounds.plan is None:
        return Undecided("The key's plan is not known, so any limit conforms.", "--plan", tried=False)
    held = tuple(exchange for exchange in record if _limit_is_the_plans(exchange, grounds) is HOLDS)
    return Held(held) if held else Undecided(_NO_LIMIT)


def _retry_after(exchange: Exchange, grounds: Grounds) -> Judgement:
    return (rate_headers.problem_of_retry_after(exchange) or HOLDS) if exchange.status == 429 else NOT_CONCERNED


def _a_429_came(record: Record, grounds: Grounds) -> Decision:
    refused = tuple(exchange for exchange in record if exchange.status == 429)
    if refused:
        return Held(refused)
    return Undecided("No 429 was returned.", "--exhaust-rate-limit", tried=False)


def _reset_is_ahead(record: Record, grounds: Grounds) -> Decision:
    """A Reset that is not ahead is within the grace of a clock, or the start of a window: a later response shows it."""
    seen = tuple(one for one in record if _has_rate_headers(one, grounds))
    ours = [one for one in seen if one.request.has_valid_key]
    passed = next(filter(rate_headers.may_have_passed, ours), None)
    if len({_reset(one) for one in ours}) == 1 and passed is not None:
        later = passed.sent + rate_headers.GRACE_S + ROUNDING_S
        reason = f"Every {RATE_RESET} was {_reset(ours[0])}, which was not ahead, and no later response shows more."
        if ours[-1].sent < later:
            return Ask(tuple(pages_not_asked(record, 1)), Undecided(reason, examined=seen), later)
    return Held(seen) if seen else Undecided(_NO_RESPONSE)


# ---- how Remaining moves


def _counts_down(record: Record, grounds: Grounds) -> Decision:
    """Whether Remaining covers what was spent, in every kind of window."""
    counts = counts_in(exchange for exchange in not_cached(record) if documented(exchange, grounds.as_of))
    quotas = quotas_in(counts)
    examined = tuple(count.exchange for count in counts)
    problem = problem_of_limits(counts) or next((p for quota in quotas if (p := problem_of(quota))), None)
    if problem is not None:
        first, last = problem.exchanges
        # the first proof is the one that a report shows, so it is the one that the text is about
        proofs = (Proof(last, header(problem.header)), Proof(first, header(problem.header)))
        said = f"{described(last)}: {problem.text}"
        said += "; the requests to each operation seem to be counted apart" * seem_counted_apart(counts)
        return Failed(f"{said} (section 8).", proofs, examined)
    reason = f"{RATE_REMAINING} moved as only a sliding window allows, and no response shows whether the window slides."
    doubtful = next((one for quota in quotas if (one := _doubtful(quota, record[-1]))), None)
    if doubtful is not None:
        calls = tuple(pages_not_asked(record, 1))
        return Ask(calls, Undecided(reason, examined=examined), doubtful.finished + 2 * ROUNDING_S)
    windows = [window for quota in quotas if not quota.moves for window in quota.windows]
    if any(problem_in(window) is not None for window in windows):
        return Undecided(reason, examined=examined)
    if any(is_counted_down(quota) for quota in quotas):
        return Held(examined)
    return _undecided(counts, quotas, grounds)


def _doubtful(quota: QuotaSeen, latest: Exchange) -> Exchange | None:
    """The first answer of a window that is wrong if fixed, if no later answer shows whether it is fixed."""
    window = quota.windows[-1]
    first = window.first
    unsettled = latest.sent - first.finished <= ROUNDING_S and not window.is_fixed
    return first if unsettled and problem_in(window) is not None else None


def _undecided(counts: Sequence[Count], quotas: list[QuotaSeen], grounds: Grounds) -> Undecided:
    if not counts:
        return Undecided(
            "No response to the valid key had readable rate limit headers that no cache can have sent; see RATE-1 to "
            "RATE-3."
        )
    most = max(quotas, key=lambda quota: len(quota.successes))
    examined = tuple(count.exchange for count in counts)
    if not any(window.end_is_known for quota in quotas for window in quota.windows):
        return Undecided(
            f"By our clock, no {RATE_RESET} is a Unix time ahead, so nothing tells a new window from a wrong count; "
            "see RATE-3.",
            examined=examined,
        )
    if len(quotas) > max(len(most.successes), 1):
        reason = f"{RATE_LIMIT} took {len(quotas)} values, each in too few responses to compare."
        return Undecided(reason, examined=examined)
    if len(most.successes) < _COMPARED:
        served = f"Only {served_in_words(len(most.successes))}" if most.successes else "No request was served"
        reason = f"{served} that no cache can have answered; judging needs {_COMPARED}."
        return Undecided(reason, grounds.to_write, examined)
    return Undecided(
        f"A quota of {most.limit} may refill as fast as requests were sent, so {RATE_REMAINING} does not have to fall.",
        examined=examined,
    )


# ---- over the limit

_DUE = "expected 429 (section 8)."
_NO_429 = Undecided("No 429 for the quota of the valid key was returned.", "--exhaust-rate-limit")
_TOO_MANY = f"The server returned 429 with {RETRY_AFTER} while other requests were under way: it may limit these."


def _over_is_429(every_try: Record, _grounds: Grounds) -> Decision:
    record = final_tries(every_try)
    over = over_in(record)
    if over is not None:
        first, last = over.exchanges
        from_then = dropwhile(lambda exchange: exchange is not last, keyed(record))
        served = served_text(record, next((exchange for exchange in from_then if exchange.status == 429), last))
        said = (
            f"The server served {over.excess} more request{'s' * (over.excess > 1)} although none were left: {served}"
            if over.excess
            else f"The limit of {over.quota.limit} is not enforced: {served}"
        )
        return Failed(f"{said}; {_DUE}", (_proof_of_over(first), _proof_of_over(last)))
    if (held := held_back_in(record)) is not None:
        said = f"{described(held[1])} was sent when none were left, and was served after {held[1].elapsed:.0f} s"
        return Failed(f"{said}, once the window had ended; {_DUE}", tuple(map(_proof_of_over, held)))
    if (slowed := slowed_in(record)) is not None:
        said = f"{served_in_words(len(slowed.exchanges))} when none were left, each after {slowed.least:.1f} s or more"
        said += f", and none before them took more than {slowed.most:.1f} s; {_DUE}"
        return Failed(said, tuple(map(_proof_of_over, (slowed.exchanges[0], slowed.exchanges[-1]))))
    refusals = refusals_in(record)
    for refusal in (*refusals, *gateway_refusals_in(every_try)):
        if refusal.is_over and not refusal.is_429:
            said = f"{served_text(record, refusal.exchange)}; {_DUE}"
            said = said[:1].upper() + said[1:]
            return Failed(said, tuple(_proof_of_over(exchange) for exchange in _sides(refusal)))
    # what limits connections shows nothing about the quota, which nobody may have tried to use up
    of_quota = [refusal for refusal in refusals if not refusal.limits_connections]
    limited = [refusal for refusal in of_quota if refusal.is_429]
    if limited:
        return Held(tuple(dict.fromkeys(exchange for refusal in limited for exchange in _sides(refusal))))
    if of_quota:
        return Undecided(f"The quota could not be used up: {served_text(record, of_quota[-1].exchange)}.")
    return Undecided(NOT_EXCEEDED, "--exhaust-rate-limit", tried=False)


def _proof_of_over(exchange: Exchange) -> Proof:
    """The answer's Remaining, or its status if it has none."""
    counted = exchange.status == 200 and rate_headers.remaining_of(exchange) is not None
    return Proof(exchange, header(RATE_REMAINING) if counted else STATUS)


def _sides(refusal: NotServed) -> tuple[Exchange, ...]:
    return (*((refusal.before.exchange,) if refusal.before else ()), refusal.exchange)


def _no_429_while_some_are_left(record: Record, _grounds: Grounds) -> Decision:
    every = [refusal for refusal in refusals_in(record) if refusal.is_429]
    refusals = [refusal for refusal in every if not refusal.limits_connections]
    examined = tuple(dict.fromkeys(exchange for refusal in refusals for exchange in _sides(refusal)))
    if not refusals:
        return Undecided(_TOO_MANY, "--exhaust-rate-limit") if every else _NO_429
    shared = others_spend(record)
    moves = any(quota.moves for quota in quotas_in(counts_in(record)))
    for refusal in refusals:
        own = rate_headers.remaining_of(refusal.exchange) or 0
        # decided at the end of a window, it may show the next one
        if refusal.before is None or not refusal.before.is_of_the_window_of(refusal.exchange):
            continue
        # if Reset moves, less than one request may have come free, rounded up
        if own > int(moves) and not shared and not rate_headers.is_of_a_longer_quota(refusal.exchange):
            said = f"A 429 has {RATE_REMAINING} {own}: it came while requests were left (section 8)."
            return Failed(said, (Proof(refusal.exchange, header(RATE_REMAINING)),), examined)
    early = [(refusal, refusal.before) for refusal in refusals if refusal.is_early and refusal.before]
    # if Reset moves, requests come free one by one, and another client may take each
    honest = any(refusal.is_over for refusal in refusals)
    others = shared or (honest and moves)
    for (first, before), (second, then) in ((early[0], other) for other in early[1:]):
        if not others and then.reset != before.reset and then.exchange.sent >= before.ends:
            said = (
                f"The server returned 429 while requests were left: right after a response with {RATE_REMAINING} "
                f"{before.remaining}, and in the next window after {then.remaining} (section 8)."
            )
            left = (Proof(before.exchange, header(RATE_REMAINING)), Proof(first.exchange, STATUS))
            again = (Proof(then.exchange, header(RATE_REMAINING)), Proof(second.exchange, STATUS))
            return Failed(said, (*left, *again), examined)
    if early:
        rest, cost = early[0][1].remaining, cost_in(record)
        said = f"The server returned 429 right after a response with {RATE_REMAINING} {rest}, but "
        if cost is not None and cost > rest:
            return Undecided(f"{said}each request seems to cost {cost}.", examined=examined)
        said += "other clients with the same key may have used the rest."
        if others:
            return Undecided(f"{said} {_OWN_KEY}", None, examined)
        return Undecided(said, "--exhaust-rate-limit", examined)
    if any(refusal.is_over for refusal in refusals):
        return Held(examined)
    if any(rate_headers.is_of_a_longer_quota(refusal.exchange) for refusal in refusals):
        return Undecided(f"The 429 {_OTHER_QUOTA}", examined=examined)
    return Undecided(_why_open(refusals[-1]), examined=examined)


def _why_open(refusal: NotServed) -> str:
    """Why a 429 that is neither early nor over the limit shows nothing."""
    if (before := refusal.before) is None:
        return "No response before the 429 said how many requests were left in that window."
    said = f"The last response before the 429 had {RATE_REMAINING} {before.remaining}, but"
    if refusal.exchange.sent >= before.ends:
        return f"{said} its window ended at about that time, so the 429 may belong to the next one."
    return f"{said} other requests since then may have used the rest."


def _served_after_retry_after(record: Record, _grounds: Grounds) -> Decision:
    """Whether the first request after each Retry-After is served."""
    own = [*keyed(record)]
    sent = [exchange.sent for exchange in own]
    refusals = []
    for exchange in own:
        if exchange.status == 429:
            then = bisect_left(sent, exchange.finished)
            refusals.append((exchange, own[then : then + 2]))
    if not refusals:
        return _NO_429
    quotas = quotas_in(counts_in(record))
    windows = (window for quota in quotas for window in quota.windows if window.counts_steadily)
    steady = [count for window in windows for count in window.counts]
    moves = any(quota.moves for quota in quotas)
    shared, crowded = others_spend(record), crowded_in(record)
    found = [_after_429(*one, shared=shared, moves=moves, steady=steady, crowded=crowded) for one in refusals]
    failures = [one for one in found if isinstance(one, Failed)]
    if failures:
        refusal, first = (proof.exchange for proof in failures[0].proofs[:2])
        # a client that waits for the same Reset may use up a window at once; that of section 8 was used up by the run
        once = len(failures) == 1 and refusal.section != LIMITS and _window_ended(refusal, first)
        return _may_be_used_up(refusal, first) if once else failures[0]
    held = tuple(exchange for one in found if isinstance(one, Held) for exchange in one.examined)
    return Held(tuple(dict.fromkeys(held))) if held else found[0]


def _after_429(
    refusal: Exchange,
    after: Sequence[Exchange],
    *,
    shared: bool,
    moves: bool,
    steady: Sequence[Count],
    crowded: Set[int],
) -> Settled:
    """The decision about what follows a 429.

    `shared`: others use the key. `moves`: Reset moves. `steady`: the answers of the windows that count steadily.
    `crowded`: the ids of exchanges that overlapped with others.
    """
    pause = rate_headers.retry_after(refusal)
    if pause is None or rate_headers.problem_of_retry_after(refusal) is not None:
        return Undecided("The 429 did not say how long to wait; see RATE-7.", examined=(refusal,))
    if not after or after[0].sent < refusal.finished + pause - _CLOCK_TOLERANCE_S:
        return Undecided(f"No request followed the {RETRY_AFTER} of the 429.", "--max-wait", (refusal,))
    first = after[0]
    if first.status == 200 or (first.status != 429 and not is_a_page(first)):
        return Held((refusal, first))
    if first.status is None or first.status >= 500:
        return Undecided(
            f"The request after {RETRY_AFTER} got {answer_text(first)}; see ERROR-5.", examined=(refusal, first)
        )
    if first.status == 429 and rate_headers.is_of_a_longer_quota(first):
        return Undecided(f"The second 429 {_OTHER_QUOTA}", examined=(refusal, first))
    if crowded & {id(refusal), id(first)}:
        return Undecided(_TOO_MANY, examined=(refusal, first))
    # requests come free one by one, and another client may take each
    bit_by_bit = pause < rate_headers.seconds_to_reset(refusal) - CLOCK_S
    served_then = moves and len(after) > 1 and after[1].status == 200
    ended = _window_ended(refusal, first)
    counts_steadily = any(one.is_of_the_window_of(refusal) for one in steady)
    if (ended and (shared or served_then)) or (bit_by_bit and (ended or not counts_steadily)):
        return _may_be_used_up(refusal, first)
    stated = rate_headers.header_of(refusal, RETRY_AFTER)
    proofs = (Proof(refusal, header(RETRY_AFTER)), *(Proof(exchange, STATUS) for exchange in after))
    said = f"After the {RETRY_AFTER} of the 429 ({stated}) had passed, the next request got {answer_text(first)}"
    return Failed(f"{said}; section 8 lets the client retry then.", proofs)


def _window_ended(refusal: Exchange, first: Exchange) -> bool:
    return first.status == 429 and _reset(first) != _reset(refusal)


def _may_be_used_up(refusal: Exchange, first: Exchange) -> Undecided:
    said = f"The request after {RETRY_AFTER} got 429 too, but another client may have used up the new window."
    return Undecided(f"{said} {_OWN_KEY}", examined=(refusal, first))


def _reset(exchange: Exchange) -> str | None:
    return rate_headers.header_of(exchange, RATE_RESET)


_NO_RESPONSE = "No response was received."

RULES = (
    Rule("RATE-1", partial(_rate_header, rate_headers.problem_of_limit), nothing=_NO_RESPONSE),
    Rule("RATE-2", partial(_rate_header, rate_headers.problem_of_remaining), nothing=_NO_RESPONSE),
    Rule("RATE-3", partial(_rate_header, rate_headers.problem_of_reset), _reset_is_ahead),
    Rule("RATE-4", over=_counts_down),
    Rule("RATE-5", _limit_is_the_plans, _plan_is_known),
    Rule("RATE-6", over=_over_is_429, every_try=True),
    Rule("RATE-7", _retry_after, _a_429_came),
    Rule("RATE-8", over=_no_429_while_some_are_left),
    Rule("RATE-9", over=_served_after_retry_after),
)
