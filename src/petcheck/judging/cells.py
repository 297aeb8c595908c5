"""What a pass covers. Each requirement has cells: a kind of key on an operation, a JSON type in a field, a status.

A pass needs some of them, and a run samples the rest. An examined exchange covers the cells that it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product

from petcheck.call import Credential, Form
from petcheck.exchange import Exchange
from petcheck.judging import dimensions
from petcheck.judging.dimensions import NO_STATUS, Cell
from petcheck.judging.judgement import Grounds
from petcheck.judging.rules.authentication import INVALID, SURELY_INVALID
from petcheck.spec.figures import REMOVAL_DAY, STATUSES
from petcheck.spec.operations import Operation, allowed_operations

_TIMES = " × "


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
        return _TIMES.join(f"{len(values)} {name}" for name, values in (several or self.dimensions).items())


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
        """In words: "4 of 5 classes of id", "10 of 48 (12 kinds of key × 4 operations)"."""
        several = _TIMES in self.dimensions
        return f"{self.seen} of {f'{self.total} ({self.dimensions})' if several else self.dimensions}"


def coverage(requirement: str, examined: Iterable[Exchange], grounds: Grounds) -> Coverage | None:
    """What the examined exchanges cover of a requirement; None if it has one cell or none: any shows it."""
    table = CELLS.get(requirement)
    if table is None:
        return None
    cells, with_writes = table(grounds), table(replace(grounds, writes=True))
    existing = frozenset(cells.all())
    if len(existing) < 2:
        return None
    seen = {cell for exchange in examined for cell in cells.of(exchange)} & existing
    missing = tuple(_in_words(need) for need in cells.needs if not any(set(need) <= set(cell) for cell in seen))
    forbidden = tuple(value for value in with_writes.values if value not in cells.values)
    return Coverage(cells.words, len(seen), len(existing), missing, forbidden)


def needs_cells(requirement: str, grounds: Grounds) -> bool:
    """Whether a pass of a requirement needs some of its cells."""
    cells = cells_of(requirement, grounds)
    return cells is not None and cells.needs != ()  # pragma: no mutate - it only saves time


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


def _showing_animals(grounds: Grounds) -> tuple[str, ...]:
    return tuple(name for name, one in _operations(grounds).items() if one.body(200) or one.body(201))


def _each(values: Iterable[str]) -> tuple[Cell, ...]:
    return tuple((value,) for value in values)


def _kinds(
    name: str, values: Sequence[str], needed: Iterable[str], of: Callable[[Exchange], Iterable[Cell]], _grounds: Grounds
) -> Cells:
    """The cells of a single dimension, with the values that a pass needs."""
    return Cells({name: values}, of, _each(needed))


# ---- any response


def _each_operation(grounds: Grounds) -> Cells:
    return Cells({"operations": tuple(_operations(grounds))}, dimensions.operation)


def _answers(grounds: Grounds) -> Cells:
    """Operations × statuses; any status shows whether the headers are there."""
    operations = tuple(_operations(grounds))
    successes = {str(one): "201" if one is Operation.CREATE_PET else "200" for one in Operation}
    statuses = (*map(str, dimensions.STATUSES_OF_ANSWERS), dimensions.ANOTHER_STATUS)
    return Cells(
        {"operations": operations, "statuses": statuses},
        dimensions.answer,
        _each(operations),
        lambda cell: cell[1] == successes[cell[0]] or cell[1] not in successes.values(),
    )


def _bodies(statuses: tuple[int, ...], needs: tuple[Cell, ...], grounds: Grounds) -> Cells:
    """Operations × statuses, where the document shows a body for them; by default a pass needs those that succeed."""
    operations = _operations(grounds)
    return Cells(
        {"operations": tuple(operations), "statuses": tuple(map(str, statuses))},
        dimensions.answer,
        needs or _each(_showing_animals(grounds)),
        lambda cell: operations[cell[0]].body(int(cell[1])) is not None,
    )


def _errors(grounds: Grounds) -> Cells:
    found = () if grounds.as_of >= REMOVAL_DAY else (("404",),)
    return _bodies((400, 401, 404), (("401",), *found, *((("400",),) if grounds.writes else ())), grounds)


def _requests(grounds: Grounds) -> Cells:
    values = {"operations": tuple(_operations(grounds)), "kinds of request": dimensions.REQUESTS}
    return Cells(values, partial(dimensions.request, grounds))


def _forms(grounds: Grounds) -> tuple[str, ...]:
    """The forms of a request that a run draws from; recorded traffic does not show them."""
    return dimensions.FORMS if grounds.run else (Form.PLAIN.value,)


def _each_form(grounds: Grounds) -> Cells:
    return Cells({"forms of the request": _forms(grounds)}, dimensions.form)


def _forms_of_operations(grounds: Grounds) -> Cells:
    values = {"operations": tuple(_operations(grounds)), "forms of the request": _forms(grounds)}
    return Cells(values, dimensions.form_of_operation)


# ---- section 5: keys


def _keys(kinds: tuple[Credential, ...], needed: tuple[Credential, ...], grounds: Grounds) -> Cells:
    operations = tuple(_operations(grounds))
    return Cells(
        {"kinds of key": tuple(key.value for key in kinds), "operations": operations},
        dimensions.key,
        _each((*(key.value for key in needed), *operations)),
    )


_FIRST = (Credential.MISSING, Credential.EMPTY, Credential.RANDOM)


def _defects_beside_keys(grounds: Grounds) -> Cells:
    """AUTH-5 needs the missing key with a second defect on each operation that can have one."""
    operations = [name for name, one in _operations(grounds).items() if one is not Operation.STORE_ORDERS]
    return Cells(
        {"kinds of key": tuple(key.value for key in _FIRST), "operations with a second defect": operations},
        dimensions.key,
        tuple((Credential.MISSING.value, operation) for operation in operations),
    )


# ---- sections 2 and 4.3: animals


_STATUSES_OF_ANIMALS = (*STATUSES, NO_STATUS)


def _animals(grounds: Grounds) -> Cells:
    values = {"operations": _showing_animals(grounds), "statuses of an animal": _STATUSES_OF_ANIMALS}
    return Cells(values, dimensions.animal)


def _sources_of_ids(grounds: Grounds) -> Cells:
    posts = dimensions.SOURCES_OF_POSTS if grounds.writes else ()
    return Cells({"sources of ids": (*dimensions.SOURCES_OF_PAGES, *posts)}, dimensions.source_of_ids)


def _origins(grounds: Grounds) -> tuple[str, ...]:
    return (*((dimensions.OF_THE_RUN,) if grounds.writes else ()), dimensions.ANOTHER)


def _reads(grounds: Grounds) -> Cells:
    values = {"origins of an animal": _origins(grounds), "forms of the request": _forms(grounds)}
    return Cells(values, partial(dimensions.read, grounds))


def _animals_read(grounds: Grounds) -> Cells:
    values = {"origins": _origins(grounds), "statuses of an animal": _STATUSES_OF_ANIMALS}
    return Cells(values, partial(dimensions.animal_read, grounds))


# ---- section 4.1: pages


_ALL, _FILTERS = dimensions.EVERY_LIMIT, (*STATUSES, NO_STATUS)
_GIVEN, _WITHOUT, _WITH_ROOM = _ALL[:-1], _ALL[-1:], _ALL[1:]  # a page of one animal that has room shows none


def _pages(limits: tuple[str, ...], filters: tuple[str, ...], needs: tuple[Cell, ...], _grounds: Grounds) -> Cells:
    return Cells({"limits": limits, "filters": filters}, partial(dimensions.page, limits, filters), needs)


def _sizes_of_pages(_grounds: Grounds) -> Cells:
    return Cells({"sizes of a page": dimensions.SIZES, "filters": _FILTERS}, dimensions.size_of_page)


# ---- section 4.2: bodies


def _defects(requirement: str, values: tuple[str, ...], needed: int, grounds: Grounds) -> Cells:
    """The kinds of defect of one requirement; the first `needed` of them are what a pass needs."""
    return Cells({"kinds of defect": values}, partial(dimensions.defect, requirement, grounds), _each(values[:needed]))


def _refused(grounds: Grounds) -> Cells:
    return Cells({"kinds of defect": tuple(dimensions.REFUSED.values())}, partial(dimensions.refused_body, grounds))


def _values_of_the_run(grounds: Grounds) -> Cells:
    return Cells({"kinds of value": dimensions.VALUES}, partial(dimensions.value_of_the_run, grounds))


# ---- all of them


_IN_DOUBT = (dimensions.EMPTY_NAME, *dimensions.NAMES_IN_DOUBT, dimensions.LARGE_CATEGORY)

CELLS: Mapping[str, Callable[[Grounds], Cells]] = {
    **dict.fromkeys(("SERVICE-1", "BODY-1"), partial(_bodies, dimensions.STATUSES_OF_ANSWERS, ())),
    **dict.fromkeys(("PET-1", "PET-2", "PET-3", "PET-4"), _animals),
    "PET-5": _sources_of_ids,
    "PETS-1": _sizes_of_pages,
    "LIST-1": _each_form,
    "LIST-2": partial(_pages, _GIVEN, _FILTERS, _each(dimensions.LIMITS.values())),
    "LIST-3": partial(_pages, _GIVEN, _FILTERS, ()),
    "LIST-4": partial(_pages, _WITHOUT, _FILTERS, ()),
    "LIST-5": partial(_kinds, "limits", dimensions.LONG_PAGES, (), dimensions.limit_of_long_page),
    "LIST-6": partial(_pages, _ALL, STATUSES, _each(STATUSES)),
    "LIST-7": partial(_pages, _ALL, STATUSES, ()),
    "LIST-8": partial(_pages, _WITH_ROOM, STATUSES, ()),
    "CREATE-1": partial(_kinds, "statuses", _STATUSES_OF_ANIMALS, _STATUSES_OF_ANIMALS, dimensions.new_status),
    "CREATE-2": partial(_kinds, "kinds of name", dimensions.NAMES, (dimensions.PLAIN_NAME,), dimensions.new_name),
    "CREATE-3": partial(
        _kinds, "kinds of categoryId", dimensions.CATEGORIES, (dimensions.BEYOND_53,), dimensions.new_category
    ),
    "CREATE-4": partial(_kinds, "statuses", STATUSES, STATUSES, dimensions.new_status),
    "CREATE-5": partial(_defects, "CREATE-5", ("no body", "not JSON", "not an object"), 3),
    "CREATE-6": partial(_defects, "CREATE-6", ("no name", "no categoryId"), 2),
    "CREATE-7": partial(_defects, "CREATE-7", tuple(one for one in dimensions.TYPES if one != "a string"), 2),
    "CREATE-8": partial(_defects, "CREATE-8", dimensions.TYPES[1:], 4),
    "CREATE-9": partial(_defects, "CREATE-9", ("above int64", "below int64"), 1),
    "CREATE-10": partial(_defects, "CREATE-10", dimensions.WRONG_STATUSES, 4),
    "CREATE-11": _refused,
    **dict.fromkeys(("CREATE-12", "CREATE-13"), _values_of_the_run),
    "CREATE-14": partial(
        _kinds, "kinds of doubt", _IN_DOUBT, (dimensions.WIDE_NAME, dimensions.LARGE_CATEGORY), dimensions.doubt
    ),
    **dict.fromkeys(("GET-1", "GET-4"), _reads),
    "GET-2": _animals_read,
    "GET-3": partial(_kinds, "classes of id", dimensions.IDS, (), dimensions.class_of_id),
    "ORDERS-1": _each_form,
    **{
        name: partial(_keys, kinds, tuple(key for key in kinds if key in SURELY_INVALID and len(kinds) > 1))
        for name, kinds in INVALID.items()
    },
    "AUTH-5": _defects_beside_keys,
    "AUTH-6": partial(
        _kinds, "kinds of refused key", tuple(dimensions.REFUSED_KEYS.values()), (), dimensions.key_of_post
    ),
    "AUTH-7": _forms_of_operations,
    **dict.fromkeys(("ERROR-1", "ERROR-2", "ERROR-3", "ERROR-4"), _errors),
    "ERROR-5": _requests,
    **dict.fromkeys(("RATE-1", "RATE-2", "RATE-3"), _answers),
    **dict.fromkeys(("RATE-4", "RATE-5"), _each_operation),
}
