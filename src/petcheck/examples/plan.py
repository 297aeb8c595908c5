"""Which examples a run tries, in which order: what tells most comes first, so that a cap cuts the least.

Each operation has a stream without an end (but where there is no more to try): first the cases that schemathesis plans
for one thing each, with a sweep through what the document bounds; random ones come later. An example that was given
once is not given again, and a body that must be refused is of a kind that no earlier one was of.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, cycle, islice, repeat, zip_longest
from typing import TypeVar

from petcheck.examples.drawing import coverage, random_cases, segment_call
from petcheck.exchange import Operation
from petcheck.judging.interface import LIMIT_MAX, STATUSES
from petcheck.judging.jsontext import INT64_MAX, INT64_MIN, NotJson, kind, parse
from petcheck.judging.newpets import PLAIN_NAME_LENGTH, Due, asked_for
from petcheck.probes import OPEN_LISTS
from petcheck.wire.transport import Call

Item = TypeVar("Item")
_LONGEST_QUERY = 400
_STATUS_OR_NONE = (*STATUSES, None)


# ---- GET /pets


def listing(seed: int) -> Iterator[Call]:
    """Limits and filters: the pairs that the document provides for, between them what it leaves open."""
    drawn = random.Random(f"{seed}/list")  # noqa: S311 - repeatable, not secret
    valid = chain(coverage(Operation.LIST_PETS, "positive"), pairs(drawn))
    free = chain(_open_lists(), random_cases(Operation.LIST_PETS, "negative", seed))
    short = (call for call in free if sum(len(name) + len(value) for name, value in call.query) <= _LONGEST_QUERY)
    yield from _fresh(chain(_woven(valid, short, 24, 2), _woven(valid, short, 2**62, 7)))


def _open_lists() -> Iterator[Call]:
    """What the document leaves open: the questions of the catalogue, then one parameter at a time, then any."""
    for query in (*(tuple(query.items()) for query in reversed(OPEN_LISTS.values())), *_ODD_QUERIES):
        yield Call(Operation.LIST_PETS, query=query)
    planned = list(coverage(Operation.LIST_PETS, "negative"))
    yield from sorted(planned, key=lambda call: len(call.query))


_ODD_QUERIES = (
    (("limit", "0.5"),),
    (("status", ""),),
    (("limit", ""),),
    (("limit", "5"), ("limit", "7")),
    (("page", "2"),),
    (("limit", str(INT64_MAX + 1)),),
)


def pairs(drawn: random.Random) -> Iterator[Call]:
    """Every limit with every status, then every limit alone; each third goes through all limits once."""
    limits = list(range(1, LIMIT_MAX + 1))
    drawn.shuffle(limits)
    for turn in range(len(STATUSES)):
        for place, limit in enumerate(limits):
            status = STATUSES[(place + turn) % len(STATUSES)]
            yield Call(Operation.LIST_PETS, query=(("limit", str(limit)), ("status", status)))
    for limit in limits:
        yield Call(Operation.LIST_PETS, query=(("limit", str(limit)),))


# ---- GET /pets/{petId}


def getting(seed: int) -> Iterator[Call]:
    """Ids over all of int64, the ends and the seams of common integer types first, and other segments."""
    drawn = random.Random(f"{seed}/get")  # noqa: S311 - repeatable, not secret
    ids = chain(
        map(_id, (2**31, 0, -1, 2**32, 2**53 + 1, -(2**31) - 1)),
        coverage(Operation.GET_PET, "positive"),
        map(_id, _octaves(drawn)),
        random_cases(Operation.GET_PET, "positive", seed),
    )
    segments = chain(
        _SEGMENTS[:4],
        coverage(Operation.GET_PET, "negative"),
        _SEGMENTS,
        random_cases(Operation.GET_PET, "negative", seed),
    )
    yield from _fresh(chain(_woven(ids, segments, 36, 2), _woven(ids, segments, 2**62, 4)))


def _id(number: int) -> Call:
    return Call(Operation.GET_PET, pet_id=str(number))


def _octaves(drawn: random.Random) -> Iterator[int]:
    """A number between each two powers of two, on both sides of zero, the larger ones first."""
    while True:
        for power in range(62, 1, -1):
            yield drawn.randrange(2**power, 2 ** (power + 1))
            yield -drawn.randrange(2**power, 2 ** (power + 1))


_SEGMENTS = tuple(
    call
    for call in map(segment_call, ("é", "a" * 300, "1.5", "9" * 400, "%", " 1", "🐈", "1e3", "+1", "0x10", "-", "1;2"))
    if call is not None
)


# ---- POST /pets


@dataclass(frozen=True, slots=True)
class Pets:
    """What the run's animals are made of: its id, 8 characters that begin their names, and a category that exists."""

    run: str
    category: int


