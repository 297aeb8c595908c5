"""The pages of animals in the recorded exchanges, and which of them show the whole store."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile
from math import inf

from petcheck.call import Call, page_call
from petcheck.exchange import Animal, Exchange, Page
from petcheck.grouping import grouped
from petcheck.json_values import integer
from petcheck.judging.decision import Proof
from petcheck.judging.judgement import Problem, body
from petcheck.judging.matchers import answer_text
from petcheck.judging.once import Once, left_out_of
from petcheck.spec.figures import LIMIT_MAX
from petcheck.spec.operations import Operation

_POPULATE = f"use --populate {LIMIT_MAX + 1} with --allow-writes."
LAG_S = 10.0
"""What a server shows may lag by this many seconds, because of caches, replicas or a filter's index."""
SMALLEST_CAP = 20
_ROOM_BYTES = 1_000  # more than an animal takes up on a page


@dataclass(frozen=True, slots=True)
class Sight:
    """One animal as one answer shows it; `place` is where a page lists it."""

    exchange: Exchange
    animal: Animal
    place: int | None = None

    def proof(self, problem: Problem | None = None) -> Proof:
        """The exchange as proof; its part is the animal, or the place of `problem` in it."""
        steps = () if self.place is None else (self.place,)
        return Proof(self.exchange, body(*steps) if problem is None else problem.below(*steps).part)


def page_in_words(exchange: Exchange) -> str:
    """The answer to a request for a page, in a few words."""
    page = exchange.page
    if page is None:
        return answer_text(exchange)
    return f"{answer_text(exchange)}, {page.size} animal{'s' * (page.size != 1)}"


def pages_in(exchanges: Iterable[Exchange]) -> Sequence[Page]:
    """Every page in a record."""
    return [exchange.page for exchange in exchanges if exchange.page is not None]


def animals_in(exchanges: Iterable[Exchange]) -> Mapping[int, Animal]:
    """Every animal that a page has shown, by id, as the latest page shows it."""
    return {number: sight.animal for page in pages_in(exchanges) for number, sight in sights_in(page.exchange)}


def older_in(exchanges: Iterable[Exchange]) -> frozenset[int]:
    """The ids of the animals that pages show before the first POST is sent: no POST of these exchanges created them."""
    every = list(exchanges)
    first = min((one.sent for one in every if one.request.operation is Operation.CREATE_PET), default=inf)
    return frozenset(animals_in(one for one in every if one.finished <= first))


def created_in(exchanges: Iterable[Exchange]) -> Mapping[int, Exchange]:
    """The POSTs that returned 201, by the id of the animal in the response."""
    return {
        number: exchange
        for exchange in exchanges
        if exchange.request.operation is Operation.CREATE_PET and exchange.status == 201
        for number in shown_in(exchange)
    }


# ---- what was asked


def lists_in(record: Iterable[Exchange]) -> Sequence[Exchange]:
    """The requests to `GET /pets` with the valid key."""
    return [e for e in record if e.request.operation is Operation.LIST_PETS and e.request.has_valid_key]


def asked_with(record: Iterable[Exchange], *query: tuple[str, str]) -> Sequence[Exchange]:
    """Those with exactly these parameters."""
    return _by_query(record).get(query, ())


def pages_of(record: Iterable[Exchange], call: Call) -> Sequence[Page]:
    """The pages that a call has returned."""
    return pages_in(asked_with(record, *call.query))


def _find_by_query(record: Iterable[Exchange]) -> Mapping[tuple[tuple[str, str], ...], Sequence[Exchange]]:
    return grouped((exchange.request.query, exchange) for exchange in lists_in(record))


_by_query = Once(_find_by_query)


def ids_of_status(page: Page, status: str) -> set[int]:
    """The ids of the animals of a page that have a status."""
    found = (integer(animal.get("id")) for animal in page.animals if animal.get("status") == status)
    return {number for number in found if number is not None}


def place_of(page: Page, number: int) -> int:
    """The position of the animal with an id on a page that shows it."""
    return next(place for place, animal in page.placed if integer(animal.get("id")) == number)


# ---- what is known


def known_in(record: Iterable[Exchange]) -> Mapping[int, Animal]:
    """Every animal that a page or a 201 has shown, by id."""
    created = {number: animal for number, post in created_in(record).items() if (animal := post.object) is not None}
    return {**created, **animals_in(record)}


def more(record: Iterable[Exchange]) -> str:
    """What the user can do about too few known animals; if none is known, the list may be broken."""
    if known_in(record):
        return f" Add animals to the store, or {_POPULATE}"
    if any(page.size for page in pages_in(record)):
        return " The animals that pages show have no `id` that is an int64; see PET-1."
    return f" If the store is empty, add animals, or {_POPULATE}"


