"""Delays the next request to a target for its quotas, a Retry-After, and the pace at which it serves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from petcheck.errors import NotSent
from petcheck.exchange import Response
from petcheck.spec.figures import GATEWAY_TROUBLE, RETRY_AFTER
from petcheck.wire import pacing
from petcheck.wire.clock import Clock, in_words


@dataclass
class Limits:
    """What a server has told of its limits for a key, in monotonic seconds: all targets with that key there obey it.

    `buckets` and `windows` are those of requests with the valid key, and without; `one_quota` says that both are one.
    """

    last_sent: float = -math.inf
    buckets: dict[bool, pacing.Bucket] = field(default_factory=lambda: dict.fromkeys((True, False), pacing.Bucket()))
    one_quota: bool = False
    windows: dict[bool, pacing.OpenWindow] = field(default_factory=dict)
    contradicted: bool = False
    pace: pacing.Pace = field(default_factory=pacing.Pace)
    troubled_until: float = -math.inf
    trouble: int = 0


@dataclass
class Throttle:
    """Waits before each request of a run, and learns from each response.

    `wait` waits some seconds for a reason, and raises `NotSent` if one wait is longer than `max_wait` seconds.
    """

    clock: Clock
    max_wait: float
    wait: Callable[[float, str], None]
    limits: Limits = field(default_factory=Limits)
    _refused_s: float = 0.0

    def asks_to_wait(self) -> bool:
        """Whether the Retry-After of a 502, 503 or 504 is in force."""
        return self.limits.troubled_until >= self.clock.monotonic()

    def before(self, *, valid_key: bool, may_exhaust: bool) -> None:
        """Wait until a request may be sent. A request that may use up the quota waits only for a Retry-After.

        Raises `NotSent`, also if all waits of a run after refusals together exceed `max_wait`.
        """
        refused = self._wait_out_refusal(expected=may_exhaust)
        if may_exhaust:
            return
        if not refused:
            self._wait_for_window(keyed=valid_key or self.limits.one_quota)
        self._wait_for_pace()

    def room(self, *, valid_key: bool) -> float:
        """How many requests may be under way at the same time now: as many as the window has, without its reserve."""
        window = self.limits.buckets[valid_key or self.limits.one_quota].window
        if self.limits.pace.interval > 0:
            return 1
        if window is None or self.limits.contradicted or window.ends <= self.clock.monotonic():
            return math.inf
        return max(1, window.remaining - pacing.reserve(window.limit))

    def after_burst(self, answers: Sequence[tuple[Response, float, bool]]) -> None:
        """Learn from responses to requests that were under way at the same time: each with its time and kind of key.

        They may come out of order, and a target may refuse some of them: only the last word of each counts.
        """
        wall = self.clock.now()

        def emptier(one: tuple[Response, float, bool]) -> tuple[float, float]:
            window = pacing.window_of(one[0], one[1], wall)
            return (-math.inf, 0) if window is None else (float(window.reset), -window.remaining)

        served = sorted((one for one in answers if one[0].status != 429), key=emptier)
        refused = [one for one in answers if one[0].status == 429]
        longest = sorted(refused, key=lambda one: pacing.retry_after(one[0], wall) or 0.0)[-1:]
        for response, finished, valid_key in (*served, *longest):
            self.after(response, finished, valid_key=valid_key, alone=False)

    def after(self, response: Response, finished: float, *, valid_key: bool, alone: bool = True) -> None:
        """Learn from a response that was received at the monotonic time `finished`."""
        wall = self.clock.now()
        pause = pacing.retry_after(response, wall)
        if response.status in GATEWAY_TROUBLE and pause is not None and finished + pause > self.limits.troubled_until:
            self.limits.trouble, self.limits.troubled_until = response.status, finished + pause
        keyed = valid_key or self.limits.one_quota
        before = self.limits.buckets[keyed]
        if alone:  # a target may limit what is under way at the same time
            self.limits.pace = self.limits.pace.after(
                finished, refused=pacing.refused_early(before, response, finished, wall)
            )
        bucket = pacing.observe(before, response, finished, wall)
        if bucket.window is not None:
            self.limits.contradicted = self.limits.contradicted or pacing.rises(
                self.limits.windows.get(valid_key), bucket.window
            )
            self.limits.windows[valid_key] = bucket.window
            if not keyed and pacing.shares_quota(self.limits.buckets[True], bucket.window):
                self.limits.one_quota = True
                self.limits.buckets[True] = bucket
        self.limits.buckets[keyed] = bucket

    def _wait_out_refusal(self, *, expected: bool) -> bool:
        """Wait until the Retry-After of a 429, 502, 503 or 504, to any key, has passed; whether a 429 had one."""
        now = self.clock.monotonic()
        limited = max(bucket.closed_until for bucket in self.limits.buckets.values()) - now
        left, status = max((self.limits.troubled_until - now, self.limits.trouble), (limited, 429))
        if left <= 0:
            return False
        why = f"{pacing.LIMITED if status == 429 else f'got {status} with {RETRY_AFTER}'}; resuming"
        if expected and status == 429:
            self.wait(left, why)
        else:
            self._wait_capped(left, why, f"{status}s")
        return limited > 0

    def _wait_for_window(self, *, keyed: bool) -> None:
        bucket = self.limits.buckets[keyed]
        pause = pacing.delay(bucket, self.clock.monotonic(), keyed=keyed)
        if pause.seconds <= 0 or self.limits.contradicted:
            return
        self.wait(pause.seconds, pause.why)
        self.limits.buckets[keyed] = replace(bucket, waited_s=pause.seconds)

    def _wait_for_pace(self) -> None:
        left = self.limits.last_sent + self.limits.pace.interval - self.clock.monotonic()
        if self.limits.pace.interval > 0 and left > 0:
            self._wait_capped(left, "got 429 with requests left, so slowing down; resuming", "429s")

    def _wait_capped(self, seconds: float, why: str, what: str) -> None:
        """Wait because of refusals; all such waits of a run together may last at most `max_wait` seconds."""
        if self._refused_s > 0 and self._refused_s + seconds > self.max_wait:
            raise NotSent(
                f"got repeated {what}: this run has waited {in_words(self._refused_s)} for them and waits at most "
                f"{in_words(self.max_wait)}",
                "--max-wait",
            )
        self.wait(seconds, why)
        self._refused_s += seconds
