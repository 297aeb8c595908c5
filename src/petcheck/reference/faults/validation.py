"""Section 4.2: bodies that are due a 400 and get something else, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import on_refusal, refused_with, turned_down
from petcheck.reference.messages import Answer, Call, Operation, Refusal
from petcheck.reference.seam import Fault, fault
from petcheck.reference.store import STATUSES, NewAnimal

create = partial(fault, section="4.2", at=(Operation.CREATE,))

Raw = TypeVar("Raw")
Read = TypeVar("Read")


@dataclass(frozen=True)
class _Defect:
    """A defect of a body: the code that the server has for it, which requirement wants 400, how it is taken anyway.

    `as_is` are the requirements for a Pet that it breaks when it is stored as it came.
    """

    code: str
    what: str
    requirement: str
    taken: str
    as_is: str = ""


_DEFECTS = (
    _Defect("body_missing", "A missing body", "CREATE-5", "an empty object with defaults"),
    _Defect("body_not_json", "A body that is no JSON", "CREATE-5", "an empty object with defaults"),
    _Defect("body_not_object", "An array", "CREATE-5", "its first object"),
    _Defect("name_missing", "A missing name", "CREATE-6", "an empty one", "PET-2"),
    _Defect("category_missing", "A missing categoryId", "CREATE-6", "0", "PET-3"),
    _Defect("name_not_string", "A number as name", "CREATE-7", "its digits", "PET-2"),
    _Defect("name_null", "null as name", "CREATE-7", "an empty one", "PET-2"),
    _Defect("category_text", "A text as categoryId", "CREATE-8", "the number that it spells", "PET-3"),
    _Defect("category_fraction", "A fraction as categoryId", "CREATE-8", "its whole part", "PET-3"),
    _Defect("category_null", "null as categoryId", "CREATE-8", "0", "PET-3"),
    _Defect("category_boolean", "A boolean as categoryId", "CREATE-8", "0 or 1", "PET-3"),
    _Defect("category_beyond_int64", "A categoryId beyond int64", "CREATE-9", "what is left of it in 64 bits", "PET-3"),
    _Defect("status_unknown", "An unknown status", "CREATE-10", "none", "PET-4"),
    _Defect("status_case", "A status in another case", "CREATE-10", "the one in lower case", "PET-4"),
    _Defect("status_null", "null as status", "CREATE-10", "none"),
)


def _taken(*codes: str) -> Change:
    """Bodies with one of the defects are taken, and what is wrong in them is put right in silence."""

    def change(behaviour: Behaviour) -> Behaviour:
        return replace(
            behaviour,
            parse=_mended(behaviour.parse, codes, _object_of),
            read_name=_mended(behaviour.read_name, codes, _name_of),
            read_category=_mended(behaviour.read_category, codes, _category_of),
            read_status=_mended(behaviour.read_status, codes, _status_of),
        )

    return change


def _taken_as_is(*codes: str) -> Change:
    """Bodies with one of the defects are taken, and stored as they came."""

    def field(name: str) -> Callable[[dict[str, object]], Any]:
        return lambda fields: fields.get(name)

    def change(behaviour: Behaviour) -> Behaviour:
        return replace(
            behaviour,
            read_name=_mended(behaviour.read_name, codes, field("name")),
            read_category=_mended(behaviour.read_category, codes, field("categoryId")),
            read_status=_mended(behaviour.read_status, codes, field("status")),
        )

    return change


def _mended(read: Callable[[Raw], Read], codes: tuple[str, ...], mend: Callable[[Raw], Read]) -> Callable[[Raw], Read]:
    def mended(raw: Raw) -> Read:
        try:
            return read(raw)
        except Refusal as refusal:
            if refusal.code not in codes:
                raise
            return mend(raw)

    return mended


def _object_of(body: bytes) -> dict[str, object]:
    with suppress(ValueError):
        content = json.loads(body)
        if isinstance(content, list) and content and isinstance(content[0], dict):
            return content[0]
    return {"name": "", "categoryId": 1}


def _name_of(fields: dict[str, object]) -> str:
    name = fields.get("name")
    return "" if name is None else str(name)


def _category_of(fields: dict[str, object]) -> int:
    category = fields.get("categoryId")
    try:
        number = int(float(category)) if isinstance(category, (str, float)) else int(category)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return 0
    return (number + 2**63) % 2**64 - 2**63


def _status_of(fields: dict[str, object]) -> str | None:
    status = str(fields.get("status")).lower()
    return status if status in STATUSES else None


def _stored_all_the_same(*codes: str) -> Change:
    """A body with one of the defects is 400, and its animal is in the store."""

    def change(behaviour: Behaviour) -> Behaviour:
        lenient = _taken(*codes)(behaviour)

        def refuse(refusal: Refusal, call: Call, site: Site) -> Answer:
            if refusal.code in codes:
                with suppress(Refusal):
                    lenient.act(call, site, lenient)
            return behaviour.refuse(refusal, call, site)

        return replace(behaviour, refuse=refuse)

    return change


def _framework_422(refusal: Refusal, call: Call) -> Answer | None:
    content = {"detail": [{"type": refusal.code, "loc": ["body"], "msg": refusal.message}]}
    return Answer(422, content) if refusal.status == 400 else None


def _ok_with_error(refusal: Refusal, call: Call) -> Answer | None:
    return Answer(200, {"error": refusal.message}) if refusal.status == 400 else None


_CODES = tuple(defect.code for defect in _DEFECTS)
_EVERY = "CREATE-5 CREATE-6 CREATE-7 CREATE-8 CREATE-9 CREATE-10"
_FREE = "CREATE-14"


def _unusual(name: str, what: str, refused: Callable[[NewAnimal], bool], *statuses: int) -> Iterator[Fault]:
    for status in statuses:
        breaks = f"{_FREE} ERROR-5" if status >= 500 else _FREE
        change = turned_down("value_invalid", refused, status)
        yield from create(f"{name}-{status}", f"{what} is {status}.", breaks, change)


def _slug(code: str) -> str:
    return code.replace("_", "-")


FAULTS = [
    # 400 is due for all
    *create("422-for-400", "A defective body is 422.", _EVERY, refused_with(422, *_CODES)),
    *create("422-from-framework", "A defective body is a framework's 422.", _EVERY, on_refusal(_framework_422, _CODES)),
    *create("409-for-400", "A defective body is 409.", _EVERY, refused_with(409, *_CODES)),
    *create("500-for-400", "A defective body is 500.", f"{_EVERY} ERROR-5", refused_with(500, *_CODES)),
    *create("200-for-400", "A defective body is 200 with an error text.", _EVERY, on_refusal(_ok_with_error, _CODES)),
    *create("no-validation", "A defective body is put right in silence.", _EVERY, _taken(*_CODES)),
    # 400 is due for one
    *(
        each
        for defect in _DEFECTS
        for each in (
            *create(
                f"{_slug(defect.code)}-taken",
                f"{defect.what} is taken for {defect.taken}.",
                defect.requirement,
                _taken(defect.code),
            ),
            *create(
                f"{_slug(defect.code)}-422",
                f"{defect.what} is 422.",
                defect.requirement,
                refused_with(422, defect.code),
            ),
            *create(
                f"{_slug(defect.code)}-500",
                f"{defect.what} is 500.",
                f"{defect.requirement} ERROR-5",
                refused_with(500, defect.code),
            ),
        )
    ),
    *(
        each
        for defect in _DEFECTS
        if defect.as_is
        for each in create(
            f"{_slug(defect.code)}-stored-as-is",
            f"{defect.what} is stored as it came.",
            f"{defect.requirement} {defect.as_is}",
            _taken_as_is(defect.code),
        )
    ),
    *create("body-not-json-415", "A body that is no JSON is 415.", "CREATE-5", refused_with(415, "body_not_json")),
    *create("body-missing-411", "A missing body is 411.", "CREATE-5", refused_with(411, "body_missing")),
    *create("status-unknown-409", "An unknown status is 409.", "CREATE-10", refused_with(409, "status_unknown")),
    *create(
        "category-beyond-int64-404",
        "A categoryId beyond int64 is 404.",
        "CREATE-9",
        refused_with(404, "category_beyond_int64"),
    ),
    # refused, and stored all the same
    *create(
        "stored-though-400",
        "A defective body is 400, and its animal stored.",
        "CREATE-11",
        _stored_all_the_same(*_CODES),
    ),
    *(
        each
        for code, what in (
            ("category_missing", "Without categoryId"),
            ("category_text", "With a text as categoryId"),
            ("category_null", "With null as categoryId"),
            ("status_unknown", "With an unknown status"),
            ("status_null", "With null as status"),
        )
        for each in create(
            f"stored-though-{_slug(code)}",
            f"{what} 400 is answered, and the animal stored.",
            "CREATE-11",
            _stored_all_the_same(code),
        )
    ),
    # 201 or 400, nothing else
    *_unusual("name-beyond-ascii", "A name beyond ASCII", lambda new: not new.name.isascii(), 422, 500),
    *_unusual(
        "name-beyond-basic-plane",
        "A name beyond the basic plane",
        lambda new: max(new.name, default="") > "\uffff",
        409,
        500,
    ),
    *_unusual(
        "category-never-seen", "A category never seen", lambda new: not 1 <= new.category_id <= 6, 404, 409, 422, 500
    ),
    *_unusual(
        "category-beyond-int32", "A category beyond 32 bits", lambda new: abs(new.category_id) >= 2**31, 422, 500
    ),
    *_unusual("category-beyond-double", "A category beyond 53 bits", lambda new: abs(new.category_id) > 2**53, 500),
    *_unusual("category-negative", "A negative category", lambda new: new.category_id < 0, 422, 500),
]
