"""How many requests a run sent to a target, and how many of them it sent again and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from petcheck.exchange import Exchange


class Cause(Enum):
    """Why a request was sent that the run did not plan."""

    RATE_LIMIT = "after a 429"
    GATEWAY = "after a 502, 503 or 504"
    SILENCE = "after silence"
    PROBE = "to see whether the target still answers"


# how many a run may send for each cause; probes are bounded by the silences that they follow, and by time
MOST_REPEATS = {Cause.RATE_LIMIT: 20, Cause.GATEWAY: 200, Cause.SILENCE: 20}


@dataclass
class Tally:
    """Requests sent to a target.

    `sent` counts all of them but the `lost`: those that met a connection which the server had closed, and were sent
    again on a new one. `methods`, `sections` (on whose behalf) and `statuses` split up `sent`. `repeats` counts those
    that come on top of what was planned, and `forgiven` the 502, 503 and 504 that were gone on the second try.
    """

    sent: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    sections: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    repeats: Counter[Cause] = field(default_factory=Counter)
    lost: int = 0
    forgiven: Counter[int] = field(default_factory=Counter)

    @property
    def planned(self) -> int:
        """Requests that count against a budget: each question once, however often it was sent."""
        return self.sent - self.repeats.total()

    def count(self, exchange: Exchange, cause: Cause | None = None) -> None:
        """Add an exchange; `cause` says why its request was sent where that was not planned."""
        self.sent += 1
        self.methods[exchange.request.method] += 1
        self.sections[exchange.section] += 1
        if exchange.status is not None:
            self.statuses[exchange.status] += 1
        if cause is not None:
            self.repeats[cause] += 1

    def may_repeat(self, cause: Cause) -> bool:
        """Whether the run may send one more request for that cause."""
        return self.repeats[cause] < MOST_REPEATS[cause]
