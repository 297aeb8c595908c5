"""Decides which checks have something to do on a target, and in which order they run; also for a recorded run."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

from petcheck.config.options import Config
from petcheck.config.targets import TargetConfig
from petcheck.grouping import grouped
from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import suite_file
from petcheck.stream.lines import Head, PlannedCheck, RunSettings, TargetSettings
from petcheck.toolkit.budget import WRITING_BUDGET
from petcheck.toolkit.feeds import Choice, RequestKind
from petcheck.toolkit.shares import shares

USUAL_STAGE = "read"
# a filter that finds nothing is visible only before the run creates animals; bodies to refuse go before bodies to
# create, since a page full of created animals hides what was stored by mistake; so does a store that is populated
STAGES = (
    "survey",
    "refuse",
    "create",
    "read",
    "look",
    "spare",
    "open",
    "examples",
    "sequence",
    "populate",
    "late",
    "compare",
    "end",
    "spoil",
    "left over",
    "cut off",
    "exhaust",
    "record",
)
# with fewer requests than a complete run needs, checks that need one GET go first
FRUGAL_STAGES = ("survey", "read", "create", "refuse", *STAGES[4:])
# property examples add to what a requirement needs, and so do requests that are sent only if some are left
EXAMPLE_STAGES = frozenset({"examples", "sequence", "compare", "left over"})
_ON_TOP = frozenset({"spare", "open", "late", "end", "spoil", "cut off", *EXAMPLE_STAGES})


@dataclass(frozen=True, slots=True)
class Check:
    """A check on one target. `id` is pytest's; it judges `requirements` and observes the open points `observes`.

    `sends` are the kinds of requests that it makes.
    """

    id: str
    target: str
    requirements: tuple[str, ...]
    observes: tuple[str, ...]
    stage: str = USUAL_STAGE
    sends: tuple[RequestKind, ...] = ()

    @property
    def on_top(self) -> bool:
        """Whether no requirement needs what it sends."""
        return self.stage in _ON_TOP

    @property
    def section(self) -> str:
        """The section that its requests count for: that of the first catalogue entry it names."""
        return catalogue()[(*self.requirements, *self.observes)[0]].section


class Schedule:
    """The order of a run's checks: target by target, and on each target stage by stage.

    Its settings and targets are those of the configuration, or as a recording has them.
    """

    def __init__(self, settings: Config | RunSettings, targets: Iterable[TargetConfig | TargetSettings]) -> None:
        listed = list(targets)
        pairs = ((target.name, stage) for target in listed for stage in stages(settings.max_requests))
        self._places = {pair: place for place, pair in enumerate(pairs)}
        self.choice = Choice(None if settings.choice is None else frozenset(settings.choice))
        self._newer = frozenset(catalogue().newer_than(settings.requirements_as_of))
        self._populated = {one.name for one in listed if one.writes and settings.populate is not None}
        self._shares = {target.name: shares(settings.examples, writes=target.writes) for target in listed}

    def includes(self, check: Check) -> bool:
        """Whether the check has anything to do: property examples and sequences may have no requests.

        Beside the checks of chosen entries, those run that send what these entries are judged by. What is newer than
        the set of requirements is not asked.
        """
        named = (*check.requirements, *check.observes)
        # the examples of a check are limited to what is needed, so one kind of its requests is reason enough
        brought = [(kind,) for kind in check.sends] if check.stage in EXAMPLE_STAGES else [check.sends]
        if self._newer.issuperset(named) or not (self.choice.covers(*named) or any(map(self.choice.brings, brought))):
            return False
        share = self._shares[check.target]
        deep = share.sequence_posts > 0
        wanted = {
            "examples": share.total > 0,
            "compare": share.total > 0,
            "left over": share.posts > 0,
            "sequence": deep,
            "spoil": deep,
            "populate": check.target in self._populated,
            # a run of everything has examples for them; without any, it asks what a pass needs
            "spare": self.choice.entries is not None,
            "open": self.choice.entries is not None,
        }
        return wanted.get(check.stage, True)

    def planned(self, check: Check) -> PlannedCheck:
        """The check as the stream has it: it asks for what was chosen."""
        asked_for = tuple(filter(self.choice.covers, check.requirements))
        return PlannedCheck(check.id, asked_for, check.on_top)

    def place(self, check: Check) -> int:
        """The key to sort checks by."""
        return self._places[check.target, check.stage]


def stages(max_requests: int) -> tuple[str, ...]:
    """The order of the stages of a run of so many requests."""
    return STAGES if max_requests >= WRITING_BUDGET else FRUGAL_STAGES


# ---- without pytest, which collects the same checks with the same ids: a test holds the two together


def planned_for(head: Head, target: str) -> Mapping[str, PlannedCheck]:
    """The checks of a target that a run with this head plans, by id."""
    schedule = Schedule(head.settings, head.targets)
    return {one.id: schedule.planned(one) for one in checks_of(target) if schedule.includes(one)}


def checks_of(target: str) -> Iterator[Check]:
    """Every check of the suite on one target, with pytest's ids."""
    for path, name, marks, text in _collected():
        of = grouped((mark.name, argument) for mark in marks for argument in mark.args)
        yield Check(
            id=f"checks/{path}::{name}[{'-'.join([target, *text])}]",
            target=target,
            requirements=tuple(of.get("requirement", ())),
            observes=tuple(of.get("observes", ())),
            stage=next(iter(of.get("stage", ())), USUAL_STAGE),
            sends=tuple(of.get("sends", ())),
        )


@cache
def _collected() -> tuple[tuple[str, str, tuple[Any, ...], tuple[str, ...]], ...]:
    """Of each check the file, the function, its markers from the closest on, and the texts of its parameters."""
    found = []
    for path in sorted(suite_file("checks").glob("test_*.py")):
        module = _module(path)
        around = getattr(module, "pytestmark", [])
        for name, function in vars(module).items():
            if not name.startswith("test_"):
                continue
            own = getattr(function, "pytestmark", [])
            tables = [list(_sets(mark)) for mark in own if mark.name == "parametrize"]
            for sets in product(*tables):
                marks = (*own, *(mark for _, marks in sets for mark in marks))
                marks += tuple(around if isinstance(around, list) else [around])
                found.append(
                    (path.name, name, tuple(getattr(one, "mark", one) for one in marks), tuple(t for t, _ in sets))
                )
    return tuple(found)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"petcheck_checks.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is not a module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _sets(mark: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The text and the markers of each set of values of a parametrization."""
    names, sets = mark.args
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    for number, one in enumerate(sets):
        values = getattr(one, "values", one if len(names) > 1 else (one,))
        words = (str(each) if _is_plain(each) else f"{name}{number}" for name, each in zip(names, values, strict=True))
        ids = mark.kwargs.get("ids")
        yield getattr(one, "id", None) or (ids[number] if ids else "-".join(words)), tuple(getattr(one, "marks", ()))


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
