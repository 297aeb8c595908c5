"""How requests are received: the statuses that are due, and which requirement is broken where another came."""

from __future__ import annotations

from datetime import date

import pytest

from petcheck.exchange import Credential, Exchange, Operation, Silence
from petcheck.judging.reception import query_is_valid, received, requirement_of, section_for
from petcheck.judging.rules import HOLDS, Grounds

from .exchanges import exchange, short

LIST, CREATE, GET, ORDERS = Operation
LAST_DAY, REMOVED = date(2030, 12, 4), date(2030, 12, 5)
GROUNDS = Grounds(LAST_DAY, categories=frozenset({1}))
GOOD = {"name": "Rex", "categoryId": 1}
VALID_QUERIES = ["", "?limit=1", "?limit=100", "?status=sold", "?limit=20&status=pending", "?status=available&limit=9"]
INVALID_QUERIES = [
    "?limit=0", "?limit=101", "?limit=-1", "?limit=007", "?limit=07", "?limit=1.0", "?limit=+5", "?limit=%205",
    "?limit=", "?limit=1e1", "?limit=%D9%A6", "?limit=1000000000000", "?limit=" + "9" * 5000, "?limit", "?status=",
    "?status=Sold", "?status=gone", "?status=sold,pending", "?limit=5&limit=5", "?limit=5&limit=6",
    "?status=sold&status=pending", "?page=2", "?Limit=5", "?limit=5&page=2", "?name=sold", "?=5",
]  # fmt: skip


def listed(query: str, status: int | Silence = 200) -> Exchange:
    return exchange(LIST, status, path=f"/pets{query}")


def got(segment: object, status: int | Silence = 200, body: object = ()) -> Exchange:
    return exchange(GET, status, body, path=f"/pets/{segment}")


# ---- what is due


@pytest.mark.parametrize("query", VALID_QUERIES)
def test_a_list_that_the_document_provides_for_is_200(query: str) -> None:
    assert query_is_valid(listed(query))
    assert received(listed(query), GROUNDS) == HOLDS
    for status in (201, 204, 400, 403, 404, 422, 500, 503):
        assert received(listed(query, status), GROUNDS) == "200 is due (section 4.1)"


@pytest.mark.parametrize("query", INVALID_QUERIES, ids=short)
def test_any_answer_is_right_to_a_query_that_is_open(query: str) -> None:
    assert not query_is_valid(listed(query))
    assert [received(listed(query, status), GROUNDS) for status in (200, 400, 404, 422, 500)] == [None] * 5


@pytest.mark.parametrize("number", [0, 7, -7, 2**63 - 1, -(2**63)])
def test_an_animal_is_200_or_404(number: int) -> None:
    assert received(got(number, 200, {"id": number}), GROUNDS) == HOLDS
    assert received(got(number, 404), GROUNDS) == HOLDS
    for status in (201, 204, 400, 410, 422, 500, 502):
        due = f"200 or 404 is due for {number}, an int64 (section 4.3)"
        assert received(got(number, status), GROUNDS) == due


@pytest.mark.parametrize("segment", ["abc", "7.0", "+7", "", 2**63, -(2**63) - 1, "9" * 400, "%37"])
def test_nothing_is_judged_of_a_pet_id_that_is_no_int64(segment: object) -> None:
    statuses = (200, 400, 401, 404, 500, Silence.TIMEOUT)
    assert [received(got(segment, status, {"id": 1}), GROUNDS) for status in statuses] == [None] * 6


@pytest.mark.parametrize("status", [200, 400, 401, 404, 410, 500, Silence.TIMEOUT])
def test_nothing_is_judged_of_an_animal_from_the_day_of_the_removal_on(status: int | Silence) -> None:
    assert received(got(7, status, {"id": 8}), Grounds(REMOVED)) is None


def test_lists_are_judged_from_that_day_on_too() -> None:
    assert received(listed("", 404), Grounds(REMOVED)) == "200 is due (section 4.1)"


def test_another_animal_than_was_asked_for() -> None:
    assert received(got(7, 200, {"id": 8}), GROUNDS) == "animal 8 came; `petId` is the id (section 4.3)"
    assert received(got(2**53 + 1, 200, {"id": 2**53}), GROUNDS) == (
        "animal 9007199254740992 came; `petId` is the id (section 4.3)"
    )


@pytest.mark.parametrize("body", [{}, {"id": "8"}, {"id": None}, [], b"", b"<html>", b'{"id": 7.0}', b"null"])
def test_a_body_without_an_id_is_another_requirements_matter(body: object) -> None:
    assert received(got(7, 200, body), GROUNDS) == HOLDS


