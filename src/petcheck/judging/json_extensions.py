"""Reads JSON as a parser with extensions does (RFC 8259, section 9)."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from dataclasses import dataclass
from decimal import Decimal

from petcheck.json_values import Json, exact_fraction, exact_integer

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|#[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.DOTALL)
_NAN = Decimal("NaN")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Reading:
    """The value of a text, and the extension that is needed to read it; `twice` if a member is repeated."""

    value: Json
    extension: str = ""
    twice: bool = False


def lenient_reading(body: bytes) -> Reading | None:
    """The value that a parser with extensions reads from a body; None if it cannot read the body either.

    Invalid UTF-8 becomes U+FFFD. Raises `RecursionError` if the body is nested too deep.
    """
    spelt = _text(body)
    if spelt is None:
        return None
    text, extension = spelt
    without_comments = _COMMENT.sub(r"\1", text)
    without_commas = _LAST_COMMA.sub(r"\1", without_comments)
    objects: list[bool] = []

    def members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        objects.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    constants: list[str] = []

    def constant(name: str) -> Decimal:
        constants.append(name)
        return _NAN

    decoder = json.JSONDecoder(
        object_pairs_hook=members, parse_int=exact_integer, parse_float=exact_fraction, parse_constant=constant
    )
    stripped = without_commas.strip()
    try:
        value, end = decoder.raw_decode(stripped)
    except json.JSONDecodeError:
        return None
    found = (
        (extension, extension),
        ("a comment", without_comments != text),
        ("a trailing comma", without_commas != without_comments),
        (", ".join(constants), constants),
        ("text after the object", end < len(stripped)),
    )
    # the outermost object is read last
    return Reading(value, " and ".join(name for name, there in found if there), bool(objects) and objects[-1])


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
