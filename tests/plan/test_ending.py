"""What a run asks again at its end."""

from __future__ import annotations

from petcheck.call import Call, read_call
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
    assert [number for number in range(1, 7) if read_call(number) in calls] == [1, 4, 6]


def test_the_orders_are_asked_again() -> None:
    assert Call(Operation.STORE_ORDERS) in ending(WholeRecord([exchange(body=PETS)]))[:4]
