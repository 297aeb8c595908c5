"""Texts of the JSON documents that views print: visible, and of limited length."""

from __future__ import annotations

from typing import Any

from petcheck.sanitize import REASON_LIMIT, printable


def sanitized(value: Any) -> Any:
    """`value`, parsed JSON, with every text in it sanitized and cut at 1,500 characters."""
    if isinstance(value, str):
        return printable(value, REASON_LIMIT, whole_in="result.json")
    if isinstance(value, list | tuple):
        return [sanitized(item) for item in value]
    if isinstance(value, dict):
        return {key: sanitized(item) for key, item in value.items()}
    return value
