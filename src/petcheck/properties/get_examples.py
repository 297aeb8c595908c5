"""Examples for `GET /pets/{petId}` and `GET /store/orders` (sections 4.3 and 4.4), most revealing first. Pure."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from itertools import chain

from petcheck.call import Call
from petcheck.plan.weaving import fresh, octaves, rotated, turn, woven
from petcheck.properties.pool import Cases, segment_call
from petcheck.spec.figures import INT64_MAX, INT64_MIN, PENDING, SOLD
from petcheck.spec.operations import Operation


def getting(
    seed: int, cases: Cases, known: Collection[int] = (), *, whole: bool = True, newest: bool = True
) -> Iterator[Call]:
    """The id after the `known` ones, or by turns one between them; then segments that are not an int64, by turns with
    ids over all of int64, the limits of common integer types first.

    Unless the known ones are the `whole` store, an animal may have an id between them; unless they have the `newest`
    too, others may come after them, so that the first id is a positive one far away.
    """
    drawn = random.Random(f"{seed}/get")  # noqa: S311 - repeatable, not secret
    # many databases refuse what is beyond int64 with an error; validation refuses the others, code that tests for truth
    # loses 0, and an index from the end takes -1
    edges = [INT64_MAX, 2**53 + 1, INT64_MIN, 2**31, -(2**31) - 1, 2**32]
    odd = (INT64_MAX + 1, turn((0, INT64_MAX, 0, INT64_MIN), seed // 4))
    near = list(_near(known)) if newest else []
    near = (near[::-1] if whole and seed % 2 else near) or [drawn.randrange(*_FAR)]
    edges += near[1:] if whole else []
    ids = chain(
        map(_id, [*odd, *rotated(edges, 0, seed, 1), -1, 0]),
        cases.coverage(Operation.GET_PET, "positive"),
        map(_id, octaves(drawn)),
        cases.random(Operation.GET_PET, "positive", seed),
    )
    segments = chain(
        rotated(_SEGMENTS[:_FIRST_SEGMENTS], 0, seed, 1),
        cases.coverage(Operation.GET_PET, "negative"),
        _SEGMENTS,
        cases.random(Operation.GET_PET, "negative", seed),
    )
    # a default run has requests for two: the second is another id with every fourth seed, or else a segment
    alone = 2 if seed % 4 == 3 else 1
    turns = chain(woven(ids, segments, 3, alone), woven(ids, segments, 36, 3), woven(ids, segments, 2**62, 4))
    yield from fresh(chain(map(_id, near[:1]), turns))


def _near(known: Collection[int]) -> Iterator[int]:
    """The id after the last, and one in a gap, if there are any."""
    if known:
        last = max(known)
        gap = next((number for number in sorted(known) if number + 1 not in known and number != last), None)
        yield from (number + 1 for number in (last, gap) if number is not None and number < INT64_MAX)


def _id(number: int) -> Call:
    return Call(Operation.GET_PET, pet_id=str(number))


_FAR = 10**8, 2**31  # beyond the ids of most stores, and within those of most databases

# careless code takes `²` for a digit, and every object of JavaScript has a constructor; no parser takes the first for a
# number, few fields have room for it, and it is not UTF-8
_TEXTS = (
    *("é\udcff" + "a" * 300, "constructor", "²", "é\udcff" + "a" * 300, "1.5"),
    *("é", "\udcff", "a" * 300, "007", "+1", "%", " 1", "🐈", "1e3", "0x10", "-", "1;2"),
)
_SEGMENTS = tuple(call for call in map(segment_call, _TEXTS) if call is not None)
_FIRST_SEGMENTS = 5


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
