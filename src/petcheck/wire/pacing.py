"""When the next request may be sent, by the target's rate limit headers and Retry-After (section 8).

Pure: a `Bucket` is what is known about one quota, `observe` updates it with a response, `delay` says how long to wait.
`Pace` is how fast the target serves, whatever its headers say. Times are seconds on the caller's monotonic clock.
Headers are not trusted: every delay is finite, and a window that contradicts itself does not delay a run for minutes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import datetime

from petcheck.exchange import Response, http_date
from petcheck.spec.figures import RATE_LIMIT, RATE_REMAINING, RATE_RESET, RETRY_AFTER

LIMITED = "rate-limited (429)"
# the pause after a 429 if neither it nor its window names a time; each further 429 in a row doubles it
POLITE_S = 5.0
_LONGEST_POLITE_S = 60.0
_DAY_S = 86_400.0
_LONGEST_PAUSE_S = 1e9
_WHOLE = re.compile(r"[0-9]{1,18}")
_SECONDS = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?")
_PAUSE = re.compile(r"[0-9]+(\.[0-9]+)?")
# requests of all clients between two responses; a larger difference in Remaining means another quota
_SPENT_BETWEEN = 20
# after this many seconds of waits that reset no window, windows are ignored
_USELESS_S = 45.0  # a wait for the window of a minute is somewhat shorter
# a Date this far from our clock is wrong if our clock makes sense of the Reset beside it
_WRONG_DATE_S = 60.0
_SLOWER = 1.1


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """A quota's window as the last response showed it: total requests, requests left, and when it ends."""

    limit: int
    remaining: int
    reset: str
    ends: float


@dataclass(frozen=True, slots=True)
class Bucket:
    """What is known about one quota.

    `closed_until` is when the last Retry-After ends; `refusals` counts 429s in a row; `waited_s` is the last wait for
    the window in seconds, and `useless_s` the seconds of waits after which the window was as empty as before.
    """

    window: OpenWindow | None = None
    closed_until: float = -math.inf
    refusals: int = 0
    waited_s: float = 0.0
    useless_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds to wait before the next request, and why, in words for the user."""

    seconds: float = 0.0
    why: str = ""


NO_DELAY = Delay()


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a target serves, as 429s show that it returned while requests were left.

    `interval` is the seconds between requests, from the second of these 429s on. `refused_at` is the time of the last
    one, and `served` counts answers since.
    """

    refused_at: float | None = None
    served: int = 0
    interval: float = 0.0

    def after(self, now: float, *, refused: bool) -> Pace:
        """The pace after an answer at `now`; `refused` means that it was one of these 429s."""
        if not refused:
            return replace(self, served=self.served + 1)
        if self.refused_at is None or not self.served:
            return Pace(now, 0, self.interval)
        served_every = (now - self.refused_at) / self.served
        return Pace(now, 0, max(self.interval, served_every * _SLOWER))


def delay(bucket: Bucket, now: float, *, keyed: bool = True) -> Delay:
    """How long the next request must wait, at the monotonic time `now`; `keyed` if the bucket is that of the key."""
    if bucket.closed_until > now:
        return Delay(bucket.closed_until - now, f"{LIMITED}; resuming")
    window = bucket.window
    if window is None or window.ends <= now or bucket.useless_s >= _USELESS_S:
        return NO_DELAY
    if window.remaining > reserve(window.limit):
        return NO_DELAY
    those = "requests" if keyed else "requests without a valid key"
    left = f"{max(window.remaining, 0)} of {window.limit} {those} left; the window resets"
    return Delay(window.ends - now, left)


