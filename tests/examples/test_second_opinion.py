"""schemathesis agrees with the matchers, and where it is asked alone it names the requirement."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest

from petcheck.examples.second_opinion import second_opinion
from petcheck.exchange import Exchange, Operation
from petcheck.judging.rules import Grounds
from tests.judging.exchanges import JSON, exchange, rates, unix

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
        (answered(Operation.LIST_PETS, 200, [{**PET, "id": "1"}]), "PET-1"),
        (answered(Operation.LIST_PETS, 200, [PET, {"id": 2, "categoryId": 2}]), "PET-2"),
        (answered(Operation.GET_PET, 200, {**PET, "categoryId": None}), "PET-3"),
        (answered(Operation.CREATE_PET, 201, {**PET, "status": "SOLD"}), "PET-4"),
        (answered(Operation.GET_PET, 404, ["no"]), "ERROR-1"),
        (answered(Operation.GET_PET, 404, {**ERROR, "code": 7}), "ERROR-2"),
        (answered(Operation.GET_PET, 404, {"code": "x", "status": 404}), "ERROR-3"),
        (answered(Operation.GET_PET, 404, {**ERROR, "status": 400}), "ERROR-4"),
        (answered(Operation.LIST_PETS, 200, [], [("Content-Type", "text/html"), *rates(60, 59, unix(30))]), "BODY-1"),
        (answered(Operation.LIST_PETS, 200, [], [JSON, *rates("sixty", 59, unix(30))]), "RATE-1"),
        (answered(Operation.LIST_PETS, 200, [], [JSON, *rates(60, -1, unix(30))]), "RATE-2"),
        (answered(Operation.LIST_PETS, 200, [], [JSON, *rates(60, 59, None)]), "RATE-3"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_response_breaks_that_requirement(sent: Exchange, requirement: str) -> None:
    assert set(second_opinion(sent, GROUNDS)) == {requirement}


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
        answered(Operation.LIST_PETS, 400, {"detail": "what a 400 of a list looks like is not described"}),
        answered(Operation.STORE_ORDERS, 200, "anything"),
        answered(Operation.LIST_PETS, 503, b""),
        answered(Operation.LIST_PETS, 200, b'[{"id": 1, "name": "Rex", "categoryId": 2, "x": ' + b"9" * 5000 + b"}]"),
    ],
)
def test_what_the_document_leaves_open_is_no_matter_for_it(sent: Exchange) -> None:
    assert second_opinion(sent, GROUNDS) == {}
