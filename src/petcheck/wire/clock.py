"""The clock, passed to everything that waits or records a time, so that tests do not have to wait."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """The clock of this machine."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    def now(self) -> datetime:
        """The wall-clock time, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait for that many seconds."""
        time.sleep(seconds)


class RunClock(Clock):
    """The clock of one target's part of a run. It stands still except during a request or a sleep.

    So whatever a run decides by the time depends on its exchanges alone, and a recording of those decides the same.
    `clock` is the one that goes on.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.stand_at(clock.monotonic(), clock.now())

    def stand_at(self, moment: float, wall: datetime) -> None:
        """From now on it is `moment`, in monotonic seconds, and `wall` by the wall clock."""
        self._moment, self._wall = moment, wall

    def monotonic(self) -> float:
        """The moment at which it stands."""
        return self._moment

    def now(self) -> datetime:
        """The wall-clock time of that moment."""
        return self._wall

    def sleep(self, seconds: float) -> None:
        """Let that many seconds pass, less what has passed already since the clock stands."""
        self.stand_at(self._moment + seconds, self._wall + timedelta(seconds=seconds))
        left = self._moment - self._clock.monotonic()
        if left > 0:
            self._clock.sleep(left)


def in_words(seconds: float) -> str:
    """A duration in words: in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
