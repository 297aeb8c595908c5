"""Streams made by hand: a small whole one, and one around any exchanges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from petcheck.exchange import Exchange
from petcheck.judging.verdicts import Dropped
from petcheck.results.judge import suite
from petcheck.runner.head import run_id
from petcheck.stream.environment import Environment
from petcheck.stream.lines import (
    End,
    Ended,
    Head,
    Opened,
    Planned,
    PlannedCheck,
    RunSettings,
    TargetSettings,
    Waited,
)
from petcheck.stream.stream import Entry, Stream, checked
from tests.support import samples

BASE = "https://staging.pets.example/v1"
KEY = "sha256:0123abcd"
SETTINGS = RunSettings(1200, 120.0, None, seed_given=False, strict=False)
LISTS, PAGES, EXAMPLES = (
    PlannedCheck("checks/test_4_1_list.py::test_list[staging]", ("PETS-1", "LIST-2")),
    PlannedCheck("checks/test_4_1_list.py::test_limit[staging]", ("LIST-3",)),
    PlannedCheck("checks/test_properties.py::test_lists[staging]", ("PETS-1", "LIST-3"), on_top=True),
)
OF_TODAY = tuple(
    PlannedCheck(f"checks/{check}", (name,))
    for check, name in (
        ("test_2_resources.py::test_list_is_a_bare_array[staging]", "PETS-1"),
        ("test_4_1_list.py::test_parameters_are_accepted[staging-LIST-2]", "LIST-2"),
        ("test_4_1_list.py::test_page_is_no_longer_than_its_limit[staging]", "LIST-3"),
    )
)
"""Checks that this version has, which evidence needs."""
FINISHED = samples.START + timedelta(seconds=9)


def head(*names: str, settings: RunSettings = SETTINGS, **changes: Any) -> Head:
    values: dict[str, Any] = {
        "suite": suite(),
        "run": run_id(changes.get("seed", 7)),
        "started": samples.START,
        "as_of": samples.START.date(),
        "seed": 7,
        "options": {"target": list(names or ("staging",))},
        "settings": settings,
        "targets": tuple(
            TargetSettings(name, f"https://{name}.pets.example/v1", writes=True) for name in names or ("staging",)
        ),
        "environment": Environment("c" * 40, "CPython 3.11.7", "Linux", {"httpx": "0.28.1"}),
    }
    return Head(**(values | changes))


def lines(checks: Sequence[PlannedCheck] = (LISTS, PAGES, EXAMPLES), **of_head: Any) -> list[Entry]:
    """A small whole run: two exchanges, a pause, three checks, one of which did not ask everything."""
    first, second = samples.two_exchanges()
    lists, pages, examples = checks
    return [
        head(**of_head),
        Opened("staging", BASE, KEY),
        Planned("staging", (lists, pages, examples)),
        first,
        Ended("staging", lists.id, 0.25),
        Waited("staging", 1.5, "the rate limit resets"),
        replace(second, section="4.1"),
        Ended("staging", pages.id, 0.5, Dropped("not-run", "Writes are not permitted.", "--allow-writes")),
        Ended("staging", examples.id, 0.125),
        End(FINISHED),
    ]


def around(exchanges: Iterable[Exchange], *names: str, **of_head: Any) -> Stream:
    """The stream of a run that recorded these exchanges, with a check for each target."""
    opened = [Opened(name, f"https://{name}.pets.example/v1", KEY) for name in names]
    checks = {
        name: PlannedCheck(f"checks/test_4_1_list.py::test_parameters_are_accepted[{name}-LIST-1]", ("LIST-1",))
        for name in names
    }
    planned = [Planned(name, (check,)) for name, check in checks.items()]
    ended = [Ended(name, check.id, 0.25) for name, check in checks.items()]
    return checked([head(*names, **of_head), *opened, *planned, *exchanges, *ended, End(FINISHED)])