def reserve(limit: int) -> int:
    """Requests of each window that a run leaves to the key's other users: a twentieth, at most five."""
    return min(5, limit // 20)


def observe(bucket: Bucket, response: Response, now: float, wall: datetime) -> Bucket:
    """The bucket after a response at the monotonic time `now` and the wall-clock time `wall`."""
    window = window_of(response, now, wall)
    useless, waited = bucket.useless_s, 0.0
    if window is not None and window.remaining > reserve(window.limit):
        if bucket.window is None or bucket.window.limit == window.limit:
            useless = 0.0
        else:  # another quota: an invalid key that is accepted shows that of the key
            waited = bucket.waited_s
    elif window is not None and window.limit != 1 and response.status != 429:
        useless += bucket.waited_s
    seen = Bucket(window=window, useless_s=useless, waited_s=waited)
    if response.status != 429:
        return seen
    refusals = bucket.refusals + 1
    return replace(seen, closed_until=now + _pause(response, window, refusals, now, wall), refusals=refusals)


def rises(before: OpenWindow | None, after: OpenWindow | None) -> bool:
    """Whether two successive responses to the same key contradict each other: Remaining rose within a window."""
    return (
        before is not None
        and after is not None
        and (before.limit, before.reset) == (after.limit, after.reset)
        and after.remaining > before.remaining
    )


def _pause(response: Response, window: OpenWindow | None, refusals: int, now: float, wall: datetime) -> float:
    """Seconds to wait after a 429, number `refusals` in a row: each further one doubles the pause."""
    doubled = 2.0 ** min(refusals - 1, 30)
    asked = retry_after(response, wall)
    if asked is None and window is not None and window.ends > now:
        asked = min(window.ends - now, _LONGEST_POLITE_S)
    if asked is None:
        return min(POLITE_S * doubled, _LONGEST_PAUSE_S)
    # doubling begins with at least a second
    return asked if refusals == 1 else min(max(asked, 1.0) * doubled, _LONGEST_PAUSE_S)


def refused_early(bucket: Bucket, response: Response, now: float, wall: datetime) -> bool:
    """Whether a response is a 429 although requests were left, by its own headers or by the last window."""
    if response.status != 429:
        return False
    window = window_of(response, now, wall) or bucket.window
    return window is None or window.remaining > 0 or window.ends <= now


def shares_quota(other: Bucket, window: OpenWindow) -> bool:
    """Whether a response's window is also that of `other`: same limit and reset, and somewhat fewer requests left."""
    known = other.window
    return (
        known is not None
        and known.limit == window.limit
        and abs(known.ends - window.ends) < 1.5
        and 0 < known.remaining - window.remaining <= _SPENT_BETWEEN
    )


def window_of(response: Response, now: float, wall: datetime) -> OpenWindow | None:
    """The window that a response shows; None if its headers cannot be read or contradict each other."""
    limit = whole(response.header(RATE_LIMIT))
    remaining = whole(response.header(RATE_REMAINING))
    reset = _once(response.header(RATE_RESET))
    if limit is None or remaining is None or not _SECONDS.fullmatch(reset):
        return None
    lasts = _lasts(float(reset), response.date, wall)
    if lasts is None or remaining > limit:
        return None
    return OpenWindow(limit=limit, remaining=remaining, reset=reset, ends=now + lasts)


def _lasts(reset: float, date: datetime | None, wall: datetime) -> float | None:
    """Seconds until a Reset by the target's clock, or by ours if its Date is missing or makes no sense."""
    by_date, by_us = (reset - clock.timestamp() for clock in (date or wall, wall))
    possible = [seconds for seconds in (by_date, by_us) if 0 <= seconds <= _DAY_S + 60]
    if not possible:
        return None
    return by_us if len(possible) == 2 and by_date - by_us > _WRONG_DATE_S else possible[0]


def retry_after(response: Response, wall: datetime) -> float | None:
    """Seconds that Retry-After asks for, as seconds or as an HTTP date; None if it is neither.

    A fraction and repeats are not allowed; both are obeyed anyway, by the longest pause.
    """
    value = (response.header(RETRY_AFTER) or "").strip()
    pauses = [part.strip() for part in value.split(",")]
    if all(_PAUSE.fullmatch(pause) for pause in pauses):
        return min(max(float(pause) for pause in pauses), _LONGEST_PAUSE_S)
    date = http_date(value)
    if date is None:
        return None
    return max(0.0, (date - (response.date or wall)).total_seconds())


def whole(text: str | None) -> int | None:
    """A plain decimal integer of a header, possibly repeated; None for anything else."""
    only = _once(text)
    return int(only) if _WHOLE.fullmatch(only) else None


def _once(text: str | None) -> str:
    """A header's value, given once if equal values are repeated; empty if it is absent or the values differ."""
    parts = {part.strip() for part in (text or "").split(",")}
    return parts.pop() if len(parts) == 1 else ""
