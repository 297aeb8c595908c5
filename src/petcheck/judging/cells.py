"""What a pass covers. Each requirement has cells: a kind of key on an operation, a JSON type in a field, a status.

A pass needs some of them, and a run samples the rest. An examined exchange covers the cells that it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.json_values import Json, integer, kind
from petcheck.judging.judgement import Grounds
from petcheck.judging.request_bodies import FIELDS, PLAIN_NAME_LENGTH, asked_of
from petcheck.judging.rules.authentication import INVALID, SURELY_INVALID
from petcheck.judging.statuses import query_is_valid
from petcheck.spec.figures import LIMITS_NAMED, REMOVAL_DAY, STATUSES
from petcheck.spec.operations import Operation, allowed_operations

Cell = tuple[str, ...]
"""One value of each dimension."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a requirement: every combination of values of its `dimensions` that is `possible`.

    A dimension is what it must hold for: the name in the plural, and the values in words. `of` gives the cells that an
    examined exchange covers. A pass needs one cell with each combination of values in `needs`.
    """

    dimensions: Mapping[str, Sequence[str]]
    of: Callable[[Exchange], Iterable[Cell]]
    needs: tuple[Cell, ...] = ()
    possible: Callable[[Cell], bool] = lambda cell: True

    def all(self) -> Iterator[Cell]:
        """Every cell."""
        return filter(self.possible, product(*self.dimensions.values()))

    @property
    def values(self) -> tuple[str, ...]:
        """The values of all dimensions."""
        return tuple(chain(*self.dimensions.values()))

    @property
    def words(self) -> str:
        """The dimensions in words: "5 kinds of key × 4 operations"."""
        several = {name: values for name, values in self.dimensions.items() if len(values) > 1}
        return " × ".join(f"{len(values)} {name}" for name, values in (several or self.dimensions).items())


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a requirement was examined: `seen` of `total` cells of `dimensions`, and what a pass still needs.

    `forbidden` are the values that only a run with writes can examine.
    """

    dimensions: str
    seen: int
    total: int
    missing: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    def __str__(self) -> str:
        """In words."""
        return f"{self.dimensions}: {self.seen} of {self.total}"


def coverage(requirement: str, examined: Iterable[Exchange], grounds: Grounds) -> Coverage | None:
    """What the examined exchanges cover of a requirement; None if it has no cells, since any exchange shows it."""
    table = CELLS.get(requirement)
    if table is None:
        return None
    cells, with_writes = table(grounds), table(replace(grounds, writes=True))
    existing = frozenset(cells.all())
    seen = {cell for exchange in examined for cell in cells.of(exchange)} & existing
    missing = tuple(_in_words(need) for need in cells.needs if not any(set(need) <= set(cell) for cell in seen))
    forbidden = tuple(value for value in with_writes.values if value not in cells.values)
    return Coverage(cells.words, len(seen), len(existing), missing, forbidden)


def covering(requirement: str, need: str, record: Iterable[Exchange], grounds: Grounds) -> list[Exchange]:
    """The exchanges of a record that cover what a pass needs, in the words of `Coverage.missing`."""
    cells = CELLS[requirement](grounds)
    wanted = next(set(one) for one in cells.needs if _in_words(one) == need)
    return [exchange for exchange in record if any(wanted <= set(cell) for cell in cells.of(exchange))]


def _in_words(cell: Cell) -> str:
    return ", ".join(cell)


def cells_of(requirement: str, grounds: Grounds) -> Cells | None:
    """The cells of a requirement, as far as the run may examine them; None if it has none."""
    table = CELLS.get(requirement)
    return None if table is None else table(grounds)


def _operations(grounds: Grounds) -> dict[str, Operation]:
    return {str(one): one for one in allowed_operations(writes=grounds.writes, as_of=grounds.as_of)}


def _each(values: Iterable[str]) -> tuple[Cell, ...]:
    return tuple((value,) for value in values)


def _kinds(
    name: str, values: Sequence[str], needed: Iterable[str], of: Callable[[Exchange], Iterable[Cell]], _grounds: Grounds
) -> Cells:
    """The cells of a single dimension, with the values that a pass needs."""
    return Cells({name: values}, of, _each(needed))


# ---- sections 1, 7 and 8: every response


_STATUSES = (200, 201, 400, 401, 404)
_ANOTHER_STATUS = "another status"


