"""Finds the position of a value in a JSON text, or of its first mistake, to show it in the evidence."""

from __future__ import annotations

import json
import re

_SPACE = re.compile(r"[ \t\r\n]*")
_CONSTANT = re.compile(r"[:,\[]\s*(NaN|-?Infinity)\s*[,\]}]")  # Python reads these, and JSON has none of them
_DECODER = json.JSONDecoder(parse_int=len, parse_float=len)  # numbers of any length; their values are not needed


def span(text: str, pointer: str) -> tuple[int, int] | None:
    """Start and end of the value at a JSON pointer (RFC 6901) in `text`; a member includes its name.

    None if `text` is not JSON or has no such value. Of members with the same name, the last counts.
    """
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    begin = start = _skip(text, 0)
    try:
        for step in steps:
            found = _member(text, begin, step) if text[begin : begin + 1] == "{" else _item(text, begin, step)
            if found is None:
                return None
            start, begin = found
        return start, _end(text, begin)
    except (ValueError, IndexError, RecursionError):
        return None


def first_mistake(text: str) -> int | None:
    """The first position at which `text` is not JSON; None if it is JSON, or if that is unknown."""
    try:
        json.loads(text, parse_int=len, parse_float=len, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return error.pos
    except ValueError:
        found = _CONSTANT.search(text)
        return found.start(1) if found else None
    except RecursionError:
        return None
    return None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _member(text: str, at: int, name: str) -> tuple[int, int] | None:
    """The start of a member of the object at `at`, and of its value."""
    found = None
    at = _skip(text, at + 1)
    while text[at] == '"':
        key, colon = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, colon) + 1)
        if key == name:
            found = (at, value)
        at = _next(text, _end(text, value))
    return found


def _item(text: str, at: int, index: str) -> tuple[int, int] | None:
    """The start of an item of the array at `at`, twice."""
    if text[at : at + 1] != "[" or not index.isdecimal():
        return None
    at = _skip(text, at + 1)
    for _ in range(int(index)):
        if text[at] == "]":
            return None
        at = _next(text, _end(text, at))
    return None if text[at] == "]" else (at, at)


def _next(text: str, at: int) -> int:
    """The position after the comma, if there is one."""
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
