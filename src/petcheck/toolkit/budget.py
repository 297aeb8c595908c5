"""How many requests the run of one target may still send, and what they are kept for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from petcheck.plan.ending import end_share
from petcheck.wire.tally import RequestTally

READING_BUDGET, WRITING_BUDGET = 40, 60
# a run in which requests stay without an answer sends some again, and fewer property examples: so many in all
_MOST_READING, _MOST_WRITING = 58, 100
# requests kept for questions that arise after everything else was sent; a Free key's window lasts for the others
RESERVED = 3
_AFTER_THE_END = 2  # more of them that the end leaves over, if an animal may be gone


@dataclass
class Budget:
    """The requests of a target's run.

    `tally` counts what was sent. `examples_share` is the most that property examples use, and `examples_sent` what they
    have used, or others in their place. A run that `has_end` asks again at its end what it asked first, and keeps
    requests for that until it has `ended`.
    """

    tally: RequestTally
    writes: bool
    examples_share: int
    has_end: bool
    examples_sent: int = 0
    ended: bool = False

    @property
    def planned(self) -> int:
        """The requests of the run, without property examples."""
        return planned_requests(writes=self.writes)

    def spare(self) -> int:
        """Requests left, without property examples."""
        return self.planned - (self.tally.spent - self.examples_sent)

    def spare_in_all(self) -> int:
        """Requests left including the property examples' share, which questions that arise in a run may use too."""
        return self.spare() + self.examples_share - self.examples_sent

    def affords(self, requests: int = 1) -> bool:
        """Whether that many requests are left beside those of property examples and what is kept for later."""
        return self.spare() >= requests + self.reserved

    def spare_for_examples(self) -> int:
        """Requests that property examples may still use."""
        return self.spare_in_all() - self.reserved

    def examples_left(self) -> int:
        """Requests of property examples that may be used for something else."""
        return min(self.examples_share - self.examples_sent, self.spare_for_examples())

    def spare_for_the_end(self, *, may_be_gone: bool) -> int:
        """Requests that the end of the run may still use; fewer if an animal `may_be_gone`, which is asked for then."""
        return max(self.spare_for_examples() - (_AFTER_THE_END if may_be_gone else 0), 0)

    @contextmanager
    def of_examples(self) -> Iterator[None]:
        """Count what is sent in this block for the property examples: once, also in a block within another."""
        spent, examples_sent = self.tally.spent, self.examples_sent
        try:
            yield
        finally:
            self.examples_sent = examples_sent + self.tally.spent - spent

    @property
    def reserved(self) -> int:
        """Requests kept for later: the body in chunks, the end of the run, and questions that arise after them."""
        if self.ended or not self.has_end:
            return RESERVED
        return RESERVED + self.kept_for_chunks + self.kept_for_the_end

    @property
    def kept_for_chunks(self) -> int:
        """Requests kept for the body in chunks: one of those of property examples."""
        return int(self.writes and self.examples_share > 0)

    @property
    def kept_for_the_end(self) -> int:
        """Requests kept for what is asked again."""
        return end_share(self.planned + self.examples_share)


def planned_requests(*, writes: bool) -> int:
    """The requests of a run, without property examples."""
    return WRITING_BUDGET if writes else READING_BUDGET


def room_for_bursts(connections: int, max_requests: int, *, writes: bool) -> bool:
    """Whether a run sends several requests at the same time."""
    return connections > 1 and max_requests >= planned_requests(writes=writes)


def most_requests(examples_share: int, *, writes: bool) -> int:
    """The most requests of a run, with those that silence adds, whose property examples have a share."""
    return max(planned_requests(writes=writes) + examples_share, _MOST_WRITING if writes else _MOST_READING)
