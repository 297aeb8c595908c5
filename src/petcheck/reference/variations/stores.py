"""Section 2: other animals, other ids, and other clients that are at work in the meantime."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.conforming import known
from petcheck.reference.messages import Call, Operation
from petcheck.reference.seam import variation
from petcheck.reference.store import STATUSES, Animal, changed

_SIZES = "empty-store store-of-1 store-of-19 store-of-20 store-of-21 store-of-100 store-of-101 store-of-10000"
_IDS = "ids-beyond-double ids-negative ids-random ids-from-zero ids-at-the-end"
_STATUSES = "no-statuses all-available none-sold"
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


def _seeded(make: Callable[[list[Animal], int], list[Animal]]) -> Change:
    """The animals that are there at first go through `make`, which also gets the seed."""
    return lambda behaviour: replace(behaviour, seed=lambda count, seed: make(behaviour.seed(count, seed), seed))


def _each(make: Callable[[Animal], Animal]) -> Change:
    return _seeded(lambda animals, seed: [make(animal) for animal in animals])


def _sized(count: int) -> Change:
    return lambda behaviour: replace(behaviour, seed=lambda _, seed: behaviour.seed(count, seed))


def _numbered(make: Callable[[int], int]) -> Change:
    """Ids are what `make` gives for 1, 2, 3 and so on."""

    def change(behaviour: Behaviour) -> Behaviour:
        def seed(count: int, seed: int) -> list[Animal]:
            return [changed(animal, id=make(animal.id)) for animal in behaviour.seed(count, seed)]

        return replace(behaviour, seed=seed, new_id=lambda store: make(behaviour.new_id(store)))

    return change


def _scattered(number: int) -> int:
    return random.Random(number).getrandbits(63)  # noqa: S311 - nothing here is secret


def _visible_after(seconds: float) -> Change:
    return lambda behaviour: replace(
        behaviour, visible=lambda animal, now: not animal.born or now - animal.born >= seconds
    )


def _meanwhile(every: int, act: Callable[[Site, Behaviour, int], None]) -> Change:
    """Another client acts before each request whose number is a multiple of `every`; `act` gets that number too."""

    def change(behaviour: Behaviour) -> Behaviour:
        def meanwhile(call: Call, site: Site, whole: Behaviour) -> None:
            behaviour.meanwhile(call, site, whole)
            number = len(site.log) + 1
            if number % every == 0:
                act(site, whole, number)

        return replace(behaviour, meanwhile=meanwhile)

    return change


def _seeded_first(site: Site) -> list[Animal]:
    return [animal for animal in site.store.newest_first() if not animal.born]


def _add(site: Site, behaviour: Behaviour, number: int) -> None:
    status = (*STATUSES, None)[number % 4]
    site.store.put(Animal(behaviour.new_id(site.store), f"Another client's {number}", 1, status, born=0.0))


def _change(site: Site, behaviour: Behaviour, number: int) -> None:
    for animal in _seeded_first(site)[:3]:
        site.store.put(changed(animal, status=STATUSES[number % 3], name=f"{animal.name[:20]}*"))


def _remove(site: Site, behaviour: Behaviour, number: int) -> None:
    for animal in _seeded_first(site)[:1]:
        site.store.remove(animal.id)


def _spend(site: Site, behaviour: Behaviour, number: int) -> None:
    for key in site.keys:
        site.quota.spend(known(key, site.keys))


VARIATIONS = [
    # how many
    variation("empty-store", "2", "There is no animal.", _sized(0), conflicts=_SIZES),
    variation("store-of-1", "2", "There is one animal.", _sized(1), conflicts=_SIZES),
    variation("store-of-19", "2", "The store is one short of the default page.", _sized(19), conflicts=_SIZES),
    variation("store-of-20", "2", "The store is just the default page.", _sized(20), conflicts=_SIZES),
    variation("store-of-21", "2", "The store is one more than the default page.", _sized(21), conflicts=_SIZES),
    variation("store-of-100", "2", "The store is just the largest page.", _sized(100), conflicts=_SIZES),
    variation("store-of-101", "2", "The store is one more than the largest page.", _sized(101), conflicts=_SIZES),
    variation("store-of-10000", "2", "There are 10,000 animals.", _sized(10_000), conflicts=_SIZES),
    # which ids
    variation(
        "ids-beyond-double",
        "2",
        "Ids are odd numbers beyond 2^53.",
        _numbered(lambda number: 2**53 + 2 * number + 1),
        conflicts=_IDS,
    ),
    variation("ids-negative", "2", "Ids are negative.", _numbered(lambda number: -number), conflicts=_IDS),
    variation("ids-random", "2", "Ids are random in 63 bits.", _numbered(_scattered), conflicts=_IDS),
    variation("ids-from-zero", "2", "Ids begin with 0.", _numbered(lambda number: number - 1), conflicts=_IDS),
    variation(
        "ids-at-the-end",
        "2",
        "Ids count down from the end of int64.",
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
        "Names are empty, of control characters, markup, emoji, or run from right to left.",
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
        "All animals are in category 0.",
        _each(lambda animal: changed(animal, category_id=0)),
        conflicts=_CATEGORIES,
    ),
    variation(
        "categories-negative",
        "2",
        "Categories are negative.",
        _each(lambda animal: changed(animal, category_id=-animal.category_id)),
        conflicts=_CATEGORIES,
    ),
    variation(
        "categories-huge",
        "2",
        "Categories are at the end of int64.",
        _each(lambda animal: changed(animal, category_id=2**63 - animal.category_id)),
        conflicts=_CATEGORIES,
    ),
    # seen late
    variation(
        "seen-after-a-second",
        "4.2",
        "A created animal is seen after a second.",
        _visible_after(1.0),
        at=(Operation.LIST, Operation.GET),
        conflicts=_DELAYS,
    ),
    variation(
        "listed-after-a-second",
        "4.2",
        "A created animal is listed after a second.",
        _visible_after(1.0),
        at=(Operation.LIST,),
        conflicts=_DELAYS,
    ),
    # others at work
    variation("others-add", "3", "Another client adds an animal before every third request.", _meanwhile(3, _add)),
    variation(
        "others-change", "3", "Another client changes three animals before every fifth request.", _meanwhile(5, _change)
    ),
    variation(
        "others-remove", "3", "Another client removes an animal before every fourth request.", _meanwhile(4, _remove)
    ),
    variation("others-spend", "8", "Another client sends as many requests with the same key.", _meanwhile(1, _spend)),
]
