"""Section 4.2: created animals that are lost, or that differ between the 201, the list and GET by id."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, ServerState
from petstore_reference.faults.echo import through_double, without_astral
from petstore_reference.messages import Answer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import animals, stored_otherwise, with_status
from petstore_reference.registry import Fault, create
from petstore_reference.store import Animal, NewAnimal, Store, changed

_GET, _LIST = (Operation.GET,), (Operation.LIST,)


def _created(make: Callable[[Animal], Animal]) -> Callable[[Animal], Animal]:
    """For `animals`: `make` changes only created animals."""
    return lambda animal: make(animal) if animal.born else animal


def _hidden(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, visible=lambda animal, now: not animal.born)


def _not_stored(behaviour: Behaviour) -> Behaviour:
    def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
        animal = behaviour.keep(new, animal_id, call, state)
        state.store.remove(animal_id)
        return animal

    return replace(behaviour, keep=keep)


def _upserted(behaviour: Behaviour) -> Behaviour:
    def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
        old = _born_with(new.name, state.store)
        return behaviour.keep(new, animal_id if old is None else old.id, call, state)

    return replace(behaviour, keep=keep)


def _replaced_by_name(behaviour: Behaviour) -> Behaviour:
    def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
        old = _born_with(new.name, state.store)
        if old is not None:
            state.store.remove(old.id)
        return behaviour.keep(new, animal_id, call, state)

    return replace(behaviour, keep=keep)


def _born_with(name: str, store: Store) -> Animal | None:
    return next((one for one in store.newest_first() if one.born and one.name == name), None)


def _lost_without_status(behaviour: Behaviour) -> Behaviour:
    def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
        animal = behaviour.keep(new, animal_id, call, state)
        if animal.status is None:
            state.store.remove(animal_id)
        return animal

    return replace(behaviour, keep=keep)


def _rolled_back(behaviour: Behaviour) -> Behaviour:
    """A refused POST ends the transaction of the one before it, which no other POST has committed."""

    def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
        animal = behaviour.keep(new, animal_id, call, state)
        state.memory.setdefault("rolled-back", {})["id"] = animal.id
        return animal

    def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
        number = state.memory.get("rolled-back", {}).pop("id", None) if refusal.status == 400 else None
        if number is not None:
            state.store.remove(number)
        return behaviour.refuse(refusal, call, state)

    return replace(behaviour, keep=keep, refuse=refuse)


def _vanishing(behaviour: Behaviour) -> Behaviour:
    """Each created animal is gone `_KEPT` requests later."""

    def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
        animal = behaviour.keep(new, animal_id, call, state)
        state.memory["vanishing"][str(animal.id)] = len(state.log)
        return animal

    def other_clients(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        behaviour.other_clients(call, state, whole)
        made = state.memory["vanishing"]
        for number in [number for number, when in made.items() if len(state.log) - when > _KEPT]:
            del made[number]
            state.store.remove(int(number))

    return replace(behaviour, keep=keep, other_clients=other_clients)


_KEPT = 25


def _missed_for_good(behaviour: Behaviour) -> Behaviour:
    """A cache keeps for good that there was no animal with an id."""
    missed: set[int] = set()

    def find(number: int, store: Store) -> Animal | None:
        animal = None if number in missed else behaviour.find(number, store)
        if animal is None:
            missed.add(number)
        return animal

    return replace(behaviour, find=find)


def _one_id(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, new_id=lambda store: 1_000_000)


def _id_of_old(behaviour: Behaviour) -> Behaviour:
    def new_id(store: Store) -> int:
        return next((animal.id for animal in store.newest_first() if not animal.born), behaviour.new_id(store))

    return replace(behaviour, new_id=new_id)


def _listed_twice(behaviour: Behaviour) -> Behaviour:
    def arrange(listed: list[Animal]) -> list[Animal]:
        return [copy for animal in behaviour.arrange(listed) for copy in [animal] * (2 if animal.born else 1)]

    return replace(behaviour, arrange=arrange)


def _next_id(animal: Animal) -> Animal:
    return changed(animal, id=animal.id + 1)


def _name_changed(make: Callable[[str], str]) -> Callable[[Animal], Animal]:
    return lambda animal: changed(animal, name=make(animal.name))


def _category_changed(make: Callable[[int], int]) -> Callable[[Animal], Animal]:
    return lambda animal: changed(animal, category_id=make(animal.category_id))


def _beside(category: int) -> int:
    return category - 1 if category > 0 else category + 1


def _doubled(name: str) -> str:
    return f"{name} {name}"


def _shown_changed(name: str, how: str, make: Callable[[Animal], Animal], listed: str) -> Iterator[Fault]:
    """Three faults with one change: in the store (only the 201 is right), in `GET /pets/{petId}`, and in the list.

    `listed` are the requirements that the change in the list breaks.
    """
    yield from create(
        f"stored-{name}",
        f"A created animal is stored {how}; the 201 is right.",
        "CREATE-12 CREATE-13",
        stored_otherwise(make),
    )
    only_created = animals(_created(make))
    by_id = f"`GET /pets/{{petId}}` shows a created animal {how}."
    yield from create(f"read-{name}", by_id, "CREATE-12 GET-2", only_created, at=_GET, needs="writes")
    in_list = f"The list shows a created animal {how}."
    yield from create(f"listed-{name}", in_list, listed, only_created, at=_LIST, needs="writes")


_LISTED = "CREATE-13 GET-2"
_CHANGES = (
    ("status-lost", "without its status", with_status(lambda status: None), f"{_LISTED} LIST-7"),
    (
        "name-escaped",
        "with `&lt;` and `&gt;` around its name",
        _name_changed(lambda text: html.escape(f"<{text}>")),
        _LISTED,
    ),
    ("name-cut", "with its name cut after 5 characters", _name_changed(lambda text: text[:5]), _LISTED),
    ("name-doubled", "with its name written twice", _name_changed(_doubled), _LISTED),
    ("category-zero", "with `categoryId` 0", _category_changed(lambda category: 0), _LISTED),
    ("category-off-by-one", "with its `categoryId` off by one", _category_changed(_beside), _LISTED),
)

FAULTS = [
    *create("name-upserted", "A POST with the name of a stored animal changes that animal.", "PET-5", _upserted),
    *create(
        "name-replaces-old",
        "A POST with the name of a stored animal replaces that animal.",
        "CREATE-12",
        _replaced_by_name,
    ),
    *create(
        "echoed-name-differs",
        "The 201 swaps upper and lower case in `name`; the stored name is right.",
        "CREATE-2 CREATE-12 CREATE-13",
        animals(_name_changed(str.swapcase)),
    ),
    *create(
        "created-not-stored",
        "`POST /pets` returns 201, but the animal is not stored.",
        "CREATE-12",
        _not_stored,
        needs="small-store",
    ),
    *create(
        "created-without-status-not-stored",
        "`POST /pets` without `status` returns 201, but the animal is not stored.",
        "CREATE-12",
        _lost_without_status,
    ),
    *create(
        "refused-post-rolls-back",
        "A POST that is refused with 400 also undoes the one before it, if that was accepted.",
        "CREATE-12",
        _rolled_back,
        needs="small-store",
    ),
    *create(
        "created-vanishes-after-25-requests",
        "A created animal is gone 25 requests later.",
        "CREATE-12",
        _vanishing,
        at=(None, Operation.CREATE),
        needs="writes small-store",
    ),
    *create(
        "id-not-found-stays-404",
        "`GET /pets/{petId}` returns 404 for an id that it once had not found, after an animal got it.",
        "CREATE-12",
        _missed_for_good,
        at=_GET,
        needs="writes small-store",
    ),
    *create(
        "created-not-readable",
        "`GET /pets/{petId}` returns 404 for a created animal.",
        "CREATE-12",
        _hidden,
        at=_GET,
        needs="writes",
    ),
    *create(
        "created-not-listed",
        "The list never shows a created animal.",
        "CREATE-13",
        _hidden,
        at=_LIST,
        needs="writes small-store",
    ),
    *create(
        "created-id-off-by-one",
        "The `id` in the 201 is one higher than the stored one.",
        "CREATE-12 CREATE-13",
        animals(_next_id),
        needs="small-store",
    ),
    *create(
        "created-with-same-id",
        "All created animals get the same id; each replaces the one before.",
        "PET-5",
        _one_id,
    ),
    *create(
        "created-overwrites-old",
        "A created animal gets the id of an existing one and replaces it.",
        "PET-5",
        _id_of_old,
    ),
    *create(
        "created-listed-twice",
        "The list shows a created animal twice.",
        "PET-5",
        _listed_twice,
        at=_LIST,
        needs="writes",
    ),
    *(each for change in _CHANGES for each in _shown_changed(*change)),
    *create(
        "stored-category-through-double",
        "`categoryId` is stored as a double; the 201 is right.",
        "CREATE-12 CREATE-13",
        stored_otherwise(_category_changed(through_double)),
    ),
    *create(
        "stored-name-emoji-question-mark",
        "`name` is stored with ? for each character above U+FFFF; the 201 is right.",
        "CREATE-12 CREATE-13",
        stored_otherwise(_name_changed(without_astral("?"))),
    ),
]
