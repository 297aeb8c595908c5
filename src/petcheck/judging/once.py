"""Remembers what was found in exchanges, so that the rules of all requirements search a record only once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from petcheck.exchange import Exchange

About = TypeVar("About")
Found = TypeVar("Found")


class WholeRecord(tuple[Exchange, ...]):
    """A record that does not grow any more, with what functions marked `once` have found in it."""


def once(find: Callable[[About], Found]) -> Callable[[About], Found]:
    """Have a function of an exchange, a request or a record remember its result with that; callers do not change it.

    A record is searched again each time unless it is a `WholeRecord`: it may have grown.
    """
    name = f"{find.__module__}.{find.__qualname__}"

    @wraps(find)
    def found(about: About) -> Found:
        known: dict[str, Found] | None = getattr(about, "__dict__", None)
        if known is None:
            return find(about)
        if name not in known:
            known[name] = find(about)
        return known[name]

    return found
