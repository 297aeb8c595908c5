"""The order of a run's checks, and which have something to do."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from petcheck.config.options import Config
from petcheck.config.targets import TargetConfig, Url
from petcheck.runner.schedule import FRUGAL_STAGES, STAGES, Check, Schedule
from petcheck.wire.credentials import ApiKey


def schedule(*, max_requests: int = 1200, examples: int | None = None) -> Schedule:
    """The schedule of a run with target `b`, which allows writes, and target `a`, which does not."""
    source = Url("https://host/v1", ApiKey("k-123"))
    targets = (TargetConfig("b", source, writes=True), TargetConfig("a", source))
    return Schedule(Config(date(2026, 11, 21), 1, targets, max_requests=max_requests, examples=examples), targets)


def check(target: str, stage: str) -> Check:
    return Check("id", target, ("LIST-1",), (), stage)


@pytest.mark.parametrize(("max_requests", "stages"), [(60, STAGES), (59, FRUGAL_STAGES)])
def test_target_by_target_and_stage_by_stage(max_requests: int, stages: tuple[str, ...]) -> None:
    checks = [check(target, stage) for target, stage in product("ab", sorted(stages))]
    ordered = sorted(checks, key=schedule(max_requests=max_requests).place)
    assert [(one.target, one.stage) for one in ordered] == [*product("ba", stages)]


@pytest.mark.parametrize(
    ("examples", "included"),
    [
        (0, set()),
        (None, {("b", "examples"), ("a", "examples")}),
        (100, {("b", "examples"), ("a", "examples"), ("b", "sequence")}),
    ],
)
def test_examples_and_sequences_run_if_they_have_requests(examples: int | None, included: set[tuple[str, str]]) -> None:
    plan = schedule(examples=examples)
    assert {pair for pair in product("ab", ("examples", "sequence")) if plan.includes(check(*pair))} == included
    assert plan.includes(check("a", "read"))
