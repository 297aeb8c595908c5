"""A dead operation is told from a dead target."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from petcheck.exchange import Operation
from petcheck.wire.liveness import Advice, Liveness

LIST, ORDERS, GET = Operation.LIST_PETS, Operation.STORE_ORDERS, Operation.GET_PET


def test_at_first_everything_is_sent() -> None:
    assert {Liveness().advice(operation) for operation in Operation} == {Advice.SEND}


def test_silence_puts_the_target_in_doubt_and_another_operation_settles_it() -> None:
    doubt = Liveness().silent(LIST)
    assert doubt.advice(LIST) is Advice.PROBE_FIRST
    assert doubt.advice(ORDERS) is Advice.SEND_ONCE
    assert doubt.answered(ORDERS).advice(LIST) is Advice.SEND


def test_two_operations_that_say_nothing_are_a_dead_target() -> None:
    dead = Liveness().silent(LIST).silent(ORDERS)
    assert dead.dead
    assert {dead.advice(operation) for operation in Operation} == {Advice.GIVE_UP}


def test_one_operation_that_says_nothing_twice_is_dead_and_alone_in_that() -> None:
    one = Liveness().silent(LIST).answered(ORDERS).silent(LIST).answered(ORDERS)
    assert one.advice(LIST) is Advice.SKIP
    assert one.advice(ORDERS) is Advice.SEND
    assert not one.dead


def test_an_answer_brings_an_operation_back() -> None:
    back = Liveness().silent(LIST).answered(ORDERS).answered(LIST).silent(LIST).answered(ORDERS)
    assert back.advice(LIST) is Advice.SEND


@given(st.lists(st.tuples(st.sampled_from(Operation), st.booleans())))
def test_a_target_is_dead_only_where_two_operations_said_nothing_one_after_the_other(
    events: list[tuple[Operation, bool]],
) -> None:
    state = Liveness()
    for operation, answered in events:
        state = state.answered(operation) if answered else state.silent(operation)
    silences = [
        first[0] is not second[0] and not first[1] and not second[1] for first, second in itertools.pairwise(events)
    ]
    assert state.dead == any(silences)
