"""The checks that this version plans for the settings of a run, without pytest, to compare a recorded plan with.

pytest collects the same checks with the same ids; a test holds the two together.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

from petcheck.runner.schedule import USUAL_STAGE, Check, Schedule
from petcheck.spec.files import suite_file
from petcheck.stream.lines import Head, PlannedCheck


def planned_for(head: Head, target: str) -> Mapping[str, PlannedCheck]:
    """The checks of a target that a run with this head plans, by id."""
    schedule = Schedule(head.settings, head.targets)
    return {one.id: schedule.planned(one) for one in checks_of(target) if schedule.includes(one)}


def checks_of(target: str) -> Iterator[Check]:
    """Every check of the suite on one target, with pytest's ids."""
    for path, name, marks, text in _collected():
        of: dict[str, list[Any]] = {}
        for mark in marks:
            of.setdefault(mark.name, []).extend(mark.args)
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
