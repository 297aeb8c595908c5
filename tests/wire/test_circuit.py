"""A kind of request that is never answered is distinguished from those that are."""

from __future__ import annotations

import pytest

from petcheck.call import Call, Credential
from petcheck.exchange import NoAnswer, Response, Silence
from petcheck.spec.operations import Operation
from petcheck.wire.circuit import Circuit, is_ordinary, pause_before_probe
from tests.support.fakes import response

LIST, ODD_LIST = Call(Operation.LIST_PETS), Call(Operation.LIST_PETS, query=(("limit", "101"),))
HANGS, DROPS, ANSWERS = NoAnswer(Silence.TIMEOUT, ""), NoAnswer(Silence.RESET, ""), response(500)


def after(*noted: tuple[Call, NoAnswer | Response]) -> Circuit:
    circuit = Circuit()
    for call, answer in noted:
        circuit.note(call, answer)
    return circuit


def test_two_timeouts_open_the_circuit_of_that_kind_only() -> None:
    assert not after((LIST, HANGS)).open(LIST)
    twice = after((LIST, HANGS), (LIST, HANGS))
    assert twice.open(LIST)
    assert not twice.open(ODD_LIST)
    assert not twice.open(Call(Operation.CREATE_PET, body=b'{"name": "x", "categoryId": 1}'))


def test_an_answer_between_them_closes_it() -> None:
    assert not after((LIST, HANGS), (LIST, ANSWERS), (LIST, HANGS)).open(LIST)
    assert after((LIST, HANGS), (ODD_LIST, ANSWERS), (LIST, HANGS)).open(LIST)


def test_dropped_connections_do_not_open_the_circuit() -> None:
    assert not after(*[(ODD_LIST, DROPS)] * 50).open(ODD_LIST)


@pytest.mark.parametrize(
    ("call", "ordinary"),
    [
        (Call(Operation.LIST_PETS), True),
        (Call(Operation.LIST_PETS, query=(("limit", "100"), ("status", "sold"))), True),
        (Call(Operation.LIST_PETS, query=(("limit", "101"),)), False),
        (Call(Operation.LIST_PETS, query=(("limit", "9" * 5000),)), False),
        (Call(Operation.LIST_PETS, query=(("status", "SOLD"),)), False),
        (Call(Operation.LIST_PETS, query=(("page", "1"),)), False),
        (Call(Operation.GET_PET, pet_id="7"), True),
        (Call(Operation.GET_PET, pet_id="seven"), False),
        (Call(Operation.GET_PET, pet_id="\u0667"), False),
        (Call(Operation.STORE_ORDERS), True),
        (Call(Operation.CREATE_PET, body=b'{"name": "x", "categoryId": 1, "status": "sold"}'), True),
        (Call(Operation.CREATE_PET, body=b'{"name": "x", "categoryId": true}'), False),
        (Call(Operation.CREATE_PET, body=b'{"name": "x", "categoryId": 1, "status": ["sold"]}'), False),
        (Call(Operation.CREATE_PET, body=b'{"name": "x", "categoryId": 1, "id": 1}'), False),
        (Call(Operation.CREATE_PET, body=b'{"categoryId": 1}'), False),
        (Call(Operation.CREATE_PET, body=b"[" * 100_000), False),
        (Call(Operation.CREATE_PET, body=b"\xff\xfe\xfd"), False),
        (Call(Operation.CREATE_PET, body=b'{"name": "x", "categoryId": 1' + b"0" * 5000 + b"}"), False),
        (Call(Operation.CREATE_PET), False),
        (Call(Operation.LIST_PETS, credential=Credential.RANDOM), False),
    ],
)
def test_what_any_server_should_serve(call: Call, ordinary: bool) -> None:
    assert is_ordinary(call) == ordinary


def test_probes_come_further_and_further_apart_until_patience_ends() -> None:
    passed, pauses = 0.0, []
    for number in range(1, 10):
        pauses.append(pause_before_probe(number, passed, 10.0))
        passed += pauses[-1]
    assert pauses == [0.5, 1.0, 2.0, 4.0, 2.5, 0.0, 0.0, 0.0, 0.0]
