"""Runs over time: when each requirement of a target began to fail, when it was fixed, and what changed meanwhile.

A verdict counts if the requirement was examined (pass, fail, waived). A pass of a run that was cut short does not
count: some of its checks may not have run. A flip is a verdict that counts and contradicts the one before it.

Between two runs may change: the suite, the catalogue, the day, the options, the permissions, the server's address, the
key. They may explain a flip. A flip without any of them has another cause: the server was changed, or it or this suite
does not always do the same. It is named as a candidate for flakiness. Pure.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal
from urllib.parse import urlsplit

from petcheck.comparison.comparable import circumstances, expect_distinct_names
from petcheck.comparison.compare import EXAMINED
from petcheck.errors import NotComparable
from petcheck.judging.verdicts import Verdict
from petcheck.results.findings import RunInfo, TargetInfo
from petcheck.results.fleet import members
from petcheck.results.result import Result
from petcheck.spec import sections
from petcheck.spec.outcomes import Outcome
from petcheck.stream.lines import SuiteInfo

FILE = "history.html"

FAILING: frozenset[Outcome] = frozenset({"fail", "waived"})
"""A waived failure is a failure: an agreement does not fix a server."""

State = Literal["failing", "passing", "unexamined"]


@dataclass(frozen=True, slots=True)
class PastTarget:
    """One target of a run: its circumstances by name, and its verdicts by requirement."""

    info: TargetInfo
    circumstances: Mapping[str, str]
    verdicts: Mapping[str, Verdict]

    def count(self, outcome: Outcome) -> int:
        """The number of requirements with that outcome."""
        return sum(verdict.outcome == outcome for verdict in self.verdicts.values())


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run, without its evidence. `file` is its result.json; `complete` is false if it was cut short."""

    file: str
    info: RunInfo
    suite: SuiteInfo
    complete: bool
    targets: Mapping[str, PastTarget] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Change:
    """A circumstance that is not the same in two runs."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Step:
    """Two consecutive runs of a target, as indices in `History.runs`, and what changed between them."""

    before: int
    after: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Flip:
    """A requirement began to fail, or was `fixed`, between two runs. They are indices in `History.runs`.

    Between them stand only runs that did not examine it. `changes` may explain it; `reason` is that of the failure. If
    it failed `by_chance`, a run that passes does not show that it is fixed.
    """

    fixed: bool
    before: int
    after: int
    changes: tuple[Change, ...]
    reason: str
    by_chance: bool = False


@dataclass(frozen=True, slots=True)
class Track:
    """One requirement on one target over all runs; `entry` is its newest verdict, with the newest wording.

    `outcomes` has an entry for each run of the history, None where there is no verdict. `last` is the run whose verdict
    is the last that counts, and `since` the first of the runs in a row that agree with it; None if no verdict counts.
    `reason` is that of the last failure, empty without one.
    """

    entry: Verdict
    outcomes: tuple[Outcome | None, ...]
    last: int | None
    since: int | None
    flips: tuple[Flip, ...]
    reason: str

    @property
    def outcome(self) -> Outcome | None:
        """The last verdict that counts."""
        return None if self.last is None else self.outcomes[self.last]

    @property
    def state(self) -> State:
        """What the last verdict that counts says."""
        if self.outcome is None:
            return "unexamined"
        return "failing" if self.outcome in FAILING else "passing"

    @property
    def ever_failed(self) -> bool:
        """Whether it failed in any run."""
        return any(outcome in FAILING for outcome in self.outcomes)

    @property
    def unexplained(self) -> int:
        """The number of flips without any change; a candidate for flakiness has one or more."""
        return sum(not flip.changes for flip in self.flips)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many requirements failed on a target in one run (index `run`), and how many failures were waived.

    `tested` is false if the target could not be tested.
    """

    run: int
    fail: int
    waived: int
    tested: bool


@dataclass(frozen=True, slots=True)
class TargetHistory:
    """One target over time: a tally of each run that had it, and its tracks in the document's order."""

    name: str
    tallies: tuple[Tally, ...]
    steps: tuple[Step, ...]
    tracks: tuple[Track, ...]

    def in_state(self, state: State) -> tuple[Track, ...]:
        """The tracks of that state."""
        return tuple(track for track in self.tracks if track.state == state)


@dataclass(frozen=True, slots=True)
class History:
    """Runs in order of time, and their targets, the newest run's first."""

    runs: tuple[PastRun, ...]
    targets: tuple[TargetHistory, ...]


def past_run(file: str, result: Result) -> PastRun:
    """What a history needs of `result`, which was read from `file`.

    Raises NotComparable if two targets have the same name.
    """
    expect_distinct_names(file, result)
    targets = {
        member.target.name: PastTarget(
            member.target, _circumstances(result, member.target), {row.id: row for row in member.rows}
        )
        for member in members(result)
    }
    return PastRun(file, result.run, result.suite, result.complete, targets)


