"""Compares what the document leaves open in answers: headers, media types, further fields, the HTTP version.

A trait is compared for each operation and status that every side has shown; what one side was never asked is not a
difference. Values that change from run to run are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from petcheck.comparison.difference import EVERY_ANSWER, Difference, shows_behaviour
from petcheck.comparison.pairing import Counterparts, SideRecord
from petcheck.exchange import Exchange
from petcheck.spec.figures import CONTENT_TYPE, ERROR_FIELDS, PET_FIELDS

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

# one side's values of a trait at a place, each with the first exchange that shows it
_Values = Mapping[str, int]
_Traits = Mapping[tuple[str, str], Mapping[str, _Values]]


def compare_traits(records: Sequence[SideRecord]) -> tuple[list[Difference], dict[str, int]]:
    """Every trait that differs between `records`, and for each kind the number of places where it is the same."""
    of_sides, answered = zip(*map(_traits, records), strict=True)
    found: dict[tuple[str, str, tuple[str | None, ...]], list[tuple[str, list[_Values]]]] = {}
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
                found.setdefault((*key, texts), []).append((place, shown))
    different = [
        Difference(kind, subject, tuple(place for place, _ in rows), texts, _example(records, rows[0][1]))
        for (kind, subject, texts), rows in found.items()
    ]
    return list(_merged(different, answered)), same


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
    groups: dict[tuple[object, ...], list[Difference]] = {}
    for one in different:
        name = one.subject if one.kind != "header" else ""
        groups.setdefault((one.kind, name, one.is_of_the_network_path, one.places, one.values), []).append(one)
    everywhere = set.intersection(*(set(firsts) for firsts in answered))
    for rows in groups.values():
        first = rows[0]
        whole = len(first.places) > 1 and everywhere <= set(first.places)
        subjects, places = ", ".join(row.subject for row in rows), (EVERY_ANSWER,) if whole else first.places
        yield Difference(first.kind, subjects, places, first.values, first.shown_by)


# ---- traits of an answer


def _place(entry: Exchange) -> str:
    return f"{entry.request.operation} → {entry.status}"


def _traits(record: SideRecord) -> tuple[_Traits, dict[str, int]]:
    """The traits of a side, and the operations and statuses that it has shown, each with its first exchange."""
    gathered: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
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
    headers: dict[str, list[str]] = {}
    for name, value in entry.heard.headers:
        headers.setdefault(name.lower(), []).append(value)
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
