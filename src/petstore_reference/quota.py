"""Rate limits by plan (section 8), counted on the clock that the server is given.

Each key has two quotas: one per minute and one per day. The headers show the quota with fewer requests left. Requests
without a valid key count against their address. A key that keeps sending requests while it should wait is banned for a
while (sections 5 and 8).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from petstore_reference.messages import Caller

DAY = 86_400
ANONYMOUS = "anonymous"
PER_MINUTE = {"free": 60, "pro": 300, "business": 1_000}
PER_DAY = {"free": 1_000, "pro": 10_000, "business": 100_000}


@dataclass(frozen=True, slots=True)
class Usage:
    """The state of a caller's quota after a request was counted.

    `reset` is a Unix time in seconds. `retry_after` is the seconds to wait, None if the request may be served.
    """

    limit: int
    remaining: int
    reset: float
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class QuotaRules:
    """How many requests each plan has in a window of `window_seconds`, and per UTC day.

    A plan that is not in `per_day` has no limit per day. `anonymous_seconds` is the window of callers without a valid
    key, `window_seconds` if None. A window begins with its first request. `aligned` windows end at multiples of their
    length. In a `moving` window each request counts for a full window after it was sent. A key that is refused more
    than `patience` times in a row is banned for `ban_windows` windows.
    """

    per_window: Mapping[str, int]
    per_day: Mapping[str, int] = field(default_factory=lambda: PER_DAY)
    window_seconds: float = 60.0
    anonymous_seconds: float | None = None
    moving: bool = False
    aligned: bool = False
    patience: int = 20
    ban_windows: int = 5


class QuotaCounter:
    """Counts the requests of each caller against the rules. Threads may share it."""

    def __init__(self, rules: QuotaRules, clock: Callable[[], float]) -> None:
        self.rules = rules
        self._clock = clock
        self._windows: dict[tuple[str, str], _CallerWindow] = {}
        self._refused: dict[str, int] = {}
        self._banned_until: dict[str, float] = {}
        self._counting = threading.Lock()

    def spend(self, caller: Caller) -> Usage:
        """Counts one request and returns the caller's usage after it."""
        with self._counting:
            return self._spend(caller, self._clock())

    @property
    def now(self) -> float:
        """The server's time, as a Unix time in seconds."""
        return self._clock()

    def refund(self, caller: Caller) -> None:
        """Takes back the last request that was counted for a caller."""
        for kind in ("minute", "day"):
            if (window := self._windows.get((kind, caller.bucket))) and window.ends:
                window.ends.pop()

    def _spend(self, caller: Caller, now: float) -> Usage:
        if (ban := self._banned_until.get(caller.bucket, 0)) > now:
            return Usage(self.rules.per_window[caller.plan], 0, ban, ban - now)
        usage = self._count(caller, now)
        if usage.retry_after is None or caller.plan == ANONYMOUS:
            self._refused.pop(caller.bucket, None)
            return usage
        return self._refuse(caller, usage, now)

    def _count(self, caller: Caller, now: float) -> Usage:
        usage = self._window("minute", caller).spend(now)
        if usage.retry_after is not None or caller.plan not in self.rules.per_day:
            return usage
        day = self._window("day", caller).spend(now)
        return day if day.retry_after is not None or day.remaining <= usage.remaining else usage

    def _window(self, kind: str, caller: Caller) -> _CallerWindow:
        window = self._windows.get((kind, caller.bucket))
        if window is None:
            window = self._windows[kind, caller.bucket] = self._new_window(kind, caller.plan)
        return window

    def _new_window(self, kind: str, plan: str) -> _CallerWindow:
        rules = self.rules
        if kind == "day":
            return _CallerWindow(rules.per_day[plan], DAY, aligned=True)
        seconds = rules.anonymous_seconds if plan == ANONYMOUS else None
        seconds = rules.window_seconds if seconds is None else seconds
        return _CallerWindow(rules.per_window[plan], seconds, aligned=rules.aligned, moving=rules.moving)

    def _refuse(self, caller: Caller, usage: Usage, now: float) -> Usage:
        self._refused[caller.bucket] = self._refused.get(caller.bucket, 0) + 1
        if self._refused[caller.bucket] <= self.rules.patience:
            return usage
        until = max(now + self.rules.ban_windows * self.rules.window_seconds, usage.reset)
        self._banned_until[caller.bucket] = until
        self._refused.pop(caller.bucket)
        return Usage(usage.limit, 0, until, until - now)


@dataclass
class _CallerWindow:
    """One quota of one caller: for each request that still counts, the time at which it no longer does."""

    limit: int
    seconds: float
    aligned: bool = False
    moving: bool = False
    ends: deque[float] = field(default_factory=deque)

    def spend(self, now: float) -> Usage:
        while self.ends and self.ends[0] <= now:
            self.ends.popleft()
        if len(self.ends) >= self.limit:
            return Usage(self.limit, 0, self.ends[0], self.ends[0] - now)
        self.ends.append(self._end(now))
        return Usage(self.limit, self.limit - len(self.ends), self.ends[0])

    def _end(self, now: float) -> float:
        if self.ends and not self.moving:
            return self.ends[0]
        return (now // self.seconds + 1) * self.seconds if self.aligned else now + self.seconds
