"""Examples of bodies that `POST /pets` must refuse (section 4.2): one defect each, each another one. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import cycle, zip_longest

from petcheck.json_values import kind, parse
from petcheck.judging.request_bodies import Due, asked_for
from petcheck.plan.bodies import with_category, wrong_statuses
from petcheck.plan.weaving import rotated, turn, woven
from petcheck.properties.new_pets import Pets, json_body, of_this_run
from petcheck.properties.pool import Cases
from petcheck.spec.figures import INT64_MIN, NEW_PET_FIELDS, SOLD
from petcheck.spec.operations import Operation


def defective_pets(pets: Pets, seed: int, known: Collection[bytes], cases: Cases) -> Iterator[bytes | None]:
    """Bodies with one defect each: realistic ones, then one of each kind that no `known` body has, then random ones.

    To a server, defects that differ only in the spelling of a status are of one kind. All realistic ones are sent, but
    for the last ones that have a value of the same type in the same place as another body.
    """
    # code that tests a status for truth takes the first, code that trims it the second; `$` matches before a newline
    empty = json_body(_pet(pets, "empty status", status=""))
    padded = json_body(_pet(pets, "padded status", status=turn((f"{SOLD}\n", f" {SOLD} "), seed // 4)))
    second, third, fourth = (
        json_body(_pet(pets, f"{place} status", status=value))
        for place, value in zip(("second", "third", "fourth"), wrong_statuses(seed)[1:], strict=True)
    )
    category = json_body(_pet(pets, "another category", categoryId=seed % 2 == 1))
    # a run has requests for one of these, and for one of the others; None sends neither a body nor a Content-Type
    by_turns = rotated((padded, None, fourth, category, _no_object(pets, seed)), 0, seed, 1)
    first: Sequence[bytes | None] = (empty, second, DEEP_AND_LONG, third, *by_turns)
    # twice as many of the first, each twice
    others = rotated(woven(cycle(_often(pets)), _seldom(pets), 24, 2), 0, seed, 1)
    sent = {value for body in (*known, *first) for value in _of_another_type(body)}
    further = [body for body in dict.fromkeys(others) if not sent & _of_another_type(body)]
    realistic = [*first[:5], *further[:1], *first[5:], *further[1:]]
    yield from realistic
    seen = {defect for body in (*known, *realistic) if body and (defect := _defect(body))}
    planned = [*(call.body for call in cases.coverage(Operation.CREATE_PET, "negative")), *_MORE]
    kinds: dict[str, list[bytes]] = {}
    for body in (of_this_run(body, pets, refused=True) for body in planned):
        defect = _defect(body) if body is not None else None
        if body is not None and defect is not None and defect not in seen:
            seen.add(defect)
            kinds.setdefault(defect.partition(" ")[0], []).append(body)
    yield from (body for bodies in zip_longest(*kinds.values()) for body in bodies if body is not None)
    for call in cases.random(Operation.CREATE_PET, "negative", seed):
        body = of_this_run(call.body, pets, refused=True)
        if body is not None and _defect(body) is not None:
            yield body


def _no_object(pets: Pets, seed: int) -> bytes:
    """What is not an object, and other than what the checks send: lists by turns with JSON text in a string."""
    pet = _pet(pets, "in a list")
    text = json.dumps(json.dumps(_pet(pets, "in a text"))).encode()
    return turn((text, json_body([pet]), json_body([*pet.values()])), seed)


def _often(pets: Pets) -> Iterator[bytes]:
    """Defects that many servers accept or fail on: the code tests for truth, converts types, or looks up a list."""
    yield json_body(_pet(pets, "list as status", status=[SOLD]))  # cannot be a key of a dictionary, so a lookup crashes
    yield _with_category_as_text(pets, "below int64", str(INT64_MIN - 1))
    yield json_body(_pet(pets, "list as category", categoryId=[pets.category]))
    yield json_body(_pet(pets, "empty category", categoryId=""))


def _seldom(pets: Pets) -> Iterator[bytes]:
    """Other defects that people make, and those that a parser causes."""
    yield json_body(_pet(pets, "capital status", status=SOLD.capitalize()))
    yield json_body(_pet(pets, "object as category", categoryId={"id": pets.category}))
    yield json_body(_pet(pets, "digits of a long id as category", categoryId=str(2**53 + 1)))
    yield json_body(_pet(pets, "deep", status=_deep(200)))
    yield json_body(_pet(pets, "padded category", categoryId=f" {pets.category} "))
    yield json_body(_pet(pets, "wraps to a category", categoryId=2**64 + pets.category))  # in 64 bits
    yield json_body({"pet": _pet(pets, "wrapped in an object")})


def _pet(pets: Pets, what: str, **members: object) -> dict[str, object]:
    """A NewPet with other members, or without those that are `_LEFT_OUT`."""
    whole = {"name": f"{pets.run} refused {what}", "categoryId": pets.category, "status": SOLD}
    return {key: value for key, value in (whole | members).items() if value is not _LEFT_OUT}


_LEFT_OUT = object()


def _with_category_as_text(pets: Pets, what: str, category: str) -> bytes:
    return with_category(_pet(pets, what, categoryId=_LEFT_OUT), category)


def _deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


def _of_another_type(body: bytes | None) -> frozenset[tuple[str, str, bool]]:
    """The fields of a pet in a body that are empty, lists, objects, or true or false, each with its type and whether
    Python takes the value for true.
    """
    pet = parse(body or b"").value
    fields = [one for one in pet.items() if one[0] in NEW_PET_FIELDS] if isinstance(pet, dict) else []
    others = [(name, value) for name, value in fields if isinstance(value, list | dict | bool) or value == ""]
    return frozenset((name, kind(value), bool(value)) for name, value in others)


NESTED, DIGITS = "[" * 3_000 + "]" * 3_000, "9" * 5_000
"""JSON that many parsers fail on: 3,000 levels, and a number of 5,000 digits."""
# A parser that calls itself has no room left, and Python converts at most 4,300 digits. A parser that knows the type
# that it expects stops at the first bracket of a list, so they are members of an object; without a name and a category
# it is refused, so nobody has to read it again.
DEEP_APART = f'{{"deep": {NESTED}}}'.encode(), f'{{"digits": {DIGITS}}}'.encode()
DEEP_AND_LONG = b", ".join((DEEP_APART[0][:-1], DEEP_APART[1][1:]))
_MORE = (b'{"name": "Rex", "categoryId": 1', b'"Rex"', b"true", b"[]", b"7")


def _defect(body: bytes) -> str | None:
    """What is wrong with a body, in words; None without a certain defect."""
    asked = asked_for(body, ())
    return f"{asked.requirement} {asked.what}" if asked.due is Due.REFUSED else None
