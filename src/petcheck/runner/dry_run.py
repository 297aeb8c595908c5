"""What a run would cost a target, said before anything is sent. Pure.

The figures are upper bounds: they count what a server may make a check ask again. Tests hold them against real runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from petcheck.config.targets import TargetConfig
from petcheck.spec.figures import PLANS
from petcheck.spec.sections import TITLES
from petcheck.toolkit.budget import Shares, shares
from petcheck.toolkit.target import READING_BUDGET, WRITING_BUDGET
from petcheck.wire.pacing import reserve

# GETs and POSTs that each section sends at most
SECTION_GETS = {"4.1": 18, "4.2": 6, "4.3": 10, "4.4": 1, "5": 38}
SECTION_POSTS = {"4.2": 22, "5": 12}
_LEFT_BEHIND = 4  # animals
_MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would cost one target. `examples` is None where the run decides how many."""

    target: TargetConfig
    max_requests: int
    examples: int | None = None

    @property
    def requests(self) -> int:
        """Requests at most, without those that use up the quota."""
        budget = WRITING_BUDGET if self.target.writes else READING_BUDGET
        return min(budget + self._shares.total, self.max_requests)

    @property
    def posts(self) -> int:
        """POSTs among `requests` at most."""
        if not self.target.writes:
            return 0
        return min(sum(SECTION_POSTS.values()) + self._shares.posts, self.max_requests)

    @property
    def requests_to_exhaust(self) -> int:
        """Requests at most to use up the quota, 0 where that is not allowed.

        A second round counts, which settles a doubt, and so does a second window, since the first may end meanwhile.
        """
        if not self.target.exhaust:
            return 0
        quota = self._quota
        return self.max_requests if quota is None else min(2 * math.ceil(2.4 * quota) + 40, self.max_requests)

    @property
    def requests_in_all(self) -> int:
        """Requests at most, with those that use up the quota."""
        return min(self.requests + self.requests_to_exhaust, self.max_requests)

    @property
    def wait_s(self) -> int | None:
        """Seconds of waiting at most if nobody else uses the key; None where the plan's quota is not known."""
        if self._quota is None:
            return None
        windows = math.ceil(self.requests / (self._quota - reserve(self._quota))) - 1
        return (windows + (2 if self.target.exhaust else 0)) * _MINUTE_S

    @property
    def _quota(self) -> int | None:
        return PLANS[self.target.plan].per_minute if self.target.plan else None

    @property
    def _shares(self) -> Shares:
        return shares(self.examples, writes=self.target.writes)

    def lines(self) -> Iterator[str]:
        """The forecast as lines of text."""
        target, share = self.target, self._shares
        yield f"{target.name}  {target.source}: nothing was sent. A run would send, at most:"
        for section, title in TITLES.items():
            posts = SECTION_POSTS.get(section, 0) if target.writes else 0
            gets = SECTION_GETS.get(section, 0)
            if gets or posts:
                yield f"  {section:4} {title:28} {gets:4} GET {posts:4} POST"
        if share.total:
            yield f"       {'property examples':28} {share.total - share.posts:4} GET {share.posts:4} POST"
        yield f"  in all {self.requests} requests, {self.posts} of them POST"
        if target.exhaust:
            yield f"  and {self.requests_to_exhaust} GET to use up the quota"
        wait = self.wait_s
        limit = "not known without --plan" if wait is None else f"{wait} s at most on the plan {target.plan}"
        yield f"  waiting for the rate limit: {limit}"
        left = "nothing"
        if target.writes:
            made = _LEFT_BEHIND + (share.posts + 1) // 2
            left = f"{made} animals or so, and whatever the target takes that it must refuse"
        yield f"  left behind: {left}"
