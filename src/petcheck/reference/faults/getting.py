"""Sections 4.3 and 4.4: one animal, and the store's orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from functools import partial

from petcheck.reference.behaviour import Change
from petcheck.reference.changes import aborted, animals, error, on_refusal, refused_with, served, with_status
from petcheck.reference.conforming import GET_PET_REMOVED
from petcheck.reference.messages import Answer, Operation
from petcheck.reference.seam import fault
from petcheck.reference.store import STATUSES, Animal, Store, changed

get = partial(fault, section="4.3", at=(Operation.GET,))
orders = partial(fault, section="4.4", at=(Operation.ORDERS,))

_GET, _ORDERS = (Operation.GET,), (Operation.ORDERS,)
_READ = "GET-1"  # what was created cannot be judged by an operation that never works
_SAME = "GET-2 CREATE-12"


def _always(answer: Answer) -> Change:
    return served(lambda served, call: answer)


def _unknown(answer: Answer) -> Change:
    return on_refusal(lambda refusal, call: answer, ("pet_not_found",))


def _removed(when: Callable[[date], bool]) -> Change:
    return lambda behaviour: replace(behaviour, removed=when)


def _after_removal(answer: Answer) -> Change:
    return on_refusal(lambda refusal, call: answer, ("operation_removed",))


def _finding(find: Callable[[int, Store], Animal | None]) -> Change:
    return lambda behaviour: replace(behaviour, find=find)


def _neighbour(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) and (store.find(animal_id - 1) or store.find(animal_id + 1))


def _oldest(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) and store.newest_first()[-1]


def _newest_for_unknown(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) or store.newest_first()[0]


def _echoed_for_unknown(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) or Animal(animal_id, "", 1)


def _rotated(status: str | None) -> str:
    return STATUSES[(STATUSES.index(status) + 1) % 3] if status in STATUSES else STATUSES[0]


FAULTS = [
    # an animal that exists
    *get("get-404", "No animal is ever found by its id.", _READ, _finding(lambda animal_id, store: None)),
    *get("get-410", "The operation is gone before its day.", _READ, _always(error(410))),
    *get("get-400", "Every id is 400.", _READ, _always(error(400))),
    *get("get-403", "Every animal is 403.", _READ, _always(error(403))),
    *get("get-204", "An animal is 204 without a body.", _READ, _always(Answer(204, b"", (), None))),
    *get("get-203", "An animal is answered with 203.", _READ, served(lambda answer, call: replace(answer, status=203))),
    *get(
        "get-redirected",
        "The operation is redirected to its replacement before its day.",
        _READ,
        _always(Answer(301, b"", (("Location", "/v1/pets"),), None)),
    ),
    *get("get-crashes", "Reading an animal fails.", f"{_READ} ERROR-5", _always(error(500))),
    *get("get-501", "Reading an animal is not implemented.", f"{_READ} ERROR-5", _always(error(501))),
    *get("removed-too-early", "The operation was removed years before its day.", _READ, _removed(lambda today: True)),
    *get(
        "removed-a-day-early",
        "The operation is removed on 4 December 2030.",
        _READ,
        _removed(lambda today: today >= GET_PET_REMOVED - timedelta(1)),
        needs="day-before-removal",
    ),
    *get(
        "get-aborted", "The connection is aborted instead of sending an animal.", _READ, aborted(200), at=(None, *_GET)
    ),
    # the same as in the list
    *get("get-neighbour", "The animal beside the one asked for is answered.", _SAME, _finding(_neighbour)),
    *get("get-oldest", "The oldest animal is answered, whatever id was asked for.", _SAME, _finding(_oldest)),
    *get(
        "get-other-id",
        "The animal is answered with another id.",
        _SAME,
        animals(lambda animal: changed(animal, id=animal.id + 1)),
    ),
    *get(
        "get-name-upper-case",
        "The animal's name is in upper case, in the list it is not.",
        _SAME,
        animals(lambda animal: changed(animal, name=animal.name.upper())),
    ),
    *get(
        "get-name-empty",
        "The animal's name is empty, in the list it is not.",
        _SAME,
        animals(lambda animal: changed(animal, name="")),
    ),
    *get(
        "get-category-zero",
        "The animal's category is 0, in the list it is not.",
        _SAME,
        animals(lambda animal: changed(animal, category_id=0)),
    ),
    *get(
        "get-category-is-id",
        "The animal's category is its id.",
        _SAME,
        animals(lambda animal: changed(animal, category_id=animal.id)),
    ),
    *get(
        "get-without-status",
        "The animal's status is left out, in the list it is not.",
        _SAME,
        animals(with_status(lambda status: None)),
    ),
    *get(
        "get-other-status",
        "The animal's status is another one than in the list.",
        _SAME,
        animals(with_status(_rotated)),
    ),
    *get(
        "get-in-data",
        "The animal is inside of `data`.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"data": answer.content})),
    ),
    # an id that no animal has
    *get("unknown-id-200-null", "An unknown id is 200 with null.", "GET-3 PET-1", _unknown(Answer(200, None))),
    *get(
        "unknown-id-200-object",
        "An unknown id is 200 with an empty object.",
        "GET-3 PET-1 PET-2 PET-3",
        _unknown(Answer(200, {})),
    ),
    *get("unknown-id-200-list", "An unknown id is 200 with an empty list.", "GET-3 PET-1", _unknown(Answer(200, []))),
    *get(
        "unknown-id-200-error",
        "An unknown id is 200 with an Error.",
        "GET-3 PET-1 PET-2 PET-3 PET-4",
        _unknown(replace(error(404), status=200)),
    ),
    *get("unknown-id-204", "An unknown id is 204.", "GET-3", _unknown(Answer(204, b"", (), None))),
    *get("unknown-id-400", "An unknown id is 400.", "GET-3", refused_with(400, "pet_not_found")),
    *get("unknown-id-403", "An unknown id is 403.", "GET-3", refused_with(403, "pet_not_found")),
    *get("unknown-id-410", "An unknown id is 410.", "GET-3", refused_with(410, "pet_not_found")),
    *get("unknown-id-422", "An unknown id is 422.", "GET-3", refused_with(422, "pet_not_found")),
    *get("unknown-id-crashes", "An unknown id is 500.", "GET-3 ERROR-5", refused_with(500, "pet_not_found")),
    *get("unknown-id-newest", "An unknown id gets the newest animal.", "GET-3", _finding(_newest_for_unknown)),
    *get("unknown-id-echoed", "An unknown id gets an animal made up for it.", "GET-3", _finding(_echoed_for_unknown)),
    # the removal
    *get(
        "never-removed",
        "The operation works on after its day.",
        "GET-4",
        _removed(lambda today: False),
        needs="after-removal",
    ),
    *get(
        "removed-a-day-late",
        "The operation works on 5 December 2030.",
        "GET-4",
        _removed(lambda today: today > GET_PET_REMOVED),
        needs="after-removal",
    ),
    *get(
        "removed-with-200",
        "After its day the operation answers 200 with a notice.",
        "GET-4",
        _after_removal(Answer(200, {"message": "removed"})),
        needs="after-removal",
    ),
    *get(
        "removed-with-204",
        "After its day the operation answers 204.",
        "GET-4",
        _after_removal(Answer(204, b"", (), None)),
        needs="after-removal",
    ),
    *get(
        "removed-with-500",
        "After its day the operation fails.",
        "GET-4",
        _after_removal(error(500)),
        needs="after-removal",
    ),
    *get(
        "removed-with-501",
        "After its day the operation is 501.",
        "GET-4",
        _after_removal(error(501)),
        needs="after-removal",
    ),
    # orders
    *orders("orders-404", "There are no orders to be listed.", "ORDERS-1", _always(error(404))),
    *orders("orders-405", "Orders take no GET.", "ORDERS-1", _always(error(405))),
    *orders("orders-500", "Orders fail.", "ORDERS-1 ERROR-5", _always(error(500))),
    *orders("orders-501", "Orders are not implemented.", "ORDERS-1 ERROR-5", _always(error(501))),
    *orders("orders-502", "The server behind the orders is away.", "ORDERS-1 ERROR-5", _always(error(502))),
    *orders("orders-503", "Orders are never ready.", "ORDERS-1 ERROR-5", _always(error(503))),
    *orders(
        "orders-aborted",
        "The connection is aborted instead of sending orders.",
        "ORDERS-1",
        aborted(200),
        at=(None, *_ORDERS),
    ),
]
