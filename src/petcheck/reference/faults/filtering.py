"""Section 4.1: the filter by status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from petcheck.reference.behaviour import Behaviour, Change
from petcheck.reference.changes import answered, error
from petcheck.reference.messages import Call, Operation
from petcheck.reference.seam import fault
from petcheck.reference.store import STATUSES, Animal

page = partial(fault, section="4.1", at=(Operation.LIST,))


def _matching(matches: Callable[[Animal, str], bool]) -> Change:
    """A filter lets through what `matches` says; without one all animals are listed."""
    return lambda behaviour: replace(
        behaviour, matches=lambda animal, status: status is None or matches(animal, status)
    )


def _selecting(select: Callable[[Sequence[Animal], int], Sequence[Animal]]) -> Change:
    """Of the animals that match, a page holds what `select` gives, where a filter is set."""

    def change(behaviour: Behaviour) -> Behaviour:
        def selected(animals: Sequence[Animal], matches: Callable[[Animal], bool], limit: int) -> Sequence[Animal]:
            matching = [animal for animal in animals if matches(animal)]
            filtered = len(matching) < len(animals)
            return select(matching, limit) if filtered else matching[:limit]

        return replace(behaviour, select=selected)

    return change


def _filter_ignored_for(status: str) -> Change:
    def change(behaviour: Behaviour) -> Behaviour:
        def read(text: str | None) -> str | None:
            return None if text == status else behaviour.read_filter(text)

        return replace(behaviour, read_filter=read)

    return change


def _asks(status: str) -> Callable[[Call], bool]:
    return lambda call: call.query.get("status") == status


def _first_ten(behaviour: Behaviour) -> Behaviour:
    def select(animals: Sequence[Animal], matches: Callable[[Animal], bool], limit: int) -> Sequence[Animal]:
        matching = [animal for animal in animals if matches(animal)]
        return (
            matching[:limit]
            if len(matching) == len(animals)
            else [animal for animal in animals[:10] if matches(animal)][:limit]
        )

    return replace(behaviour, select=select)


def _filled_up(behaviour: Behaviour) -> Behaviour:
    def select(animals: Sequence[Animal], matches: Callable[[Animal], bool], limit: int) -> Sequence[Animal]:
        return sorted(animals, key=lambda animal: not matches(animal))[:limit]

    return replace(behaviour, select=select)


FAULTS = [
    # status as a filter is accepted
    *(
        each
        for status in STATUSES
        for each in page(
            f"filter-{status}-refused", f"status={status} is 400.", "LIST-6", answered(_asks(status), error(400))
        )
    ),
    *page("filter-sold-422", "status=sold is 422.", "LIST-6", answered(_asks("sold"), error(422))),
    *page("filter-pending-404", "status=pending is 404.", "LIST-6", answered(_asks("pending"), error(404))),
    *page("filter-sold-crashes", "status=sold is 500.", "LIST-6 ERROR-5", answered(_asks("sold"), error(500))),
    *page(
        "filter-501",
        "A filter is 501.",
        "LIST-6 ERROR-5",
        answered(lambda call: call.query.get("status") in STATUSES, error(501)),
    ),
    *page(
        "filter-wants-upper-case",
        "The filter is accepted in upper case only.",
        "LIST-6",
        answered(lambda call: call.query.get("status") in STATUSES, error(400)),
    ),
    # what a filter lets through
    *page("filter-ignored", "The filter is ignored.", "LIST-7", _matching(lambda animal, status: True)),
    *(
        each
        for status in STATUSES
        for each in page(
            f"filter-{status}-ignored", f"status={status} is ignored.", "LIST-7", _filter_ignored_for(status)
        )
    ),
    *page(
        "filter-negated",
        "The filter gives all others.",
        "LIST-7",
        _matching(lambda animal, status: animal.status != status),
    ),
    *page(
        "filter-with-absent",
        "The filter lets animals without a status through.",
        "LIST-7",
        _matching(lambda animal, status: animal.status in (status, None)),
    ),
    *page(
        "available-with-pending",
        "status=available lets pending animals through.",
        "LIST-7",
        _matching(
            lambda animal, status: animal.status == status or (status, animal.status) == ("available", "pending")
        ),
    ),
    *page(
        "pending-with-sold",
        "status=pending lets sold animals through.",
        "LIST-7",
        _matching(lambda animal, status: animal.status == status or (status, animal.status) == ("pending", "sold")),
    ),
    *page(
        "filter-swapped",
        "Pending and sold are mistaken for each other.",
        "LIST-7",
        _matching(lambda animal, status: animal.status == {"pending": "sold", "sold": "pending"}.get(status, status)),
    ),
    *page("filter-fills-page", "A filtered page is filled up with other animals.", "LIST-7", _filled_up),
    # what a filter leaves out
    *page(
        "filter-finds-nothing",
        "The filter never finds an animal.",
        "LIST-8",
        _matching(lambda animal, status: False),
        needs="small-store",
    ),
    *page(
        "filter-sold-finds-nothing",
        "status=sold finds no animal.",
        "LIST-8",
        _matching(lambda animal, status: animal.status == status != "sold"),
        needs="small-store",
    ),
    *page(
        "filter-drops-first",
        "The filter leaves out the first match.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[1:][:limit]),
        needs="small-store",
    ),
    *page(
        "filter-drops-last",
        "The filter leaves out the last match.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[:limit][:-1]),
        needs="small-store",
    ),
    *page(
        "filter-one-match",
        "The filter gives one match only.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[:1]),
        needs="small-store",
    ),
    *page(
        "filter-first-ten",
        "Only the first ten animals are filtered, whatever the limit.",
        "LIST-8",
        _first_ten,
        needs="small-store",
    ),
]
