"""Which part of an exchange decides a requirement, for a reader who looks for it in the evidence.

A part is `status`, `header:Name`, `body`, or `body:` with a JSON pointer (RFC 6901) to a value in it. It is found with
the matchers that judged, so what is marked is what was wrong; where nothing smaller can be named it is empty, and the
exchange decides as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from petcheck.exchange import Exchange, NoAnswer, Operation, Response
from petcheck.judging import ratelimits
from petcheck.judging.interface import LIMIT_MAX, pet_id_of
from petcheck.judging.jsontext import Json, NotJson, integer, parse
from petcheck.judging.matchers import (
    CONTENT_TYPE,
    Animal,
    problem_of_int64,
    problem_of_pet_status,
    problem_of_string,
    value_of,
)
from petcheck.judging.sightings import page_in

Part: TypeAlias = str
_Finder: TypeAlias = Callable[[Exchange], Part]
_Comparison: TypeAlias = Callable[[Exchange, Sequence[Exchange]], Part]

STATUS, BODY = "status", "body"
_FIELDS = ("name", "categoryId", "status")


def parts_of(requirement: str, decisive: Sequence[Exchange]) -> tuple[Part, ...]:
    """For each of the exchanges that decide the requirement of that id, the part that does; empty for a whole one."""
    return tuple(_part_of(requirement, exchange, decisive) for exchange in decisive)


def _part_of(requirement: str, exchange: Exchange, decisive: Sequence[Exchange]) -> Part:
    if isinstance(exchange.answer, NoAnswer):
        return ""
    if requirement in _COMPARED:
        return _COMPARED[requirement](exchange, decisive)
    return _ALONE[requirement](exchange) if requirement in _ALONE else ""


# ---- the status, a header


def _status(_exchange: Exchange) -> Part:
    return STATUS


def _header(name: str, _exchange: Exchange) -> Part:
    return f"header:{name}"


def _over_the_limit(exchange: Exchange) -> Part:
    """The response before, which told how many were left, or the one to the request over the limit."""
    told = exchange.status == 200 and ratelimits.remaining_of(exchange) is not None
    return f"header:{ratelimits.REMAINING}" if told else STATUS


def _early_429(exchange: Exchange) -> Part:
    """What said that some were left, the 429 itself or the response before, or the 429 that came all the same."""
    return f"header:{ratelimits.REMAINING}" if ratelimits.remaining_of(exchange) else STATUS


def _after_retry(exchange: Exchange, decisive: Sequence[Exchange]) -> Part:
    return f"header:{ratelimits.RETRY_AFTER}" if exchange is decisive[0] and exchange.status == 429 else STATUS


# ---- the body


def _body(_exchange: Exchange) -> Part:
    return BODY


def _member(name: str, exchange: Exchange) -> Part:
    """A member of the object in the body."""
    value = _value(exchange)
    return f"body:/{name}" if isinstance(value, dict) and name in value else BODY


def _member_with(problem: Callable[[Animal], str | None], name: str, exchange: Exchange) -> Part:
    """A member of the object in the body, or of the first in its list, that has the problem."""
    for pointer, item in _objects(exchange):
        if problem(item) is not None:
            return _within(pointer, name, item)
    return BODY


def _odd_item(exchange: Exchange) -> Part:
    value = _value(exchange)
    items = value if isinstance(value, list) else []
    return next((f"body:/{at}" for at, item in enumerate(items) if not isinstance(item, dict)), BODY)


def _surplus(most: int | None, exchange: Exchange) -> Part:
    """The first animal beyond the length that a page may have: `most`, or what was asked for, 20 where nothing was."""
    page = page_in(exchange)
    if page is None:
        return BODY
    limit = most or page.asked
    return f"body:/{limit}" if limit is not None and page.size > limit else BODY


def _wrong_status(exchange: Exchange) -> Part:
    page = page_in(exchange)
    for pointer, item in _objects(exchange):
        if page is not None and problem_of_pet_status(item) is None and item.get("status") != page.status:
            return _within(pointer, "status", item)
    return BODY


def _left_out(exchange: Exchange, decisive: Sequence[Exchange]) -> Part:
    """In a page of all animals, the one of the least id that a filtered page should have shown."""
    filtered = [page for page in map(page_in, decisive) if page is not None and page.status]
    missing: dict[int, str] = {}
    for pointer, item in _objects(exchange):
        number = integer(item.get("id"))
        due = [page for page in filtered if item.get("status") == page.status]
        if number is not None and any(number not in page.ids for page in due):
            missing[number] = pointer
    return _whole(missing[min(missing)]) if missing else BODY


def _repeated_id(exchange: Exchange) -> Part:
    """The id that stands on the page a second time, or that of a new animal, which an earlier one had."""
    seen: set[int | None] = set()
    for pointer, item in _objects(exchange):
        number = integer(item.get("id"))
        if number is not None and (number in seen or not pointer):
            return f"body:{pointer}/id"
        seen.add(number)
    return BODY


def _same_animal(exchange: Exchange, decisive: Sequence[Exchange]) -> Part:
    """What two exchanges show differently of one animal, in either of them; the status where it is not shown."""
    if exchange.status not in (200, 201):
        return STATUS
    if exchange.request.operation is Operation.GET_PET and _id(exchange) not in (None, pet_id_of(exchange)):
        return "body:/id"
    alone = {_id(other) for other in decisive} - {None}
    for pointer, item in _objects(exchange):
        number = integer(item.get("id"))
        if number in alone:
            sights = [a for other in decisive for _, a in _objects(other) if integer(a.get("id")) == number]
            changed = [name for name in _FIELDS if any(sight.get(name) != item.get(name) for sight in sights)]
            return _within(pointer, changed[0], item) if changed else _whole(pointer)
    return BODY


def _stored_all_the_same(exchange: Exchange, decisive: Sequence[Exchange]) -> Part:
    """The status that refused an animal, and the animal on the page that shows it."""
    if exchange.request.operation is Operation.CREATE_PET:
        return STATUS
    names = {str(name) for name in map(_sent_name, decisive) if name is not None}
    return next((f"body:{p}/name" for p, item in _objects(exchange) if str(item.get("name")) in names), BODY)


def _value(exchange: Exchange) -> Json:
    return value_of(exchange.answer) if isinstance(exchange.answer, Response) else None


def _objects(exchange: Exchange) -> Iterator[tuple[str, Animal]]:
    """The object in the body, or those in its list, each with its pointer."""
    value = _value(exchange)
    if isinstance(value, dict):
        yield "", value
    elif isinstance(value, list):
        yield from ((f"/{at}", item) for at, item in enumerate(value) if isinstance(item, dict))


def _id(exchange: Exchange) -> int | None:
    value = _value(exchange)
    return integer(value.get("id")) if isinstance(value, dict) else None


def _sent_name(exchange: Exchange) -> Json:
    try:
        sent = parse(exchange.request.body) if exchange.request.body else None
    except NotJson:
        return None
    return sent.get("name") if isinstance(sent, dict) else None


def _within(pointer: str, name: str, item: Animal) -> Part:
    """A member of an object, or the whole object where it lacks that member."""
    return f"body:{pointer}/{name}" if name in item else _whole(pointer)


def _whole(pointer: str) -> Part:
    return f"body:{pointer}" if pointer else BODY


_COMPARED: dict[str, _Comparison] = {
    "LIST-8": _left_out,
    "CREATE-11": _stored_all_the_same,
    "CREATE-12": _same_animal,
    "CREATE-13": _same_animal,
    "GET-2": _same_animal,
    "AUTH-6": _stored_all_the_same,
    "RATE-9": _after_retry,
}
_ALONE: dict[str, _Finder] = {
    **dict.fromkeys(("LIST-1", "LIST-2", "LIST-6"), _status),
    **dict.fromkeys(("CREATE-1", *(f"CREATE-{number}" for number in range(5, 11)), "CREATE-14"), _status),
    **dict.fromkeys(("GET-1", "GET-3", "GET-4", "ORDERS-1", "ERROR-5"), _status),
    **dict.fromkeys(("AUTH-1", "AUTH-2", "AUTH-3", "AUTH-4", "AUTH-5", "AUTH-7"), _status),
    **dict.fromkeys(("SERVICE-1", "ERROR-1"), _body),
    "BODY-1": partial(_header, CONTENT_TYPE),
    "PET-1": partial(_member_with, partial(problem_of_int64, "", "id"), "id"),
    "PET-2": partial(_member_with, partial(problem_of_string, "", "name"), "name"),
    "PET-3": partial(_member_with, partial(problem_of_int64, "", "categoryId"), "categoryId"),
    "PET-4": partial(_member_with, problem_of_pet_status, "status"),
    "PET-5": _repeated_id,
    "PETS-1": _odd_item,
    "LIST-3": partial(_surplus, None),
    "LIST-4": partial(_surplus, None),
    "LIST-5": partial(_surplus, LIMIT_MAX),
    "LIST-7": _wrong_status,
    "CREATE-2": partial(_member, "name"),
    "CREATE-3": partial(_member, "categoryId"),
    "CREATE-4": partial(_member, "status"),
    "ERROR-2": partial(_member, "code"),
    "ERROR-3": partial(_member, "message"),
    "ERROR-4": partial(_member, "status"),
    "RATE-1": partial(_header, ratelimits.LIMIT),
    "RATE-2": partial(_header, ratelimits.REMAINING),
    "RATE-3": partial(_header, ratelimits.RESET),
    "RATE-4": partial(_header, ratelimits.REMAINING),
    "RATE-5": partial(_header, ratelimits.LIMIT),
    "RATE-6": _over_the_limit,
    "RATE-7": partial(_header, ratelimits.RETRY_AFTER),
    "RATE-8": _early_429,
}
