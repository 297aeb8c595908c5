"""From an example that fails to a simpler one that fails in the same way, in a handful of requests.

Each attempt takes something away from what is known to fail. What it takes to find out whether that still fails is the
caller's matter: it may be a request, or the memory of one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from petcheck.examples.plan import Pets, named
from petcheck.exchange import Operation
from petcheck.judging.jsontext import NotJson, integer, parse
from petcheck.wire.transport import Call


def simplest(call: Call, pets: Pets, fails: Callable[[Call], bool]) -> Call:
    """The simplest call found that fails as `call` does; `call` itself where none is found.

    `fails` answers for one call and is asked about each at most once. It says False when it may ask no more.
    """
    tried = {call}
    while True:
        for attempt in simpler(call, pets):
            if attempt not in tried:
                tried.add(attempt)
                if fails(attempt):
                    call = attempt
                    break
        else:
            return call


def simpler(call: Call, pets: Pets) -> Iterator[Call]:
    """Calls that are simpler than `call`, those that take most away first."""
    match call.operation:
        case Operation.GET_PET:
            yield from (replace(call, pet_id=segment) for segment in _simpler_segment(call.pet_id or ""))
        case Operation.CREATE_PET:
            yield from (replace(call, body=body) for body in _simpler_body(call.body or b"", pets))
        case _:
            yield from (replace(call, query=query) for query in _simpler_query(call.query))


Query = tuple[tuple[str, str], ...]


def _simpler_query(query: Query) -> Iterator[Query]:
    if query:
        yield ()
    if len(query) > 1:
        yield from ((pair,) for pair in query)
    for place, (name, value) in enumerate(query):
        if name == "limit":
            for other in _simpler_number(value, least=1):
                yield (*query[:place], (name, other), *query[place + 1 :])
        elif len(value) > 1:
            for half in (value[: len(value) // 2], value[len(value) // 2 :]):
                yield (*query[:place], (name, half), *query[place + 1 :])


def _simpler_number(text: str, *, least: int) -> Iterator[str]:
    """Numbers nearer to zero: the least, then by halves, then the next."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 40:
        return
    number = int(text)
    sign = -1 if number < 0 else 1
    for size in (least, abs(number) // 2, abs(number) * 3 // 4, abs(number) - 1):
        if least <= size < abs(number):
            yield str(sign * size)


def _simpler_segment(segment: str) -> Iterator[str]:
    numbers = list(_simpler_number(segment, least=0))
    yield from numbers
    if not numbers and len(segment) > 1:
        for half in (segment[: len(segment) // 2], segment[len(segment) // 2 :]):
            if half.strip(" ./"):
                yield half


def _simpler_body(body: bytes, pets: Pets) -> Iterator[bytes]:
    """Simpler NewPets. Names go on carrying the run's id, and short ones are its beginning."""
    try:
        pet = parse(body)
    except NotJson:
        pet = None
    if not isinstance(pet, dict):
        return
    name, category = pet.get("name"), integer(pet.get("categoryId"))
    plain = named(pets.run, 20)
    if isinstance(name, str) and name != plain:
        yield _with(pet, name=plain)
    if "status" in pet:
        yield json.dumps({key: pet[key] for key in pet if key != "status"}, ensure_ascii=False, default=float).encode()
    if category is not None and category != pets.category:
        yield _with(pet, categoryId=pets.category)
    if isinstance(name, str):
        yield from (_with(pet, name=other) for other in _simpler_name(name, pets.run))


def _simpler_name(name: str, run: str) -> Iterator[str]:
    same_length = named(run, len(name))
    if same_length != name:
        yield same_length
        rest = name.removeprefix(run)
        if len(rest) > 1 and rest != name:
            yield from (run + half for half in (rest[: len(rest) // 2], rest[len(rest) // 2 :]))
    else:
        for length in (len(name) // 2, len(name) * 3 // 4, len(name) - 1):
            if 0 < length < len(name):
                yield named(run, length)


def _with(pet: dict[str, object] | object, **members: object) -> bytes:
    value = dict(pet) if isinstance(pet, dict) else {}
    return json.dumps(value | members, ensure_ascii=False, default=float).encode()
