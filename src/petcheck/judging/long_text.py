"""Shortens texts for messages; the recorded exchange shows them in full."""

from __future__ import annotations

import re

_LONG_RUN = re.compile(r"(\D)\1{15,}")


def shortened(text: str) -> str:
    """A text in which each long run of one character, other than a digit, is replaced by its beginning and length."""
    return _LONG_RUN.sub(lambda run: f"{run[1] * 3}…({len(run[0])} times)", text)
