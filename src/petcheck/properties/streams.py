"""Which examples a run tries, in which order: most revealing first, so a cap drops the least useful.

Each operation has an endless stream, unless it runs out of things to try: first the coverage cases of schemathesis,
together with a sweep through the values that the document limits; random cases come later. No example is given twice,
and each body that must be refused has a kind of defect that no earlier one had.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, cycle, islice, repeat, zip_longest
from typing import TypeVar

from petcheck.call import Call
from petcheck.json_values import kind, parse
from petcheck.judging.request_bodies import PLAIN_NAME_LENGTH, Due, asked_for
from petcheck.plan.bodies import signs_name
from petcheck.properties.cases import Cases, segment_call
from petcheck.spec.figures import (
    AVAILABLE,
    INT64_MAX,
    INT64_MIN,
    LIMIT_DEFAULT,
    LIMIT_MAX,
    LIMIT_MIN,
    OPEN_LISTS,
    PENDING,
    SOLD,
    STATUSES,
)
from petcheck.spec.operations import Operation

Item = TypeVar("Item")
_LONGEST_QUERY = 400
_STATUS_OR_NONE = (*STATUSES, None)


# ---- GET /pets


def listing(seed: int, cases: Cases) -> Iterator[Call]:
    """Limits and filters: the pairs that the document allows, with open ones in between."""
    drawn = random.Random(f"{seed}/list")  # noqa: S311 - repeatable, not secret
    valid = chain(_named_pairs(drawn), cases.coverage(Operation.LIST_PETS, "positive"), pairs(drawn))
    free = chain(_open_lists(cases, drawn), cases.random(Operation.LIST_PETS, "negative", seed))
    short = (call for call in free if sum(len(name) + len(value) for name, value in call.query) <= _LONGEST_QUERY)
    # open ones first: what a run that only reads asks, one with few requests left asks too
    yield from _fresh(chain(_woven(short, valid, 9, 2), _woven(valid, short, 24, 3), _woven(valid, short, 2**62, 7)))


def _named_pairs(drawn: random.Random) -> Iterator[Call]:
    """Every limit in the document, and none, with every status, and none: some fail only together.

    Every other one has a limit that the document does not name: a server may know only those that it names.
    """
    named = [_page(limit, status) for limit in _LIMITS for status in _STATUS_OR_NONE]
    for pair in (named[0], *drawn.sample(named[1:], len(named) - 1)):
        yield pair
        yield _page(drawn.choice(_UNNAMED), drawn.choice(_STATUS_OR_NONE))


_LIMITS = (None, LIMIT_MIN, LIMIT_DEFAULT, LIMIT_MAX)
_UNNAMED = tuple(limit for limit in range(LIMIT_MIN + 1, LIMIT_MAX) if limit != LIMIT_DEFAULT)


def _page(limit: int | None, status: str | None) -> Call:
    query = (("limit", limit and str(limit)), ("status", status))
    return Call(Operation.LIST_PETS, query=tuple((name, value) for name, value in query if value))


def _open_lists(cases: Cases, drawn: random.Random) -> Iterator[Call]:
    """Queries that the document leaves open: the catalogue's open points, then one parameter at a time, then any.

    Few runs have requests for all of them: a query with several unknown and repeated parameters comes first, and a
    negative limit, which many databases refuse or take for no limit. The seed draws the order of the others.
    """
    named = [tuple(query.items()) for query in OPEN_LISTS.values()]
    odd = drawn.sample(_ODD_QUERIES[1:], len(_ODD_QUERIES) - 1)
    for query in (_ODD_QUERIES[0], _NEGATIVE, *drawn.sample(named, len(named)), *odd):
        yield Call(Operation.LIST_PETS, query=query)
    planned = list(cases.coverage(Operation.LIST_PETS, "negative"))
    yield from sorted(planned, key=lambda call: len(call.query))


_NEGATIVE = tuple(OPEN_LISTS["limit-negative"].items())
_ODD_QUERIES = (
    # Express and PHP make a list of what repeats or has brackets; a limit that repeats is often refused before that
    (("status", PENDING), ("status", SOLD), ("status[]", SOLD), ("petcheck", "1")),
    (("limit", "5"), ("limit", "7")),
    (("limit", "1000"), ("status", AVAILABLE)),
    (("limit", "0.5"),),
    (("limit", str(10**23)),),
    (("status", "\udcff"),),
    (("limit", "²"),),
    (("status", ""),),
    # what every object has, in a lookup of a careless server
    (("status", "constructor"),),
    (("limit", "1e3"), ("status", "__proto__")),
    (("status", "\0"),),
    (("limit", ""),),
    (("page", "2"), ("limit[]", "5"), ("status[a]", SOLD)),
    (("limit", "1000"),),
)


def pairs(drawn: random.Random) -> Iterator[Call]:
    """Every limit, alone and with every status; each quarter has every limit once and mixes all statuses."""
    limits = list(range(1, LIMIT_MAX + 1))
    drawn.shuffle(limits)
    for turn in range(len(_STATUS_OR_NONE)):
        for place, limit in enumerate(limits):
            status = _STATUS_OR_NONE[(place + turn) % len(_STATUS_OR_NONE)]
            yield _page(limit, status)


# ---- GET /pets/{petId}


def getting(seed: int, cases: Cases, known: Collection[int] = ()) -> Iterator[Call]:
    """Ids near the `known` ones, then over all of int64, the limits of common integer types first; other segments."""
    drawn = random.Random(f"{seed}/get")  # noqa: S311 - repeatable, not secret
    edges = [-1, 0, INT64_MAX, INT64_MIN, 2**31, 2**32, 2**53 + 1, -(2**31) - 1]
    near = list(_near(known))
    edges += near[1:]
    ids = chain(
        map(_id, near[:1]),
        map(_id, drawn.sample(edges, len(edges))),
        cases.coverage(Operation.GET_PET, "positive"),
        map(_id, _octaves(drawn)),
        cases.random(Operation.GET_PET, "positive", seed),
    )
    first = _SEGMENTS[:_FIRST_SEGMENTS]
    segments = chain(
        drawn.sample(first, len(first)),
        cases.coverage(Operation.GET_PET, "negative"),
        _SEGMENTS,
        cases.random(Operation.GET_PET, "negative", seed),
    )
    yield from _fresh(chain(_woven(ids, segments, 36, 2), _woven(ids, segments, 2**62, 4)))


def _near(known: Collection[int]) -> Iterator[int]:
    """The id after the last, and one in a gap, if there are any."""
    if known:
        last = max(known)
        gap = next((number for number in sorted(known) if number + 1 not in known and number != last), None)
        yield from (number + 1 for number in (last, gap) if number is not None and number < INT64_MAX)


def _id(number: int) -> Call:
    return Call(Operation.GET_PET, pet_id=str(number))


def _octaves(drawn: random.Random) -> Iterator[int]:
    """A number between each pair of adjacent powers of two, positive and negative, larger ones first."""
    while True:
        for power in range(62, 1, -1):
            yield drawn.randrange(2**power, 2 ** (power + 1))
            yield -drawn.randrange(2**power, 2 ** (power + 1))


# careless code takes `²` for a digit, and Python converts at most 4,300 digits
_TEXTS = ("é", "\udcff", "²", "9" * 5_000, "007", "+1", "a" * 300, "1.5", "%", " 1", "🐈", "1e3", "0x10", "-", "1;2")
_SEGMENTS = tuple(call for call in map(segment_call, _TEXTS) if call is not None)
_FIRST_SEGMENTS = 6


# ---- GET /store/orders


def ordering() -> Iterator[Call]:
    """Parameters that the operation may not know: they must not crash it."""
    for query in (
        (("limit", "0"), ("status", "petcheck")),
        (("limit", "abc"), ("page", "-1")),
        (("status", PENDING), ("status", SOLD), ("status[]", SOLD)),
        (("id", str(INT64_MAX + 1)), ("limit", "")),
    ):
        yield Call(Operation.STORE_ORDERS, query=query)


# ---- POST /pets


@dataclass(frozen=True, slots=True)
class Pets:
    """The run's id, 8 characters that begin the names of its animals, and categories that exist, at least one."""

    run: str
    categories: tuple[int, ...]

    @property
    def category(self) -> int:
        """The category of most animals."""
        return self.categories[0]


