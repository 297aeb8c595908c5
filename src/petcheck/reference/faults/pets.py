"""Section 2: Pets with wrong fields, and ids that are not unique."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace

from petcheck.reference.behaviour import Change, Pet
from petcheck.reference.changes import animals, both, pets, served, with_status, without
from petcheck.reference.conforming import read_id
from petcheck.reference.messages import Answer, Call, Operation
from petcheck.reference.seam import fault
from petcheck.reference.store import STATUSES

_CREATE, _LIST = (Operation.CREATE,), (Operation.LIST,)
_OF_ANIMALS = (Operation.LIST, Operation.CREATE, Operation.GET)
_NAMESPACE = 0x9E7 << 64


def _field(name: str, make: Callable[[object], object]) -> Change:
    return pets(lambda pet: {**pet, name: make(pet[name])} if name in pet else pet)


def _renamed(old: str, new: str) -> Change:
    return pets(lambda pet: {new if name == old else name: value for name, value in pet.items()})


def _missing(name: str) -> Change:
    return pets(lambda pet: without(pet, name))


def _reads_ids(read: Callable[[str], int]) -> Change:
    return lambda behaviour: replace(behaviour, read_id=read)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _uuid(value: object) -> str:
    return str(uuid.UUID(int=_NAMESPACE | _number(value)))


def _from_uuid(text: str) -> int:
    return uuid.UUID(text).int & (2**64 - 1) if text.count("-") == 4 else read_id(text)


def _from_half(text: str) -> int:
    return read_id(text.removesuffix(".5"))


def _from_beyond(text: str) -> int:
    return int(text) - 2**64 if text.isdigit() and int(text) > 2**64 else read_id(text)


def _nested(pet: Pet) -> Pet:
    return {**without(pet, "categoryId"), "category": {"id": pet["categoryId"]}}


def _first_row_twice(answer: Answer, call: Call) -> Answer:
    rows = answer.content
    return replace(answer, content=[rows[0], *rows[:-1]]) if isinstance(rows, list) and len(rows) > 1 else answer


def _status(make: Callable[[str | None], object]) -> Change:
    return animals(with_status(make))


FAULTS = [
    # id
    *fault("id-missing", "2", "Pets have no `id`.", "PET-1", _missing("id"), each=_OF_ANIMALS),
    *fault("id-underscored", "2", "`id` is called `_id`.", "PET-1", _renamed("id", "_id")),
    *fault("id-text", "2", "`id` is a string.", "PET-1", _field("id", str), each=_OF_ANIMALS),
    *fault("id-uuid", "2", "`id` is a UUID.", "PET-1", both(_field("id", _uuid), _reads_ids(_from_uuid))),
    *fault(
        "id-fraction",
        "2",
        "`id` is a fraction.",
        "PET-1",
        both(_field("id", lambda value: _number(value) + 0.5), _reads_ids(_from_half)),
    ),
    *fault(
        "id-beyond-int64",
        "2",
        "`id` is beyond int64.",
        "PET-1",
        both(_field("id", lambda value: _number(value) + 2**64), _reads_ids(_from_beyond)),
    ),
    *fault(
        "id-null",
        "2",
        "`id` is null in the 201, as the animal is shown before it is stored.",
        "PET-1",
        _field("id", lambda value: None),
        at=_CREATE,
    ),
    *fault("id-object", "2", "`id` is an object.", "PET-1", _field("id", lambda value: {"$oid": str(value)})),
    *fault("row-twice", "2", "A page shows its first animal twice.", "PET-5", served(_first_row_twice), at=_LIST),
    # name
    *fault("name-missing", "2", "Pets have no `name`.", "PET-2", _missing("name"), each=_OF_ANIMALS),
    *fault("name-capitalised", "2", "`name` is called `Name`.", "PET-2", _renamed("name", "Name")),
    *fault("name-null", "2", "`name` is null.", "PET-2", _field("name", lambda value: None), each=_OF_ANIMALS),
    *fault(
        "name-object", "2", "`name` is an object of languages.", "PET-2", _field("name", lambda value: {"en": value})
    ),
    *fault("name-number", "2", "`name` is a number.", "PET-2", _field("name", lambda value: 7)),
    *fault("name-list", "2", "`name` is a list of words.", "PET-2", _field("name", lambda value: str(value).split())),
    # categoryId
    *fault("category-missing", "2", "Pets have no `categoryId`.", "PET-3", _missing("categoryId"), each=_OF_ANIMALS),
    *fault(
        "category-snake-case",
        "2",
        "`categoryId` is called `category_id`.",
        "PET-3",
        _renamed("categoryId", "category_id"),
        each=_OF_ANIMALS,
    ),
    *fault("category-text", "2", "`categoryId` is a string.", "PET-3", _field("categoryId", str), each=_OF_ANIMALS),
    *fault(
        "category-null",
        "2",
        "`categoryId` is null.",
        "PET-3",
        _field("categoryId", lambda value: None),
        each=_OF_ANIMALS,
    ),
    *fault("category-nested", "2", "The category is an object.", "PET-3", pets(_nested)),
    *fault(
        "category-fraction",
        "2",
        "`categoryId` is a fraction.",
        "PET-3",
        _field("categoryId", lambda value: _number(value) + 0.5),
    ),
    *fault(
        "category-name",
        "2",
        "`categoryId` is the category's name.",
        "PET-3",
        _field("categoryId", lambda value: f"category-{value}"),
    ),
    *fault(
        "category-beyond-int64",
        "2",
        "`categoryId` is beyond int64.",
        "PET-3",
        _field("categoryId", lambda value: _number(value) + 2**64),
    ),
    # status
    *fault(
        "status-upper-case",
        "2",
        "`status` is in upper case.",
        "PET-4",
        _status(lambda status: status and status.upper()),
        each=_OF_ANIMALS,
    ),
    *fault(
        "status-capitalised",
        "2",
        "`status` begins with a capital letter.",
        "PET-4",
        _status(lambda status: status and status.capitalize()),
    ),
    *fault(
        "status-null-for-absent",
        "2",
        "`status` is null for an animal without one.",
        "PET-4",
        pets(lambda pet: {"status": None, **pet}),
        each=_OF_ANIMALS,
    ),
    *fault(
        "status-empty-for-absent",
        "2",
        "`status` is empty for an animal without one.",
        "PET-4",
        pets(lambda pet: {"status": "", **pet}),
    ),
    *fault(
        "status-unknown-for-absent",
        "2",
        "`status` is `unknown` for an animal without one.",
        "PET-4",
        _status(lambda status: status or "unknown"),
    ),
    *fault(
        "status-index",
        "2",
        "`status` is a number.",
        "PET-4",
        _status(lambda status: STATUSES.index(status) if status else None),
    ),
    *fault(
        "status-adopted",
        "2",
        "`status` of sold animals is `adopted`.",
        "PET-4",
        _status(lambda status: "adopted" if status == "sold" else status),
    ),
    *fault(
        "status-object",
        "2",
        "`status` is an object.",
        "PET-4",
        pets(lambda pet: {**pet, "status": {"value": pet["status"]}} if "status" in pet else pet),
    ),
    *fault(
        "status-list",
        "2",
        "`status` is a list.",
        "PET-4",
        pets(lambda pet: {**pet, "status": [pet["status"]]} if "status" in pet else pet),
    ),
]