def _behind_in(record: Iterable[Exchange]) -> Callable[[Page], int]:
    """For a page, how many known animals it could have shown: those that existed then and that its filter selects."""
    made = created_in(record)
    since: dict[str | None, list[float]] = {}
    for number, animal in known_in(record).items():
        status = animal.get("status")
        for one in (None, status) if isinstance(status, str) else (None,):
            since.setdefault(one, []).append(made[number].finished if number in made else -inf)
    for times in since.values():
        times.sort()
    return lambda page: bisect_right(since.get(page.status, ()), page.exchange.sent)


behind_in = Once(_behind_in)


def last_created(record: Iterable[Exchange]) -> float:
    """When the latest POST that created an animal was answered, in monotonic seconds; minus infinity without one."""
    return max((post.finished for post in created_in(record).values()), default=-inf)


# ---- what a page proves


def widest_with_room(record: Iterable[Exchange]) -> Page | None:
    """The latest answer to the longest unfiltered request (section 4.1); None if it has no room for more animals."""
    latest = pages_of(record, page_call(LIMIT_MAX))[-1:]
    return latest[0] if latest and latest[0].has_room else None


def _unfiltered(record: Iterable[Exchange]) -> Sequence[Page]:
    """The pages without a filter; one without `limit` may be short because its default is wrong."""
    return [page for page in pages_in(record) if not page.filtered and page.limit is not None]


def _by_length(record: Iterable[Exchange]) -> Sequence[tuple[Page, set[int]]]:
    return [(page, set(page.ids)) for page in sorted(_unfiltered(record), key=lambda page: -page.size)]


_longest_first = Once(_by_length)


def containing(record: Iterable[Exchange], page: Page) -> Iterator[Page]:
    """The longer unfiltered pages that contain a page, the longest first.

    If it is unfiltered and has room, it was the whole store then, unless caps vary.
    """
    ids = set(page.ids)
    longer = takewhile(lambda other: other[0].size > page.size, _longest_first(record))
    return (other for other, others in longer if ids <= others)


def _whole_stores(record: Iterable[Exchange]) -> Sequence[Page]:
    """The pages that are known to hold every animal of the store (section 4.1), in their order.

    Each is unfiltered and shorter than its `limit`. A server may cap pages at 20 animals or more, by number or
    by bytes, so the page must hold fewer than 20 animals, or a longer unfiltered page must contain it. Then no earlier
    page may have shown more. Where a page is cut and another is longer, caps vary: one of two replicas may cap its
    pages and the other not, or each answer has its own cap. Then only pages of fewer than 20 animals are certain. A
    longer page that goes on where the shorter one ends, with animals that the run did not create, may show that too.
    """
    unfiltered = _unfiltered(record)
    first: dict[int, float] = {}
    for page in sorted(unfiltered, key=lambda page: page.exchange.finished):
        for number in page.ids:
            first.setdefault(number, page.exchange.finished)
    times = sorted(first.values())
    # not an animal of another client whose id the target gave to one of the run
    made = {
        number
        for number, post in created_in((*record, *left_out_of(record))).items()
        if first.get(number, inf) > post.sent
    }
    of_others = sorted(time for number, time in first.items() if number not in made)

    def lacks_one(page: Page, shown: Sequence[float], ids: Iterable[int]) -> bool:
        """Whether an earlier page had shown an animal that is not among the `ids` of this one."""
        return bisect_right(shown, page.exchange.sent) > sum(first[number] <= page.exchange.sent for number in ids)

    long = (page for page in unfiltered if page.has_room and page.size >= SMALLEST_CAP)
    longest = _longest_first(record)
    shorter = (page for page in long if page.size < longest[0][0].size)
    caps_vary = any(lacks_one(page, of_others, set(page.ids) - made) for page in shorter)

    def goes_on(page: Page, longer: Page) -> bool:
        """Whether a longer page has more after the last animal of this one than what the run created.

        Where the order varies, nothing comes after another.
        """
        after = longer.ids[longer.ids.index(page.ids[-1]) + 1 :]
        return not made >= set(after) and not order_varies(record)

    def is_whole(page: Page) -> bool:
        # an item without an id cannot be distinguished from another
        if not page.has_room or len(page.ids) < page.size:
            return False
        if page.size < SMALLEST_CAP:
            return True
        if caps_vary:
            return False
        holds_it = any(not goes_on(page, longer) for longer in containing(record, page))
        return holds_it and not lacks_one(page, times, set(page.ids))

    return [page for page in unfiltered if is_whole(page)]


