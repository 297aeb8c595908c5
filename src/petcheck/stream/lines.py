"""The lines of a stream beside its exchanges: what a run was asked to do, and how it went. Read this first.

A stream is `Head`, then for each target `Opened` and `Planned`, then exchanges with `Waited` and `Ended` in between,
`Gone` where a target could not be tested, and `End`. A run that was killed has no `End`. The stream of a run in parts
is its head and its end: each target has its own stream.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, TypeAlias

from petcheck.exchange import DIRECT, Reach
from petcheck.judging.verdicts import Dropped
from petcheck.spec.outcomes import Waiver
from petcheck.stream.environment import Environment

CONNECTIONS = 8
"""The most requests at the same time; `--connections` may say fewer."""


@dataclass(frozen=True, slots=True)
class SuiteInfo:
    """The suite that ran: its version, the version of the interface that it judges, and digests of its two sources."""

    name: str
    version: str
    interface: str
    openapi_sha256: str
    requirements_sha256: str


@dataclass(frozen=True, slots=True)
class Label:
    """What the operator says of what was tested: a build, a ticket, who ran it."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


@dataclass(frozen=True, slots=True)
class Subject:
    """An artifact that was tested, such as an image, by its digest."""

    name: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.name}@sha256:{self.sha256}"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What steers a run beside its targets, wherever it was set.

    `max_wait` is in seconds; `examples` is None where the run decided how many; `seed_given` says whether `--seed`
    was given. `choice` are the ids to judge, None for all. `populate` is the number of animals to create up to,
    None for none. `traffic` is true where nothing was sent: it flowed anyway, and was recorded by another program.
    `min_examined` is how many requirements the run has to examine, as a number or with % as a share.
    `waivers` are all that the run was given, gaps too, whether they applied or not.
    `requirements_as_of` is the version whose set of requirements counts; None for the newest.
    `labels` and `subjects` are the operator's words on what was tested. At most `connections` requests were under way
    at the same time.
    """

    max_requests: int
    max_wait: float
    examples: int | None
    seed_given: bool
    strict: bool
    traffic: bool = False
    choice: tuple[str, ...] | None = None
    populate: int | None = None
    min_examined: str | None = None
    waivers: tuple[Waiver, ...] = ()
    labels: tuple[Label, ...] = ()
    subjects: tuple[Subject, ...] = ()
    requirements_as_of: str | None = None
    connections: int = CONNECTIONS


@dataclass(frozen=True, slots=True)
class ShardInfo:
    """The part of a list of targets that a run judged: `number` (from 1) of `of`.

    `targets` counts the whole list, and `list_sha256` is its digest: shards of the same list have the same.
    """

    number: int
    of: int
    targets: int
    list_sha256: str

    @property
    def places(self) -> range:
        """Where its targets are in the list: neighbours stay together, and sizes differ by one at most."""
        if not 1 <= self.number <= self.of:
            return range(0)
        first, end = (place * self.targets // self.of for place in (self.number - 1, self.number))
        return range(first, end)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """A target as the run was given it: `base_url` is a URL, or says what the run itself serves.

    `writes` allows POST, `exhaust` allows using up the quota; `category_id` and `plan` are None if not given. `headers`
    are those of each request, as NAME=VALUE; what is secret in them and in `reach` is a variable of a shell.
    """

    name: str
    base_url: str
    plan: str | None = None
    writes: bool = False
    exhaust: bool = False
    category_id: int | None = None
    headers: tuple[str, ...] = ()
    reach: Reach = DIRECT

    @property
    def way(self) -> Mapping[str, Any]:
        """How it is reached: options by name, as they are given."""
        ways = {each.name.replace("_", "-"): getattr(self.reach, each.name) for each in fields(Reach)}
        return {name: value for name, value in {"header": list(self.headers), **ways}.items() if value}

    @property
    def way_in_words(self) -> str:
        """The same as options of the command; empty if there are none."""
        several = ((name, value if isinstance(value, list) else [value]) for name, value in self.way.items())
        return ", ".join(f"--{name} {one}" for name, values in several for one in values)


@dataclass(frozen=True, slots=True)
class Head:
    """The first line: everything that is known before a request is sent.

    `run` is the run's id. `as_of` is the day to judge by. `options` are the options as given, never the key.
    `part` says that it is a part of a run, whose reports are two folders above it.
    """

    suite: SuiteInfo
    run: str
    started: datetime
    as_of: date
    seed: int
    options: Mapping[str, Any]
    settings: RunSettings
    targets: tuple[TargetSettings, ...]
    environment: Environment
    shard: ShardInfo | None = None
    part: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """Where a target is, and the fingerprint of its key ("sha256:" and eight digits; None where no key is known).

    `sought` counts the requests that found where an application has the operations. They are not recorded, since they
    are below other base URLs.
    """

    target: str
    base_url: str
    key: str | None
    sought: int = 0


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A check that the run was to make. `id` is pytest's; `on_top` says that no requirement needs what it sends."""

    id: str
    requirements: tuple[str, ...] = ()
    on_top: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """The checks of one target, in their order."""

    target: str
    checks: tuple[PlannedCheck, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """A check has sent what it sends, except for what was `dropped`. `seconds` is how long it took."""

    target: str
    check: str
    seconds: float
    dropped: Dropped | None = None


@dataclass(frozen=True, slots=True)
class Waited:
    """A pause that the target's rate limit, or a rule, asked for; `why` continues with "in … s"."""

    target: str
    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class Gone:
    """From here on the target cannot be tested; `reason` says why in one line."""

    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class JoinedRun:
    """A run that was merged into another. `shard` is None if it was not a shard."""

    id: str
    seed: int
    started: str
    finished: str
    shard: ShardInfo | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """The runs that a run was merged from; `id` and `seed` of its head are those of the first."""

    runs: tuple[JoinedRun, ...]


@dataclass(frozen=True, slots=True)
class Revised:
    """The waivers that `--update-waivers` wrote; they replace those of the head."""

    waivers: tuple[Waiver, ...]


@dataclass(frozen=True, slots=True)
class End:
    """The last line. `cut_short` says that the run stopped at a failure, `broken` what broke the suite, if anything."""

    finished: datetime
    interrupted: bool = False
    cut_short: bool = False
    nothing_selected: bool = False
    broken: str | None = None


NARROWED = "pytest"
"""The key in a head's options for the choice of checks by pytest's own options (`-k`, `-m`, `--deselect`)."""

Line: TypeAlias = Head | Opened | Planned | Ended | Waited | Gone | Revised | Joined | End

KINDS: Mapping[str, type[Line]] = {
    "petcheck": Head,
    "opened": Opened,
    "planned": Planned,
    "ended": Ended,
    "waited": Waited,
    "gone": Gone,
    "waivers": Revised,
    "joined": Joined,
    "end": End,
}
"""The one member of a line, which says what it is. All other lines are exchanges: entries of a HAR."""
