"""The pages of animals in the recorded exchanges, and which of them show the whole store."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf

from petcheck.exchange import Animal, Exchange, Page, Response
from petcheck.json_values import integer
from petcheck.judging.matchers import answer_text
from petcheck.spec.operations import Operation

LAG_S = 10.0
"""What a server shows may lag by this many seconds, because of caches, replicas or a filter's index."""
_SMALLEST_CAP = 20


def page_in_words(exchange: Exchange) -> str:
    """The answer to a request for a page, in a few words."""
    page = exchange.page
    if page is None:
        return answer_text(exchange)
    return f"{answer_text(exchange)}, {page.size} animal{'s' * (page.size != 1)}"


def pages_in(exchanges: Iterable[Exchange]) -> Iterator[Page]:
    """Every page in a record."""
    return (exchange.page for exchange in exchanges if exchange.page is not None)


def animals_in(exchanges: Iterable[Exchange]) -> dict[int, Animal]:
    """Every animal that a page has shown, by id, as the latest page shows it."""
    return {
        number: animal
        for page in pages_in(exchanges)
        for animal in page.animals
        if (number := integer(animal.get("id"))) is not None
    }


def created_in(exchanges: Iterable[Exchange]) -> dict[int, Exchange]:
    """The POSTs that returned 201, by the id of the animal in the response."""
    return {
        number: exchange
        for exchange in exchanges
        if exchange.request.operation is Operation.CREATE_PET and exchange.status == 201
        for number in shown_in(exchange)
    }


# ---- what a page proves


def whole_stores(pages: Collection[Page]) -> list[Page]:
    """The pages that are known to hold every animal of the store (section 4.1), in the given order.

    Each is unfiltered and shorter than its `limit`. A server may cap pages at 20 animals or more, by number or
    by bytes, so the page must hold fewer than 20 animals, or a longer unfiltered page must contain it. Then no earlier
    page may have shown more: one of two replicas may cap its pages and the other not.
    """
    # a page without `limit` may be short because its default is wrong
    unfiltered = [page for page in pages if not page.filtered and page.limit is not None]
    return [
        page
        for page in unfiltered
        # an item without an id cannot be distinguished from another
        if page.has_room
        and len(page.ids) == page.size
        and (page.size < _SMALLEST_CAP or (_contained(page, unfiltered) and not _shown_more(page, unfiltered)))
    ]


def that_would_show(pages: Collection[Page], status: str | None) -> list[Page]:
    """The pages that would show an animal stored before with that status (None: no status), in the given order.

    Each is the whole store, or is filtered by that status and not full. What a filtered page leaves out is not a
    fault, since a server may apply the limit before the filter: use `whole_stores` to judge that.
    """
    whole = {page.exchange.index for page in whole_stores(pages)}
    sizes = [page.size for page in pages]
    return [
        page
        for page in pages
        if page.exchange.index in whole
        or (
            page.by_status is not None
            and page.by_status == status
            and page.has_room
            and (page.size < _SMALLEST_CAP or page.size < max(sizes))
        )
    ]


def _contained(page: Page, others: Iterable[Page]) -> bool:
    return any(other.size > page.size and set(page.ids) <= set(other.ids) for other in others)


def _shown_more(page: Page, others: Iterable[Page]) -> bool:
    """Whether an earlier page has an animal that this one lacks."""
    earlier = (other for other in others if other.exchange.finished <= page.exchange.sent)
    return any(not set(other.ids) <= set(page.ids) for other in earlier)


def known_since(exchanges: Iterable[Exchange], ids: Collection[int]) -> float:
    """The monotonic time in seconds at which a page, a 200 or a 201 had shown all of these animals.

    A difference between answers about them counts `LAG_S` later. Animals that were never shown are ignored; minus
    infinity if none was shown.
    """
    first: dict[int, float] = {}
    for exchange in exchanges:
        for number in shown_in(exchange):
            first.setdefault(number, exchange.finished)
    return max((first[number] for number in ids if number in first), default=-inf)


def status_known_since(exchanges: Iterable[Exchange], number: int, status: str) -> float:
    """The monotonic time in seconds since which each sight of an animal has had that status; infinity if none has."""
    since = inf
    for exchange in exchanges:
        for animal in _animals_of(exchange):
            if integer(animal.get("id")) == number:
                since = min(since, exchange.finished) if animal.get("status") == status else inf
    return since


def _animals_of(exchange: Exchange) -> Sequence[Animal]:
    """The animals that a page, a 200 or a 201 shows."""
    page = exchange.page
    if page is not None:
        return page.animals
    if exchange.status not in (200, 201) or not isinstance(exchange.answer, Response):
        return ()
    value = exchange.json
    return (value,) if isinstance(value, dict) else ()


def shown_in(exchange: Exchange) -> Sequence[int]:
    """The ids of the animals that a page, a 200 or a 201 shows."""
    numbers = (integer(animal.get("id")) for animal in _animals_of(exchange))
    return tuple(number for number in numbers if number is not None)


def order_of(page: Page) -> str | None:
    """The order in which a page lists its ids, in words; None for fewer than three ids."""
    ids = page.ids
    if len(ids) < 3:
        return None
    if all(a < b for a, b in pairwise(ids)):
        return "by id, ascending"
    if all(a > b for a, b in pairwise(ids)):
        return "by id, descending"
    return "not by id"
