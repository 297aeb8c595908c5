"""Section 4.1: what the document leaves open about the list."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from petcheck.reference.behaviour import Behaviour, Change
from petcheck.reference.changes import refused_with, replies
from petcheck.reference.conforming import DEFAULT_LIMIT, MAX_LIMIT
from petcheck.reference.messages import Call, Operation, Refusal, Reply
from petcheck.reference.seam import variation
from petcheck.reference.store import STATUSES, Animal

_LIST = (Operation.LIST,)
_BAD_LIMITS = "bad-limit-422 bad-limit-clamped bad-limit-ignored bad-limit-empty-page"
_BAD_FILTERS = "bad-filter-422 bad-filter-ignored bad-filter-empty-page filter-in-any-case"
_ORDERS = "oldest-first by-name by-status random-order"
_CAPS = "pages-of-50 pages-of-10"


def _bad_limit(make: Callable[[str], int]) -> Change:
    """A `limit` that is none from 1 to 100 counts as what `make` gives for it."""

    def change(behaviour: Behaviour) -> Behaviour:
        def read(text: str | None) -> int:
            try:
                return behaviour.read_limit(text)
            except Refusal:
                return make(text or "")

        return replace(behaviour, read_limit=read)

    return change


def _clamped(text: str) -> int:
    try:
        return max(1, min(MAX_LIMIT, int(text)))
    except ValueError:
        return DEFAULT_LIMIT


def _filter(make: Callable[[str], str | None]) -> Change:
    """A status as filter that is none of the three counts as what `make` gives for it, None: as no filter."""

    def change(behaviour: Behaviour) -> Behaviour:
        def read(text: str | None) -> str | None:
            try:
                return behaviour.read_filter(text)
            except Refusal:
                return make(text or "")

        return replace(behaviour, read_filter=read)

    return change


def _any_case(text: str) -> str:
    if text.lower() not in STATUSES:
        raise Refusal(400, "filter_invalid", "status is none of the three.")
    return text.lower()


def _arranged(make: Callable[[list[Animal]], list[Animal]]) -> Change:
    return lambda behaviour: replace(behaviour, arrange=lambda animals: make(behaviour.arrange(animals)))


def _capped(most: int) -> Change:
    return lambda behaviour: replace(behaviour, read_limit=lambda text: min(most, behaviour.read_limit(text)))


def _cut_first(behaviour: Behaviour) -> Behaviour:
    def select(animals: Sequence[Animal], matches: Callable[[Animal], bool], limit: int) -> Sequence[Animal]:
        return [animal for animal in animals[:limit] if matches(animal)]

    return replace(behaviour, select=select)


def _linked(reply: Reply, call: Call) -> Reply:
    return reply.having("Link", '</v1/pets?limit=20&cursor=abc>; rel="next"').having("X-Total-Count", "130")


VARIATIONS = [
    variation(
        "bad-limit-422",
        "4.1",
        "A bad limit is 422.",
        refused_with(422, "limit_invalid"),
        at=_LIST,
        conflicts=_BAD_LIMITS,
    ),
    variation(
        "bad-limit-clamped",
        "4.1",
        "A bad limit counts as the next good one.",
        _bad_limit(_clamped),
        at=_LIST,
        conflicts=_BAD_LIMITS,
    ),
    variation(
        "bad-limit-ignored",
        "4.1",
        "A bad limit counts as none.",
        _bad_limit(lambda text: DEFAULT_LIMIT),
        at=_LIST,
        conflicts=_BAD_LIMITS,
    ),
    variation(
        "bad-limit-empty-page",
        "4.1",
        "A bad limit gives an empty page.",
        _bad_limit(lambda text: 0),
        at=_LIST,
        conflicts=_BAD_LIMITS,
    ),
    variation(
        "bad-filter-422",
        "4.1",
        "An unknown status is 422.",
        refused_with(422, "filter_invalid"),
        at=_LIST,
        conflicts=_BAD_FILTERS,
    ),
    variation(
        "bad-filter-ignored",
        "4.1",
        "An unknown status counts as none.",
        _filter(lambda text: None),
        at=_LIST,
        conflicts=_BAD_FILTERS,
    ),
    variation(
        "bad-filter-empty-page",
        "4.1",
        "An unknown status matches nothing.",
        _filter(lambda text: text),
        at=_LIST,
        conflicts=_BAD_FILTERS,
    ),
    variation(
        "filter-in-any-case",
        "4.1",
        "The filter is taken in any case.",
        _filter(_any_case),
        at=_LIST,
        conflicts=_BAD_FILTERS,
    ),
    variation(
        "oldest-first",
        "4.1",
        "The oldest animals come first.",
        _arranged(lambda animals: animals[::-1]),
        at=_LIST,
        conflicts=_ORDERS,
    ),
    variation(
        "by-name",
        "4.1",
        "Animals come by name.",
        _arranged(lambda animals: sorted(animals, key=lambda animal: animal.name)),
        at=_LIST,
        conflicts=_ORDERS,
    ),
    variation(
        "by-status",
        "4.1",
        "Animals come by status.",
        _arranged(lambda animals: sorted(animals, key=lambda animal: animal.status or "")),
        at=_LIST,
        conflicts=_ORDERS,
    ),
    variation(
        "random-order",
        "4.1",
        "Animals come in another order each time.",
        _arranged(lambda animals: random.sample(animals, len(animals))),
        at=_LIST,
        conflicts=_ORDERS,
    ),
    variation("pages-of-50", "4.1", "A page never has more than 50 animals.", _capped(50), at=_LIST, conflicts=_CAPS),
    variation("pages-of-10", "4.1", "A page never has more than 10 animals.", _capped(10), at=_LIST, conflicts=_CAPS),
    variation("cut-before-filter", "4.1", "The page is cut to the limit before it is filtered.", _cut_first, at=_LIST),
    variation("linked-pages", "4.1", "Headers tell of the next page and the total.", replies(_linked), at=_LIST),
]
