"""Section 4.2: invalid bodies that do not get 400, or that are stored although they get 400."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.messages import Answer, ReceivedCall, Refused
from petstore_reference.overrides import on_refusal, refused_if, refused_with
from petstore_reference.registry import Fault, create
from petstore_reference.store import STATUSES, NewAnimal

Raw = TypeVar("Raw")
Read = TypeVar("Read")


@dataclass(frozen=True)
class _Defect:
    """A defect of a body: its code, the requirement that expects 400, and how a lenient server corrects it.

    `as_is` is the requirement for a Pet that the defect breaks if the server stores it uncorrected, and `kept` says
    what the server stores then.
    """

    code: str
    what: str
    requirement: str
    corrected: str
    as_is: str = ""
    kept: str = "unchanged"


_DEFECTS = (
    _Defect("body_missing", "A missing body", "CREATE-5", " and creates an animal with default values"),
    _Defect("body_not_json", "A body that is not JSON", "CREATE-5", " and creates an animal with default values"),
    _Defect(
        "body_not_object", "A body that is not an object", "CREATE-5", "; from an array the first object is stored"
    ),
    _Defect(
        "name_missing", "A body without `name`", "CREATE-6", " and stored with an empty name", "PET-2", "with null"
    ),
    _Defect("category_missing", "A body without `categoryId`", "CREATE-6", " and stored with 0", "PET-3", "with null"),
    _Defect("name_not_string", "A `name` that is not a string", "CREATE-7", " and converted to a string", "PET-2"),
    _Defect("name_null", "A `name` that is null", "CREATE-7", " and stored as an empty name", "PET-2"),
    _Defect("category_text", "A string as `categoryId`", "CREATE-8", " and converted to a number", "PET-3"),
    _Defect("category_fraction", "A fraction as `categoryId`", "CREATE-8", " and cut to an integer", "PET-3"),
    _Defect("category_null", "A `categoryId` that is null", "CREATE-8", " and stored as 0", "PET-3"),
    _Defect("category_boolean", "A boolean as `categoryId`", "CREATE-8", " and stored as 0 or 1", "PET-3"),
    _Defect(
        "category_beyond_int64", "A `categoryId` outside int64", "CREATE-9", " and cut to its lowest 64 bits", "PET-3"
    ),
    _Defect("status_unknown", "An unknown `status`", "CREATE-10", " and dropped", "PET-4"),
    _Defect("status_case", "A `status` in another letter case", "CREATE-10", " and stored in lower case", "PET-4"),
    _Defect("status_null", "A `status` that is null", "CREATE-10", " and dropped"),
)


def _accepted(*codes: str) -> Override:
    """The server accepts bodies with one of the defects and silently corrects them."""

    def override(behaviour: Behaviour) -> Behaviour:
        return replace(
            behaviour,
            parse=_corrected(behaviour.parse, codes, _object_of),
            read_name=_corrected(behaviour.read_name, codes, _name_of),
            read_category=_corrected(behaviour.read_category, codes, _category_of),
            read_status=_corrected(behaviour.read_status, codes, _status_of),
        )

    return override


def _accepted_unchanged(*codes: str) -> Override:
    """The server accepts bodies with one of the defects and stores them unchanged."""

    def field(name: str) -> Callable[[dict[str, object]], Any]:
        return lambda fields: fields.get(name)

    def override(behaviour: Behaviour) -> Behaviour:
        return replace(
            behaviour,
            read_name=_corrected(behaviour.read_name, codes, field("name")),
            read_category=_corrected(behaviour.read_category, codes, field("categoryId")),
            read_status=_corrected(behaviour.read_status, codes, field("status")),
        )

    return override


def _corrected(
    read: Callable[[Raw], Read], codes: tuple[str, ...], correct: Callable[[Raw], Read]
) -> Callable[[Raw], Read]:
    def corrected(raw: Raw) -> Read:
        try:
            return read(raw)
        except Refused as refusal:
            if refusal.code not in codes:
                raise
            return correct(raw)

    return corrected


def _object_of(body: bytes) -> dict[str, object]:
    with suppress(ValueError, RecursionError):
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
    except (TypeError, ValueError, OverflowError):
        return 0
    return (number + 2**63) % 2**64 - 2**63


def _status_of(fields: dict[str, object]) -> str | None:
    status = str(fields.get("status")).lower()
    return status if status in STATUSES else None


def stored_though_refused(*codes: str) -> Override:
    """A body with one of the defects gets 400, but its animal is stored."""

    def override(behaviour: Behaviour) -> Behaviour:
        lenient = _accepted(*codes)(behaviour)

        def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
            if refusal.code in codes:
                with suppress(Refused):
                    lenient.act(call, state, lenient)
            return behaviour.refuse(refusal, call, state)

        return replace(behaviour, refuse=refuse)

    return override


def _framework_422(refusal: Refused, call: ReceivedCall) -> Answer | None:
    content = {"detail": [{"type": refusal.code, "loc": ["body"], "msg": refusal.message}]}
    return Answer(422, content) if refusal.status == 400 else None


def _ok_with_error(refusal: Refused, call: ReceivedCall) -> Answer | None:
    return Answer(200, {"error": refusal.message}) if refusal.status == 400 else None


_CODES = tuple(defect.code for defect in _DEFECTS)
_EVERY = "CREATE-5 CREATE-6 CREATE-7 CREATE-8 CREATE-9 CREATE-10"
_FREE = "CREATE-14"


def _unusual(name: str, what: str, refused: Callable[[NewAnimal], bool], *statuses: int) -> Iterator[Fault]:
    for status in statuses:
        breaks = f"{_FREE} ERROR-5" if status >= 500 else _FREE
        override = refused_if("value_invalid", refused, status)
        yield from create(f"{name}-{status}", f"{what} gets {status}.", breaks, override)


def _slug(code: str) -> str:
    return code.replace("_", "-")


FAULTS = [
    # all must get 400
    *create("422-for-400", "An invalid body gets 422.", _EVERY, refused_with(422, *_CODES)),
    *create(
        "422-from-framework",
        "An invalid body gets 422 with a framework's error body.",
        _EVERY,
        on_refusal(_framework_422, _CODES),
    ),
    *create("409-for-400", "An invalid body gets 409.", _EVERY, refused_with(409, *_CODES)),
    *create("500-for-400", "An invalid body gets 500.", f"{_EVERY} ERROR-5", refused_with(500, *_CODES)),
    *create(
        "200-for-400", "An invalid body gets 200 with an error message.", _EVERY, on_refusal(_ok_with_error, _CODES)
    ),
    *create("no-validation", "An invalid body is accepted and silently corrected.", _EVERY, _accepted(*_CODES)),
    # one must get 400
    *(
        each
        for defect in _DEFECTS
        for each in (
            *create(
                f"{_slug(defect.code)}-accepted",
                f"{defect.what} is accepted{defect.corrected}.",
                defect.requirement,
                _accepted(defect.code),
            ),
            *create(
                f"{_slug(defect.code)}-422",
                f"{defect.what} gets 422.",
                defect.requirement,
                refused_with(422, defect.code),
            ),
            *create(
                f"{_slug(defect.code)}-500",
                f"{defect.what} gets 500.",
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
            f"{defect.what} is accepted and stored {defect.kept}.",
            f"{defect.requirement} {defect.as_is}",
            _accepted_unchanged(defect.code),
        )
    ),
    *create("body-not-json-415", "A body that is not JSON gets 415.", "CREATE-5", refused_with(415, "body_not_json")),
    *create(
        "body-missing-411", "A missing body gets 411 (Length Required).", "CREATE-5", refused_with(411, "body_missing")
    ),
    *create("status-unknown-409", "An unknown `status` gets 409.", "CREATE-10", refused_with(409, "status_unknown")),
    *create(
        "category-beyond-int64-404",
        "A `categoryId` outside int64 gets 404.",
        "CREATE-9",
        refused_with(404, "category_beyond_int64"),
    ),
    # refused, but stored
    *create(
        "stored-though-400",
        "An invalid body gets 400, but the animal is stored.",
        "CREATE-11",
        stored_though_refused(*_CODES),
    ),
    *(
        each
        for code, what in (
            ("category_missing", "A body without `categoryId`"),
            ("category_text", "A body with a string as `categoryId`"),
            ("category_null", "A body with null as `categoryId`"),
            ("status_unknown", "A body with an unknown `status`"),
            ("status_null", "A body with null as `status`"),
        )
        for each in create(
            f"stored-though-{_slug(code)}",
            f"{what} gets 400, but the animal is stored.",
            "CREATE-11",
            stored_though_refused(code),
        )
    ),
    # 201 or 400, nothing else
    *_unusual("name-beyond-ascii", "A name with characters beyond ASCII", lambda new: not new.name.isascii(), 422, 500),
    *_unusual(
        "name-with-emoji",
        "A name with characters above U+FFFF",
        lambda new: max(new.name, default="") > "\uffff",
        409,
        500,
    ),
    *_unusual(
        "category-never-seen",
        "A `categoryId` that no animal has",
        lambda new: not 1 <= new.category_id <= 6,
        404,
        409,
        422,
        500,
    ),
    *_unusual(
        "category-beyond-int32", "A `categoryId` beyond 32 bits", lambda new: abs(new.category_id) >= 2**31, 422, 500
    ),
    *_unusual("category-beyond-double", "A `categoryId` beyond 53 bits", lambda new: abs(new.category_id) > 2**53, 500),
    *_unusual("category-negative", "A negative `categoryId`", lambda new: new.category_id < 0, 422, 500),
]
