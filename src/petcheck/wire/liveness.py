"""Tells a dead operation from a dead target, without waiting out every check.

Pure. A call that was tried twice and got no answer puts the target in doubt; one request to another operation settles
it. So a target that hangs costs three deadlines, and one operation that hangs never stops the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from petcheck.exchange import Operation

_DEAD_AFTER = 2


class Advice(Enum):
    """What to do with the next call."""

    SEND = "send it, and once more if no answer comes"
    SEND_ONCE = "send it once: it settles whether the target is alive"
    PROBE_FIRST = "ask another operation first"
    SKIP = "do not send it: the operation is dead"
    GIVE_UP = "do not send it: the target is dead"


@dataclass(frozen=True, slots=True)
class Liveness:
    """What is known of a target's will to answer.

    `in_doubt` is the operation whose call went unanswered with nothing answered since; `unanswered` holds, for each
    operation, how many of its calls in a row got no answer.
    """

    in_doubt: Operation | None = None
    unanswered: tuple[tuple[Operation, int], ...] = ()
    dead: bool = False

    def advice(self, operation: Operation) -> Advice:
        """What to do with a call of `operation`."""
        if self.dead:
            return Advice.GIVE_UP
        if self.in_doubt is not None:
            return Advice.PROBE_FIRST if self.in_doubt is operation else Advice.SEND_ONCE
        return Advice.SKIP if dict(self.unanswered).get(operation, 0) >= _DEAD_AFTER else Advice.SEND

    def answered(self, operation: Operation) -> Liveness:
        """After an answer: the target is alive, and so is that operation."""
        return replace(
            self,
            in_doubt=None,
            unanswered=tuple((name, count) for name, count in self.unanswered if name is not operation),
        )

    def silent(self, operation: Operation) -> Liveness:
        """After a call that got no answer on every try that it was given."""
        counts = dict(self.unanswered)
        counts[operation] = counts.get(operation, 0) + 1
        return replace(
            self,
            in_doubt=operation,
            unanswered=tuple(counts.items()),
            dead=self.dead or (self.in_doubt is not None and self.in_doubt is not operation),
        )
