"""More permission never sees less: what a run asks that only reads, one with writes asks of the same server too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.judging.creations import found_in
from petcheck.spec.operations import Operation
from tests.support.trial import Hurried, judge_in_place, server

# ids beyond these two, and near 0 below it, are asked for by name: the limits of common integer types
_RARE, _LOW = 2**62, -(2**32)


def asked(exchanges: Sequence[Exchange]) -> set[tuple[str, ...]]:
    """What was asked with GET: a kind of invalid key on an operation; or a query in any order, or an id.

    Each run reads other animals, and other ids that no animal has.
    """
    found = found_in(exchanges)
    things = set[tuple[str, ...]]()
    for request in (one.request for one in exchanges if one.request.operation.safe):
        operation = str(request.operation)
        if not request.has_valid_key:
            things.add((operation, request.credential.value))
        elif request.operation is not Operation.GET_PET:
            things.add((operation, *sorted(f"{name}={value}" for name, value in request.call.query)))
        else:
            number = request.pet_id
            free = number is not None and (0 < number < _RARE or -_RARE < number < _LOW)
            things.add((operation, "found" if number in found else "unknown" if free else str(request.call.pet_id)))
    return things


@pytest.mark.parametrize("examples", ["0", "20"])
@pytest.mark.parametrize("animals", [0, 14, 130])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(7, marks=pytest.mark.slow)])
def test_a_run_with_writes_asks_all_that_a_reading_run_asks(seed: int, animals: int, examples: str) -> None:
    runs = []
    for options in ((), ("--allow-writes",)):
        clock = Hurried(200)
        with server(animals=animals, plan="enterprise", clock=clock) as url:
            trial = judge_in_place(url, "--examples", examples, *options, clock=clock, seed=seed)
        assert trial.ids("fail") == set()
        runs.append(asked(trial.exchanges))
    reading, writing = runs
    assert len(reading) > 20
    # without property examples, there is room for a random key and one under another scheme once, which is in a POST
    kinds = (Credential.RANDOM, Credential.BASIC, Credential.NO_SCHEME) if examples == "0" else ()
    once = {key.value for key in kinds}
    assert {thing for thing in reading - writing if thing[-1] not in once} == set()
