"""What a run may send to a target, how many requests it has sent there, and why one is sent once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from math import inf

from petcheck.call import Call
from petcheck.errors import BudgetSpent, NotPermitted
from petcheck.exchange import TO_PROBE, Exchange, NoAnswer, Silence
from petcheck.spec.figures import GATEWAY_TROUBLE, RETRY_AFTER
from petcheck.words import plural


class Unplanned(Enum):
    """Why the run sent a request that it had not planned."""

    RATE_LIMIT = "after a 429"
    GATEWAY = "after a 502, 503 or 504"
    SILENCE = "after silence"
    EXCESS = "after too many at the same time"
    PROBE = TO_PROBE


DEADLINE_S = 10.0
"""The time for a request and its answer, in seconds, unless the user gives another."""

# how many a run may repeat for a cause that needs no probe
_MOST_REPEATS = {Unplanned.RATE_LIMIT: 20, Unplanned.GATEWAY: 200, Unplanned.EXCESS: 8}
_REFUSED = (Unplanned.RATE_LIMIT, Unplanned.GATEWAY)
# silence may add so many in all, with those lost on a kept connection and those too many at the same time
_MOST_ADDED, _MOST_ADDED_READING = 36, 22


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a run may do to a target: send what is not safe, so many requests, and wait so many seconds at once.

    At most `connections` requests are under way at the same time; `timeout` is the deadline of one, in seconds. `most`
    are the requests of the run itself: not those that a target refused, nor those on top.
    """

    writes: bool
    max_requests: int
    max_wait: float
    connections: int = 1
    timeout: float = DEADLINE_S
    most: float = inf

    def permit(self, call: Call) -> None:
        """Raise `NotPermitted` for a request that may change something there, unless writes are allowed."""
        if not (call.operation.safe or self.writes):
            raise NotPermitted(f"{call.method} requests were not allowed", "--allow-writes")

    def afford(self, tally: RequestTally) -> None:
        """Raise `BudgetSpent` if no request may follow those of a tally."""
        if tally.tried >= self.max_requests:
            most = plural(self.max_requests, "request")
            raise BudgetSpent(f"the run has reached its limit of {most}", "--max-requests")
        if self.room(tally) <= 0:
            raise BudgetSpent(SPENT)

    def room(self, tally: RequestTally) -> float:
        """How many requests may follow those of a tally."""
        return min(self.max_requests - tally.tried, inf if tally.adds_on_top else self.most - tally.spent)

    def affords_again(self, tally: RequestTally, cause: Unplanned, requests: int = 1) -> bool:
        """Whether a run may repeat a request for a cause, or several at the same time, after those of a tally."""
        if cause is not Unplanned.SILENCE:
            return tally.repeats[cause] < _MOST_REPEATS[cause]
        probe = 1
        return tally.added + probe + requests <= (_MOST_ADDED if self.writes else _MOST_ADDED_READING)


SPENT = "the run's request budget is spent"
# the silence of a target whose server is starting, or that has too many connections, itself or in its proxy
WHILE_STARTING = (Silence.UNREACHABLE, Silence.RESET, Silence.PROXY)


@dataclass
class RequestTally:
    """Requests sent to a target.

    `sent` counts all of them except the `lost`: those that met a connection closed by the server, and were sent again
    on a new one. `repeats` counts those in addition to the planned ones, and `sought` those before all of them that
    found where the target has the operations. Those `on_top` do not belong to the run's plan, nor do any while it
    `adds_on_top`.
    """

    sent: int = 0
    repeats: Counter[Unplanned] = field(default_factory=Counter)
    lost: int = 0
    sought: int = 0
    on_top: int = 0
    adds_on_top: bool = False

    @property
    def tried(self) -> int:
        """All requests, the lost ones included."""
        return self.sought + self.sent + self.lost

    @property
    def spent(self) -> int:
        """Requests that count against a budget: not those that a target made the run repeat by refusing them."""
        return self.sent + self.lost - self.on_top - sum(self.repeats[cause] for cause in _REFUSED)

    @property
    def added(self) -> int:
        """Requests that silence, lost connections and too many at the same time have added to those planned."""
        return self.lost + sum(number for cause, number in self.repeats.items() if cause not in _REFUSED)

    @contextmanager
    def beside_the_plan(self) -> Iterator[None]:
        """Count what is sent in this block as on top of the run."""
        spent, self.adds_on_top = self.spent, True
        try:
            yield
        finally:
            self.on_top, self.adds_on_top = self.on_top + self.spent - spent, False

    def count(self, cause: Unplanned | None = None) -> None:
        """Add an exchange; `cause` says why its request was sent if that was not planned."""
        self.sent += 1
        if cause is not None:
            self.repeats[cause] += 1


def may_be_in_excess(exchange: Exchange) -> bool:
    """Whether a target may have refused a request of a burst as one too many.

    Wider than what judging forgives: to send one after the other costs time only.
    """
    answer = exchange.answer
    if isinstance(answer, NoAnswer):
        return answer.kind in WHILE_STARTING
    return answer.status in (429, 503) and answer.header(RETRY_AFTER) is not None


def stays_silent(exchange: Exchange) -> bool:
    """Whether a request got no answer for another reason than that it may have been one too many at the same time."""
    in_excess = exchange.burst is not None and may_be_in_excess(exchange)
    return isinstance(exchange.answer, NoAnswer) and not in_excess


def cause_to_repeat(exchange: Exchange) -> Unplanned | None:
    """Why an exchange's answer does not count; None if it does."""
    if isinstance(exchange.answer, NoAnswer):
        return Unplanned.SILENCE
    if exchange.status == 429:
        return Unplanned.RATE_LIMIT
    return Unplanned.GATEWAY if exchange.status in GATEWAY_TROUBLE else None
