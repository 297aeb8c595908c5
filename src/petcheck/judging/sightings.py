"""What the recorded exchanges show of a target's animals. Pure: it could run on the record of any other client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

from petcheck.exchange import Credential, Exchange, Operation, Response
from petcheck.judging.interface import LIMIT_DEFAULT, limit_in
from petcheck.judging.jsontext import integer
from petcheck.judging.matchers import Animal, came, value_of


@dataclass(frozen=True, slots=True)
class Page:
    """A page of `GET /pets` that came with 200: what was asked for, as it stood in the query, and the animals on it.

    Of a parameter that was given twice, the values are joined by a comma: which one counts is open.
    """

    exchange: Exchange
    limit: str | None
    status: str | None
    animals: tuple[Animal, ...]
    size: int

    @property
    def asked(self) -> int | None:
        """The page size asked for, 20 where none was; None where `limit` is not one of 1 to 100."""
        if self.limit is None:
            return LIMIT_DEFAULT
        return limit_in(self.limit)

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the animals that have one, in the page's order."""
        found = (integer(animal.get("id")) for animal in self.animals)
        return tuple(number for number in found if number is not None)


def page_in(exchange: Exchange) -> Page | None:
    """The page in an exchange; None where it is not an answer 200 to `GET /pets` with an array."""
    if exchange.request.operation is not Operation.LIST_PETS or not isinstance(exchange.answer, Response):
        return None
    if exchange.answer.status != 200 or exchange.request.credential is not Credential.VALID:
        return None
    value = value_of(exchange.answer)
    if not isinstance(value, list):
        return None
    query: dict[str, str] = {}
    for name, text in parse_qsl(urlsplit(exchange.request.url).query, keep_blank_values=True):
        query[name] = f"{query[name]},{text}" if name in query else text
    return Page(
        exchange,
        query.get("limit"),
        query.get("status"),
        tuple(item for item in value if isinstance(item, dict)),
        len(value),
    )


def page_in_words(exchange: Exchange) -> str:
    """What a request for a page got, in a few words."""
    page = page_in(exchange)
    return f"{came(exchange)}, {page.size} animals" if page else came(exchange)


def pages_in(exchanges: Iterable[Exchange]) -> Iterator[Page]:
    """Every page in a record."""
    return (page for page in map(page_in, exchanges) if page is not None)


def animals_in(exchanges: Iterable[Exchange]) -> dict[int, Animal]:
    """Every animal that a page has shown, by id, as it was seen last."""
    return {
        number: animal
        for page in pages_in(exchanges)
        for animal in page.animals
        if (number := integer(animal.get("id"))) is not None
    }


def ids_with_status(exchanges: Iterable[Exchange], status: str) -> set[int]:
    """The ids of animals that a page has shown with that status."""
    return {number for number, animal in animals_in(exchanges).items() if animal.get("status") == status}


def order_of(page: Page) -> str:
    """In which order a page lists its ids, in words."""
    ids = page.ids
    if len(ids) < 3:
        return "too few to tell"
    if all(a < b for a, b in pairwise(ids)):
        return "by id, ascending"
    if all(a > b for a, b in pairwise(ids)):
        return "by id, descending"
    return "not by id"
