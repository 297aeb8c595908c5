"""Sections 1, 2 and 4: documented bodies, and the resources in them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.exchange import Exchange
from petcheck.judging.apply import decide
from petcheck.judging.decision import Failed, Held, Undecided
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, Judgement, Problem
from petcheck.judging.rules import RULE
from petcheck.judging.rules.bodies import pets_in
from tests.judging.rules.said import (
    CREATE,
    GET,
    GROUNDS,
    LIST,
    ORDERS,
    PET,
    SILENT,
    by,
    concerned,
    got,
    page,
    posted,
    refused,
    text,
    without,
)
from tests.support.exchanges import exchange, short


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
    assert isinstance(by("SERVICE-1", found), Problem) is json
    assert isinstance(by("BODY-1", found), Problem) is media_type
    assert concerned(found) >= {"SERVICE-1", "BODY-1"}


def test_a_wrong_body_is_marked() -> None:
    html = exchange(body=b"<html>", headers=())
    assert by("SERVICE-1", html) == Problem('the body is not JSON: it begins with "<html>"', "body")
    assert by("BODY-1", html) == Problem("Content-Type is missing; expected `application/json`", "header:Content-Type")


@pytest.mark.parametrize(
    "found",
    [exchange(status=429, body=b"<html>"), exchange(status=204, body=b""), exchange(ORDERS, 200, b"<html>"), SILENT],
    ids=range(4),
)
def test_bodies_that_are_open(found: Exchange) -> None:
    assert (by("SERVICE-1", found), by("BODY-1", found)) == (NOT_CONCERNED, NOT_CONCERNED)


def test_a_body_that_is_not_read_leaves_it_undecided() -> None:
    well, long = got(PET), exchange(whole=False, index=1)
    assert by("SERVICE-1", long) is NOT_CONCERNED
    undecided = decide(RULE["SERVICE-1"], [well, long], GROUNDS)
    assert isinstance(undecided, Undecided)
    assert undecided.reason == "GET /pets: only a part of the body is known (2 bytes)."
    assert undecided.examined == (long,)
    open_body = exchange(ORDERS, 200, b"<html>", index=2)
    assert decide(RULE["SERVICE-1"], [open_body, SILENT, well], GROUNDS) == Held((well,))
    assert decide(RULE["SERVICE-1"], [SILENT], GROUNDS) == Undecided("No response had a documented body.")
    assert isinstance(decide(RULE["SERVICE-1"], [long, exchange(body=b"{")], GROUNDS), Failed)


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
def test_the_position_of_a_pet(found: Exchange, pets: list[object]) -> None:
    assert pets_in(found, GROUNDS) == pets


@pytest.mark.parametrize(
    ("requirement", "pet", "problem", "part"),
    [
        ("PET-1", without("id", PET), "the Pet has no `id`", ""),
        ("PET-1", PET | {"id": "7"}, '`id` is a string, "7"; expected an integer', "/id"),
        ("PET-1", PET | {"id": 2**63}, "`id` is 9223372036854775808, outside the int64 range", "/id"),
        ("PET-2", without("name", PET), "the Pet has no `name`", ""),
        ("PET-2", PET | {"name": 5}, "`name` is an integer, 5; expected a string", "/name"),
        ("PET-3", without("categoryId", PET), "the Pet has no `categoryId`", ""),
        (
            "PET-3",
            PET | {"categoryId": 1.5},
            "`categoryId` is a number with a fraction, 1.5; expected an integer",
            "/categoryId",
        ),
        (
            "PET-4",
            PET | {"status": "SOLD"},
            '`status` is "SOLD"; expected available, pending or sold',
            "/status",
        ),
    ],
    ids=short,
)
def test_what_is_wrong_with_a_pet(requirement: str, pet: dict[str, object], problem: str, part: str) -> None:
    alone = f"body:{part}" if part else "body"
    found = [(got(pet), alone), (posted(body=pet), alone), (page(PET, pet), f"body:/1{part}")]
    found.append((page(7, pet, pet), f"body:/1{part}"))
    assert [by(requirement, one) for one, _ in found] == [Problem(problem, part) for _, part in found]
    others = {"PET-1", "PET-2", "PET-3", "PET-4"} - {requirement}
    assert [by(other, one) for other in others for one, _ in found] == [HOLDS] * 12


OLDER = "; an earlier run of petcheck has created this animal: remove it"


@pytest.mark.parametrize(
    ("name", "older", "added"),
    [
        ("petcheck 0badcafe refused status-type", False, OLDER),
        ("=petcheck 0badcafe !", False, OLDER),
        ("0badcafe refused empty status", False, OLDER),
        ("petcheck 5eed0001 refused status-type", False, ""),
        ("5eed0001 refused empty status", False, ""),
        ("petcheck 5eed0001 refused status-type", True, OLDER),
        ("5eed0001 refused empty status", True, OLDER),
        ("Rex 0badcafe refused", True, ""),
    ],
)
@pytest.mark.parametrize("repeats", [True, False])
def test_a_wrong_animal_of_an_earlier_run_is_said_to_be_one(name: str, older: bool, added: str, repeats: bool) -> None:
    grounds = replace(GROUNDS, run="5eed0001", repeats=repeats, older=frozenset({8} if older else {7}))
    found = page(PET, PET | {"id": 8, "name": name, "status": "0"})
    said = '`status` is "0"; expected available, pending or sold'
    assert by("PET-4", found, grounds) == Problem(said + added, "body:/1/status")
    assert by("PET-4", page(PET | {"name": 7, "status": "0"}), grounds) == Problem(said, "body:/0/status")


def test_a_wrong_animal_that_should_be_there_comes_first() -> None:
    found = page(PET | {"id": 8, "status": "0"}, PET | {"id": 9, "status": "1"})
    said = '`status` is "1"; expected available, pending or sold'
    assert by("PET-4", found, replace(GROUNDS, unwanted=frozenset({8}))) == Problem(said, "body:/1/status")


@pytest.mark.parametrize(
    "pet",
    [PET | {"id": 7.0}, PET | {"id": -(2**63), "tag": None}, without("status", PET), PET | {"name": ""}],
    ids=short,
)
def test_valid_pets(pet: dict[str, object]) -> None:
    assert [by(f"PET-{number}", got(pet)) for number in range(1, 5)] == [HOLDS] * 4


def test_the_largest_int64_with_a_fraction_of_zero_is_read_exactly() -> None:
    body = b'{"id": 7, "name": "Rex", "categoryId": 9223372036854775807.0}'
    assert by("PET-3", got(body)) is HOLDS
    assert (
        text("PET-3", got(body.replace(b"807.0", b"808.0")))
        == "`categoryId` is 9223372036854775808.0, outside the int64 range"
    )


@pytest.mark.parametrize(
    ("body", "what"), [([PET], "an array"), (b"null", "null"), ("Rex", "a string"), (7, "an integer")]
)
def test_a_pet_that_is_not_an_object_breaks_one_requirement(body: object, what: str) -> None:
    for found in (got(body), posted(body=body)):
        assert by("PET-1", found) == Problem(f"the body is {what}; expected a Pet object", "body")
        assert [by(f"PET-{number}", found) for number in (2, 3, 4)] == [NOT_CONCERNED] * 3


@pytest.mark.parametrize(
    "found", [page(), page(7, "x"), exchange(body=b"<html>"), got(b"<html>"), SILENT], ids=range(5)
)
def test_without_a_pet_nothing_is_judged(found: Exchange) -> None:
    assert [by(f"PET-{number}", found) for number in range(1, 5)] == [NOT_CONCERNED] * 4


@pytest.mark.parametrize(
    ("body", "judgement"),
    [
        ([], HOLDS),
        ([PET], HOLDS),
        ({"pets": []}, Problem('the body is an object, {"pets": []}; expected a bare array', "body")),
        (b"null", Problem("the body is null; expected a bare array", "body")),
        ([PET, 7, 8], Problem("the item at index 1 is an integer, 7; expected a Pet object", "body:/1")),
        ([None, 7], Problem("the item at index 0 is null; expected a Pet object", "body:/0")),
        (b"<html>", NOT_CONCERNED),
        (b"", NOT_CONCERNED),
    ],
    ids=short,
)
def test_the_list_is_a_bare_array(body: object, judgement: Judgement) -> None:
    assert by("PETS-1", exchange(body=body)) == judgement


@pytest.mark.parametrize(
    "found", [got({}), exchange(LIST, 400, {}), exchange(ORDERS, 200, {}), exchange(CREATE, 201, {}), SILENT]
)
def test_what_is_not_a_list(found: Exchange) -> None:
    assert by("PETS-1", found) is NOT_CONCERNED
