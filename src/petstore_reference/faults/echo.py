"""Section 4.2: the server stores another value than it was sent, and the 201 shows that value."""

from __future__ import annotations

import html
import json
import struct
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from urllib.parse import quote_plus

from petstore_reference.overrides import both, categorised, named, refused_if, stored
from petstore_reference.registry import create


def without_astral(put: str) -> Callable[[str], str]:
    """A function that replaces each character above U+FFFF."""
    return lambda name: "".join(put if character > "\uffff" else character for character in name)


def _escaped_pairs(name: str) -> str:
    return json.dumps(name)[1:-1] if any(each > "\uffff" for each in name) else name


def _mojibake(name: str) -> str:
    return name.encode().decode("latin-1")


def _ascii(name: str) -> str:
    return name.encode("ascii", "replace").decode()


def _without_accents(name: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", name) if not unicodedata.combining(each))


def through_double(category: int) -> int:
    """An int64 after a conversion to double and back; a value beyond int64 becomes the minimum, as in C."""
    number = int(float(category))
    return number if -(2**63) <= number < 2**63 else -(2**63)


def _through_saturated_double(category: int) -> int:
    return max(-(2**63), min(2**63 - 1, int(float(category))))


def _through_float(category: int) -> int:
    return max(-(2**63), min(2**63 - 1, int(struct.unpack("f", struct.pack("f", category))[0])))


def _wrapped(bits: int) -> Callable[[int], int]:
    half = 1 << bits - 1
    return lambda category: (category + half) % (2 * half) - half


def _clamped_to_int32(category: int) -> int:
    return max(-(2**31), min(2**31 - 1, category))


def _script_number(category: int) -> int:
    return int(Decimal(repr(float(category))))  # 9223372036854775807 becomes 9223372036854776000


FAULTS = [
    *create(
        "category-through-double-or-refused",
        "`categoryId` is converted to a double and back; one that rounds to 2^63 gets 400.",
        "CREATE-3",
        both(
            stored(categorised(through_double)),
            refused_if("category_invalid", lambda new: abs(float(new.category_id)) >= 2**63),
        ),
    ),
    # name
    *(
        each
        for name, summary, make in (
            ("trimmed", "stored without spaces at its ends", str.strip),
            ("lower-case", "stored in lower case", str.lower),
            ("title-case", "stored in title case", str.title),
            ("cut-at-10", "cut after 10 characters", lambda text: text[:10]),
            ("cut-at-49", "cut after 49 characters", lambda text: text[:49]),
            ("html-escaped", "escaped for HTML", html.escape),
            ("url-encoded", "URL-encoded", quote_plus),
            ("mojibake", "decoded as Latin-1 instead of UTF-8", _mojibake),
            ("ascii-only", "stored with ? for each character beyond ASCII", _ascii),
            ("without-accents", "stored without accents", _without_accents),
            (
                "non-ascii-lost",
                "stored without characters beyond ASCII",
                lambda text: text.encode("ascii", "ignore").decode(),
            ),
            ("nfc", "normalised to NFC", lambda text: unicodedata.normalize("NFC", text)),
            ("nfkc", "normalised to NFKC", lambda text: unicodedata.normalize("NFKC", text)),
            ("emoji-lost", "stored without characters above U+FFFF, such as emoji", without_astral("")),
            ("emoji-question-mark", "stored with ? for each character above U+FFFF", without_astral("?")),
            ("emoji-replaced", "stored with U+FFFD for each character above U+FFFF", without_astral("\ufffd")),
            (
                "emoji-replaced-twice",
                "stored with two U+FFFD for each character above U+FFFF",
                without_astral("\ufffd" * 2),
            ),
            ("emoji-escaped", "stored with JSON escapes if it has a character above U+FFFF", _escaped_pairs),
            (
                "cut-at-emoji",
                "cut before the first character above U+FFFF",
                lambda text: text.partition(next((each for each in text if each > "\uffff"), "\0\0"))[0],
            ),
            (
                "noncharacter-replaced",
                "stored with U+FFFD for the noncharacter U+FFFF",
                lambda text: text.replace("\uffff", "\ufffd"),
            ),
            ("replaced", "replaced with another name", lambda text: "Rex"),
        )
        for each in create(f"created-name-{name}", f"`name` is {summary}.", "CREATE-2", stored(named(make)))
    ),
    # categoryId
    *(
        each
        for name, summary, make in (
            ("through-double", "is converted to a double and back", through_double),
            (
                "through-saturated-double",
                "is converted to a double and back, then clamped to int64",
                _through_saturated_double,
            ),
            ("through-float", "is converted to a 32-bit float and back", _through_float),
            ("wrapped-at-int32", "wraps around at 32 bits", _wrapped(32)),
            ("wrapped-at-int53", "wraps around at 53 bits", _wrapped(53)),
            ("clamped-to-int32", "is clamped to 32 bits", _clamped_to_int32),
            ("absolute", "loses its sign", lambda category: min(abs(category), 2**63 - 1)),
            ("negative-zeroed", "becomes 0 if it is negative", lambda category: max(category, 0)),
            (
                "max-minus-one",
                "is stored one too low if it is the int64 maximum",
                lambda category: min(category, 2**63 - 2),
            ),
            ("always-one", "becomes 1; 1 itself becomes 2", lambda category: 1 if category != 1 else 2),
        )
        for each in create(
            f"created-category-{name}", f"`categoryId` {summary}.", "CREATE-3", stored(categorised(make))
        )
    ),
    *create(
        "created-category-as-javascript-number",
        "`categoryId` is rounded as in JavaScript: 2^63 - 1 becomes 9223372036854776000.",
        "PET-3 CREATE-3",
        stored(categorised(_script_number)),
    ),
    # status
    *create(
        "created-status-dropped", "`status` is not stored.", "CREATE-4", stored(lambda new: replace(new, status=None))
    ),
    *create(
        "created-status-always-available",
        "Each created animal is stored as available.",
        "CREATE-4",
        stored(lambda new: replace(new, status="available")),
    ),
    *create(
        "created-status-always-pending",
        "Each created animal is stored as pending.",
        "CREATE-4",
        stored(lambda new: replace(new, status="pending")),
    ),
    *create(
        "created-sold-becomes-pending",
        "A sold animal is stored as pending.",
        "CREATE-4",
        stored(lambda new: replace(new, status="pending" if new.status == "sold" else new.status)),
    ),
]
