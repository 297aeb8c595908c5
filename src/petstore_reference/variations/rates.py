"""Section 8: other ways to limit requests and to report the limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from threading import get_ident

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.conforming import known
from petstore_reference.messages import Answer, Caller, EncodedAnswer, ReceivedCall
from petstore_reference.overrides import over_limit, rates, ruled
from petstore_reference.quota import ANONYMOUS, PER_DAY, QuotaCounter, QuotaRules, Usage
from petstore_reference.registry import variation

_WINDOWS = "moving-window aligned-window daily-window refilled-bucket"
_KEYLESS = "keyless-limit keyless-same-bucket keyless-uncounted"
_DATES = "date-behind date-ahead clock-ahead clock-behind"
_COUNTED = "refused-free posts-cost-five"
_SKEWS = "clock-ahead clock-behind"
_BODIES = "429-empty 429-html 429-problem"


def _daily(rules: QuotaRules) -> QuotaRules:
    """The limit per window is so high that the day's limit is always the one in force."""
    endless = {plan: figure if plan == ANONYMOUS else 10**9 for plan, figure in rules.per_window.items()}
    return replace(rules, per_window=endless, per_day={**PER_DAY, "enterprise": 500_000})


def _custom(rules: QuotaRules) -> QuotaRules:
    return replace(rules, per_window={**dict.fromkeys(rules.per_window, 777), ANONYMOUS: 111})


def _refilled(behaviour: Behaviour) -> Behaviour:
    """Each caller has a bucket that refills continuously; Reset is when it is full."""

    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        full = state.memory["refilled"]
        limit = state.quota.rules.per_window[caller.plan]
        each = state.quota.rules.window_seconds / limit
        until = max(full.get(caller.bucket, 0.0), call.time) + each
        if (over := until - call.time - limit * each) > 1e-6:
            return Usage(limit, 0, until - each, over)
        full[caller.bucket] = until
        return Usage(limit, math.floor(limit - (until - call.time) / each + 1e-6), until)

    return replace(behaviour, spend=spend)


def _spent_by(who: Callable[[Caller, ServerState], Caller]) -> Override:
    def override(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, spend=lambda caller, call, state: behaviour.spend(who(caller, state), call, state))

    return override


def _sole_key(caller: Caller, state: ServerState) -> Caller:
    return known(next(iter(state.keys)), state.keys) if caller.plan == ANONYMOUS and state.keys else caller


def _uncounted(behaviour: Behaviour) -> Behaviour:
    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        if caller.plan != ANONYMOUS:
            return behaviour.spend(caller, call, state)
        limit = state.quota.rules.per_window[ANONYMOUS]
        return Usage(limit, limit, call.time + state.quota.rules.window_seconds)

    return replace(behaviour, spend=spend)


def _refused(content: object, media_type: str | None) -> Override:
    return over_limit(lambda answer, usage: replace(answer, content=content, media_type=media_type))


def _retry_date(behaviour: Behaviour) -> Behaviour:
    def exceeded(usage: Usage, call: ReceivedCall) -> Answer:
        when = math.ceil(call.time + (usage.retry_after or 0))
        answer = behaviour.exceeded(usage, call)
        return replace(answer, headers=(("Retry-After", formatdate(when, usegmt=True)),))

    return replace(behaviour, exceeded=exceeded)


def _skewed(seconds: float) -> Override:
    return lambda behaviour: replace(behaviour, skew=seconds)


def _date_off(seconds: float) -> Override:
    """Only `Date` is wrong; everything else uses the right clock."""
    return lambda behaviour: replace(
        behaviour, socket_options=replace(behaviour.socket_options, own_date=True, date_offset=seconds)
    )


