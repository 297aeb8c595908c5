"""Matchers for single rate limit headers and Retry-After (section 8)."""

from __future__ import annotations

import re

from petcheck.exchange import Exchange, http_date
from petcheck.judging.judgement import Problem, header
from petcheck.judging.matchers import letters, quoted
from petcheck.spec.figures import RATE_LIMIT, RATE_REMAINING, RATE_RESET, RETRY_AFTER

_PLAIN_INTEGER = re.compile(r"[0-9]{1,40}")
# the date of RFC 9110, section 5.6.7, or one of its two obsolete forms; no other time zone
_HTTP_DATE = re.compile(r"\w{3,9}, \d\d[ -]\w{3}[ -](\d\d){1,2} [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}", re.I)
_UNIX_TIME = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?")
GRACE_S = 2.0
_OWN_CLOCK_GRACE_S = 602.0
_CLOCKS_AGREE_S = 5.0
DAY_S = 86_400.0
_MINUTE_S = 61.0
_LOOKS_RELATIVE, _LOOKS_LIKE_MS = 10_000_000, 100_000_000_000


def header_of(exchange: Exchange, name: str) -> str | None:
    """A header's value, given once if equal values are repeated; None if it is absent."""
    value = exchange.heard.header(name)
    if value is None:
        return None
    parts = {part.strip() for part in value.split(",")}
    # an HTTP date contains a comma
    return parts.pop() if len(parts) == 1 else value.strip()


def limit_of(exchange: Exchange) -> int | None:
    """X-RateLimit-Limit; None if it is absent or not a plain integer."""
    return _whole(header_of(exchange, RATE_LIMIT))


def remaining_of(exchange: Exchange) -> int | None:
    """X-RateLimit-Remaining; None if it is absent or not a plain integer."""
    return _whole(header_of(exchange, RATE_REMAINING))


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and _PLAIN_INTEGER.fullmatch(text) else None


def _reset_of(exchange: Exchange) -> float | None:
    """X-RateLimit-Reset; None if it is absent or not a Unix time."""
    text = header_of(exchange, RATE_RESET)
    return float(text) if text is not None and _UNIX_TIME.fullmatch(text) else None


# ---- the three headers


def _missing(exchange: Exchange, name: str) -> Problem:
    """A missing header, with the similar one that the response has, if any: other hyphens, or no `X-`."""
    near = next(
        (key for key, _ in exchange.heard.headers if letters(key).removeprefix("x") == letters(name).removeprefix("x")),
        None,
    )
    return Problem(f"{name} is missing{f'; the response has {near[:80]}' if near else ''}", header(name))


def _unreadable(exchange: Exchange, name: str, readable: re.Pattern[str], due: str) -> Problem | None:
    """A header that is missing or unreadable, with what is expected."""
    text = header_of(exchange, name)
    if text is None:
        return _missing(exchange, name)
    return None if readable.fullmatch(text) else Problem(f"{name} is {quoted(text)}; expected {due}", header(name))


def problem_of_limit(exchange: Exchange) -> Problem | None:
    """What is wrong with X-RateLimit-Limit."""
    if limit_of(exchange) == 0:
        return Problem(f"{RATE_LIMIT} is 0; expected a limit of at least 1", header(RATE_LIMIT))
    return _unreadable(exchange, RATE_LIMIT, _PLAIN_INTEGER, "a plain integer")


def problem_of_remaining(exchange: Exchange) -> Problem | None:
    """What is wrong with X-RateLimit-Remaining."""
    limit, remaining = limit_of(exchange), remaining_of(exchange)
    if remaining is None or not limit or remaining <= limit:
        return _unreadable(exchange, RATE_REMAINING, _PLAIN_INTEGER, "a plain integer from 0 to the limit")
    text = header_of(exchange, RATE_REMAINING)
    return Problem(f"{RATE_REMAINING} is {text}, more than {RATE_LIMIT} ({limit})", header(RATE_REMAINING))


def problem_of_reset(exchange: Exchange) -> Problem | None:
    """What is wrong with X-RateLimit-Reset: it must be wrong both by the response's own Date and by our clock."""
    reset = _reset_of(exchange)
    if reset is None:
        return _unreadable(exchange, RATE_RESET, _UNIX_TIME, "a Unix time in seconds")
    misplaced = [_misplaced(reset, *clock) for clock in _clocks(exchange)]
    if None in misplaced:
        return None
    said = f"{RATE_RESET} is {header_of(exchange, RATE_RESET)}, {misplaced[0]}"
    return Problem(f"{said}; expected the Unix time in seconds when the window ends", header(RATE_RESET))


