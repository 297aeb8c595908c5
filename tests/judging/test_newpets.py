"""What a body of `POST /pets` asks for: what is refused for certain, what is created for certain, and what is open."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.judging.jsontext import parse
from petcheck.judging.newpets import Asked, Due, asked_for

KNOWN = (1, 2)
DEFECTS = {f"CREATE-{number}" for number in range(5, 11)}
SURE_NAMES = ["R", "Rex", "Rex the 2nd", "0", "null", '"\\', "~" * 50]
DOUBTFUL_NAMES = ["", " Rex", "Rex ", " ", "x" * 51, "x" * 65_536, "Zo\u00eb", "a\tb", "a\x7f", "\U0001f408", "\x00"]


def asked(text: str) -> Asked:
    return asked_for(text.encode(), KNOWN)


def pet(**members: object) -> str:
    return json.dumps({"name": "Rex", "categoryId": 1} | members)


def with_category(text: str, more: str = "") -> str:
    return f'{{"name": "Rex", "categoryId": {text}{more}}}'


@pytest.mark.parametrize("body", [None, b""])
def test_no_body(body: bytes | None) -> None:
    assert asked_for(body, KNOWN) == Asked(Due.REFUSED, "no body", "CREATE-5")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("{", "a body that is no JSON"),
        ("  ", "a body that is no JSON"),
        ('{"name": "Rex", "categoryId": NaN}', "a body that is no JSON"),
        ("name=Rex&categoryId=1", "a body that is no JSON"),
        ("[]", "an array as its body"),
        ("null", "null as its body"),
        ('"Rex"', "a string as its body"),
        ("7", "an integer as its body"),
    ],
)
def test_what_is_no_object(body: str, what: str) -> None:
    assert asked(body) == Asked(Due.REFUSED, what, "CREATE-5")


@pytest.mark.parametrize(
    ("body", "requirement", "what"),
    [
        ("{}", "CREATE-6", "no `name`"),
        ('{"categoryId": "1"}', "CREATE-6", "no `name`"),
        ('{"name": 5}', "CREATE-6", "no `categoryId`"),
        (pet(name=None), "CREATE-7", "null as `name`"),
        (pet(name=5), "CREATE-7", "an integer as `name`"),
        (pet(name=["Rex"]), "CREATE-7", "an array as `name`"),
        (pet(categoryId="1"), "CREATE-8", "a string as `categoryId`"),
        (pet(categoryId=1.5), "CREATE-8", "a number with a fraction as `categoryId`"),
        (pet(categoryId=None), "CREATE-8", "null as `categoryId`"),
        (pet(categoryId=True), "CREATE-8", "a boolean as `categoryId`"),
        (pet(categoryId=2**63), "CREATE-9", "9223372036854775808, which is beyond int64, as `categoryId`"),
        (pet(categoryId=-(2**63) - 1), "CREATE-9", "-9223372036854775809, which is beyond int64, as `categoryId`"),
        (with_category("1e30"), "CREATE-9", "1e+30, which is beyond int64, as `categoryId`"),
        (with_category("9" * 5000), "CREATE-9", "an integer of 5,000 digits as `categoryId`"),
        (pet(status="SOLD"), "CREATE-10", '"SOLD" as `status`'),
        (pet(status=None), "CREATE-10", "null as `status`"),
        (pet(status=["sold"]), "CREATE-10", '["sold"] as `status`'),
        (pet(status=""), "CREATE-10", '"" as `status`'),
    ],
    ids=count(),
)
def test_what_is_refused_for_certain(body: str, requirement: str, what: str) -> None:
    found = asked(body)
    assert (found.due, found.requirement, found.what) == (Due.REFUSED, requirement, what)
    assert found.pet == parse(body.encode())


def test_a_number_of_thousands_of_digits_is_not_told_in_full() -> None:
    assert len(asked(with_category("9" * 4000)).what) < 130


@pytest.mark.parametrize("name", SURE_NAMES, ids=count())
def test_what_is_created_for_certain(name: str) -> None:
    for status in ("available", "pending", "sold"):
        found = asked(pet(name=name, status=status))
        assert (found.due, found.requirement) == (Due.CREATED, None)
        assert found.what == f'a name of {len(name)} printable ASCII characters and status "{status}"'
        assert found.pet == {"name": name, "categoryId": 1, "status": status}


def test_no_status_is_as_sure() -> None:
    found = asked(pet(categoryId=2))
    assert (found.due, found.what) == (Due.CREATED, "a name of 3 printable ASCII characters and no status")


@pytest.mark.parametrize("name", DOUBTFUL_NAMES, ids=count())
def test_a_name_that_a_service_may_refuse(name: str) -> None:
    found = asked(pet(name=name))
    assert (found.due, found.requirement) == (Due.CREATED_OR_REFUSED, None)
    assert found.pet == {"name": name, "categoryId": 1}


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("x" * 1_025, "a name of 1,025 characters"),
        (" Rex", "a name of 4 characters, not all of them printable ASCII"),
        ("Zo\u00eb", "a name of 3 characters, not all of them printable ASCII"),
    ],
    ids=count(),
)
def test_why_a_name_is_doubtful(name: str, what: str) -> None:
    assert asked(pet(name=name)).what == what
    assert asked(pet(name=name, categoryId=-3)).what == f"{what} and categoryId -3, which no listed animal has"


@pytest.mark.parametrize("number", [0, 3, -1, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_a_category_that_was_never_seen_may_be_refused(number: int) -> None:
    found = asked(pet(categoryId=number))
    assert (found.due, found.what) == (
        Due.CREATED_OR_REFUSED,
        f"categoryId {number}, which no listed animal has",
    )
    assert asked_for(pet(categoryId=number).encode(), {number}).due is Due.CREATED


@pytest.mark.parametrize(
    "body",
    [
        with_category("1.0"),
        with_category("1e0"),
        with_category("0e50"),
        with_category("0." + "0" * 60),
        with_category("1." + "0" * 5000),
        pet(id=7),
        pet(nickname="R"),
        pet(nickname={"name": []}),
        pet(name="\ud800"),
        pet(name="a\udfff"),
        pet(**{"\ud800": 1}),
        '{"name": "Rex", "name": "Tex", "categoryId": 1}',
        '{"name": 5, "name": "Rex", "categoryId": 1}',
        '{"name": "Rex", "name": 5, "categoryId": 1}',
        '{"name": "Rex", "name": {"a": 1}, "categoryId": 1}',
        "\ufeff" + pet(),
        '{"name": "Rex", "categoryId": 1, "x": ' + "[" * 90_000 + "]" * 90_000 + "}",
        '{"name": "Rex", "categoryId": 1, "x": [0' + ",0" * 100_000 + "]}",
    ],
    ids=count(),
)
def test_what_is_open(body: str) -> None:
    found = asked(body)
    assert (found.due, found.requirement) == (Due.OPEN, None)
    assert found.what == "a body that the document does not provide for"


@pytest.mark.parametrize(
    ("body", "requirement"),
    [
        (pet(id=7, status="SOLD"), "CREATE-10"),
        (with_category("1.0", ', "status": "Sold"'), "CREATE-10"),
        (with_category("1." + "0" * 5000, ', "status": "Sold"'), "CREATE-10"),
        (pet(name="\ud800", categoryId="1"), "CREATE-8"),
        (pet(name="", status=1), "CREATE-10"),
        ('{"name": {"a": 1, "a": 1}, "categoryId": 1}', "CREATE-7"),
    ],
    ids=count(),
)
def test_a_defect_is_one_whatever_else_is_open_or_doubtful(body: str, requirement: str) -> None:
    assert (asked(body).due, asked(body).requirement) == (Due.REFUSED, requirement)


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert asked('{"name": "\\ud83d\\udc08", "categoryId": 1}').due is Due.CREATED_OR_REFUSED


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
members = st.fixed_dictionaries(
    {}, optional={"name": values, "categoryId": values, "status": values | st.just("sold"), "id": values}
)


@given(values | members)
def test_any_json_value_asks_for_something(value: object) -> None:
    found = asked_for(json.dumps(value).encode(), KNOWN)
    assert (found.requirement in DEFECTS) == (found.due is Due.REFUSED)
    assert found.requirement is None or found.requirement in DEFECTS
    assert 0 < len(found.what) < 200


@given(st.binary(max_size=40))
def test_any_bytes_ask_for_something(body: bytes) -> None:
    found = asked_for(body, KNOWN)
    assert (found.requirement in DEFECTS) == (found.due is Due.REFUSED)


@given(
    st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=50),
    st.sampled_from([{}, {"status": "available"}, {"status": "pending"}, {"status": "sold"}]),
)
def test_names_of_1_to_50_printable_ascii_characters_are_valid(name: str, status: dict[str, str]) -> None:
    sure = Due.CREATED if name == name.strip(" ") else Due.CREATED_OR_REFUSED
    assert asked(pet(name=name, **status)).due is sure
