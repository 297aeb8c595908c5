"""What one exchange shows, as values of the dimensions that cells are made of (see `cells`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from petcheck.call import ALIKE, FORMS_OF_JSON, Credential, Form
from petcheck.exchange import Animal, Exchange
from petcheck.json_values import Json, integer, kind
from petcheck.judging.judgement import Grounds
from petcheck.judging.request_bodies import FIELDS, PLAIN_NAME_LENGTH, Due, asked_of
from petcheck.judging.rules.authentication import REQUIREMENT_OF
from petcheck.judging.statuses import query_is_valid
from petcheck.spec.figures import INT64_MAX, INT64_MIN, LIMIT_MAX, LIMITS_NAMED, STATUSES
from petcheck.spec.operations import Operation

Cell = tuple[str, ...]
"""One value of each dimension."""


# ---- any response

STATUSES_OF_ANSWERS = (200, 201, 400, 401, 404)
ANOTHER_STATUS = "another status"
REQUESTS = _VALID, _INVALID_KEY, _ODD = "a valid request", "an invalid key", "an odd request"
FORMS = tuple(form.value for form in (Form.PLAIN, *ALIKE) if form is not Form.TURNED and form not in FORMS_OF_JSON)
"""The forms that every request can have."""


def operation(exchange: Exchange) -> Iterator[Cell]:
    """Its operation."""
    yield (str(exchange.request.operation),)


def answer(exchange: Exchange) -> Iterator[Cell]:
    """Operation × status."""
    status = exchange.status if exchange.status in STATUSES_OF_ANSWERS else ANOTHER_STATUS
    yield str(exchange.request.operation), str(status)


def request(grounds: Grounds, exchange: Exchange) -> Iterator[Cell]:
    """Operation × kind of request; one with a key of unknown validity is of none."""
    sent = exchange.request
    if sent.has_valid_key:
        yield str(sent.operation), _VALID if _is_valid(exchange, grounds) else _ODD
    elif sent.credential is not Credential.UNKNOWN:
        yield str(sent.operation), _INVALID_KEY


def _is_valid(exchange: Exchange, grounds: Grounds) -> bool:
    sent = exchange.request
    match sent.operation:
        case Operation.LIST_PETS:
            return query_is_valid(exchange)
        case Operation.GET_PET:
            return sent.pet_id is not None
        case Operation.CREATE_PET:
            return asked_of(sent, grounds.categories).due in (Due.CREATED, Due.CREATED_OR_REFUSED)
        case Operation.STORE_ORDERS:
            return not sent.query


def form(exchange: Exchange) -> Iterator[Cell]:
    """Its form, if every request can have it."""
    if exchange.request.form.value in FORMS:
        yield (exchange.request.form.value,)


def form_of_operation(exchange: Exchange) -> Iterator[Cell]:
    """Operation × form."""
    yield from ((str(exchange.request.operation), *cell) for cell in form(exchange))


# ---- keys

REFUSED_KEYS = {"AUTH-1": "no key", "AUTH-2": "another key", "AUTH-3": "an empty token", "AUTH-4": "another scheme"}
"""What may be wrong with a key, by the requirement that is about it."""


def key(exchange: Exchange) -> Iterator[Cell]:
    """Kind of key × operation."""
    yield exchange.request.credential.value, str(exchange.request.operation)


def key_of_post(exchange: Exchange) -> Iterator[Cell]:
    """What is wrong with the key of a POST."""
    if exchange.request.operation is Operation.CREATE_PET:
        requirement = REQUIREMENT_OF.get(exchange.request.credential)
        if requirement is not None:
            yield (REFUSED_KEYS[requirement],)


# ---- animals

NO_STATUS = "no status"
OF_THE_RUN, ANOTHER = "an animal that the run created", "another animal"
SIZES = _EMPTY_PAGE, _ONE, _SEVERAL = "no animal", "one animal", "several animals"
SOURCES_OF_PAGES = _PAGE, _FILTERED = "a page", "a page with a filter"
SOURCES_OF_POSTS = _POST, _BURST, _NAMED = "a POST", "a POST in a burst", "a POST whose body names an id"


def _animals(exchange: Exchange) -> Iterator[Animal]:
    """The animals of a page, or the one of a 200 or 201."""
    if exchange.page is not None:
        yield from exchange.page.animals
    elif exchange.request.operation.body(exchange.heard.status) == "pet" and exchange.object is not None:
        yield exchange.object


def _status_of(animal: Animal) -> Iterator[str]:
    """Its status; nothing if that is not one of section 2."""
    status = animal.get("status")
    if "status" not in animal:
        yield NO_STATUS
    elif isinstance(status, str) and status in STATUSES:
        yield status


def animal(exchange: Exchange) -> Iterator[Cell]:
    """Operation × status of an animal, for each that it shows."""
    for one in _animals(exchange):
        yield from ((str(exchange.request.operation), status) for status in _status_of(one))


def source_of_ids(exchange: Exchange) -> Iterator[Cell]:
    """Where ids come from: a page, or a 201."""
    if exchange.page is not None:
        yield (_FILTERED if exchange.page.filtered else _PAGE,)
    elif exchange.request.operation is Operation.CREATE_PET:
        yield (_POST if exchange.burst is None else _BURST,)
        if integer(_member(exchange, "id")) is not None:
            yield (_NAMED,)


def size_of_page(exchange: Exchange) -> Iterator[Cell]:
    """How many animals a page holds × its filter."""
    page = exchange.page
    if page is not None and (page.by_status is not None or not page.filtered):
        yield SIZES[min(page.size, 2)], page.by_status or NO_STATUS


def _origin(number: int | None, grounds: Grounds) -> str:
    return OF_THE_RUN if number in grounds.begun else ANOTHER


def read(grounds: Grounds, exchange: Exchange) -> Iterator[Cell]:
    """Origin of the animal that is asked for by its id × form."""
    if exchange.request.operation is Operation.GET_PET:
        yield from ((_origin(exchange.request.pet_id, grounds), *cell) for cell in form(exchange))


def animal_read(grounds: Grounds, exchange: Exchange) -> Iterator[Cell]:
    """Origin × status of the animal that a GET by its id shows."""
    if exchange.request.operation is Operation.GET_PET:
        origin = _origin(exchange.request.pet_id, grounds)
        yield from ((origin, status) for one in _animals(exchange) for status in _status_of(one))


IDS = _NOT_POSITIVE, _SMALL_ID, _BEYOND_32_ID, _BEYOND_53_ID, _END = (
    "zero or negative",
    "below 2^31",
    "from 2^31 to 2^53",
    "beyond 2^53",
    "the smallest or largest int64",
)


def class_of_id(exchange: Exchange) -> Iterator[Cell]:
    """The class of the id that is asked for."""
    number = exchange.request.pet_id
    if number is None:
        return
    if number in (INT64_MIN, INT64_MAX):
        yield (_END,)
    elif number <= 0:
        yield (_NOT_POSITIVE,)
    else:
        yield (_SMALL_ID if number < 2**31 else _BEYOND_32_ID if number <= 2**53 else _BEYOND_53_ID,)


# ---- section 4.1: pages

_ANOTHER_LIMIT, NO_LIMIT = "another limit", "no limit"
LIMITS = {str(number): f"limit {number}" for number in LIMITS_NAMED}
EVERY_LIMIT = (*LIMITS.values(), _ANOTHER_LIMIT, NO_LIMIT)
LONG_PAGES = _MOST, _ONE_MORE, _MORE = (
    f"limit {LIMIT_MAX}",
    f"limit {LIMIT_MAX + 1}",
    f"a limit over {LIMIT_MAX + 1}",
)
_AT_LEAST_THE_MOST = re.compile("[1-9][0-9]{2,}")  # digits of any number: they are compared as text


def page(limits: Collection[str], filters: Collection[str], exchange: Exchange) -> Iterator[Cell]:
    """Limit × filter, if it is a page with one of these."""
    if exchange.request.operation is Operation.LIST_PETS and query_is_valid(exchange):
        query = dict(exchange.request.query)
        limit = LIMITS.get(query["limit"], _ANOTHER_LIMIT) if "limit" in query else NO_LIMIT
        status = query.get("status", NO_STATUS)
        if limit in limits and status in filters:
            yield limit, status


def limit_of_long_page(exchange: Exchange) -> Iterator[Cell]:
    """The limit, if it asks for the longest page or for more."""
    exact = {str(LIMIT_MAX): _MOST, str(LIMIT_MAX + 1): _ONE_MORE}
    limit = dict(exchange.request.query).get("limit")
    if exchange.request.operation is Operation.LIST_PETS and limit is not None and _AT_LEAST_THE_MOST.fullmatch(limit):
        yield (exact.get(limit, _MORE),)


# ---- section 4.2: bodies

NAMES = PLAIN_NAME, _LONG, _ENDS, _CONTROLS, _WIDE = (
    "printable ASCII",
    f"over {PLAIN_NAME_LENGTH} characters",
    "spaces at the ends",
    "control characters",
    "beyond ASCII",
)
CATEGORIES = _SMALL, _BEYOND_32, BEYOND_53, _NEGATIVE = (
    "below 2^31",
    "beyond 2^31",
    "beyond 2^53, where a double is not exact",
    "negative",
)


def _member(exchange: Exchange, name: str) -> Json:
    value = exchange.request.parsed.value
    return value.get(name) if isinstance(value, dict) else None


def new_status(exchange: Exchange) -> Iterator[Cell]:
    """The status in the body of a POST."""
    status = _member(exchange, "status")
    yield (status if isinstance(status, str) else NO_STATUS,)


def new_name(exchange: Exchange) -> Iterator[Cell]:
    """The kinds of the name in the body of a POST."""
    yield from ((one,) for one in _kinds_of_name(_member(exchange, "name")))


def _kinds_of_name(name: Json) -> Iterator[str]:
    if not isinstance(name, str):
        return
    odd = {
        _LONG: len(name) > PLAIN_NAME_LENGTH,
        _ENDS: name != name.strip(),
        _CONTROLS: not name.isprintable() and name.isascii(),
        _WIDE: not name.isascii(),
    }
    yield from (one for one, has in odd.items() if has)
    if not any(odd.values()):
        yield PLAIN_NAME


def new_category(exchange: Exchange) -> Iterator[Cell]:
    """The kinds of the categoryId in the body of a POST."""
    yield from ((one,) for one in _kinds_of_category(_member(exchange, "categoryId")))


def _kinds_of_category(value: Json) -> Iterator[str]:
    number = integer(value)
    if number is None:
        return
    if number < 0:
        yield _NEGATIVE
    size = abs(number)
    yield BEYOND_53 if size > 2**53 else _BEYOND_32 if size >= 2**31 else _SMALL


TYPES = ("an integer", "null", "a boolean", "a string", "a number with a fraction", "an array", "an object")
_ANOTHER_TYPE = "another JSON type"
WRONG_STATUSES = ("an unknown status", "a status in other letters", "null", _ANOTHER_TYPE, "an empty text")
_FIELD = {"CREATE-7": "name", "CREATE-8": "categoryId", "CREATE-10": "status"}
REFUSED = {
    "CREATE-5": "no JSON object",
    "CREATE-6": "a required field missing",
    "CREATE-7": "a name of another JSON type",
    "CREATE-8": "a categoryId of another JSON type",
    "CREATE-9": "a categoryId beyond int64",
    "CREATE-10": "a wrong status",
    "CREATE-14": "a value that may be refused",
}
"""What may be wrong with a body, by the requirement that judges the answer."""


def defect(requirement: str, grounds: Grounds, exchange: Exchange) -> Iterator[Cell]:
    """The kind of defect of a body that this requirement is about."""
    if asked_of(exchange.request, grounds.categories).requirement != requirement:
        return
    value = exchange.request.parsed.value
    if requirement == "CREATE-5":
        is_json = not exchange.request.parsed.wrong
        yield ("no body" if not exchange.request.body else "not an object" if is_json else "not JSON",)
    elif isinstance(value, dict) and value.keys() <= FIELDS:  # another member may be why it was refused
        yield (_defect_of_member(requirement, value),)


def _defect_of_member(requirement: str, pet: dict[str, Json]) -> str:
    if requirement == "CREATE-6":
        return f"no {next(name for name in ('name', 'categoryId') if name not in pet)}"
    if requirement == "CREATE-9":
        return "below int64" if str(pet["categoryId"]).startswith("-") else "above int64"
    value = pet[_FIELD[requirement]]
    if requirement != "CREATE-10" or value is None:
        return kind(value)
    if not isinstance(value, str):
        return _ANOTHER_TYPE
    if not value.strip():
        return "an empty text"
    return "a status in other letters" if value.strip().lower() in STATUSES else "an unknown status"


def refused_body(grounds: Grounds, exchange: Exchange) -> Iterator[Cell]:
    """What is wrong with the body of a POST."""
    if exchange.request.operation is Operation.CREATE_PET:
        requirement = asked_of(exchange.request, grounds.categories).requirement
        if requirement in REFUSED:
            yield (REFUSED[requirement],)


EMPTY_NAME, LARGE_CATEGORY = "an empty name", "a large categoryId"
NAMES_IN_DOUBT = _, _, _, WIDE_NAME = (
    f"a name of {_LONG}",
    f"a name with {_ENDS}",
    f"a name with {_CONTROLS}",
    f"a name with characters {_WIDE}",
)
_AS_A_NAME = dict(zip(NAMES, ("a name of " + PLAIN_NAME, *NAMES_IN_DOUBT), strict=True))
_AS_A_CATEGORY = {one: f"a categoryId {one}" for one in CATEGORIES} | {_NEGATIVE: "a negative categoryId"}
_AS_A_STATUS = {one: f"status {one}" for one in STATUSES} | {NO_STATUS: NO_STATUS}
VALUES = (*_AS_A_STATUS.values(), *_AS_A_NAME.values(), *_AS_A_CATEGORY.values())


def doubt(exchange: Exchange) -> Iterator[Cell]:
    """What a server may refuse in the body of a POST."""
    if _member(exchange, "name") == "":
        yield (EMPTY_NAME,)
    yield from ((_AS_A_NAME[one],) for one in _kinds_of_name(_member(exchange, "name")) if one != PLAIN_NAME)
    if _SMALL not in _kinds_of_category(_member(exchange, "categoryId")):
        yield (LARGE_CATEGORY,)


def value_of_the_run(grounds: Grounds, exchange: Exchange) -> Iterator[Cell]:
    """The kinds of value of the animals that it shows and that the run created."""
    for one in _animals(exchange):
        if integer(one.get("id")) in grounds.begun:
            yield from ((_AS_A_STATUS[status],) for status in _status_of(one))
            yield from ((_AS_A_NAME[name],) for name in _kinds_of_name(one.get("name")))
            yield from ((_AS_A_CATEGORY[category],) for category in _kinds_of_category(one.get("categoryId")))
