"""Section 8: rate limit headers that are missing or wrong, and limits that are not kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import aborted, error, over_limit, rates, spending
from petcheck.reference.messages import Answer, Call, Caller
from petcheck.reference.quota import ANONYMOUS, DAY, QuotaRules, Usage
from petcheck.reference.seam import ALL, Fault, fault

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
    return fault(name, "8", f"{header} {summary}.", breaks, _value(header, make), needs=needs)


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


def _served_on(allowance: Callable[[int], int] | None) -> Change:
    """Over the limit requests are served: `allowance` more than the limit, without end where that is None."""

    def change(behaviour: Behaviour) -> Behaviour:
        served: dict[str, list[float]] = {}

        def spend(caller: Caller, call: Call, site: Site) -> Usage:
            usage = behaviour.spend(caller, call, site)
            if usage.retry_after is None:
                served.pop(caller.bucket, None)
                return usage
            over = served.setdefault(caller.bucket, [])
            over.append(call.time)
            return usage if allowance and len(over) > allowance(usage.limit) else replace(usage, retry_after=None)

        return replace(behaviour, spend=spend)

    return change


def _early(left: int) -> Change:
    """429 comes while so many requests are left."""

    def make(usage: Usage, call: Call) -> Usage:
        early = usage.retry_after is None and usage.remaining < left
        return replace(usage, retry_after=max(0.0, usage.reset - call.time)) if early else usage

    return spending(make)


def _for_ever(behaviour: Behaviour) -> Behaviour:
    exhausted: dict[str, Usage] = {}

    def spend(caller: Caller, call: Call, site: Site) -> Usage:
        usage = behaviour.spend(caller, call, site)
        if usage.retry_after is not None or caller.bucket in exhausted:
            wait = site.quota.rules.window_seconds
            usage = Usage(usage.limit, 0, math.ceil(call.time + wait), wait)
            exhausted[caller.bucket] = usage
        return usage

    return replace(behaviour, spend=spend)


def _late(behaviour: Behaviour) -> Behaviour:
    """The window lasts three times as long as its headers say."""
    told: dict[str, Usage] = {}

    def spend(caller: Caller, call: Call, site: Site) -> Usage:
        usage = behaviour.spend(caller, call, site)
        window = site.quota.rules.window_seconds
        first = told.get(caller.bucket)
        if first is not None and usage.retry_after is None and call.time < first.reset + 2 * window:
            return Usage(usage.limit, 0, usage.reset, usage.reset - call.time)
        if usage.retry_after is not None:
            told[caller.bucket] = usage
        elif first is not None:
            del told[caller.bucket]
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
            *fault(f"no-{short}", "8", f"No response has {header}.", requirement, _missing((header,)), each=ALL),
            *fault(f"no-{short}-on-200", "8", f"A 200 has no {header}.", requirement, _missing((header,), 200)),
            *fault(f"no-{short}-on-401", "8", f"A 401 has no {header}.", requirement, _missing((header,), 401)),
            *fault(f"no-{short}-on-404", "8", f"A 404 has no {header}.", requirement, _missing((header,), 404)),
            *fault(
                f"no-{short}-on-400",
                "8",
                f"A 400 has no {header}.",
                requirement,
                _missing((header,), 400),
                needs="writes",
            ),
            *fault(
                f"no-{short}-on-201",
                "8",
                f"A 201 has no {header}.",
                requirement,
                _missing((header,), 201),
                needs="writes",
            ),
            *fault(
                f"no-{short}-on-429",
                "8",
                f"A 429 has no {header}.",
                requirement,
                _missing((header,), 429),
                needs="exhaust",
            ),
        )
    ),
    *fault(
        "no-rate-headers",
        "8",
        "No response has rate limit headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET)),
        each=ALL,
    ),
    *fault(
        "no-rate-headers-on-errors",
        "8",
        "Errors have no rate limit headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET), 400, 401, 404),
    ),
    *fault(
        "no-rate-headers-on-401",
        "8",
        "A 401 comes before the limiter and has none of its headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET), 401),
    ),
    *fault(
        "rate-headers-on-429-only",
        "8",
        "A 429 alone has rate limit headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET), 200, 201, 400, 401, 404),
    ),
    *fault(
        "rate-headers-of-draft",
        "8",
        "The headers are called RateLimit-….",
        _ALL_THREE,
        _renamed(lambda name: name.removeprefix("X-")),
    ),
    *fault(
        "rate-headers-hyphenated",
        "8",
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
    *fault(
        "remaining-full",
        "8",
        "X-RateLimit-Remaining is the limit (on one operation).",
        "RATE-4",
        _value(REMAINING, lambda usage, call: usage.limit),
        at=(),
        each=ALL,
    ),
    # the plan's figure
    *fault(
        "limit-of-pro-for-free",
        "8",
        "The free plan has the limit of pro, and the others that of free.",
        "RATE-5",
        _figures(lambda plan, figure: 300 if plan == "free" else 60),
        needs="plan",
    ),
    *fault(
        "limit-100-for-all",
        "8",
        "All plans have 100 requests.",
        "RATE-5",
        _figures(lambda plan, figure: 100),
        needs="plan",
    ),
    *fault(
        "limit-one-less",
        "8",
        "All plans have a request less.",
        "RATE-5",
        _figures(lambda plan, figure: figure - 1),
        needs="plan",
    ),
    *fault(
        "limit-per-hour",
        "8",
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
    *fault(
        "limit-never-enforced",
        "8",
        "Over the limit requests are served on.",
        "RATE-6",
        _served_on(None),
        needs="exhaust",
    ),
    *fault(
        "limit-enforced-one-late",
        "8",
        "One request over the limit is served.",
        "RATE-6",
        _served_on(lambda limit: 1),
        needs="exhaust",
    ),
    *fault(
        "limit-enforced-late",
        "8",
        "As many requests over the limit as within it are served.",
        "RATE-6",
        _served_on(lambda limit: limit),
        needs="exhaust",
    ),
    *fault("403-over-limit", "8", "Over the limit it is 403.", "RATE-6", _answered(error(403)), needs="exhaust"),
    *fault("400-over-limit", "8", "Over the limit it is 400.", "RATE-6", _answered(error(400)), needs="exhaust"),
    *fault("402-over-limit", "8", "Over the limit it is 402.", "RATE-6", _answered(error(402)), needs="exhaust"),
    *fault("420-over-limit", "8", "Over the limit it is 420.", "RATE-6", _answered(error(420)), needs="exhaust"),
    *fault(
        "500-over-limit", "8", "Over the limit it is 500.", "RATE-6 ERROR-5", _answered(error(500)), needs="exhaust"
    ),
    *fault(
        "503-over-limit", "8", "Over the limit it is 503.", "RATE-6 ERROR-5", _answered(error(503)), needs="exhaust"
    ),
    *fault(
        "aborted-over-limit", "8", "Over the limit the connection is aborted.", "RATE-6", aborted(429), needs="exhaust"
    ),
    # Retry-After
    *fault(
        "retry-after-missing",
        "8",
        "A 429 has no Retry-After.",
        "RATE-7",
        _retry_after(lambda usage: None),
        needs="exhaust",
    ),
    *fault(
        "retry-after-empty", "8", "Retry-After is empty.", "RATE-7", _retry_after(lambda usage: ""), needs="exhaust"
    ),
    *fault(
        "retry-after-iso",
        "8",
        "Retry-After is an ISO date.",
        "RATE-7",
        _retry_after(lambda usage: _iso(usage.reset)),
        needs="exhaust",
    ),
    *fault(
        "retry-after-negative",
        "8",
        "Retry-After is below zero.",
        "RATE-7",
        _retry_after(lambda usage: -1),
        needs="exhaust",
    ),
    *fault(
        "retry-after-fraction",
        "8",
        "Retry-After has a fraction.",
        "RATE-7",
        _retry_after(lambda usage: round((usage.retry_after or 0) + 0.25, 2)),
        needs="exhaust",
    ),
    *fault(
        "retry-after-with-unit",
        "8",
        "Retry-After has a unit.",
        "RATE-7",
        _retry_after(lambda usage: f"{math.ceil(usage.retry_after or 0)}s"),
        needs="exhaust",
    ),
    *fault(
        "retry-after-word",
        "8",
        "Retry-After is `later`.",
        "RATE-7",
        _retry_after(lambda usage: "later"),
        needs="exhaust",
    ),
    *fault(
        "retry-after-renamed",
        "8",
        "Retry-After is called X-Retry-After.",
        "RATE-7",
        over_limit(lambda answer, usage: replace(answer, headers=(("X-Retry-After", "1"),))),
        needs="exhaust",
    ),
    # refused too early
    *fault("429-one-early", "8", "The last request that was left is 429.", "RATE-8", _early(1), needs="exhaust"),
    *fault(
        "429-ten-early", "8", "The last ten requests that were left are 429.", "RATE-8", _early(10), needs="exhaust"
    ),
    # refused too long
    *fault(
        "retry-after-zero",
        "8",
        "Retry-After is 0 while the limit is still used up.",
        "RATE-9",
        _retry_after(lambda usage: 0),
        needs="exhaust",
    ),
    *fault(
        "retry-after-half",
        "8",
        "Retry-After is half of the time that it takes.",
        "RATE-9",
        _retry_after(_half),
        needs="exhaust",
    ),
    *fault(
        "never-served-again",
        "8",
        "A key that was refused once is refused for ever.",
        "RATE-9",
        _for_ever,
        needs="exhaust",
    ),
    *fault(
        "served-again-late",
        "8",
        "A window lasts three times as long as Retry-After says.",
        "RATE-9",
        _late,
        needs="exhaust",
    ),
]
