"""Section 8: other ways to limit, and to tell of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import over_limit, rates
from petcheck.reference.conforming import known
from petcheck.reference.messages import Answer, Call, Caller
from petcheck.reference.quota import ANONYMOUS, PER_DAY, QuotaRules, Usage
from petcheck.reference.seam import variation

_WINDOWS = "moving-window aligned-window daily-window refilled-bucket"
_KEYLESS = "keyless-limit keyless-same-bucket keyless-uncounted"
_SKEWS = "clock-ahead clock-behind"
_BODIES = "429-empty 429-html 429-problem"


def _ruled(make: Callable[[QuotaRules], QuotaRules]) -> Change:
    return lambda behaviour: replace(behaviour, rules=lambda rules: make(behaviour.rules(rules)))


def _daily(rules: QuotaRules) -> QuotaRules:
    """Plans have no figure in a window but one so high that the day's is always nearer to its end."""
    endless = {plan: figure if plan == ANONYMOUS else 10**9 for plan, figure in rules.per_window.items()}
    return replace(rules, per_window=endless, per_day={**PER_DAY, "enterprise": 500_000})


def _custom(rules: QuotaRules) -> QuotaRules:
    return replace(rules, per_window={**dict.fromkeys(rules.per_window, 777), ANONYMOUS: 111})


def _refilled(behaviour: Behaviour) -> Behaviour:
    """Each caller has a bucket that refills all the time; Reset is when it is full."""

    def spend(caller: Caller, call: Call, site: Site) -> Usage:
        full = site.memory["refilled"]
        limit = site.quota.rules.per_window[caller.plan]
        each = site.quota.rules.window_seconds / limit
        until = max(full.get(caller.bucket, 0.0), call.time) + each
        if (over := until - call.time - limit * each) > 1e-6:
            return Usage(limit, 0, until - each, over)
        full[caller.bucket] = until
        return Usage(limit, math.floor(limit - (until - call.time) / each + 1e-6), until)

    return replace(behaviour, spend=spend)


def _spent_by(who: Callable[[Caller, Site], Caller]) -> Change:
    def change(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, spend=lambda caller, call, site: behaviour.spend(who(caller, site), call, site))

    return change


def _sole_key(caller: Caller, site: Site) -> Caller:
    return known(next(iter(site.keys)), site.keys) if caller.plan == ANONYMOUS and site.keys else caller


def _uncounted(behaviour: Behaviour) -> Behaviour:
    def spend(caller: Caller, call: Call, site: Site) -> Usage:
        if caller.plan != ANONYMOUS:
            return behaviour.spend(caller, call, site)
        limit = site.quota.rules.per_window[ANONYMOUS]
        return Usage(limit, limit, call.time + site.quota.rules.window_seconds)

    return replace(behaviour, spend=spend)


def _refused(content: object, media_type: str | None) -> Change:
    return over_limit(lambda answer, usage: replace(answer, content=content, media_type=media_type))


def _retry_date(behaviour: Behaviour) -> Behaviour:
    def exceeded(usage: Usage, call: Call) -> Answer:
        when = math.ceil(call.time + (usage.retry_after or 0))
        answer = behaviour.exceeded(usage, call)
        return replace(answer, headers=(("Retry-After", formatdate(when, usegmt=True)),))

    return replace(behaviour, exceeded=exceeded)


def _skewed(seconds: float) -> Change:
    return lambda behaviour: replace(behaviour, skew=seconds)


VARIATIONS = [
    variation(
        "moving-window",
        "8",
        "Each request counts for a window from its own time on.",
        _ruled(lambda rules: replace(rules, moving=True)),
        conflicts=_WINDOWS,
    ),
    variation(
        "aligned-window",
        "8",
        "Windows begin at the full minute.",
        _ruled(lambda rules: replace(rules, aligned=True)),
        conflicts=_WINDOWS,
    ),
    variation(
        "daily-window", "8", "The plan's requests per day are the limit in force.", _ruled(_daily), conflicts=_WINDOWS
    ),
    variation(
        "refilled-bucket",
        "8",
        "A bucket is refilled all the time, by the limit in a window.",
        _refilled,
        conflicts=f"{_WINDOWS} keyless-limit",
    ),
    variation(
        "custom-plan",
        "8",
        "The quota was agreed individually; true for a run that is told of no plan, or of enterprise.",
        _ruled(_custom),
        conflicts="daily-window",
    ),
    variation(
        "reset-fraction",
        "8",
        "Reset has a fraction.",
        rates(lambda headers, usage, call, status: {**headers, "X-RateLimit-Reset": f"{usage.reset + 0.001:.3f}"}),
    ),
    variation("clock-ahead", "8", "The server's clock is 8 minutes ahead.", _skewed(480.0), conflicts=_SKEWS),
    variation("clock-behind", "8", "The server's clock is 8 minutes behind.", _skewed(-480.0), conflicts=_SKEWS),
    variation(
        "keyless-limit",
        "8",
        "Without a key an address has 10 requests in a second.",
        _ruled(lambda rules: replace(rules, per_window={**rules.per_window, ANONYMOUS: 10}, anonymous_seconds=1.0)),
        conflicts=f"{_KEYLESS} refilled-bucket",
    ),
    variation(
        "keyless-same-bucket",
        "8",
        "Requests without a key are counted with those of the first key.",
        _spent_by(_sole_key),
        conflicts=_KEYLESS,
    ),
    variation("keyless-uncounted", "8", "Requests without a key are not counted.", _uncounted, conflicts=_KEYLESS),
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
        "A 429 is a problem document.",
        _refused({"type": "about:blank", "title": "Slow down"}, "application/problem+json"),
        conflicts=_BODIES,
    ),
    variation("retry-after-date", "8", "Retry-After is an HTTP date.", _retry_date),
]
