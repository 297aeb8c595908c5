"""What a body of `POST /pets` is, and the answer it requires (section 4.2): a valid NewPet, a defective one, or open.

The same rules apply to a body written by hand and to a generated one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from petcheck.call import Form
from petcheck.exchange import Request
from petcheck.json_values import HugeNumber, Json, Parsed, integer, is_utf_8, kind, parse
from petcheck.judging.json_extensions import REPLACEMENT, Reading, lenient_reading
from petcheck.judging.matchers import quoted, similar
from petcheck.judging.once import Once
from petcheck.spec.figures import INT64_MAX, INT64_MIN, NEW_PET_FIELDS, STATUSES
from petcheck.spec.operations import Operation
from petcheck.words import plural, shortened

PLAIN_NAME_LENGTH = 50
FIELDS = frozenset(NEW_PET_FIELDS)
"""The members that a NewPet may have (section 2)."""
_INT64_DIGITS = 19
_DEEP = 100  # levels of arrays
_SURROGATE = re.compile("[\ud800-\udfff]")


class Due(Enum):
    """The statuses that section 4.2 allows."""

    CREATED = "201"
    CREATED_OR_REFUSED = "201 or 400"
    REFUSED = "400"
    OPEN = "any status except 5xx"


@dataclass(frozen=True, slots=True)
class Asked:
    """Which statuses a body may get, and why. Others break `requirement`; `what` describes the body after "with".

    `pet` is the object that was sent, and that a 201 must repeat: None if its values are open; without the name if that
    cannot come back exactly.
    """

    due: Due
    what: str
    requirement: str | None = None
    pet: Mapping[str, Json] | None = None


_OPEN = Asked(Due.OPEN, "a body that section 4.2 leaves open")
_OF_ANOTHER_TYPE = Asked(Due.OPEN, "a body that is sent as text/plain")
_UNREAD = Reading(None)
_NOT_JSON = Asked(Due.REFUSED, "a body that is not JSON", "CREATE-5")
_NOT_UTF_8 = Asked(Due.REFUSED, "a body that is neither JSON nor UTF-8", "CREATE-5")


def asked_of(request: Request, categories: Collection[int]) -> Asked:
    """Which statuses the body of a POST may get, if `categories` are known to exist."""
    if request.form is Form.AS_TEXT:
        return _OF_ANOTHER_TYPE
    reading = _reading_of(request)
    category = reading.value.get("categoryId") if reading is not None and isinstance(reading.value, dict) else None
    # nothing else about the categories matters
    known = isinstance(category, int) and category in categories, bool(categories)  # pragma: no mutate - a key
    asked = _asked_before(request)
    if known not in asked:
        asked[known] = _asked(request.body, reading, categories)
    return asked[known]


def _find_asked_before(_request: Request) -> dict[tuple[bool, bool], Asked]:
    return {}


_asked_before = Once(_find_asked_before)


def kind_of_body(request: Request) -> str:
    """The kind of body of a POST in words, after "with"; empty for another request."""
    if request.operation is not Operation.CREATE_PET:
        return ""
    asked = asked_of(request, ())
    if asked.requirement == "CREATE-1":
        return "a valid NewPet"
    if asked.due is not Due.REFUSED:
        return (
            "an unusual name or `categoryId`"
            if asked.due is Due.CREATED_OR_REFUSED
            else "a body that the document leaves open"
        )
    if asked.pet is not None:
        return "an invalid NewPet"
    if not request.body:
        return asked.what
    return asked.what if asked in (_NOT_JSON, _NOT_UTF_8) else "a body that is not an object"


def asked_for(body: bytes | None, categories: Collection[int]) -> Asked:
    """The same for a body that is not sent yet."""
    return _asked(body, _reading(body, parse(body)) if body else None, categories)


def _asked(body: bytes | None, reading: Reading | None, categories: Collection[int]) -> Asked:
    if reading is _UNREAD:
        return _OPEN
    if not body:
        return Asked(Due.REFUSED, "no body", "CREATE-5")
    if reading is None:
        return _NOT_JSON if is_utf_8(body) else _NOT_UTF_8
    pet = reading.value
    if not isinstance(pet, dict):
        said = f"{kind(pet)}{_nested(pet)} as the body"
        return _NOT_JSON if reading.extension else Asked(Due.REFUSED, said, "CREATE-5")
    if reading.twice & {*FIELDS, "id"}:
        return _OPEN
    defect = _defect(pet)
    if defect is not None:
        # wrong for every parser
        said = defect[1] + _hard_to_read(pet)
        return _NOT_JSON if reading.extension else Asked(Due.REFUSED, said, defect[0], pet)
    if not isinstance(pet["categoryId"], int):
        return _OPEN
    unknown = sorted(pet.keys() - FIELDS)
    if unknown and not reading.extension:
        shown = max(unknown, key=lambda name: len(_nested(pet[name])))
        what = f"{plural(len(unknown), 'member')} that section 2 does not name, such as {quoted(shown)}"
        what += _nested(pet[shown])
        return Asked(Due.OPEN, what, pet=_exact(pet))
    return _well_formed(pet, str(pet["name"]), pet["categoryId"], reading.extension, categories)


def _nested(value: Json) -> str:
    """How deeply an array is nested, in words; empty unless a parser may fail on that."""
    levels = 0
    while isinstance(value, list) and value:
        value, levels = value[0], levels + 1
    return f" nested {levels + 1:,} levels deep" if levels > _DEEP else ""


def _hard_to_read(pet: Mapping[str, Json]) -> str:
    """The members that section 2 does not name and that a parser may fail on, in words; empty without any."""
    hard = {name: _nested(pet[name]) or _digits(pet[name]) for name in sorted(pet.keys() - FIELDS)}
    found = [f"{quoted(name)}{said}" for name, said in hard.items() if said]
    return f", but {' and '.join(found)}" if found else ""


def _digits(value: Json) -> str:
    return f" of {plural(value.digits, 'digit')}" if isinstance(value, HugeNumber) else ""


def _well_formed(
    pet: Mapping[str, Json], name: str, category: int, extension: str, categories: Collection[int]
) -> Asked:
    of_category = "" if category in categories else f"`categoryId` {category}, which no listed animal has"
    doubts = [doubt for doubt in (extension, _doubt_of_name(name), of_category) if doubt]
    if not doubts:
        status = pet.get("status")
        with_status = f"status {quoted(status)}" if status else "no status"
        shown = f"the name {quoted(name)}" if len(name) <= _SHORT_NAME else f"a name of {_characters(name, 'ASCII ')}"
        what = f"{shown}, `categoryId` {category} and {with_status}"
        return Asked(Due.CREATED, what, "CREATE-1", pet)
    # if no category is known, every category is doubtful, and only the category can be the cause
    requirement = "CREATE-1" if len(doubts) == 1 and not categories else "CREATE-14"
    what = ", and ".join(doubts) if any(", " in doubt for doubt in doubts[:-1]) else " and ".join(doubts)
    return Asked(Due.CREATED_OR_REFUSED, what, requirement, _exact(pet, extension))


def half_of_a_pair(request: Request) -> bool:
    """Whether a POST of a NewPet that may be accepted names it with half of a surrogate pair, which parsers replace."""
    value = request.parsed.value
    name = value.get("name") if isinstance(value, dict) else None
    return isinstance(name, str) and bool(_SURROGATE.search(name)) and asked_of(request, ()).due is not Due.REFUSED


def _exact(pet: Mapping[str, Json], extension: str = "") -> Mapping[str, Json]:
    """The fields that come back exactly: not a name with a part that UTF-8 cannot encode or a parser has replaced."""
    name = str(pet["name"])
    inexact = _SURROGATE.search(name) or (REPLACEMENT in name and extension)
    return {field: pet[field] for field in pet if field in FIELDS and not (inexact and field == "name")}


def _reading(body: bytes, parsed: Parsed) -> Reading | None:
    """The value in a body; None if it is not JSON, even with extensions."""
    if parsed.unread:
        return _UNREAD
    try:
        return lenient_reading(body)
    except RecursionError:
        return _UNREAD if parsed.wrong else Reading(parsed.value)


def _find_reading_of(request: Request) -> Reading | None:
    return _reading(request.body, request.parsed) if request.body else None


_reading_of = Once(_find_reading_of)
_SHORT_NAME = 8  # characters; it is shown, since it may be the cause
_OTHERS = 2  # names in a sentence


def _defect(pet: Mapping[str, Json]) -> tuple[str, str] | None:
    """The requirement that refuses a defective NewPet, and its defect; None without a certain defect."""
    if not pet.keys() & {"name", "categoryId"} and not similar("name", pet) and not similar("categoryId", pet):
        return "CREATE-6", "neither `name` nor `categoryId`"
    for field in ("name", "categoryId"):
        if field not in pet:
            others = " and ".join(f"`{shortened(other)}`" for other in similar(field, pet)[:_OTHERS])
            return "CREATE-6", f"no `{field}`{f', only {others}' if others else ''}"
    if not isinstance(pet["name"], str):
        return "CREATE-7", f"{kind(pet['name'])} as `name`"
    category = pet["categoryId"]
    number = integer(category)
    if isinstance(category, HugeNumber) and category.whole:
        return "CREATE-9", f"an integer of {plural(category.digits, 'digit')} as `categoryId`"
    if isinstance(category, Decimal) and category and category.is_finite() and category.adjusted() >= _INT64_DIGITS:
        return "CREATE-9", f"{category}, outside the int64 range, as `categoryId`"
    if number is None and not isinstance(category, HugeNumber) and not _is_whole_as_double(category):
        return "CREATE-8", f"{kind(category)} as `categoryId`"
    if number is not None and not INT64_MIN <= number <= INT64_MAX:
        return "CREATE-9", f"{quoted(category)}, outside the int64 range, as `categoryId`"
    if "status" in pet and pet["status"] not in STATUSES:
        return "CREATE-10", f"{quoted(pet['status'])} as `status`"
    return None


def _is_whole_as_double(value: Json) -> bool:
    """Whether a parser that holds fractions in doubles, as most do, takes the value for an integer, as in `1.0`."""
    return isinstance(value, Decimal) and value.is_finite() and float(value).is_integer()


def _doubt_of_name(name: str) -> str:
    plain = name.isascii() and name.isprintable() and name == name.strip()
    if plain and 1 <= len(name) <= PLAIN_NAME_LENGTH:
        return ""
    if not name:
        return "an empty name"
    if plain:
        return f"a name of {_characters(name)}"
    if not name.isascii():
        odd = "one of them half of a surrogate pair" if _SURROGATE.search(name) else "not all ASCII"
        return f"a name of {_characters(name)}, {odd}"
    odd = "spaces at its ends" if name.isprintable() else "control characters"
    return f"a name of {_characters(name)} with {odd}"


def _characters(name: str, kind_of: str = "") -> str:
    return plural(len(name), f"{kind_of}character")
