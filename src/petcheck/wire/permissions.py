"""What a run may do to a target."""

from __future__ import annotations

from dataclasses import dataclass

from petcheck.call import Call
from petcheck.errors import BudgetSpent, NotPermitted
from petcheck.words import plural


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a run may do to a target: send what is not safe, so many requests, and wait so many seconds at once.

    At most `connections` requests are under way at the same time; `timeout` is the deadline of one, in seconds.
    """

    writes: bool
    max_requests: int
    max_wait: float
    connections: int = 1
    timeout: float = 10.0

    def permit(self, call: Call) -> None:
        """Raise `NotPermitted` for a request that may change something there, unless writes are allowed."""
        if not (call.operation.safe or self.writes):
            raise NotPermitted(f"{call.method} requests were not allowed", "--allow-writes")

    def afford(self, sent: int) -> None:
        """Raise `BudgetSpent` if no request may follow those `sent`."""
        if sent >= self.max_requests:
            most = plural(self.max_requests, "request")
            raise BudgetSpent(f"the run has reached its limit of {most}", "--max-requests")
