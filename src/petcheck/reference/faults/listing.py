"""Section 4.1: the list, its pages and its filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from petcheck.reference.behaviour import Behaviour, Change, Pet, Site
from petcheck.reference.changes import error
from petcheck.reference.conforming import read_limit
from petcheck.reference.messages import Answer, Call, Operation, Refusal
from petcheck.reference.seam import fault
from petcheck.reference.store import STATUSES, Animal

_LIST = (Operation.LIST,)
_ALL = 1_000_000  # a page without an end


def _enveloped(make: Callable[[list[Pet]], object]) -> Change:
    return lambda behaviour: replace(behaviour, envelope=lambda pets: make(pets))


def _limited(make: Callable[[str | None], int | None]) -> Change:
    """`limit` is what `make` gives for its text; None leaves it to the behaviour."""

    def change(behaviour: Behaviour) -> Behaviour:
        def read(text: str | None) -> int:
            limit = make(text)
            return behaviour.read_limit(text) if limit is None else limit

        return replace(behaviour, read_limit=read)

    return change


def _default(limit: int) -> Change:
    return _limited(lambda text: limit if text is None else None)


def _exact(text: str, limit: int) -> Change:
    return _limited(lambda asked: limit if asked == text else None)


def _refuses_limit(refused: Callable[[int], bool]) -> Change:
    def make(text: str | None) -> int | None:
        if text is not None and refused(read_limit(text)):
            raise Refusal(400, "limit_invalid", "limit is out of range.")
        return None

    return _limited(make)


def _up_to(most: int) -> Change:
    return _limited(
        lambda text: min(int(text), most) if text is not None and text.isdigit() and int(text) > 0 else None
    )


def _answered(when: Callable[[Call], bool], answer: Answer) -> Change:
    """Lists that are asked for in a certain way get a certain answer."""

    def change(behaviour: Behaviour) -> Behaviour:
        def act(call: Call, site: Site, whole: Behaviour) -> Answer:
            return answer if when(call) else behaviour.act(call, site, whole)

        return replace(behaviour, act=act)

    return change


def _when_empty(answer: Answer) -> Change:
    def change(behaviour: Behaviour) -> Behaviour:
        def act(call: Call, site: Site, whole: Behaviour) -> Answer:
            served = behaviour.act(call, site, whole)
            return served if served.content else answer

        return replace(behaviour, act=act)

    return change


def _status_code(status: int) -> Change:
    def change(behaviour: Behaviour) -> Behaviour:
        def act(call: Call, site: Site, whole: Behaviour) -> Answer:
            return replace(behaviour.act(call, site, whole), status=status)

        return replace(behaviour, act=act)

    return change


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
            else [animal for animal in animals[:10] if matches(animal)]
        )

    return replace(behaviour, select=select)


def _filled_up(behaviour: Behaviour) -> Behaviour:
    def select(animals: Sequence[Animal], matches: Callable[[Animal], bool], limit: int) -> Sequence[Animal]:
        return sorted(animals, key=lambda animal: not matches(animal))[:limit]

    return replace(behaviour, select=select)


_REDIRECT = Answer(301, b"", (("Location", "/v1/pets/"),), None)

FAULTS = [
    # a bare array
    *fault(
        "list-in-data",
        "2",
        "The list is inside of `data`.",
        "PETS-1",
        _enveloped(lambda pets: {"data": pets}),
        at=_LIST,
    ),
    *fault(
        "list-in-pets",
        "2",
        "The list is inside of `pets`, with a total.",
        "PETS-1",
        _enveloped(lambda pets: {"pets": pets, "total": len(pets)}),
        at=_LIST,
    ),
    *fault(
        "list-in-items",
        "2",
        "The list is inside of `items`, with a cursor.",
        "PETS-1",
        _enveloped(lambda pets: {"items": pets, "next": None}),
        at=_LIST,
    ),
    *fault(
        "list-by-id",
        "2",
        "The list is an object by id.",
        "PETS-1",
        _enveloped(lambda pets: {str(pet["id"]): pet for pet in pets}),
        at=_LIST,
    ),
    *fault(
        "list-of-ids",
        "2",
        "The list holds ids only.",
        "PETS-1",
        _enveloped(lambda pets: [pet["id"] for pet in pets]),
        at=_LIST,
    ),
    *fault(
        "list-of-rows",
        "2",
        "The list holds rows without field names.",
        "PETS-1",
        _enveloped(lambda pets: [list(pet.values()) for pet in pets]),
        at=_LIST,
    ),
    *fault("list-in-list", "2", "The list is in another array.", "PETS-1", _enveloped(lambda pets: [pets]), at=_LIST),
    *fault(
        "list-with-null",
        "2",
        "The list ends with a null.",
        "PETS-1",
        _enveloped(lambda pets: [*pets, None][-max(1, len(pets)) :]),
        at=_LIST,
    ),
    *fault("list-as-text", "2", "The list is JSON within a JSON string.", "PETS-1", _enveloped(str), at=_LIST),
    *fault(
        "null-for-empty-list",
        "2",
        "A list without animals is null.",
        "PETS-1",
        _when_empty(Answer(200, None)),
        at=_LIST,
        needs="empty-store",
    ),
    *fault(
        "object-for-empty-list",
        "2",
        "A list without animals is an empty object.",
        "PETS-1",
        _when_empty(Answer(200, {})),
        at=_LIST,
        needs="empty-store",
    ),
    # 200
    *fault("206-for-list", "4.1", "A list is answered with 206.", "LIST-1 LIST-2 LIST-6", _status_code(206), at=_LIST),
    *fault(
        "204-for-empty-list",
        "4.1",
        "A list without animals is 204.",
        "LIST-1 LIST-2 LIST-6",
        _when_empty(Answer(204, b"", (), None)),
        at=_LIST,
        needs="empty-store",
    ),
    *fault(
        "404-for-empty-list",
        "4.1",
        "A list without animals is 404.",
        "LIST-1 LIST-2 LIST-6",
        _when_empty(error(404)),
        at=_LIST,
        needs="empty-store",
    ),
    *fault(
        "limit-required",
        "4.1",
        "A list without `limit` is 400.",
        "LIST-1",
        _answered(lambda call: "limit" not in call.query, error(400)),
        at=_LIST,
    ),
    *fault(
        "parameters-required",
        "4.1",
        "A list without any parameter is 400.",
        "LIST-1",
        _answered(lambda call: not call.query, error(400)),
        at=_LIST,
    ),
    *fault(
        "plain-list-404",
        "4.1",
        "A list without any parameter is 404.",
        "LIST-1",
        _answered(lambda call: not call.query, error(404)),
        at=_LIST,
    ),
    *fault(
        "plain-list-crashes",
        "4.1",
        "A list without any parameter is 500.",
        "LIST-1 ERROR-5",
        _answered(lambda call: not call.query, error(500)),
        at=_LIST,
    ),
    *fault(
        "list-redirected",
        "4.1",
        "A list is redirected to a path with a slash.",
        "LIST-1 LIST-2 LIST-6",
        _answered(lambda call: True, _REDIRECT),
        at=_LIST,
    ),
    # limit
    *fault(
        "limit-100-refused", "4.1", "limit=100 is 400.", "LIST-2", _refuses_limit(lambda limit: limit == 100), at=_LIST
    ),
    *fault("limit-1-refused", "4.1", "limit=1 is 400.", "LIST-2", _refuses_limit(lambda limit: limit == 1), at=_LIST),
    *fault(
        "limit-over-50-refused",
        "4.1",
        "A limit over 50 is 400.",
        "LIST-2",
        _refuses_limit(lambda limit: limit > 50),
        at=_LIST,
    ),
    *fault(
        "limit-refused",
        "4.1",
        "Any limit is 400, as an unknown parameter.",
        "LIST-2",
        _refuses_limit(lambda limit: True),
        at=_LIST,
    ),
    *fault(
        "limit-1-422",
        "4.1",
        "limit=1 is 422.",
        "LIST-2",
        _answered(lambda call: call.query.get("limit") == "1", error(422)),
        at=_LIST,
    ),
    *fault(
        "limit-100-crashes",
        "4.1",
        "limit=100 is 500.",
        "LIST-2 ERROR-5",
        _answered(lambda call: call.query.get("limit") == "100", error(500)),
        at=_LIST,
    ),
    *fault(
        "limit-1-crashes",
        "4.1",
        "limit=1 is 500.",
        "LIST-2 ERROR-5",
        _answered(lambda call: call.query.get("limit") == "1", error(500)),
        at=_LIST,
    ),
    *fault("limit-1-gives-2", "4.1", "limit=1 gives 2 animals.", "LIST-3", _exact("1", 2), at=_LIST),
    *fault("limit-1-gives-20", "4.1", "limit=1 is taken for the default.", "LIST-3", _exact("1", 20), at=_LIST),
    *fault(
        "limit-ignored",
        "4.1",
        "A page has 20 animals, whatever limit was asked for.",
        "LIST-3",
        _limited(lambda text: 20),
        at=_LIST,
    ),
    *fault(
        "limit-plus-one",
        "4.1",
        "A page has an animal more than asked for.",
        "LIST-3 LIST-4 LIST-5",
        _limited(lambda text: read_limit(text) + 1),
        at=_LIST,
        needs="big-store",
    ),
    *fault(
        "limit-at-least-10",
        "4.1",
        "A limit below 10 gives 10 animals.",
        "LIST-3",
        _limited(lambda text: max(10, read_limit(text))),
        at=_LIST,
    ),
    *fault(
        "no-paging",
        "4.1",
        "A page holds all animals.",
        "LIST-3 LIST-4 LIST-5",
        _limited(lambda text: _ALL),
        at=_LIST,
        needs="big-store",
    ),
    *fault(
        "limit-100-gives-101",
        "4.1",
        "limit=100 gives 101 animals.",
        "LIST-3 LIST-5",
        _exact("100", 101),
        at=_LIST,
        needs="big-store",
    ),
    *fault("default-10", "4.1", "Without limit a page has 10 animals.", "LIST-4", _default(10), at=_LIST),
    *fault("default-19", "4.1", "Without limit a page has 19 animals.", "LIST-4", _default(19), at=_LIST),
    *fault("default-21", "4.1", "Without limit a page has 21 animals.", "LIST-4", _default(21), at=_LIST),
    *fault("default-25", "4.1", "Without limit a page has 25 animals.", "LIST-4", _default(25), at=_LIST),
    *fault("default-50", "4.1", "Without limit a page has 50 animals.", "LIST-4", _default(50), at=_LIST),
    *fault("default-100", "4.1", "Without limit a page has 100 animals.", "LIST-4", _default(100), at=_LIST),
    *fault(
        "default-all",
        "4.1",
        "Without limit a page has all animals.",
        "LIST-4 LIST-5",
        _default(_ALL),
        at=_LIST,
        needs="big-store",
    ),
    *fault("cap-1000", "4.1", "A limit up to 1,000 is granted.", "LIST-5", _up_to(1000), at=_LIST, needs="big-store"),
    *fault("cap-101", "4.1", "limit=101 is granted.", "LIST-5", _exact("101", 101), at=_LIST, needs="big-store"),
    *fault(
        "limit-zero-gives-all",
        "4.1",
        "limit=0 gives all animals.",
        "LIST-5",
        _exact("0", _ALL),
        at=_LIST,
        needs="big-store",
    ),
    *fault(
        "negative-limit-gives-all",
        "4.1",
        "limit=-1 gives all animals.",
        "LIST-5",
        _exact("-1", _ALL),
        at=_LIST,
        needs="big-store",
    ),
    *fault(
        "negative-limit-cuts-end",
        "4.1",
        "limit=-1 gives all animals but the last.",
        "LIST-5",
        _exact("-1", -1),
        at=_LIST,
        needs="big-store",
    ),
    *fault(
        "limit-text-gives-all",
        "4.1",
        "limit=abc gives all animals.",
        "LIST-5",
        _exact("abc", _ALL),
        at=_LIST,
        needs="big-store",
    ),
    # status as a filter is accepted
    *(
        each
        for status in STATUSES
        for each in fault(
            f"filter-{status}-refused",
            "4.1",
            f"status={status} is 400.",
            "LIST-6",
            _answered(_asks(status), error(400)),
            at=_LIST,
        )
    ),
    *fault("filter-sold-422", "4.1", "status=sold is 422.", "LIST-6", _answered(_asks("sold"), error(422)), at=_LIST),
    *fault(
        "filter-pending-404",
        "4.1",
        "status=pending is 404.",
        "LIST-6",
        _answered(_asks("pending"), error(404)),
        at=_LIST,
    ),
    *fault(
        "filter-sold-crashes",
        "4.1",
        "status=sold is 500.",
        "LIST-6 ERROR-5",
        _answered(_asks("sold"), error(500)),
        at=_LIST,
    ),
    *fault(
        "filter-501",
        "4.1",
        "A filter is 501.",
        "LIST-6 ERROR-5",
        _answered(lambda call: call.query.get("status") in STATUSES, error(501)),
        at=_LIST,
    ),
    *fault(
        "filter-wants-upper-case",
        "4.1",
        "The filter is accepted in upper case only.",
        "LIST-6",
        _answered(lambda call: call.query.get("status") in STATUSES, error(400)),
        at=_LIST,
    ),
    # what a filter lets through
    *fault(
        "filter-ignored", "4.1", "The filter is ignored.", "LIST-7", _matching(lambda animal, status: True), at=_LIST
    ),
    *(
        each
        for status in STATUSES
        for each in fault(
            f"filter-{status}-ignored",
            "4.1",
            f"status={status} is ignored.",
            "LIST-7",
            _filter_ignored_for(status),
            at=_LIST,
        )
    ),
    *fault(
        "filter-negated",
        "4.1",
        "The filter gives all others.",
        "LIST-7",
        _matching(lambda animal, status: animal.status != status),
        at=_LIST,
    ),
    *fault(
        "filter-with-absent",
        "4.1",
        "The filter lets animals without a status through.",
        "LIST-7",
        _matching(lambda animal, status: animal.status in (status, None)),
        at=_LIST,
    ),
    *fault(
        "available-with-pending",
        "4.1",
        "status=available lets pending animals through.",
        "LIST-7",
        _matching(
            lambda animal, status: animal.status == status or (status, animal.status) == ("available", "pending")
        ),
        at=_LIST,
    ),
    *fault(
        "pending-with-sold",
        "4.1",
        "status=pending lets sold animals through.",
        "LIST-7",
        _matching(lambda animal, status: animal.status == status or (status, animal.status) == ("pending", "sold")),
        at=_LIST,
    ),
    *fault(
        "filter-swapped",
        "4.1",
        "Pending and sold are mistaken for each other.",
        "LIST-7",
        _matching(lambda animal, status: animal.status == {"pending": "sold", "sold": "pending"}.get(status, status)),
        at=_LIST,
    ),
    *fault(
        "filter-fills-page", "4.1", "A filtered page is filled up with other animals.", "LIST-7", _filled_up, at=_LIST
    ),
    # what a filter leaves out
    *fault(
        "filter-finds-nothing",
        "4.1",
        "The filter never finds an animal.",
        "LIST-8",
        _matching(lambda animal, status: False),
        at=_LIST,
        needs="small-store",
    ),
    *fault(
        "filter-sold-finds-nothing",
        "4.1",
        "status=sold finds no animal.",
        "LIST-8",
        _matching(lambda animal, status: animal.status == status != "sold"),
        at=_LIST,
        needs="small-store",
    ),
    *fault(
        "filter-drops-first",
        "4.1",
        "The filter leaves out the first match.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[1:][:limit]),
        at=_LIST,
        needs="small-store",
    ),
    *fault(
        "filter-drops-last",
        "4.1",
        "The filter leaves out the last match.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[:limit][:-1]),
        at=_LIST,
        needs="small-store",
    ),
    *fault(
        "filter-one-match",
        "4.1",
        "The filter gives one match only.",
        "LIST-8",
        _selecting(lambda matching, limit: matching[:1]),
        at=_LIST,
        needs="small-store",
    ),
    *fault(
        "filter-first-ten",
        "4.1",
        "Only the first ten animals are filtered, whatever the limit.",
        "LIST-8",
        _first_ten,
        at=_LIST,
        needs="small-store",
    ),
]
