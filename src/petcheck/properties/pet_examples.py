"""Examples for `POST /pets` (section 4.2): NewPets that a server may accept, mixed with defective ones. Pure.

The most revealing come first, so a cap drops the least useful: first the coverage cases of schemathesis, together with
a sweep through the values that the document limits; random cases come later. No example is given twice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import chain, cycle, islice, repeat

from petcheck.call import Call, Form, new_pet_call
from petcheck.judging.request_bodies import PLAIN_NAME_LENGTH
from petcheck.plan.bodies import signs_name, with_category
from petcheck.plan.weaving import fresh, octaves, rotated, turn, woven
from petcheck.properties.defect_examples import DEEP_AND_LONG, DEEP_APART, DIGITS, NESTED, defective_pets
from petcheck.properties.new_pets import Pets, json_body, named, new_pet, of_this_run
from petcheck.properties.pool import Cases
from petcheck.spec.figures import AVAILABLE, INT64_MAX, INT64_MIN, PENDING, SOLD, STATUSES
from petcheck.spec.operations import Operation

_STATUS_OR_NONE = (*STATUSES, None)
# code that tests for truth loses 0, an index from the end takes -1, 32 bits wrap, and a double rounds
UNSEEN = (0, 2**31, -1, 2**32 - 1, INT64_MIN, 2**53 + 1)
"""Categories to try on a service that takes any."""


def creating(
    pets: Pets,
    seed: int,
    known: Collection[bytes],
    cases: Cases,
    created: Callable[[bytes], bool] = lambda _: True,
    own_id: int | None = None,
    failed: Callable[[bytes], bool] = lambda _: False,
) -> Iterator[Call]:
    """NewPets that may be accepted, mixed with defective ones; each has one defect that no `known` body has.

    There are more defective ones, since a refused body leaves nothing behind. `created` says of an earlier body whether
    it got 201, and `failed` whether it got a 5xx or no answer: then its members come alone, since each may be why.
    `own_id` is the id of an animal that the run has created, for a body that names it: with members that nobody knows,
    and without them unless that was accepted.
    """
    drawn = random.Random(f"{seed}/create")  # noqa: S311 - repeatable, not secret
    odd = rotated(_odd(pets), 2, seed, 1)
    accepted = chain(_dense(pets, seed, created), woven(iter(odd), accepted_pets(pets, drawn, seed, cases), 2**62, 1))
    defective = defective_pets(pets, seed, known, cases)
    # no other id: a server that takes it from the body must not overwrite an animal of another client
    named = [] if own_id is None else [_with_id(pets, seed, own_id, f", {_UNKNOWN}, {_TWICE}, {_DEEP}")]
    again = (_with_id(pets, seed, own_id or 0, "") for body in named if not created(body))
    firsts = chain(islice(defective, 3), islice(accepted, 1), named)
    apart = (body for body in DEEP_APART if failed(DEEP_AND_LONG))
    # code that reads members of what is null ends
    bodies = chain(firsts, apart, [b"null"], again, islice(defective, 1), islice(accepted, 1), islice(defective, 1))
    further = chain(woven(defective, accepted, 24, 3), woven(defective, accepted, 2**62, 1))
    # few servers fail on either
    unread = _as_text(pets) if seed % 2 else new_pet_call(_not_utf_8(pets))
    yield from fresh(chain(map(new_pet_call, bodies), [unread], map(new_pet_call, further)))


def _dense(pets: Pets, seed: int, created: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Each asks several questions. First the shortest name, in an animal without a status.

    Then a name with everything that careless servers cannot store: leading spaces, NUL, control characters, an end of
    line as Windows writes it, a letter that is one byte in Latin-1, a code point that some libraries replace, and more
    characters than most databases have room for. Then the name of an animal that the run has created, since a name may
    be taken twice; if the one before was refused, the characters that most servers accept.
    """
    others = islice(cycle(pets.categories), 2, None)  # a run has posted the first two before
    yield new_pet(pets, named(pets.run, 1), None, next(others))
    odd = f"{pets.run} {''.join(map(chr, (*range(0x20), 0x7F)))}\r\né\uffff"
    everything = new_pet(pets, f"  {odd}{named(pets.run, turn((260, 1_100), seed))}", SOLD)
    yield everything
    name = signs_name(pets.run) if created(everything) else f"{odd} z"
    # members have no order (RFC 8259, section 4)
    yield _backwards(new_pet(pets, name, PENDING, _unseen(pets, 2 * seed, next(others))))


