"""`--dry-run` says what a run would send: never fewer than were sent."""

from __future__ import annotations

import pytest

from petcheck.forecast import _GETS, _POSTS, Plan, forecast, most, most_posts, most_to_exhaust, seconds
from tests.kill_matrix import run_fault, run_variation
from tests.trial import Trial

COSTLY = ("limit-refused", "filter-drops-first", "created-nowhere", "get-name-upper-case", "any-key", "403-for-401")


def expect_within(trial: Trial) -> None:
    target = trial.result.targets[0]
    plan = Plan(target.name, target.base_url, target.writes, False, "pro", 1200)
    sent = target.requests
    assert sent.total <= most(plan)
    assert sent.post <= most_posts(plan)
    bounds = {section: _GETS.get(section, 0) + _POSTS.get(section, 0) for section in {*_GETS, *_POSTS}}
    assert {section: count for section, count in sent.by_section.items() if count > bounds.get(section, 0)} == {}


@pytest.mark.parametrize("name", COSTLY)
def test_a_faulty_server_costs_no_more_than_was_said(name: str) -> None:
    expect_within(run_fault(name))


@pytest.mark.parametrize("names", [(), ("strict-categories", "strict-names-ascii"), ("store-of-19",)])
@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
def test_a_conforming_server_costs_no_more_than_was_said(names: tuple[str, ...], writes: bool) -> None:
    expect_within(run_variation(names, writes=writes))


def test_the_forecast_in_words() -> None:
    plan = Plan("staging", "https://host/v1", True, True, "free", 1200)
    lines = list(forecast(plan))
    assert lines[0] == "staging  https://host/v1: nothing was sent. A run would send, at most:"
    assert lines[-1] == "  left behind: 8 animals or so, and whatever the target takes that it must refuse"
    assert "  in all 100 requests, 38 of them POST" in lines


def test_what_is_not_allowed_costs_nothing() -> None:
    plan = Plan("production", "https://host/v1", False, False, None, 1200)
    assert (most(plan), most_posts(plan), most_to_exhaust(plan), seconds(plan)) == (58, 0, 0, None)
