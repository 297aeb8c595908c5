"""The findings of a run about its targets, as values: what result.json says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from petcheck.judging.observations import ObservedAnswer
from petcheck.judging.verdicts import Verdict
from petcheck.stream.lines import JoinedRun, RunSettings, ShardInfo, SuiteInfo

FORMAT = 1


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run. `started` and `finished` are UTC in ISO 8601; `as_of` is the day to judge by (YYYY-MM-DD).

    `exit` is the exit code of the command; `options` are the options as given, never the key.
    `settings` are None in a result of an older version. `shard` is None if the run judged its whole list of targets.
    `left_out` are the entries of the catalogue that are newer than the set to judge by.
    `joined` are the runs that the result was merged from; `id` and `seed` are then those of the first.
    """

    id: str
    started: str
    finished: str
    as_of: str
    seed: int
    exit: int
    options: Mapping[str, Any]
    settings: RunSettings | None = None
    shard: ShardInfo | None = None
    joined: tuple[JoinedRun, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestCount:
    """Requests sent to a target: in total, by method, and by the section of the check that sent them.

    `examples` of them were property examples, which belong to no section. `repeats` were sent in addition to the
    planned ones, by cause in words. `lost` met a connection that the server had closed, and
    were sent again. `forgiven` counts each 502, 503 and 504 that was gone on the second try.
    """

    total: int
    get: int
    post: int
    by_section: Mapping[str, int]
    examples: int = 0
    repeats: Mapping[str, int] = field(default_factory=dict)
    lost: int = 0
    forgiven: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LeftAnimal:
    """An animal that the run left behind. `id` is None if the POST got no answer: the animal may or may not exist."""

    id: int | None
    name: str


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """A target and what the run sent to it and created there.

    `key` is "sha256:" and eight digits of the key's digest. `exhaust` allowed to use up the quota, and `category_id` is
    the category that was given. `waited_s` is the seconds waited for its rate limit,
    `rate_limited` counts its 429s. `unreachable` says in one line why it could not be tested, or is None.
    """

    name: str
    base_url: str
    plan: str | None
    writes: bool
    key: str | None
    requests: RequestCount
    waited_s: float
    rate_limited: int
    created: tuple[LeftAnimal, ...]
    unreachable: str | None = None
    exhaust: bool = False
    category_id: int | None = None


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check (a test by its id) that asked a target for some requirements, for `duration_s` seconds.

    `exchanges` are those that it sent. `dropped` says what it could not ask, and why; empty if nothing.
    """

    id: str
    requirements: tuple[str, ...]
    target: str
    duration_s: float
    exchanges: tuple[int, ...]
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a target does where the document is silent: `statement` is the question, `value` the answer in words.

    `seen` is false if the run saw nothing that answers the question; `value` then says why. `answers` hold the same as
    data if `value` is about whole answers, so that programs do not have to parse the words.
    """

    id: str
    section: str
    target: str
    value: str
    statement: str
    exchanges: tuple[int, ...] = ()
    seen: bool = True
    answers: tuple[ObservedAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class UntestablePoint:
    """An open point that no check can observe; `untestable` says why."""

    id: str
    section: str
    statement: str
    untestable: str


@dataclass(frozen=True, slots=True)
class Findings:
    """A run. `complete` is false if it was interrupted: the result holds what was judged before."""

    complete: bool
    suite: SuiteInfo
    run: RunInfo
    targets: tuple[TargetInfo, ...]
    requirements: tuple[Verdict, ...]
    checks: tuple[CheckRow, ...]
    observations: tuple[Observation, ...]
    untestable: tuple[UntestablePoint, ...]
    format: int = FORMAT

    @property
    def counts(self) -> Counter[str]:
        """How many requirements have each outcome, for all targets; `n/a` counts those that are not in force."""
        return Counter(row.standing for row in self.requirements)

    def chose(self, row: Verdict) -> bool:
        """Whether the run was to judge that requirement."""
        settings = self.run.settings
        return settings is None or settings.choice is None or row.id in settings.choice

    def rows_of(self, target: str) -> list[Verdict]:
        """The rows of that target."""
        return [row for row in self.requirements if row.target == target]