def _with_id(pets: Pets, seed: int, own_id: int, members: str) -> bytes:
    """An animal with the id of another one, and further members as JSON text.

    Its name is one that careless code takes for another value, or an empty one; each seed has another one. Its category
    is 0 with every other seed.
    """
    names = (str(int(pets.run, 16)), "null", "true", f"{pets.run}  a--b\\n St.", "")
    category = _unseen(pets, seed % 2 * (seed // 2 + 1))
    return _with_member(new_pet(pets, turn(names, seed), None, category), f'"id": {own_id}{members}')


def _unseen(pets: Pets, place: int, otherwise: int | None = None) -> int | None:
    """One of the categories that nobody has seen; `otherwise` for a service that does not take any."""
    return turn(pets.unseen, place) if pets.unseen else otherwise


def _as_text(pets: Pets) -> Call:
    """A body of a type that no operation takes: where one handler answers for every exception, it gets a 500."""
    body = json_body({"name": f"{pets.run} refused as text", "categoryId": pets.category, "status": ""})
    return replace(new_pet_call(body), form=Form.AS_TEXT)


def _not_utf_8(pets: Pets) -> bytes:
    """A body that is neither JSON nor UTF-8: where a server makes an error message of it, it may end."""
    name = f"{pets.run} refused not UTF-8"
    return json_body({"name": name, "categoryId": pets.category})[:-1].replace(name.encode(), name.encode() + b" \xff")


_UNKNOWN = (
    '"__proto__": {"a": 1}, "category_id": 77, "constructor": null, "$where": "1", "": 0, "a.b": [], "\\u0000": 1'
)
_TWICE = '"twice": 1, "twice": 2'
_DEEP = '"deep": ' + "[" * 200 + "]" * 200


def _unknown_member(pets: Pets) -> str:
    return f'"petcheck": ["{pets.run}"]'


def _odd(pets: Pets) -> Iterator[bytes]:
    """Bodies that crash careless servers: a server may accept or refuse them, and must not fail."""
    run = pets.run
    plain = new_pet(pets, f"{run} odd", SOLD)
    huge = '"digits": ' + "9" * 400
    many = ", ".join(f'"member {number}": {number}' for number in range(1_000))
    # all at once: a failing example is simplified, which shows what it is
    # a server that takes the id from the body must not overwrite an animal
    yield _with_member(plain, f'"id": {-int(run, 16)}, {_UNKNOWN}, {_DEEP}, {huge}, {many}')
    yield _with_member(plain, _unknown_member(pets))
    # Go's `omitempty` leaves out a 0
    yield new_pet(pets, f"  {run} with leading blanks", PENDING, 0)
    yield new_pet(pets, f"{run} \0 NUL", SOLD)
    yield new_pet(pets, named(run, 300), SOLD)
    for members in (_UNKNOWN, _DEEP, huge, many):
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

    UTF-8 cannot write a lone surrogate, JSON has no infinity, Python converts at most 4,300 digits, and many writers
    stop at some depth.
    """
    yield _written(pets, f'"{pets.run} \\ud800 a lone surrogate"')
    odd = new_pet(pets, f"{pets.run} odd", SOLD)
    yield odd.replace(b" odd", b" \xff\xfe")
    for category in (DIGITS, "1e400"):
        yield with_category({"name": f"{pets.run} odd", "status": SOLD}, category)
    for members in ('"text": "\\udfff"', '"huge": 1e400', f'"deeper": {NESTED}', '"no number": NaN'):
        yield _with_member(odd, members)


SPOILING = "lone surrogates, bytes that are not UTF-8, 5,000 digits, 1e400, 3,000 levels, NaN"


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
    lengths = [PLAIN_NAME_LENGTH, 1, *middle, *range(whole - 1, 1, -1)]  # the shortest hold a part of the run's id only
    # careless code takes the second name for no value
    names = (name for length in lengths for name in (named(pets.run, length), *("null",) * (length == lengths[0])))
    plain = map(new_pet, repeat(pets), names, cycle(_STATUS_OR_NONE))
    odd = map(new_pet, repeat(pets), names_beyond_ascii(pets), cycle(_STATUS_OR_NONE))
    doubtful = chain.from_iterable(zip(odd, _long(pets), _categories(pets, drawn), strict=False))
    yield from woven(plain, doubtful, 2**62, 7)
    yield from doubtful
    yield from (
        body
        for call in cases.random(Operation.CREATE_PET, "positive", seed)
        if (body := of_this_run(call.body, pets, refused=False)) is not None
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
    for number in chain((2**31, -1, 2**53 + 1, INT64_MIN, INT64_MAX - 1), islice(octaves(drawn), 2_000)):
        yield new_pet(pets, f"{pets.run} {number}", PENDING, number)


def _backwards(pet: bytes) -> bytes:
    """The same object with its members in the opposite order."""
    return json_body(dict(reversed(json.loads(pet).items())))
