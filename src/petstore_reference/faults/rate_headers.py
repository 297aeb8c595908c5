"""Section 8: rate limit headers that are missing or wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.messages import Caller, ReceivedCall
from petstore_reference.overrides import both, rates
from petstore_reference.quota import DAY, Usage
from petstore_reference.registry import ALL, Fault, rate

LIMIT, REMAINING, RESET = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"
_HEADERS = (("limit-header", LIMIT, "RATE-1"), ("remaining", REMAINING, "RATE-2"), ("reset", RESET, "RATE-3"))
_ALL_THREE = "RATE-1 RATE-2 RATE-3"


def _missing(names: tuple[str, ...], *statuses: int) -> Override:
    """Responses of those statuses (by default all) lack the headers."""
    return rates(
        lambda headers, usage, call, status: (
            {name: value for name, value in headers.items() if name not in names}
            if not statuses or status in statuses
            else headers
        )
    )


def _value(name: str, make: Callable[[Usage, ReceivedCall], object]) -> Override:
    return rates(lambda headers, usage, call, status: {**headers, name: str(make(usage, call))})


def _constant(usage: Usage, call: ReceivedCall) -> dict[str, str]:
    return {LIMIT: str(usage.limit), REMAINING: str(usage.limit - 1), RESET: str(math.ceil(call.time) + 60)}


def _renamed(make: Callable[[str], str]) -> Override:
    return rates(lambda headers, usage, call, status: {make(name): value for name, value in headers.items()})


def _wrong(
    name: str, summary: str, breaks: str, header: str, make: Callable[[Usage, ReceivedCall], object], needs: str = ""
) -> Iterator[Fault]:
    return rate(name, f"{header} {summary}.", breaks, _value(header, make), needs=needs)


def iso(seconds: float) -> str:
    """A Unix time as an ISO 8601 date."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _seconds_to_go(usage: Usage, call: ReceivedCall) -> int:
    return math.ceil(usage.reset - call.time)


def _counted_apart(behaviour: Behaviour) -> Behaviour:
    """Each operation has its own quota."""

    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        return behaviour.spend(replace(caller, bucket=f"{caller.bucket} at {call.operation}"), call, state)

    return replace(behaviour, spend=spend)


