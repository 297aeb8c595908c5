"""What a body of `POST /pets` asks for (section 4.2): a valid NewPet, a defective one, or what is left open.

Pure, and blind to how the body came about: a body written by hand and one that was drawn are told by the same rules.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from petcheck.judging.interface import STATUSES
from petcheck.judging.jsontext import INT64_MAX, INT64_MIN, HugeNumber, Json, NotJson, NotRead, integer, kind, parse
from petcheck.judging.matchers import quoted

PLAIN_NAME_LENGTH = 50
_FIELDS = {"name", "categoryId", "status"}


class Due(Enum):
    """What section 4.2 lets a service answer."""

    CREATED = "201"
    CREATED_OR_REFUSED = "201 or 400"
    REFUSED = "400"
    OPEN = "anything but a 5xx"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is due for a body and why: `requirement` is the one that a defect breaks, `what` reads on from "with".

    `pet` is what was sent, where that is an object whose fate is not open.
    """

    due: Due
    what: str
    requirement: str | None = None
    pet: Mapping[str, Json] | None = None


_OPEN = Asked(Due.OPEN, "a body that the document does not provide for")


def asked_for(body: bytes | None, categories: Collection[int]) -> Asked:
    """What a body asks for, where `categories` are known to exist."""
    if not body:
        return Asked(Due.REFUSED, "no body", "CREATE-5")
    try:
        value = parse(body)
        if _reads_two_ways(body):
            return _OPEN
    except NotRead:
        return _OPEN
    except NotJson:
        return Asked(Due.REFUSED, "a body that is no JSON", "CREATE-5")
    if not isinstance(value, dict):
        return Asked(Due.REFUSED, f"{kind(value)} as its body", "CREATE-5")
    defect = _defect(value)
    if defect is not None:
        return Asked(Due.REFUSED, defect[1], defect[0], value)
    category, name = value["categoryId"], value["name"]
    extra = value.keys() - _FIELDS
    if extra or not isinstance(category, int) or not isinstance(name, str) or _has_surrogate(name):
        return _OPEN
    doubts = [doubt for doubt in (_doubt_of_name(name), _doubt_of_category(category, categories)) if doubt]
    if doubts:
        return Asked(Due.CREATED_OR_REFUSED, " and ".join(doubts), None, value)
    status = value.get("status")
    told = f"status {quoted(status)}" if status else "no status"
    return Asked(Due.CREATED, f"a name of {len(name)} printable ASCII characters and {told}", None, value)


def _defect(pet: Mapping[str, Json]) -> tuple[str, str] | None:
    """The requirement that a defective NewPet breaks and what is wrong with it; None where nothing certainly is."""
    for field in ("name", "categoryId"):
        if field not in pet:
            return "CREATE-6", f"no `{field}`"
    if not isinstance(pet["name"], str):
        return "CREATE-7", f"{kind(pet['name'])} as `name`"
    category = pet["categoryId"]
    number = integer(category)
    if isinstance(category, HugeNumber) and category.whole:
        return "CREATE-9", f"an integer of {category.digits:,} digits as `categoryId`"
    if number is None and not isinstance(category, HugeNumber):
        return "CREATE-8", f"{kind(category)} as `categoryId`"
    if number is not None and not INT64_MIN <= number <= INT64_MAX:
        return "CREATE-9", f"{quoted(category)}, which is beyond int64, as `categoryId`"
    if "status" in pet and pet["status"] not in STATUSES:
        return "CREATE-10", f"{quoted(pet['status'])} as `status`"
    return None


def _doubt_of_name(name: str) -> str | None:
    plain = name.isascii() and name.isprintable() and name == name.strip()
    if plain and 1 <= len(name) <= PLAIN_NAME_LENGTH:
        return None
    if plain:
        return f"a name of {len(name):,} characters"
    return f"a name of {len(name):,} characters, not all of them printable ASCII"


def _doubt_of_category(category: int, categories: Collection[int]) -> str | None:
    return None if category in categories else f"categoryId {category}, which no listed animal has"


def _reads_two_ways(body: bytes) -> bool:
    """Whether JSON text says different things to different readers: by a byte order mark, or a member given twice."""
    # an object as its members, in a tuple that no array is read as
    members = json.loads(body, object_pairs_hook=tuple, parse_int=len)
    twice = isinstance(members, tuple) and len(dict(members)) < len(members)
    return twice or body.startswith(BOM_UTF8)


def _has_surrogate(name: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in name)
