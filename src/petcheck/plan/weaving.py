"""How streams of examples are put together: woven, rotated, without duplicates. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import TypeVar

from petcheck.call import Call

Item = TypeVar("Item")


def turn(values: Sequence[Item], seed: int) -> Item:
    """The one of the values whose turn it is; with each next seed it is the next one."""
    return values[seed % len(values)]


def rotated(items: Iterable[Item], first: int, seed: int, step: int) -> list[Item]:
    """The `first` of the items, then the others, which begin `step` further with each next seed.

    Few runs have requests for all of them. If one has them for `step`, those with consecutive seeds ask for all.
    """
    every = list(items)
    rest = every[first:]
    begin = seed * step % max(len(rest), 1)
    return [*every[:first], *rest[begin:], *rest[:begin]]


def woven(main: Iterator[Item], other: Iterator[Item], length: int, several: int) -> Iterator[Item]:
    """`length` items, `several` of the main stream for each of the other; from one alone once the other has ended."""
    turn = cycle([main] * several + [other])
    given = misses = 0
    while given < length and misses <= several + 1:
        try:
            item = next(next(turn))
        except StopIteration:
            misses += 1
            continue
        misses = 0
        given += 1
        yield item


_REMEMBERED = 50_000


def fresh(calls: Iterable[Call]) -> Iterator[Call]:
    """Calls without duplicates, as far as the latest ones are remembered."""
    given: dict[int, None] = {}
    for call in calls:
        mark = hash(call)
        if mark in given:
            continue
        given[mark] = None
        if len(given) > _REMEMBERED:
            del given[next(iter(given))]
        yield call


def octaves(drawn: random.Random) -> Iterator[int]:
    """A number between each pair of adjacent powers of two, positive and negative, larger ones first."""
    while True:
        for power in range(62, 1, -1):
            yield drawn.randrange(2**power, 2 ** (power + 1))
            yield -drawn.randrange(2**power, 2 ** (power + 1))