FAULTS = [
    # missing
    *(
        each
        for short, header, requirement in _HEADERS
        for each in (
            *rate(f"no-{short}", f"Responses have no {header}.", requirement, _missing((header,)), each=ALL),
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
        "Responses have no rate limit headers.",
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
        "A 401 has no rate limit headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET), 401),
    ),
    *rate(
        "rate-headers-on-429-only",
        "Only a 429 has rate limit headers.",
        _ALL_THREE,
        _missing((LIMIT, REMAINING, RESET), 200, 201, 400, 401, 404),
    ),
    *rate(
        "rate-headers-without-x",
        "The rate limit headers are named RateLimit-…, without `X-`.",
        _ALL_THREE,
        _renamed(lambda name: name.removeprefix("X-")),
    ),
    *rate(
        "rate-headers-hyphenated",
        "The rate limit headers are named X-Rate-Limit-….",
        _ALL_THREE,
        _renamed(lambda name: name.replace("RateLimit", "Rate-Limit")),
    ),
    # X-RateLimit-Limit
    *_wrong(
        "limit-header-per-minute",
        "has a unit, as in `60/min`",
        "RATE-1",
        LIMIT,
        lambda usage, call: f"{usage.limit}/min",
    ),
    *_wrong(
        "limit-header-with-window",
        "has a window, as in `60;w=60`",
        "RATE-1",
        LIMIT,
        lambda usage, call: f"{usage.limit};w=60",
    ),
    *_wrong(
        "limit-header-lists-quotas",
        "lists several quotas, as in `60, 1000;w=86400`",
        "RATE-1",
        LIMIT,
        lambda usage, call: f"{usage.limit}, 1000;w=86400",
    ),
    *_wrong("limit-header-unlimited", "is `unlimited`", "RATE-1", LIMIT, lambda usage, call: "unlimited"),
    *_wrong("limit-header-zero", "is 0", "RATE-1", LIMIT, lambda usage, call: 0),
    *_wrong("limit-header-negative", "is -1", "RATE-1", LIMIT, lambda usage, call: -1),
    *_wrong(
        "limit-header-fraction", "has a fraction, as in `60.0`", "RATE-1", LIMIT, lambda usage, call: float(usage.limit)
    ),
    *_wrong(
        "limit-header-with-comma",
        "has a comma for thousands, as in `1,060`",
        "RATE-1",
        LIMIT,
        lambda usage, call: f"1,{usage.limit:03}",
    ),
    *_wrong("limit-header-quoted", "is in quotes", "RATE-1", LIMIT, lambda usage, call: f'"{usage.limit}"'),
    *_wrong("limit-header-empty", "is empty", "RATE-1", LIMIT, lambda usage, call: ""),
    # X-RateLimit-Remaining
    *_wrong(
        "remaining-of-limit",
        "includes the limit, as in `59/60`",
        "RATE-2",
        REMAINING,
        lambda usage, call: f"{usage.remaining}/{usage.limit}",
    ),
    *_wrong("remaining-unlimited", "is `unlimited`", "RATE-2", REMAINING, lambda usage, call: "unlimited"),
    *_wrong(
        "remaining-negative",
        "is negative",
        "RATE-2",
        REMAINING,
        lambda usage, call: usage.remaining - usage.limit - 1,
    ),
    *_wrong(
        "remaining-above-limit",
        "is higher than the limit",
        "RATE-2",
        REMAINING,
        lambda usage, call: usage.remaining + usage.limit,
    ),
    *_wrong(
        "remaining-one-above-limit",
        "starts one above the limit",
        "RATE-2",
        REMAINING,
        lambda usage, call: usage.remaining + 2,
    ),
    *_wrong(
        "remaining-fraction",
        "has a fraction, as in `59.0`",
        "RATE-2",
        REMAINING,
        lambda usage, call: float(usage.remaining),
    ),
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
        "is the number of seconds until the reset",
        "RATE-3",
        RESET,
        _seconds_to_go,
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
    *_wrong("reset-iso", "is an ISO date", "RATE-3", RESET, lambda usage, call: iso(usage.reset)),
    *_wrong(
        "reset-http-date", "is an HTTP date", "RATE-3", RESET, lambda usage, call: formatdate(usage.reset, usegmt=True)
    ),
    *_wrong("reset-past", "is an hour in the past", "RATE-3", RESET, lambda usage, call: math.ceil(usage.reset) - 3600),
    *_wrong(
        "reset-when-the-window-began",
        "is when the window began",
        "RATE-3",
        RESET,
        lambda usage, call: math.floor(usage.reset - 60),
    ),
    *_wrong(
        "reset-in-local-time",
        "is five hours too early, a local time in New York",
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
        "is relative, as in `in 42s`",
        "RATE-3",
        RESET,
        lambda usage, call: f"in {_seconds_to_go(usage, call)}s",
    ),
    *rate(
        "reset-in-seconds-counted-apart",
        "X-RateLimit-Reset is the number of seconds until the reset, and each operation has its own quota.",
        "RATE-3 RATE-4",
        both(_counted_apart, _value(RESET, _seconds_to_go)),
    ),
    # within a window
    *rate("quota-counted-apart", "Each operation has its own quota.", "RATE-4", _counted_apart),
    *_wrong("remaining-frozen", "never falls", "RATE-4", REMAINING, lambda usage, call: usage.limit),
    *_wrong(
        "remaining-rises",
        "rises with every second request",
        "RATE-4",
        REMAINING,
        lambda usage, call: usage.limit - usage.remaining // 2,
    ),
    *_wrong(
        "remaining-always-one-less",
        "is always one less than the limit",
        "RATE-4",
        REMAINING,
        lambda usage, call: usage.limit - 1,
    ),
    *_wrong(
        "remaining-counts-up",
        "counts the requests sent instead of those left",
        "RATE-4",
        REMAINING,
        lambda usage, call: usage.limit - usage.remaining,
    ),
    *rate(
        "rate-headers-constant",
        "Limit and Remaining never change, and Reset is always 60 seconds ahead.",
        "RATE-4",
        rates(lambda headers, usage, call, status: _constant(usage, call)),
    ),
    *rate(
        "limit-equals-remaining",
        "X-RateLimit-Limit always equals X-RateLimit-Remaining.",
        "RATE-4 RATE-5",
        _value(LIMIT, lambda usage, call: usage.remaining),
        needs="plan",
    ),
    *rate(
        "remaining-full",
        "X-RateLimit-Remaining always equals the limit.",
        "RATE-4",
        _value(REMAINING, lambda usage, call: usage.limit),
        at=(),
        each=ALL,
    ),
    # the plan's figure
    *_wrong(
        "limit-header-per-hour",
        "is the limit per hour",
        "RATE-5",
        LIMIT,
        lambda usage, call: usage.limit * 60,
        needs="plan",
    ),
    *_wrong(
        "limit-header-doubled",
        "is twice the plan's figure",
        "RATE-5",
        LIMIT,
        lambda usage, call: usage.limit * 2,
        needs="plan",
    ),
]