def creating(
    pets: Pets,
    seed: int,
    known: Iterable[bytes],
    cases: Cases,
    created: Callable[[bytes], bool] = lambda _: True,
    own_id: int | None = None,
) -> Iterator[Call]:
    """NewPets that may be accepted, mixed with defective ones; each has one defect that no `known` body has.

    There are more defective ones, since a refused body leaves nothing behind. `created` says of an earlier body whether
    it got 201. `own_id` is the id of an animal that the run has created, for a body that names it.
    """
    drawn = random.Random(f"{seed}/create")  # noqa: S311 - repeatable, not secret
    odd = _drawn(_odd(pets), drawn, 2)
    accepted = chain(_dense(pets, created), _woven(iter(odd), accepted_pets(pets, drawn, seed, cases), 2**62, 1))
    # first, a server may read members of what is null, and the body of a request that has none
    refused = chain([b"null", None], defective_pets(pets, seed, known, cases))
    # no other id: a server that takes it from the body must not overwrite an animal of another client
    named = () if own_id is None else (_with_member(new_pet(pets, f"{pets.run} with an id", None), f'"id": {own_id}'),)
    bodies = chain(named, islice(accepted, 1), _woven(refused, accepted, 24, 3), _woven(refused, accepted, 2**62, 1))
    yield from _fresh(Call(Operation.CREATE_PET, body=body) for body in bodies)


