"""What a run asks again at its end."""

from __future__ import annotations

from petcheck.call import Call, read_call
from petcheck.exchange import Exchange
from petcheck.judging.once import WholeRecord
from petcheck.plan.ending import ending
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

GET = Operation.GET_PET

PETS = [
    {"id": 1, "name": "Rex", "categoryId": 1, "status": "sold"},
    {"id": 2, "name": "Tom", "categoryId": 1, "status": "sold"},
    {"id": 3, "name": "Kit", "categoryId": 1},
    {"id": 4, "name": "Sam", "categoryId": 1, "status": "pending"},
]


def test_an_animal_of_each_status_that_was_not_read_is_read() -> None:
    record = WholeRecord([exchange(body=PETS, index=0), exchange(GET, body=PETS[1], path="/pets/2", index=1)])
    calls = ending(record)
    assert [number for number in range(1, 5) if read_call(number) in calls] == [1, 3, 4]


def test_of_a_status_an_animal_of_another_category_comes_first() -> None:
    pets = [
        *PETS,
        {"id": 5, "name": "Ann", "categoryId": 2, "status": "pending"},
        {"id": 6, "name": "Jo", "categoryId": 2},
    ]
    record = WholeRecord([exchange(body=pets, index=0), exchange(GET, body=pets[1], path="/pets/2", index=1)])
    calls = ending(record)
    assert [number for number in range(1, 7) if read_call(number) in calls] == [1, 5, 6]


def test_what_was_sold_before_the_run_comes_first_even_if_an_animal_that_it_sold_was_read() -> None:
    created = {"name": "Ann", "categoryId": 3, "status": "sold"}
    record = WholeRecord(
        [
            exchange(body=PETS[1:], index=0),
            exchange(Operation.CREATE_PET, status=201, asked=created, body={"id": 9, **created}, index=1),
            exchange(GET, body={"id": 9, **created}, path="/pets/9", index=2),
        ]
    )
    older = [call for call in ending(record) if call.operation is GET and call != read_call(9)]
    assert older == [read_call(2), read_call(3), read_call(4)]


def test_an_animal_first_seen_after_the_first_post_is_none_from_before_the_run() -> None:
    created = {"name": "Ann", "categoryId": 3, "status": "sold"}
    chunked = {"id": 9, "name": "petcheck 0badcafe in chunks", "categoryId": 3}
    record = WholeRecord(
        [
            exchange(body=PETS[:2], index=0),
            exchange(Operation.CREATE_PET, status=201, asked=created, body={"id": 8, **created}, index=1),
            exchange(body=[*PETS[:2], {"id": 8, **created}, chunked], index=2),
        ]
    )
    calls = ending(record)
    assert [number for number in range(1, 10) if read_call(number) in calls] == [1, 2, 8]


def test_of_the_animals_of_the_run_one_without_a_status_is_read_unless_one_was() -> None:
    sent = [{"name": f"n{number}", "categoryId": 1, "status": "sold"} for number in range(4)]
    del sent[1]["status"]
    posts = [
        exchange(Operation.CREATE_PET, status=201, asked=pet, body={"id": 10 + place, **pet}, index=place)
        for place, pet in enumerate(sent)
    ]
    read = exchange(GET, body={"id": 11, **sent[1]}, path="/pets/11", index=5)
    newest_and_first = [read_call(13), read_call(10)]
    assert reads(posts)[:3] == [*newest_and_first, read_call(11)]
    odd = {"name": "Zoë", "categoryId": 1, "status": "sold"}
    oddest = exchange(Operation.CREATE_PET, status=201, asked=odd, body={"id": 12, **odd}, index=2)
    assert reads([*posts[:2], oddest, posts[3], read])[:3] == [*newest_and_first, read_call(12)]


def reads(record: list[Exchange]) -> list[Call]:
    """The animals of the run that the end reads."""
    return [call for call in ending(WholeRecord(record)) if call in map(read_call, range(10, 14))]


def test_the_orders_are_asked_again() -> None:
    assert Call(Operation.STORE_ORDERS) in ending(WholeRecord([exchange(body=PETS)]))[:4]


def test_an_animal_whose_id_was_not_found_before_is_read() -> None:
    created = [{"name": name, "categoryId": 1, "id": number} for number, name in ((7, "Ann"), (8, "Jo"), (9, "Kit"))]
    posts = [
        exchange(Operation.CREATE_PET, 201, body, asked={"name": body["name"], "categoryId": 1}, index=place)
        for place, body in enumerate(created, 1)
    ]
    missed = exchange(GET, 404, path="/pets/8", index=0)
    assert read_call(8) in ending(WholeRecord([missed, *posts]))[:4]
    assert read_call(8) not in ending(WholeRecord(posts))[:4]


def test_the_last_animals_of_the_pages_are_read() -> None:
    pets = [{"id": number, "name": "Rex", "categoryId": 1, "status": "sold"} for number in range(1, 31)]
    assert read_call(30) in ending(WholeRecord([exchange(body=pets)]))


def test_two_animals_of_the_run_that_the_widest_page_lacks_are_read_unless_it_shows_none() -> None:
    names = ("Rex", "Tom", "Kit", "Rex 🐈", "Ann")
    bodies = [{"name": name, "categoryId": 1, "status": "sold"} for name in names]
    posts = [
        exchange(Operation.CREATE_PET, status=201, asked=body, body={"id": number, **body}, index=number)
        for number, body in enumerate(bodies)
    ]

    def first_read(*shown: int) -> list[Call]:
        page = exchange(path="/pets?limit=100", body=[{"id": number, **bodies[number]} for number in shown], index=9)
        return [call for call in ending(WholeRecord([*posts, page])) if call.operation is GET][:3]

    newest, first = read_call(4), read_call(0)
    assert first_read(1, 4) == [newest, first, read_call(2)]
    assert first_read(0, 1, 4) == [newest, read_call(2), read_call(3)]
    assert first_read() == [newest, first, read_call(3)]
