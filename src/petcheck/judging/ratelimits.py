"""Matchers for the rate limit headers (section 8): each alone, and how they move from response to response."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from petcheck.exchange import Exchange, Response, http_date
from petcheck.judging.matchers import quoted

LIMIT, REMAINING, RESET = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"
RETRY_AFTER = "Retry-After"
_PLAIN_INTEGER = re.compile(r"[0-9]{1,40}")
_UNIX_TIME = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?")
_PAST_GRACE_S = 2.0
_OWN_CLOCK_GRACE_S = 600.0
_DAY_S = 86_400.0
_MINUTE_S = 61
_TELLING = 5
_NEAR_S = 3.0  # requests that follow each other sooner come free one after the other, too


def header_of(exchange: Exchange, name: str) -> str | None:
    """A header's value, one where equal ones are repeated; None where it is absent."""
    value = exchange.answer.header(name) if isinstance(exchange.answer, Response) else None
    if value is None:
        return None
    parts = {part.strip() for part in value.split(",")}
    # an HTTP date has a comma of its own
    return parts.pop() if len(parts) == 1 else value.strip()


def limit_of(exchange: Exchange) -> int | None:
    """X-RateLimit-Limit where it can be read."""
    return _whole(header_of(exchange, LIMIT))


def remaining_of(exchange: Exchange) -> int | None:
    """X-RateLimit-Remaining where it can be read."""
    return _whole(header_of(exchange, REMAINING))


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and _PLAIN_INTEGER.fullmatch(text) else None


def problem_of_limit(exchange: Exchange) -> str | None:
    """What is wrong with X-RateLimit-Limit."""
    text = header_of(exchange, LIMIT)
    if text is None:
        return f"there is no {LIMIT}"
    if _whole(text) is None:
        return f"{LIMIT} is {quoted(text)}; a plain integer is due"
    return None if int(text) >= 1 else f"{LIMIT} is 0; a limit of at least 1 is due"


def problem_of_remaining(exchange: Exchange) -> str | None:
    """What is wrong with X-RateLimit-Remaining."""
    text = header_of(exchange, REMAINING)
    if text is None:
        return f"there is no {REMAINING}"
    if _whole(text) is None:
        return f"{REMAINING} is {quoted(text)}; a plain integer from 0 to the limit is due"
    limit = limit_of(exchange)
    over = limit is not None and limit >= 1 and int(text) > limit
    return f"{REMAINING} is {text}, above {LIMIT}, {limit}" if over else None


def problem_of_reset(exchange: Exchange) -> str | None:
    """What is wrong with X-RateLimit-Reset, measured by the response's own Date, else by our clock with more grace."""
    text = header_of(exchange, RESET)
    if text is None:
        return f"there is no {RESET}"
    if not _UNIX_TIME.fullmatch(text):
        return f"{RESET} is {quoted(text)}; a Unix time in seconds is due"
    date = date_of(exchange)
    grace = _PAST_GRACE_S if date else _PAST_GRACE_S + _OWN_CLOCK_GRACE_S
    ahead = float(text) - (date or exchange.started).timestamp()
    if ahead < -grace:
        hint = "; it looks like seconds from now rather than a time" if float(text) < 10_000_000 else ""
        return f"{RESET} is {text}, {-ahead:,.0f} s past{hint}; a Unix time in seconds is due"
    if ahead > _DAY_S + grace:
        hint = "; it looks like milliseconds" if float(text) > 100_000_000_000 else ""
        return f"{RESET} is {text}, more than a day ahead{hint}; a Unix time in seconds is due"
    return None


def date_of(exchange: Exchange) -> datetime | None:
    """The response's Date header as UTC; None where it has none that can be read."""
    return exchange.answer.date if isinstance(exchange.answer, Response) else None


def problem_of_retry_after(exchange: Exchange) -> str | None:
    """What is wrong with Retry-After on a 429."""
    text = _retry_after(exchange)
    if text is None:
        return f"there is no {RETRY_AFTER}"
    if _PLAIN_INTEGER.fullmatch(text) or http_date(text):
        return None
    return f"{RETRY_AFTER} is {quoted(text)}; whole seconds or an HTTP date are due"


