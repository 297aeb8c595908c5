"""What a run asks again at its end, where expiry, rollback, eviction, stale fronts and replayed requests show. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from petcheck.exchange import Call, page_call, read_call
from petcheck.judging.creations import Creation, creations_in, reads_in
from petcheck.judging.judgement import Record
from petcheck.judging.pages import animals_in, lists_in
from petcheck.spec.figures import LIMIT_MAX
from petcheck.spec.operations import Operation

_LARGE = 2**53
_SHARE, _MOST = 10, 10


def end_share(requests: int) -> int:
    """How many of a run's requests are kept for its end: the last tenth, at most ten."""
    return min(requests // _SHARE, _MOST)


def ending(record: Record, *, reads: bool) -> tuple[Call, ...]:
    """The requests of the end, most telling first; without GETs of animals unless `reads`.

    They are the widest page, the newest, the first and the oddest animal of the run, an id that was not found, the
    oldest animal of the pages, the orders, and the pages that were asked for first.
    """
    return tuple(dict.fromkeys(call for call in _ending(record) if reads or call.operation is not Operation.GET_PET))


def _ending(record: Record) -> Iterator[Call]:
    mine = creations_in(record)
    if mine:
        yield page_call(LIMIT_MAX)
        yield read_call(mine[-1].id)
    yield from [read_call(number) for number, exchange in reads_in(record) if exchange.status == 404][:1]
    if mine:
        yield read_call(mine[0].id)
        yield read_call(max(mine, key=_oddity).id)
    made = {one.id for one in mine}
    yield from [read_call(number) for number in animals_in(record) if number not in made][:1]
    yield Call(Operation.STORE_ORDERS)
    asked = [exchange.request.call for exchange in lists_in(record) if exchange.status == 200]
    filtered = [call for call in asked if dict(call.query).get("status")]
    yield from filtered[-1:]
    yield page_call(LIMIT_MAX)
    yield from asked
    yield from (read_call(one.id) for one in mine)


def _oddity(one: Creation) -> tuple[bool, bool, int]:
    """How likely a store is to keep an animal badly; of equal ones, the later."""
    sent = one.exchange.request.parsed.value
    name, category = (sent.get("name"), sent.get("categoryId")) if isinstance(sent, dict) else (None, None)
    odd_name = not (isinstance(name, str) and name.isascii() and name.isprintable())
    return odd_name, isinstance(category, int) and abs(category) > _LARGE, one.exchange.index
