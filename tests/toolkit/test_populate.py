"""Populating a development server: as many animals as asked for, and never one more."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from petcheck.exchange import Exchange
from petcheck.spec.operations import Operation
from tests.support.trial import Hurried, Trial, differences, judge_in_place, server


def populated(
    wanted: int, *options: str, animals: int, variations: Sequence[str] = (), faults: Sequence[str] = ()
) -> tuple[Trial, int]:
    """A run of LIST-4 and LIST-5, and how many animals it created."""
    clock = Hurried(200)
    with server(animals=animals, plan="business", variations=variations, faults=faults, clock=clock) as url:
        chosen = ("--choose", "LIST-4", "--choose", "LIST-5", "--examples", "0", "--allow-writes")
        trial = judge_in_place(url, "--populate", str(wanted), *chosen, *options, clock=clock, seed=7)
    return trial, len(created(trial.exchanges))


def created(exchanges: Sequence[Exchange]) -> list[Exchange]:
    return [each for each in exchanges if each.request.operation is Operation.CREATE_PET and each.status == 201]


@pytest.mark.parametrize(
    ("animals", "wanted", "made"),
    [(0, 120, 120), (0, 1, 1), (12, 25, 13), (19, 101, 82), (99, 102, 3), (25, 25, 0), (130, 120, 0)],
)
def test_animals_are_created_until_there_are_that_many(animals: int, wanted: int, made: int) -> None:
    trial, found = populated(wanted, animals=animals)
    assert found == made
    assert trial.ids("fail") | trial.ids("error") == set()


def test_an_empty_store_then_shows_the_size_of_its_pages() -> None:
    trial, _ = populated(120, animals=0)
    assert trial.ids("pass") == {"LIST-4", "LIST-5"}
    with server(animals=0) as url:
        without = judge_in_place(url, "--choose", "LIST-4", "--examples", "0", seed=7)
    assert (without.ids("pass"), without.exit) == (set(), 5)


def test_a_list_that_shows_new_animals_late_is_waited_for() -> None:
    trial, found = populated(70, animals=8, variations=("replica-lags",))
    assert found == 62
    assert "LIST-4" in trial.ids("pass")


@pytest.mark.parametrize(("fault", "breaks"), [("default-limit-50", "LIST-4"), ("max-limit-101", "LIST-5")])
def test_a_fault_shows_on_an_empty_store(fault: str, breaks: str) -> None:
    trial, _ = populated(120, animals=0, faults=(fault,))
    assert trial.ids("fail") == {breaks}


@pytest.mark.parametrize(
    ("animals", "wanted", "faults", "variations", "made"),
    [
        pytest.param(400, 300, (), (), 0, id="more than pages show"),
        pytest.param(130, 300, (), (), 0, id="as many as a page shows"),
        pytest.param(60, 90, (), ("pages-of-50",), 0, id="shorter pages"),
        pytest.param(20, 40, ("limit-ignored",), (), 1, id="a page that does not grow"),
        pytest.param(0, 40, ("created-not-stored",), (), 1, id="what is created is not shown"),
        pytest.param(0, 40, ("create-403",), (), 0, id="nothing is created"),
    ],
)
def test_it_stops_if_nobody_can_tell_how_many_there_are(
    animals: int, wanted: int, faults: tuple[str, ...], variations: tuple[str, ...], made: int
) -> None:
    _, found = populated(wanted, animals=animals, faults=faults, variations=variations)
    assert found == made


def test_it_needs_requests_of_its_own() -> None:
    """A run has as many requests left as without it, and sees no less."""
    trials = []
    for options in ((), ("--populate", "101")):
        clock = Hurried(200)
        with server(animals=0, plan="business", clock=clock) as url:
            trials.append(judge_in_place(url, "--allow-writes", *options, clock=clock, seed=7))
    without, populated = trials
    assert populated.ids("fail") | populated.ids("error") == set()
    # pages that count the animals answer what two others would
    assert without.examples - 2 <= populated.examples <= without.examples
    assert without.ids("pass") < populated.ids("pass")


@pytest.mark.parametrize(
    ("animals", "variations"),
    [
        (19, ()),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ((0, ()), (70, ()), (0, ("oldest-first",)))),
    ],
)
def test_strict_can_be_passed(animals: int, variations: tuple[str, ...]) -> None:
    """One run examines what needs a store that fits on a page, and what needs more than 100 animals."""
    clock = Hurried(200)
    with server(animals=animals, variations=variations, clock=clock) as url:
        options = ("--allow-writes", "--populate", "101", "--exhaust-rate-limit", "--plan", "pro", "--strict")
        trial = judge_in_place(url, *options, clock=clock, seed=7)
    assert {row.id for row in trial.result.requirements if row.in_force} == trial.ids("pass")
    assert trial.exit == 0


def test_a_recording_of_it_is_judged_as_the_run_was() -> None:
    clock = Hurried(200)
    with server(animals=0, plan="business", clock=clock) as url:
        trial = judge_in_place(url, "--allow-writes", "--populate", "30", "--examples", "0", clock=clock, seed=7)
    assert differences(trial) == []
