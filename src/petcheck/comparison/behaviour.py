"""Compares what targets do beside verdicts: their answers to the same request, traits of answers, sizes of pages.

A trait is what the document leaves open: headers, media types, further fields, the HTTP version. It is compared for
each operation and status that every side has shown; what one side was never asked is not a difference. Values that
change from run to run are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from petcheck.call import Credential
from petcheck.comparison.difference import EVERY_ANSWER, KINDS, Difference, contradict, shows_behaviour
from petcheck.comparison.normalize import normalized
from petcheck.comparison.pairing import Counterparts, NormalizedRequest, SideRecord
from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.sanitize import FIELD_LIMIT
from petcheck.spec.figures import CONTENT_TYPE, ERROR_FIELDS, LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN, PET_FIELDS
from petcheck.spec.operations import Operation

_LISTED = 6  # values of one side that a difference names
_PARTS = ("answer", "code", "message")  # of an answer: its status, and two members of an Error

# headers with a fixed configuration; the values of others change, or are compared as open points
_FIXED_HEADERS = frozenset(
    {
        "server", "via", "x-powered-by", "cache-control", "vary", "pragma", "allow", "content-language",
        "content-encoding", "transfer-encoding", "connection", "strict-transport-security", "x-content-type-options",
        "x-frame-options", "content-security-policy", "referrer-policy", "access-control-allow-origin",
        "access-control-expose-headers", "api-version", "x-api-version",
    }
)  # fmt: skip
_DOCUMENTED = frozenset({*PET_FIELDS, *ERROR_FIELDS})
_NOT_SENT = "not sent"

# what one side does at a place: each value with the first exchange that shows it
_Values = dict[str, int]
_Traits = dict[tuple[str, str], dict[str, _Values]]

_PATH = Operation.LIST_PETS.path
_UNFILTERED = (_PATH, *(f"{_PATH}?limit={limit}" for limit in (LIMIT_MIN, LIMIT_DEFAULT, LIMIT_MAX)))


def compare_behaviour(
    records: Sequence[SideRecord], shown: Iterable[Counterparts]
) -> tuple[tuple[Difference, ...], dict[str, int]]:
    """The differences beyond verdicts and open points, in the order of KINDS, and the equal places counted by kind.

    The statuses of the requests of exchanges that are `shown` for open points are left out.
    """
    by_trait, alike = _compare_traits(records)
    reported = {
        record.requests[index]
        for counterparts in shown
        for record, index in zip(records, counterparts, strict=True)
        if index is not None
    }
    by_answer, answers_alike = compare_answers(records, reported)
    by_size, sizes_alike = _compare_page_sizes(records)
    order = list(KINDS)
    found = sorted([*by_trait, *by_answer, *by_size], key=lambda one: order.index(one.kind))
    counted = alike | {"answer": answers_alike, "page size": sizes_alike}
    return tuple(found), {kind: counted[kind] for kind in KINDS if counted.get(kind)}


# ---- answers to the same request: their status and, in an Error, `code` and `message`


def compare_answers(
    records: Sequence[SideRecord], reported: Collection[NormalizedRequest] = ()
) -> tuple[list[Difference], int]:
    """The requests that the sides answer differently, and how many they answer in the same way.

    Statuses give one difference for each operation; codes and messages one for all. The statuses of `reported` requests
    are skipped: an open point reports them.
    """
    of_sides = [_by_request(record) for record in records]
    statuses: list[tuple[Operation, Difference]] = []
    errors: dict[str, list[tuple[NormalizedRequest, Sequence[_Values]]]] = {}
    alike = 0
    for request in dict.fromkeys(request for side in of_sides for request in side):
        answers = [side.get(request, ({}, {}, {})) for side in of_sides]
        for kind, given in zip(_PARTS, zip(*answers, strict=True), strict=True):
            if not contradict(set(side) for side in given if side):
                continue
            if kind != "answer":
                errors.setdefault(kind, []).append((request, given))
            elif request not in reported:
                values = tuple(", ".join(sorted(side)) or None for side in given)
                shown = Difference("answer", "", (str(request),), values, _examples(given))
                statuses.append((request.operation, shown))
            break
        else:
            alike += sum(bool(first) for first, *_ in answers) > 1
    return [*_joined(statuses), *(_error_difference(kind, rows) for kind, rows in errors.items())], alike


def _joined(found: Iterable[tuple[object, Difference]]) -> list[Difference]:
    """One difference for all that are of one thing, kind and subject, and have the same values; the first shows it."""
    groups = grouped(((thing, one.kind, one.subject, one.values), one) for thing, one in found)
    return [replace(rows[0], places=tuple(place for row in rows for place in row.places)) for rows in groups.values()]


def _by_request(record: SideRecord) -> dict[NormalizedRequest, tuple[_Values, ...]]:
    """The answers to each request in each part."""
    found: dict[NormalizedRequest, tuple[_Values, ...]] = {}
    for index, entry in sorted(record.entries.items()):
        if shows_behaviour(entry):
            by_part = found.setdefault(record.requests[index], ({}, {}, {}))
            for answers, value in zip(by_part, _parts(entry, record.run), strict=True):
                answers.setdefault(value, index)
    return found


def _parts(entry: Exchange, run: str) -> tuple[str, str, str]:
    """Status, `code`, and `message` without numbers; the last two are empty if there is no Error."""
    error: Mapping[str, object] = (entry.object or {}) if entry.heard.status >= 400 else {}
    code, message = (text if isinstance(text := error.get(name), str) else "" for name in ("code", "message"))
    return (
        str(entry.status),
        code[:FIELD_LIMIT],
        re.sub(r"\d+", "…", normalized(message[:FIELD_LIMIT], run)),
    )


def _examples(sides: Sequence[_Values]) -> Counterparts:
    """For each side the exchange with an answer that another side did not give, otherwise its first."""
    found: list[int | None] = []
    for side in sides:
        own = (index for answer, index in side.items() if any(answer not in other for other in sides))
        found.append(next(own, next(iter(side.values()), None)))
    return tuple(found)


def _error_difference(kind: str, rows: Sequence[tuple[NormalizedRequest, Sequence[_Values]]]) -> Difference:
    """One difference for all requests whose Errors differ in `code`, or in `message`."""
    values = []
    for of_side in zip(*(sides for _, sides in rows), strict=True):
        given = sorted({text or "none" for answers in of_side for text in answers})
        more = f" and {len(given) - _LISTED} more" if len(given) > _LISTED else ""
        values.append(", ".join(given[:_LISTED]) + more or None)
    places = tuple(dict.fromkeys(str(request) for request, _ in rows))
    return Difference(kind, "", places, tuple(values), _examples(rows[0][1]))


# ---- traits


def _compare_traits(records: Sequence[SideRecord]) -> tuple[list[Difference], dict[str, int]]:
    """Every trait that differs between `records`, and for each kind the number of places where it is the same."""
    of_sides, answered = zip(*map(_traits, records), strict=True)
    different: list[tuple[str, Difference]] = []
    same: dict[str, int] = {}
    for key in dict.fromkeys(key for side in of_sides for key in side):
        for place in sorted({place for side in of_sides for place in side.get(key, ())}):
            shown = [side.get(key, {}).get(place, {}) for side in of_sides]
            if key[0] == "header":  # a missing header is behaviour too
                shown = [
                    values or ({_NOT_SENT: firsts[place]} if place in firsts else {})
                    for values, firsts in zip(shown, answered, strict=True)
                ]
            given = [set(values) for values in shown if values]
            if all(values == given[0] for values in given):
                same[key[0]] = same.get(key[0], 0) + (len(given) > 1)
            else:
                texts = tuple((", ".join(sorted(filter(None, one))) or "none") if one else None for one in shown)
                different.append(("", Difference(key[0], key[1], (place,), texts, _example(records, shown))))
    return list(_merged(_joined(different), answered)), same


def _example(records: Sequence[SideRecord], shown: Sequence[_Values]) -> Counterparts:
    """An exchange with a value that only one side has, and its counterpart on every other side."""
    own = [
        [index for value, index in values.items() if any(value not in other for other in shown if other)]
        for values in shown
    ]
    # prefer a value that is present to one that is absent
    chosen = max(range(len(shown)), key=lambda side: (bool(own[side]), _NOT_SENT not in shown[side], -side))
    index = next(iter([*own[chosen], *shown[chosen].values()]))
    status = records[chosen].entries[index].status
    row: list[int | None] = []
    for side, record in enumerate(records):
        near = index if side == chosen else record.counterpart(index, records[chosen], status)
        fits = near is not None and record.entries[near].status == status
        row.append(near if fits else next(iter(shown[side].values()), None))
    return tuple(row)


def _merged(different: Iterable[Difference], answered: Sequence[Mapping[str, int]]) -> Iterator[Difference]:
    """One difference for all traits that differ in the same way at the same places."""
    groups = grouped(
        ((one.kind, one.kind == "header" or one.subject, one.is_of_the_network_path, one.places, one.values), one)
        for one in different
    )
    everywhere = set.intersection(*(set(firsts) for firsts in answered))
    for rows in groups.values():
        first = rows[0]
        whole = len(first.places) > 1 and everywhere <= set(first.places)
        subjects, places = ", ".join(row.subject for row in rows), (EVERY_ANSWER,) if whole else first.places
        yield Difference(first.kind, subjects, places, first.values, first.shown_by)


def _place(entry: Exchange) -> str:
    return f"{entry.request.operation} → {entry.status}"


def _traits(record: SideRecord) -> tuple[_Traits, dict[str, int]]:
    """The traits of a side, and the operations and statuses that it has shown, each with its first exchange."""
    gathered: _Traits = {}
    firsts: dict[str, int] = {}
    for index, entry in sorted(record.entries.items()):
        if shows_behaviour(entry):
            firsts.setdefault(_place(entry), index)
            for kind, subject, place, value in _of_answer(entry):
                gathered.setdefault((kind, subject), {}).setdefault(place, {}).setdefault(value, index)
    return gathered, firsts


def _of_answer(entry: Exchange) -> Iterator[tuple[str, str, str, str]]:
    """The traits of one answer: kind, subject, place, value."""
    place = _place(entry)
    headers = grouped((name.lower(), value) for name, value in entry.heard.headers)
    for name, values in headers.items():
        yield "header", name, place, "sent"
        if name in _FIXED_HEADERS:
            yield "header value", name, place, ", ".join(values)
    yield "content type", "", place, ", ".join(headers.get(CONTENT_TYPE.lower(), ["none"]))
    fields = _extra_fields(entry)
    if fields is not None:
        for name in fields or ("",):
            yield "fields", "", place, name
    yield "http version", "", EVERY_ANSWER, entry.heard.http_version


def _extra_fields(entry: Exchange) -> set[str] | None:
    """The names of members beyond the documented ones; None if the body has no object."""
    value = entry.json
    objects = [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
    return {name for item in objects for name in item} - _DOCUMENTED if objects else None


# ---- how many animals are on a page (section 4.1), regardless of how many there are


@dataclass(frozen=True, slots=True)
class PageSize:
    """How many animals a page held; `cut` if it could have shown more that were known then; `index` is its exchange."""

    size: int
    cut: bool
    index: int

    def __str__(self) -> str:
        """In words."""
        return f"{self.size}, though more are known" if self.cut else str(self.size)


def page_sizes_in(record: SideRecord) -> dict[int, PageSize]:
    """Every answer to GET /pets with 200 and an array, by the index of its exchange."""
    pages: dict[int, PageSize] = {}
    known: set[str] = set()
    for index, entry in sorted(record.entries.items()):
        if entry.request.operation not in (Operation.LIST_PETS, Operation.CREATE_PET) or entry.status not in (200, 201):
            continue
        value = entry.json
        pets = value if isinstance(value, list) else [value]
        known |= {str(pet.get("id")) for pet in pets if isinstance(pet, dict)}
        if entry.request.operation is Operation.LIST_PETS and isinstance(value, list):
            pages[index] = PageSize(len(value), len(known) > len(value), index)
    return pages


def same_page_size(pages: Sequence[PageSize | None]) -> bool:
    """Whether one server could return all of these pages: a page that was not cut may hold fewer animals."""
    given = [page for page in pages if page is not None]
    cut = {page.size for page in given if page.cut}
    return len(cut) < 2 and all(page.size <= size for page in given for size in cut)


def _compare_page_sizes(records: Sequence[SideRecord]) -> tuple[list[Difference], int]:
    """The unfiltered requests that get pages of different sizes, and how many get pages of the same size."""
    of_sides = [_by_path(record) for record in records]
    different: list[tuple[str, Difference]] = []
    alike = 0
    for path in dict.fromkeys(path for side in of_sides for path in side):
        found = [side.get(path) for side in of_sides]
        if same_page_size(found):
            alike += sum(page is not None for page in found) > 1
            continue
        values = tuple(str(page) if page else None for page in found)
        place, shown = f"{Operation.LIST_PETS.method} {path}", tuple(page.index if page else None for page in found)
        different.append(("", Difference("page size", "", (place,), values, shown)))
    return _joined(different), alike


def _by_path(record: SideRecord) -> dict[str, PageSize]:
    """One page of each unfiltered request whose cut pages all have one size: a cut page if there is one."""
    asked = ((record.requests[index], page) for index, page in page_sizes_in(record).items())
    found = grouped(
        (request.path, page)
        for request, page in asked
        if request.path in _UNFILTERED and request.credential is Credential.VALID
    )
    return {
        path: next((page for page in few if page.cut), few[0])
        for path, few in found.items()
        if len({page.size for page in few if page.cut}) < 2
    }
