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


def test_seeds_in_a_row_read_different_animals() -> None:
    clock = Hurried(200)
    with server(animals=30, clock=clock) as url:
        read = [read_in(judge_in_place(url, "--examples", "0", clock=clock, seed=seed).exchanges) for seed in range(4)]
    assert len(set(map(frozenset, read))) > 1


@pytest.mark.parametrize(("seed", "first"), [(3, 130), (4, 111), (6, 130), (7, 111)])
def test_two_of_three_seeds_read_the_first_or_the_last_animal_of_a_page_first(seed: int, first: int) -> None:
    clock = Hurried(200)
    with server(animals=130, clock=clock) as url:
        trial = judge_in_place(url, "--choose", "GET-1", "--examples", "0", clock=clock, seed=seed)
    read = [one.request.pet_id for one in trial.exchanges if one.request.operation is Operation.GET_PET]
    assert read[0] == first


def test_an_id_that_no_double_holds_is_read_first() -> None:
    with server(variations=("ids-beyond-double",), animals=30) as url:
        trial = judge_in_place(url, "--choose", "GET-1", "--examples", "0", seed=7)
    first = next(e.request.pet_id for e in trial.exchanges if e.request.operation is Operation.GET_PET)
    assert first is not None
    assert int(float(first)) != first


def test_an_unknown_id_is_far_below_zero_and_a_double_holds_it() -> None:
    """Code that takes a negative id, or what is not a safe integer, for an invalid one is found, and code that cuts
    numbers to 32 bits.
    """
    with server(animals=30) as url:
        trial = judge_in_place(url, "--choose", "GET-3", "--examples", "0", seed=7)
    (asked,) = [e.request.pet_id for e in trial.exchanges if e.status == 404 and e.request.has_valid_key]
    assert asked is not None
    assert (asked < -(2**53), int(float(asked)), 0 < asked % 2**32 <= 30) == (True, asked, True)


def read_in(exchanges: Sequence[Exchange]) -> set[str]:
    return {one.request.url for one in exchanges if one.request.operation is Operation.GET_PET and one.status == 200}