whole_stores = Once(_whole_stores)


def _order_varies(record: Iterable[Exchange]) -> bool:
    """Whether a page lists animals in another order than the page before: then each answer may have its own order, and
    a cut leaves out others each time.
    """
    for before, page in pairwise(pages_in(record)):
        # an id may come twice, which PET-5 judges
        one, other = dict.fromkeys(before.ids), dict.fromkeys(page.ids)
        if [number for number in one if number in other] != [number for number in other if number in one]:
            return True
    return False


order_varies = Once(_order_varies)


def that_would_show(record: Iterable[Exchange], status: str | None) -> Sequence[Page]:
    """The pages that would show an animal stored before with that status (None: no status), in their order.

    Each is the whole store, or is filtered by that status and not full. What a filtered page leaves out is not a
    fault, since a server may apply the limit before the filter: use `whole_stores` to judge that. A page that leaves
    out an animal of the run proves nothing about another one.
    """
    pages = pages_in(record)
    whole = {page.exchange.index for page in whole_stores(record)}
    heavier = sorted(pages, key=_weight)
    weights = [*map(_weight, heavier)]
    # the most animals of the pages from each on
    longest = [*accumulate((page.size for page in reversed(heavier)), max)][::-1]

    def is_cut(page: Page) -> bool:
        """Whether a cap, by number or by bytes, may have cut it: no page with room for one more shows another."""
        place = bisect_left(weights, _weight(page) + _ROOM_BYTES)
        return page.size >= SMALLEST_CAP and (place == len(longest) or longest[place] <= page.size)

    seen = seen_in(record)
    made = {n: post for n, post in created_in(record).items() if seen[n][-1].animal.get("status") == status}

    def leaves_out(page: Page) -> bool:
        """Whether it does not show an animal of that status that the run had created."""
        return any(post.finished <= page.exchange.sent and number not in page.ids for number, post in made.items())

    def is_certain(page: Page) -> bool:
        """Whether a filtered page would show it."""
        return page.by_status == status and page.has_room and not is_cut(page) and not leaves_out(page)

    return [page for page in pages if page.exchange.index in whole or (status is not None and is_certain(page))]


def _weight(page: Page) -> int:
    return len(page.exchange.heard.body)


def known_since(exchanges: Iterable[Exchange], ids: Iterable[int], until: float = inf) -> float:
    """The monotonic time in seconds at which a page, a 200 or a 201 had shown all of these animals.

    A difference between answers about them counts `LAG_S` later. Animals that were never shown are ignored, and those
    that were not by the time `until`; minus infinity if none was shown.
    """
    seen = seen_in(exchanges)
    first = (seen[number][0].exchange.finished for number in ids if number in seen)
    return max((since for since in first if since <= until), default=-inf)


def status_known_since(exchanges: Iterable[Exchange], number: int, status: str) -> float:
    """The monotonic time in seconds since which each sight of an animal has had that status; infinity if none has."""
    seen = seen_in(exchanges).get(number, ())
    other = max((one.exchange.finished for one in seen if one.animal.get("status") != status), default=-inf)
    same = (one.exchange for one in seen if one.animal.get("status") == status)
    return min((exchange.finished for exchange in same if exchange.sent >= other), default=inf)


def _find_seen_in(exchanges: Iterable[Exchange]) -> Mapping[int, Sequence[Sight]]:
    """Every sight of every animal on a page, in a 200 or in a 201, by id, in the order in which they came."""
    by_end = sorted(exchanges, key=lambda exchange: exchange.finished)
    return grouped(pair for exchange in by_end for pair in sights_in(exchange))


seen_in = Once(_find_seen_in)


def _find_sights_in(exchange: Exchange) -> Sequence[tuple[int, Sight]]:
    """Every animal that has an id on a page, in a 200 or in a 201, and that id."""
    placed: Iterable[tuple[int | None, Animal]] = ()
    if exchange.page is not None:
        placed = exchange.page.placed
    elif exchange.status in (200, 201) and exchange.object is not None:
        placed = ((None, exchange.object),)
    sights = (Sight(exchange, animal, place) for place, animal in placed)
    return [(number, sight) for sight in sights if (number := integer(sight.animal.get("id"))) is not None]


sights_in = Once(_find_sights_in)


def shown_in(exchange: Exchange) -> Sequence[int]:
    """The ids of the animals that a page, a 200 or a 201 shows."""
    return [number for number, _ in sights_in(exchange)]


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
