"""What a run would cost a target, said before anything is sent. Pure.

The figures are upper bounds: what a server makes a check ask again is counted in, and a run of the tests holds them
against real ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from petcheck.document import TITLES
from petcheck.judging.interface import PLANS
from petcheck.shares import Shares, shares
from petcheck.target import READING_BUDGET, WRITING_BUDGET
from petcheck.wire.pacing import reserve

# GETs and POSTs that each section sends at most
_GETS = {"4.1": 16, "4.2": 6, "4.3": 10, "4.4": 1, "5": 24}
_POSTS = {"4.2": 22, "5": 8}
_LEFT_BEHIND = 4
_MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run may do to a target, as far as it decides what is sent. `plan` is the key's plan where it is known."""

    target: str
    base_url: str
    writes: bool
    exhaust: bool
    plan: str | None
    max_requests: int
    examples: int | None = None

    @property
    def shares(self) -> Shares:
        """What the property examples may take."""
        return shares(self.examples, writes=self.writes)


def most(plan: Plan) -> int:
    """Requests at most, using up the quota not counted."""
    return min((WRITING_BUDGET if plan.writes else READING_BUDGET) + plan.shares.total, plan.max_requests)


def most_posts(plan: Plan) -> int:
    """POSTs among them at most."""
    return min(sum(_POSTS.values()) + plan.shares.posts, plan.max_requests) if plan.writes else 0


def most_to_exhaust(plan: Plan) -> int:
    """Requests at most to use up the quota, with a second round where the first leaves a doubt; 0 where it stays.

    A window may end while it is used up, and then it takes the next one too.
    """
    if not plan.exhaust:
        return 0
    figure = PLANS[plan.plan].per_minute if plan.plan else None
    return plan.max_requests if figure is None else min(2 * math.ceil(2.4 * figure) + 40, plan.max_requests)


def most_in_all(plan: Plan) -> int:
    """Requests at most, with those that use up the quota."""
    return min(most(plan) + most_to_exhaust(plan), plan.max_requests)


def seconds(plan: Plan) -> int | None:
    """Seconds of waiting at most on that plan, if nobody else uses the key; None where the plan is not known."""
    figure = PLANS[plan.plan].per_minute if plan.plan else None
    if figure is None:
        return None
    windows = math.ceil(most(plan) / (figure - reserve(figure))) - 1 + (2 if plan.exhaust else 0)
    return windows * _MINUTE_S


def forecast(plan: Plan) -> Iterator[str]:
    """The forecast as lines of text."""
    yield f"{plan.target}  {plan.base_url}: nothing was sent. A run would send, at most:"
    for section, title in TITLES.items():
        posts = _POSTS.get(section, 0) if plan.writes else 0
        gets = _GETS.get(section, 0)
        if gets or posts:
            yield f"  {section:4} {title:28} {gets:4} GET {posts:4} POST"
    share = plan.shares
    if share.total:
        yield f"       {'property examples':28} {share.total - share.posts:4} GET {share.posts:4} POST"
    yield f"  in all {most(plan)} requests, {most_posts(plan)} of them POST"
    if plan.exhaust:
        yield f"  and {most_to_exhaust(plan)} GET to use up the quota"
    wait = seconds(plan)
    told = "not known without --plan" if wait is None else f"{wait} s at most on the plan {plan.plan}"
    yield f"  waiting for the rate limit: {told}"
    left = "nothing"
    if plan.writes:
        made = _LEFT_BEHIND + (share.posts + 1) // 2
        left = f"{made} animals or so, and whatever the target takes that it must refuse"
    yield f"  left behind: {left}"