def _answers(grounds: Grounds) -> Cells:
    """Operations × statuses; any status shows whether the headers are there."""
    operations = tuple(_operations(grounds))
    successes = {str(one): "201" if one is Operation.CREATE_PET else "200" for one in Operation}
    return Cells(
        {"operations": operations, "statuses": (*map(str, _STATUSES), _ANOTHER_STATUS)},
        _answer,
        _each(operations),
        lambda cell: cell[1] == successes[cell[0]] or cell[1] not in successes.values(),
    )


def _bodies(statuses: tuple[int, ...], needs: tuple[Cell, ...], grounds: Grounds) -> Cells:
    """Operations × statuses, where the document shows a body for them; by default a pass needs those that succeed."""
    operations = _operations(grounds)
    return Cells(
        {"operations": tuple(operations), "statuses": tuple(map(str, statuses))},
        _answer,
        needs or _each(name for name, one in operations.items() if one.body(200) or one.body(201)),
        lambda cell: operations[cell[0]].body(int(cell[1])) is not None,
    )


def _answer(exchange: Exchange) -> Iterator[Cell]:
    status = exchange.status if exchange.status in _STATUSES else _ANOTHER_STATUS
    yield str(exchange.request.operation), str(status)


def _errors(grounds: Grounds) -> Cells:
    found = () if grounds.as_of >= REMOVAL_DAY else (("404",),)
    return _bodies((400, 401, 404), (("401",), *found, *((("400",),) if grounds.writes else ())), grounds)


# ---- section 5: keys


def _keys(kinds: tuple[Credential, ...], needed: tuple[Credential, ...], grounds: Grounds) -> Cells:
    operations = tuple(_operations(grounds))
    return Cells(
        {"kinds of key": tuple(key.value for key in kinds), "operations": operations},
        _key,
        _each((*(key.value for key in needed), *operations)),
    )


def _key(exchange: Exchange) -> Iterator[Cell]:
    yield exchange.request.credential.value, str(exchange.request.operation)


_FIRST = (Credential.MISSING, Credential.EMPTY, Credential.RANDOM)


def _defects_beside_keys(grounds: Grounds) -> Cells:
    """AUTH-5 needs the missing key with a second defect on each operation that can have one."""
    operations = [name for name, one in _operations(grounds).items() if one is not Operation.STORE_ORDERS]
    return Cells(
        {"kinds of key": tuple(key.value for key in _FIRST), "operations with a second defect": operations},
        _key,
        tuple((Credential.MISSING.value, operation) for operation in operations),
    )


# ---- section 4.1: pages


_ANOTHER, _NO_LIMIT, _NO_STATUS = "another limit", "no limit", "no status"
_LIMITS = {str(number): f"limit {number}" for number in LIMITS_NAMED}


def _pages(needs: tuple[Cell, ...], _grounds: Grounds) -> Cells:
    limits, statuses = (*_LIMITS.values(), _ANOTHER, _NO_LIMIT), (*STATUSES, _NO_STATUS)
    return Cells({"limits": limits, "filters": statuses}, _page, needs)


def _page(exchange: Exchange) -> Iterator[Cell]:
    if exchange.request.operation is Operation.LIST_PETS and query_is_valid(exchange):
        query = dict(exchange.request.query)
        limit = _LIMITS.get(query["limit"], _ANOTHER) if "limit" in query else _NO_LIMIT
        yield limit, query.get("status", _NO_STATUS)


# ---- section 4.2: bodies


def _member(exchange: Exchange, name: str) -> Json:
    value = exchange.request.parsed.value
    return value.get(name) if isinstance(value, dict) else None


def _new_status(exchange: Exchange) -> Iterator[Cell]:
    status = _member(exchange, "status")
    yield (status if isinstance(status, str) else _NO_STATUS,)


_NAMES = _PLAIN, _LONG, _ENDS, _CONTROLS, _WIDE = (
    "printable ASCII",
    f"over {PLAIN_NAME_LENGTH} characters",
    "spaces at the ends",
    "control characters",
    "beyond ASCII",
)


def _name(exchange: Exchange) -> Iterator[Cell]:
    name = _member(exchange, "name")
    if not isinstance(name, str):
        return
    odd = {
        _LONG: len(name) > PLAIN_NAME_LENGTH,
        _ENDS: name != name.strip(),
        _CONTROLS: not name.isprintable() and name.isascii(),
        _WIDE: not name.isascii(),
    }
    yield from ((one,) for one, has in odd.items() if has)
    if not any(odd.values()):
        yield (_PLAIN,)


