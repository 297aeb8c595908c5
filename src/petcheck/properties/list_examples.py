"""Examples for `GET /pets` (section 4.1): most revealing first, so a cap drops the least useful. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain, product

from petcheck.call import Call, page_call
from petcheck.plan.pages import BETWEEN, another_page, first_pages, page_beside_creations
from petcheck.plan.weaving import Item, fresh, rotated, woven
from petcheck.properties.pool import Cases
from petcheck.spec.figures import (
    AVAILABLE,
    LIMIT_MAX,
    LIMITS_NAMED,
    OPEN_LISTS,
    PENDING,
    SOLD,
    STATUSES,
)
from petcheck.spec.operations import Operation

_LONGEST_QUERY = 400
_STATUS_OR_NONE = (*STATUSES, None)


def listing(seed: int, cases: Cases) -> Iterator[Call]:
    """Limits and filters: the pairs that the document allows, with open ones in between."""
    drawn = random.Random(f"{seed}/list")  # noqa: S311 - repeatable, not secret
    valid = chain(_named_pairs(seed, drawn), cases.coverage(Operation.LIST_PETS, "positive"), pairs(drawn))
    free = chain(_open_lists(cases, seed), cases.random(Operation.LIST_PETS, "negative", seed))
    short = (call for call in free if sum(len(name) + len(value) for name, value in call.query) <= _LONGEST_QUERY)
    # open ones first: what a run that only reads asks, one with few requests left asks too
    yield from fresh(chain(woven(short, valid, 12, 1), woven(valid, short, 24, 3), woven(valid, short, 2**62, 7)))


def _named_pairs(seed: int, drawn: random.Random) -> Iterator[Call]:
    """Every limit in the document, and none, with every status, and none: some fail only together.

    First come two that a run does not ask for anyway: the last filter without a limit, and the widest page of the last
    filter by turns with another pair; ten seeds in a row ask for all. Then comes the page that a run with writes asks
    for beside its creations. Every second one after that has a limit that the document does not name, too: a server may
    know only those that it names.
    """
    # a run asks for the same pages as the next but one
    asked, next_asked = ((*first_pages(one), page_beside_creations(one), _BY_DEFAULT) for one in (seed, seed + 1))
    others = [pair for pair in product(_LIMITS, _STATUS_OR_NONE) if pair not in {*asked, *next_asked, _WIDEST}]
    turns = rotated(others, 0, seed // 2, 1)
    order = (_WIDEST, *turns) if seed % 2 else (*turns, _WIDEST)
    every = dict.fromkeys((_BY_DEFAULT, *order, *next_asked, *asked))
    first, second, *named = (page_call(*pair) for pair in every)
    ranges = rotated(_with_each_status(BETWEEN), 0, seed, 2)
    unnamed = (page_call(drawn.choice(limits), status) for limits, status in ranges)
    yield from (first, second, page_call(*another_page(seed)))
    yield from woven(iter(named), unnamed, len(named) + len(ranges), 1)


_LIMITS = (None, *LIMITS_NAMED)
_BY_DEFAULT, _WIDEST = (None, PENDING), (LIMIT_MAX, AVAILABLE)


def _open_lists(cases: Cases, seed: int) -> Iterator[Call]:
    """Queries that the document leaves open: what servers fail on most, the catalogue's open points, then any.

    Few runs have requests for more than three: a status that is not UTF-8 and, by turns, a negative limit, which many
    databases refuse or take for no limit, beside a limit that a framework takes for a list, or a limit that is not a
    number beside what else careless code fails on. The others begin elsewhere with each seed.
    """
    named = [tuple(query.items()) for query in OPEN_LISTS.values()]
    odd = rotated(_ODD_QUERIES, 0, seed, 2)
    crashing = rotated(_CRASHING, 0, seed // 2, 1)
    second, third = (_NOT_A_NUMBER, crashing[0]) if seed % 2 else (_NEGATIVE, _LIST)
    for query in (second, _NOT_UTF_8, third, _NOT_A_NUMBER, _NEGATIVE, *crashing, *named, *odd):
        yield Call(Operation.LIST_PETS, query=query)
    planned = list(cases.coverage(Operation.LIST_PETS, "negative"))
    yield from sorted(planned, key=lambda call: len(call.query))


_NEGATIVE, _NOT_A_NUMBER, _ZERO, _UNKNOWN = (
    tuple(OPEN_LISTS[name].items()) for name in ("limit-negative", "limit-not-a-number", "limit-zero", "status-unknown")
)
_NOT_UTF_8 = (("status", "\udcff"),)
# Express, PHP and Ruby make a list of what has brackets, and some fail where a name has both forms
_LIST = (("limit[]", "5"), ("status", SOLD), ("status[]", SOLD))
# 32 bits have no room for the fourth
_CRASHING = (
    _ZERO,
    _UNKNOWN,
    (("limit", ""), ("petcheck", "\udcff")),
    (("limit", str(2**31)),),
    (("limit", "5"), ("limit", "7"), ("status", PENDING), ("status", SOLD)),
    (("limit", "1.5"),),
)
_ODD_QUERIES = (
    (("limit", "1000"), ("status", AVAILABLE)),
    (("limit", "20"), ("status", "adopted")),
    (("limit", str(10**23)),),
    (("limit", "²"),),
    (("status", ""),),
    # what every object has, in a lookup of a careless server
    (("status", "constructor"),),
    (("limit", "1e3"), ("status", "__proto__")),
    (("status", "\0"),),
    (("page", "2"), ("limit[]", "5"), ("status[a]", SOLD)),
    (("limit", "1000"),),
)


def pairs(drawn: random.Random) -> Iterator[Call]:
    """Every limit, alone and with every status; each quarter has every limit once and mixes all statuses."""
    limits = list(range(1, LIMIT_MAX + 1))
    drawn.shuffle(limits)
    yield from (page_call(limit, status) for limit, status in _with_each_status(limits))


def _with_each_status(limits: Sequence[Item]) -> Iterator[tuple[Item, str | None]]:
    """All limits as often as there are statuses, each time with another one; neighbours differ in the status."""
    for shift in range(len(_STATUS_OR_NONE)):
        for place, limit in enumerate(limits):
            yield limit, _STATUS_OR_NONE[(place + shift) % len(_STATUS_OR_NONE)]
