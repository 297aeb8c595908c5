"""Forecasts what a run sends to a target, before anything is sent. Pure.

The figures are upper bounds: they include requests that a server may make a check repeat. Tests compare them with real
runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from petcheck.config.options import Config
from petcheck.config.targets import Embedded, TargetConfig
from petcheck.errors import ConfigError
from petcheck.plan.ending import end_share
from petcheck.plan.together import connections
from petcheck.runner.head import target_settings
from petcheck.spec.figures import LIMIT_MAX, PLANS
from petcheck.spec.operations import Operation
from petcheck.spec.sections import TITLES
from petcheck.toolkit.budget import most_requests, planned_requests
from petcheck.toolkit.feeds import Choice
from petcheck.toolkit.shares import Shares, shares
from petcheck.wire.pacing import reserve
from petcheck.words import plural

# the most GETs and POSTs that the checks of each section send, with a burst that is sent again and one by one
SECTION_GETS = {"4.1": 32, "4.2": 6, "4.3": 10, "4.4": 2, "5": 38}
SECTION_POSTS = {"4.2": 37, "5": 12}
# the most that the end of a run asks again, if it judges everything
END_GETS = {"4.1": 6, "4.3": 6, "4.4": 1}
_LEFT_BEHIND = 6  # animals
_MINUTE_S = 60
# to populate a target: it is counted before the first animal, after it and at the end, by five pages; seven follow
_PAGES_TO_POPULATE = 3 * 5 + 7
_CHECKS = "checks"
_PROBED = "4.1"  # its first page is asked for in every run


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a run: the most requests of which `what` would consist, those that fit, and the POSTs among these."""

    what: str
    wanted: int
    requests: int
    posts: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run sends to one target. `sections` are those of the checks that run; None for all."""

    target: TargetConfig
    config: Config
    sections: frozenset[str] | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """What a run sends, in its order; the last is what it adds if requests get no answer."""
        gets, posts = (sum(one) for one in zip((0, 0), *(row[1:] for row in self._by_section()), strict=True))
        checks, examples = min(self._budget, gets + posts), sum(self._examples)
        share = self.share.total
        again = most_requests(share, writes=self.target.writes) - checks - examples
        left, found = self.config.max_requests, []
        for what, wanted, most_posts in (
            (_CHECKS, checks, posts),
            ("property examples", examples, self._examples[1]),
            ("after silence", again, again if self.target.writes else 0),
        ):
            fitting = min(wanted, left)
            found.append(Part(what, wanted, fitting, min(most_posts, fitting)))
            left -= fitting
        return tuple(found)

    @property
    def cut_short(self) -> bool:
        """Whether `--max-requests` may end the run before it has sent everything."""
        return any(part.wanted > part.requests for part in self.parts[:-1])

    @property
    def share(self) -> Shares:
        """The shares of the property examples."""
        return shares(self.config.examples, writes=self.target.writes)

    @property
    def requests(self) -> int:
        """The most requests if each gets an answer, without those that use up the quota."""
        return sum(part.requests for part in self.parts[:-1])

    @property
    def posts(self) -> int:
        """The most POSTs among `requests`."""
        return sum(part.posts for part in self.parts[:-1])

    @property
    def most(self) -> int:
        """The most requests whatever the target answers, without those that use up the quota."""
        return sum(part.requests for part in self.parts)

    @property
    def requests_to_exhaust(self) -> int:
        """The most requests to use up the quota; 0 if that is not allowed.

        They include a second round, for a doubtful result, and a second window, since the first may end in between.
        """
        if not self.target.exhaust:
            return 0
        quota, most = self._quota, self.config.max_requests
        return most if quota is None else min(2 * math.ceil(2.4 * quota) + 40, most)

    @property
    def requests_in_all(self) -> int:
        """The most requests, including those that use up the quota."""
        return min(self.most + self.requests_to_exhaust + sum(self._to_populate), self.config.max_requests)

    def expect_room(self) -> None:
        """Raise `ConfigError` if there may not be enough requests to populate the target and to judge it."""
        number, needed, most = self.config.populate, sum(self._to_populate), self.config.max_requests
        if needed and needed + self.requests > most:
            raise ConfigError(
                f"--populate {number}: takes up to {plural(needed, 'request')} beside the {self.requests} of the run, "
                f"and --max-requests allows {most}; {LIMIT_MAX + 1} animals are enough for every requirement"
            )

    @property
    def wait_s(self) -> int | None:
        """The most seconds of waiting if nobody else uses the key; None if the plan's quota is not known."""
        if isinstance(self.target.source, Embedded):  # its clock skips them
            return 0
        if self._quota is None:
            return None
        windows = math.ceil((self.requests + sum(self._to_populate)) / (self._quota - reserve(self._quota))) - 1
        return (windows + (2 if self.target.exhaust else 0)) * _MINUTE_S

    @property
    def asked_again(self) -> int:
        """The most requests of the end of a run."""
        return end_share(self._budget + self.share.total)

    @property
    def _budget(self) -> int:
        return planned_requests(writes=self.target.writes)

    @property
    def _quota(self) -> int | None:
        return PLANS[self.target.plan].per_minute if self.target.plan else None

    @property
    def _examples(self) -> tuple[int, int]:
        """The most GETs and POSTs of property examples that serve what is judged, and of questions that arise."""
        share, calls = self.share, Choice(self.config.choice).calls
        gets = share.listing * calls(Operation.LIST_PETS) + share.getting * calls(Operation.GET_PET)
        gets += share.ordering * calls(Operation.STORE_ORDERS) + share.rest
        creates = calls(Operation.CREATE_PET)
        return gets + share.sequence_gets * creates, share.posts * creates

    @property
    def _to_populate(self) -> tuple[int, int]:
        """The most GETs and POSTs to populate the target."""
        if self.config.populate is None or not self.target.writes:
            return 0, 0
        return _PAGES_TO_POPULATE, self.config.populate

    def _by_section(self) -> Iterator[tuple[str, int, int]]:
        """Each section of which checks run, with the most GETs and POSTs of its checks."""
        for section in TITLES:
            gets, posts = SECTION_GETS.get(section, 0), SECTION_POSTS.get(section, 0) if self.target.writes else 0
            gets += END_GETS.get(section, 0) if self.config.choice is None else 0
            if (gets or posts) and (self.sections is None or section in self.sections or section == _PROBED):
                yield section, gets, posts

    def lines(self) -> Iterator[str]:
        """The forecast as lines of text."""
        target, populate, parts = self.target, self.config.populate, self.parts
        total = Part("in total", self.most, self.most, sum(part.posts for part in parts))
        yield f"{target.name}  {target.source}: nothing was sent. A run sends at most:"
        if way := target_settings(self.config, target).way_in_words:
            yield f"  reached with {way}"
        for part in (*parts, total):
            if part.requests or part.what == _CHECKS:
                yield f"  {part.what:18} {plural(part.requests, 'request'):>14}, {part.posts} of them POST"
        if self.cut_short:
            beyond = [part for part in parts[:-1] if part.wanted > part.requests]
            numbers = ", ".join(f"{part.wanted - part.requests} of the {part.what}" for part in beyond)
            yield f"  beyond --max-requests {self.config.max_requests}: {numbers}"
        if populate is not None and target.writes:
            counting, creating = self._to_populate
            yield f"  and then {counting} GET and {creating} POST, until there are {populate} animals"
        if target.exhaust:
            yield f"  and {self.requests_to_exhaust} GET to use up the quota"
        together = connections(self.config.connections, writes=target.writes)
        many = f"at most {together} requests" if together > 1 else "one request"
        yield f"  at the same time: {many} (--connections)"
        wait = self.wait_s
        limit = "not known without --plan" if wait is None else f"{wait} s at most on the plan {target.plan}"
        yield f"  waiting for the rate limit: {limit}"
        left = "nothing"
        if self.posts:
            made = min(_LEFT_BEHIND, parts[0].posts) + (parts[1].posts + 1) // 2 + self._to_populate[1]
            left = (
                f"{'at most' if self.cut_short else 'about'} {made} animals, plus one per invalid body that is accepted"
            )
        yield f"  left behind: {left}"


def forecasts(config: Config, sections: frozenset[str] | None = None) -> list[Forecast]:
    """What a run sends to each target; nothing is opened. `sections` as in `Forecast`."""
    return [Forecast(target, config, sections) for target in config.targets]