def creating(pets: Pets, seed: int, known: Iterable[bytes]) -> Iterator[Call]:
    """NewPets that are valid, doubtful, or defective in one way that no body `known` to have been sent is."""
    drawn = random.Random(f"{seed}/create")  # noqa: S311 - repeatable, not secret
    accepted = chain(_dense(pets), accepted_pets(pets, drawn, seed))
    refused = defective_pets(pets, seed, known)
    bodies = chain(_woven(accepted, refused, 24, 1), _woven(accepted, refused, 2**62, 12))
    yield from _fresh(Call(Operation.CREATE_PET, body=body) for body in bodies)


def _dense(pets: Pets) -> Iterator[bytes]:
    """All of printable ASCII in two names, and a name longer than what most databases keep."""
    signs = [chr(point) for point in range(0x21, 0x7F) if chr(point) not in "0123456789abcdef"]
    room = PLAIN_NAME_LENGTH - len(pets.run)
    yield new_pet(pets, pets.run + "".join(signs[:room]), "sold")
    yield new_pet(pets, pets.run + " ".join(("".join(signs[room:]), "059a"))[:room], None)
    yield new_pet(pets, named(pets.run, 300), "pending")


def accepted_pets(pets: Pets, drawn: random.Random, seed: int) -> Iterator[bytes]:
    """Names of every length that is valid for sure, between them names, lengths and categories of the service's own
    matter.
    """
    whole = len(pets.run)
    middle = list(range(whole, PLAIN_NAME_LENGTH))
    drawn.shuffle(middle)
    lengths = [PLAIN_NAME_LENGTH, 1, *middle, *range(whole - 1, 1, -1)]  # the shortest hold a part of the run's id only
    plain = (
        new_pet(pets, named(pets.run, length), status)
        for length, status in zip(lengths, cycle(_STATUS_OR_NONE), strict=False)
    )
    odd = map(new_pet, repeat(pets), names_beyond_ascii(pets), cycle(_STATUS_OR_NONE))
    doubtful = chain.from_iterable(zip(odd, _long(pets), _categories(pets, drawn), strict=False))
    yield from _woven(plain, doubtful, 2**62, 7)
    yield from doubtful
    yield from (
        body
        for call in random_cases(Operation.CREATE_PET, "positive", seed)
        if (body := _of_this_run(call.body, pets, refused=False)) is not None
    )


def names_beyond_ascii(pets: Pets) -> Iterator[str]:
    """Names that hold blocks of Unicode, ninety characters each: the more usual the script, the sooner."""
    points = chain(
        range(0xA0, 0x180), range(0x1F600, 0x1F650), range(0x2010, 0x2070), range(0x370, 0x500), range(0x4E00, 0x4E78),
        range(1, 0x20), range(0x7F, 0xA0), range(0x5D0, 0x5EB), range(0x620, 0x660), range(0x300, 0x370),
        range(0xFF00, 0xFF60), range(0x180, 0x2B0), range(0x20A0, 0x2200), range(0xFFF0, 0x10000),
        range(0x1F300, 0x1F600), range(0x500, 0xD800), range(0xE000, 0x110000),
    )  # fmt: skip
    while block := "".join(map(chr, islice(points, 90))):
        yield pets.run + block


def _long(pets: Pets) -> Iterator[bytes]:
    for length in (51, 256, 101, 65, 1_025, 129, 4_097, 513, 2_049, 65_536, 8_193):
        yield new_pet(pets, named(pets.run, length), "sold")


def _categories(pets: Pets, drawn: random.Random) -> Iterator[bytes]:
    for number in chain((2**31, 0, -1, 2**53 + 1, INT64_MIN, INT64_MAX - 1), islice(_octaves(drawn), 2_000)):
        yield new_pet(pets, f"{pets.run} {number}", "pending", number)


