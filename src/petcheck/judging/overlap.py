"""Which exchanges overlapped: their requests were under way at the same time, so that only their times tell an order.

A server may limit connections: it may refuse, reset or close those in excess, or answer 503 or 429 with Retry-After.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from petcheck.exchange import Exchange, NoAnswer, Silence
from petcheck.judging.once import Once
from petcheck.judging.rate_headers import header_of, retry_after
from petcheck.spec.figures import RATE_HEADERS

_REFUSED = (Silence.UNREACHABLE, Silence.RESET, Silence.TLS)


def _find_crowded(record: Iterable[Exchange]) -> Set[int]:
    """The ids of the exchange objects that were part of a burst, or overlapped with another of the record."""
    found: set[int] = set()
    longest: Exchange | None = None
    for exchange in record:
        if exchange.burst is not None:
            found.add(id(exchange))
        if longest is not None and exchange.sent < longest.finished:
            found |= {id(longest), id(exchange)}
        longest = exchange if longest is None else max(longest, exchange, key=lambda one: one.finished)
    return found


crowded_in = Once(_find_crowded)


def is_in_excess(exchange: Exchange) -> bool:
    """Whether an answer to one of several requests at the same time may only say that they were too many.

    A 429 with the rate limit headers is one of the rate limit.
    """
    if isinstance(exchange.answer, NoAnswer):
        return exchange.answer.kind in _REFUSED
    limited = exchange.status == 429 and all(header_of(exchange, name) is None for name in RATE_HEADERS)
    return (limited or exchange.status == 503) and retry_after(exchange) is not None
