"""Matchers say what is wrong in words for whoever mends the server, and nothing where all is well."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from petcheck.exchange import Credential, Exchange, Operation, Response, Silence
from petcheck.judging import matchers
from petcheck.judging.jsontext import HugeNumber, Json, parse
from petcheck.judging.verdicts import Breach, Inconclusive

from .exchanges import exchange, short

LIST, CREATE, GET, ORDERS = Operation
PET: dict[str, Json] = {"id": 7, "name": "Rex", "categoryId": 1, "status": "sold"}


def response(**how: Any) -> Response:
    answer = exchange(**how).answer
    assert isinstance(answer, Response)
    return answer


# ---- words


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (exchange(LIST), "GET /pets"),
        (exchange(LIST, path="/pets?limit=5&status=sold"), "GET /pets?limit=5&status=sold"),
        (exchange(GET, path="/pets/-9"), "GET /pets/-9"),
        (exchange(ORDERS), "GET /store/orders"),
        (exchange(CREATE, 201), "POST /pets"),
        (exchange(CREATE, 401, credential=Credential.CUT), "POST /pets with the key without its last character"),
        (exchange(ORDERS, credential=Credential.MISSING), "GET /store/orders with no key"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_described(asked: Exchange, words: str) -> None:
    assert matchers.described(asked) == words


def test_came() -> None:
    assert matchers.came(exchange(status=404)) == "404"
    assert matchers.came(exchange(status=Silence.CUT_SHORT)) == "no answer (cut short: nothing came)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Zoë\x1b[31m", '"Zo\\u00eb\\u001b[31m"'),
        ("\ud800", '"\\ud800"'),
        (None, "null"),
        (2**64, "18446744073709551616"),
        (Decimal("1.5"), "1.5"),
        (HugeNumber(5000, whole=True), '"<a number of 5,000 digits>"'),
        ("x" * 78, '"' + "x" * 78 + '"'),
        ("x" * 79, '"' + "x" * 78 + "…"),
        ([1, {"a": None}], '[1, {"a": null}]'),
    ],
    ids=["escape", "surrogate", "null", "large", "fraction", "huge", "fitting", "long", "nested"],
)
def test_quoted(value: Json, text: str) -> None:
    assert matchers.quoted(value) == text


def test_quoting_survives_any_depth_that_can_be_read() -> None:
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    assert matchers.quoted(deep) == "<an array, deeply nested>"


# ---- answers


def test_the_status_that_is_due() -> None:
    assert matchers.expect_status(exchange(status=200), 200).status == 200
    assert matchers.expect_status(exchange(status=401), 401).status == 401


@pytest.mark.parametrize(
    ("came", "due", "how", "message"),
    [
        (exchange(status=404), 200, {}, "GET /pets: expected 200 (section 4.1), got 404."),
        (
            exchange(status=302, credential=Credential.MISSING),
            401,
            {"section": "5"},
            "GET /pets with no key: expected 401 (section 5), got 302.",
        ),
        (
            exchange(CREATE, 201, {**PET, "id": 87}),
            400,
            {"sent": "without `categoryId`"},
            "POST /pets without `categoryId`: expected 400 (section 4.2), got 201, and animal 87 was created.",
        ),
        (exchange(CREATE, 201, b"<html>"), 400, {}, "POST /pets: expected 400 (section 4.2), got 201."),
        (exchange(CREATE, 422, PET), 400, {}, "POST /pets: expected 400 (section 4.2), got 422."),
        (exchange(CREATE, 300, PET), 400, {}, "POST /pets: expected 400 (section 4.2), got 300."),
        (exchange(GET, 200, PET), 404, {}, "GET /pets/7: expected 404 (section 4.3), got 200."),
        (
            exchange(GET, 401, credential=Credential.CUT),
            404,
            {},
            "GET /pets/7 with the key without its last character: expected 404 (section 4.3), got 401.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_another_status(came: Exchange, due: int, how: dict[str, str], message: str) -> None:
    with pytest.raises(Breach) as breach:
        matchers.expect_status(came, due, **how)
    assert breach.value.message == str(breach.value) == message
    assert breach.value.decisive == (came,)
    assert not breach.value.unanswered


def test_a_valid_key_that_is_refused_is_another_requirements_matter() -> None:
    with pytest.raises(Inconclusive) as open_:
        matchers.expect_status(exchange(status=401), 200)
    assert (
        open_.value.reason
        == str(open_.value)
        == "GET /pets was answered 401 although the key is valid; AUTH-7 tells more."
    )


def test_no_answer_where_one_was_due() -> None:
    silent = exchange(ORDERS, Silence.TIMEOUT)
    with pytest.raises(Breach) as breach:
        matchers.expect_status(silent, 200)
    assert breach.value.unanswered
    assert breach.value.decisive == (silent,)
    assert breach.value.message.startswith(
        "GET /store/orders: expected 200 (section 4.4), got no answer (timeout: nothing came)"
    )


def test_the_animals_of_a_page() -> None:
    assert matchers.page_of(exchange(body=[PET, 3, {}])) == [PET, {}]


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (exchange(status=500, body=[]), "500"),
        (exchange(status=Silence.RESET), "no answer (reset: nothing came)"),
        (exchange(body={"pets": []}), "its body is no array, see PETS-1"),
        (exchange(body=b"nothing"), "its body is no array, see PETS-1"),
        (exchange(body=b""), "its body is no array, see PETS-1"),
    ],
    ids=["failure", "silence", "object", "no JSON", "empty"],
)
def test_what_gives_no_page(odd: Exchange, why: str) -> None:
    with pytest.raises(Inconclusive) as open_:
        matchers.page_of(odd)
    assert open_.value.reason == f"GET /pets gave no page to look at: {why}."


def test_the_animal_of_an_answer() -> None:
    assert matchers.animal_of(exchange(GET, 200, PET)) == PET
    assert matchers.animal_of(exchange(CREATE, 201, PET)) == PET


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (exchange(GET, 404, PET), "404"),
        (exchange(GET, 200, [PET]), "200"),
        (exchange(GET, 200, b"null"), "200"),
        (exchange(GET, Silence.TIMEOUT), "no answer (timeout: nothing came)"),
    ],
    ids=["not found", "array", "null", "silence"],
)
def test_what_gives_no_animal(odd: Exchange, why: str) -> None:
    with pytest.raises(Inconclusive) as open_:
        matchers.animal_of(odd)
    assert open_.value.reason == f"GET /pets/7 gave no animal to look at: {why}."


# ---- bodies


@pytest.mark.parametrize(
    ("types", "held"),
    [
        (["application/json"], True),
        (["Application/JSON; Charset=UTF-8"], True),
        (["application/json ; charset=nonsense"], True),
        (["application/json", "application/json"], True),
        (["application/problem+json"], False),
        (["text/json"], False),
        (["text/html"], False),
        (["application/json", "text/html"], False),
        (["application/jsonp"], False),
        ([""], False),
        ([], False),
    ],
    ids=str,
)
def test_media_types(types: list[str], held: bool) -> None:
    answer = response(headers=[("content-type", value) for value in types])
    assert (matchers.problem_of_media_type(answer) is None) == held


def test_media_types_are_told() -> None:
    assert matchers.problem_of_media_type(response(headers=[])) == (
        "there is no Content-Type; `application/json` is due"
    )
    assert matchers.problem_of_media_type(response(headers=[("Content-Type", "text/html; x=\x07")])) == (
        'Content-Type is "text/html; x=\\u0007"; `application/json` is due'
    )


def test_json() -> None:
    assert matchers.problem_of_json(response(body=b"[]")) is None
    assert matchers.problem_of_json(response(body=b"")) == "the body is empty"
    assert matchers.problem_of_json(response(body=b"[]", whole=False)) == (
        "the body is longer than can be read; its first 2 bytes are kept"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"id":7}', None),
        ('{"id":7.0}', None),
        ('{"id":-9223372036854775808}', None),
        ('{"id":9223372036854775807}', None),
        ("{}", "a Pet has no `id`"),
        ('{"id":9223372036854775808}', "`id` is 9223372036854775808, beyond int64"),
        ('{"id":-9223372036854775809}', "`id` is -9223372036854775809, beyond int64"),
        ('{"id":' + "9" * 5000 + "}", '`id` is "<a number of 5,000 digits>", beyond int64'),
        ('{"id":"7"}', '`id` is a string, "7"; an integer is due'),
        ('{"id":7.5}', "`id` is a number with a fraction, 7.5; an integer is due"),
        ('{"id":true}', "`id` is a boolean, true; an integer is due"),
        ('{"id":null}', "`id` is null, null; an integer is due"),
        ('{"id":[7]}', "`id` is an array, [7]; an integer is due"),
    ],
    ids=short,
)
def test_int64(text: str, problem: str | None) -> None:
    holder = parse(text.encode())
    assert isinstance(holder, dict)
    assert matchers.problem_of_int64("a Pet", "id", holder) == problem


@pytest.mark.parametrize(
    ("holder", "problem"),
    [
        ({"name": ""}, None),
        ({"name": "Zoë"}, None),
        ({}, "a Pet has no `name`"),
        ({"name": None}, "`name` is null, null; a string is due"),
        ({"name": 3}, "`name` is an integer, 3; a string is due"),
    ],
    ids=short,
)
def test_strings(holder: dict[str, Json], problem: str | None) -> None:
    assert matchers.problem_of_string("a Pet", "name", holder) == problem


@pytest.mark.parametrize(
    ("holder", "problem"),
    [
        ({}, None),
        ({"status": "available"}, None),
        ({"status": "pending"}, None),
        ({"status": "sold"}, None),
        ({"status": "SOLD"}, '`status` is "SOLD"; PetStatus is one of available, pending, sold'),
        (
            {"status": None},
            "`status` is null; where there is no status the member is left out; "
            "PetStatus is one of available, pending, sold",
        ),
        ({"status": ["sold"]}, '`status` is ["sold"]; PetStatus is one of available, pending, sold'),
    ],
    ids=str,
)
def test_pet_status(holder: dict[str, Json], problem: str | None) -> None:
    assert matchers.problem_of_pet_status(holder) == problem


@pytest.mark.parametrize(
    ("holder", "problem"),
    [
        ({"status": 404}, None),
        ({"status": Decimal("404.0")}, None),
        ({}, "the Error has no `status`"),
        ({"status": 400}, "`status` is 400 in a response of 404"),
        ({"status": "404"}, '`status` is a string, "404"; the integer 404 is due'),
        ({"status": True}, "`status` is a boolean, true; the integer 404 is due"),
        ({"status": None}, "`status` is null, null; the integer 404 is due"),
    ],
    ids=str,
)
def test_error_status(holder: dict[str, Json], problem: str | None) -> None:
    assert matchers.problem_of_error_status(holder, 404) == problem


# ---- comparisons


@pytest.mark.parametrize(
    ("sent", "got", "difference"),
    [
        ("Rex", "Rex", None),
        ("Zoe\u0301", "Zo\u00eb", "character 3 is U+00EB instead of U+0065"),
        ("\U0001f408", "\ufffd", "character 1 is U+FFFD instead of U+1F408"),
        ("Rex ", "Rex", "character 4 is missing instead of U+0020"),
        ("Rex", "Rexx", "character 4 is U+0078 instead of missing"),
        ("\u212b", "\u00c5", "character 1 is U+00C5 instead of U+212B"),
    ],
    ids=short,
)
def test_texts(sent: str, got: str, difference: str | None) -> None:
    said = matchers.difference_of_text(sent, got)
    assert said == difference or (said is not None and difference is not None and said.endswith(difference))


def test_both_texts_are_shown() -> None:
    assert matchers.difference_of_text("Rex", "R\x07x") == (
        '"Rex" came back as "R\\u0007x": character 2 is U+0007 instead of U+0065'
    )


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ({}, []),
        ({"id": Decimal("7.0")}, []),
        ({"extra": 1}, []),
        ({"name": "Max"}, ['`name` is "Max" instead of "Rex"']),
        ({"categoryId": 2}, ["`categoryId` is 2 instead of 1"]),
        ({"id": 8, "status": "pending"}, ["`id` is 8 instead of 7", '`status` is "pending" instead of "sold"']),
        ({"name": None}, []),
        ({"id": "8"}, []),
        ({"categoryId": "2"}, []),
        ({"id": "8", "name": "Max", "status": "pending"}, ['`name` is "Max" instead of "Rex"']),
        ({"status": "odd"}, []),
    ],
    ids=str,
)
def test_two_sights_of_one_animal(after: dict[str, Json], found: list[str]) -> None:
    before: dict[str, Json] = dict(PET)
    assert matchers.differences(before, {**before, **after}) == found


@pytest.mark.parametrize(
    ("before", "after", "parting"),
    [
        ("a" * 77, "a" * 76 + "b", ""),
        ("a" * 78, "a" * 77 + "b", " (character 78 is U+0062 instead of U+0061)"),
        ("Rex", "R" * 90, " (character 2 is U+0052 instead of U+0065)"),
        ("R" * 90, "R", " (character 2 is missing instead of U+0052)"),
    ],
    ids=short,
)
def test_where_names_part_that_are_too_long_to_be_shown(before: str, after: str, parting: str) -> None:
    found = matchers.differences(PET | {"name": before}, PET | {"name": after})
    assert found == [f"`name` is {matchers.quoted(after)} instead of {matchers.quoted(before)}{parting}"]


def test_a_status_that_came_or_went() -> None:
    without: dict[str, Json] = {name: value for name, value in PET.items() if name != "status"}
    whole: dict[str, Json] = dict(PET)
    assert matchers.differences(whole, without) == ['`status` is gone instead of "sold"']
    assert matchers.differences(without, whole) == ['`status` is "sold" instead of absent']