def _refused_free(behaviour: Behaviour) -> Behaviour:
    """A request that gets 400, 401 or 404 is given back to its caller."""
    free = (400, 401, 404)

    serving: dict[int, tuple[QuotaCounter, Caller]] = {}  # by thread

    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        serving[get_ident()] = state.quota, caller
        return behaviour.spend(caller, call, state)

    def rate_headers(usage: Usage, call: ReceivedCall, status: int) -> dict[str, str]:
        given_back = replace(usage, remaining=usage.remaining + 1) if status in free else usage
        return behaviour.rate_headers(given_back, call, status)

    def finish(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
        quota, caller = serving.pop(get_ident())
        if reply.status in free:
            quota.refund(caller)
        return behaviour.finish(reply, call)

    return replace(behaviour, spend=spend, rate_headers=rate_headers, finish=finish)


def _costly_posts(behaviour: Behaviour) -> Behaviour:
    """A POST costs five requests, or what is left of them."""

    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        usage = behaviour.spend(caller, call, state)
        for _ in range(4 if call.method == "POST" else 0):
            if usage.remaining:
                usage = behaviour.spend(caller, call, state)
        return usage

    return replace(behaviour, spend=spend)


VARIATIONS = [
    variation(
        "moving-window",
        "8",
        "The window slides: each request counts for a full window after it was sent.",
        ruled(lambda rules: replace(rules, moving=True)),
        conflicts=_WINDOWS,
    ),
    variation(
        "aligned-window",
        "8",
        "Each window begins at a full minute.",
        ruled(lambda rules: replace(rules, aligned=True)),
        conflicts=_WINDOWS,
    ),
    variation(
        "daily-window", "8", "The limit in force is the plan's limit per day.", ruled(_daily), conflicts=_WINDOWS
    ),
    variation(
        "refilled-bucket",
        "8",
        "The quota is a token bucket, which refills continuously.",
        _refilled,
        conflicts=f"{_WINDOWS} keyless-limit",
    ),
    variation(
        "custom-plan",
        "8",
        "The quota is agreed individually; run without `--plan`, or with `--plan enterprise`.",
        ruled(_custom),
        conflicts="daily-window",
    ),
    variation(
        "reset-fraction",
        "8",
        "X-RateLimit-Reset has a fraction.",
        rates(lambda headers, usage, call, status: {**headers, "X-RateLimit-Reset": f"{usage.reset + 0.001:.3f}"}),
    ),
    variation("clock-ahead", "8", "The server's clock is 8 minutes ahead.", _skewed(480.0), conflicts=_SKEWS),
    variation("clock-behind", "8", "The server's clock is 8 minutes behind.", _skewed(-480.0), conflicts=_SKEWS),
    variation(
        "date-behind",
        "8",
        "Date is 5 hours behind; X-RateLimit-Reset is right.",
        _date_off(-5 * 3600.0),
        conflicts=_DATES,
    ),
    variation(
        "date-ahead", "8", "Date is 5 hours ahead; X-RateLimit-Reset is right.", _date_off(5 * 3600.0), conflicts=_DATES
    ),
    variation(
        "refused-free",
        "8",
        "A request that gets 400, 401 or 404 does not count.",
        _refused_free,
        conflicts=f"{_COUNTED} refilled-bucket keyless-uncounted keyless-same-bucket",
    ),
    variation("posts-cost-five", "8", "A POST counts as five requests.", _costly_posts, conflicts=_COUNTED),
    variation(
        "keyless-limit",
        "8",
        "Requests without a valid key are limited to 10 per second from each address.",
        ruled(lambda rules: replace(rules, per_window={**rules.per_window, ANONYMOUS: 10}, anonymous_seconds=1.0)),
        conflicts=f"{_KEYLESS} refilled-bucket",
    ),
    variation(
        "keyless-same-bucket",
        "8",
        "Requests without a valid key count against the first key.",
        _spent_by(_sole_key),
        conflicts=_KEYLESS,
    ),
    variation(
        "keyless-uncounted", "8", "Requests without a valid key are not counted.", _uncounted, conflicts=_KEYLESS
    ),
    variation("429-empty", "8", "A 429 has no body.", _refused(b"", None), conflicts=_BODIES),
    variation(
        "429-html",
        "8",
        "A 429 is an HTML page.",
        _refused(b"<!DOCTYPE html><h1>Slow down</h1>", "text/html"),
        conflicts=_BODIES,
    ),
    variation(
        "429-problem",
        "8",
        "A 429 has problem details (RFC 9457).",
        _refused({"type": "about:blank", "title": "Slow down"}, "application/problem+json"),
        conflicts=_BODIES,
    ),
    variation("retry-after-date", "8", "Retry-After is an HTTP date.", _retry_date),
]
