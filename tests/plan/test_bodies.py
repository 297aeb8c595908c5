"""The bodies that a run posts: certainly valid ones in several categories, and one defect each."""

from __future__ import annotations

import json
import string

import pytest

from petcheck.judging.request_bodies import PLAIN_NAME_LENGTH, Due, asked_for
from petcheck.plan.bodies import defects, nameless_posts, signs_name, twins, valid_pets, wrong_statuses
from petcheck.spec.figures import STATUSES

RUN = "0a1b2c3d"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("categories", [(4,), (4, 7), (0, 4, 7)])
def test_valid_animals_are_in_different_categories_as_far_as_there_are_any(
    categories: tuple[int, ...], seed: int
) -> None:
    pets = valid_pets(RUN, categories, seed)
    assert {pet.plain["categoryId"] for pet in pets} == set(categories[:2])
    asked = [asked_for(json.dumps(pet.plain).encode(), categories) for pet in pets]
    assert {(one.due, one.requirement) for one in asked} == {(Due.CREATED, "CREATE-1")}


def test_four_seeds_send_each_odd_name_and_category_with_each_status() -> None:
    pets = [valid_pets(RUN, (4,), seed) for seed in range(8, 12)]
    for place in range(4):
        assert {several[place].status for several in pets} == {*STATUSES, None}
    for pet in (pet for several in pets for pet in several):
        assert all(body.get("status") == pet.status for body in (pet.plain, *pet.extremes))


def test_twins_differ_in_one_member_and_have_names_of_other_animals() -> None:
    for seed in range(8):
        pets = valid_pets(RUN, (4, 7), seed)
        one, other = twins(pets, seed)
        differing = [name for name in one if one[name] != other.get(name)]
        assert differing == (["name"] if seed % 2 else ["status"])
        assert {one["name"], other["name"]} <= {pet.plain["name"] for pet in pets}
        names = [one["name"], other["name"], *((*pet.extremes, pet.plain)[0]["name"] for pet in pets)]
        assert len({*names}) == len(names) - 2  # two animals are lost if a name is taken once only


def test_each_defect_is_the_one_that_its_requirement_refuses() -> None:
    for defect in (defect for seed in range(6) for defect in defects(RUN, 4, 99, seed)):
        body = defect.body if isinstance(defect.body, bytes) else json.dumps(defect.body).encode()
        asked = asked_for(body, (4,))
        assert (asked.due, asked.requirement) == (Due.REFUSED, defect.requirement), defect.label


@pytest.mark.parametrize("seed", range(4))
def test_a_body_without_a_name_must_be_refused_and_is_another_with_the_next_seed(seed: int) -> None:
    calls = nameless_posts(RUN, 4, seed)
    assert [asked_for(call.body, (4,)).due for call in calls] == [Due.REFUSED] * 2
    assert not {*calls} & {*nameless_posts(RUN, 4, seed + 1)}
    assert [bool(call.query) for call in calls] == [False, calls[1].body == b"{}"]


def test_each_member_is_left_out_alone_and_one_is_misspelt_in_two_ways() -> None:
    for seed in range(6):
        bodies = {one.label: one.body for one in defects(RUN, 4, 99, seed) if one.requirement == "CREATE-6"}
        sent = {label: set(body) for label, body in bodies.items() if isinstance(body, dict)}
        assert sent["no-name"] == {"categoryId", "status"}
        assert sent["no-category"] == {"name", "status"}
        assert sent["misspelt"] == {"name", "CategoryId", "category_id", "status"}


def test_the_next_seed_sends_another_value_of_a_kind() -> None:
    several = [{defect.label: defect.body for defect in defects(RUN, 4, 99, seed)} for seed in range(3)]
    statuses = [body["status"] for one in several if isinstance(body := one["status-type"], dict)]
    assert [json.dumps(status) for status in statuses] == ["true", "1", "false"]
    arrays = [json.loads(body) for one in several if isinstance(body := one["array"], bytes)]
    assert [type(one[0]) if isinstance(one, list) else type(one) for one in arrays] == [str, str, dict]


@pytest.mark.parametrize("seed", range(6))
def test_each_seed_has_the_statuses_that_careless_code_accepts_and_one_with_a_structure(seed: int) -> None:
    *plain, structured = wrong_statuses(seed)
    assert sorted(map(json.dumps, plain)) == ["1", "false", "true"]
    assert isinstance(structured, list | dict)


def test_twenty_seeds_have_each_status_with_a_structure() -> None:
    structured = {json.dumps(wrong_statuses(seed)[-1]) for seed in range(20)}
    assert structured == {'["pending"]', '{"pending": null}', "[]", "{}"}


@pytest.mark.parametrize(("category", "fraction"), [(4, "4.5"), (-7, "-7.5"), (2**51, "1.5")])
def test_a_fraction_is_near_a_category_that_exists(category: int, fraction: str) -> None:
    (body,) = (one.body for one in defects(RUN, category, 99) if one.label == "category-fraction")
    assert isinstance(body, bytes)
    assert f'"categoryId": {fraction}}}'.encode() in body


def test_one_name_has_every_sign_of_ascii() -> None:
    name = signs_name(RUN)
    asked = asked_for(json.dumps({"name": name, "categoryId": 4}).encode(), (4,))
    assert (asked.due, len(name)) == (Due.CREATED, PLAIN_NAME_LENGTH)
    assert set(string.punctuation) <= set(name)
