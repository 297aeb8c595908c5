"""JSON as the document needs it: integers of any size are exact, fractions are as written, and only JSON is accepted.

Python's own reader accepts NaN and Infinity and refuses very long integers; this module corrects both. Duplicate member
names are open: the last one counts.
"""

from __future__ import annotations

import json
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from typing import TypeAlias

from petcheck.words import plural

Json: TypeAlias = "bool | int | Decimal | str | list[Json] | dict[str, Json] | HugeNumber | None"

_DIGITS_READ = 4000
_GZIP = b"\x1f\x8b"
# a page of a hundred animals has room for a thousand members each
_VALUES_READ = 100_000
LARGE = 100_000
"""Bytes of a body whose value takes too much memory to keep."""
_LEVELS_READ = 10_000
_BEGINNING = 20  # characters of a body that is not JSON
_HOLDS_MORE = ("{", "[", '"')
# what Python's reader says, in the words of JSON
_WRONG = {
    "Expecting value": "a value is missing",
    "Expecting property name enclosed in double quotes": "a name in double quotes is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Extra data": "text after the value",
    "Invalid control character at": "a control character",
    "Unterminated string starting at": "a string without an end",
    "Invalid \\escape": "an invalid escape",
    "Invalid \\uXXXX escape": "an invalid escape",
}
STRING = r'"[^"\\]*(?:\\.[^"\\]*)*\\?(?:"|\Z)'
"""A string in JSON, as a pattern in which `.` has to match a new line.

One without an end reaches to the end of the text, so that nothing is searched twice.
"""
_without_strings = partial(re.compile(STRING.encode(), re.DOTALL).sub, b"")


@dataclass(frozen=True, slots=True)
class HugeNumber:
    """A number with too many digits to read: an integer beyond any range, or a very long fraction."""

    digits: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text as JSON: its `value`, or why it has none. `unread` if petcheck does not read it, so that it may be JSON.

    Callers share the value and do not change it.
    """

    value: Json = None
    wrong: str = ""
    unread: bool = False


def is_utf_8(data: bytes, *, whole: bool = True) -> bool:
    """Whether bytes are UTF-8; if they are not the `whole` text, the last character may be cut."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return not whole and error.reason == "unexpected end of data"
    return True


def parse(body: bytes) -> Parsed:
    """UTF-8 bytes as JSON, after a byte order mark if there is one. The latest large bodies are remembered."""
    return _parsed(body) if len(body) <= LARGE else _large(body)


def _parsed(body: bytes) -> Parsed:
    if body.startswith(_GZIP):
        return Parsed(wrong="the body is compressed with gzip, but Content-Encoding does not say so")
    if not body.strip():
        return Parsed(wrong="the body is empty")
    # to leave out the strings takes time, so first with them
    if all(_values_at_most(some(body)) > _VALUES_READ for some in (bytes, _without_strings)):
        return Parsed(wrong=f"the body has more values than petcheck reads ({_VALUES_READ:,})", unread=True)
    try:
        text = body.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        return Parsed(wrong=f"byte {error.start + 1} of the body is not valid UTF-8")
    try:
        with deep_enough():
            return Parsed(
                json.loads(text, parse_int=exact_integer, parse_float=exact_fraction, parse_constant=_constant)
            )
    except json.JSONDecodeError as error:
        return Parsed(wrong=_in_our_words(error, text))
    except _ConstantError as error:
        return Parsed(wrong=f"the body is not JSON: {error} is not a JSON value")
    except RecursionError:
        return Parsed(wrong="the body is nested deeper than petcheck reads", unread=True)


def _in_our_words(error: json.JSONDecodeError, text: str) -> str:
    beginning = text.lstrip()[:_BEGINNING]
    if not beginning:
        return "the body is empty"
    # a text that begins with a number is not a number with more after it
    if not text[: error.pos].strip() or (error.msg == "Extra data" and not beginning.startswith(_HOLDS_MORE)):
        return f"the body is not JSON: it begins with {json.dumps(beginning)}"
    wrong = _WRONG.get(error.msg, error.msg)
    return f"the body is not JSON: {wrong} at line {error.lineno}, column {error.colno}"


_large = lru_cache(maxsize=8)(_parsed)


def _values_at_most(body: bytes) -> int:
    return sum(body.count(mark) for mark in (b",", b"[", b"{"))


@contextmanager
def deep_enough() -> Iterator[None]:
    """Let the reader go deeper than Python's limit: each level takes a few hundred bytes of the stack."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + _LEVELS_READ)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def kind(value: Json) -> str:
    """The JSON type of a value, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, Decimal):
        return "a number with a fraction"
    if isinstance(value, HugeNumber):
        return f"a number of {plural(value.digits, 'digit')}"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def integer(value: Json) -> int | None:
    """The value as an integer; None if it is not one. `1.0` counts as one here: the document leaves that open."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Decimal) and value.is_finite():
        # zero may have any exponent; any other number with a large one is outside every range used here
        if not value:
            return 0
        if abs(value.adjusted()) < 40 and value == int(value):
            return int(value)
    return None


def exact_integer(digits: str) -> int | HugeNumber:
    """The integer with these digits; a `HugeNumber` if they are too many to read."""
    return int(digits) if len(digits) <= _DIGITS_READ else HugeNumber(len(digits), whole=True)


def exact_fraction(digits: str) -> Decimal | HugeNumber:
    """The number with these digits and a fraction or an exponent; a `HugeNumber` if they are too many to read."""
    if len(digits) > _DIGITS_READ:
        return HugeNumber(len(digits), whole=False)
    try:
        return Decimal(digits)
    except InvalidOperation:
        return HugeNumber(len(digits), whole=False)


class _ConstantError(ValueError):
    """Python's reader met NaN or Infinity."""


def _constant(name: str) -> Json:
    raise _ConstantError(name)
