"""What a run asks again at its end, where expiry, rollback, eviction, stale fronts and replayed requests show. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import inf

from petcheck.call import Call, page_call, read_call
from petcheck.grouping import grouped
from petcheck.judging.apply import stated
from petcheck.judging.creations import Creation, creations_in, found_in, oddity, posts_in, reads_in
from petcheck.judging.decision import Record
from petcheck.judging.pages import animals_in, lists_in, older_in, pages_of
from petcheck.spec.figures import LIMIT_MAX, SOLD
from petcheck.spec.operations import Operation

ASKED_AGAIN = ("LIST-1", "LIST-6", "LIST-7", "LIST-8", "GET-1", "GET-2", "GET-3", "ORDERS-1")
"""The requirements that the end of a run serves."""
CREATED_ASKED_AGAIN = ("CREATE-12", "CREATE-13")
"""Those that it serves too if the run creates animals."""
_SHARE, _MOST = 10, 10


@dataclass(frozen=True, slots=True)
class Again:
    """One thing that the end asks again, in words, and the requests for it after a record.

    `created` says that it is about animals that the run has created.
    """

    what: str
    operation: Operation
    calls: Callable[[Record], Iterable[Call]]
    created: bool = False


def end_share(requests: int) -> int:
    """How many of a run's requests are kept for its end: the last tenth, at most ten."""
    return min(requests // _SHARE, _MOST)


def ending(record: Record) -> tuple[Call, ...]:
    """The requests of the end, most telling first."""
    judged = stated(record)  # an animal that was posted in chunks may be read as well as not
    return tuple(dict.fromkeys(call for one in ENDING for call in one.calls(judged)))


def _widest(_record: Record) -> Iterator[Call]:
    yield page_call(LIMIT_MAX)


def _default(_record: Record) -> Iterator[Call]:
    yield page_call()


def widest_after_posts(record: Record) -> Iterator[Call]:
    """The widest page, if the run has posted and has not read it after the last POST, which may have spoiled it."""
    call = page_call(LIMIT_MAX)
    posted = max((one.finished for one in posts_in(record)), default=-inf)
    read = max((one.sent for one in lists_in(record) if one.request.call == call), default=-inf)
    if read < posted:
        yield call


def _newest(record: Record) -> Iterator[Call]:
    yield from [read_call(one.id) for one in creations_in(record)[-1:]]


def _not_found(record: Record) -> Iterator[Call]:
    yield from [read_call(number) for number, exchange in reads_in(record) if exchange.status == 404][:1]


def _found_late(record: Record) -> Iterator[Call]:
    """An animal of the run with an id that was read before the animal was there: a cache may keep the 404."""
    missed = {number for number, exchange in reads_in(record) if exchange.status == 404}
    yield from [read_call(one.id) for one in creations_in(record) if one.id in missed][:1]


def _off_the_page(record: Record) -> Iterator[Call]:
    """Two animals of the run that the last of the widest pages lacks, although it shows another one."""
    mine = creations_in(record)
    for page in pages_of(record, page_call(LIMIT_MAX))[-1:]:
        absent = [one for one in mine if one.is_missing_on(page)]
        if any(one.is_before(page.exchange) and one.id in page.ids for one in mine):
            yield from (read_call(one.id) for one in absent[:2])


def _first(record: Record) -> Iterator[Call]:
    yield from [read_call(one.id) for one in creations_in(record)[:1]]


def _unlike(record: Record) -> Iterator[Call]:
    """An animal of the run of a status of which none was read, first one without a status; if all were, the oddest."""
    mine, read = creations_in(record), found_in(record)
    seen = {one.status for one in (*(one for one in mine if one.id in read), *mine[:1], *mine[-1:])}
    unread = [one for one in mine if one.status not in seen]
    bare = [one for one in unread if one.status is None]
    if mine:
        yield read_call(max(bare or unread or mine, key=_oddity).id)


def _oldest(record: Record) -> Iterator[Call]:
    older = older_in(record)
    yield from [read_call(number) for number in animals_in(record) if number in older][:1]


def _unread(record: Record) -> Iterator[Call]:
    """An older animal of each status of which none was read by its id, of a category of which none was if there is one.

    Those that the run created do not count: a store that hides what was sold long ago may show what it sold just now.
    The last on the pages come first, since the run has read the first.
    """
    older = older_in(record)
    shown = {number: animal for number, animal in animals_in(record).items() if number in older}
    read = {*found_in(record)}
    seen, categories = (
        {str(shown[number].get(name)) for number in read & shown.keys()} for name in ("status", "categoryId")
    )
    of_status = grouped((str(animal.get("status")), number) for number, animal in shown.items())
    for status in sorted((one for one in of_status if one not in seen), key=lambda one: one != SOLD):
        latest = reversed(of_status[status])
        number = min(latest, key=lambda number: str(shown[number].get("categoryId")) in categories)
        categories.add(str(shown[number].get("categoryId")))
        yield read_call(number)


def _orders(_record: Record) -> Iterator[Call]:
    yield Call(Operation.STORE_ORDERS)


def _pages(record: Record) -> Iterator[Call]:
    yield from (exchange.request.call for exchange in lists_in(record) if exchange.status == 200)


def _filtered(record: Record) -> Iterator[Call]:
    yield from [call for call in _pages(record) if dict(call.query).get("status")][-1:]


def _others(record: Record) -> Iterator[Call]:
    yield from (read_call(one.id) for one in creations_in(record))


def _oddity(one: Creation) -> tuple[tuple[bool, bool], int]:
    """How likely a store is to keep an animal badly; of equal ones, the later."""
    return oddity(one.exchange), one.exchange.index


ENDING = (
    Again("the widest page", Operation.LIST_PETS, widest_after_posts, created=True),
    # on the connection on which another limit was just asked for
    Again("the page without parameters", Operation.LIST_PETS, _default),
    Again("an id that was not found", Operation.GET_PET, _not_found),
    Again("the newest animal of the run", Operation.GET_PET, _newest, created=True),
    Again("animals of the run that the widest page lacks", Operation.GET_PET, _off_the_page, created=True),
    Again("an animal of the run whose id was not found before", Operation.GET_PET, _found_late, created=True),
    Again("the first animal of the run", Operation.GET_PET, _first, created=True),
    Again("the orders", Operation.STORE_ORDERS, _orders),
    Again("an animal of the run of a status that was not read", Operation.GET_PET, _unlike, created=True),
    Again("an animal of each status that was not read", Operation.GET_PET, _unread),
    Again("the first animal of the pages", Operation.GET_PET, _oldest),
    Again("the last filtered page", Operation.LIST_PETS, _filtered),
    Again("the widest page", Operation.LIST_PETS, _widest),
    Again("the pages of the beginning", Operation.LIST_PETS, _pages),
    Again("the other animals of the run", Operation.GET_PET, _others, created=True),
)
"""Everything that the end asks again, most telling first."""
