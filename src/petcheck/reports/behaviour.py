"""What answers have that the document leaves free: headers, media types, further fields, the version of HTTP.

Such a trait is looked at for each operation and status, and compared only where every side has given such an answer:
what one was never asked is no difference. Values that change from run to run are not among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from petcheck.reports.divergence import EVERY_ANSWER, Divergence, json_of, tells
from petcheck.reports.har import Evidence
from petcheck.reports.pairing import Record, operation_of

# what these say is set up once and stays; the values of others change, or are compared as open points
_LASTING = frozenset(
    {
        "server", "via", "x-powered-by", "cache-control", "vary", "pragma", "allow", "content-language",
        "content-encoding", "transfer-encoding", "connection", "strict-transport-security", "x-content-type-options",
        "x-frame-options", "content-security-policy", "referrer-policy", "access-control-allow-origin",
        "access-control-expose-headers", "api-version", "x-api-version",
    }
)  # fmt: skip
_DOCUMENTED = frozenset({"id", "name", "categoryId", "status", "code", "message"})


# what one side shows of a trait at a place: each value, and the first exchange that shows it
_Values = Mapping[str, int]
_Traits = Mapping[tuple[str, str], Mapping[str, _Values]]


def traits(records: Sequence[Record]) -> tuple[list[Divergence], dict[str, int]]:
    """Every trait that is not the same in all `records`; and at how many places each kind was the same."""
    of_sides = [_traits(record) for record in records]
    answered = [_first_of_places(record) for record in records]
    found: dict[tuple[str, str, tuple[str | None, ...]], list[tuple[str, list[_Values]]]] = {}
    same: dict[str, int] = {}
    for key in dict.fromkeys(key for side in of_sides for key in side):
        for place in sorted({place for side in of_sides for place in side.get(key, ())}):
            shown = [side.get(key, {}).get(place, {}) for side in of_sides]
            if key[0] == "header":  # one that is not there shows as much as one that is
                shown = [
                    values or ({"not sent": firsts[place]} if place in firsts else {})
                    for values, firsts in zip(shown, answered, strict=True)
                ]
            given = [set(values) for values in shown if values]
            if all(values == given[0] for values in given):
                same[key[0]] = same.get(key[0], 0) + (len(given) > 1)
            else:
                texts = tuple(_text(values) for values in shown)
                found.setdefault((*key, texts), []).append((place, shown))
    told = [
        Divergence(kind, subject, tuple(place for place, _ in rows), texts, _example(records, rows[0][1]))
        for (kind, subject, texts), rows in found.items()
    ]
    return list(_merged(told, answered)), same


def _text(values: _Values) -> str | None:
    return (", ".join(sorted(filter(None, values))) or "none") if values else None


def _example(records: Sequence[Record], shown: Sequence[_Values]) -> tuple[int | None, ...]:
    """An exchange that shows what only one side does, and on every other side the one that answers to it."""
    own = [
        [index for value, index in values.items() if any(value not in other for other in shown if other)]
        for values in shown
    ]
    # what is there shows more than what is not
    chosen = max(range(len(shown)), key=lambda side: (bool(own[side]), "not sent" not in shown[side], -side))
    index = next(iter([*own[chosen], *shown[chosen].values()]))
    status = records[chosen].entries[index].status
    pair: list[int | None] = []
    for side, record in enumerate(records):
        like = index if side == chosen else record.like(index, records[chosen], status)
        fits = like is not None and record.entries[like].status == status
        pair.append(like if fits else next(iter(shown[side].values()), None))
    return tuple(pair)


def _merged(told: Iterable[Divergence], answered: Sequence[Mapping[str, int]]) -> Iterator[Divergence]:
    """What differs in the same way at the same places as one, and all reason phrases; what is so everywhere says so."""
    groups: dict[tuple[object, ...], list[Divergence]] = {}
    phrases: list[Divergence] = []
    for one in told:
        if one.kind == "reason phrase":
            phrases.append(one)
            continue
        name = one.subject if one.kind != "header" else ""
        groups.setdefault((one.kind, name, one.places, one.values), []).append(one)
    everywhere = set.intersection(*(set(firsts) for firsts in answered))
    for rows in groups.values():
        first = rows[0]
        whole = len(first.places) > 1 and everywhere <= set(first.places)
        yield Divergence(
            first.kind,
            ", ".join(row.subject for row in rows),
            (EVERY_ANSWER,) if whole else first.places,
            first.values,
            first.shown_by,
        )
    if phrases:
        values = tuple(
            ", ".join(f"{'/'.join(one.places)} {value}" for one in phrases if (value := one.values[side])) or None
            for side in range(len(answered))
        )
        yield Divergence("reason phrase", "", ("every answer with that status",), values, phrases[0].shown_by)


def _place(entry: Evidence) -> str:
    return f"{operation_of(entry)} → {entry.status}"


# ---- traits of an answer


def _traits(record: Record) -> _Traits:
    gathered: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for index, entry in sorted(record.entries.items()):
        if tells(entry):
            for kind, subject, place, value in _of_answer(entry):
                gathered.setdefault((kind, subject), {}).setdefault(place, {}).setdefault(value, index)
    return gathered


def _of_answer(entry: Evidence) -> Iterator[tuple[str, str, str, str]]:
    """What one answer shows: kind, subject, place, value."""
    place = _place(entry)
    headers: dict[str, list[str]] = {}
    for name, value in entry.response_headers:
        headers.setdefault(name.lower(), []).append(value)
    for name, values in headers.items():
        yield "header", name, place, "sent"
        if name in _LASTING:
            yield "header value", name, place, ", ".join(values)
    yield "content type", "", place, ", ".join(headers.get("content-type", ["none"]))
    fields = _extra_fields(entry)
    if fields is not None:
        for name in fields or ("",):
            yield "fields", "", place, name
    yield "http version", "", EVERY_ANSWER, entry.http_version
    yield "reason phrase", "", str(entry.status), entry.reason


def _extra_fields(entry: Evidence) -> set[str] | None:
    """The names of members beyond the documented ones; None where the body holds no object."""
    value = json_of(entry)
    objects = [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
    return {name for item in objects for name in item} - _DOCUMENTED if objects else None


def _first_of_places(record: Record) -> dict[str, int]:
    """The operations and statuses that one side has shown, each with its first exchange."""
    firsts: dict[str, int] = {}
    for index, entry in sorted(record.entries.items()):
        if tells(entry):
            firsts.setdefault(_place(entry), index)
    return firsts
