"""Reduces a failing example to a simpler one that fails in the same way, in a few requests.

Each attempt removes something from a call that is known to fail. The caller finds out whether the rest still fails, by
a request or from an earlier answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from petcheck.call import Call
from petcheck.json_values import HugeNumber, Json, deep_enough, integer, parse
from petcheck.judging.request_bodies import Due, asked_for
from petcheck.properties.new_pets import Pets, named
from petcheck.spec.figures import PET_FIELDS, STATUSES
from petcheck.spec.operations import Operation


def simplest(call: Call, pets: Pets, fails: Callable[[Call], bool]) -> Call:
    """The simplest call found that fails like `call`; `call` itself if none is found.

    `fails` is called at most once for each call. It returns False when no more requests may be sent.
    """
    search = _Search(pets)
    while True:
        for attempt in search.simpler(call):
            if attempt in search.held:
                continue
            if fails(attempt):
                call = attempt
                break
            search.held.add(attempt)
        else:
            return call


@dataclass
class _Search:
    """Remembers which calls do not fail, and with which numbers, to search between those and a number that fails."""

    pets: Pets
    held: set[Call] = field(default_factory=set)
    holding: dict[object, int] = field(default_factory=dict)

    def simpler(self, call: Call) -> Iterator[Call]:
        """Simpler calls, the largest reductions first; taking the next one means that the last one did not fail."""
        match call.operation:
            case Operation.GET_PET:
                yield from self._segment(call)
            case Operation.CREATE_PET:
                yield from self._body(call)
            case _:
                yield from self._query(call)

    def _towards(self, number: int, least: int, at: Callable[[int], Call], what: object) -> Iterator[Call]:
        """The call with smaller numbers: the least, then halfway between one that does not fail and this one."""
        if what not in self.holding and number > least:
            yield at(least)
            self.holding[what] = least
        while (middle := (self.holding.get(what, number) + number) // 2) > self.holding.get(what, number):
            yield at(middle)
            self.holding[what] = middle

    def _query(self, call: Call) -> Iterator[Call]:
        query = call.query
        if query:
            yield replace(call, query=())
        if len(query) > 1:
            yield from (replace(call, query=(pair,)) for pair in query)
        for place, (name, value) in enumerate(query):

            def at(other: object, place: int = place, name: str = name) -> Call:
                return replace(call, query=(*query[:place], (name, str(other)), *query[place + 1 :]))

            if name == "limit" and _is_number(value):
                if int(value) > 0:
                    yield from self._towards(int(value), 1, at, ("limit", len(query)))
            elif len(value) > 1 and value not in STATUSES:
                yield from map(at, _halves(value))

    def _segment(self, call: Call) -> Iterator[Call]:
        segment = call.pet_id or ""

        def at(number: int) -> Call:
            return replace(call, pet_id=f"-{number}" if segment.startswith("-") and number else str(number))

        if _is_number(segment):
            yield from self._towards(abs(int(segment)), 0, at, segment.startswith("-"))
        elif len(segment) > 1:
            yield from (replace(call, pet_id=half) for half in _halves(segment) if half.strip(" ./\\"))

    def _body(self, call: Call) -> Iterator[Call]:
        """Simpler NewPets. Names still begin with the run's id; short ones are its beginning."""
        pet = parse(call.body or b"").value
        if not isinstance(pet, dict) or not _can_be_written(pet):
            return
        more = [key for key in pet if key not in PET_FIELDS[1:]]
        if more:
            yield _without(call, pet, more)
        if len(more) > 1:
            yield from (_without(call, pet, half) for half in (more[: len(more) // 2], more[len(more) // 2 :]))
        if asked_for(call.body, ()).due is Due.REFUSED:
            return  # one defect, in an animal that is plain: each attempt that is accepted would leave another behind
        run = self.pets.run
        name, category = pet.get("name"), integer(pet.get("categoryId"))
        plain = named(run, 20)
        if isinstance(name, str) and name != plain:
            yield _with(call, pet, name=plain)
        if "status" in pet:
            yield _without(call, pet, ["status"])
        if category is not None and category != self.pets.category:
            yield _with(call, pet, categoryId=self.pets.category)
        if not isinstance(name, str):
            return
        same_length = named(run, len(name))
        if name == same_length:
            yield from self._towards(len(name), 1, lambda size: _with(call, pet, name=named(run, size)), "name")
            return
        yield _with(call, pet, name=same_length)
        rest = name.removeprefix(run)
        if len(rest) > 1 and rest != name:
            yield from (_with(call, pet, name=run + half) for half in _halves(rest))


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= 40


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def _with(call: Call, pet: Mapping[str, Json], **members: object) -> Call:
    return replace(call, body=_written({**pet, **members}))


def _without(call: Call, pet: Mapping[str, Json], names: Sequence[str]) -> Call:
    return _with(call, {key: pet[key] for key in pet if key not in names})


def _written(pet: Mapping[str, object]) -> bytes:
    """An object as JSON. Raises an error of JSON for numbers beyond a double."""
    with deep_enough():
        text = json.dumps(pet, ensure_ascii=False, default=_number, allow_nan=False)
    # a lone surrogate cannot be encoded as UTF-8
    return _IN_DIGITS.sub(r"\1", text).encode(errors="backslashreplace")


_DIGITS = "a number in digits: "  # Python writes at most 4,300 of them
_IN_DIGITS = re.compile(f'"{_DIGITS}([0-9.]+)"')


def _number(value: Decimal | HugeNumber) -> float | str:
    """A number that is as long as one that was read."""
    if isinstance(value, HugeNumber):
        return f"{_DIGITS}{'' if value.whole else '0.'}{'9' * value.digits}"
    return float(value)


def _can_be_written(pet: Mapping[str, Json]) -> bool:
    """Whether it can be written as it was read: numbers beyond a double cannot."""
    try:
        _written(pet)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
