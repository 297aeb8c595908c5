"""Words of messages: those that depend on a number, and those that are nearly right."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_LONG_RUN = re.compile(r"(\D)\1{15,}")


def plural(number: int, noun: str) -> str:
    """`number` and `noun`, which gets an s unless the number is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shortened(text: str) -> str:
    """A text in which each long run of one character, other than a digit, is replaced by its beginning and length."""
    return _LONG_RUN.sub(lambda run: f"{run[1] * 3}…({len(run[0])} times)", text)


def how_to_repeat(seed: int) -> str:
    """How to send the requests of a run again."""
    return f"--seed {seed} with the same options repeats this run"


def did_you_mean(word: str, known: Iterable[str], otherwise: str, *, alike: float = 0.6) -> str:
    """What to do about an unknown word: take the known one that is most like it, or `otherwise`."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=alike)
    return f"did you mean {near[0]}?" if near else otherwise
