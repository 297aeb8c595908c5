"""Reads JSON as a parser with extensions does (RFC 8259, section 9)."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from petcheck.json_values import STRING, Json, deep_enough, exact_fraction, exact_integer

_COMMENT = re.compile(rf"({STRING})|//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(rf"({STRING})|,(?=\s*[\]}}])", re.DOTALL)
_NAN = Decimal("NaN")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Reading:
    """The value of a text, and the extension that is needed to read it; `twice` are the members that are repeated."""

    value: Json
    extension: str = ""
    twice: frozenset[str] = frozenset()


def lenient_reading(body: bytes) -> Reading | None:
    """The value that a parser with extensions reads from a body; None if it cannot read the body either.

    Invalid UTF-8 becomes U+FFFD. Raises `RecursionError` if the body is nested too deep.
    """
    spelt = _text(body)
    if spelt is None:
        return None
    text, extension = spelt
    found = _decoded(text)  # pragma: no mutate - only quicker
    if found is not None and not found.left:
        return found.reading([extension])
    without_comments = _COMMENT.sub(r"\1", text)
    without_commas = _LAST_COMMA.sub(r"\1", without_comments)
    found = _decoded(without_commas)
    if found is None:
        return None
    marks = [
        extension,
        "a comment" * (without_comments != text),
        "a trailing comma" * (without_commas != without_comments),
    ]
    return found.reading(marks)


@dataclass(frozen=True, slots=True)
class _Decoded:
    """The first value of a text, the constants in it, the members that its outermost object repeats, what is `left`."""

    value: Json
    constants: tuple[str, ...]
    twice: frozenset[str]
    left: str

    def reading(self, marks: list[str]) -> Reading:
        after = "text after the object" * bool(self.left)
        return Reading(self.value, " and ".join(filter(None, [*marks, ", ".join(self.constants), after])), self.twice)


def _decoded(text: str) -> _Decoded | None:
    objects: list[frozenset[str]] = []
    constants: list[str] = []

    def members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        names = Counter(name for name, _ in pairs)
        objects.append(frozenset(name for name, times in names.items() if times > 1))
        return dict(pairs)

    def constant(name: str) -> Decimal:
        constants.append(name)
        return _NAN

    decoder = json.JSONDecoder(
        object_pairs_hook=members, parse_int=exact_integer, parse_float=exact_fraction, parse_constant=constant
    )
    stripped = text.strip()
    try:
        with deep_enough():
            value, end = decoder.raw_decode(stripped)
    except json.JSONDecodeError:
        return None
    # the outermost object is read last
    return _Decoded(value, tuple(constants), objects[-1] if objects else frozenset(), stripped[end:])


def _text(body: bytes) -> tuple[str, str] | None:
    """A body as text, and what is unusual about its encoding; None if it cannot be decoded."""
    encoding = json.detect_encoding(body)
    if encoding not in ("utf-8", "utf-8-sig"):
        try:
            return body.decode(encoding), encoding[:6].upper()
        except UnicodeDecodeError:
            return None
    odd = "a byte order mark" if body.startswith(BOM_UTF8) else ""
    body = body.removeprefix(BOM_UTF8)
    try:
        return body.decode(), odd
    except UnicodeDecodeError:
        return body.decode(errors="replace"), "invalid UTF-8"
