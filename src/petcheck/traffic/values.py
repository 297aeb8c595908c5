"""Values of a HAR as their types: recorders write others, and leave some out."""

from __future__ import annotations

import math
from typing import Any


def dict_of(value: object) -> dict[str, Any]:
    """An object; an empty one if it is not one."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str | None:
    """A text; None if it is not one."""
    return value if isinstance(value, str) else None


def number_of(value: object) -> float:
    """A number; minus one if it is not one."""
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        return -1.0
    return number if math.isfinite(number) else -1.0


def in_words(value: object) -> str:
    """Any value as a text, such as that of a header; a list as its items, joined by commas."""
    if isinstance(value, list):
        return ", ".join(map(in_words, value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else "" if value is None else str(value)
