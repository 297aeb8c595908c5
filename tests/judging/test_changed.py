"""How an animal is shown that differs from its 201, and whether two of the run changed alike (section 4.2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from petcheck.call import Call, page_call, read_call
from petcheck.judging.changed import Changed, changed_alike, difference, failed_alike, unlike_created
from petcheck.judging.creations import Creation, creations_in, read_sight
from petcheck.judging.decision import Ask, Failed, Proof, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.pages import Sight, sights_in
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

_LIST, CREATE, GET, _ORDERS = Operation
READING = Grounds(date(2030, 12, 4))
WRITING = replace(READING, writes=True)
DUE = 10.1
"""When every answer must show an animal: its POST ends at 0.1 s."""


def pet(number: int, **members: object) -> dict[str, object]:
    members = {"id": number, "name": f"Rex {number}", "categoryId": 1, "status": "sold"} | members
    return {name: value for name, value in members.items() if value != "left out"}


def made(number: int, *, asked: object = None, **members: object) -> Creation:
    body = pet(number, **members)
    sent = {name: value for name, value in body.items() if name != "id"} if asked is None else asked
    (one,) = creations_in([exchange(CREATE, 201, body, asked=sent, index=number, sent=0.0)])
    return one


def read(number: int, sent: float = 12.0, **members: Any) -> Sight:
    sight = read_sight(exchange(GET, body=pet(number, **members), path=f"/pets/{number}", sent=sent))
    assert sight is not None
    return sight


def changed(number: int, **members: Any) -> Changed:
    found = difference(made(number), read(number, **members))
    assert found is not None
    return found


# ---- one animal


@pytest.mark.parametrize(
    ("created", "shown", "ways"),
    [
        ({"name": "Rex"}, {"name": "Tom"}, {("name", '`name` is "Tom" instead of "Rex"')}),
        ({"name": "Rex"}, {"name": "Re"}, {("name", '`name` is "Re" instead of "Rex"'), ("name", "cut")}),
        ({"name": "Rex"}, {"name": "Rexx"}, {("name", '`name` is "Rexx" instead of "Rex"'), ("name", "longer")}),
        ({"name": "Rex"}, {"name": "a Rex"}, {("name", '`name` is "a Rex" instead of "Rex"'), ("name", "longer")}),
        ({"name": "Rex"}, {"name": "REX"}, {("name", '`name` is "REX" instead of "Rex"'), ("name", "case")}),
        ({"name": " Rex"}, {"name": "Rex"}, {("name", '`name` is "Rex" instead of " Rex"'), ("name", "trimmed")}),
        (
            {"categoryId": 1},
            {"categoryId": 3},
            {("categoryId", "`categoryId` is 3 instead of 1"), ("categoryId", "+2"), ("categoryId", "always 3")},
        ),
        (
            {"categoryId": 9},
            {"categoryId": 7},
            {
                ("categoryId", "`categoryId` is 7 instead of 9"),
                ("categoryId", "-2"),
                ("categoryId", "always 7"),
                ("categoryId", "the id"),
            },
        ),
        # 1.0 counts as an integer, and is compared only as a whole
        ({"categoryId": 1.0}, {"categoryId": 3}, {("categoryId", "`categoryId` is 3 instead of 1.0")}),
        ({"status": "sold"}, {"status": "pending"}, {("status", '`status` is "pending" instead of "sold"')}),
        ({"status": None}, {"status": "sold"}, {("status", '`status` is "sold" instead of missing')}),
        (
            {"status": "sold"},
            {"status": "left out"},
            {("status", '`status` is missing instead of "sold"'), ("status", "lost")},
        ),
    ],
    ids=range(12),
)
def test_the_ways_in_which_a_member_changed(
    created: dict[str, Any], shown: dict[str, Any], ways: set[tuple[str, str]]
) -> None:
    found = difference(made(7, **created), read(7, **{"name": "Rex 7"} | created | shown))
    assert found is not None
    assert found.ways == ways


def test_a_difference_names_all_members_and_shows_the_first() -> None:
    one, page = made(7), exchange(path="/pets", body=[pet(5), pet(7, name="Tom", categoryId=3)])
    assert page.page is not None
    _, (_, sight) = sights_in(page)
    found = difference(one, sight)
    assert found is not None
    assert found.one is one
    assert found.texts == ['`name` is "Tom" instead of "Rex 7"', "`categoryId` is 3 instead of 1"]
    assert found.failed == Failed(
        'GET /pets does not match the 201 for animal 7: `name` is "Tom" instead of "Rex 7"; `categoryId` is 3 instead '
        "of 1 (section 4.2).",
        (Proof(one.exchange, "body:/name"), Proof(page, "body:/1/name")),
    )
    assert difference(one, read(7)) is None


def test_a_difference_counts_if_the_latest_two_sights_share_it_and_the_last_is_late() -> None:
    one = made(7)
    first, last = read(7, 1.0, name="Tom"), read(7, DUE, name="Tom")
    assert unlike_created([(one, []), (one, [read(7, name="Tom"), read(7)])]) == ([], [])
    assert unlike_created([(one, [first, last])]) == ([difference(one, last)], [])
    other, soon = read(7, 1.0, name="Tim"), read(7, 10.0, name="Tom")
    for sights in ([last], [other, last], [read(7, 1.0), last], [first, other, last], [first, soon]):
        ask = Ask(
            (read_call(7),),
            Undecided(
                "Animal 7 changes between requests; another client may be changing it. Run again.",
                examined=(one.exchange, sights[-1].exchange),
                doubtful=True,
            ),
            DUE,
        )
        assert unlike_created([(one, sights)]) == ([], [ask])
        assert unlike_created([(one, sights), (one, [first, last]), (one, [])]) == ([difference(one, last)], [ask])


# ---- several animals


def test_animals_that_changed_in_one_way_fail_together() -> None:
    first, other, third = changed(7, name="Re"), changed(8, name="R"), changed(9, name="Rex")
    alone = changed(6, name="Tom")
    assert failed_alike([]) is None
    assert failed_alike([alone, first]) is None
    text = 'GET /pets/7 does not match the 201 for animal 7: `name` is "Re" instead of "Rex 7" (section 4.2); also '
    assert failed_alike([alone, first, other]) == Failed(
        f"{text}animal 8.", (*first.failed.proofs, *other.failed.proofs)
    )
    assert failed_alike([first, other, third]) == Failed(
        f"{text}animals 8, 9.", (*first.failed.proofs, *other.failed.proofs, *third.failed.proofs)
    )


PAGE = page_call(100)


def alike(
    first: Changed, sights: dict[int, list[Sight]], *others: Creation, grounds: Grounds = READING
) -> Failed | Ask | Undecided:
    decision = changed_alike([first], sights, [*others, first.one], grounds, read_call)
    assert isinstance(decision, Failed | Ask | Undecided)
    return decision


def test_another_animal_of_the_run_is_looked_at_then_the_same_body_is_posted_again() -> None:
    first = changed(7, name="Re")
    body = first.one.exchange.request.body
    reason = f"{first.failed.text} Another client may have changed the animal. Run again."
    undecided = Undecided(reason, examined=tuple(proof.exchange for proof in first.failed.proofs), doubtful=True)
    # nothing can be compared
    assert alike(first, {}) == undecided
    posted_again = Ask((Call(CREATE, body=body),), undecided)
    assert alike(first, {}, grounds=WRITING) == posted_again
    # one that was not looked at when it was due, if there is no other
    asked = Ask((read_call(8),), undecided, DUE)
    seen: list[dict[int, list[Sight]]] = [{}, {8: []}, {8: [read(8, 10.0)]}]
    for sights in seen:
        for grounds in (READING, WRITING):
            assert alike(first, sights, made(8), grounds=grounds) == asked
    # one that was looked at is as created, or changed in another way
    for shown in (read(8, DUE), read(8, DUE, name="Tom")):
        assert alike(first, {8: [shown]}, made(8), grounds=WRITING) == posted_again
        assert alike(first, {8: [shown]}, made(8), made(9), grounds=READING) == undecided
    # it changed alike
    other = read(8, DUE, name="R")
    found = difference(made(8), other)
    assert found is not None
    assert alike(first, {8: [other]}, made(8)) == failed_alike([first, found])
    # the animal that was made from the same body
    twin = replace(made(9), exchange=replace(first.one.exchange, index=9))
    assert alike(first, {}, made(8), twin, grounds=WRITING) == Ask((read_call(9),), undecided, DUE)
    assert alike(first, {9: [read(9, DUE, name="Rex 7")]}, twin, grounds=WRITING) == undecided


@pytest.mark.parametrize(("status", "like"), [("sold", 9), ("left out", 8)])
def test_the_animal_to_look_at_has_a_status_if_the_changed_one_has(status: str, like: int) -> None:
    first = difference(made(7, status=status), read(7, status=status, name="Tom"))
    assert first is not None
    decision = alike(first, {}, made(8, status="left out"), made(9), made(6, status="left out"), made(5))
    assert isinstance(decision, Ask)
    assert decision.calls == (read_call(like),)


def test_what_shows_an_animal_may_be_one_page_for_all() -> None:
    first = changed(7, name="Re")
    decision: Any = changed_alike([first], {}, [first.one, made(8)], READING, lambda _number: PAGE)
    assert decision.calls == (PAGE,)