def may_have_passed(exchange: Exchange) -> bool:
    """Whether X-RateLimit-Reset is wrong by no clock yet, but ahead by none either: if it stays, it will be wrong."""
    reset = _reset_of(exchange)
    return reset is not None and all(grace == GRACE_S and reset <= soonest for soonest, _, grace in _clocks(exchange))


def _misplaced(reset: float, soonest: float, latest: float, grace: float) -> str | None:
    """How far off a Reset is by one clock, or the likely cause; None if it is from now to a day ahead."""
    if reset < soonest - grace:
        if reset < _LOOKS_RELATIVE:
            return "which looks like seconds from now"
        return f"{soonest - reset:,.0f} s in the past"
    if reset > latest + DAY_S + grace:
        return "which looks like milliseconds" if reset > _LOOKS_LIKE_MS else "more than a day ahead"
    return None


def seconds_to_reset(exchange: Exchange) -> float:
    """Seconds from the response to its Reset, by its Date or by our clock, whichever is less; 0 if it names no time.

    A clock by which Reset has passed is ignored if it passed by more than clocks may differ.
    """
    reset = _reset_of(exchange)
    if reset is None:
        return 0.0
    return reset if is_seconds_to_go(exchange) else max(0.0, min(_spans(exchange, reset), default=0.0))


def is_seconds_to_go(exchange: Exchange) -> bool:
    """Whether X-RateLimit-Reset is so small that it must be seconds to go: it is wrong, and still says when it ends."""
    reset = _reset_of(exchange)
    return reset is not None and reset < _LOOKS_RELATIVE and not _spans(exchange, reset)


def _spans(exchange: Exchange, reset: float) -> list[float]:
    spans = [reset - soonest for soonest, _, _ in _clocks(exchange)]
    return [span for span in spans if span > -_CLOCKS_AGREE_S]


def _clocks(exchange: Exchange) -> list[tuple[float, float, float]]:
    """When the response was made, by Date and by our clock: earliest and latest Unix time, and a grace in seconds.

    If both clocks agree, ours has no more grace than Date.
    """
    sent = exchange.started.timestamp()
    received = sent + exchange.elapsed
    date = exchange.heard.date
    if date is None:
        return [(sent, received, _OWN_CLOCK_GRACE_S)]
    stated = date.timestamp()
    agree = sent - _CLOCKS_AGREE_S <= stated <= received + _CLOCKS_AGREE_S
    return [(stated, stated, GRACE_S), (sent, received, GRACE_S if agree else _OWN_CLOCK_GRACE_S)]


# ---- Retry-After


def problem_of_retry_after(exchange: Exchange) -> Problem | None:
    """What is wrong with Retry-After on a 429."""
    text = header_of(exchange, RETRY_AFTER)
    if text is None:
        return _missing(exchange, RETRY_AFTER)
    pause = retry_after(exchange)
    if pause is None:
        said = f"{RETRY_AFTER} is {quoted(text)}; expected whole seconds or an HTTP date"
        return Problem(said, header(RETRY_AFTER))
    if pause <= DAY_S + GRACE_S:
        return None
    made = _clocks(exchange)[0][0]
    looks_absolute = _PLAIN_INTEGER.fullmatch(text) and abs(pause - made) <= DAY_S
    wrong = "which looks like a Unix time" if looks_absolute else "more than a day"
    said = f"{RETRY_AFTER} is {quoted(text)}, {wrong}; expected whole seconds or an HTTP date, at most a day ahead"
    return Problem(said, header(RETRY_AFTER))


def retry_after(exchange: Exchange) -> float | None:
    """Seconds that Retry-After asks for; None if it is neither whole seconds nor an HTTP date.

    A date is measured by the clock that gives the shorter wait; a date that has passed asks for 0 s.
    """
    return min(_pauses(exchange), default=None)


def is_of_a_longer_quota(exchange: Exchange) -> bool:
    """Whether a 429's Retry-After is longer than a minute, so that it belongs to a longer quota."""
    return any(pause > _MINUTE_S for pause in _pauses(exchange))


def _pauses(exchange: Exchange) -> list[float]:
    text = header_of(exchange, RETRY_AFTER)
    if text is None:
        return []
    if _PLAIN_INTEGER.fullmatch(text):
        return [float(text)]
    date = http_date(text) if _HTTP_DATE.fullmatch(text) else None
    return [max(0.0, date.timestamp() - soonest) for soonest, _, _ in _clocks(exchange)] if date else []
