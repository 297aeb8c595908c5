"""Words that depend on a number."""

from __future__ import annotations


def plural(number: int, noun: str) -> str:
    """`number` and `noun`, which gets an s unless the number is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
