"""Which status a request must get, and which requirement any other status breaks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Silence
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, STATUS, WHOLE, Grounds, Problem
from petcheck.judging.statuses import problem_of_status, query_is_valid, status_judgement
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, known, short

LIST, CREATE, GET, ORDERS = Operation
LAST_DAY, REMOVED = date(2030, 12, 4), date(2030, 12, 5)
GROUNDS = Grounds(LAST_DAY, categories=known(1), listed=frozenset({7}))
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


# ---- the expected status


@pytest.mark.parametrize("query", VALID_QUERIES)
def test_a_documented_list_request_is_200(query: str) -> None:
    assert query_is_valid(listed(query))
    assert status_judgement(listed(query), GROUNDS)[1] is HOLDS
    for status in (201, 204, 400, 403, 404, 422, 500, 503):
        expected = Problem(f"expected 200 (section 4.1), got {status}", STATUS, "200")
        assert status_judgement(listed(query, status), GROUNDS)[1] == expected


@pytest.mark.parametrize("query", INVALID_QUERIES, ids=short)
def test_any_answer_to_an_open_query_conforms(query: str) -> None:
    assert not query_is_valid(listed(query))
    for status in (200, 400, 404, 422, 500):
        assert status_judgement(listed(query, status), GROUNDS) == ("", NOT_CONCERNED)


@pytest.mark.parametrize("number", [0, 8, -7, 2**63 - 1, -(2**63)])
def test_an_animal_is_200_or_404(number: int) -> None:
    assert status_judgement(got(number, 200, {"id": number}), GROUNDS) == ("GET-1", HOLDS)
    assert status_judgement(got(number, 404), GROUNDS) == ("GET-3", HOLDS)
    for status in (201, 204, 400, 410, 422, 500, 502):
        problem = Problem(f"expected 404 (section 4.3), got {status}", STATUS, "404", "an id that no animal has")
        assert status_judgement(got(number, status), GROUNDS) == ("GET-3", problem)
    bodies: list[object] = [{"id": number + 1}, [], b""]
    for body in bodies:
        assert status_judgement(got(number, 200, body), GROUNDS)[0] == "GET-3"


@pytest.mark.parametrize(("number", "judged"), [(8, False), (-8_993, False), (9_007, False), (9_008, True)])
@pytest.mark.parametrize("body", [{}, {"id": "8"}, {"data": {"id": 8}}], ids=short)
def test_a_200_without_a_readable_id_is_no_evidence_near_known_ids(number: int, judged: bool, body: object) -> None:
    """A page may have left that animal out."""
    near = replace(GROUNDS, listed=frozenset({7}))
    assert status_judgement(got(number, 200, body), near)[0] == ("GET-3" if judged else "")
    assert status_judgement(got(number, 200, body), replace(GROUNDS, listed=frozenset()))[0] == ""


@pytest.mark.parametrize(
    ("status", "body", "run", "requirement", "holds"),
    [
        (200, b'{"id": 8, "name": "petcheck 0a1b2c3d', "0a1b2c3d", "GET-1", True),
        (200, b'{"id": 8, "name": "Rex', "0a1b2c3d", "GET-3", False),
        (200, b'{"id": 8, "name": "Rex', "", "GET-3", False),
        (200, b'["petcheck 0a1b2c3d"]', "0a1b2c3d", "GET-3", False),
        (201, b'{"name": "petcheck 0a1b2c3d', "0a1b2c3d", "GET-3", False),
        (404, b"no petcheck 0a1b2c3d", "0a1b2c3d", "GET-3", True),
    ],
)
def test_a_body_that_is_not_json_with_a_name_of_the_run_shows_that_the_animal_exists(
    status: int, body: bytes, run: str, requirement: str, holds: bool
) -> None:
    found, judgement = status_judgement(got(8, status, body), replace(GROUNDS, run=run))
    assert (found, judgement is HOLDS) == (requirement, holds)


def test_a_known_animal_is_200_unless_it_was_removed() -> None:
    assert status_judgement(got(7), GROUNDS) == ("GET-1", HOLDS)
    assert status_judgement(got(7, 404), GROUNDS) == ("", NOT_CONCERNED)
    problem = Problem("expected 200 (section 4.3), got 410", STATUS, "200")
    assert status_judgement(got(7, 410), GROUNDS) == ("GET-1", problem)


@pytest.mark.parametrize("segment", ["abc", "7.0", "+7", "", 2**63, -(2**63) - 1, "9" * 400, "%37"])
def test_a_pet_id_that_is_not_an_int64_is_not_judged(segment: object) -> None:
    for status in (200, 400, 401, 404, 500, Silence.TIMEOUT):
        assert status_judgement(got(segment, status, {"id": 1}), GROUNDS) == ("", NOT_CONCERNED)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 410, 500, Silence.TIMEOUT])
def test_from_the_removal_day_animals_are_not_judged(status: int | Silence) -> None:
    assert status_judgement(got(7, status, {"id": 8}), Grounds(REMOVED)) == ("", NOT_CONCERNED)


def test_from_the_removal_day_lists_are_still_judged() -> None:
    assert isinstance(status_judgement(listed("", 404), Grounds(REMOVED))[1], Problem)


@pytest.mark.parametrize("status", [200, 204, 302, 400, 403, 410, 422, 499])
def test_any_other_answer_shows_that_orders_exist(status: int) -> None:
    assert status_judgement(exchange(ORDERS, status), GROUNDS) == ("ORDERS-1", HOLDS)


@pytest.mark.parametrize("status", [404, 405, 500, 501, 503])
def test_answers_of_missing_orders(status: int) -> None:
    said = f"expected any status except 404, 405 and 5xx (section 4.4), got {status}"
    assert status_judgement(exchange(ORDERS, status), GROUNDS) == (
        "ORDERS-1",
        Problem(said, STATUS, "any status except 404, 405 and 5xx"),
    )


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize("status", [401, 429])
def test_a_401_and_a_429_prove_nothing_about_the_request(operation: Operation, status: int) -> None:
    assert status_judgement(exchange(operation, status, asked=GOOD), GROUNDS) == ("", NOT_CONCERNED)


@pytest.mark.parametrize("credential", [credential for credential in Credential if credential is not Credential.VALID])
def test_nothing_is_judged_without_the_key(credential: Credential) -> None:
    for operation in Operation:
        for status in (200, 401, 500, Silence.TIMEOUT):
            found = exchange(operation, status, credential=credential, asked=GOOD)
            assert status_judgement(found, GROUNDS) == ("", NOT_CONCERNED)


@pytest.mark.parametrize("silence", [Silence.TIMEOUT, Silence.RESET])
def test_silence_names_the_expected_status(silence: Silence) -> None:
    _, judgement = status_judgement(exchange(CREATE, silence, asked=GOOD | {"name": 5}), GROUNDS)
    said = f"expected 400 (section 4.2), got no answer ({silence.value}: nothing was received), twice"
    assert judgement == Problem(said, WHOLE, "400", "an integer as `name`")


# ---- which requirement it is


@pytest.mark.parametrize(
    ("query", "requirement"),
    [("", "LIST-1"), ("?limit=5", "LIST-2"), ("?status=sold", "LIST-6"), ("?limit=5&status=sold", "LIST-6")],
)
def test_the_requirement_of_a_list(query: str, requirement: str) -> None:
    assert status_judgement(listed(query, 500), GROUNDS)[0] == requirement


@pytest.mark.parametrize(
    ("body", "requirement", "right"),
    [
        (GOOD, "CREATE-1", {201}),
        (GOOD | {"categoryId": 2}, "CREATE-14", {201, 400}),
        (GOOD | {"name": ""}, "CREATE-14", {201, 400}),
        (GOOD | {"name": "x" * 1_000}, "CREATE-14", {201, 400, 413}),
        (b"", "CREATE-5", {400}),
        ({}, "CREATE-6", {400}),
        (GOOD | {"name": 1}, "CREATE-7", {400}),
        (GOOD | {"categoryId": "1"}, "CREATE-8", {400}),
        (GOOD | {"categoryId": 2**63}, "CREATE-9", {400}),
        (GOOD | {"status": "SOLD"}, "CREATE-10", {400}),
    ],
    ids=short,
)
def test_the_requirement_of_a_post(body: object, requirement: str, right: set[int]) -> None:
    for status in (200, 201, 400, 409, 413, 422, 500):
        found, judgement = status_judgement(exchange(CREATE, status, asked=body), GROUNDS)
        assert found == requirement
        assert (judgement is HOLDS) == (status in right)


def test_neither_a_body_nor_a_content_type_may_be_415() -> None:
    found = {status: status_judgement(exchange(CREATE, status), GROUNDS) for status in (201, 400, 411, 415, 422)}
    assert found[415] == ("", NOT_CONCERNED)
    assert {requirement for requirement, _ in found.values()} == {"CREATE-5", ""}
    assert [status for status, (_, judgement) in found.items() if judgement is HOLDS] == [400]
    assert status_judgement(exchange(CREATE, 415, asked=b""), GROUNDS)[0] == "CREATE-5"


@pytest.mark.parametrize("status", [200, 201, 400, 415, 422, 500, Silence.RESET])
def test_any_answer_to_an_open_body_conforms(status: int | Silence) -> None:
    found = exchange(CREATE, status, asked=GOOD | {"id": 7})
    assert status_judgement(found, GROUNDS) == ("", NOT_CONCERNED)


def test_an_unexpected_animal_is_named() -> None:
    posted = exchange(CREATE, 201, GOOD | {"id": 87}, asked={})
    assert problem_of_status(posted, "400").text == "expected 400 (section 4.2), got 201, and animal 87 was created"
    assert problem_of_status(exchange(CREATE, 409, {"id": 87}, asked={}), "400", section="7").text == (
        "expected 400 (section 7), got 409"
    )
    assert problem_of_status(exchange(CREATE, 300, {"id": 87}, asked={}), "400").text.endswith("got 300")
    bodies: list[object] = [[], {"id": "x"}, b""]
    for body in bodies:
        assert problem_of_status(exchange(CREATE, 201, body, asked={}), "400").text.endswith("got 201")
    assert problem_of_status(got(7, 200, {"id": 7}), "404").text == "expected 404 (section 4.3), got 200"
