"""What is due for a body of `POST /pets`: what is certainly refused, what is certainly created, and what is open."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck import json_values
from petcheck.json_values import parse
from petcheck.judging.request_bodies import Asked, Due, asked_for, asked_of, kind_of_body
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

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


def test_an_empty_body() -> None:
    assert asked_for(b"", KNOWN) == Asked(Due.REFUSED, "no body", "CREATE-5")

    assert asked_for(None, KNOWN) == asked_for(b"", KNOWN)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("{", "a body that is not JSON"),
        ("  ", "a body that is not JSON"),
        ('{"name": "Rex", "categoryId": NaN}', "a body that is not JSON"),
        ("name=Rex&categoryId=1", "a body that is not JSON"),
        ("[]", "an array as the body"),
        ("null", "null as the body"),
        ('"Rex"', "a string as the body"),
        ("7", "an integer as the body"),
    ],
)
def test_what_is_not_an_object(body: str, what: str) -> None:
    assert asked(body) == Asked(Due.REFUSED, what, "CREATE-5")


@pytest.mark.parametrize(
    ("body", "requirement", "what"),
    [
        ("{}", "CREATE-6", "neither `name` nor `categoryId`"),
        ('{"categoryId": "1"}', "CREATE-6", "no `name`"),
        ('{"Name": "Rex"}', "CREATE-6", "no `name`, only `Name`"),
        (
            '{"name": "Rex", "CategoryId": 1, "category_id": 1}',
            "CREATE-6",
            "no `categoryId`, only `CategoryId` and `category_id`",
        ),
        (
            '{"name": "Rex", "CategoryId": 1, "category_id": 1, "CATEGORYID": 1}',
            "CREATE-6",
            "no `categoryId`, only `CategoryId` and `category_id`",
        ),
        ('{"NAME": "Rex"}', "CREATE-6", "no `name`, only `NAME`"),
        ('{"category_id": 1}', "CREATE-6", "no `name`"),
        ('{"categoryid": 1}', "CREATE-6", "no `name`"),
        ('{"CATEGORYID": 1}', "CREATE-6", "no `name`"),
        ('{"name": 5}', "CREATE-6", "no `categoryId`"),
        (pet(name=None), "CREATE-7", "null as `name`"),
        (pet(name=5), "CREATE-7", "an integer as `name`"),
        (pet(name=["Rex"]), "CREATE-7", "an array as `name`"),
        (pet(categoryId="1"), "CREATE-8", "a string as `categoryId`"),
        (pet(categoryId=1.5), "CREATE-8", "a number with a fraction as `categoryId`"),
        (pet(categoryId=None), "CREATE-8", "null as `categoryId`"),
        (pet(categoryId=True), "CREATE-8", "a boolean as `categoryId`"),
        (pet(categoryId=2**63), "CREATE-9", "9223372036854775808, outside the int64 range, as `categoryId`"),
        (pet(categoryId=-(2**63) - 1), "CREATE-9", "-9223372036854775809, outside the int64 range, as `categoryId`"),
        (with_category("1e30"), "CREATE-9", "1E+30, outside the int64 range, as `categoryId`"),
        (with_category("1e400"), "CREATE-9", "1E+400, outside the int64 range, as `categoryId`"),
        (with_category("-1.5e19"), "CREATE-9", "-1.5E+19, outside the int64 range, as `categoryId`"),
        (
            with_category("12345678901234567890.5"),
            "CREATE-9",
            "12345678901234567890.5, outside the int64 range, as `categoryId`",
        ),
        (with_category("4503599627370495.5"), "CREATE-8", "a number with a fraction as `categoryId`"),
        (with_category("9" * 5000), "CREATE-9", "an integer of 5,000 digits as `categoryId`"),
        (pet(status="SOLD"), "CREATE-10", '"SOLD" as `status`'),
        (pet(status=None), "CREATE-10", "null as `status`"),
        (pet(status=["sold"]), "CREATE-10", '["sold"] as `status`'),
        (pet(status=""), "CREATE-10", '"" as `status`'),
    ],
    ids=count(),
)
def test_what_is_certainly_refused(body: str, requirement: str, what: str) -> None:
    found = asked(body)
    assert (found.due, found.requirement, found.what) == (Due.REFUSED, requirement, what)
    assert found.pet == parse(body.encode()).value


def test_deep_nesting_is_also_wrong() -> None:
    assert asked("[" * 3_000 + "]" * 3_000).what == "an array nested 3,000 levels deep as the body"
    assert asked("[" * 102 + "]" * 102).what == "an array nested 102 levels deep as the body"
    assert asked("[" * 101 + "]" * 101).what == "an array as the body"
    assert asked("[" * 100 + "]" * 100).what == "an array as the body"
    assert asked(with_category("[" * 3_000 + "]" * 3_000)).requirement == "CREATE-8"
    assert asked("[" * 3_000 + "]" * 2_999).due is not Due.CREATED


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (f'"deep": {"[" * 3_000}{"]" * 3_000}', '"deep" nested 3,000 levels deep'),
        (f'"long": {"9" * 5_000}', '"long" of 5,000 digits'),
        (
            f'"long": {"9" * 5_000}, "deep": {"[" * 300}{"]" * 300}',
            '"deep" nested 300 levels deep and "long" of 5,000 digits',
        ),
    ],
    ids=count(),
)
def test_what_is_hard_to_read_in_a_defective_body_is_named(others: str, said: str) -> None:
    assert asked(f'{{"status": "sold", {others}}}').what == f"neither `name` nor `categoryId`, but {said}"


def test_a_number_of_thousands_of_digits_is_shortened() -> None:
    assert len(asked(with_category("9" * 4000)).what) < 130


@pytest.mark.parametrize("name", SURE_NAMES, ids=count())
def test_what_is_certainly_created(name: str) -> None:
    for status in ("available", "pending", "sold"):
        found = asked(pet(name=name, status=status))
        assert (found.due, found.requirement) == (Due.CREATED, "CREATE-1")
        shown = f"the name {json.dumps(name)}" if len(name) <= 8 else f"a name of {len(name)} ASCII characters"
        assert found.what == f'{shown}, `categoryId` 1 and status "{status}"'
        assert found.pet == {"name": name, "categoryId": 1, "status": status}


def test_no_status_is_certainly_valid() -> None:
    found = asked(pet(categoryId=2))
    assert (found.due, found.what) == (Due.CREATED, 'the name "Rex", `categoryId` 2 and no status')
    assert asked_for(json.dumps({"name": "Rex Rex.", "categoryId": 2}).encode(), KNOWN).what.startswith('the name "Rex')
    long = asked_for(json.dumps({"name": "Rex Rex..", "categoryId": 2}).encode(), KNOWN)
    assert long.what.startswith("a name of 9 ")


@pytest.mark.parametrize("name", DOUBTFUL_NAMES, ids=count())
def test_a_name_that_a_service_may_refuse(name: str) -> None:
    found = asked(pet(name=name))
    assert (found.due, found.requirement) == (Due.CREATED_OR_REFUSED, "CREATE-14")
    assert found.pet == {"name": name, "categoryId": 1}


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("x" * 1_025, "a name of 1,025 characters"),
        (" Rex", "a name of 4 characters with spaces at its ends"),
        ("R\tex", "a name of 4 characters with control characters"),
        ("Zo\u00eb", "a name of 3 characters, not all ASCII"),
        ("\u00eb", "a name of 1 character, not all ASCII"),
        ("Rex\udc00", "a name of 4 characters, one of them half of a surrogate pair"),
        ("", "an empty name"),
    ],
    ids=count(),
)
def test_why_a_name_is_doubtful(name: str, what: str) -> None:
    assert asked(pet(name=name)).what == what
    joint = ", and" if ", " in what else " and"
    assert asked(pet(name=name, categoryId=-3)).what == f"{what}{joint} `categoryId` -3, which no listed animal has"


@pytest.mark.parametrize("number", [0, 3, -1, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_a_category_that_was_never_seen_may_be_refused(number: int) -> None:
    found = asked(pet(categoryId=number))
    assert (found.due, found.what) == (
        Due.CREATED_OR_REFUSED,
        f"`categoryId` {number}, which no listed animal has",
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
        '{"name": "Rex", "name": "Tex", "categoryId": 1}',
        '{"name": 5, "name": "Rex", "categoryId": 1}',
        '{"name": "Rex", "name": 5, "categoryId": 1}',
        '{"name": "Rex", "name": {"a": 1}, "categoryId": 1}',
        '{"name": "Rex", "categoryId": 1, "x": ' + "[" * 90_000 + "]" * 90_000 + "}",
        '{"name": "Rex", "categoryId": 1, "x": [0' + ",0" * 100_000 + "]}",
    ],
    ids=count(),
)
def test_what_is_open(body: str) -> None:
    found = asked(body)
    assert (found.due, found.requirement) == (Due.OPEN, None)
    assert (found.what, found.pet) == ("a body that section 4.2 leaves open", None)


@pytest.mark.parametrize("name", ["id", "nickname", "\ud800"])
def test_an_unknown_member_is_open_and_the_others_are_repeated(name: str) -> None:
    found = asked(pet(**{name: {"name": []}}))
    assert (found.due, found.requirement, found.pet) == (Due.OPEN, None, json.loads(pet()))
    assert found.what == f"1 member that section 2 does not name, such as {json.dumps(name)}"


def test_of_unknown_members_the_one_that_is_deep_is_named() -> None:
    deep = json.loads("[" * 200 + "]" * 200)
    found = asked(pet(age=4, inner=deep, kin=[[[]]]))
    assert found.what == '3 members that section 2 does not name, such as "inner" nested 200 levels deep'


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
def test_a_defect_counts_whatever_else_is_open_or_doubtful(body: str, requirement: str) -> None:
    assert (asked(body).due, asked(body).requirement) == (Due.REFUSED, requirement)


def test_a_replacement_character_comes_back_exactly_from_plain_json() -> None:
    assert asked(pet(name="R\ufffdx", tag=1)).pet == {"name": "R\ufffdx", "categoryId": 1}


def test_several_doubts_in_words() -> None:
    found = asked('{"name": "Zo\u00eb", "categoryId": 9,}')
    assert found.what == (
        "a trailing comma, and a name of 3 characters, not all ASCII, and `categoryId` 9, which no listed animal has"
    )


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
def test_any_json_value_has_a_result(value: object) -> None:
    found = asked_for(json.dumps(value).encode(), KNOWN)
    assert (found.requirement in DEFECTS) == (found.due is Due.REFUSED)
    assert found.requirement in {None, "CREATE-1", "CREATE-14", *DEFECTS}
    assert (found.requirement is None) == (found.due is Due.OPEN)
    assert 0 < len(found.what) < 200


@given(st.binary(max_size=40))
def test_any_bytes_have_a_result(body: bytes) -> None:
    found = asked_for(body, KNOWN)
    assert (found.requirement in DEFECTS) == (found.due is Due.REFUSED)


@given(
    st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=50),
    st.sampled_from([{}, {"status": "available"}, {"status": "pending"}, {"status": "sold"}]),
)
def test_names_of_1_to_50_printable_ascii_characters_are_valid(name: str, status: dict[str, str]) -> None:
    sure = Due.CREATED if name == name.strip(" ") else Due.CREATED_OR_REFUSED
    assert asked(pet(name=name, **status)).due is sure


# ---- extensions of JSON


PLAIN = {"name": "Rex", "categoryId": 1}
TEXT = '{"name": "Rex", "categoryId": 1}'


@pytest.mark.parametrize(
    ("body", "what", "sent"),
    [
        (TEXT + " {}", "text after the object", PLAIN),
        (TEXT + "x", "text after the object", PLAIN),
        ('{"name": "Rex", "categoryId": 1, }', "a trailing comma", PLAIN),
        ('{"name": "Rex", "categoryId": 1,\n}', "a trailing comma", PLAIN),
        ('{"name": "a,}", "categoryId": 1,}', "a trailing comma", PLAIN | {"name": "a,}"}),
        ("// a comment\n" + TEXT, "a comment", PLAIN),
        (TEXT + " # a comment", "a comment", PLAIN),
        ('{"name": "Rex", /* two\nlines */ "categoryId": 1}', "a comment", PLAIN),
        ('{"name": "a /* b */ // c", "categoryId": 1,}', "a trailing comma", PLAIN | {"name": "a /* b */ // c"}),
        ('{"name": "a\\"/*b*/", "categoryId": 1,}', "a trailing comma", PLAIN | {"name": 'a"/*b*/'}),
        ("/**/" + TEXT + ",", "a comment and text after the object", PLAIN),
        ("\ufeff" + TEXT, "a byte order mark", PLAIN),
    ],
    ids=count(),
)
def test_a_parser_may_accept_extensions(body: str, what: str, sent: dict[str, object]) -> None:
    found = asked(body)
    assert (found.due, found.what, found.requirement) == (Due.CREATED_OR_REFUSED, what, "CREATE-14")
    assert found.pet == sent


def test_nan_in_a_member_that_is_not_a_number() -> None:
    found = asked('{"name": "Rex", "categoryId": 1, "x": NaN, "y": [-Infinity]}')
    assert (found.due, found.what) == (Due.CREATED_OR_REFUSED, "NaN, -Infinity")
    assert found.pet is not None
    assert found.pet["name"] == "Rex"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_another_encoding(encoding: str) -> None:
    found = asked_for(TEXT.encode(encoding), KNOWN)
    assert (found.due, found.what, found.pet) == (Due.CREATED_OR_REFUSED, encoding[:6].upper(), PLAIN)


def test_invalid_utf_8_gives_no_name() -> None:
    found = asked_for(TEXT.encode().replace(b"Rex", b"R\xffx"), KNOWN)
    assert (found.due, found.pet) == (Due.CREATED_OR_REFUSED, {"categoryId": 1})
    assert found.what == "invalid UTF-8 and a name of 3 characters, not all ASCII"
    other = asked_for(TEXT.encode()[:-1] + b', "status": "sold", "x": "\xff"}', KNOWN)
    assert (other.what, other.pet) == ("invalid UTF-8", PLAIN | {"status": "sold"})


@pytest.mark.parametrize("name", ["\ud800", "a\udfff"], ids=count())
def test_a_lone_surrogate_may_come_back_in_any_form(name: str) -> None:
    found = asked(pet(name=name))
    assert (found.due, found.requirement, found.pet) == (Due.CREATED_OR_REFUSED, "CREATE-14", {"categoryId": 1})


@pytest.mark.parametrize(
    "body",
    [
        TEXT[:-1],
        TEXT.replace('"', "'"),
        "[" + TEXT + "] x",
        "\ufeff[]",
        "7 // a comment",
        '{"name": "Rex",, "categoryId": 1}',
        '{"name": "Rex" "categoryId": 1}',
        '{"name": 5, "categoryId": 1,}',
        '{"name": "Rex", "categoryId": NaN}',
        "{} {}",
    ],
    ids=count(),
)
def test_defects_for_a_parser_with_extensions(body: str) -> None:
    found = asked(body)
    assert (found.due, found.what, found.requirement) == (Due.REFUSED, "a body that is not JSON", "CREATE-5")


def test_bytes_that_cannot_be_decoded() -> None:
    assert asked_for(b"{\x00\xd8", KNOWN).requirement == "CREATE-5"
    assert asked_for(b"\xff\xfe\x00", KNOWN).requirement == "CREATE-5"
    assert asked_for(b"\xff\xfe\x00", KNOWN).what == "a body that is neither JSON nor UTF-8"


def test_a_body_is_read_as_deep_with_extensions_as_without_and_a_deeper_one_is_open() -> None:
    assert asked_for(b"[" * 5_000, KNOWN).due is Due.REFUSED
    assert asked_for(b"[" * 90_000, KNOWN).due is Due.OPEN
    assert asked_for(b"[" * 5_000 + b"]" * 5_000, KNOWN).what == "an array nested 5,000 levels deep as the body"
    assert asked_for(b"// a comment\n" + b"[" * 90_000 + b"]" * 90_000, KNOWN).due is Due.OPEN


def test_how_deep_a_body_is_read_does_not_depend_on_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "_LEVELS_READ", 1_000)
    request = exchange(Operation.CREATE_PET, asked=b"[" * 1_500 + b"]" * 1_500).request
    assert not request.parsed.wrong

    def from_below(frames: int) -> Asked:
        return from_below(frames - 1) if frames else asked_of(request, KNOWN)

    assert from_below(600).what == "an array nested 1,500 levels deep as the body"


def test_a_request_is_classed_once_for_the_same_knowledge() -> None:
    request = exchange(Operation.CREATE_PET, 201, asked={"name": "Rex", "categoryId": 1}).request
    assert asked_of(request, KNOWN) is asked_of(request, {1, 3})
    assert (asked_of(request, KNOWN).due, asked_of(request, {2}).due) == (Due.CREATED, Due.CREATED_OR_REFUSED)
    assert (asked_of(request, {2}).requirement, asked_of(request, ()).requirement) == ("CREATE-14", "CREATE-1")


def test_a_repeated_member_is_open_with_an_extension_too() -> None:
    assert asked('{"name": "Rex", "name": "Tex", "categoryId": 1,}').due is Due.OPEN


@pytest.mark.parametrize(
    ("members", "pet"),
    [
        ('"twice": 1, "twice": 2', {"name": "Rex", "categoryId": 0}),
        ('"deep": {"a": 1, "a": 2}', {"name": "Rex", "categoryId": 0}),
        ('"id": 1, "id": 2', None),
        ('"categoryId": 0', None),
    ],
)
def test_only_a_repeated_member_that_is_known_leaves_open_what_is_stored(
    members: str, pet: dict[str, object] | None
) -> None:
    found = asked(f'{{"name": "Rex", "categoryId": 0, {members}}}')
    assert (found.due, found.pet) == (Due.OPEN, pet)


# ---- what decides


def test_without_a_known_category_only_the_category_can_be_the_cause() -> None:
    found = asked_for(TEXT.encode(), ())
    assert (found.due, found.requirement) == (Due.CREATED_OR_REFUSED, "CREATE-1")
    assert asked_for(TEXT.encode(), {2}).requirement == "CREATE-14"
    assert asked_for(pet(name="").encode(), ()).requirement == "CREATE-14"


# ---- what kind of body it is


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (TEXT.encode(), "a valid NewPet"),
        (pet(name="").encode(), "an unusual name or `categoryId`"),
        (with_category("1.0").encode(), "a body that the document leaves open"),
        (with_category("4503599627370497.5").encode(), "a body that the document leaves open"),
        (with_category("1.00000000000000000001").encode(), "a body that the document leaves open"),
        (with_category("4503599627370495.5").encode(), "an invalid NewPet"),
        (None, "no body"),
        (pet(status="SOLD").encode(), "an invalid NewPet"),
        (b"{}", "an invalid NewPet"),
        (b"", "no body"),
        (b"{", "a body that is not JSON"),
        (b"\xff\xfe\x00", "a body that is neither JSON nor UTF-8"),
        (b"[]", "a body that is not an object"),
        (b"7", "a body that is not an object"),
    ],
    ids=count(),
)
def test_the_kind_of_a_body(body: bytes | None, kind: str) -> None:
    assert kind_of_body(exchange(Operation.CREATE_PET, asked=body).request) == kind


@pytest.mark.parametrize("operation", [one for one in Operation if one.safe])
def test_no_other_request_has_a_kind_of_body(operation: Operation) -> None:
    assert kind_of_body(exchange(operation).request) == ""