def test_the_body_of_a_404_shows_no_other_animal() -> None:
    assert received(got(7, 404, {"id": 8}), GROUNDS) == HOLDS


@pytest.mark.parametrize("status", [200, 204, 302, 400, 403, 410, 422])
def test_the_orders_are_there_whatever_they_say(status: int) -> None:
    assert received(exchange(ORDERS, status), GROUNDS) == HOLDS


@pytest.mark.parametrize("status", [404, 405, 500, 501, 503])
def test_the_orders_are_not_there(status: int) -> None:
    assert received(exchange(ORDERS, status), GROUNDS) == ("it exists, so 404, 405 and 5xx are no answer (section 4.4)")


@pytest.mark.parametrize("status", [200, 201, 400, 404, 422, 500])
def test_a_post_has_rules_of_its_own(status: int) -> None:
    assert received(exchange(CREATE, status, asked=GOOD), GROUNDS) is None


@pytest.mark.parametrize(
    "asked", [listed(""), listed("?limit=0"), got(7), exchange(CREATE, asked=GOOD), exchange(ORDERS)], ids=range(5)
)
@pytest.mark.parametrize("silence", [Silence.TIMEOUT, Silence.RESET])
def test_silence_is_no_answer_to_anything(asked: Exchange, silence: Silence) -> None:
    silent = exchange(asked.request.operation, silence, path=asked.request.url.removeprefix("https://h/v1"))
    assert received(silent, GROUNDS) == f"no answer ({silence.value}: nothing came), on a second try too"


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize("status", [401, 429])
def test_a_refused_key_and_a_limit_say_nothing_of_what_was_asked(operation: Operation, status: int) -> None:
    assert received(exchange(operation, status), GROUNDS) is None


@pytest.mark.parametrize("credential", [credential for credential in Credential if credential is not Credential.VALID])
def test_nothing_is_judged_without_the_key(credential: Credential) -> None:
    for operation in Operation:
        for status in (200, 401, 500, Silence.TIMEOUT):
            assert received(exchange(operation, status, credential=credential), GROUNDS) is None


# ---- which requirement it is


@pytest.mark.parametrize(
    ("query", "requirement"),
    [
        ("", "LIST-1"),
        ("?limit=5", "LIST-2"),
        ("?status=sold", "LIST-6"),
        ("?limit=5&status=sold", "LIST-6"),
        ("?limit=0", "ERROR-5"),
        ("?limit=5&limit=5", "ERROR-5"),
        ("?page=2", "ERROR-5"),
    ],
)
def test_the_requirement_of_a_list(query: str, requirement: str) -> None:
    assert requirement_of(listed(query, 500), GROUNDS, ()) == requirement


@pytest.mark.parametrize(
    ("number", "status", "requirement"),
    [
        (7, 404, "GET-1"),
        (7, 500, "GET-1"),
        (7, Silence.TIMEOUT, "GET-1"),
        (7, 200, "GET-2"),
        (8, 200, "GET-3"),
        (8, 400, "GET-3"),
        (8, Silence.TIMEOUT, "GET-3"),
        ("abc", 500, "GET-3"),
    ],
)
def test_the_requirement_of_an_animal(number: object, status: int | Silence, requirement: str) -> None:
    assert requirement_of(got(number, status), GROUNDS, {7}) == requirement


@pytest.mark.parametrize(
    ("body", "requirement"),
    [
        (GOOD, "CREATE-1"),
        (GOOD | {"categoryId": 2}, "CREATE-14"),
        (GOOD | {"name": ""}, "CREATE-14"),
        (GOOD | {"id": 7}, "ERROR-5"),
        (b"", "CREATE-5"),
        (None, "CREATE-5"),
        ({}, "CREATE-6"),
        (GOOD | {"name": 1}, "CREATE-7"),
        (GOOD | {"categoryId": "1"}, "CREATE-8"),
        (GOOD | {"categoryId": 2**63}, "CREATE-9"),
        (GOOD | {"status": "SOLD"}, "CREATE-10"),
    ],
    ids=short,
)
def test_the_requirement_of_a_post(body: object, requirement: str) -> None:
    assert requirement_of(exchange(CREATE, Silence.RESET, asked=body), GROUNDS, ()) == requirement


def test_the_requirement_of_the_orders() -> None:
    assert requirement_of(exchange(ORDERS, 404), GROUNDS, ()) == "ORDERS-1"


def test_each_operation_is_received_by_its_section() -> None:
    assert [section_for(exchange(operation)) for operation in Operation] == ["4.1", "4.2", "4.3", "4.4"]
