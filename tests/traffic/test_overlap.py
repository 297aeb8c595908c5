"""Browsers send in parallel: nothing that only the order of exchanges explains is a fault."""

from __future__ import annotations

import copy
import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.foreign import har_of, judged, outcomes
from tests.traffic.test_traffic import recorded

Entry = dict[str, Any]
GROUNDS: tuple[tuple[str, ...], ...] = ((), ("others-add",), ("cache-per-url",), ("one-backend-down",))


@pytest.fixture(scope="module", params=GROUNDS, ids=lambda names: "-".join(names) or "plain")
def obeying(request: pytest.FixtureRequest) -> list[Entry]:
    """Traffic with a service that obeys, one exchange after the other."""
    return recorded(variations=request.param)


def overlapping(calls: list[Entry], source: random.Random, spread: float) -> list[Entry]:
    """The same exchanges, each sent earlier and answered later by some seconds: the service did the same meanwhile."""
    made = copy.deepcopy(calls)
    for one in made:
        before, after = (source.random() ** 2 * spread for _ in range(2))
        one["startedDateTime"] = (datetime.fromisoformat(one["startedDateTime"]) - timedelta(seconds=before)).isoformat(
            timespec="milliseconds"
        )
        one["time"] += (before + after) * 1000
    return made


def fails(calls: list[Entry], folder: Path) -> set[str]:
    return {name for name, outcome in outcomes(judged(har_of(calls), folder)).items() if outcome == "fail"}


@pytest.mark.parametrize("spread", [pytest.param(0.01, marks=pytest.mark.slow), 0.3, 5.0])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_exchanges_that_overlap_raise_no_alarm(obeying: list[Entry], seed: int, spread: float, tmp_path: Path) -> None:
    source = random.Random(seed)
    calls = overlapping(obeying, source, spread)
    source.shuffle(calls)
    assert fails(calls, tmp_path) == set()


def test_the_order_of_the_file_changes_nothing(obeying: list[Entry], tmp_path: Path) -> None:
    calls = list(obeying)
    random.Random(5).shuffle(calls)
    assert outcomes(judged(har_of(calls), tmp_path)) == outcomes(judged(har_of(obeying), tmp_path))
