"""schemathesis, which reads openapi.yaml independently, finds nothing in a response that the rules do not find."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest

from petcheck.exchange import Exchange
from petcheck.judging.judgement import Grounds
from petcheck.spec.operations import Operation
from petstore_reference.faults import FAULTS
from petstore_reference.variations import VARIATIONS
from tests.support.core import slow_outside
from tests.support.cross_check import broken, overlooked, schemathesis_problems
from tests.support.exchanges import JSON, exchange, rates, unix
from tools.kill_matrix import run_fault, run_variation

GROUNDS = Grounds(date(2026, 11, 21))
PET = {"id": 1, "name": "Rex", "categoryId": 2}
ERROR = {"code": "x", "message": "y", "status": 404}


def answered(
    operation: Operation, status: int, body: object, headers: Iterable[tuple[str, str]] | None = None
) -> Exchange:
    fine = [JSON, *rates(60, 59, unix(30))]
    return exchange(operation, status, body, headers=fine if headers is None else headers)


@pytest.mark.parametrize(
    ("sent", "requirement"),
    [
        (answered(Operation.LIST_PETS, 200, {"data": []}), "PETS-1"),
        (answered(Operation.LIST_PETS, 200, [{**PET, "id": number} for number in range(101)]), "LIST-5"),
        (answered(Operation.LIST_PETS, 200, [{**PET, "id": "1"}]), "PET-1"),
        (answered(Operation.LIST_PETS, 200, [PET, {"id": 2, "categoryId": 2}]), "PET-2"),
        (answered(Operation.GET_PET, 200, {**PET, "categoryId": None}), "PET-3"),
        (answered(Operation.CREATE_PET, 201, {**PET, "status": "SOLD"}), "PET-4"),
        (answered(Operation.GET_PET, 404, ["no"]), "ERROR-1"),
        (answered(Operation.GET_PET, 404, {**ERROR, "code": 7}), "ERROR-2"),
        (answered(Operation.GET_PET, 404, {"code": "x", "status": 404}), "ERROR-3"),
        (answered(Operation.LIST_PETS, 400, {**ERROR, "status": 404}), "ERROR-4"),
        (answered(Operation.LIST_PETS, 200, [], [("Content-Type", "text/html"), *rates(60, 59, unix(30))]), "BODY-1"),
        (answered(Operation.LIST_PETS, 200, [], [JSON, *rates("sixty", 59, unix(30))]), "RATE-1"),
        (answered(Operation.LIST_PETS, 200, [], [JSON, *rates(60, -1, unix(30))]), "RATE-2"),
        (answered(Operation.LIST_PETS, 200, [], [JSON, *rates(60, 59, None)]), "RATE-3"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_response_breaks_that_requirement(sent: Exchange, requirement: str) -> None:
    assert set(schemathesis_problems(sent, GROUNDS)) == {requirement}
    assert requirement in broken(sent, GROUNDS)


@pytest.mark.parametrize(
    "sent",
    [
        answered(Operation.LIST_PETS, 200, []),
        answered(Operation.LIST_PETS, 200, b"\xef\xbb\xbf[]"),
        answered(
            Operation.LIST_PETS, 200, b'[{"id": 1.0, "name": "Rex", "name": "Rex", "categoryId": 2, "more": null}]'
        ),
        answered(
            Operation.LIST_PETS, 200, [], [("content-type", "Application/JSON; charset=x"), *rates("060", 59, "9.5")]
        ),
        answered(Operation.GET_PET, 404, {**ERROR, "trace": []}),
        answered(Operation.LIST_PETS, 422, {"detail": "what a 422 looks like is not described"}),
        answered(Operation.STORE_ORDERS, 200, "anything"),
        answered(Operation.LIST_PETS, 503, b""),
        answered(Operation.LIST_PETS, 200, b'[{"id": 1, "name": "Rex", "categoryId": 2, "x": ' + b"9" * 5000 + b"}]"),
    ],
)
def test_open_points_are_not_reported(sent: Exchange) -> None:
    assert schemathesis_problems(sent, GROUNDS) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FAULTS if FAULTS[name].section in ("2", "7")][::9])
def test_in_runs_against_a_faulty_server_the_rules_find_everything_that_schemathesis_finds(name: str) -> None:
    assert overlooked(run_fault(name).exchanges, GROUNDS) == []


@pytest.mark.parametrize("name", slow_outside([*VARIATIONS][::100], [*VARIATIONS][::20]))
def test_in_runs_against_a_conforming_server_schemathesis_finds_nothing(name: str) -> None:
    assert [
        told for sent in run_variation((name,), writes=True).exchanges if (told := schemathesis_problems(sent, GROUNDS))
    ] == []
