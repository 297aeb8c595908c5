"""JSON as the document needs it: integers exact at any size, fractions as they were written, nothing but JSON accepted.

Python's own reader takes NaN and Infinity and refuses very long integers; both are put right here. Duplicate member
names are open: the last one counts.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TypeAlias

from petcheck.exchange import Response

Json: TypeAlias = "bool | int | Decimal | str | list[Json] | dict[str, Json] | HugeNumber | None"

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_DIGITS_READ = 4000
# a page of a hundred animals has room for a thousand members each
_VALUES_READ = 100_000
_LARGE_BYTES = 100_000


class NotJson(ValueError):
    """The text is no JSON; the message says what is wrong and where."""


class NotRead(NotJson):
    """The text may be JSON, and there is more of it, or it is nested deeper, than is read."""


@dataclass(frozen=True, slots=True)
class HugeNumber:
    """A number with more digits than are worth reading: an integer beyond any range, or a monstrous fraction."""

    digits: int
    whole: bool


def json_of(response: Response) -> Json:
    """The JSON value of a response's body; `NotJson` where it has none."""
    if not response.body_complete:
        raise NotRead(f"the body is longer than can be read; its first {len(response.body):,} bytes are kept")
    return parse(response.body)


def parse(body: bytes) -> Json:
    """The JSON value of UTF-8 bytes, with or without a byte order mark; `NotJson` with the reason.

    The value is shared between callers, who leave it as it is.
    """
    return _remembered(body) if len(body) <= _LARGE_BYTES else _remembered_large(body)


def _parsed(body: bytes) -> Json:
    if not body.strip():
        raise NotJson("the body is empty")
    if sum(body.count(mark) for mark in (b",", b"[", b"{")) > _VALUES_READ:
        raise NotRead(f"the body holds more than {_VALUES_READ:,} values, which are not read")
    try:
        text = body.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise NotJson(f"byte {error.start} of the body is not valid UTF-8") from None
    try:
        value: Json = json.loads(text, parse_int=_integer, parse_float=_fraction, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise NotJson(f"the body is no JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise NotRead("the body is nested deeper than can be read") from None
    return value


# every check looks at the same few bodies again; many large ones would fill the memory
_remembered = lru_cache(maxsize=256)(_parsed)
_remembered_large = lru_cache(maxsize=8)(_parsed)


def kind(value: Json) -> str:
    """The JSON type of a value as a person would name it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, Decimal):
        return "a number with a fraction"
    if isinstance(value, HugeNumber):
        return f"a number of {value.digits:,} digits"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def integer(value: Json) -> int | None:
    """The value as an integer, `1.0` included (whether that is one is open); None where it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Decimal) and value.is_finite():
        # a nought may have any exponent; any other number with one so large is beyond what is asked for here
        if not value:
            return 0
        if abs(value.adjusted()) < 40 and value == int(value):
            return int(value)
    return None


def _integer(digits: str) -> int | HugeNumber:
    return int(digits) if len(digits) <= _DIGITS_READ else HugeNumber(len(digits), whole=True)


def _fraction(digits: str) -> Decimal | HugeNumber:
    if len(digits) > _DIGITS_READ:
        return HugeNumber(len(digits), whole=False)
    try:
        return Decimal(digits)
    except InvalidOperation:
        return HugeNumber(len(digits), whole=False)


def _constant(name: str) -> Json:
    raise NotJson(f"the body is no JSON: {name} is not a JSON value")
