"""Section 2: other animals, other ids, and other clients that are active during the run."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, islice

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.conforming import known
from petstore_reference.messages import Answer, Operation, ReceivedCall
from petstore_reference.registry import variation
from petstore_reference.store import STATUSES, Animal, Store, changed

_SIZES = "empty-store store-of-1 store-of-19 store-of-20 store-of-21 store-of-100 store-of-101 store-of-10000"
_IDS = "ids-beyond-double ids-negative ids-random ids-random-signed ids-from-zero ids-at-the-end"
_STATUSES = "no-statuses all-available none-sold"
_REUSED = "id-reused-once ids-reused-later"
_NAMES = "odd-names same-names long-names"
_CATEGORIES = "category-zero categories-negative categories-huge"
_DELAYS = "seen-after-a-second listed-after-a-second"

_ODD_NAMES = (
    "",
    " ",
    "\x00\x01\x1b[31m\x7f",
    "line\r\nfeed\ttab",
    "مرحبا \u202eevil\u202c",
    "🐶👩‍👩‍👧‍👦🏳️‍🌈",
    "<script>alert(1)</script>&amp;\"'",
    "Ame\u0301lie \u00c5\u212b",
    "\ufeff\u200b\u2028\ufffe",
    "null",
    "\\u0041 \\ / \b\f",
    "𝒜𝓁𝓁 𐍈",
)


def _seeded(make: Callable[[list[Animal], int], list[Animal]]) -> Override:
    """`make` changes the animals at the start; it also gets the seed."""
    return lambda behaviour: replace(behaviour, seed=lambda count, seed: make(behaviour.seed(count, seed), seed))


def _each(make: Callable[[Animal], Animal]) -> Override:
    return _seeded(lambda animals, seed: [make(animal) for animal in animals])


def _sized(count: int) -> Override:
    return lambda behaviour: replace(behaviour, seed=lambda _, seed: behaviour.seed(count, seed))


def _numbered(make: Callable[[int], int]) -> Override:
    """`make` gives the ids for the numbers 1, 2, 3 and so on."""

    def override(behaviour: Behaviour) -> Behaviour:
        def seed(count: int, seed: int) -> list[Animal]:
            return [changed(animal, id=make(animal.id)) for animal in behaviour.seed(count, seed)]

        return replace(behaviour, seed=seed, new_id=lambda store: make(behaviour.new_id(store)))

    return override


def _scattered(number: int) -> int:
    return random.Random(number).getrandbits(63)  # noqa: S311 - nothing here is secret


def _scattered_signed(number: int) -> int:
    return random.Random(number).randrange(-(2**63), 2**63)  # noqa: S311 - nothing here is secret


def _visible_after(seconds: float) -> Override:
    return lambda behaviour: replace(
        behaviour, visible=lambda animal, now: not animal.born or now - animal.born >= seconds
    )


def _other_clients(every: int, act: Callable[[ServerState, Behaviour, int], None]) -> Override:
    """Another client acts before each request whose number is a multiple of `every`; `act` also gets its own number."""

    def override(behaviour: Behaviour) -> Behaviour:
        def other_clients(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
            behaviour.other_clients(call, state, whole)
            number = len(state.log) + 1
            if number % every == 0:
                act(state, whole, number // every)

        return replace(behaviour, other_clients=other_clients)

    return override


def _seeded_first(state: ServerState) -> list[Animal]:
    return [animal for animal in state.store.newest_first() if not animal.born]


def _add(state: ServerState, behaviour: Behaviour, number: int) -> None:
    status = (*STATUSES, None)[number % 4]
    state.store.put(Animal(behaviour.new_id(state.store), f"Another client's {number}", 1, status, born=0.0))


def _change(state: ServerState, behaviour: Behaviour, number: int) -> None:
    for animal in islice(cycle(_seeded_first(state)), 3 * number, 3 * number + 3):
        state.store.put(changed(animal, status=STATUSES[number % 3], name=f"{animal.name[:20]}*"))


def _remove(state: ServerState, behaviour: Behaviour, number: int) -> None:
    for animal in _seeded_first(state)[:1]:
        state.store.remove(animal.id)


def _remove_two(state: ServerState, behaviour: Behaviour, number: int) -> None:
    """Two of the run, once, after pages could have shown them."""
    born = [animal for animal in state.store.newest_first() if animal.born]
    memory = state.memory["removed two"]
    if len(born) >= _ENOUGH and number == memory.setdefault("due", number + _ENOUGH):
        for animal in born[-2:]:
            state.store.remove(animal.id)


_ENOUGH = 8  # animals of the run, of which two are removed, and requests after the last of those


def _forget_oldest(state: ServerState, behaviour: Behaviour, number: int) -> None:
    """The store holds as many animals as at the start, at least four; an empty one any number."""
    animals = state.store.newest_first()
    room = state.memory["newest only"].setdefault("room", max(len(animals), 4) if animals else sys.maxsize)
    for animal in animals[room:]:
        state.store.remove(animal.id)


def _reused(times: int | None, quarantine: float) -> Override:
    """Another client removes an animal before every tenth request; a created animal gets the id of a removed one.

    This happens `times` times in total (None: always), with ids removed at least `quarantine` seconds before.
    """

    def override(behaviour: Behaviour) -> Behaviour:
        def other_clients(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
            behaviour.other_clients(call, state, whole)
            removed = state.memory["removed ids"]
            if (len(state.log) + 1) % 10 == 0 and len(removed) != times:
                for animal in _seeded_first(state)[:1]:
                    state.store.remove(animal.id)
                    removed[str(animal.id)] = call.time

        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            def new_id(store: Store) -> int:
                removed = state.memory["removed ids"]
                free = [key for key, when in removed.items() if when is not None and call.time - when >= quarantine]
                if not free:
                    return whole.new_id(store)
                removed[free[0]] = None
                return int(free[0])

            create = call.operation is Operation.CREATE
            return behaviour.act(call, state, replace(whole, new_id=new_id) if create else whole)

        return replace(behaviour, other_clients=other_clients, act=act)

    return override


def _spend_rest(behaviour: Behaviour) -> Behaviour:
    """Another client uses up the quota of each key, once, before the twelfth request."""

    def other_clients(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        behaviour.other_clients(call, state, whole)
        if len(state.log) + 1 == 12:
            for key in state.keys:
                while state.quota.spend(known(key, state.keys)).remaining:
                    pass

    return replace(behaviour, other_clients=other_clients)


def _spend(state: ServerState, behaviour: Behaviour, number: int) -> None:
    for key in state.keys:
        state.quota.spend(known(key, state.keys))


VARIATIONS = [
    # how many
    variation("empty-store", "2", "There are no animals.", _sized(0), conflicts=_SIZES),
    variation("store-of-1", "2", "There is one animal.", _sized(1), conflicts=_SIZES),
    variation(
        "store-of-19", "2", "There are 19 animals, one fewer than a default page holds.", _sized(19), conflicts=_SIZES
    ),
    variation(
        "store-of-20", "2", "There are 20 animals, as many as a default page holds.", _sized(20), conflicts=_SIZES
    ),
    variation(
        "store-of-21", "2", "There are 21 animals, one more than a default page holds.", _sized(21), conflicts=_SIZES
    ),
    variation(
        "store-of-100", "2", "There are 100 animals, as many as the largest page holds.", _sized(100), conflicts=_SIZES
    ),
    variation(
        "store-of-101",
        "2",
        "There are 101 animals, one more than the largest page holds.",
        _sized(101),
        conflicts=_SIZES,
    ),
    variation("store-of-10000", "2", "There are 10,000 animals.", _sized(10_000), conflicts=_SIZES),
    # which ids
    variation(
        "ids-beyond-double",
        "2",
        "Ids are odd numbers above 2^53.",
        _numbered(lambda number: 2**53 + 2 * number + 1),
        conflicts=_IDS,
    ),
    variation("ids-negative", "2", "Ids are negative.", _numbered(lambda number: -number), conflicts=_IDS),
    variation("ids-random", "2", "Ids are random numbers of 63 bits.", _numbered(_scattered), conflicts=_IDS),
    variation(
        "ids-random-signed",
        "2",
        "Ids are random int64 numbers, negative ones included.",
        _numbered(_scattered_signed),
        conflicts=_IDS,
    ),
    variation("ids-from-zero", "2", "Ids start at 0.", _numbered(lambda number: number - 1), conflicts=_IDS),
    variation(
        "ids-at-the-end",
        "2",
        "Ids count down from the int64 maximum.",
        _numbered(lambda number: 2**63 - number),
        conflicts=_IDS,
    ),
    # which fields
    variation(
        "no-statuses",
        "2",
        "No animal has a status.",
        _each(lambda animal: changed(animal, status=None)),
        conflicts=_STATUSES,
    ),
    variation(
        "all-available",
        "2",
        "All animals are available.",
        _each(lambda animal: changed(animal, status="available")),
        conflicts=_STATUSES,
    ),
    variation(
        "none-sold",
        "2",
        "No animal is sold.",
        _each(lambda animal: changed(animal, status="pending" if animal.status == "sold" else animal.status)),
        conflicts=_STATUSES,
    ),
    variation(
        "odd-names",
        "2",
        "Names are empty, control characters, markup, emoji or right-to-left text.",
        _each(lambda animal: changed(animal, name=_ODD_NAMES[animal.id % len(_ODD_NAMES)])),
        conflicts=_NAMES,
    ),
    variation(
        "same-names",
        "2",
        "All animals have the same name.",
        _each(lambda animal: changed(animal, name="Rex")),
        conflicts=_NAMES,
    ),
    variation(
        "long-names",
        "2",
        "Names have 5,000 characters.",
        _each(lambda animal: changed(animal, name=f"{animal.id} " + "x" * 5000)),
        conflicts=_NAMES,
    ),
    variation(
        "category-zero",
        "2",
        "Every `categoryId` is 0.",
        _each(lambda animal: changed(animal, category_id=0)),
        conflicts=_CATEGORIES,
    ),
    variation(
        "categories-negative",
        "2",
        "Every `categoryId` is negative.",
        _each(lambda animal: changed(animal, category_id=-animal.category_id)),
        conflicts=_CATEGORIES,
    ),
    variation(
        "categories-huge",
        "2",
        "Every `categoryId` is near the int64 maximum.",
        _each(lambda animal: changed(animal, category_id=2**63 - animal.category_id)),
        conflicts=_CATEGORIES,
    ),
    # created animals that show late
    variation(
        "seen-after-a-second",
        "4.2",
        "A created animal shows one second late.",
        _visible_after(1.0),
        at=(Operation.LIST, Operation.GET),
        conflicts=_DELAYS,
    ),
    variation(
        "listed-after-a-second",
        "4.2",
        "A created animal is listed one second late; by its id it shows at once.",
        _visible_after(1.0),
        at=(Operation.LIST,),
        conflicts=_DELAYS,
    ),
    # other clients
    variation("others-add", "3", "Another client adds an animal before every third request.", _other_clients(3, _add)),
    variation(
        "others-change",
        "3",
        "Another client changes three animals before every fifth request, and in turn all of them.",
        _other_clients(5, _change),
    ),
    variation(
        "others-remove",
        "3",
        "Another client removes an animal before every fourth request.",
        _other_clients(4, _remove),
    ),
    variation(
        "others-remove-two-of-the-run",
        "4.2",
        "Another client once removes two of the animals that the run has created.",
        _other_clients(1, _remove_two),
        # no page shows them before
        conflicts=f"oldest-first by-name by-status random-order listed-late-after-overlap {_DELAYS}",
    ),
    variation(
        "keeps-the-newest",
        "3",
        "The store holds as many animals as at the start, four or more, and removes its oldest for a new one.",
        _other_clients(1, _forget_oldest),
    ),
    variation(
        "others-spend",
        "8",
        "Another client with the same key sends one request before each request of the run.",
        _other_clients(1, _spend),
    ),
    variation(
        "id-reused-once",
        "4.2",
        "Another client removes an animal, and the next created animal gets its id.",
        _reused(1, 0.0),
        conflicts=f"{_REUSED} strict-categories",
    ),
    variation(
        "ids-reused-later",
        "4.2",
        "Another client removes animals, and 20 seconds later created animals get their ids.",
        _reused(None, 20.0),
        conflicts=f"{_REUSED} strict-categories",
    ),
    variation(
        "others-use-up-quota",
        "8",
        "Another client with the same key uses up the quota once.",
        _spend_rest,
        at=(None,),
        conflicts="daily-window refilled-bucket",
    ),
]
