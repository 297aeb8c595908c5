"""Rate limits by plan (section 8), counted by the library `limits`.

Two quotas are counted for each key, the minute's and the day's; what the headers tell is the one nearer to its end.
Requests without a valid key are counted by the address that they come from. A key that keeps on sending when it should
wait is banned for a while (sections 5 and 8).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from limits.limits import RateLimitItemPerSecond
from limits.storage.base import MovingWindowSupport, Storage
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter, RateLimiter

from petcheck.reference.messages import Caller

DAY = 86_400
ANONYMOUS = "anonymous"
PER_MINUTE = {"free": 60, "pro": 300, "business": 1_000}
PER_DAY = {"free": 1_000, "pro": 10_000, "business": 100_000}
_TICKS = 1_000  # a second; `limits` takes windows in whole units only, and a window here may be half a second


@dataclass(frozen=True, slots=True)
class Usage:
    """Where a caller stands after a request was counted.

    `reset` is Unix time in seconds. `retry_after` is None where the request may be served, else the seconds to wait.
    """

    limit: int
    remaining: int
    reset: float
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class QuotaRules:
    """Requests that each plan has in a window of `window_seconds` and in a day (UTC, without a figure: no end).

    Addresses may have a window of another length. `aligned` windows end at multiples of their length, others begin with
    their first request, and `moving` ones end for each request by itself. A key that was refused more than `patience`
    times in a row is banned for `ban_windows` windows.
    """

    per_window: Mapping[str, int]
    per_day: Mapping[str, int] = field(default_factory=lambda: PER_DAY)
    window_seconds: float = 60.0
    anonymous_seconds: float | None = None
    moving: bool = False
    aligned: bool = False
    patience: int = 20
    ban_windows: int = 5


class Quota:
    """Counts the requests of each caller against the rules."""

    def __init__(self, rules: QuotaRules, clock: Callable[[], float]) -> None:
        self.rules = rules
        self._clock = clock
        self._now = clock()  # stands still while one request is counted, so that its figures belong together
        in_window = MovingWindowRateLimiter if rules.moving else FixedWindowRateLimiter
        self._window: RateLimiter = in_window(_Ticks(lambda: self._now, aligned=rules.aligned))
        self._day: RateLimiter = FixedWindowRateLimiter(_Ticks(lambda: self._now, aligned=True))
        self._refused: dict[str, int] = {}
        self._banned_until: dict[str, float] = {}

    def spend(self, caller: Caller) -> Usage:
        """Counts one request and tells where the caller stands then."""
        self._now = now = self._clock()
        if (ban := self._banned_until.get(caller.bucket, 0)) > now:
            return Usage(self._window_limit(caller), 0, ban, ban - now)
        usage = self._count(caller, now)
        if usage.retry_after is None or caller.plan == ANONYMOUS:
            self._refused.pop(caller.bucket, None)
            return usage
        return self._refuse(caller, usage, now)

    def _count(self, caller: Caller, now: float) -> Usage:
        quotas = [(self._window, _window(self._window_limit(caller), self._window_seconds(caller)))]
        if caller.plan in self.rules.per_day:
            quotas.append((self._day, _window(self.rules.per_day[caller.plan], DAY)))
        usages = []
        for limiter, window in quotas:
            served = limiter.hit(window, caller.bucket)
            reset, remaining = limiter.get_window_stats(window, caller.bucket)
            wait = None if served else reset / _TICKS - now
            usages.append(Usage(window.amount, remaining, reset / _TICKS, wait))
            if not served:
                break
        return min(reversed(usages), key=lambda usage: (usage.retry_after is None, usage.remaining))

    def _refuse(self, caller: Caller, usage: Usage, now: float) -> Usage:
        self._refused[caller.bucket] = self._refused.get(caller.bucket, 0) + 1
        if self._refused[caller.bucket] <= self.rules.patience:
            return usage
        until = max(now + self.rules.ban_windows * self.rules.window_seconds, usage.reset)
        self._banned_until[caller.bucket] = until
        self._refused.pop(caller.bucket)
        return Usage(usage.limit, 0, until, until - now)

    def _window_seconds(self, caller: Caller) -> float:
        own = self.rules.anonymous_seconds if caller.plan == ANONYMOUS else None
        return self.rules.window_seconds if own is None else own

    def _window_limit(self, caller: Caller) -> int:
        return self.rules.per_window[caller.plan]


def _window(amount: int, seconds: float) -> RateLimitItemPerSecond:
    return RateLimitItemPerSecond(amount, round(seconds * _TICKS))


class _Ticks(Storage, MovingWindowSupport):
    """Counters on our own clock, which the library's storage in memory has no place for. Times are in ticks."""

    STORAGE_SCHEME = None

    def __init__(self, clock: Callable[[], float], *, aligned: bool) -> None:
        super().__init__()
        self._clock = clock
        self._aligned = aligned
        self._counts: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._entries: dict[str, list[int]] = {}

    @property
    def base_exceptions(self) -> type[Exception]:
        return Exception

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        if not self.get(key):
            now = self._now()
            self._counts[key] = 0
            self._ends[key] = (now // expiry + 1) * expiry if self._aligned else now + expiry
        self._counts[key] += amount
        return self._counts[key]

    def get(self, key: str) -> int:
        if self._ends.get(key, 0) <= self._now():
            self._counts.pop(key, None)
        return self._counts.get(key, 0)

    def get_expiry(self, key: str) -> float:
        return self._ends.get(key, self._now())

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        now = self._now()
        entries = self._current(key, expiry)
        if len(entries) + amount > limit:
            return False
        entries.extend([now] * amount)
        return True

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        entries = self._current(key, expiry)
        return (entries[0] if entries else self._now()), len(entries)

    def check(self) -> bool:
        return True

    def reset(self) -> int:
        keys = len(self._counts.keys() | self._entries.keys())
        for kept in (self._counts, self._ends, self._entries):
            kept.clear()
        return keys

    def clear(self, key: str) -> None:
        for kept in (self._counts, self._ends, self._entries):
            kept.pop(key, None)

    def _current(self, key: str, expiry: int) -> list[int]:
        entries = self._entries.setdefault(key, [])
        del entries[: bisect_left(entries, self._now() - expiry + 1)]
        return entries

    def _now(self) -> int:
        return round(self._clock() * _TICKS)
