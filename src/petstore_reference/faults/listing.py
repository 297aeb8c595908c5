"""Section 4.1: the list, and how many animals a page holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from petstore_reference.behaviour import Behaviour, Override, Pet, ServerState
from petstore_reference.conforming import read_limit
from petstore_reference.messages import Answer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import answered, error, with_status_code
from petstore_reference.registry import fault, page

shape = partial(fault, section="2", at=(Operation.LIST,))

UNLIMITED = 1_000_000  # no page limit


def _enveloped(make: Callable[[list[Pet]], object]) -> Override:
    return lambda behaviour: replace(behaviour, envelope=make)


def _limited(make: Callable[[str | None], int | None]) -> Override:
    """`make` reads the text of `limit`; if it returns None, the behaviour reads it."""

    def override(behaviour: Behaviour) -> Behaviour:
        def read(text: str | None) -> int:
            limit = make(text)
            return behaviour.read_limit(text) if limit is None else limit

        return replace(behaviour, read_limit=read)

    return override


def _default(limit: int) -> Override:
    return _limited(lambda text: limit if text is None else None)


def _exact(text: str, limit: int) -> Override:
    return _limited(lambda asked: limit if asked == text else None)


def _refuses_limit(refused: Callable[[int], bool]) -> Override:
    def make(text: str | None) -> int | None:
        if text is not None and refused(read_limit(text)):
            raise Refused(400, "limit_invalid", "limit is too high or too low.")
        return None

    return _limited(make)


def _up_to(most: int) -> Override:
    return _limited(
        lambda text: min(int(text), most) if text is not None and text.isdigit() and int(text) > 0 else None
    )


def _when_empty(answer: Answer) -> Override:
    def override(behaviour: Behaviour) -> Behaviour:
        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            served = behaviour.act(call, state, whole)
            return served if served.content else answer

        return replace(behaviour, act=act)

    return override


_REDIRECT = Answer(301, b"", (("Location", "/v1/pets/"),), None)

FAULTS = [
    # a bare array
    *shape("list-in-data", "The list is wrapped in `data`.", "PETS-1", _enveloped(lambda pets: {"data": pets})),
    *shape(
        "list-in-pets",
        "The list is wrapped in `pets`, with a total.",
        "PETS-1",
        _enveloped(lambda pets: {"pets": pets, "total": len(pets)}),
    ),
    *shape(
        "list-in-items",
        "The list is wrapped in `items`, with a cursor.",
        "PETS-1",
        _enveloped(lambda pets: {"items": pets, "next": None}),
    ),
    *shape(
        "list-by-id",
        "The list is an object whose keys are the ids.",
        "PETS-1",
        _enveloped(lambda pets: {str(pet["id"]): pet for pet in pets}),
    ),
    *shape(
        "list-of-ids", "The list holds only the ids.", "PETS-1", _enveloped(lambda pets: [pet["id"] for pet in pets])
    ),
    *shape(
        "list-of-rows",
        "The list holds arrays of values without field names.",
        "PETS-1",
        _enveloped(lambda pets: [list(pet.values()) for pet in pets]),
    ),
    *shape("list-in-list", "The list is inside another array.", "PETS-1", _enveloped(lambda pets: [pets])),
    *shape(
        "list-with-null",
        "The list ends with null.",
        "PETS-1",
        _enveloped(lambda pets: [*pets, None][-max(1, len(pets)) :]),
    ),
    *shape("list-as-text", "The list is a string instead of an array.", "PETS-1", _enveloped(str)),
    *shape(
        "null-for-empty-list",
        "An empty list is null.",
        "PETS-1",
        _when_empty(Answer(200, None)),
        needs="empty-store reading",
    ),
    *shape(
        "object-for-empty-list",
        "An empty list is an empty object.",
        "PETS-1",
        _when_empty(Answer(200, {})),
        needs="empty-store reading",
    ),
    # 200
    *page("206-for-list", "`GET /pets` returns 206.", "LIST-1", with_status_code(206)),
    *page(
        "204-for-empty-list",
        "`GET /pets` returns 204 instead of an empty list.",
        "LIST-1",
        _when_empty(Answer(204, b"", (), None)),
        needs="empty-store reading",
    ),
    *page(
        "404-for-empty-list",
        "`GET /pets` returns 404 instead of an empty list.",
        "LIST-1",
        _when_empty(error(404)),
        needs="empty-store reading",
    ),
    *page(
        "limit-required",
        "`GET /pets` without `limit` returns 400.",
        "LIST-1",
        answered(lambda call: "limit" not in call.query, error(400)),
    ),
    *page(
        "parameters-required",
        "`GET /pets` without parameters returns 400.",
        "LIST-1",
        answered(lambda call: not call.query, error(400)),
    ),
    *page(
        "plain-list-404",
        "`GET /pets` without parameters returns 404.",
        "LIST-1",
        answered(lambda call: not call.query, error(404)),
    ),
    *page(
        "plain-list-crashes",
        "`GET /pets` without parameters returns 500.",
        "LIST-1 ERROR-5",
        answered(lambda call: not call.query, error(500)),
    ),
    *page(
        "list-redirected",
        "`GET /pets` redirects to the path with a slash at its end.",
        "LIST-1",
        answered(lambda call: True, _REDIRECT),
    ),
    # limit
    *page("limit-100-refused", "`limit=100` gets 400.", "LIST-2", _refuses_limit(lambda limit: limit == 100)),
    *page("limit-1-refused", "`limit=1` gets 400.", "LIST-2", _refuses_limit(lambda limit: limit == 1)),
    *page("limit-over-50-refused", "A `limit` over 50 gets 400.", "LIST-2", _refuses_limit(lambda limit: limit > 50)),
    *page("limit-refused", "Every `limit` gets 400.", "LIST-2", _refuses_limit(lambda limit: True)),
    *page(
        "limit-1-422",
        "`limit=1` gets 422.",
        "LIST-2",
        answered(lambda call: call.query.get("limit") == "1", error(422)),
    ),
    *page(
        "limit-100-crashes",
        "`limit=100` gets 500.",
        "LIST-2 ERROR-5",
        answered(lambda call: call.query.get("limit") == "100", error(500)),
    ),
    *page(
        "limit-1-crashes",
        "`limit=1` gets 500.",
        "LIST-2 ERROR-5",
        answered(lambda call: call.query.get("limit") == "1", error(500)),
    ),
    *page("limit-1-gives-2", "`limit=1` returns 2 animals.", "LIST-3", _exact("1", 2)),
    *page("limit-1-gives-20", "`limit=1` returns 20 animals.", "LIST-3", _exact("1", 20)),
    *page("limit-ignored", "A page holds 20 animals, whatever the `limit`.", "LIST-3", _limited(lambda text: 20)),
    *page(
        "limit-plus-one",
        "A page holds one animal more than `limit`.",
        "LIST-3 LIST-4 LIST-5",
        _limited(lambda text: read_limit(text) + 1),
        needs="big-store",
    ),
    *page(
        "limit-at-least-10",
        "A `limit` below 10 returns 10 animals.",
        "LIST-3",
        _limited(lambda text: max(10, read_limit(text))),
    ),
    *page(
        "no-paging",
        "A page holds all animals, whatever the `limit`.",
        "LIST-3 LIST-4 LIST-5",
        _limited(lambda text: UNLIMITED),
        needs="big-store",
    ),
    *page(
        "limit-100-gives-101",
        "`limit=100` returns 101 animals.",
        "LIST-3 LIST-5",
        _exact("100", 101),
        needs="big-store",
    ),
    *page("default-limit-10", "Without `limit`, a page holds 10 animals.", "LIST-4", _default(10)),
    *page("default-limit-19", "Without `limit`, a page holds 19 animals.", "LIST-4", _default(19)),
    *page("default-limit-21", "Without `limit`, a page holds 21 animals.", "LIST-4", _default(21)),
    *page("default-limit-25", "Without `limit`, a page holds 25 animals.", "LIST-4", _default(25)),
    *page("default-limit-50", "Without `limit`, a page holds 50 animals.", "LIST-4", _default(50)),
    *page("default-limit-100", "Without `limit`, a page holds 100 animals.", "LIST-4", _default(100)),
    *page(
        "default-limit-all",
        "Without `limit`, a page holds all animals.",
        "LIST-4 LIST-5",
        _default(UNLIMITED),
        needs="big-store",
    ),
    *page(
        "max-limit-1000", "A `limit` over 100 returns up to 1,000 animals.", "LIST-5", _up_to(1000), needs="big-store"
    ),
    *page("max-limit-101", "`limit=101` returns 101 animals.", "LIST-5", _exact("101", 101), needs="big-store"),
    *page(
        "limit-zero-gives-all",
        "`limit=0` returns all animals.",
        "LIST-5",
        _exact("0", UNLIMITED),
        needs="big-store reading",
    ),
    *page(
        "negative-limit-gives-all",
        "`limit=-1` returns all animals.",
        "LIST-5",
        _exact("-1", UNLIMITED),
        needs="big-store",
    ),
    *page(
        "negative-limit-cuts-end",
        "`limit=-1` returns all animals but the last.",
        "LIST-5",
        _exact("-1", -1),
        needs="big-store",
    ),
    *page(
        "limit-text-gives-all",
        "`limit=abc` returns all animals.",
        "LIST-5",
        _exact("abc", UNLIMITED),
        needs="big-store",
    ),
]
