"""The animals in a record that POSTs created and GETs read (sections 4.2 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from math import inf

from petcheck.call import page_call
from petcheck.exchange import Animal, Exchange, Page
from petcheck.grouping import grouped
from petcheck.json_values import integer
from petcheck.judging.decision import Record, Undecided
from petcheck.judging.judgement import Known
from petcheck.judging.matchers import differences
from petcheck.judging.once import Once
from petcheck.judging.pages import LAG_S, Sight, pages_in, pages_of, sights_in, that_would_show
from petcheck.judging.request_bodies import Asked, Due, asked_for, asked_of
from petcheck.spec.figures import INT64_MAX, INT64_MIN, LIMIT_MAX
from petcheck.spec.operations import Operation


@dataclass(frozen=True, slots=True)
class Creation:
    """A POST answered 201, the id and the animal in the 201, and the status that was sent."""

    exchange: Exchange
    id: int
    animal: Animal
    status: str | None

    @property
    def due(self) -> float:
        """When every answer must show it, in monotonic seconds."""
        return self.exchange.finished + LAG_S

    def is_before(self, exchange: Exchange) -> bool:
        """Whether an exchange was sent when the answer with the animal had come."""
        return exchange.sent >= self.exchange.finished

    def is_missing_on(self, page: Page) -> bool:
        """Whether a page that was sent for after that lacks it."""
        return self.is_before(page.exchange) and self.id not in page.ids


def posts_in(record: Iterable[Exchange]) -> Sequence[Exchange]:
    """Every POST with a valid key."""
    return [e for e in record if e.request.operation is Operation.CREATE_PET and e.request.has_valid_key]


def oddity(post: Exchange) -> tuple[bool, bool]:
    """How likely a store is to keep the animal of a POST badly: its name is odd, its category is large."""
    sent = post.request.parsed.value
    name, category = (sent.get("name"), sent.get("categoryId")) if isinstance(sent, dict) else (None, None)
    odd_name = not (isinstance(name, str) and name.isascii() and name.isprintable())
    return odd_name, isinstance(category, int) and abs(category) > _LARGE


_LARGE = 2**53


def _creations_in(record: Iterable[Exchange]) -> Sequence[Creation]:
    """Every animal that was created and has an id, in the order of the POSTs."""
    found = []
    for exchange in posts_in(record):
        animal = (exchange.status == 201 and exchange.object) or {}
        number = integer(animal.get("id"))
        if number is not None:
            status = (asked_of(exchange.request, ()).pet or {}).get("status")
            found.append(Creation(exchange, number, animal, status if isinstance(status, str) else None))
    return found


creations_in = Once(_creations_in)


def is_unwanted(one: Creation) -> bool:
    """Whether the POST had to be refused, so that the animal should not be there."""
    return asked_of(one.exchange.request, ()).due is Due.REFUSED


def name_in(body: bytes | None) -> str | None:
    """The name in a body of a POST, if it can be read."""
    return _name(asked_for(body, ()))


def taken(name: str | None, record: Iterable[Exchange]) -> Exchange | None:
    """The first POST that created an animal of that name."""
    made = (e for e in posts_in(record) if e.status == 201) if name is not None else ()
    return next((exchange for exchange in made if _name(asked_of(exchange.request, ())) == name), None)


def _name(asked: Asked) -> str | None:
    name = (asked.pet or {}).get("name")
    return name if isinstance(name, str) else None


def still_there(record: Iterable[Exchange]) -> list[Creation]:
    """The latest creation of each id, since another client may have removed the earlier ones; no id that is shared."""
    latest = {creation.id: creation for creation in creations_in(record)}
    return [one for one in latest.values() if one.id not in shared_in(record)]


def reads_in(record: Iterable[Exchange]) -> Sequence[tuple[int, Exchange]]:
    """Every GET of an int64 with a valid key, and that id."""
    keyed = (exchange for exchange in record if exchange.request.has_valid_key)
    return [(number, exchange) for exchange in keyed if (number := exchange.request.pet_id) is not None]


def found_in(record: Iterable[Exchange]) -> list[int]:
    """The id of each GET that got 200, in the order of the requests."""
    return [number for number, exchange in reads_in(record) if exchange.status == 200]


def _read_in(record: Iterable[Exchange]) -> Mapping[int, Sequence[Exchange]]:
    """`reads_in` by id."""
    return grouped(reads_in(record))


read_in = Once(_read_in)


def not_found_since(reads: Iterable[Exchange]) -> list[Exchange]:
    """The 404s of an animal since it was last found; none if the last answer is another one."""
    return list(takewhile(lambda exchange: exchange.status == 404, reversed(list(reads))))[::-1]


def read_sight(exchange: Exchange) -> Sight | None:
    """The animal that a GET shows; None unless the response is 200 with an object."""
    animal = exchange.object if exchange.status == 200 else None
    return None if animal is None else Sight(exchange, animal)


def reads_of(exchanges: Iterable[Exchange]) -> list[Sight]:
    """The animals that GETs show."""
    return [sight for sight in map(read_sight, exchanges) if sight is not None]


def still_listed(record: Record, number: int, lost: Sequence[Exchange]) -> tuple[Exchange, Sight] | None:
    """The last GET that does not find an animal after a page showed it, `LAG_S` after the first that did not.

    And the last such page. `lost` are the GETs that do not find the animal, in their order. After an older page, or one
    before a page that should show the animal and does not, another client may have removed it.
    """
    sights = listed_in(record).get(number, ())
    late = [sight for sight in sights if lost and sight.exchange.sent >= lost[0].finished + LAG_S]
    if late and _is_off(record, number, late[-1]):
        return None
    pairs = [(read, sight) for read in lost for sight in late if 0 <= read.sent - sight.exchange.finished < LAG_S]
    return pairs[-1] if pairs else None


def _is_off(record: Record, number: int, last: Sight) -> bool:
    """Whether a page lacks an animal after the `last` page that showed it: that one again, or one that must show it."""
    status, own = last.animal.get("status"), pages_of(record, last.exchange.request.call)
    would_show = that_would_show(record, status if isinstance(status, str) else None)
    later = (*would_show, *(page for page in own if page.has_room))
    return any(number not in page.ids for page in later if page.exchange.sent >= last.exchange.finished)


def _listed_in(record: Iterable[Exchange]) -> dict[int, list[Sight]]:
    """Every sight of every animal on the pages of a record, by id, in the order of the pages."""
    return grouped(pair for page in pages_in(record) for pair in sights_in(page.exchange))


listed_in = Once(_listed_in)


def _shared_in(record: Iterable[Exchange]) -> frozenset[int]:
    """The ids that different animals have at the same time, on one page or in one burst: PET-5 judges them.

    What answers say of one of them may be about either animal.
    """
    made = [(one.id, (one.exchange.burst, None), one.animal) for one in creations_in(record) if one.exchange.burst]
    listed = listed_in(record).items()
    pages = ((number, (None, id(one.exchange)), one.animal) for number, several in listed for one in several)
    first: dict[tuple[int, tuple[int | None, int | None]], Animal] = {}
    return frozenset(
        number
        for number, where, animal in chain(made, pages)
        if differences(first.setdefault((number, where), animal), animal)
    )


shared_in = Once(_shared_in)


def categories_in(record: Iterable[Exchange]) -> Mapping[int, Known]:
    """The categories that exist: those of listed animals, and those that a 201 returns as they were sent.

    One that the last page of the longest `limit` lacks is known no longer from `LAG_S` before an answer last showed it.
    """
    listed = ((sight.animal, page.exchange) for page in pages_in(record) for _, sight in sights_in(page.exchange))
    made = ((made.animal, made.exchange) for made in creations_in(record) if _category_was_accepted(made))
    found = ((integer(animal.get("categoryId")), exchange) for animal, exchange in chain(listed, made))
    shown = grouped((number, at) for number, at in found if number is not None and INT64_MIN <= number <= INT64_MAX)
    widest = max((page.exchange.sent for page in pages_of(record, page_call(LIMIT_MAX))), default=-inf)

    def known(exchanges: Sequence[Exchange]) -> Known:
        last = max(exchange.finished for exchange in exchanges)
        since = min(exchange.finished for exchange in exchanges)
        return Known(since, last - LAG_S if last <= widest else inf)

    return {number: known(exchanges) for number, exchanges in shown.items()}


def _category_was_accepted(made: Creation) -> bool:
    sent = asked_of(made.exchange.request, ()).pet or {}
    return integer(sent.get("categoryId")) == integer(made.animal.get("categoryId"))


def no_creation(record: Record) -> Undecided:
    """Why no created animal can be looked for, if none is `still_there`."""
    if creations_in(record):
        return Undecided("Each animal that the run created shares its id with another one; see PET-5.")
    return Undecided(f"{Operation.CREATE_PET} created no animal that has an id; see CREATE-1 and PET-1.")
