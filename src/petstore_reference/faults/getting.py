"""Sections 4.3 and 4.4: one animal, and the orders of the store."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from functools import partial

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.conforming import GET_PET_REMOVED
from petstore_reference.messages import Answer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import (
    aborted,
    always,
    animals,
    answered,
    cached,
    error,
    refused_as,
    refused_with,
    served,
    with_status,
    with_status_code,
)
from petstore_reference.registry import fault, get
from petstore_reference.store import STATUSES, Animal, Store, changed

orders = partial(fault, section="4.4", at=(Operation.ORDERS,))

_GET, _ORDERS = (Operation.GET,), (Operation.ORDERS,)
_READ = "GET-1"  # not CREATE-12: an operation that never works proves nothing about created animals
_SAME = "GET-2 CREATE-12"


def _removed(when: Callable[[date], bool]) -> Override:
    return lambda behaviour: replace(behaviour, removed=when)


def _finding(find: Callable[[int, Store], Animal | None]) -> Override:
    return lambda behaviour: replace(behaviour, find=find)


def _only_safe(animal_id: int, store: Store) -> Animal | None:
    if abs(animal_id) >= 2**53:
        raise Refused(400, "id_unsafe", "petId must be a safe number.")
    return store.find(animal_id)


def _crash_above_zero(animal_id: int, store: Store) -> Animal | None:
    found = store.find(animal_id)
    if found is None and animal_id > 0:
        raise Refused(500, "not_handled", "NoneType is not an animal.")
    return found


def _neighbour(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) and (store.find(animal_id - 1) or store.find(animal_id + 1))


def _oldest(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) and store.newest_first()[-1]


def _unless_sold(found: Animal | None) -> Animal | None:
    return None if found and found.status == "sold" and not found.born else found


def _newest_lost(behaviour: Behaviour) -> Behaviour:
    def find(animal_id: int, store: Store) -> Animal | None:
        newest = next((animal for animal in store.newest_first() if not animal.born), None)
        return None if newest and newest.id == animal_id else behaviour.find(animal_id, store)

    return replace(behaviour, find=find)


def _newest_for_unknown(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) or store.newest_first()[0]


def _echoed_for_unknown(animal_id: int, store: Store) -> Animal | None:
    return store.find(animal_id) or Animal(animal_id, "", 1)


def _rotated(status: str | None) -> str:
    return STATUSES[(STATUSES.index(status) + 1) % 3] if status in STATUSES else STATUSES[0]


def _as_double(animal_id: int, store: Store) -> Animal | None:
    return next((animal for animal in store.newest_first() if float(animal.id) == float(animal_id)), None)


def _cached_as_text(behaviour: Behaviour) -> Behaviour:
    """A cache answers from the second read on; it holds every value as text."""

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        answer = behaviour.act(call, state, whole)
        pet, seen = answer.content, state.memory["read"]
        if not isinstance(pet, dict) or answer.status != 200 or seen.setdefault(call.pet_id, call) is call:
            return answer
        return replace(answer, content={name: str(value) for name, value in pet.items()})

    return replace(behaviour, act=act)


def _found_once(behaviour: Behaviour) -> Behaviour:
    """A cache of misses, filled by mistake with what was found; the server's first animals only."""

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        answer, seen = behaviour.act(call, state, whole), state.memory["found"]
        animal = state.store.find(int(call.pet_id)) if answer.status == 200 else None
        if animal is None or animal.born or seen.setdefault(call.pet_id, call) is call:
            return answer
        return error(404, "not_found")

    return replace(behaviour, act=act)


