"""Remembers what was found in exchanges, so that the rules of all requirements search a record only once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from petcheck.exchange import Exchange

About = TypeVar("About")
Found = TypeVar("Found")


class WholeRecord(tuple[Exchange, ...]):
    """A record that does not grow any more, and that keeps the results of `Once` functions.

    `left_out` are the other exchanges of the run: they do not count, but what they created is the run's own.
    """

    left_out: tuple[Exchange, ...] = ()


def only(record: Iterable[Exchange], counts: Callable[[Exchange], bool]) -> WholeRecord:
    """The exchanges of a record that count; it knows those that it leaves out."""
    kept: list[Exchange] = []
    others: list[Exchange] = []
    for exchange in record:
        (kept if counts(exchange) else others).append(exchange)
    whole = WholeRecord(kept)
    whole.left_out = (*left_out_of(record), *others)
    return whole


def left_out_of(record: Iterable[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges of the run that a record leaves out."""
    return record.left_out if isinstance(record, WholeRecord) else ()


@dataclass(frozen=True, slots=True)
class Once(Generic[About, Found]):
    """A function of an exchange, a request or a record, which remembers its result with that; callers do not change it.

    A record is searched again each time unless it is a `WholeRecord`: it may have grown.
    """

    find: Callable[[About], Found]

    def __call__(self, about: About) -> Found:
        """What `find` returns."""
        known: dict[object, Found] | None = getattr(about, "__dict__", None)
        if known is None:
            return self.find(about)
        if self not in known:
            known[self] = self.find(about)
        return known[self]
