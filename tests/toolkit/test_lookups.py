"""Which pages and animals a run looks at."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from petcheck.call import page_call
from petcheck.exchange import Exchange
from petcheck.spec.figures import STATUSES
from petcheck.spec.operations import Operation
from tests.support.trial import Hurried, judge_in_place, server


@pytest.mark.parametrize(("animals", "found"), [(700, {"LIST-5"}), (300, set())])
def test_a_page_beyond_100_is_asked_for_with_a_filter_that_has_more(animals: int, found: set[str]) -> None:
    clock = Hurried(200)
    with server(faults=("over-100-with-a-status-unlimited",), animals=animals, clock=clock) as url:
        trial = judge_in_place(url, "--allow-writes", "--examples", "0", clock=clock, seed=7)
    assert trial.ids("fail") == found
    asked = [one.request.call for one in trial.exchanges if one.request.has_valid_key]
    assert any(page_call(101, status) in asked for status in STATUSES) == bool(found)


def test_two_seeds_in_a_row_read_different_animals() -> None:
    clock = Hurried(200)
    with server(animals=30, clock=clock) as url:
        first, second = (judge_in_place(url, "--examples", "0", clock=clock, seed=seed) for seed in (7, 8))
    assert read_in(first.exchanges) != read_in(second.exchanges)


def read_in(exchanges: Sequence[Exchange]) -> set[str]:
    return {one.request.url for one in exchanges if one.request.operation is Operation.GET_PET and one.status == 200}