def _dense(pets: Pets, created: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Each asks several questions. First a name with everything that careless servers cannot store: leading spaces,
    NUL, control characters, and more characters than most databases have room for. Then the name of an animal that the
    run has created, since a name may be taken twice. Then the shortest name, in an animal without a status. If the
    first was refused, the characters that most servers accept follow by themselves.
    """
    controls = "".join(map(chr, (*range(0x20), 0x7F)))
    everything = new_pet(pets, f"  {pets.run} {controls}{named(pets.run, 260)}", PENDING)
    yield everything
    others = islice(cycle(pets.categories), 2, None)  # a run has posted the first two before
    # members have no order (RFC 8259, section 4)
    yield _backwards(new_pet(pets, signs_name(pets.run), SOLD, next(others)))
    yield new_pet(pets, named(pets.run, 1), None, next(others))
    if not created(everything):
        yield _with_member(new_pet(pets, f"{pets.run} {controls} z", SOLD), _unknown_member(pets))


def _unknown_member(pets: Pets) -> str:
    return f'"petcheck": ["{pets.run}"]'


def _odd(pets: Pets) -> Iterator[bytes]:
    """Bodies that crash careless servers: a server may accept or refuse them, and must not fail."""
    run = pets.run
    plain = new_pet(pets, f"{run} odd", SOLD)
    # a server that takes the id from the body must not overwrite an animal
    unknown = '"__proto__": {"a": 1}, "constructor": null, "$where": "1", "": 0, "a.b": [], "\\u0000": 1'
    deep, huge = '"deep": ' + "[" * 200 + "]" * 200, '"digits": ' + "9" * 400
    many = ", ".join(f'"member {number}": {number}' for number in range(1_000))
    # all at once: a failing example is simplified, which shows what it is
    yield _with_member(plain, f'"id": {-int(run, 16)}, {unknown}, {deep}, {huge}, {many}')
    yield _with_member(plain, _unknown_member(pets))
    yield plain.replace(b" odd", b" \xff\xfe")
    # Go's `omitempty` leaves out a 0
    yield new_pet(pets, f"  {run} with leading blanks", PENDING, 0)
    yield new_pet(pets, f"{run} \0 NUL", SOLD)
    yield new_pet(pets, named(run, 300), SOLD)
    for members in (unknown, deep, huge, many):
        yield _with_member(plain, members)
    yield new_pet(pets, "", AVAILABLE)
    yield _with_member(plain, '"name": "twice", "name": ' + json.dumps(f"{run} twice"))
    yield plain + b" {}"
    yield b"\xef\xbb\xbf" + new_pet(pets, f"{run} after a byte order mark", SOLD)
    yield new_pet(pets, f"{run} category 0", SOLD, 0)
    yield plain[:-1] + b",}"
    yield b"/* a comment */ " + plain
    yield new_pet(pets, f"{run} UTF-16", SOLD).decode().encode("utf-16")
    yield new_pet(pets, " ", None)


def spoiling(pets: Pets) -> Iterator[bytes]:
    """Animals that a server may store and then fail to read for everybody; `SPOILING` says what they hold.

    UTF-8 cannot write a lone surrogate, JSON has no infinity, and many writers stop at some depth.
    """
    yield _written(pets, f'"{pets.run} \\ud800 a lone surrogate"')
    odd = new_pet(pets, f"{pets.run} odd", SOLD)
    for members in ('"text": "\\udfff"', '"huge": 1e400', '"deeper": ' + "[" * 3_000 + "]" * 3_000, '"no number": NaN'):
        yield _with_member(odd, members)


SPOILING = "lone surrogates, 1e400, 3,000 levels, NaN"


def _written(pets: Pets, name: str) -> bytes:
    """A NewPet; `name` is JSON text."""
    return f'{{"name": {name}, "categoryId": {pets.category}, "status": "{SOLD}"}}'.encode()


def _with_member(pet: bytes, members: str) -> bytes:
    """An object with more members; `members` is JSON text."""
    return pet[:-1] + b", " + members.encode() + b"}"


def accepted_pets(pets: Pets, drawn: random.Random, seed: int, cases: Cases) -> Iterator[bytes]:
    """Names of every length that is certainly valid, mixed with names, lengths and categories that may be refused."""
    whole = len(pets.run)
    middle = list(range(whole, PLAIN_NAME_LENGTH))
    drawn.shuffle(middle)
    lengths = [PLAIN_NAME_LENGTH, *middle, *range(whole - 1, 1, -1)]  # the shortest hold a part of the run's id only
    # careless code takes the second name for no value
    names = (name for length in lengths for name in (named(pets.run, length), *("null",) * (length == lengths[0])))
    plain = map(new_pet, repeat(pets), names, cycle(_STATUS_OR_NONE))
    odd = map(new_pet, repeat(pets), names_beyond_ascii(pets), cycle(_STATUS_OR_NONE))
    doubtful = chain.from_iterable(zip(odd, _long(pets), _categories(pets, drawn), strict=False))
    yield from _woven(plain, doubtful, 2**62, 7)
    yield from doubtful
    yield from (
        body
        for call in cases.random(Operation.CREATE_PET, "positive", seed)
        if (body := _of_this_run(call.body, pets, refused=False)) is not None
    )


def names_beyond_ascii(pets: Pets) -> Iterator[str]:
    """Names with blocks of Unicode, ninety characters each, the most common scripts first."""
    points = chain(
        range(0xA0, 0x180), range(0x1F600, 0x1F650), range(0x2010, 0x2070), range(0x370, 0x500), range(0x4E00, 0x4E78),
        range(1, 0x20), range(0x7F, 0xA0), range(0x5D0, 0x5EB), range(0x620, 0x660), range(0x300, 0x370),
        range(0xFF00, 0xFF60), range(0x180, 0x2B0), range(0x20A0, 0x2200), range(0xFFF0, 0x10000),
        range(0x1F300, 0x1F600), range(0x500, 0xD800), range(0xE000, 0x110000),
    )  # fmt: skip
    while block := "".join(map(chr, islice(points, 90))):
        yield pets.run + block


def _long(pets: Pets) -> Iterator[bytes]:
    for length in (101, 256, 51, 65, 1_025, 129, 4_097, 513, 2_049, 65_536, 8_193):
        yield new_pet(pets, named(pets.run, length), SOLD)


def _categories(pets: Pets, drawn: random.Random) -> Iterator[bytes]:
    for number in chain((2**31, -1, 2**53 + 1, INT64_MIN, INT64_MAX - 1), islice(_octaves(drawn), 2_000)):
        yield new_pet(pets, f"{pets.run} {number}", PENDING, number)


def defective_pets(pets: Pets, seed: int, known: Iterable[bytes], cases: Cases) -> Iterator[bytes]:
    """Bodies with one defect each: realistic ones, then one of each kind that no `known` body has, then random ones.

    To a server, defects that differ only in the spelling of a status are of one kind. The realistic ones are all sent.
    """
    yield from _drawn(_realistic(pets), random.Random(f"{seed}/defects"), 4)  # noqa: S311 - repeatable, not secret
    seen = {defect for body in (*known, *_realistic(pets)) if (defect := _defect(body))}
    planned = [*(call.body for call in cases.coverage(Operation.CREATE_PET, "negative")), *_MORE]
    kinds: dict[str, list[bytes]] = {}
    for body in (_of_this_run(body, pets, refused=True) for body in planned):
        defect = _defect(body) if body is not None else None
        if body is not None and defect is not None and defect not in seen:
            seen.add(defect)
            kinds.setdefault(defect.partition(" ")[0], []).append(body)
    yield from (body for bodies in zip_longest(*kinds.values()) for body in bodies if body is not None)
    for call in cases.random(Operation.CREATE_PET, "negative", seed):
        body = _of_this_run(call.body, pets, refused=True)
        if body is not None and _defect(body) is not None:
            yield body


def _realistic(pets: Pets) -> Iterator[bytes]:
    """Defects that people make, and those that a parser causes; the likeliest to be accepted come first."""

    def pet(what: str, **members: object) -> dict[str, object]:
        whole = {"name": f"{pets.run} refused {what}", "categoryId": pets.category, "status": SOLD}
        return {key: value for key, value in (whole | members).items() if value is not _LEFT_OUT}

    def written(what: str, category: str) -> bytes:
        return json.dumps(pet(what, categoryId=_LEFT_OUT))[:-1].encode() + f', "categoryId": {category}}}'.encode()

    yield _json(pet("empty status", status=""))
    yield _json(pet("list as status", status=[SOLD]))  # cannot be a key of a dictionary, so a lookup crashes
    yield _json(pet("padded status", status=f" {SOLD} "))
    yield written("beyond any range", "1e400")
    yield _json(pet("capital letter", categoryId=_LEFT_OUT) | {"CategoryId": pets.category})
    yield _json(pet("newline after status", status=f"{SOLD}\n"))  # `$` in a regular expression may match before it
    yield _json(json.dumps(pet("text in text")))
    yield _json(pet("capital status", status=SOLD.capitalize()))
    yield _json(pet("inherited name", status="constructor"))  # JavaScript finds it in every object
    yield written("below int64", str(INT64_MIN - 1))
    yield b"{}"
    yield b"null"
    # Python converts at most 4,300 digits
    yield written("5,000 digits", "9" * 5_000)
    yield _json(pet("list as name", name=["Rex"]))
    yield _json({key[0].upper() + key[1:]: value for key, value in pet("capital names").items()})
    yield _json(pet("name in capitals", name=_LEFT_OUT) | {"NAME": f"{pets.run} refused name in capitals"})
    yield _json(pet("list as category", categoryId=[pets.category]))
    yield _json(pet("snake case", categoryId=_LEFT_OUT) | {"category_id": pets.category})
    yield _json(pet("number as status", status=0))
    yield _json(pet("true as status", status=True))
    yield b"7"
    yield _json(pet("empty category", categoryId=""))
    yield f"name={pets.run}+refused+form&categoryId={pets.category}&status={SOLD}".encode()
    yield _json(pet("object as category", categoryId={"id": pets.category}))
    yield b"[" * 200 + b"]" * 200
    yield _json(pet("object as name", name={"first": "Rex"}))
    yield _json({"name": f"{pets.run} refused deep", "categoryId": pets.category, "status": _deep(200)})
    yield _json(pet("padded category", categoryId=f" {pets.category} "))
    yield _json(pet("true as name", name=True))
    yield _json(pet("false as status", status=False))
    yield _json(pet("beyond below", categoryId=INT64_MIN - 1))
    yield _json({"pet": pet("wrapped in an object")})
    yield b"[" * 3_000 + b"]" * 3_000


_LEFT_OUT = object()


def _deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


_MORE = (b'{"name": "Rex", "categoryId": 1', b'"Rex"')


def _defect(body: bytes) -> str | None:
    """What is wrong with a body, in words; None without a certain defect."""
    asked = asked_for(body, ())
    return f"{asked.requirement} {asked.what}" if asked.due is Due.REFUSED else None


def _of_this_run(body: bytes | None, pets: Pets, *, refused: bool) -> bytes | None:
    """A generated body with this run's id in its name and, if its category is an int64, one that exists; the rest of
    the name stays. None if the body cannot be written.
    """
    value = parse(body or b"").value
    if not isinstance(value, dict):
        return body
    members = {name: value[name] for name in ("name", "categoryId", "status") if name in value}
    name, category = members.get("name"), members.get("categoryId")
    if isinstance(name, str):
        # a refused body has a name that no accepted animal has, of this run or an earlier one
        members["name"] = f"{pets.run} refused {name}" if refused else f"{pets.run} {name}"
    if kind(category) == "an integer" and isinstance(category, int) and INT64_MIN <= category <= INT64_MAX:
        members["categoryId"] = pets.category
    try:
        return json.dumps(members, ensure_ascii=False, default=float).encode()
    except (UnicodeEncodeError, TypeError):
        return None


def _backwards(pet: bytes) -> bytes:
    """The same object with its members in the opposite order."""
    return _json(dict(reversed(json.loads(pet).items())))


def new_pet(pets: Pets, name: str, status: str | None, category: int | None = None) -> bytes:
    """A NewPet as bytes, in the known category unless another is given."""
    members: dict[str, object] = {"name": name, "categoryId": pets.category if category is None else category}
    return json.dumps(members | ({"status": status} if status else {}), ensure_ascii=False).encode()


def named(run: str, length: int) -> str:
    """A name of `length` printable ASCII characters: the run's id and more, or its beginning; `0` for length 1."""
    if length == 1:
        return "0"  # PHP treats it as empty, other languages as a number
    signs = "".join(chr(ord("a") + place * 7 % 26) for place in range(max(0, length - len(run))))
    return (run + signs)[:length]


# ---- how streams are put together


def _drawn(items: Iterable[Item], drawn: random.Random, first: int) -> list[Item]:
    """The `first` of the items, and the others in the order that the seed draws: few runs have requests for all."""
    every = list(items)
    rest = every[first:]
    return [*every[:first], *drawn.sample(rest, len(rest))]


def _woven(main: Iterator[Item], other: Iterator[Item], length: int, several: int) -> Iterator[Item]:
    """`length` items, `several` of the main stream for each of the other; from one alone once the other has ended."""
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


def _fresh(calls: Iterable[Call]) -> Iterator[Call]:
    """Calls without duplicates, as far as the latest ones are remembered."""
    given: dict[int, None] = {}
    for call in calls:
        mark = hash(call)
        if mark in given:
            continue
        given[mark] = None
        if len(given) > _REMEMBERED:
            del given[next(iter(given))]
        yield call