_CATEGORIES = _SMALL, _BEYOND_32, _BEYOND_53, _NEGATIVE = (
    "below 2^31",
    "beyond 2^31",
    "beyond 2^53, where a double is not exact",
    "negative",
)


def _category(exchange: Exchange) -> Iterator[Cell]:
    number = integer(_member(exchange, "categoryId"))
    if number is None:
        return
    if number < 0:
        yield (_NEGATIVE,)
    size = abs(number)
    yield (_BEYOND_53 if size > 2**53 else _BEYOND_32 if size >= 2**31 else _SMALL,)


def _defects(requirement: str, values: tuple[str, ...], needed: int, grounds: Grounds) -> Cells:
    """The kinds of defect of one requirement; the first `needed` of them are what a pass needs."""
    return Cells({"kinds of defect": values}, partial(_defect, requirement, grounds), _each(values[:needed]))


def _defect(requirement: str, grounds: Grounds, exchange: Exchange) -> Iterator[Cell]:
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


_FIELD = {"CREATE-7": "name", "CREATE-8": "categoryId", "CREATE-10": "status"}


_EMPTY, _LARGE = "an empty name", "a large categoryId"
_NAMES_IN_DOUBT = {
    _LONG: f"a name of {_LONG}",
    _ENDS: f"a name with {_ENDS}",
    _CONTROLS: f"a name with {_CONTROLS}",
    _WIDE: f"a name with characters {_WIDE}",
}
_IN_DOUBT = _EMPTY, *_NAMES_IN_DOUBT.values(), _LARGE


def _doubt(exchange: Exchange) -> Iterator[Cell]:
    if _member(exchange, "name") == "":
        yield (_EMPTY,)
    yield from ((_NAMES_IN_DOUBT[kind],) for (kind,) in _name(exchange) if kind != _PLAIN)
    if (_SMALL,) not in _category(exchange):
        yield (_LARGE,)


# ---- all of them


_TYPES = ("an integer", "null", "a boolean", "a string", "a number with a fraction", "an array", "an object")
_ANOTHER_TYPE = "another JSON type"
_WRONG_STATUSES = ("an unknown status", "a status in other letters", "null", _ANOTHER_TYPE, "an empty text")

CELLS: Mapping[str, Callable[[Grounds], Cells]] = {
    **dict.fromkeys(("SERVICE-1", "BODY-1"), partial(_bodies, _STATUSES, ())),
    **dict.fromkeys(("RATE-1", "RATE-2", "RATE-3"), _answers),
    **dict.fromkeys(("ERROR-1", "ERROR-2", "ERROR-3", "ERROR-4"), _errors),
    **{
        name: partial(_keys, kinds, tuple(key for key in kinds if key in SURELY_INVALID and len(kinds) > 1))
        for name, kinds in INVALID.items()
    },
    "AUTH-5": _defects_beside_keys,
    "LIST-2": partial(_pages, _each(_LIMITS.values())),
    "LIST-6": partial(_pages, _each(STATUSES)),
    **dict.fromkeys(("LIST-3", "LIST-4", "LIST-7"), partial(_pages, ())),
    "CREATE-1": partial(_kinds, "statuses", (*STATUSES, _NO_STATUS), (*STATUSES, _NO_STATUS), _new_status),
    "CREATE-2": partial(_kinds, "kinds of name", _NAMES, (_PLAIN,), _name),
    "CREATE-3": partial(_kinds, "kinds of categoryId", _CATEGORIES, (_BEYOND_53,), _category),
    "CREATE-4": partial(_kinds, "statuses", STATUSES, STATUSES, _new_status),
    "CREATE-5": partial(_defects, "CREATE-5", ("no body", "not JSON", "not an object"), 3),
    "CREATE-6": partial(_defects, "CREATE-6", ("no name", "no categoryId"), 2),
    "CREATE-7": partial(_defects, "CREATE-7", tuple(one for one in _TYPES if one != "a string"), 2),
    "CREATE-8": partial(_defects, "CREATE-8", (*_TYPES[1:],), 4),
    "CREATE-9": partial(_defects, "CREATE-9", ("above int64", "below int64"), 1),
    "CREATE-10": partial(_defects, "CREATE-10", _WRONG_STATUSES, 4),
    "CREATE-14": partial(_kinds, "kinds of doubt", _IN_DOUBT, (_NAMES_IN_DOUBT[_WIDE], _LARGE), _doubt),
}
