"""Matchers describe a problem for the person who fixes the server, and return nothing if there is none."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Response, Silence
from petcheck.json_values import HugeNumber, Json, parse
from petcheck.judging import matchers
from petcheck.judging.judgement import Problem
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, short

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
        (exchange(GET, path="/pets/" + "a" * 65), "GET /pets/aaa…(65 times)"),
        (exchange(GET, path="/pets/" + "1" * 18), "GET /pets/111111111111111111"),
        (exchange(ORDERS), "GET /store/orders"),
        (exchange(CREATE, 201), "POST /pets"),
        (exchange(CREATE, 401, credential=Credential.CUT), "POST /pets with the key without its last character"),
        (exchange(ORDERS, credential=Credential.MISSING), "GET /store/orders with no key"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_described(asked: Exchange, words: str) -> None:
    assert matchers.described(asked) == words


def test_answer_text() -> None:
    assert matchers.answer_text(exchange(status=404)) == "404"
    assert matchers.answer_text(exchange(status=Silence.CUT_SHORT)) == "no answer (cut short: nothing was received)"


def test_a_long_reason_phrase_is_cut() -> None:
    def text(reason: str) -> str:
        return matchers.answer_text(replace(exchange(), answer=replace(response(status=404), reason=reason)))

    assert text("x<" * 40) == "404 " + "x<" * 40
    assert text("x<" * 40 + "x") == text("x<" * 9_000) == "404 " + "x<" * 39 + "x…"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Zoë\x1b[31m", '"Zo\\u00eb\\u001b[31m"'),
        ("\ud800", '"\\ud800"'),
        (None, "null"),
        (2**64, "18446744073709551616"),
        (Decimal("0." + "1" * 100), "0." + "1" * 77 + "…"),
        (Decimal("1.5"), "1.5"),
        (HugeNumber(5000, whole=True), "<a number of 5,000 digits>"),
        ("x" * 78, '"' + "x" * 78 + '"'),
        ("x" * 79, '"' + "x" * 77 + '"…'),
        ("x" * 70 + "\U0001f600" * 2, '"' + "x" * 70 + '"…'),
        ([1, {"a": None}], '[1, {"a": null}]'),
        ([Decimal("1.5"), HugeNumber(5000, whole=True)], '[1.5, "<a number of 5,000 digits>"]'),
    ],
    ids=[
        "escape",
        "surrogate",
        "null",
        "large",
        "long fraction",
        "fraction",
        "huge",
        "fitting",
        "long",
        "long with escapes",
        "nested",
        "numbers",
    ],
)
def test_quoted(value: Json, text: str) -> None:
    assert matchers.quoted(value) == text


def test_quoting_survives_any_depth_that_can_be_read() -> None:
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    assert matchers.quoted(deep) == "<an array, deeply nested>"


# ---- bodies


@pytest.mark.parametrize(
    ("types", "held"),
    [
        (["application/json"], True),
        (["Application/JSON; Charset=UTF-8"], True),
        (["application/json ; charset=nonsense"], True),
        (['application/json; profile="a,b;c=\\"d, text/html"'], True),
        (['application/json; profile="a", text/html'], False),
        (['application/json; profile="a'], True),
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


def test_a_silence_counts_the_second_time() -> None:
    said = matchers.silence_text(exchange(status=Silence.CUT_SHORT))
    assert said == "no answer (cut short: nothing was received), twice"


def test_a_media_type_of_many_quotes_is_read_in_a_moment() -> None:
    endless = response(headers=[("Content-Type", 'application/json; profile="' + '\\"' * 50_000)])
    assert matchers.problem_of_media_type(endless) is None


def test_problems_name_the_media_type() -> None:
    assert matchers.problem_of_media_type(response(headers=[])) == Problem(
        "Content-Type is missing; expected `application/json`", "header:Content-Type"
    )
    assert matchers.problem_of_media_type(response(headers=[("Content-Type", "text/html; x=\x07")])) == Problem(
        'Content-Type is "text/html; x=\\u0007"; expected `application/json`', "header:Content-Type"
    )


def test_json() -> None:
    assert matchers.problem_of_json(response(body=b"[]")) is None
    assert matchers.problem_of_json(response(body=b"\xef\xbb\xbf[]")) == Problem(
        "the body begins with a byte order mark, which RFC 8259, section 8.1, forbids", "body"
    )
    assert matchers.problem_of_json(response(body=b"")) == Problem("the body is empty", "body")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"id":7}', None),
        ('{"id":7.0}', None),
        ('{"id":-9223372036854775808}', None),
        ('{"id":9223372036854775807}', None),
        ("{}", "a Pet has no `id`"),
        ('{"ID":7,"name":"Rex"}', "a Pet has no `id`; it has `ID`"),
        ('{"data":{"id":7}}', "a Pet has no `id`; it has only `data`"),
        ('{"name":"Rex"}', "a Pet has no `id`"),
        ('{"id":9223372036854775808}', "`id` is 9223372036854775808, outside the int64 range"),
        ('{"id":-9223372036854775809}', "`id` is -9223372036854775809, outside the int64 range"),
        ('{"id":' + "9" * 5000 + "}", "`id` is <a number of 5,000 digits>, outside the int64 range"),
        ('{"id":"7"}', '`id` is a string, "7"; expected an integer'),
        ('{"id":7.5}', "`id` is a number with a fraction, 7.5; expected an integer"),
        ('{"id":true}', "`id` is a boolean, true; expected an integer"),
        ('{"id":null}', "`id` is null; expected an integer"),
        ('{"id":[7]}', "`id` is an array, [7]; expected an integer"),
    ],
    ids=short,
)
def test_int64(text: str, problem: str | None) -> None:
    holder = parse(text.encode()).value
    assert isinstance(holder, dict)
    part = "body:/id" if "id" in holder else "body"
    assert matchers.problem_of_int64("a Pet", "id", holder) == (problem and Problem(problem, part))


@pytest.mark.parametrize(
    ("holder", "problem"),
    [
        ({"name": ""}, None),
        ({"name": "Zoë"}, None),
        ({}, "a Pet has no `name`"),
        ({"name": None}, "`name` is null; expected a string"),
        ({"name": 3}, "`name` is an integer, 3; expected a string"),
    ],
    ids=short,
)
def test_strings(holder: dict[str, Json], problem: str | None) -> None:
    part = "body:/name" if "name" in holder else "body"
    assert matchers.problem_of_string("a Pet", "name", holder) == (problem and Problem(problem, part))


@pytest.mark.parametrize(
    ("holder", "problem"),
    [
        ({}, None),
        ({"status": "available"}, None),
        ({"status": "pending"}, None),
        ({"status": "sold"}, None),
        ({"status": "SOLD"}, '`status` is "SOLD"; expected available, pending or sold'),
        (
            {"status": None},
            "`status` is null; expected available, pending or sold, or no `status` at all",
        ),
        ({"status": ["sold"]}, '`status` is ["sold"]; expected available, pending or sold'),
    ],
    ids=str,
)
def test_pet_status(holder: dict[str, Json], problem: str | None) -> None:
    part = "body:/status" if "status" in holder else "body"
    assert matchers.problem_of_pet_status(holder) == (problem and Problem(problem, part))


@pytest.mark.parametrize(
    ("holder", "problem"),
    [
        ({"status": 404}, None),
        ({"status": Decimal("404.0")}, None),
        ({}, "the Error has no `status`"),
        ({"Status": 404, "code": "x"}, "the Error has no `status`; it has `Status`"),
        ({"STATUS": 404, "code": "x"}, "the Error has no `status`; it has `STATUS`"),
        ({"status": 400}, "`status` is 400; expected 404, the status of the response"),
        ({"status": "404"}, '`status` is a string, "404"; expected the integer 404'),
        ({"status": True}, "`status` is a boolean, true; expected the integer 404"),
        ({"status": None}, "`status` is null; expected the integer 404"),
    ],
    ids=str,
)
def test_error_status(holder: dict[str, Json], problem: str | None) -> None:
    part = "body:/status" if "status" in holder else "body"
    assert matchers.problem_of_error_status(holder, 404) == (problem and Problem(problem, part))


# ---- comparisons


@pytest.mark.parametrize(
    ("sent", "got", "difference"),
    [
        ("Rex", "Rex", None),
        ("Zoe\u0301", "Zo\u00eb", "character 3 is U+00EB instead of U+0065"),
        ("Zoe\u0308", "Zo\u00eb", "that is its Unicode form NFC; character 3 is the first that differs"),
        ("\ufb00", "ff", "that is its Unicode form NFKC; character 1 is the first that differs"),
        ("\U0001f408", "\ufffd", "character 1 is U+FFFD instead of U+1F408"),
        ("Rex ", "Rex", "the white space at its end is missing"),
        ("\tRex", "Rex", "the white space at its beginning is missing"),
        (" Rex ", "Rex", "the white space around it is missing"),
        (" Rex", " Re", "it ends after 3 characters"),
        ("Rex", "R", "it ends after 1 character"),
        ("Rex", "Rexx", "it goes on with U+0078 after character 3"),
        ("Rex", "", "it is empty"),
        ("", "Rex", "it should be empty"),
        ("\u212b", "\u00c5", "that is its Unicode form NFC; character 1 is the first that differs"),
    ],
    ids=short,
)
def test_texts(sent: str, got: str, difference: str | None) -> None:
    said = matchers.difference_of_text(sent, got)
    assert said == difference or (said is not None and said.endswith(f" ({difference})"))


def test_both_texts_are_shown() -> None:
    assert matchers.difference_of_text("Rex", "R\x07x") == (
        '"R\\u0007x" instead of "Rex" (character 2 is U+0007 instead of U+0065)'
    )


def test_texts_that_fit_are_shown_whole_and_longer_ones_around_the_difference() -> None:
    fits, longer = "a" * 76, "a" * 77
    assert str(matchers.difference_of_text(fits, f"{fits}b")).startswith(f'"{fits}b" instead of "{fits}" (')
    around = f'"{"a" * 30}'
    assert str(matchers.difference_of_text(longer, f"{longer}b")).startswith(f'…{around}b" instead of …{around}" (')


def texts(problems: list[Problem]) -> list[str]:
    return [problem.text for problem in problems]


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
    told = matchers.differences(before, {**before, **after})
    assert told == [Problem(text, f"body:/{text.split('`')[1]}") for text in found]


_CUT = f'…"{"a" * 30}b" instead of …"{"a" * 31}" (character 78 is U+0062 instead of U+0061)'
_ESCAPED = (
    r'…"\u732b\u732b\u732b\u732b\u732bx" instead of …"\u732b\u732b\u732b\u732b\u732b" '
    "(it goes on with U+0078 after character 20)"
)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a" * 77, "a" * 76 + "b", f'"{"a" * 76}b" instead of "{"a" * 77}"'),
        ("a" * 78, "a" * 77 + "b", _CUT),
        ("Rex", "R" * 90, f'"{"R" * 31}"… instead of "Rex" (character 2 is U+0052 instead of U+0065)'),
        ("R" * 90, "R", f'"R" instead of "{"R" * 31}"… (it ends after 1 character)'),
        ("\u732b" * 20, "\u732b" * 20 + "x", _ESCAPED),
        # from the first character on
        ("x" * 90, "y" * 90, f'"{"y" * 30}"… instead of "{"x" * 30}"… (character 1 is U+0079 instead of U+0078)'),
        # all but the first character
        (
            "b" + "a" * 30 + "x" * 60,
            "b" + "a" * 30 + "y" * 60,
            f'…"{"a" * 30}{"y" * 30}"… instead of …"{"a" * 30}{"x" * 30}"… (character 32 is U+0079 instead of U+0078)',
        ),
        # what is next to the difference takes less space than what is further off
        (
            "\u732b" * 20 + "a" * 18 + "x",
            "\u732b" * 20 + "a" * 18 + "y",
            rf'…"\u732b\u732b{"a" * 18}y" instead of …"\u732b\u732b{"a" * 18}x" '
            "(character 39 is U+0079 instead of U+0078)",
        ),
    ],
    ids=short,
)
def test_names_that_are_too_long_to_show_are_cut_around_their_first_difference(
    before: str, after: str, said: str
) -> None:
    found = matchers.differences(PET | {"name": before}, PET | {"name": after})
    assert found == [Problem(f"`name` is {said}", "body:/name")]


def test_a_status_that_appeared_or_disappeared() -> None:
    without: dict[str, Json] = {name: value for name, value in PET.items() if name != "status"}
    whole: dict[str, Json] = dict(PET)
    assert matchers.differences(whole, without) == [Problem('`status` is missing instead of "sold"', "body")]
    assert matchers.differences(without, whole) == [Problem('`status` is "sold" instead of missing', "body:/status")]