def asks_for_more_than_a_minute(exchange: Exchange) -> bool:
    """Whether a 429's Retry-After is longer than any window of a minute, so that it speaks of another quota."""
    text = _retry_after(exchange)
    if text is None:
        return False
    if _PLAIN_INTEGER.fullmatch(text):
        return int(text) > _MINUTE_S
    date = http_date(text)
    now = date_of(exchange) or exchange.started
    return date is not None and (date - now).total_seconds() > _MINUTE_S


def _retry_after(exchange: Exchange) -> str | None:
    text = exchange.answer.header(RETRY_AFTER) if isinstance(exchange.answer, Response) else None
    return None if text is None else text.strip()


# ---- over time


@dataclass(frozen=True, slots=True)
class Course:
    """What is wrong with how the headers moved, and the exchanges that show it."""

    text: str
    exchanges: tuple[Exchange, ...]


def same_window(exchanges: Sequence[Exchange]) -> list[list[Exchange]]:
    """Responses with the same Limit and Reset, in the order in which they came; each group is one window seen.

    None where the Reset moves: windows of a minute or a day end that far apart, and ends that follow each other as
    requests do are of a window that slides, in which requests of a minute ago come free at any time.
    """
    limits: dict[int, dict[str, list[Exchange]]] = {}
    for exchange in exchanges:
        limit, reset = limit_of(exchange), header_of(exchange, RESET)
        if remaining_of(exchange) is not None and limit is not None and reset is not None:
            limits.setdefault(limit, {}).setdefault(reset, []).append(exchange)
    return [group for groups in limits.values() if not _moves(groups) for group in groups.values() if len(group) > 1]


def _moves(resets: Iterable[str]) -> bool:
    """Whether some of these ends of windows follow each other as closely as requests do."""
    ends = sorted(float(reset) for reset in resets if _UNIX_TIME.fullmatch(reset))
    return any(later - earlier < _NEAR_S for earlier, later in pairwise(ends))


def tells_course(group: Sequence[Exchange]) -> bool:
    """Whether a window was seen often enough to tell whether requests are counted: five successes."""
    return len([exchange for exchange in group if _counts(exchange)]) >= _TELLING


def _counts(exchange: Exchange) -> bool:
    """Whether a request counts against the quota for certain: a refused one may not."""
    return isinstance(exchange.answer, Response) and exchange.answer.status < 300


def problem_of_course(group: Sequence[Exchange]) -> Course | None:
    """What is wrong with how Remaining moved through one window, as `same_window` gives it."""
    rise = _unexplained_rise(group)
    if rise is not None:
        return rise
    last = _left(group[-1])
    if last < _left(group[0]) or not tells_course(group):
        return None
    # a bucket that refills by its limit a minute may have made good what was used
    if refilled(group[0], group[-1]) >= len(group) - 1:
        return None
    return Course(f"{REMAINING} stayed at {last} over {len(group)} requests of one window", (group[0], group[-1]))


def _left(exchange: Exchange) -> int:
    """Remaining, in a window: there it can be read."""
    return remaining_of(exchange) or 0


def _unexplained_rise(group: Sequence[Exchange]) -> Course | None:
    """The first rise of Remaining that is more than a bucket refilled by its limit a minute can have gained."""
    lows: list[tuple[Exchange, int]] = []
    for later, after in ((exchange, _left(exchange)) for exchange in group):
        for earlier, before in lows:
            # rounding to whole requests may show one more than was refilled, which a request that counts takes up
            rounding = 0 if _counts(later) else 1
            if later.sent >= earlier.finished and after - before > rounding + refilled(earlier, later):
                return Course(f"{REMAINING} rose from {before} to {after} within one window", (earlier, later))
        # of equal lows the latest explains least
        if not lows or after <= lows[-1][1]:
            lows.append((later, after))
    return None


def refilled(earlier: Exchange, later: Exchange) -> float:
    """Requests that a bucket which refills by its limit a minute gains from one exchange to another."""
    return (limit_of(earlier) or 0) * (later.finished - earlier.sent) / 60
