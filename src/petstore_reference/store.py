"""The animals (section 2): the same ones at each start, listed newest first, so that a new one is on the first page."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

STATUSES = ("available", "pending", "sold")

_NAMES = ("Ada", "Bella", "Bruno", "Casper", "Daisy", "Ella", "Felix", "Ginger", "Iris", "Kiki", "Luna", "Milo", "Otis")
_CATEGORIES = 6


@dataclass(frozen=True, slots=True)
class NewAnimal:
    """A NewPet: what a client sends to add an animal."""

    name: str
    category_id: int
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Animal:
    """An animal in the store. `born` is when a client added it, in Unix seconds; 0 for animals seeded at the start.

    Faults put values of other types into the fields, as faulty servers do.
    """

    id: int
    name: str
    category_id: int
    status: str | None = None
    born: float = 0.0


class Store:
    """The animals by id, and the numbers for new ones. Threads may share it."""

    def __init__(self, animals: Iterable[Animal] = ()) -> None:
        self._animals = {animal.id: animal for animal in animals}
        self._last_number = len(self._animals)
        self._numbering = threading.Lock()

    def __len__(self) -> int:
        return len(self._animals)

    def newest_first(self) -> list[Animal]:
        """All animals, the newest first."""
        return list(reversed(self._animals.values()))

    def one_by_one(self) -> Iterator[Animal]:
        """The animals in that order, read one by one; RuntimeError if one is added or removed meanwhile."""
        return reversed(self._animals.values())

    def find(self, animal_id: int) -> Animal | None:
        """The animal with that id, None if there is none."""
        return self._animals.get(animal_id)

    def next_number(self) -> int:
        """The next number, counted from the number of animals at the start; no number repeats."""
        with self._numbering:
            self._last_number += 1
            return self._last_number

    def put(self, animal: Animal) -> Animal:
        """Stores the animal, replacing one with the same id, and returns it."""
        self._animals[animal.id] = animal
        return animal

    def replace_all(self, animals: Iterable[Animal]) -> None:
        """Stores these animals, given newest first, instead of all that there are."""
        self._animals = {animal.id: animal for animal in reversed(list(animals))}

    def remove(self, animal_id: int) -> None:
        """Removes the animal if it exists."""
        self._animals.pop(animal_id, None)


def seeded(count: int, seed: int) -> list[Animal]:
    """`count` animals with ids from 1, oldest first; the same seed gives the same animals.

    Two fifths are available; one fifth each is pending, sold and without a status.
    """
    chance = random.Random(seed)  # noqa: S311 - nothing here is secret
    statuses = itertools.cycle(("available", "pending", "available", "sold", None))
    return [
        Animal(number, f"{chance.choice(_NAMES)} {number}", chance.randint(1, _CATEGORIES), next(statuses))
        for number in range(1, count + 1)
    ]


def changed(animal: Animal, **fields: object) -> Animal:
    """The animal with other values, of any type, in some fields."""
    return replace(animal, **fields)  # type: ignore[arg-type]