def defective_pets(pets: Pets, seed: int, known: Iterable[bytes]) -> Iterator[bytes]:
    """Bodies with one defect each, first one of every kind that no `known` body is of, then random ones."""
    told = {defect for body in known if (defect := _defect(body))}
    planned = [*(call.body for call in coverage(Operation.CREATE_PET, "negative")), *_MORE]
    kinds: dict[str, list[bytes]] = {}
    for body in (_of_this_run(body, pets, refused=True) for body in planned):
        defect = _defect(body) if body is not None else None
        if body is not None and defect is not None and defect not in told:
            told.add(defect)
            kinds.setdefault(defect.partition(" ")[0], []).append(body)
    yield from (body for bodies in zip_longest(*kinds.values()) for body in bodies if body is not None)
    for call in random_cases(Operation.CREATE_PET, "negative", seed):
        body = _of_this_run(call.body, pets, refused=True)
        if body is not None and _defect(body) is not None:
            yield body


_MORE = (
    b"{}",
    b'{"name": "Rex", "categoryId": 1, "status": ""}',
    b'{"name": "Rex", "categoryId": 1, "status": " sold"}',
    b'{"name": "Rex", "categoryId": "", "status": "sold"}',
    b'{"name": "Rex", "categoryId": 1',
    b'"Rex"',
)


def _defect(body: bytes) -> str | None:
    """What is wrong with a body, in words; None where nothing certainly is."""
    asked = asked_for(body, ())
    return f"{asked.requirement} {asked.what}" if asked.due is Due.REFUSED else None


def _of_this_run(body: bytes | None, pets: Pets, *, refused: bool) -> bytes | None:
    """A drawn body with a name of this run and, where it is an integer, a category that exists; None where what it is
    about is open. What follows in the name, and a category beyond int64, is as drawn.
    """
    try:
        value = parse(body or b"")
    except NotJson:
        return body
    if not isinstance(value, dict):
        return body
    members = {name: value[name] for name in ("name", "categoryId", "status") if name in value}
    name, category = members.get("name"), members.get("categoryId")
    if isinstance(name, str):
        # what is refused carries a name that nothing has which was accepted, in an earlier run either
        members["name"] = f"{pets.run} refused {name}" if refused else f"{pets.run} {name}"
    if kind(category) == "an integer" and isinstance(category, int) and INT64_MIN <= category <= INT64_MAX:
        members["categoryId"] = pets.category
    try:
        return json.dumps(members, ensure_ascii=False, default=float).encode()
    except (UnicodeEncodeError, TypeError):
        return None


def new_pet(pets: Pets, name: str, status: str | None, category: int | None = None) -> bytes:
    """A NewPet as bytes, in the known category unless another is given."""
    members: dict[str, object] = {"name": name, "categoryId": pets.category if category is None else category}
    return json.dumps(members | ({"status": status} if status else {}), ensure_ascii=False).encode()


def named(run: str, length: int) -> str:
    """A name of that many characters of printable ASCII; it begins with the run's id, or is its beginning."""
    signs = "".join(chr(ord("a") + place * 7 % 26) for place in range(max(0, length - len(run))))
    return (run + signs)[:length]


# ---- how streams are put together


def _woven(main: Iterator[Item], other: Iterator[Item], length: int, several: int) -> Iterator[Item]:
    """So many items, `several` of the main stream to one of the other; of one alone where the other has ended."""
    turn = cycle([main] * several + [other])
    given = misses = 0
    while given < length and misses <= several + 1:
        try:
            item = next(next(turn))
        except StopIteration:
            misses += 1
            continue
        misses = 0
        given += 1
        yield item


_REMEMBERED = 50_000


def _fresh(calls: Iterable[Call], *, key: Callable[[Call], object] = hash) -> Iterator[Call]:
    """Calls that were not given before, as far as the latest ones are remembered."""
    given: dict[object, None] = {}
    for call in calls:
        mark = key(call)
        if mark in given:
            continue
        given[mark] = None
        if len(given) > _REMEMBERED:
            del given[next(iter(given))]
        yield call
