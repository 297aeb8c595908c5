"""When the next request may be sent: what a target's own rate limit headers and Retry-After allow (section 8).

Pure: a `Bucket` is what is known of one quota, `observe` takes it from response to response, `delay` tells how long to
wait. Times are seconds on the caller's monotonic clock. Headers are not trusted: whatever they say, every delay is
finite, and a target that shows an empty window for ever is asked all the same, one window at a time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from petcheck.exchange import Response, http_date

POLITE_S = 60.0
_DAY_S = 86_400.0
_LONGEST_PAUSE_S = 1e9
_WHOLE = re.compile(r"[0-9]{1,18}")
_SECONDS = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?")
_PAUSE = re.compile(r"[0-9]+(\.[0-9]+)?")
_USELESS_WAITS = 2


@dataclass(frozen=True, slots=True)
class Window:
    """A quota's window as the last response showed it: requests in all, requests left, and when it ends."""

    limit: int
    remaining: int
    reset: str
    ends: float


@dataclass(frozen=True, slots=True)
class Bucket:
    """What is known of one quota.

    `closed_until` is when the last Retry-After ends; `refusals` counts 429s in a row; `useless_waits` counts windows
    that were waited for and came as empty as the last.
    """

    window: Window | None = None
    closed_until: float = -math.inf
    refusals: int = 0
    waiting_for_window: bool = False
    useless_waits: int = 0


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds to wait before the next request, and why, in words for the person who watches."""

    seconds: float
    why: str


NO_DELAY = Delay(0.0, "")


def delay(bucket: Bucket, now: float) -> Delay:
    """How long the next request has to wait, at the monotonic time `now`."""
    if bucket.closed_until > now:
        return Delay(bucket.closed_until - now, "429 was answered, and the next request may be sent")
    window = bucket.window
    if window is None or window.ends <= now or bucket.useless_waits >= _USELESS_WAITS:
        return NO_DELAY
    if window.remaining > reserve(window.limit):
        return NO_DELAY
    left = f"{max(window.remaining, 0)} of {window.limit} requests are left, and the window resets"
    return Delay(window.ends - now, left)


def reserve(limit: int) -> int:
    """Requests of each window that are left to the key's other users: a twentieth, at most five."""
    return min(5, limit // 20)


def waited(bucket: Bucket) -> Bucket:
    """The bucket after its delay has passed."""
    return replace(bucket, waiting_for_window=bucket.window is not None)


def observe(bucket: Bucket, response: Response, now: float, wall: datetime) -> Bucket:
    """The bucket after a response that came at the monotonic time `now` and the wall-clock time `wall`."""
    window = window_of(response, now, wall)
    useless = bucket.useless_waits
    if window is not None and window.remaining > reserve(window.limit):
        useless = 0
    elif window is not None and bucket.waiting_for_window:
        empty = window.limit > 1 and response.status != 429
        useless = useless + 1 if empty else 0
    if response.status != 429:
        return Bucket(window=window, useless_waits=useless)
    refusals = bucket.refusals + 1
    pause = retry_after(response, wall)
    if pause is None:
        pause = min(window.ends - now, POLITE_S) if window is not None and window.ends > now else POLITE_S
    if refusals > 1:
        # each further refusal in a row doubles the pause; where none was asked for, that begins with a second
        pause = min(max(pause, 1.0) * 2.0 ** min(refusals - 1, 30), _LONGEST_PAUSE_S)
    return Bucket(
        window=window,
        closed_until=now + pause,
        refusals=refusals,
        useless_waits=useless,
    )


def shares_quota(other: Bucket, window: Window) -> bool:
    """Whether a response's window is the one of `other` too: same limit and reset, and already as far used up."""
    known = other.window
    return (
        known is not None
        and known.limit == window.limit
        and abs(known.ends - window.ends) < 1.5
        and window.remaining < known.remaining
    )


def window_of(response: Response, now: float, wall: datetime) -> Window | None:
    """The window that a response shows; None where its headers cannot be read or make no sense."""
    limit = whole(response.header("X-RateLimit-Limit"))
    remaining = whole(response.header("X-RateLimit-Remaining"))
    reset = response.header("X-RateLimit-Reset")
    if limit is None or remaining is None or reset is None or not _SECONDS.fullmatch(reset.strip()):
        return None
    lasts = float(reset) - (response.date or wall).timestamp()
    if not 0 <= lasts <= _DAY_S + 60:
        return None
    return Window(limit=limit, remaining=remaining, reset=reset.strip(), ends=now + lasts)


def retry_after(response: Response, wall: datetime) -> float | None:
    """Seconds that Retry-After asks for, from seconds or an HTTP date; None where it says neither.

    A fraction is not allowed there, and neither are repeats; both are obeyed all the same, the longest pause first.
    """
    value = (response.header("Retry-After") or "").strip()
    pauses = [part.strip() for part in value.split(",")]
    if all(_PAUSE.fullmatch(pause) for pause in pauses):
        return min(max(float(pause) for pause in pauses), _LONGEST_PAUSE_S)
    date = http_date(value)
    if date is None:
        return None
    return max(0.0, (date - (response.date or wall)).total_seconds())


def whole(text: str | None) -> int | None:
    """A plain decimal integer of a header, repeats of the same one included; None for anything else."""
    parts: Iterable[str] = {part.strip() for part in (text or "").split(",")}
    only, *others = parts
    return int(only) if not others and _WHOLE.fullmatch(only) else None
