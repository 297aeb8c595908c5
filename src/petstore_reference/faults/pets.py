"""Section 2: Pets with wrong fields, and ids that are not unique."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from petstore_reference.behaviour import Override, Pet
from petstore_reference.conforming import read_id
from petstore_reference.messages import Answer, Operation, ReceivedCall
from petstore_reference.overrides import animals, both, pets, served, with_status, without
from petstore_reference.registry import OF_ANIMALS, fault
from petstore_reference.store import STATUSES

pet = partial(fault, section="2")

_CREATE, _LIST = (Operation.CREATE,), (Operation.LIST,)
_NAMESPACE = 0x9E7 << 64


def _field(name: str, make: Callable[[object], object]) -> Override:
    return pets(lambda pet: {**pet, name: make(pet[name])} if name in pet else pet)


def _renamed(old: str, new: str) -> Override:
    return pets(lambda pet: {new if name == old else name: value for name, value in pet.items()})


def _missing(name: str) -> Override:
    return pets(lambda pet: without(pet, name))


def _reads_ids(read: Callable[[str], int]) -> Override:
    return lambda behaviour: replace(behaviour, read_id=read)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _uuid(value: object) -> str:
    return str(uuid.UUID(int=_NAMESPACE | _number(value) % 2**64))


def _from_uuid(text: str) -> int:
    return _signed(uuid.UUID(text).int % 2**64) if text.count("-") == 4 else read_id(text)


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


def _from_half(text: str) -> int:
    return read_id(text.removesuffix(".5"))


def _from_beyond(text: str) -> int:
    return int(text) - 2**64 if text.isdecimal() and int(text) >= 2**63 else read_id(text)


def _nested(pet: Pet) -> Pet:
    return {**without(pet, "categoryId"), "category": {"id": pet["categoryId"]}}


def _first_row_twice(answer: Answer, call: ReceivedCall) -> Answer:
    rows = answer.content
    return replace(answer, content=[rows[0], *rows[:-1]]) if isinstance(rows, list) and len(rows) > 1 else answer


def _status(make: Callable[[str | None], object]) -> Override:
    return animals(with_status(make))


FAULTS = [
    # id
    *pet("id-missing", "Pets have no `id`.", "PET-1", _missing("id"), each=OF_ANIMALS),
    *pet("id-underscored", "`id` is spelled `_id`.", "PET-1", _renamed("id", "_id")),
    *pet("id-text", "`id` is a string.", "PET-1", _field("id", str), each=OF_ANIMALS),
    *pet("id-uuid", "`id` is a UUID.", "PET-1", both(_field("id", _uuid), _reads_ids(_from_uuid))),
    *pet(
        "id-fraction",
        "`id` has a fraction.",
        "PET-1",
        both(_field("id", lambda value: _number(value) + 0.5), _reads_ids(_from_half)),
    ),
    *pet(
        "id-beyond-int64",
        "`id` is outside int64.",
        "PET-1",
        both(_field("id", lambda value: _number(value) + 2**64), _reads_ids(_from_beyond)),
    ),
    *pet(
        "id-null",
        "`id` is null in the 201.",
        "PET-1",
        _field("id", lambda value: None),
        at=_CREATE,
    ),
    *pet("id-object", "`id` is an object.", "PET-1", _field("id", lambda value: {"$oid": str(value)})),
    *pet(
        "list-repeats-first-animal", "A page lists its first animal twice.", "PET-5", served(_first_row_twice), at=_LIST
    ),
    # name
    *pet("name-missing", "Pets have no `name`.", "PET-2", _missing("name"), each=OF_ANIMALS),
    *pet("name-capitalised", "`name` is spelled `Name`.", "PET-2", _renamed("name", "Name")),
    *pet("name-null", "`name` is null.", "PET-2", _field("name", lambda value: None), each=OF_ANIMALS),
    *pet(
        "name-object",
        "`name` is an object with one text per language.",
        "PET-2",
        _field("name", lambda value: {"en": value}),
    ),
    *pet("name-number", "`name` is a number.", "PET-2", _field("name", lambda value: 7)),
    *pet("name-list", "`name` is a list of words.", "PET-2", _field("name", lambda value: str(value).split())),
    # categoryId
    *pet("category-missing", "Pets have no `categoryId`.", "PET-3", _missing("categoryId"), each=OF_ANIMALS),
    *pet(
        "category-snake-case",
        "`categoryId` is spelled `category_id`.",
        "PET-3",
        _renamed("categoryId", "category_id"),
        each=OF_ANIMALS,
    ),
    *pet("category-text", "`categoryId` is a string.", "PET-3", _field("categoryId", str), each=OF_ANIMALS),
    *pet("category-null", "`categoryId` is null.", "PET-3", _field("categoryId", lambda value: None), each=OF_ANIMALS),
    *pet("category-nested", "An object `category` replaces `categoryId`.", "PET-3", pets(_nested)),
    *pet(
        "category-fraction",
        "`categoryId` has a fraction.",
        "PET-3",
        _field("categoryId", lambda value: _number(value) % 1000 + 0.5),
    ),
    *pet(
        "category-name",
        "`categoryId` is a name instead of a number.",
        "PET-3",
        _field("categoryId", lambda value: f"category-{value}"),
    ),
    *pet(
        "category-beyond-int64",
        "`categoryId` is outside int64.",
        "PET-3 CREATE-3",
        _field("categoryId", lambda value: _number(value) + 2**64),
    ),
    # status
    *pet(
        "status-upper-case",
        "`status` is in upper case.",
        "PET-4",
        _status(lambda status: status and status.upper()),
        each=OF_ANIMALS,
    ),
    *pet(
        "status-capitalised",
        "`status` begins with a capital letter.",
        "PET-4",
        _status(lambda status: status and status.capitalize()),
    ),
    *pet(
        "status-null-for-absent",
        "`status` is null for an animal without a status.",
        "PET-4",
        pets(lambda pet: {"status": None, **pet}),
        each=(Operation.LIST, Operation.CREATE),
    ),
    # a run reads a second animal by its id only if its budget allows
    *pet(
        "status-null-for-absent",
        "`status` is null for an animal without a status.",
        "PET-4",
        pets(lambda pet: {"status": None, **pet}),
        at=(),
        each=(Operation.GET,),
        needs="reading",
    ),
    *pet(
        "status-empty-for-absent",
        "`status` is an empty string for an animal without a status.",
        "PET-4",
        pets(lambda pet: {"status": "", **pet}),
    ),
    *pet(
        "status-unknown-for-absent",
        "`status` is `unknown` for an animal without a status.",
        "PET-4",
        _status(lambda status: status or "unknown"),
    ),
    *pet(
        "status-index",
        "`status` is a number.",
        "PET-4",
        _status(lambda status: STATUSES.index(status) if status else None),
    ),
    *pet(
        "status-adopted",
        "`status` of a sold animal is `adopted`.",
        "PET-4",
        _status(lambda status: "adopted" if status == "sold" else status),
    ),
    *pet(
        "status-object",
        "`status` is an object.",
        "PET-4",
        pets(lambda pet: {**pet, "status": {"value": pet["status"]}} if "status" in pet else pet),
    ),
    *pet(
        "status-list",
        "`status` is a list.",
        "PET-4",
        pets(lambda pet: {**pet, "status": [pet["status"]]} if "status" in pet else pet),
    ),
]
