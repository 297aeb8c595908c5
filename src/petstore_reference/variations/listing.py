"""Section 4.1: what the document leaves open about the list."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from petstore_reference.behaviour import Behaviour, Override
from petstore_reference.conforming import DEFAULT_LIMIT, MAX_LIMIT
from petstore_reference.messages import Answer, EncodedAnswer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import refused_with, replies, served
from petstore_reference.registry import variation
from petstore_reference.store import STATUSES, Animal

_LIST = (Operation.LIST,)
_BAD_LIMITS = "bad-limit-422 bad-limit-clamped bad-limit-ignored bad-limit-empty-page"
_BAD_FILTERS = "bad-filter-422 bad-filter-ignored bad-filter-empty-page filter-in-any-case"
_ORDERS = "oldest-first by-name by-status random-order"
_CAPPED_AT = (20, 37, 64, 99)
_CAPS = " ".join(("pages-of-50 pages-of-4000-bytes pages-of-any-size", *(f"pages-of-{most}" for most in _CAPPED_AT)))


def _bad_limit(make: Callable[[str], int]) -> Override:
    """A `limit` outside 1 to 100 counts as the number that `make` returns for it."""

    def override(behaviour: Behaviour) -> Behaviour:
        def read(text: str | None) -> int:
            try:
                return behaviour.read_limit(text)
            except Refused:
                return make(text or "")

        return replace(behaviour, read_limit=read)

    return override


def _clamped(text: str) -> int:
    try:
        return max(1, min(MAX_LIMIT, int(text)))
    except ValueError:
        return DEFAULT_LIMIT


def _filter(make: Callable[[str], str | None]) -> Override:
    """A filter outside the three statuses counts as what `make` returns for it; None means no filter."""

    def override(behaviour: Behaviour) -> Behaviour:
        def read(text: str | None) -> str | None:
            try:
                return behaviour.read_filter(text)
            except Refused:
                return make(text or "")

        return replace(behaviour, read_filter=read)

    return override


def _any_case(text: str) -> str:
    if text.lower() not in STATUSES:
        raise Refused(400, "filter_invalid", f"status must be one of {', '.join(STATUSES)}.")
    return text.lower()


def _arranged(make: Callable[[list[Animal]], list[Animal]]) -> Override:
    return lambda behaviour: replace(behaviour, arrange=lambda animals: make(behaviour.arrange(animals)))


def _shuffled(behaviour: Behaviour) -> Behaviour:
    chance = random.Random(1)  # noqa: S311 - not a secret; a run can be repeated
    return _arranged(lambda animals: chance.sample(animals, len(animals)))(behaviour)


def _capped(most: int) -> Override:
    return lambda behaviour: replace(behaviour, read_limit=lambda text: min(most, behaviour.read_limit(text)))


def _capped_each_time(behaviour: Behaviour) -> Behaviour:
    chance = random.Random(1)  # noqa: S311 - not a secret; a run can be repeated
    return replace(
        behaviour, read_limit=lambda text: min(chance.randint(DEFAULT_LIMIT, 40), behaviour.read_limit(text))
    )


def _capped_at_bytes(most: int) -> Override:
    """A page holds as many animals as fit into `most` bytes, but at least 20 if there are that many."""

    def make(answer: Answer, call: ReceivedCall) -> Answer:
        if not isinstance(answer.content, list):
            return answer
        sizes = accumulate(len(json.dumps(pet, ensure_ascii=False).encode()) for pet in answer.content)
        fitting = sum(size <= most for size in sizes)
        return replace(answer, content=answer.content[: max(DEFAULT_LIMIT, fitting)])

    return served(make)


def _cut_first(behaviour: Behaviour) -> Behaviour:
    def select(animals: Sequence[Animal], matches: Callable[[Animal], bool], limit: int) -> Sequence[Animal]:
        return [animal for animal in animals[:limit] if matches(animal)]

    return replace(behaviour, select=select)


def _linked(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
    return reply.having("Link", '</v1/pets?limit=20&cursor=abc>; rel="next"').having("X-Total-Count", "130")


VARIATIONS = [
    variation(
        "bad-limit-422",
        "4.1",
        "An invalid `limit` gets 422.",
        refused_with(422, "limit_invalid"),
        at=_LIST,
        conflicts=_BAD_LIMITS,
    ),
    variation(
        "bad-limit-clamped",
        "4.1",
        "An invalid `limit` counts as the nearest valid one.",
        _bad_limit(_clamped),
        at=_LIST,
        conflicts=_BAD_LIMITS,
    ),
    variation(
        "bad-limit-ignored",
        "4.1",
        "An invalid `limit` is ignored.",
        _bad_limit(lambda text: DEFAULT_LIMIT),
        at=_LIST,
        conflicts=_BAD_LIMITS,
    ),
    variation(
        "bad-limit-empty-page",
        "4.1",
        "An invalid `limit` returns an empty page.",
        _bad_limit(lambda text: 0),
        at=_LIST,
        conflicts=_BAD_LIMITS,
    ),
    variation(
        "bad-filter-422",
        "4.1",
        "An unknown `status` filter gets 422.",
        refused_with(422, "filter_invalid"),
        at=_LIST,
        conflicts=_BAD_FILTERS,
    ),
    variation(
        "bad-filter-ignored",
        "4.1",
        "An unknown `status` filter is ignored.",
        _filter(lambda text: None),
        at=_LIST,
        conflicts=_BAD_FILTERS,
    ),
    variation(
        "bad-filter-empty-page",
        "4.1",
        "An unknown `status` filter matches nothing.",
        _filter(lambda text: text),
        at=_LIST,
        conflicts=_BAD_FILTERS,
    ),
    variation(
        "filter-in-any-case",
        "4.1",
        "The `status` filter accepts any letter case.",
        _filter(_any_case),
        at=_LIST,
        conflicts=_BAD_FILTERS,
    ),
    variation(
        "oldest-first",
        "4.1",
        "The list shows the oldest animals first.",
        _arranged(lambda animals: animals[::-1]),
        at=_LIST,
        conflicts=_ORDERS,
    ),
    variation(
        "by-name",
        "4.1",
        "The list is sorted by name.",
        _arranged(lambda animals: sorted(animals, key=lambda animal: animal.name)),
        at=_LIST,
        conflicts=_ORDERS,
    ),
    variation(
        "by-status",
        "4.1",
        "The list is sorted by status.",
        _arranged(lambda animals: sorted(animals, key=lambda animal: animal.status or "")),
        at=_LIST,
        conflicts=_ORDERS,
    ),
    variation(
        "random-order",
        "4.1",
        "The list has a different order each time.",
        _shuffled,
        at=_LIST,
        conflicts=_ORDERS,
    ),
    variation(
        "pages-of-any-size",
        "4.1",
        "A page holds at most 20 to 40 animals, another number each time.",
        _capped_each_time,
        at=_LIST,
        conflicts=_CAPS,
    ),
    variation("pages-of-50", "4.1", "A page holds at most 50 animals.", _capped(50), at=_LIST, conflicts=_CAPS),
    *(
        variation(
            f"pages-of-{most}",
            "4.1",
            f"A page holds at most {most} animals.",
            _capped(most),
            at=_LIST,
            conflicts=_CAPS,
        )
        for most in _CAPPED_AT
    ),
    variation(
        "pages-of-4000-bytes",
        "4.1",
        "A page holds at most 4,000 bytes or 20 animals, whichever is more.",
        _capped_at_bytes(4_000),
        at=_LIST,
        conflicts=_CAPS,
    ),
    variation("cut-before-filter", "4.1", "The page is cut to `limit` before it is filtered.", _cut_first, at=_LIST),
    variation(
        "linked-pages", "4.1", "Link and X-Total-Count give the next page and the total.", replies(_linked), at=_LIST
    ),
]
