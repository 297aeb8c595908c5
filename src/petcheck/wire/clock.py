"""The clock, passed to everything that waits or records a time, so that tests do not have to wait."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """The clock of this machine. `whose` follows the reason of a wait where people would take it for their time."""

    whose = ""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    def now(self) -> datetime:
        """The wall-clock time, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait for that many seconds."""
        time.sleep(seconds)


class SkippingClock(Clock):
    """A clock that skips each wait: for a run whose server has the same clock."""

    whose = ", on the reference server's own clock,"

    def __init__(self) -> None:
        self._skipped = 0.0

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return super().monotonic() + self._skipped

    def now(self) -> datetime:
        """The wall-clock time in UTC, and what was skipped."""
        return super().now() + timedelta(seconds=self._skipped)

    def sleep(self, seconds: float) -> None:
        """Skip that many seconds."""
        self._skipped += seconds


def in_words(seconds: float) -> str:
    """A duration in words: in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