FAULTS = [
    # an animal that exists
    *get("get-404-after-first-read", "An animal is found once, and gets 404 from then on.", _READ, _found_once),
    *get("get-404", "`GET /pets/{petId}` always returns 404.", _READ, _finding(lambda animal_id, store: None)),
    *get("get-410", "`GET /pets/{petId}` returns 410 for an existing animal.", _READ, always(error(410))),
    *get("get-400", "`GET /pets/{petId}` returns 400 for an existing animal.", _READ, always(error(400))),
    *get("get-403", "`GET /pets/{petId}` returns 403 for an existing animal.", _READ, always(error(403))),
    *get(
        "get-204", "`GET /pets/{petId}` returns 204 for an existing animal.", _READ, always(Answer(204, b"", (), None))
    ),
    *get(
        "get-203",
        "`GET /pets/{petId}` returns 203 for an existing animal.",
        _READ,
        with_status_code(203),
    ),
    *get(
        "get-redirected",
        "`GET /pets/{petId}` redirects to its replacement before its removal day.",
        _READ,
        always(Answer(301, b"", (("Location", "/v1/pets"),), None)),
    ),
    *get(
        "get-crashes",
        "`GET /pets/{petId}` returns 500 for an existing animal.",
        f"{_READ} ERROR-5",
        always(error(500)),
    ),
    *get("get-501", "`GET /pets/{petId}` returns 501 for an existing animal.", f"{_READ} ERROR-5", always(error(501))),
    *get(
        "removed-too-early",
        "`GET /pets/{petId}` is removed years before its removal day.",
        _READ,
        _removed(lambda today: True),
    ),
    *get(
        "removed-a-day-early",
        "`GET /pets/{petId}` is removed on 4 December 2030, a day early.",
        _READ,
        _removed(lambda today: today >= GET_PET_REMOVED - timedelta(1)),
        needs="day-before-removal",
    ),
    *get(
        "get-aborted",
        "The server aborts the connection instead of returning an animal.",
        _READ,
        aborted(200),
        at=(None, *_GET),
    ),
    *get(
        "newest-not-found",
        "The newest of the initial animals is never found by its id.",
        _READ,
        _newest_lost,
    ),
    *get(
        "sold-not-found",
        "A sold animal of the initial ones is never found by its id.",
        _READ,
        _finding(lambda animal_id, store: _unless_sold(store.find(animal_id))),
    ),
    # the same as in the list
    *get(
        "get-neighbour",
        "`GET /pets/{petId}` returns the animal next to the requested one.",
        _SAME,
        _finding(_neighbour),
    ),
    *get(
        "get-oldest", "`GET /pets/{petId}` returns the oldest animal for every existing id.", _SAME, _finding(_oldest)
    ),
    *get(
        "get-other-id",
        "`GET /pets/{petId}` returns an `id` one higher than requested.",
        _SAME,
        animals(lambda animal: changed(animal, id=animal.id + 1)),
    ),
    *get(
        "get-name-upper-case",
        "`GET /pets/{petId}` returns `name` in upper case; the list does not.",
        _SAME,
        animals(lambda animal: changed(animal, name=animal.name.upper())),
    ),
    *get(
        "get-name-escaped",
        "`GET /pets/{petId}` returns `name` escaped for HTML; the list does not.",
        _SAME,
        animals(lambda animal: changed(animal, name=html.escape(animal.name))),
        needs="writes",
    ),
    *get(
        "get-name-empty",
        "`GET /pets/{petId}` returns an empty `name`; the list does not.",
        _SAME,
        animals(lambda animal: changed(animal, name="")),
    ),
    *get(
        "get-category-zero",
        "`GET /pets/{petId}` returns `categoryId` 0; the list does not.",
        _SAME,
        animals(lambda animal: changed(animal, category_id=0)),
    ),
    *get(
        "get-category-is-id",
        "`GET /pets/{petId}` returns the `id` as `categoryId`.",
        _SAME,
        animals(lambda animal: changed(animal, category_id=animal.id)),
    ),
    *get(
        "get-without-status",
        "`GET /pets/{petId}` leaves out `status`; the list does not.",
        _SAME,
        animals(with_status(lambda status: None)),
    ),
    *get(
        "get-other-status",
        "`GET /pets/{petId}` returns another `status` than the list.",
        _SAME,
        animals(with_status(_rotated)),
    ),
    *get(
        "get-shows-old-state",
        "`GET /pets/{petId}` keeps returning an animal as it was before a change.",
        "GET-2",
        cached(math.inf),
        needs="others-change",
    ),
    *get(
        "get-in-data",
        "`GET /pets/{petId}` wraps the animal in `data`.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"data": answer.content})),
    ),
    # an id that no animal has
    *get(
        "unknown-id-200-null",
        "An unknown id gets 200 and null.",
        "GET-3 PET-1",
        refused_as(Answer(200, None), "pet_not_found"),
    ),
    *get(
        "unknown-id-200-object",
        "An unknown id gets 200 and an empty object.",
        "GET-3 PET-1 PET-2 PET-3",
        refused_as(Answer(200, {}), "pet_not_found"),
    ),
    *get(
        "unknown-id-200-list",
        "An unknown id gets 200 and an empty list.",
        "GET-3 PET-1",
        refused_as(Answer(200, []), "pet_not_found"),
    ),
    *get(
        "unknown-id-200-error",
        "An unknown id gets 200 and an Error.",
        "GET-3 PET-1 PET-2 PET-3 PET-4",
        refused_as(replace(error(404), status=200), "pet_not_found"),
    ),
    *get("unknown-id-204", "An unknown id gets 204.", "GET-3", refused_as(Answer(204, b"", (), None), "pet_not_found")),
    *get("unknown-id-400", "An unknown id gets 400.", "GET-3", refused_with(400, "pet_not_found")),
    *get("unknown-id-403", "An unknown id gets 403.", "GET-3", refused_with(403, "pet_not_found")),
    *get("unknown-id-410", "An unknown id gets 410.", "GET-3", refused_with(410, "pet_not_found")),
    *get("unknown-id-422", "An unknown id gets 422.", "GET-3", refused_with(422, "pet_not_found")),
    *get("unknown-id-crashes", "An unknown id gets 500.", "GET-3 ERROR-5", refused_with(500, "pet_not_found")),
    *get(
        "unknown-positive-id-crashes",
        "An unknown id above zero gets 500; a negative one is refused before it is looked for.",
        "GET-3 ERROR-5",
        _finding(_crash_above_zero),
    ),
    *get(
        "negative-id-refused",
        "A negative petId gets 400.",
        "GET-3",
        answered(lambda call: call.pet_id.startswith("-"), error(400)),
    ),
    *get(
        "unknown-id-400-beyond-double",
        "An unknown id beyond 2^53, which JavaScript does not call a safe integer, gets 400.",
        "GET-3",
        _finding(_only_safe),
    ),
    *get(
        "get-id-wraps-at-32-bits",
        "An unknown id gets the animal whose id has the same lowest 32 bits.",
        "GET-3",
        _finding(lambda animal_id, store: store.find(animal_id) or store.find(animal_id % 2**32)),
    ),
    *get(
        "get-id-through-double",
        "An unknown id gets the animal whose id is the same as a double.",
        "GET-3",
        _finding(lambda animal_id, store: store.find(animal_id) or _as_double(animal_id, store)),
        needs="ids-at-the-end",
    ),
    *get(
        "get-cached-as-text",
        "The second read of an animal returns its numbers as text.",
        "PET-1 PET-3",
        _cached_as_text,
    ),
    *get("unknown-id-newest", "An unknown id gets the newest animal.", "GET-3", _finding(_newest_for_unknown)),
    *get(
        "unknown-id-echoed",
        "An unknown id gets an invented animal with that id.",
        "GET-3",
        _finding(_echoed_for_unknown),
    ),
    # the removal
    *get(
        "never-removed",
        "`GET /pets/{petId}` is never removed.",
        "GET-4",
        _removed(lambda today: False),
        needs="after-removal",
    ),
    *get(
        "removed-a-day-late",
        "`GET /pets/{petId}` still works on 5 December 2030, its removal day.",
        "GET-4",
        _removed(lambda today: today > GET_PET_REMOVED),
        needs="after-removal",
    ),
    *get(
        "removed-with-200",
        "From its removal day on, `GET /pets/{petId}` returns 200 and a notice.",
        "GET-4",
        refused_as(Answer(200, {"message": "removed"}), "operation_removed"),
        needs="after-removal",
    ),
    *get(
        "removed-with-204",
        "From its removal day on, `GET /pets/{petId}` returns 204.",
        "GET-4",
        refused_as(Answer(204, b"", (), None), "operation_removed"),
        needs="after-removal",
    ),
    *get(
        "removed-with-500",
        "From its removal day on, `GET /pets/{petId}` returns 500.",
        "GET-4",
        refused_as(error(500), "operation_removed"),
        needs="after-removal",
    ),
    *get(
        "removed-with-501",
        "From its removal day on, `GET /pets/{petId}` returns 501.",
        "GET-4",
        refused_as(error(501), "operation_removed"),
        needs="after-removal",
    ),
    # orders
    *orders("orders-404", "`GET /store/orders` returns 404.", "ORDERS-1", always(error(404))),
    *orders("orders-405", "`GET /store/orders` returns 405.", "ORDERS-1", always(error(405))),
    *orders("orders-500", "`GET /store/orders` returns 500.", "ORDERS-1 ERROR-5", always(error(500))),
    *orders("orders-501", "`GET /store/orders` returns 501.", "ORDERS-1 ERROR-5", always(error(501))),
    *orders("orders-502", "`GET /store/orders` always returns 502.", "ORDERS-1 ERROR-5", always(error(502))),
    *orders("orders-503", "`GET /store/orders` always returns 503.", "ORDERS-1 ERROR-5", always(error(503))),
    *orders(
        "orders-aborted",
        "The server aborts the connection instead of returning orders.",
        "ORDERS-1",
        aborted(200),
        at=(None, *_ORDERS),
    ),
]
