"""What a single exchange must show, by each rule: what is wrong, what holds, and where a rule has nothing to say."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from itertools import count

import pytest

from petcheck.exchange import Credential, Exchange, Operation, Silence
from petcheck.judging.catalogue import catalogue
from petcheck.judging.interface import PLANS
from petcheck.judging.rules import HOLDS, RULE, RULES, Grounds, Judgement, error_in, judged, pets_in

from .exchanges import JSON, exchange, rates, short, unix

LIST, CREATE, GET, ORDERS = Operation
LAST_DAY, REMOVED = date(2030, 12, 4), date(2030, 12, 5)
GROUNDS = Grounds(LAST_DAY, categories=frozenset({1}))
NEW = {"name": "Rex", "categoryId": 1, "status": "sold"}
PET = NEW | {"id": 7}
ERROR = {"code": "x", "message": "y", "status": 400}
POSTED = [name for name in RULE if name.startswith("CREATE-")]
RATE_HEADERS = ["RATE-1", "RATE-2", "RATE-3"]
SILENT = exchange(LIST, Silence.RESET)


def by(requirement: str, judged: Exchange, grounds: Grounds = GROUNDS) -> Judgement:
    return RULE[requirement].judge(judged, grounds)


def page(*animals: object, query: str = "") -> Exchange:
    return exchange(body=animals, path=f"/pets{query}")


def pages_of(size: int, query: str = "") -> Exchange:
    return page(*[PET] * size, query=query)


def got(body: object) -> Exchange:
    return exchange(GET, 200, body)


def posted(asked: object = NEW, status: int | Silence = 201, body: object = PET) -> Exchange:
    return exchange(CREATE, status, body, asked=asked)


def refused(body: object, status: int = 400) -> Exchange:
    return exchange(CREATE, status, body, asked={})


def spoken(found: Exchange, grounds: Grounds = GROUNDS) -> dict[str, str]:
    """What the rules find wrong with an exchange."""
    problems = {name: rule.judge(found, grounds) for name, rule in RULE.items()}
    return {name: problem for name, problem in problems.items() if problem}


def concerned(found: Exchange, grounds: Grounds = GROUNDS) -> set[str]:
    return {name for name, rule in RULE.items() if rule.judge(found, grounds) is not None}


def without(name: str, members: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in members.items() if key != name}


# ---- the rules as a whole


def test_each_rule_is_of_a_requirement_and_of_its_section() -> None:
    sections = {entry.id: entry.section for entry in catalogue().judged}
    assert {rule.requirement: rule.section for rule in RULES} == {name: sections[name] for name in RULE}
    assert len(RULE) == len(RULES)
    assert all(rule.nothing.startswith("No ") and rule.nothing.endswith(".") for rule in RULES)


def test_what_a_rule_says_of_many() -> None:
    well, ill = refused(ERROR), refused([])
    assert list(judged(RULE["ERROR-1"], [well, SILENT, page(), ill], GROUNDS)) == [
        (well, None),
        (ill, "the body is an array, []"),
    ]


@pytest.mark.parametrize("operation", Operation)
def test_silence_is_no_rules_matter(operation: Operation) -> None:
    silent = exchange(operation, Silence.TIMEOUT, asked=NEW)
    assert concerned(silent, Grounds(LAST_DAY, PLANS["free"], frozenset({1}))) == set()


@pytest.mark.parametrize("status", [200, 400, 401, 404, 410, 500])
def test_no_rule_judges_an_animal_from_the_day_of_the_removal_on(status: int) -> None:
    bodies: list[object] = [{}, [], PET, b"<html>"]
    for body in bodies:
        asked = exchange(GET, status, body, headers=rates(0, -1, "x"))
        assert concerned(asked, Grounds(REMOVED, PLANS["free"])) == set()
        assert spoken(asked, Grounds(LAST_DAY, PLANS["free"])).keys() >= {"BODY-1"} or status in (410, 500)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 422])
def test_all_but_a_5xx_is_open_where_the_pet_id_is_no_int64(status: int) -> None:
    asked = exchange(GET, status, b"<html>", path="/pets/abc", headers=())
    assert (concerned(asked), spoken(asked)) == ({"ERROR-5"}, {})
    assert spoken(exchange(GET, 500, path="/pets/abc")) == {"ERROR-5": "a 5xx is never documented"}


def test_a_good_server_breaks_no_rule() -> None:
    headers = [JSON, *rates(60, 59, unix(60))]
    good = [
        exchange(LIST, 200, [PET], headers=headers),
        exchange(CREATE, 201, PET, headers=headers, asked=NEW),
        exchange(CREATE, 400, ERROR, headers=headers, asked={}),
        exchange(GET, 404, ERROR | {"status": 404}, headers=headers),
        exchange(ORDERS, 200, b"anything", headers=headers[1:]),
    ]
    assert [spoken(found, Grounds(LAST_DAY, PLANS["free"], frozenset({1}))) for found in good] == [{}] * 5


# ---- documented bodies


@pytest.mark.parametrize(
    ("found", "json", "media_type"),
    [
        (exchange(body=b"<html>", headers=()), True, True),
        (exchange(body=b"[]", headers=[("content-type", "Application/JSON; charset=utf-8")]), False, False),
        (exchange(GET, 404, b"", headers=[("Content-Type", "text/html")]), True, True),
        (refused(b"{"), True, False),
        (exchange(GET, body=b"{}", headers=[("Content-Type", "application/problem+json")]), False, True),
    ],
    ids=range(5),
)
def test_documented_bodies(found: Exchange, json: bool, media_type: bool) -> None:
    assert (bool(by("SERVICE-1", found)), bool(by("BODY-1", found))) == (json, media_type)
    assert concerned(found) >= {"SERVICE-1", "BODY-1"}


@pytest.mark.parametrize(
    "found",
    [exchange(status=429, body=b"<html>"), exchange(status=204, body=b""), exchange(ORDERS, 200, b"<html>"), SILENT],
    ids=range(4),
)
def test_bodies_that_are_open(found: Exchange) -> None:
    assert (by("SERVICE-1", found), by("BODY-1", found)) == (None, None)


# ---- the resources


@pytest.mark.parametrize(
    ("found", "pets"),
    [
        (page(PET, 7), [PET, 7]),
        (page(), []),
        (exchange(body={"pets": [PET]}), []),
        (exchange(body=b"[{"), []),
        (got(PET), [PET]),
        (got([PET]), [[PET]]),
        (got(b" null\n"), [None]),
        (got(b"<html>"), []),
        (posted(), [PET]),
        (posted(status=400), []),
        (exchange(GET, 404, PET), []),
        (exchange(ORDERS, 200, [PET]), []),
        (SILENT, []),
    ],
    ids=range(13),
)
def test_where_a_pet_stands(found: Exchange, pets: list[object]) -> None:
    assert pets_in(found, LAST_DAY) == pets


@pytest.mark.parametrize(
    ("requirement", "pet", "problem"),
    [
        ("PET-1", without("id", PET), "the Pet has no `id`"),
        ("PET-1", PET | {"id": "7"}, '`id` is a string, "7"; an integer is due'),
        ("PET-1", PET | {"id": 2**63}, "`id` is 9223372036854775808, beyond int64"),
        ("PET-2", without("name", PET), "the Pet has no `name`"),
        ("PET-2", PET | {"name": 5}, "`name` is an integer, 5; a string is due"),
        ("PET-3", without("categoryId", PET), "the Pet has no `categoryId`"),
        ("PET-3", PET | {"categoryId": 1.5}, "`categoryId` is a number with a fraction, 1.5; an integer is due"),
        ("PET-4", PET | {"status": "SOLD"}, '`status` is "SOLD"; PetStatus is one of available, pending, sold'),
    ],
    ids=short,
)
def test_what_is_wrong_with_a_pet(requirement: str, pet: dict[str, object], problem: str) -> None:
    found = [got(pet), posted(body=pet), page(PET, pet), page(7, pet)]
    assert [by(requirement, one) for one in found] == [problem] * 4
    others = {"PET-1", "PET-2", "PET-3", "PET-4"} - {requirement}
    assert [by(other, one) for other in others for one in found] == [HOLDS] * 12


@pytest.mark.parametrize(
    "pet",
    [PET | {"id": 7.0}, PET | {"id": -(2**63), "tag": None}, without("status", PET), PET | {"name": ""}],
    ids=short,
)
def test_pets_that_are_well(pet: dict[str, object]) -> None:
    assert [by(f"PET-{number}", got(pet)) for number in range(1, 5)] == [HOLDS] * 4


@pytest.mark.parametrize(
    ("body", "what"), [([PET], "an array"), (b"null", "null"), ("Rex", "a string"), (7, "an integer")]
)
def test_a_pet_that_is_no_object_is_one_requirements_matter(body: object, what: str) -> None:
    for found in (got(body), posted(body=body)):
        assert by("PET-1", found) == f"a Pet is an object, it is {what}"
        assert [by(f"PET-{number}", found) for number in (2, 3, 4)] == [None] * 3


@pytest.mark.parametrize(
    "found", [page(), page(7, "x"), exchange(body=b"<html>"), got(b"<html>"), SILENT], ids=range(5)
)
def test_where_there_is_no_pet_nothing_is_judged_of_one(found: Exchange) -> None:
    assert [by(f"PET-{number}", found) for number in range(1, 5)] == [None] * 4


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ([], HOLDS),
        ([PET], HOLDS),
        ({"pets": []}, 'the body is an object, {"pets": []}; a bare array is due'),
        (b"null", "the body is null, null; a bare array is due"),
        ([PET, 7], "an item is an integer, 7; a Pet is an object"),
        ([None, 7], "an item is null, null; a Pet is an object"),
        (b"<html>", None),
        (b"", None),
    ],
    ids=short,
)
def test_the_list_is_a_bare_array(body: object, problem: Judgement) -> None:
    assert by("PETS-1", exchange(body=body)) == problem


@pytest.mark.parametrize(
    "found", [got({}), exchange(status=400, body={}), exchange(ORDERS, 200, {}), SILENT], ids=range(4)
)
def test_what_is_no_list(found: Exchange) -> None:
    assert by("PETS-1", found) is None


# ---- the length of a page


@pytest.mark.parametrize(
    ("requirement", "query", "holds", "problem"),
    [
        ("LIST-3", "?limit=1", 1, "2 animals came; `limit` allows 1"),
        ("LIST-3", "?limit=99&status=sold", 99, "100 animals came; `limit` allows 99"),
        ("LIST-3", "?limit=100", 100, "101 animals came; `limit` allows 100"),
        ("LIST-4", "", 20, "21 animals came; without `limit` it is 20"),
        ("LIST-4", "?status=sold", 20, "21 animals came; without `limit` it is 20"),
        ("LIST-5", "?limit=101", 100, "101 animals came; a page holds 100 at most, whatever was asked"),
        ("LIST-5", "?limit=0", 100, "101 animals came; a page holds 100 at most, whatever was asked"),
        ("LIST-5", "?limit=", 100, "101 animals came; a page holds 100 at most, whatever was asked"),
    ],
)
def test_a_page_that_is_full_and_one_that_is_too_long(requirement: str, query: str, holds: int, problem: str) -> None:
    assert by(requirement, pages_of(holds + 1, query)) == problem
    assert by(requirement, pages_of(holds, query)) == HOLDS
    assert by(requirement, pages_of(holds - 1, query)) is None
    for other in {"LIST-3", "LIST-4", "LIST-5"} - {requirement}:
        assert by(other, pages_of(holds + 1, query)) is None


@pytest.mark.parametrize(
    "query", ["?limit=007", "?limit=5&limit=9", "?limit=null&limit=5", "?limit=5&limit=5", "?limit=1.0", "?limit=+5"]
)
def test_a_limit_that_can_be_read_in_two_ways_bounds_a_page_by_the_maximum_only(query: str) -> None:
    assert [by(name, pages_of(20, query)) for name in ("LIST-3", "LIST-4", "LIST-5")] == [None] * 3
    assert by("LIST-5", pages_of(101, query))


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, []), (200, {"pets": []}), (200, b"<html>"), (400, [PET]), (Silence.RESET, [])],
    ids=range(5),
)
def test_what_shows_no_animal_tells_nothing_of_pages(status: int | Silence, body: object) -> None:
    for query in ("", "?limit=5", "?limit=500", "?status=sold"):
        found = exchange(LIST, status, body, path=f"/pets{query}")
        assert [by(f"LIST-{number}", found) for number in (3, 4, 5, 7)] == [None] * 4


# ---- the filter


@pytest.mark.parametrize(
    ("animals", "problem"),
    [
        ([PET], HOLDS),
        ([PET, PET | {"status": "pending"}], 'animal 7 came, whose status is "pending"; `status` is a filter'),
        ([without("status", PET)], "animal 7 came, whose status is absent; `status` is a filter"),
        (
            [without("id", PET) | {"status": "available"}],
            'animal null came, whose status is "available"; `status` is a filter',
        ),
        ([PET | {"status": "SOLD"}], HOLDS),
        ([PET | {"status": None}, PET], HOLDS),
        ([7], None),
        ([], None),
    ],
    ids=count(),
)
def test_animals_on_a_filtered_page(animals: list[object], problem: Judgement) -> None:
    assert by("LIST-7", page(*animals, query="?status=sold")) == problem
    assert by("LIST-7", page(*animals, query="?status=sold&limit=0")) == problem


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?limit=5",
        "?status=",
        "?status=Sold",
        "?status=gone",
        "?status=sold&status=pending",
        "?status=x&status=sold",
    ],
)
def test_a_page_without_a_filter_that_is_documented(query: str) -> None:
    assert by("LIST-7", page(PET | {"status": "available"}, query=query)) is None


# ---- what a POST says of the animal that was sent


@pytest.mark.parametrize(
    ("requirement", "sent", "came", "problem"),
    [
        ("CREATE-2", {}, {"name": "rex"}, 'the name "Rex" came back as "rex": character 1 is U+0072 instead of U+0052'),
        (
            "CREATE-2",
            {"name": ""},
            {"name": " "},
            'the name "" came back as " ": character 1 is U+0020 instead of missing',
        ),
        (
            "CREATE-2",
            {"name": "e\u0301"},
            {"name": "\u00e9"},
            'the name "e\\u0301" came back as "\\u00e9": character 1 is U+00E9 instead of U+0065',
        ),
        ("CREATE-2", {}, {"name": "Rex"}, HOLDS),
        ("CREATE-2", {}, {"name": None}, None),
        ("CREATE-3", {}, {"categoryId": 2}, "`categoryId` is 2; 1 was sent"),
        (
            "CREATE-3",
            {"categoryId": 2**53 + 1},
            {"categoryId": 2**53},
            "`categoryId` is 9007199254740992; 9007199254740993 was sent",
        ),
        ("CREATE-3", {}, {"categoryId": 1.0}, HOLDS),
        ("CREATE-3", {"categoryId": 0}, {"categoryId": 0}, HOLDS),
        ("CREATE-3", {}, {"categoryId": "1"}, None),
        ("CREATE-4", {}, {"status": "available"}, '`status` is "available"; "sold" was sent'),
        ("CREATE-4", {}, {"status": "sold"}, HOLDS),
        ("CREATE-4", {}, {"status": "SOLD"}, None),
        ("CREATE-4", {}, {"status": None}, None),
    ],
    ids=count(),
)
def test_what_was_sent_comes_back(
    requirement: str, sent: dict[str, object], came: dict[str, object], problem: Judgement
) -> None:
    assert by(requirement, posted(NEW | sent, 201, PET | sent | came)) == problem
    others = {"CREATE-2", "CREATE-3", "CREATE-4"} - {requirement}
    assert [by(other, posted(NEW | sent, 201, PET | sent | came)) for other in others] == [HOLDS] * 2


def test_a_status_that_was_sent_is_not_left_out() -> None:
    assert by("CREATE-4", posted(NEW, 201, without("status", PET))) == '`status` is absent; "sold" was sent'


@pytest.mark.parametrize("missing", ["name", "categoryId"])
def test_a_status_that_is_missing_with_others_is_the_others_matter(missing: str) -> None:
    assert by("CREATE-4", posted(NEW, 201, {"id": 7, missing: PET[missing]})) is None


def test_a_default_for_a_status_that_was_not_sent_is_open() -> None:
    assert by("CREATE-4", posted(without("status", NEW), 201, PET)) is None


@pytest.mark.parametrize(
    "found",
    [
        posted(status=200),
        posted(status=400),
        posted(body=[PET]),
        posted(body=b"<html>"),
        posted(NEW | {"id": 9}),
        posted(NEW | {"categoryId": 1.0}),
        posted(NEW | {"name": "\ud800"}),
        posted({}),
        posted(None),
        posted(status=Silence.RESET),
        exchange(GET, 201, PET, asked=NEW),
        exchange(CREATE, 201, PET, asked=NEW, credential=Credential.RANDOM),
    ],
    ids=range(12),
)
def test_where_nothing_has_to_come_back(found: Exchange) -> None:
    grounds = Grounds(LAST_DAY, categories=frozenset({3}))
    other = exchange(
        found.request.operation,
        found.status or Silence.RESET,
        {"name": "Tex", "categoryId": 9, "status": "pending"} if found.status != 201 else b"[]",
        asked=found.request.body,
        credential=found.request.credential,
    )
    for one in (found, other):
        assert [by(f"CREATE-{number}", one, grounds) for number in (2, 3, 4)] == [None] * 3


# ---- the status of a POST


@pytest.mark.parametrize(
    ("requirement", "body", "right", "problem"),
    [
        ("CREATE-1", NEW, (201,), '201 is due for a name of 3 printable ASCII characters and status "sold"'),
        ("CREATE-5", None, (400,), "400 is due with no body"),
        ("CREATE-5", b"{", (400,), "400 is due with a body that is no JSON"),
        ("CREATE-6", {"name": "Rex"}, (400,), "400 is due with no `categoryId`"),
        ("CREATE-7", NEW | {"name": 5}, (400,), "400 is due with an integer as `name`"),
        ("CREATE-8", NEW | {"categoryId": "1"}, (400,), "400 is due with a string as `categoryId`"),
        (
            "CREATE-9",
            NEW | {"categoryId": 2**63},
            (400,),
            "400 is due with 9223372036854775808, which is beyond int64, as `categoryId`",
        ),
        ("CREATE-10", NEW | {"status": "SOLD"}, (400,), '400 is due with "SOLD" as `status`'),
        ("CREATE-14", NEW | {"name": ""}, (201, 400), "201 or 400 is due for a name of 0 characters"),
        (
            "CREATE-14",
            NEW | {"categoryId": 5},
            (201, 400),
            "201 or 400 is due for categoryId 5, which no listed animal has",
        ),
    ],
    ids=short,
)
def test_the_status_of_a_post(requirement: str, body: object, right: Iterable[int], problem: str) -> None:
    of_status = {"CREATE-1", "CREATE-14", *(f"CREATE-{number}" for number in range(5, 11))}
    for status in (200, 201, 202, 400, 403, 404, 409, 413, 422, 500, 503):
        found = posted(body, status, b"")
        assert by(requirement, found) == (HOLDS if status in right else problem)
        assert {by(other, found) for other in of_status - {requirement}} == {None}


@pytest.mark.parametrize("body", [NEW | {"id": 1}, NEW | {"categoryId": 1.0}, NEW | {"name": "\ud800"}], ids=range(3))
def test_any_answer_is_right_to_a_body_that_is_open(body: object) -> None:
    for status in (200, 201, 400, 422, 500):
        assert {by(name, posted(body, status)) for name in POSTED} == {None}


@pytest.mark.parametrize(
    ("status", "credential"),
    [
        (401, Credential.VALID),
        (429, Credential.VALID),
        (Silence.TIMEOUT, Credential.VALID),
        (401, Credential.MISSING),
        (201, Credential.MISSING),
        (400, Credential.CUT),
    ],
    ids=range(6),
)
def test_no_rule_of_a_post_judges_what_was_not_looked_at(status: int | Silence, credential: Credential) -> None:
    for body in (NEW, NEW | {"name": ""}, None, {}, NEW | {"status": "SOLD"}):
        found = exchange(CREATE, status, PET, asked=body, credential=credential)
        assert {by(name, found) for name in POSTED} == {None}


def test_other_operations_have_no_body_to_judge() -> None:
    assert {
        by(name, exchange(operation, 201, PET, asked=NEW)) for name in POSTED for operation in (LIST, GET, ORDERS)
    } == {None}


# ---- the key


@pytest.mark.parametrize("operation", Operation)
def test_a_valid_key_is_not_refused(operation: Operation) -> None:
    assert by("AUTH-7", exchange(operation, 401)) == "the key is valid"
    assert [by("AUTH-7", exchange(operation, status)) for status in (200, 400, 403, 404, 429, 500)] == [HOLDS] * 6
    assert by("AUTH-7", exchange(operation, Silence.RESET)) is None
    assert by("AUTH-7", exchange(operation, 401, credential=Credential.CUT)) is None
    assert by("AUTH-7", exchange(operation, 401), Grounds(REMOVED)) == (
        None if operation is GET else "the key is valid"
    )


# ---- errors


@pytest.mark.parametrize(
    ("requirement", "body", "problem"),
    [
        ("ERROR-1", [ERROR], "the body is an array, "),
        ("ERROR-1", b"null", "the body is null, null"),
        ("ERROR-1", "no", 'the body is a string, "no"'),
        ("ERROR-2", without("code", ERROR), "the Error has no `code`"),
        ("ERROR-2", ERROR | {"code": 7}, "`code` is an integer, 7; a string is due"),
        ("ERROR-3", without("message", ERROR), "the Error has no `message`"),
        ("ERROR-3", ERROR | {"message": None}, "`message` is null, null; a string is due"),
        ("ERROR-4", without("status", ERROR), "the Error has no `status`"),
        ("ERROR-4", ERROR | {"status": 422}, "`status` is 422 in a response of 400"),
        ("ERROR-4", ERROR | {"status": "400"}, '`status` is a string, "400"; the integer 400 is due'),
    ],
    ids=short,
)
def test_what_is_wrong_with_an_error(requirement: str, body: object, problem: str) -> None:
    told = by(requirement, refused(body))
    assert told is not None
    assert told.startswith(problem)
    shape = {f"ERROR-{number}" for number in range(1, 5)} - {requirement}
    assert {by(other, refused(body)) for other in shape} == {None if requirement == "ERROR-1" else HOLDS}


def test_errors_that_are_well() -> None:
    for body in (ERROR, ERROR | {"status": 400.0, "more": []}):
        assert [by(f"ERROR-{number}", refused(body)) for number in range(1, 6)] == [HOLDS] * 5


@pytest.mark.parametrize(
    "found",
    [
        refused(b"<html>"),
        refused(b""),
        exchange(CREATE, 422, {}, asked={}),
        exchange(status=429, body={}),
        exchange(ORDERS, 404, {}),
        exchange(GET, 404, {}, path="/pets/abc"),
        SILENT,
    ],
    ids=range(7),
)
def test_where_no_error_is_due_none_is_judged(found: Exchange) -> None:
    assert [by(f"ERROR-{number}", found) for number in range(1, 5)] == [None] * 4
    assert error_in(found, LAST_DAY) is None


def test_an_error_with_its_response() -> None:
    found = refused(b"null")
    assert error_in(found, LAST_DAY) == (None, found.answer)


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize("credential", [Credential.VALID, Credential.MISSING])
def test_a_5xx_is_never_documented(operation: Operation, credential: Credential) -> None:
    def told(status: int) -> Judgement:
        return by("ERROR-5", exchange(operation, status, credential=credential))

    assert {told(status) for status in (500, 501, 505, 599)} == {"a 5xx is never documented"}
    # a gateway's trouble counts where it comes twice, which takes more than one exchange to tell
    assert {told(status) for status in (200, 201, 302, 400, 401, 404, 422, 429, 499, 502, 503, 504)} == {HOLDS}


def test_the_other_operations_are_judged_after_the_removal_too() -> None:
    after = {operation: by("ERROR-5", exchange(operation, 500), Grounds(REMOVED)) for operation in Operation}
    assert {operation for operation, problem in after.items() if problem} == {LIST, CREATE, ORDERS}
    assert after[GET] is None


# ---- rate limit headers


@pytest.mark.parametrize(
    ("headers", "broken"),
    [
        (rates(60, 59, unix(60)), None),
        (rates(60, 0, unix(86_400)), None),
        (rates(None, 59, unix(60)), "RATE-1"),
        (rates(0, 0, unix(60)), "RATE-1"),
        (rates(60, None, unix(60)), "RATE-2"),
        (rates(60, 61, unix(60)), "RATE-2"),
        (rates(60, 59, None), "RATE-3"),
        (rates(60, 59, 60), "RATE-3"),
    ],
    ids=range(8),
)
def test_rate_limit_headers(headers: list[tuple[str, str]], broken: str | None) -> None:
    found = exchange(headers=headers)
    assert [bool(by(name, found)) for name in RATE_HEADERS] == [name == broken for name in RATE_HEADERS]


@pytest.mark.parametrize("operation", Operation)
def test_rate_limit_headers_are_due_on_every_response(operation: Operation) -> None:
    for credential in (Credential.VALID, Credential.EMPTY):
        for status in (200, 400, 401, 404, 422, 429, 499):
            good = exchange(operation, status, headers=rates(60, 59, unix(60)), credential=credential)
            assert [by(name, good) for name in RATE_HEADERS] == [HOLDS] * 3
            bare = exchange(operation, status, credential=credential)
            assert all(by(name, bare) for name in RATE_HEADERS)


@pytest.mark.parametrize("status", [500, 501, 502, 503, 599])
def test_rate_limit_headers_are_not_judged_on_a_5xx(status: int) -> None:
    found = exchange(status=status, headers=rates(7, -1, None))
    assert [by(name, found, Grounds(LAST_DAY, PLANS["free"])) for name in (*RATE_HEADERS, "RATE-5")] == [None] * 4


@pytest.mark.parametrize(
    ("plan", "limit", "problem"),
    [
        ("free", 60, HOLDS),
        ("free", 1000, HOLDS),
        ("free", 61, "X-RateLimit-Limit is 61; on the plan free it is 60 or 1,000"),
        ("business", 100_000, HOLDS),
        ("business", 10_000, "X-RateLimit-Limit is 10000; on the plan business it is 1,000 or 100,000"),
        ("enterprise", 7, HOLDS),
        ("free", 0, None),
        ("free", None, None),
        ("free", "many", None),
        (None, 61, None),
    ],
)
def test_the_limit_of_a_plan(plan: str | None, limit: object, problem: Judgement) -> None:
    grounds = Grounds(LAST_DAY, PLANS[plan] if plan else None)
    headers = rates(limit, 5, unix(60))
    assert by("RATE-5", exchange(headers=headers), grounds) == problem
    assert by("RATE-5", exchange(status=429, headers=headers), grounds) == problem
    assert by("RATE-5", exchange(headers=headers, credential=Credential.MISSING), grounds) is None
    assert by("RATE-5", exchange(GET, 404, headers=headers, path="/pets/abc"), grounds) is None
    assert by("RATE-5", SILENT, grounds) is None
