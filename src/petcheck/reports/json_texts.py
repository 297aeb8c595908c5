"""The JSON documents that views print: every text is visible, and of limited length."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from petcheck.sanitize import REASON_LIMIT, printable


def sanitized(value: Any) -> Any:
    """`value` as JSON: dataclasses become objects, and every text in it is sanitized and cut at 1,500 characters."""
    if isinstance(value, str):
        return printable(value, REASON_LIMIT, whole_in="result.json")
    if isinstance(value, list | tuple):
        return [sanitized(item) for item in value]
    if is_dataclass(value):
        return {field.name: sanitized(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: sanitized(item) for key, item in value.items()}
    return value
