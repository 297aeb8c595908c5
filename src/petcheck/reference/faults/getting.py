"""Sections 4.3 and 4.4: one animal, and the store's orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from petcheck.reference.behaviour import Change
from petcheck.reference.changes import aborted, animals, error, on_refusal, refused_with, served, with_status
from petcheck.reference.conforming import GET_PET_REMOVED
from petcheck.reference.messages import Answer, Operation
from petcheck.reference.seam import fault
from petcheck.reference.store import STATUSES, Animal, Store, changed

_GET, _ORDERS = (Operation.GET,), (Operation.ORDERS,)
_READ = "GET-1 CREATE-12"  # created animals are read too
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


def _newest(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) and store.newest_first()[0]


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
    *fault(
        "get-404", "4.3", "No animal is ever found by its id.", _READ, _finding(lambda animal_id, store: None), at=_GET
    ),
    *fault("get-410", "4.3", "The operation is gone before its day.", _READ, _always(error(410)), at=_GET),
    *fault("get-400", "4.3", "Every id is 400.", _READ, _always(error(400)), at=_GET),
    *fault("get-403", "4.3", "Every animal is 403.", _READ, _always(error(403)), at=_GET),
    *fault("get-204", "4.3", "An animal is 204 without a body.", _READ, _always(Answer(204, b"", (), None)), at=_GET),
    *fault(
        "get-203",
        "4.3",
        "An animal is answered with 203.",
        _READ,
        served(lambda answer, call: replace(answer, status=203)),
        at=_GET,
    ),
    *fault(
        "get-redirected",
        "4.3",
        "The operation is redirected to its replacement before its day.",
        _READ,
        _always(Answer(301, b"", (("Location", "/v1/pets"),), None)),
        at=_GET,
    ),
    *fault("get-crashes", "4.3", "Reading an animal fails.", f"{_READ} ERROR-5", _always(error(500)), at=_GET),
    *fault("get-501", "4.3", "Reading an animal is not implemented.", f"{_READ} ERROR-5", _always(error(501)), at=_GET),
    *fault(
        "removed-too-early",
        "4.3",
        "The operation was removed years before its day.",
        _READ,
        _removed(lambda today: True),
        at=_GET,
    ),
    *fault(
        "removed-a-day-early",
        "4.3",
        "The operation is removed on 4 December 2030.",
        _READ,
        _removed(lambda today: today >= GET_PET_REMOVED - timedelta(1)),
        at=_GET,
        needs="day-before-removal",
    ),
    *fault(
        "get-aborted",
        "4.3",
        "The connection is aborted instead of sending an animal.",
        _READ,
        aborted(200),
        at=(None, *_GET),
    ),
    # the same as in the list
    *fault(
        "get-neighbour", "4.3", "The animal beside the one asked for is answered.", _SAME, _finding(_neighbour), at=_GET
    ),
    *fault(
        "get-newest",
        "4.3",
        "The newest animal is answered, whatever id was asked for.",
        _SAME,
        _finding(_newest),
        at=_GET,
    ),
    *fault(
        "get-oldest",
        "4.3",
        "The oldest animal is answered, whatever id was asked for.",
        _SAME,
        _finding(_oldest),
        at=_GET,
    ),
    *fault(
        "get-other-id",
        "4.3",
        "The animal is answered with another id.",
        _SAME,
        animals(lambda animal: changed(animal, id=animal.id + 1)),
        at=_GET,
    ),
    *fault(
        "get-name-upper-case",
        "4.3",
        "The animal's name is in upper case, in the list it is not.",
        _SAME,
        animals(lambda animal: changed(animal, name=animal.name.upper())),
        at=_GET,
    ),
    *fault(
        "get-name-empty",
        "4.3",
        "The animal's name is empty, in the list it is not.",
        _SAME,
        animals(lambda animal: changed(animal, name="")),
        at=_GET,
    ),
    *fault(
        "get-category-zero",
        "4.3",
        "The animal's category is 0, in the list it is not.",
        _SAME,
        animals(lambda animal: changed(animal, category_id=0)),
        at=_GET,
    ),
    *fault(
        "get-category-is-id",
        "4.3",
        "The animal's category is its id.",
        _SAME,
        animals(lambda animal: changed(animal, category_id=animal.id)),
        at=_GET,
    ),
    *fault(
        "get-without-status",
        "4.3",
        "The animal's status is left out, in the list it is not.",
        _SAME,
        animals(with_status(lambda status: None)),
        at=_GET,
    ),
    *fault(
        "get-other-status",
        "4.3",
        "The animal's status is another one than in the list.",
        _SAME,
        animals(with_status(_rotated)),
        at=_GET,
    ),
    *fault(
        "get-in-data",
        "4.3",
        "The animal is inside of `data`.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"data": answer.content})),
        at=_GET,
    ),
    # an id that no animal has
    *fault(
        "unknown-id-200-null", "4.3", "An unknown id is 200 with null.", "GET-3", _unknown(Answer(200, None)), at=_GET
    ),
    *fault(
        "unknown-id-200-object",
        "4.3",
        "An unknown id is 200 with an empty object.",
        "GET-3",
        _unknown(Answer(200, {})),
        at=_GET,
    ),
    *fault(
        "unknown-id-200-list",
        "4.3",
        "An unknown id is 200 with an empty list.",
        "GET-3",
        _unknown(Answer(200, [])),
        at=_GET,
    ),
    *fault(
        "unknown-id-200-error",
        "4.3",
        "An unknown id is 200 with an Error.",
        "GET-3",
        _unknown(replace(error(404), status=200)),
        at=_GET,
    ),
    *fault("unknown-id-204", "4.3", "An unknown id is 204.", "GET-3", _unknown(Answer(204, b"", (), None)), at=_GET),
    *fault("unknown-id-400", "4.3", "An unknown id is 400.", "GET-3", refused_with(400, "pet_not_found"), at=_GET),
    *fault("unknown-id-403", "4.3", "An unknown id is 403.", "GET-3", refused_with(403, "pet_not_found"), at=_GET),
    *fault("unknown-id-410", "4.3", "An unknown id is 410.", "GET-3", refused_with(410, "pet_not_found"), at=_GET),
    *fault("unknown-id-422", "4.3", "An unknown id is 422.", "GET-3", refused_with(422, "pet_not_found"), at=_GET),
    *fault(
        "unknown-id-crashes",
        "4.3",
        "An unknown id is 500.",
        "GET-3 ERROR-5",
        refused_with(500, "pet_not_found"),
        at=_GET,
    ),
    *fault(
        "unknown-id-newest",
        "4.3",
        "An unknown id gets the newest animal.",
        "GET-3",
        _finding(_newest_for_unknown),
        at=_GET,
    ),
    *fault(
        "unknown-id-echoed",
        "4.3",
        "An unknown id gets an animal made up for it.",
        "GET-3",
        _finding(_echoed_for_unknown),
        at=_GET,
    ),
    # the removal
    *fault(
        "never-removed",
        "4.3",
        "The operation works on after its day.",
        "GET-4",
        _removed(lambda today: False),
        at=_GET,
        needs="after-removal",
    ),
    *fault(
        "removed-a-day-late",
        "4.3",
        "The operation works on 5 December 2030.",
        "GET-4",
        _removed(lambda today: today > GET_PET_REMOVED),
        at=_GET,
        needs="after-removal",
    ),
    *fault(
        "removed-with-200",
        "4.3",
        "After its day the operation answers 200 with a notice.",
        "GET-4",
        _after_removal(Answer(200, {"message": "removed"})),
        at=_GET,
        needs="after-removal",
    ),
    *fault(
        "removed-with-204",
        "4.3",
        "After its day the operation answers 204.",
        "GET-4",
        _after_removal(Answer(204, b"", (), None)),
        at=_GET,
        needs="after-removal",
    ),
    *fault(
        "removed-with-500",
        "4.3",
        "After its day the operation fails.",
        "GET-4 ERROR-5",
        _after_removal(error(500)),
        at=_GET,
        needs="after-removal",
    ),
    *fault(
        "removed-with-501",
        "4.3",
        "After its day the operation is 501.",
        "GET-4 ERROR-5",
        _after_removal(error(501)),
        at=_GET,
        needs="after-removal",
    ),
    # orders
    *fault("orders-404", "4.4", "There are no orders to be listed.", "ORDERS-1", _always(error(404)), at=_ORDERS),
    *fault("orders-405", "4.4", "Orders take no GET.", "ORDERS-1", _always(error(405)), at=_ORDERS),
    *fault("orders-500", "4.4", "Orders fail.", "ORDERS-1 ERROR-5", _always(error(500)), at=_ORDERS),
    *fault("orders-501", "4.4", "Orders are not implemented.", "ORDERS-1 ERROR-5", _always(error(501)), at=_ORDERS),
    *fault(
        "orders-502",
        "4.4",
        "The server behind the orders is away.",
        "ORDERS-1 ERROR-5",
        _always(error(502)),
        at=_ORDERS,
    ),
    *fault("orders-503", "4.4", "Orders are never ready.", "ORDERS-1 ERROR-5", _always(error(503)), at=_ORDERS),
    *fault(
        "orders-aborted",
        "4.4",
        "The connection is aborted instead of sending orders.",
        "ORDERS-1",
        aborted(200),
        at=(None, *_ORDERS),
    ),
]
