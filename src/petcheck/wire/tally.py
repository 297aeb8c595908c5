"""What a run may send to a target, how many requests it has sent there, and why one is sent once more."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

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

# how many a run may send for each cause; the silences before them, and time, limit the probes
_MOST_REPEATS = {Unplanned.RATE_LIMIT: 20, Unplanned.GATEWAY: 200, Unplanned.SILENCE: 18, Unplanned.EXCESS: 8}
_MOST_REPEATS_READING = _MOST_REPEATS | {Unplanned.SILENCE: 9}  # a reading run has room for fewer beside its checks


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a run may do to a target: send what is not safe, so many requests, and wait so many seconds at once.

    At most `connections` requests are under way at the same time; `timeout` is the deadline of one, in seconds.
    """

    writes: bool
    max_requests: int
    max_wait: float
    connections: int = 1
    timeout: float = DEADLINE_S

    def permit(self, call: Call) -> None:
        """Raise `NotPermitted` for a request that may change something there, unless writes are allowed."""
        if not (call.operation.safe or self.writes):
            raise NotPermitted(f"{call.method} requests were not allowed", "--allow-writes")

    def most_repeats(self, cause: Unplanned) -> int:
        """How many requests a run may repeat for a cause."""
        return (_MOST_REPEATS if self.writes else _MOST_REPEATS_READING)[cause]

    def afford(self, sent: int) -> None:
        """Raise `BudgetSpent` if no request may follow those `sent`."""
        if sent >= self.max_requests:
            most = plural(self.max_requests, "request")
            raise BudgetSpent(f"the run has reached its limit of {most}", "--max-requests")


# the silence of a target whose server is starting, or that has too many connections, itself or in its proxy
WHILE_STARTING = (Silence.UNREACHABLE, Silence.RESET, Silence.PROXY)
_REFUSED = (Unplanned.RATE_LIMIT, Unplanned.GATEWAY)


@dataclass
class RequestTally:
    """Requests sent to a target.

    `sent` counts all of them except the `lost`: those that met a connection closed by the server, and were sent again
    on a new one. `repeats` counts those in addition to the planned ones, and `sought` those before all of them that
    found where the target has the operations.
    """

    sent: int = 0
    repeats: Counter[Unplanned] = field(default_factory=Counter)
    lost: int = 0
    sought: int = 0

    @property
    def tried(self) -> int:
        """All requests, the lost ones included."""
        return self.sought + self.sent + self.lost

    @property
    def spent(self) -> int:
        """Requests that count against a budget: not those that a target made the run repeat by refusing them."""
        return self.sent - sum(self.repeats[cause] for cause in _REFUSED)

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
