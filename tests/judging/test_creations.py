"""The animals in a record that were created, read and listed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange, Silence
from petcheck.json_values import Json
from petcheck.judging.creations import (
    Creation,
    categories_in,
    creations_in,
    found_in,
    listed_in,
    name_in,
    posts_in,
    read_sight,
    reads_in,
    shared_in,
    still_there,
    taken,
)
from petcheck.judging.decision import Proof
from petcheck.judging.judgement import Known, Problem
from petcheck.judging.pages import Sight
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, short

LIST, CREATE, GET, _ORDERS = Operation
NEW: dict[str, Json] = {"name": "Rex", "categoryId": 1}
PET = NEW | {"id": 7}


def posted(asked: object = NEW, status: int = 201, body: object = PET, index: int = 0) -> Exchange:
    return exchange(CREATE, status, body, asked=asked, index=index)


def page(*animals: object, index: int = 0) -> Exchange:
    return exchange(LIST, 200, list(animals), index=index)


SHOWN = page(PET)


def test_a_problem_points_to_the_animal_in_the_answer() -> None:
    problem = Problem("wrong", "body:/name")
    read, listed = Sight(SHOWN, PET), Sight(SHOWN, PET, 0)
    assert [read.proof(), read.proof(problem)] == [Proof(SHOWN, "body"), Proof(SHOWN, "body:/name")]
    assert [listed.proof(), listed.proof(problem)] == [Proof(SHOWN, "body:/0"), Proof(SHOWN, "body:/0/name")]


def test_an_animal_is_created_by_a_201_with_an_id() -> None:
    sold = posted(NEW | {"status": "sold"}, index=1)
    odd = posted(NEW | {"status": 5}, index=2)
    keyless = exchange(CREATE, 201, PET, asked=NEW, credential=Credential.RANDOM)
    read = exchange(GET, 201, PET, asked=NEW)
    others = [posted(status=200), posted(body=[PET]), posted(body={}), posted(body=NEW), posted(body=b"{"), read]
    record = [*others, posted(), keyless, sold, odd]
    assert creations_in(record) == [
        Creation(posted(), 7, PET, None),
        Creation(sold, 7, PET, "sold"),
        Creation(odd, 7, PET, None),
    ]
    assert list(posts_in(record)) == [*others[:-1], posted(), sold, odd]
    assert still_there(record) == [Creation(odd, 7, PET, None)]


def test_reads_are_gets_of_an_int64_with_a_key() -> None:
    read = exchange(GET, 404, path="/pets/-9")
    keyless = exchange(GET, path="/pets/8", credential=Credential.RANDOM)
    assert list(reads_in([exchange(GET, path="/pets/x"), keyless, read, SHOWN])) == [(-9, read)]


def test_what_was_found_in_the_order_of_the_requests() -> None:
    first, second = (exchange(GET, 200, PET, path=f"/pets/{number}") for number in (9, 4))
    assert found_in([first, exchange(GET, 404, path="/pets/3"), second, first]) == [9, 4, 9]


def test_a_read_shows_an_animal_with_200_and_an_object() -> None:
    assert read_sight(exchange(GET, 200, PET)) == Sight(exchange(GET, 200, PET), PET)
    others = [exchange(GET, 201, PET), exchange(GET, 200, []), exchange(GET, 200, b"{"), exchange(GET, Silence.RESET)]
    assert [read_sight(other) for other in others] == [None] * 4


def test_listed_animals_have_an_id() -> None:
    again = page(PET, index=1)
    both = page(NEW, "Rex", PET)
    assert listed_in([both, again]) == {7: [Sight(both, PET, 2), Sight(again, PET, 0)]}


def test_categories_of_listed_animals_exist_if_they_are_int64() -> None:
    numbers: list[object] = [1.0, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, "5", None]
    animals = [{"id": n, "categoryId": number} for n, number in enumerate(numbers)]
    assert categories_in([page(*animals, {"id": 9})]).keys() == {1, 2**63 - 1, -(2**63)}


def test_categories_that_a_201_repeats_exist() -> None:
    kept = posted(NEW | {"categoryId": 3}, body=PET | {"categoryId": 3})
    changed = posted(NEW | {"categoryId": 4}, body=PET | {"categoryId": 5})
    assert categories_in([kept, changed, posted(b"{", body=PET | {"categoryId": 6})]).keys() == {3}


def test_a_category_is_known_no_longer_if_the_widest_page_lacks_it_later() -> None:
    first, again, empty = page(PET), page(PET, index=40), page(index=60)
    assert categories_in([first, again, empty]) == {1: Known(first.finished)}
    widest = exchange(LIST, 200, [], path="/pets?limit=100", index=60)
    assert categories_in([first, again, widest]) == {1: Known(first.finished, again.finished - 10.0)}
    at_once = replace(widest, sent=again.finished)
    assert categories_in([first, again, at_once]) == {1: Known(first.finished, again.finished - 10.0)}
    assert categories_in([first, widest, page(PET, index=61)]) == {1: Known(first.finished)}


def test_a_get_can_be_sent_again() -> None:
    assert exchange(GET, path="/pets/-9").request.call == Call(GET, pet_id="-9")
    assert exchange(LIST, path="/pets?limit=5&status=sold").request.call == Call(
        LIST, query=(("limit", "5"), ("status", "sold"))
    )


def test_an_id_is_shared_by_different_animals_on_a_page_or_of_a_burst() -> None:
    def made(name: str, burst: int | None) -> Exchange:
        asked = {"name": name, "categoryId": 1}
        return replace(exchange(CREATE, 201, {"id": 7, **asked}, asked=asked), burst=burst)

    rex, tex = {"id": 7, "name": "Rex"}, {"id": 7, "name": "Tex"}
    assert shared_in([exchange(body=[rex, tex])]) == shared_in([made("Rex", 1), made("Tex", 1)]) == {7}
    assert shared_in([exchange(body=[rex, rex]), exchange(body=[tex])]) == frozenset()
    assert shared_in([made("Rex", 1), made("Tex", 2), made("Max", None), made("Kim", None)]) == frozenset()
    assert still_there([made("Rex", 1), made("Tex", 1)]) == []


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"name": "Rex", "categoryId": 1}', "Rex"),
        (b'{"name": "Rex", "categoryId": "one"}', "Rex"),
        (b'{"name": 7, "categoryId": 1}', None),
        (b'{"Name": "Rex"}', None),
        (b'["Rex"]', None),
        (b"{", None),
        (b"", None),
        (None, None),
    ],
    ids=short,
)
def test_the_name_in_a_body(body: bytes | None, name: str | None) -> None:
    assert name_in(body) == name


def test_a_name_is_taken_by_the_first_post_that_created_an_animal_of_that_name() -> None:
    def named(name: object, status: int = 201, index: int = 0) -> Exchange:
        return exchange(CREATE, status, PET, asked={"name": name, "categoryId": 1}, index=index)

    first = named("Rex", index=3)
    record = [named("Rex", 400), named("Rex", 202, 1), named("Tex", index=2), first, named("Rex", index=4), named(7)]
    assert taken("Rex", record) is first
    assert taken("Max", record) is None
    assert taken(None, record) is None