def _circumstances(result: Result, target: TargetInfo) -> dict[str, str]:
    run, suite = result.run, result.suite
    own = circumstances(run, target)
    # the day of a run and its seed differ every time; `history` asks whether they matter
    del own["judged as on"], own["seed"]
    traffic = run.settings is not None and run.settings.traffic
    # by the run itself: an application, or the embedded server
    served = not traffic and "target" not in run.options and _is_on_loopback(target)
    return {
        "suite": f"{suite.name} {suite.version}",
        "interface": suite.interface,
        "catalogue": f"sha256 {suite.requirements_sha256[:12]}",
        "description": f"sha256 {suite.openapi_sha256[:12]}",
        "--as-of": str(run.options.get("as-of", "not given")),
        "recorded": "traffic" if traffic else "a run",
        "end": "whole" if result.complete else "cut short",
        # a server that is started for a run has another port and another key each time
        "base URL": "served for the run" if served else target.base_url,
        "key": "of the run" if served else target.key or "none",
        **own,
    }


def _is_on_loopback(target: TargetInfo) -> bool:
    try:
        return ipaddress.ip_address(urlsplit(target.base_url).hostname or "").is_loopback
    except ValueError:
        return False


def history(runs: Iterable[PastRun]) -> History:
    """The history of `runs`, at least one, given in any order.

    Raises NotComparable if a run is there twice.
    """
    ordered = sorted(runs, key=lambda run: (run.info.started, run.info.id))
    for one, other in pairwise(ordered):
        if (one.info.started, one.info.id) == (other.info.started, other.info.id):
            raise NotComparable(f"{one.file} and {other.file} are of the same run; give each run once")
    names = dict.fromkeys(name for run in reversed(ordered) for name in run.targets)
    return History(tuple(ordered), tuple(_target(name, ordered) for name in names))


def _target(name: str, runs: Sequence[PastRun]) -> TargetHistory:
    present = [index for index, run in enumerate(runs) if name in run.targets]
    entries: dict[str, Verdict] = {}  # the newest of each
    for index in reversed(present):
        for row in runs[index].targets[name].verdicts.values():
            entries.setdefault(row.id, row)
    tracks = [_track(name, entry, runs) for entry in entries.values()]
    return TargetHistory(
        name=name,
        tallies=tuple(_tally(run, runs[run].targets[name]) for run in present),
        steps=tuple(Step(one, other, _changes(runs[one], runs[other], name)) for one, other in pairwise(present)),
        tracks=tuple(sorted(tracks, key=lambda track: sections.order(track.entry.section))),
    )


def _tally(run: int, target: PastTarget) -> Tally:
    return Tally(run, target.count("fail"), target.count("waived"), tested=target.info.unreachable is None)


def _track(name: str, entry: Verdict, runs: Sequence[PastRun]) -> Track:
    verdicts = [run.targets[name].verdicts.get(entry.id) if name in run.targets else None for run in runs]
    counted = [(run, one) for run, one in enumerate(verdicts) if one is not None and _counts(one, runs[run])]
    flips = tuple(
        _flip(name, before, after, runs)
        for before, after in pairwise(counted)
        if (before[1].outcome in FAILING) != (after[1].outcome in FAILING)
    )
    first, last = (counted[0][0], counted[-1][0]) if counted else (None, None)
    return Track(
        entry=entry,
        outcomes=tuple(None if verdict is None else verdict.outcome for verdict in verdicts),
        last=last,
        since=flips[-1].after if flips else first,
        flips=flips,
        reason=next((one.reason for one in reversed(verdicts) if one is not None and one.outcome in FAILING), ""),
    )


def _counts(verdict: Verdict, run: PastRun) -> bool:
    return verdict.outcome in EXAMINED and (run.complete or verdict.outcome in FAILING)


def _flip(name: str, first: tuple[int, Verdict], second: tuple[int, Verdict], runs: Sequence[PastRun]) -> Flip:
    (before, earlier), (after, later) = first, second
    fixed = earlier.outcome in FAILING
    changes = list(_changes(runs[before], runs[after], name))
    if set(earlier.checks) != set(later.checks) and not changes:
        changes.append(Change("checks", str(len(earlier.checks)), str(len(later.checks))))
    seeds = runs[before].info.seed, runs[after].info.seed
    failed = earlier if fixed else later
    if failed.example is not None and seeds[0] != seeds[1]:
        # another seed draws other examples, and may not have drawn the one that fails
        changes.append(Change("seed", str(seeds[0]), str(seeds[1])))
    return Flip(fixed, before, after, tuple(changes), failed.reason, failed.by_chance)


def _changes(before: PastRun, after: PastRun, name: str) -> tuple[Change, ...]:
    """What changed between two runs of a target, apart from what changes every time."""
    earlier, later = before.targets[name], after.targets[name]
    changes = [
        Change(what, value, later.circumstances[what])
        for what, value in earlier.circumstances.items()
        if value != later.circumstances[what]
    ]
    days = before.info.as_of, after.info.as_of
    if days[0] != days[1] and _in_force(earlier, later) != _in_force(later, earlier):
        changes.append(Change("judged as on", *days))
    return tuple(changes)


def _in_force(target: PastTarget, other: PastTarget) -> set[str]:
    """The requirements in force on the day, of those that both runs know."""
    return {name for name, verdict in target.verdicts.items() if verdict.in_force and name in other.verdicts}
