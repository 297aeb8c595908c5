"""Which body is required where, and what the document leaves open."""

from __future__ import annotations

from datetime import date

import pytest

from petcheck.call import Credential, Form
from petcheck.exchange import Silence, limit_in
from petcheck.judging.judgement import Grounds
from petcheck.judging.request_bodies import Asked, Due, asked_of
from petcheck.judging.statuses import body_due, documented, expected_of
from petcheck.spec.figures import PLANS
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

LIST, CREATE, GET, ORDERS = Operation
BEFORE, AFTER = date(2030, 12, 4), date(2030, 12, 5)


@pytest.mark.parametrize(
    ("operation", "due"),
    [
        (LIST, {200: "pets", 400: "error", 401: "error", 404: "error"}),
        (CREATE, {201: "pet", 400: "error", 401: "error", 404: "error"}),
        (GET, {200: "pet", 400: "error", 401: "error", 404: "error"}),
        (ORDERS, {401: "error"}),
    ],
)
def test_required_bodies(operation: Operation, due: dict[int, str]) -> None:
    statuses = (200, 201, 202, 204, 301, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503)
    found = {status: body_due(exchange(operation, status), BEFORE) for status in statuses}
    assert {status: body for status, body in found.items() if body} == due


@pytest.mark.parametrize("operation", Operation)
def test_no_body_is_required_without_an_answer(operation: Operation) -> None:
    assert body_due(exchange(operation, Silence.TIMEOUT), BEFORE) is None


def test_an_error_is_required_whatever_the_credential() -> None:
    assert body_due(exchange(LIST, 401, credential=Credential.MISSING), BEFORE) == "error"


@pytest.mark.parametrize(
    ("segment", "number"),
    [
        ("7", 7),
        ("0", 0),
        ("-7", -7),
        ("007", None),
        ("-0", None),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", None),
        ("-9223372036854775809", None),
        ("99999999999999999999999", None),
        ("7.0", None),
        ("+7", None),
        ("abc", None),
        ("", None),
        ("7%20", None),
        ("%37", None),
    ],
)
def test_pet_ids(segment: str, number: int | None) -> None:
    asked = exchange(GET, 200, path=f"/pets/{segment}")
    assert asked.request.pet_id == number
    assert documented(asked, BEFORE) == (number is not None)
    assert (body_due(asked, BEFORE) == "pet") == (number is not None)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        *(("1", 1), ("9", 9), ("10", 10), ("99", 99), ("100", 100)),
        *(
            (text, None)
            for text in ("0", "101", "999", "1000", "007", "-1", "+1", "1.0", "1e1", " 1", "1 ", "1\n", "", "x")
        ),
        *(("\u0661", None), ("9" * 5000, None)),
    ],
    ids=range(21),
)
def test_limits(text: str, limit: int | None) -> None:
    assert limit_in(text) == limit


def test_other_operations_have_no_pet_id() -> None:
    assert exchange(LIST, path="/pets/7").request.pet_id is None


def test_what_is_open_as_a_whole_is_not_documented() -> None:
    posted = exchange(CREATE, 201, asked={}, form=Form.CHUNKED)
    assert (documented(posted, BEFORE), body_due(posted, BEFORE)) == (False, None)


def test_a_body_of_another_type_may_get_any_answer_but_a_5xx() -> None:
    posted = exchange(CREATE, 201, asked={"name": "Rex", "categoryId": 1}, form=Form.AS_TEXT)
    assert (documented(posted, BEFORE), body_due(posted, BEFORE)) == (False, None)
    assert expected_of(posted, Grounds(BEFORE)) is None
    assert asked_of(posted.request, {1}) == Asked(Due.OPEN, "a body that is sent as text/plain")


def test_a_removed_operation_is_not_documented_from_its_day_on() -> None:
    asked = exchange(GET, 404)
    assert (documented(asked, BEFORE), documented(asked, AFTER)) == (True, False)
    assert (body_due(asked, BEFORE), body_due(asked, AFTER)) == ("error", None)
    assert all(documented(exchange(operation), AFTER) for operation in (LIST, CREATE, ORDERS))


def test_the_plans_of_section_8() -> None:
    assert [(plan.name, plan.per_minute, plan.per_day) for plan in PLANS.values()] == [
        ("free", 60, 1_000),
        ("pro", 300, 10_000),
        ("business", 1_000, 100_000),
        ("enterprise", None, None),
    ]


def test_each_operation_has_its_section() -> None:
    assert [operation.section for operation in Operation] == ["4.1", "4.2", "4.3", "4.4"]
