"""Section 4.2: a 201 that does not repeat what was sent, because the server stores it in another form."""

from __future__ import annotations

import html
import json
import struct
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from urllib.parse import quote_plus

from petcheck.reference.messages import Operation
from petcheck.reference.overrides import both, categorised, named, refused_if, stored
from petcheck.reference.registry import fault

create = partial(fault, section="4.2", at=(Operation.CREATE,))


def without_astral(put: str) -> Callable[[str], str]:
    """A function that replaces each character beyond the basic plane."""
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
        "A categoryId goes through a double; one that reaches 2^63 there is refused.",
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
            ("trimmed", "trimmed", str.strip),
            ("lower-case", "stored in lower case", str.lower),
            ("title-case", "stored in title case", str.title),
            ("cut-at-10", "cut after 10 characters", lambda text: text[:10]),
            ("cut-at-49", "cut after 49 characters", lambda text: text[:49]),
            ("html-escaped", "escaped for HTML", html.escape),
            ("url-encoded", "encoded for a URL", quote_plus),
            ("mojibake", "decoded as Latin-1 instead of UTF-8", _mojibake),
            ("ascii-only", "stored with question marks for characters beyond ASCII", _ascii),
            ("without-accents", "stored without accents", _without_accents),
            (
                "non-ascii-lost",
                "stored without characters beyond ASCII",
                lambda text: text.encode("ascii", "ignore").decode(),
            ),
            ("composed", "normalised to composed characters", lambda text: unicodedata.normalize("NFC", text)),
            ("compatible", "normalised to compatible characters", lambda text: unicodedata.normalize("NFKC", text)),
            ("astral-lost", "stored without characters beyond the basic plane", without_astral("")),
            ("astral-question-mark", "stored with ? for characters beyond the basic plane", without_astral("?")),
            ("astral-replaced", "stored with U+FFFD for characters beyond the basic plane", without_astral("\ufffd")),
            (
                "astral-doubly-replaced",
                "stored with U+FFFD for each half of a surrogate pair",
                without_astral("\ufffd" * 2),
            ),
            ("astral-escaped", "stored with its surrogates escaped twice", _escaped_pairs),
            (
                "cut-at-astral",
                "cut before the first character beyond the basic plane",
                lambda text: text.partition(next((each for each in text if each > "\uffff"), "\0\0"))[0],
            ),
            ("replaced", "replaced with another one", lambda text: "Rex"),
        )
        for each in create(f"created-name-{name}", f"A name is {summary}.", "CREATE-2", stored(named(make)))
    ),
    # categoryId
    *(
        each
        for name, summary, make in (
            ("through-double", "goes through a double", through_double),
            ("through-saturated-double", "goes through a double and is clamped to int64", _through_saturated_double),
            ("through-float", "goes through a 32-bit float", _through_float),
            ("wrapped-at-int32", "wraps around at 32 bits", _wrapped(32)),
            ("wrapped-at-int53", "wraps around at 53 bits", _wrapped(53)),
            ("clamped-to-int32", "is clamped to 32 bits", _clamped_to_int32),
            ("absolute", "loses its sign", lambda category: min(abs(category), 2**63 - 1)),
            ("negative-zeroed", "becomes 0 if it is negative", lambda category: max(category, 0)),
            ("max-minus-one", "is one less at the maximum of int64", lambda category: min(category, 2**63 - 2)),
            ("always-one", "is always 1", lambda category: 1 if category != 1 else 2),
        )
        for each in create(
            f"created-category-{name}", f"A categoryId {summary}.", "CREATE-3", stored(categorised(make))
        )
    ),
    *create(
        "created-category-as-script-number",
        "A large categoryId is rounded, as in a language that has only doubles.",
        "PET-3 CREATE-3",
        stored(categorised(_script_number)),
    ),
    # status
    *create(
        "created-status-dropped", "A status is not stored.", "CREATE-4", stored(lambda new: replace(new, status=None))
    ),
    *create(
        "created-status-always-available",
        "Each new animal is available.",
        "CREATE-4",
        stored(lambda new: replace(new, status="available")),
    ),
    *create(
        "created-status-always-pending",
        "Each new animal is pending.",
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
