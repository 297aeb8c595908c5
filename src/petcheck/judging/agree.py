"""In a row: when two answers disagree, they are compared again in the order A, B, A.

If both answers A agree and B differs from them, the server contradicts itself. If they do not agree, another client may
have changed the store in between.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from math import isfinite
from typing import TypeVar

from petcheck.call import Call
from petcheck.exchange import Exchange, Page, Request
from petcheck.judging.decision import Record
from petcheck.judging.pages import LAG_S, Sight, known_since, lists_in, pages_of

A = TypeVar("A", bound=Page | Sight)
B = TypeVar("B", bound=Page | Sight)


def agree(outer: Sequence[A], inner: Iterable[B], among: Record = ()) -> Iterator[tuple[A, B, A]]:
    """Each of `inner` between the last of `outer` that came before it was sent, and the first sent after it came.

    Of the exchanges `among`, given in the order in which they were sent, no other request lies between these three,
    but for those of their bursts: given time, an animal may change and change back.
    """
    by_end, by_start = sorted(outer, key=_finished), sorted(outer, key=_sent)
    undisturbed: dict[tuple[int, int, Request], bool] = {}
    for one in inner:
        earlier = bisect_right(by_end, one.exchange.sent, key=_finished)
        later = bisect_left(by_start, one.exchange.finished, key=_sent)
        if earlier and later < len(by_start):
            before, after = by_end[earlier - 1], by_start[later]
            between = earlier, later, one.exchange.request
            if between not in undisturbed:
                undisturbed[between] = _undisturbed(among, before.exchange, one.exchange, after.exchange)
            if undisturbed[between]:
                yield before, one, after


def pages_in_a_row(record: Record, outer: Call, inner: Call, ids: Iterable[int]) -> tuple[Page, Page, Page] | None:
    """The latest pages of two calls in the order A, B, A by when these animals had been known for 10 s; None without.

    Animals that were shown later do not count; otherwise a growing store would be asked forever.
    """
    rows = list(agree(pages_of(record, outer), pages_of(record, inner), lists_in(record)))
    for row in reversed(rows):
        began = row[0].exchange.sent
        since = known_since(record, ids, began)
        # an earlier row says nothing about animals that were only shown after it
        if began >= since + LAG_S and (isfinite(since) or row is rows[-1]):
            return row
    return None


def _undisturbed(among: Record, *three: Exchange) -> bool:
    before, _, after = three
    own = {exchange.request for exchange in three}
    bursts = {exchange.burst for exchange in three} - {None}
    begun = bisect_left(among, before.finished, key=lambda exchange: exchange.sent)
    between = takewhile(lambda place: among[place].sent <= after.sent, range(begun, len(among)))
    ended = (among[place] for place in between if among[place].finished <= after.sent)
    return all(exchange.request in own or exchange.burst in bursts for exchange in ended)


def _sent(seen: Page | Sight) -> float:
    return seen.exchange.sent


def _finished(seen: Page | Sight) -> float:
    return seen.exchange.finished
