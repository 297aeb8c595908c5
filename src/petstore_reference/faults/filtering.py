"""Section 4.1: the filter by status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override
from petstore_reference.messages import ReceivedCall
from petstore_reference.overrides import answered, error
from petstore_reference.registry import page
from petstore_reference.store import STATUSES, Animal


def _matching(matches: Callable[[Animal, str], bool]) -> Override:
    """`matches` decides which animals a filter returns; without a filter all animals are listed."""
    return lambda behaviour: replace(
        behaviour, matches=lambda animal, status: status is None or matches(animal, status)
    )


def _selecting(select: Callable[[Sequence[Animal], int], Sequence[Animal]]) -> Override:
    """`select` chooses the page from the matching animals if the call has a filter."""

    def override(behaviour: Behaviour) -> Behaviour:
        def selected(animals: Sequence[Animal], matches: Callable[[Animal], bool], limit: int) -> Sequence[Animal]:
            matching = [animal for animal in animals if matches(animal)]
            filtered = len(matching) < len(animals)
            return select(matching, limit) if filtered else matching[:limit]

        return replace(behaviour, select=selected)

    return override


def _filter_ignored_for(status: str) -> Override:
    def override(behaviour: Behaviour) -> Behaviour:
        def read(text: str | None) -> str | None:
            return None if text == status else behaviour.read_filter(text)

        return replace(behaviour, read_filter=read)

    return override


def _asks(status: str) -> Callable[[ReceivedCall], bool]:
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


def _without_filter(lists: Callable[[Animal], bool]) -> Override:
    """A page without a filter shows the animals for which `lists` holds."""
    return lambda behaviour: replace(
        behaviour,
        matches=lambda animal, status: lists(animal) if status is None else behaviour.matches(animal, status),
    )


FAULTS = [
    # without a filter
    *page(
        "filter-available-by-default",
        "Without `status`, the list shows only animals that are available.",
        "LIST-8 CREATE-13",
        _without_filter(lambda animal: animal.status == "available"),
        needs="writes",
    ),
    *page(
        "sold-listed-only-with-filter",
        "Without `status`, the list leaves out animals that were sold before the run.",
        "LIST-8",
        _without_filter(lambda animal: animal.status != "sold" or animal.born > 0),
        needs="small-store",
    ),
    # status as a filter is accepted
    *(
        each
        for status in STATUSES
        for each in page(
            f"filter-{status}-refused", f"`status={status}` gets 400.", "LIST-6", answered(_asks(status), error(400))
        )
    ),
    *page("filter-sold-422", "`status=sold` gets 422.", "LIST-6", answered(_asks("sold"), error(422))),
    *page("filter-pending-404", "`status=pending` gets 404.", "LIST-6", answered(_asks("pending"), error(404))),
    *page("filter-sold-crashes", "`status=sold` gets 500.", "LIST-6 ERROR-5", answered(_asks("sold"), error(500))),
    *page(
        "filter-501",
        "Every `status` filter gets 501.",
        "LIST-6 ERROR-5",
        answered(lambda call: call.query.get("status") in STATUSES, error(501)),
    ),
    *page(
        "filter-refused",
        "Every `status` filter gets 400.",
        "LIST-6",
        answered(lambda call: call.query.get("status") in STATUSES, error(400)),
    ),
    # which animals a filter returns
    *page("filter-ignored", "The `status` filter is ignored.", "LIST-7", _matching(lambda animal, status: True)),
    *(
        each
        for status in STATUSES
        for each in page(
            f"filter-{status}-ignored", f"`status={status}` is ignored.", "LIST-7", _filter_ignored_for(status)
        )
    ),
    *page(
        "filter-negated",
        "The filter returns the animals that it should leave out.",
        "LIST-7",
        _matching(lambda animal, status: animal.status != status),
    ),
    *page(
        "filter-includes-animals-without-status",
        "A filtered list includes animals without a status.",
        "LIST-7",
        _matching(lambda animal, status: animal.status in (status, None)),
    ),
    *page(
        "filter-available-includes-pending",
        "`status=available` includes pending animals.",
        "LIST-7",
        _matching(
            lambda animal, status: animal.status == status or (status, animal.status) == ("available", "pending")
        ),
    ),
    *page(
        "filter-pending-includes-sold",
        "`status=pending` includes sold animals.",
        "LIST-7",
        _matching(lambda animal, status: animal.status == status or (status, animal.status) == ("pending", "sold")),
    ),
    *page(
        "filter-swapped",
        "`status=pending` returns sold animals, and `status=sold` pending ones.",
        "LIST-7",
        _matching(lambda animal, status: animal.status == {"pending": "sold", "sold": "pending"}.get(status, status)),
    ),
    *page("filter-fills-page", "A filtered page is filled up with animals of other statuses.", "LIST-7", _filled_up),
    # which animals a filter leaves out
    *page(
        "filter-finds-nothing",
        "A filtered list is always empty.",
        "LIST-8",
        _matching(lambda animal, status: False),
        needs="small-store",
    ),
    *page(
        "filter-sold-finds-nothing",
        "`status=sold` always returns an empty list.",
        "LIST-8",
        _matching(lambda animal, status: animal.status == status != "sold"),
        needs="small-store",
    ),
    *page(
        "filter-drops-first",
        "A filtered list lacks its first animal.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[1:][:limit]),
        needs="small-store",
    ),
    *page(
        "filter-drops-last",
        "A filtered list lacks its last animal.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[:limit][:-1]),
        needs="small-store",
    ),
    *page(
        "filter-one-match",
        "A filtered list holds at most one animal.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[:1]),
        needs="small-store",
    ),
    *page(
        "filter-first-ten",
        "The filter looks only at the first ten animals.",
        "LIST-8",
        _first_ten,
        needs="small-store",
    ),
]
