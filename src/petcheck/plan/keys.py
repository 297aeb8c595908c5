"""Section 5: which kind of invalid key goes with which operation and which second defect. Pure.

A server may accept one kind of key on one operation only, so the pairs are many and a run asks for some of them: those
that a pass needs, then as many others as it has requests for. The seed draws them, so repeated runs ask for all.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product

from petcheck.exchange import Call, Credential, page_call
from petcheck.judging.judgement import Record
from petcheck.judging.pages import animals_in
from petcheck.judging.rules.authentication import INVALID, SURELY_INVALID
from petcheck.plan.bodies import TELLTALE_STATUS, keyless_pet
from petcheck.spec.figures import AVAILABLE, LIMIT_MAX, LIMIT_MIN, PENDING, SOLD
from petcheck.spec.operations import Operation
from petcheck.wire.api import Members

_MISSING, _EMPTY, _RANDOM = Credential.MISSING, Credential.EMPTY, Credential.RANDOM


class Wrong(Enum):
    """What else is wrong with, or special about, a request with an invalid key."""

    NOTHING = "nothing else"
    FILTER = "a filter"
    LIMIT = "a limit out of bounds"
    STATUS = "an unknown status"
    UNKNOWN_ID = "an unknown id"
    NO_CATEGORY = "a body without a category"
    NO_JSON = "a body that is not JSON"
    NO_BODY = "no body"


DEFECTS = {
    Operation.LIST_PETS: (Wrong.LIMIT, Wrong.STATUS),
    Operation.GET_PET: (Wrong.UNKNOWN_ID,),
    Operation.CREATE_PET: (Wrong.NO_CATEGORY, Wrong.NO_JSON, Wrong.NO_BODY),
    Operation.STORE_ORDERS: (),
}
"""What a careless server looks at before the key (AUTH-5), for each operation."""

_OTHERWISE_RIGHT = {
    Operation.LIST_PETS: (Wrong.NOTHING, Wrong.FILTER),
    Operation.GET_PET: (Wrong.NOTHING,),
    Operation.CREATE_PET: (Wrong.NOTHING,),
    Operation.STORE_ORDERS: (Wrong.NOTHING,),
}


@dataclass(frozen=True, slots=True)
class KeyCell:
    """One thing to ask: a kind of invalid key, on an operation, in a request that may be wrong in another way too."""

    key: Credential
    operation: Operation
    wrong: Wrong

    @property
    def requirement(self) -> str:
        """The requirement that says that this kind of key is refused."""
        return next(name for name, kinds in INVALID.items() if self.key in kinds)

    @property
    def pair(self) -> tuple[Credential, Operation]:
        """The kind of key and the operation."""
        return self.key, self.operation


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """The cells that a pass needs, and the others in the order in which they are worth a request."""

    needed: tuple[KeyCell, ...]
    others: tuple[KeyCell, ...]


def key_plan(seed: str, operations: Collection[Operation]) -> KeyPlan:
    """Draw what is asked on the operations that a run may call.

    Needed are a missing, an empty and a random key on each, the missing one both in a request that is otherwise right
    and beside each operation's defects; and each other kind once, on each operation as many as on any other.
    """
    drawn = random.Random(f"{seed}/keys")  # noqa: S311 - repeatable, not secret
    ours = [operation for operation in Operation if operation in operations]
    needed = [KeyCell(_MISSING, op, drawn.choice(_OTHERWISE_RIGHT[op])) for op in ours]
    needed += [KeyCell(_MISSING, op, drawn.choice(DEFECTS[op])) for op in ours if DEFECTS[op]]
    needed += [KeyCell(key, op, drawn.choice(_options(op))) for key in (_RANDOM, _EMPTY) for op in ours]
    for kinds in INVALID.values():
        asked = {cell.pair for cell in needed}
        rest = [key for key in kinds if key in SURELY_INVALID and not any(key is known for known, _ in asked)]
        needed += _spread(rest, ours, drawn)
    return KeyPlan(tuple(needed), tuple(_others(needed, ours, drawn)))


def _spread(kinds: Sequence[Credential], operations: Sequence[Operation], drawn: random.Random) -> Iterator[KeyCell]:
    """Each kind on one operation, no operation twice before each had one."""
    shuffled: list[Operation] = []
    for key in drawn.sample(kinds, len(kinds)):
        shuffled = shuffled or drawn.sample(operations, len(operations))
        operation = shuffled.pop()
        yield KeyCell(key, operation, drawn.choice(_OTHERWISE_RIGHT[operation]))


def _others(needed: Sequence[KeyCell], operations: Sequence[Operation], drawn: random.Random) -> Iterator[KeyCell]:
    """The pairs that are not needed, kinds that were not asked at all first; then the other defects."""
    asked = {cell.pair for cell in needed}
    kinds = [key for several in INVALID.values() for key in several]
    unasked = [key for key in kinds if not any(key is known for known, _ in asked)]
    first = list(_spread(unasked, operations, drawn))
    yield from first
    asked |= {cell.pair for cell in first}
    pairs = [pair for pair in product(kinds, operations) if pair not in asked]
    for key, operation in drawn.sample(pairs, len(pairs)):
        yield KeyCell(key, operation, drawn.choice(_OTHERWISE_RIGHT[operation]))
    late = [
        KeyCell(key, operation, wrong)
        for key, operation in product((_MISSING, _RANDOM, _EMPTY), operations)
        for wrong in DEFECTS[operation]
    ]
    yield from drawn.sample([cell for cell in late if cell not in needed], len(set(late) - set(needed)))


def _options(operation: Operation) -> tuple[Wrong, ...]:
    return *DEFECTS[operation], *_OTHERWISE_RIGHT[operation]


# ---- the requests


_OUT_OF_BOUNDS = ("abc", "0", "-1", "101")
# these pages were answered before with the valid key
_ASKED_BEFORE: tuple[tuple[int | None, str], ...] = ((LIMIT_MAX, PENDING), (None, AVAILABLE), (LIMIT_MIN, SOLD))


def key_call(cell: KeyCell, record: Record, unknown_id: int) -> Call:
    """The GET for a cell; an animal that pages show, if there is one, unless the id is to be unknown."""
    place = list(Credential).index(cell.key)
    match cell.wrong:
        case Wrong.FILTER:
            limit, status = _ASKED_BEFORE[place % len(_ASKED_BEFORE)]
            return page_call(limit, status, cell.key)
        case Wrong.LIMIT:
            return page_call(_OUT_OF_BOUNDS[place % len(_OUT_OF_BOUNDS)], None, cell.key)
        case Wrong.STATUS:
            return page_call(None, "adopted", cell.key)
    if cell.operation is Operation.GET_PET:
        known = unknown_id if cell.wrong is Wrong.UNKNOWN_ID else next(iter(animals_in(record)), unknown_id)
        return Call(cell.operation, cell.key, pet_id=str(known))
    return Call(cell.operation, cell.key)


def key_body(cell: KeyCell, run: str, category: int) -> Members:
    """The body of the POST for a cell: a valid animal whose name a page would show, or a defective one."""
    pet = keyless_pet(run, category, cell.key.name.lower(), TELLTALE_STATUS)
    if cell.wrong is Wrong.NO_CATEGORY:
        del pet["categoryId"]
    return {Wrong.NO_JSON: b"{", Wrong.NO_BODY: b""}.get(cell.wrong, pet)
