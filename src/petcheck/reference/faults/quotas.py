"""Section 8: quotas that are not the plan's, not kept, or not told of as they should be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import aborted, error, over_limit, spending
from petcheck.reference.messages import Answer, Call, Caller
from petcheck.reference.quota import ANONYMOUS, QuotaRules, Usage
from petcheck.reference.seam import fault

rate = partial(fault, section="8")


def _ruled(make: Callable[[QuotaRules], QuotaRules]) -> Change:
    return lambda behaviour: replace(behaviour, rules=lambda rules: make(behaviour.rules(rules)))


def _figures(make: Callable[[str, int], int]) -> Change:
    """Plans have other figures in a window."""

    def made(rules: QuotaRules) -> QuotaRules:
        figures = {
            plan: figure if plan == ANONYMOUS else make(plan, figure) for plan, figure in rules.per_window.items()
        }
        return replace(rules, per_window=figures)

    return _ruled(made)


def _answered(answer: Answer) -> Change:
    """Over the limit that is the answer."""
    return over_limit(lambda refused, usage: answer)


def _retry_after(make: Callable[[Usage], object]) -> Change:
    """Retry-After is what `make` gives; None leaves it out."""

    def made(answer: Answer, usage: Usage) -> Answer:
        value = make(usage)
        return replace(answer, headers=() if value is None else (("Retry-After", str(value)),))

    return over_limit(made)


def _served_on(allowance: Callable[[int], float]) -> Change:
    """Over the limit requests are served, as many in a row as `allowance` gives for the limit."""

    def change(behaviour: Behaviour) -> Behaviour:
        def spend(caller: Caller, call: Call, site: Site) -> Usage:
            usage = behaviour.spend(caller, call, site)
            served = site.memory["served on"]
            if usage.retry_after is None:
                served[caller.bucket] = 0
                return usage
            served[caller.bucket] = served.get(caller.bucket, 0) + 1
            too_many = served[caller.bucket] > allowance(usage.limit)
            return usage if too_many else replace(usage, retry_after=None)

        return replace(behaviour, spend=spend)

    return change


def _early(left: int) -> Change:
    """429 comes while so many requests are left."""

    def make(usage: Usage, call: Call) -> Usage:
        early = usage.retry_after is None and usage.remaining < left
        return replace(usage, retry_after=max(0.0, usage.reset - call.time)) if early else usage

    return spending(make)


def _for_ever(behaviour: Behaviour) -> Behaviour:
    def spend(caller: Caller, call: Call, site: Site) -> Usage:
        usage = behaviour.spend(caller, call, site)
        refused = site.memory["refused"]
        if usage.retry_after is not None:
            refused[caller.bucket] = call.time
        wait = site.quota.rules.window_seconds
        return Usage(usage.limit, 0, call.time + wait, wait) if caller.bucket in refused else usage

    return replace(behaviour, spend=spend)


def _late(behaviour: Behaviour) -> Behaviour:
    """The window lasts three times as long as its headers say."""

    def spend(caller: Caller, call: Call, site: Site) -> Usage:
        usage = behaviour.spend(caller, call, site)
        until = site.memory["until"]
        if usage.retry_after is not None:
            until[caller.bucket] = usage.reset + 2 * site.quota.rules.window_seconds
        elif call.time < until.get(caller.bucket, 0):
            return Usage(usage.limit, 0, usage.reset, usage.reset - call.time)
        return usage

    return replace(behaviour, spend=spend)


def _half(usage: Usage) -> int:
    return math.floor((usage.retry_after or 0) / 2)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


FAULTS = [
    # the plan's figure
    *rate(
        "limit-of-pro-for-free",
        "The free plan has the limit of pro, and the others that of free.",
        "RATE-5",
        _figures(lambda plan, figure: 300 if plan == "free" else 60),
        needs="plan",
    ),
    *rate(
        "limit-100-for-all", "All plans have 100 requests.", "RATE-5", _figures(lambda plan, figure: 100), needs="plan"
    ),
    *rate(
        "limit-one-less",
        "All plans have a request less.",
        "RATE-5",
        _figures(lambda plan, figure: figure - 1),
        needs="plan",
    ),
    # over the limit
    *rate(
        "limit-never-enforced",
        "Over the limit requests are served on.",
        "RATE-6",
        _served_on(lambda limit: math.inf),
        needs="exhaust",
    ),
    *rate(
        "limit-enforced-one-late",
        "One request over the limit is served.",
        "RATE-6",
        _served_on(lambda limit: 1),
        needs="exhaust",
    ),
    *rate(
        "limit-enforced-late",
        "As many requests over the limit as within it are served.",
        "RATE-6",
        _served_on(lambda limit: limit),
        needs="exhaust",
    ),
    *rate("403-over-limit", "Over the limit it is 403.", "RATE-6", _answered(error(403)), needs="exhaust"),
    *rate("400-over-limit", "Over the limit it is 400.", "RATE-6", _answered(error(400)), needs="exhaust"),
    *rate("402-over-limit", "Over the limit it is 402.", "RATE-6", _answered(error(402)), needs="exhaust"),
    *rate("420-over-limit", "Over the limit it is 420.", "RATE-6", _answered(error(420)), needs="exhaust"),
    *rate("500-over-limit", "Over the limit it is 500.", "RATE-6 ERROR-5", _answered(error(500)), needs="exhaust"),
    *rate("503-over-limit", "Over the limit it is 503.", "RATE-6 ERROR-5", _answered(error(503)), needs="exhaust"),
    *rate("aborted-over-limit", "Over the limit the connection is aborted.", "RATE-6", aborted(429), needs="exhaust"),
    # Retry-After
    *rate(
        "retry-after-missing", "A 429 has no Retry-After.", "RATE-7", _retry_after(lambda usage: None), needs="exhaust"
    ),
    *rate("retry-after-empty", "Retry-After is empty.", "RATE-7", _retry_after(lambda usage: ""), needs="exhaust"),
    *rate(
        "retry-after-iso",
        "Retry-After is an ISO date.",
        "RATE-7",
        _retry_after(lambda usage: _iso(usage.reset)),
        needs="exhaust",
    ),
    *rate(
        "retry-after-negative", "Retry-After is below zero.", "RATE-7", _retry_after(lambda usage: -1), needs="exhaust"
    ),
    *rate(
        "retry-after-fraction",
        "Retry-After has a fraction.",
        "RATE-7",
        _retry_after(lambda usage: round((usage.retry_after or 0) + 0.25, 2)),
        needs="exhaust",
    ),
    *rate(
        "retry-after-with-unit",
        "Retry-After has a unit.",
        "RATE-7",
        _retry_after(lambda usage: f"{math.ceil(usage.retry_after or 0)}s"),
        needs="exhaust",
    ),
    *rate(
        "retry-after-word", "Retry-After is `later`.", "RATE-7", _retry_after(lambda usage: "later"), needs="exhaust"
    ),
    *rate(
        "retry-after-renamed",
        "Retry-After is called X-Retry-After.",
        "RATE-7",
        over_limit(lambda answer, usage: replace(answer, headers=(("X-Retry-After", "1"),))),
        needs="exhaust",
    ),
    # refused too early
    *rate("429-one-early", "The last request that was left is 429.", "RATE-8", _early(1), needs="exhaust"),
    *rate("429-ten-early", "The last ten requests that were left are 429.", "RATE-8", _early(10), needs="exhaust"),
    # refused too long
    *rate(
        "retry-after-zero",
        "Retry-After is 0 while the limit is still used up.",
        "RATE-9",
        _retry_after(lambda usage: 0),
        needs="exhaust",
    ),
    *rate(
        "retry-after-half",
        "Retry-After is half of the time that it takes.",
        "RATE-9",
        _retry_after(_half),
        needs="exhaust",
    ),
    *rate(
        "never-served-again", "A key that was refused once is refused for ever.", "RATE-9", _for_ever, needs="exhaust"
    ),
    *rate(
        "served-again-late", "A window lasts three times as long as Retry-After says.", "RATE-9", _late, needs="exhaust"
    ),
]
