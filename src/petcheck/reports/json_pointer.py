"""Finds the position of a value in a JSON text, or of its first mistake, to show it in the evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_SPACE = re.compile(r"[ \t\r\n]*")
_CONSTANT = re.compile(r"[:,\[]\s*(NaN|-?Infinity)\s*[,\]}]")  # Python reads these, and JSON has none of them
_DECODER = json.JSONDecoder(parse_int=len, parse_float=len)  # numbers of any length; their values are not needed


def span(text: str, pointer: str) -> tuple[int, int] | None:
    """Start and end of the value at a JSON pointer (RFC 6901) in `text`; a member includes its name.

    None if `text` is not JSON or has no such value. Of members with the same name, the last counts.
    """
    begin = start = _skip(text, 0)
    try:
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = [(start, value) for key, start, value in _inside(text, begin) if key == name]
            if not found:
                return None
            start, begin = found[-1]
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


def _inside(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """What is in the object or array at `at`: the name or number of each, its start, and the start of its value."""
    last = {"{": "}", "[": "]"}.get(text[at])
    number, at = 0, _skip(text, at + 1)
    while last is not None and text[at] != last:
        start, name = at, str(number)
        if last == "}":
            name, colon = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, colon) + 1)
        yield name, start, at
        at = _skip(text, _end(text, at))
        number, at = number + 1, _skip(text, at + 1) if text[at] == "," else at


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
