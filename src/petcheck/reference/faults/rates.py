"""Section 8: rate limit headers that are missing or wrong, and limits that are not kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate
from functools import partial

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import aborted, error, over_limit, rates, spending
from petcheck.reference.messages import Answer, Call, Caller
from petcheck.reference.quota import ANONYMOUS, DAY, QuotaRules, Usage
from petcheck.reference.seam import ALL, Fault, fault

rate = partial(fault, section="8")

LIMIT, REMAINING, RESET = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"
_HEADERS = (("limit", LIMIT, "RATE-1"), ("remaining", REMAINING, "RATE-2"), ("reset", RESET, "RATE-3"))
_ALL_THREE = "RATE-1 RATE-2 RATE-3"


def _missing(names: tuple[str, ...], *statuses: int) -> Change:
    """The headers are left out of answers of those statuses, none given: all."""
    return rates(
        lambda headers, usage, call, status: (
            {name: value for name, value in headers.items() if name not in names}
            if not statuses or status in statuses
            else headers
        )
    )


def _value(name: str, make: Callable[[Usage, Call], object]) -> Change:
    return rates(lambda headers, usage, call, status: {**headers, name: str(make(usage, call))})


def _renamed(make: Callable[[str], str]) -> Change:
    return rates(lambda headers, usage, call, status: {make(name): value for name, value in headers.items()})


def _wrong(
    name: str, summary: str, breaks: str, header: str, make: Callable[[Usage, Call], object], needs: str = ""
) -> Iterator[Fault]:
    return rate(name, f"{header} {summary}.", breaks, _value(header, make), needs=needs)


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
    # missing
    *(
        each
        for short, header, requirement in _HEADERS
        for each in (
            *rate(f"no-{short}", f"No response has {header}.", requirement, _missing((header,)), each=ALL),
            *rate(f"no-{short}-on-200", f"A 200 has no {header}.", requirement, _missing((header,), 200)),
            *rate(f"no-{short}-on-401", f"A 401 has no {header}.", requirement, _missing((header,), 401)),
            *rate(f"no-{short}-on-404", f"A 404 has no {header}.", requirement, _missing((header,), 404)),
            *rate(
                f"no-{short}-on-400", f"A 400 has no {header}.", requirement, _missing((header,), 400), needs="writes"
            ),
            *rate(
                f"no-{short}-on-201", f"A 201 has no {header}.", requirement, _missing((header,), 201), needs="writes"
            ),
            *rate(
                f"no-{short}-on-429", f"A 429 has no {header}.", requirement, _missing((header,), 429), needs="exhaust"
            ),
        )
    ),
    *rate(
        "no-rate-headers",
        "No response has rate limit headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET)),
        each=ALL,
    ),
    *rate(
        "no-rate-headers-on-errors",
        "Errors have no rate limit headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET), 400, 401, 404),
    ),
    *rate(
        "no-rate-headers-on-401",
        "A 401 comes before the limiter and has none of its headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET), 401),
    ),
    *rate(
        "rate-headers-on-429-only",
        "A 429 alone has rate limit headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET), 200, 201, 400, 401, 404),
    ),
    *rate(
        "rate-headers-of-draft",
        "The headers are called RateLimit-….",
        _ALL_THREE,
        _renamed(lambda name: name.removeprefix("X-")),
    ),
    *rate(
        "rate-headers-hyphenated",
        "The headers are called X-Rate-Limit-….",
        _ALL_THREE,
        _renamed(lambda name: name.replace("RateLimit", "Rate-Limit")),
    ),
    # X-RateLimit-Limit
    *_wrong("limit-per-minute", "says per minute", "RATE-1", LIMIT, lambda usage, call: f"{usage.limit}/min"),
    *_wrong("limit-with-window", "says the window", "RATE-1", LIMIT, lambda usage, call: f"{usage.limit};w=60"),
    *_wrong("limit-listed", "lists the quotas", "RATE-1", LIMIT, lambda usage, call: f"{usage.limit}, 1000;w=86400"),
    *_wrong("limit-unlimited", "is `unlimited`", "RATE-1", LIMIT, lambda usage, call: "unlimited"),
    *_wrong("limit-zero", "is 0", "RATE-1", LIMIT, lambda usage, call: 0),
    *_wrong("limit-negative", "is -1", "RATE-1", LIMIT, lambda usage, call: -1),
    *_wrong("limit-fraction", "has a fraction", "RATE-1", LIMIT, lambda usage, call: float(usage.limit)),
    *_wrong(
        "limit-with-comma", "has a comma for thousands", "RATE-1", LIMIT, lambda usage, call: f"1,{usage.limit:03}"
    ),
    *_wrong("limit-quoted", "is in quotes", "RATE-1", LIMIT, lambda usage, call: f'"{usage.limit}"'),
    *_wrong("limit-empty", "is empty", "RATE-1", LIMIT, lambda usage, call: ""),
    # X-RateLimit-Remaining
    *_wrong(
        "remaining-of-limit",
        "says of how many",
        "RATE-2",
        REMAINING,
        lambda usage, call: f"{usage.remaining}/{usage.limit}",
    ),
    *_wrong("remaining-unlimited", "is `unlimited`", "RATE-2", REMAINING, lambda usage, call: "unlimited"),
    *_wrong(
        "remaining-negative",
        "is below zero",
        "RATE-2",
        REMAINING,
        lambda usage, call: usage.remaining - usage.limit - 1,
    ),
    *_wrong(
        "remaining-above-limit",
        "is above the limit",
        "RATE-2",
        REMAINING,
        lambda usage, call: usage.remaining + usage.limit,
    ),
    *_wrong(
        "remaining-one-above-limit",
        "begins one above the limit",
        "RATE-2",
        REMAINING,
        lambda usage, call: usage.limit + 1,
    ),
    *_wrong("remaining-fraction", "has a fraction", "RATE-2", REMAINING, lambda usage, call: float(usage.remaining)),
    *_wrong(
        "remaining-percent",
        "is a percentage",
        "RATE-2",
        REMAINING,
        lambda usage, call: f"{100 * usage.remaining // usage.limit}%",
    ),
    *_wrong("remaining-empty", "is empty", "RATE-2", REMAINING, lambda usage, call: ""),
    # X-RateLimit-Reset
    *_wrong(
        "reset-in-seconds",
        "is the seconds until then",
        "RATE-3",
        RESET,
        lambda usage, call: math.ceil(usage.reset - call.time),
    ),
    *_wrong(
        "reset-in-milliseconds",
        "is in milliseconds",
        "RATE-3",
        RESET,
        lambda usage, call: math.ceil(usage.reset * 1000),
    ),
    *_wrong(
        "reset-in-microseconds", "is in microseconds", "RATE-3", RESET, lambda usage, call: math.ceil(usage.reset * 1e6)
    ),
    *_wrong("reset-iso", "is an ISO date", "RATE-3", RESET, lambda usage, call: _iso(usage.reset)),
    *_wrong(
        "reset-http-date", "is an HTTP date", "RATE-3", RESET, lambda usage, call: formatdate(usage.reset, usegmt=True)
    ),
    *_wrong("reset-past", "is an hour ago", "RATE-3", RESET, lambda usage, call: math.ceil(usage.reset) - 3600),
    *_wrong(
        "reset-in-local-time",
        "is in the local time of New York",
        "RATE-3",
        RESET,
        lambda usage, call: math.ceil(usage.reset) - 5 * 3600,
    ),
    *_wrong(
        "reset-in-two-days", "is two days ahead", "RATE-3", RESET, lambda usage, call: math.ceil(usage.reset) + 2 * DAY
    ),
    *_wrong(
        "reset-in-a-month", "is a month ahead", "RATE-3", RESET, lambda usage, call: math.ceil(usage.reset) + 30 * DAY
    ),
    *_wrong("reset-zero", "is 0", "RATE-3", RESET, lambda usage, call: 0),
    *_wrong("reset-never", "is `never`", "RATE-3", RESET, lambda usage, call: "never"),
    *_wrong("reset-empty", "is empty", "RATE-3", RESET, lambda usage, call: ""),
    *_wrong(
        "reset-relative",
        "is relative",
        "RATE-3",
        RESET,
        lambda usage, call: f"in {math.ceil(usage.reset - call.time)}s",
    ),
    # within a window
    *_wrong("remaining-frozen", "never falls", "RATE-4", REMAINING, lambda usage, call: usage.limit),
    *_wrong(
        "remaining-rises",
        "counts the requests that were sent",
        "RATE-4",
        REMAINING,
        lambda usage, call: usage.limit - usage.remaining,
    ),
    *_wrong(
        "remaining-one-less-for-ever",
        "is always one less than the limit",
        "RATE-4",
        REMAINING,
        lambda usage, call: usage.limit - 1,
    ),
    *rate(
        "remaining-full",
        "X-RateLimit-Remaining is the limit (on one operation).",
        "RATE-4",
        _value(REMAINING, lambda usage, call: usage.limit),
        at=(),
        each=ALL,
    ),
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
    *rate(
        "limit-per-hour",
        "Limits are told by the hour.",
        "RATE-5",
        _figures(lambda plan, figure: figure * 60),
        needs="plan",
    ),
    *_wrong(
        "limit-doubled",
        "is twice the plan's figure",
        "RATE-5",
        LIMIT,
        lambda usage, call: usage.limit * 2,
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
