"""Section 8: quotas that differ from the plan, that are not enforced, or that a 429 reports wrongly."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.faults.rate_headers import iso
from petstore_reference.messages import Answer, Caller, ReceivedCall
from petstore_reference.overrides import aborted, error, over_limit, ruled, spending
from petstore_reference.quota import ANONYMOUS, QuotaRules, Usage
from petstore_reference.registry import rate


def _figures(make: Callable[[str, int], int]) -> Override:
    """`make` changes the limit of each plan per window."""

    def made(rules: QuotaRules) -> QuotaRules:
        figures = {
            plan: figure if plan == ANONYMOUS else make(plan, figure) for plan, figure in rules.per_window.items()
        }
        return replace(rules, per_window=figures)

    return ruled(made)


def _answered(answer: Answer) -> Override:
    """Every request over the limit gets this answer."""
    return over_limit(lambda refused, usage: answer)


def _retry_after(make: Callable[[Usage], object]) -> Override:
    """`make` gives the value of Retry-After; None leaves it out."""

    def made(answer: Answer, usage: Usage) -> Answer:
        value = make(usage)
        return replace(answer, headers=() if value is None else (("Retry-After", str(value)),))

    return over_limit(made)


def _served_over_limit(allowance: Callable[[int], float]) -> Override:
    """The server serves requests over the limit: `allowance` gives how many in a row, for a limit."""

    def override(behaviour: Behaviour) -> Behaviour:
        def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
            usage = behaviour.spend(caller, call, state)
            served = state.memory["served over limit"]
            if usage.retry_after is None:
                served[caller.bucket] = 0
                return usage
            served[caller.bucket] = served.get(caller.bucket, 0) + 1
            too_many = served[caller.bucket] > allowance(usage.limit)
            return usage if too_many else replace(usage, retry_after=None)

        return replace(behaviour, spend=spend)

    return override


def _held_back(behaviour: Behaviour) -> Behaviour:
    """The server serves what is over the limit once the window has ended."""

    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        usage = behaviour.spend(caller, call, state)
        if usage.retry_after is None or caller.plan == ANONYMOUS:
            return usage
        time.sleep(max(0.0, usage.reset - state.quota.now))
        return replace(behaviour.spend(caller, call, state), retry_after=None)

    return replace(behaviour, spend=spend)


def _early(left: int) -> Override:
    """The server answers 429 while that many requests are left."""

    def make(usage: Usage, call: ReceivedCall) -> Usage:
        early = usage.retry_after is None and usage.remaining < left
        return replace(usage, retry_after=max(0.0, usage.reset - call.time)) if early else usage

    return spending(make)


def _for_ever(behaviour: Behaviour) -> Behaviour:
    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        usage = behaviour.spend(caller, call, state)
        refused = state.memory["refused"]
        if usage.retry_after is not None:
            refused[caller.bucket] = call.time
        wait = state.quota.rules.window_seconds
        return Usage(usage.limit, 0, call.time + wait, wait) if caller.bucket in refused else usage

    return replace(behaviour, spend=spend)


def _late(behaviour: Behaviour) -> Behaviour:
    """The window lasts three times as long as its headers say."""

    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        usage = behaviour.spend(caller, call, state)
        until = state.memory["until"]
        if usage.retry_after is not None:
            until[caller.bucket] = usage.reset + 2 * state.quota.rules.window_seconds
        elif call.time < until.get(caller.bucket, 0):
            return Usage(usage.limit, 0, usage.reset, usage.reset - call.time)
        return usage

    return replace(behaviour, spend=spend)


def _half(usage: Usage) -> int:
    return math.floor((usage.retry_after or 0) / 2)


FAULTS = [
    # the plan's figure
    *rate(
        "plan-limits-swapped",
        "The free plan has the limit of pro; all other plans have that of free.",
        "RATE-5",
        _figures(lambda plan, figure: 300 if plan == "free" else 60),
        needs="plan",
    ),
    *rate(
        "plan-limits-all-100",
        "Every plan allows 100 requests per minute.",
        "RATE-5",
        _figures(lambda plan, figure: 100),
        needs="plan",
    ),
    *rate(
        "plan-limits-one-less",
        "Every plan allows one request too few.",
        "RATE-5",
        _figures(lambda plan, figure: figure - 1),
        needs="plan",
    ),
    # over the limit
    *rate(
        "limit-never-enforced",
        "Requests over the limit are served.",
        "RATE-6",
        _served_over_limit(lambda limit: math.inf),
        needs="exhaust",
    ),
    *rate(
        "over-limit-held-back",
        "Requests over the limit wait until the window ends, and are served then.",
        "RATE-6",
        _held_back,
        needs="exhaust",
    ),
    *rate(
        "limit-enforced-one-late",
        "The first request over the limit is served.",
        "RATE-6",
        _served_over_limit(lambda limit: 1),
        needs="exhaust",
    ),
    *rate(
        "limit-enforced-late",
        "The server serves twice as many requests as the limit allows.",
        "RATE-6",
        _served_over_limit(lambda limit: limit),
        needs="exhaust",
    ),
    *rate("403-over-limit", "A request over the limit gets 403.", "RATE-6", _answered(error(403)), needs="exhaust"),
    *rate("400-over-limit", "A request over the limit gets 400.", "RATE-6", _answered(error(400)), needs="exhaust"),
    *rate("402-over-limit", "A request over the limit gets 402.", "RATE-6", _answered(error(402)), needs="exhaust"),
    *rate("420-over-limit", "A request over the limit gets 420.", "RATE-6", _answered(error(420)), needs="exhaust"),
    *rate(
        "500-over-limit", "A request over the limit gets 500.", "RATE-6 ERROR-5", _answered(error(500)), needs="exhaust"
    ),
    *rate(
        "503-over-limit", "A request over the limit gets 503.", "RATE-6 ERROR-5", _answered(error(503)), needs="exhaust"
    ),
    *rate(
        "503-with-retry-after-over-limit",
        "A request over the limit gets 503 with Retry-After.",
        "RATE-6",
        over_limit(lambda refused, usage: replace(error(503), headers=refused.headers)),
        needs="exhaust",
    ),
    *rate(
        "aborted-over-limit",
        "The server aborts the connection of a request over the limit.",
        "RATE-6",
        aborted(429),
        needs="exhaust",
    ),
    # Retry-After
    *rate(
        "retry-after-missing", "A 429 has no Retry-After.", "RATE-7", _retry_after(lambda usage: None), needs="exhaust"
    ),
    *rate("retry-after-empty", "Retry-After is empty.", "RATE-7", _retry_after(lambda usage: ""), needs="exhaust"),
    *rate(
        "retry-after-iso",
        "Retry-After is an ISO 8601 date.",
        "RATE-7",
        _retry_after(lambda usage: iso(usage.reset)),
        needs="exhaust",
    ),
    *rate(
        "retry-after-unix-time",
        "Retry-After is a Unix time.",
        "RATE-7",
        _retry_after(lambda usage: math.ceil(usage.reset)),
        needs="exhaust",
    ),
    *rate(
        "retry-after-negative", "Retry-After is negative.", "RATE-7", _retry_after(lambda usage: -1), needs="exhaust"
    ),
    *rate(
        "retry-after-fraction",
        "Retry-After has a fraction, as in `29.75`.",
        "RATE-7",
        _retry_after(lambda usage: round((usage.retry_after or 0) + 0.25, 2)),
        needs="exhaust",
    ),
    *rate(
        "retry-after-with-unit",
        "Retry-After has a unit, as in `30s`.",
        "RATE-7",
        _retry_after(lambda usage: f"{math.ceil(usage.retry_after or 0)}s"),
        needs="exhaust",
    ),
    *rate(
        "retry-after-word", "Retry-After is `later`.", "RATE-7", _retry_after(lambda usage: "later"), needs="exhaust"
    ),
    *rate(
        "retry-after-renamed",
        "Retry-After is named X-Retry-After.",
        "RATE-7",
        over_limit(lambda answer, usage: replace(answer, headers=(("X-Retry-After", "1"),))),
        needs="exhaust",
    ),
    # refused too early
    *rate("429-one-early", "The last request within the limit gets 429.", "RATE-8", _early(1), needs="exhaust"),
    *rate("429-ten-early", "The last ten requests within the limit get 429.", "RATE-8", _early(10), needs="exhaust"),
    # refused too long
    *rate(
        "retry-after-zero",
        "Retry-After is 0, although the quota is still used up.",
        "RATE-9",
        _retry_after(lambda usage: 0),
        needs="exhaust",
    ),
    *rate(
        "retry-after-half",
        "Retry-After is half of the time to wait.",
        "RATE-9",
        _retry_after(_half),
        needs="exhaust",
    ),
    *rate("never-served-again", "After its first 429, a key gets only 429.", "RATE-9", _for_ever, needs="exhaust"),
    *rate(
        "served-again-late",
        "The window lasts three times as long as Retry-After says.",
        "RATE-9",
        _late,
        needs="exhaust",
    ),
]
