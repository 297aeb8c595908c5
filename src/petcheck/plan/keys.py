"""Section 5: which kind of invalid key goes with which operation and which second defect. Pure.

A server may accept one kind of key on one operation only, so the pairs are many and a run asks for some of them: those
that a pass needs, then as many others as it has requests for. Each kind moves on by one operation with each next seed,
so as many runs with consecutive seeds as there are operations ask for all pairs with the kinds that a pass needs, and
four times as many for all pairs.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain, product

from petcheck.call import Call, Credential, page_call
from petcheck.judging.creations import found_in
from petcheck.judging.decision import Record
from petcheck.judging.pages import animals_in
from petcheck.judging.rules.authentication import INVALID, SURELY_INVALID
from petcheck.plan.bodies import TELLTALE_STATUS, keyless_pet
from petcheck.plan.pages import Parameters
from petcheck.plan.weaving import rotated, woven
from petcheck.spec.operations import Operation
from petcheck.wire.api import Members

_VARIANTS = 12
# of the kinds that a pass does not need, those that careless code accepts most: a name that every object of JavaScript
# has, a header that is split at spaces, and a key of which only the beginning is compared; and one that a comparison in
# constant time fails on
_LIKELY = (Credential.EVERY_OBJECT, Credential.WORD_AFTER, Credential.BEGINNING, Credential.BEYOND_ASCII)
_MISSING, _EMPTY, _RANDOM = Credential.MISSING, Credential.EMPTY, Credential.RANDOM


class Wrong(Enum):
    """What else is wrong with, or special about, a request with an invalid key."""

    NOTHING = "nothing else"
    FILTER = "a filter"
    PARAMETERS = "a limit out of bounds and an unknown status"
    UNKNOWN_ID = "an unknown id"
    NO_CATEGORY = "a body without a category"
    NO_JSON = "a body that is not JSON"
    NO_BODY = "no body"


DEFECTS = {
    Operation.LIST_PETS: (Wrong.PARAMETERS,),
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


# a server may look for a key first, and find out later whether it is valid
_SOMETIMES_WRONG = _OTHERWISE_RIGHT | {
    Operation.LIST_PETS: (Wrong.NOTHING, Wrong.PARAMETERS, Wrong.FILTER),
    Operation.GET_PET: (Wrong.NOTHING, Wrong.UNKNOWN_ID),
    Operation.CREATE_PET: (Wrong.NOTHING, Wrong.NO_JSON),
}


@dataclass(frozen=True, slots=True)
class KeyCell:
    """One thing to ask: a kind of invalid key, on an operation, in a request that may be wrong in another way too."""

    key: Credential
    operation: Operation
    wrong: Wrong
    variant: int = 0  # which of the equal forms of the request

    @property
    def requirements(self) -> tuple[str, ...]:
        """The requirement that says that this kind of key is refused, and AUTH-5 if the request has another defect."""
        late = ("AUTH-5",) if self.defective else ()
        return *(name for name, kinds in INVALID.items() if self.key in kinds), *late

    @property
    def defective(self) -> bool:
        """Whether something besides the key is wrong."""
        return self.wrong in DEFECTS[self.operation]

    @property
    def has_name(self) -> bool:
        """Whether it sends an animal that a page could show, so that a page must clear it (AUTH-6)."""
        return not self.operation.safe and self.wrong not in (Wrong.NO_JSON, Wrong.NO_BODY)

    @property
    def pair(self) -> tuple[Credential, Operation]:
        """The kind of key and the operation."""
        return self.key, self.operation


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """The cells that a pass needs, and the others in the order in which they are worth a request."""

    needed: tuple[KeyCell, ...]
    others: tuple[KeyCell, ...]

    def always_asked(self, *, examples: bool) -> tuple[KeyCell, ...]:
        """What a pass needs; in a run with `examples`, which can make room, also what careless code accepts most."""
        return self.needed + self.others[: len(_LIKELY) if examples else 0]


def key_plan(seed: int, operations: Collection[Operation]) -> KeyPlan:
    """Choose what is asked on the operations that a run may call.

    Needed are a missing and an empty key on each operation, the missing one both in a request that is otherwise right
    and beside a defect; and each other kind once, spread over all operations.
    """
    turns = _Turns(seed, tuple(operation for operation in Operation if operation in operations))
    needed = tuple(_needed(turns))
    return KeyPlan(needed, tuple(dict.fromkeys(_others(turns, needed))))


@dataclass(frozen=True, slots=True)
class _Turns:
    """What comes with a seed and moves on with the next one, on the operations that a run may call."""

    seed: int
    operations: tuple[Operation, ...]

    def cell(self, key: Credential, operation: Operation, options: Sequence[Wrong], turn: int | None = None) -> KeyCell:
        """With the next turn, the next of the options; once all of them had theirs, the next form."""
        forms, option = divmod(self.seed if turn is None else turn, len(options))
        return KeyCell(key, operation, options[option], forms % _VARIANTS)

    def plain(self, key: Credential, operation: Operation) -> KeyCell:
        """The key in a request that is otherwise right."""
        return self.cell(key, operation, _OTHERWISE_RIGHT[operation])

    def spread(self, kinds: Iterable[Credential], among: Mapping[Operation, Sequence[Wrong]]) -> Iterator[KeyCell]:
        """Each kind on one operation, and on another one with the next seed."""
        for place, key in enumerate(kinds):
            turn, which = divmod(place + self.seed, len(self.operations))
            operation = self.operations[which]
            yield self.cell(key, operation, _options(operation) if key is _RANDOM else among[operation], turn)

    def two_further(self, operation: Operation) -> Operation:
        """Another operation than that of the neighbouring seeds, if there are enough."""
        return self.operations[(self.operations.index(operation) + 2) % len(self.operations)]


def _needed(turns: _Turns) -> Iterator[KeyCell]:
    for operation in turns.operations:
        yield turns.plain(_MISSING, operation)
    for operation in turns.operations:
        if defects := DEFECTS[operation]:
            # a server that looks at what a body says before the key has parsed it before, too
            yield turns.cell(_MISSING, operation, (Wrong.NO_JSON,) if Wrong.NO_JSON in defects else defects)
    for operation in turns.operations:
        yield turns.cell(_EMPTY, operation, _options(operation), turns.seed + 1)
    for name in ("AUTH-2", "AUTH-4"):
        yield from turns.spread([key for key in INVALID[name] if key in SURELY_INVALID], _SOMETIMES_WRONG)


def _others(turns: _Turns, needed: Sequence[KeyCell]) -> Iterator[KeyCell]:
    """First what careless code accepts most, and a late guard; then, by turns, each kind that no pass needs, and those
    that one needs on one more operation; then every other pair and defect in any order.
    """
    drawn = random.Random(f"{turns.seed}/keys")  # noqa: S311 - repeatable, not secret
    kinds = [key for several in INVALID.values() for key in several]
    likely = list(turns.spread(_LIKELY, _OTHERWISE_RIGHT))
    odd = list(turns.spread((key for key in kinds if key not in {*SURELY_INVALID, *_LIKELY}), _OTHERWISE_RIGHT))
    beside = _beside_defects(turns, needed)
    late = [one for one in beside if one.key is _RANDOM]
    late = drawn.sample(late, min(1, len(late)))
    asked = {one.pair for one in (*needed, *likely, *odd, *late)}
    stated = [(one.key, turns.two_further(one.operation)) for one in needed if one.key not in (_MISSING, _EMPTY)]
    pairs = rotated(stated, 0, turns.seed, 3)
    again = [turns.plain(*pair) for pair in pairs if pair not in asked]
    asked |= {one.pair for one in again}
    rest = [turns.plain(*pair) for pair in product(kinds, turns.operations) if pair not in asked]
    # another kind comes first once one was on each operation
    odd = rotated(odd, 0, turns.seed // len(turns.operations), 1)
    yield from (*likely, *late, *woven(iter(odd), iter(again), len(odd) + len(again), 1))
    yield from drawn.sample([*rest, *beside], len(rest) + len(beside))


def _beside_defects(turns: _Turns, needed: Sequence[KeyCell]) -> list[KeyCell]:
    """The kinds that AUTH-5 is about, each beside a defect that it was not sent with."""
    sent = {(one.key, one.wrong) for one in needed}
    every = (
        (key, operation, wrong)
        for key in (_MISSING, _RANDOM, _EMPTY)
        for operation in turns.operations
        for wrong in DEFECTS[operation]
    )
    return [turns.cell(key, operation, (wrong,)) for key, operation, wrong in every if (key, wrong) not in sent]


def _options(operation: Operation) -> tuple[Wrong, ...]:
    return *DEFECTS[operation], *_OTHERWISE_RIGHT[operation]


# ---- the requests


_OUT_OF_BOUNDS = ("abc", "0", "-1", "101")


def key_call(cell: KeyCell, record: Record, unknown_id: int, pages: Sequence[Parameters]) -> Call:
    """The GET for a cell; an animal that was read, or that pages show, if there is one, unless the id is to be unknown.

    `pages` are those that were answered before with the valid key.
    """
    match cell.wrong:
        case Wrong.FILTER:
            filtered = [page for page in pages if page[1] is not None]
            limit, status = filtered[cell.variant % len(filtered)]
            return page_call(limit, status, cell.key)
        case Wrong.PARAMETERS:
            return page_call(_OUT_OF_BOUNDS[cell.variant % len(_OUT_OF_BOUNDS)], "adopted", cell.key)
    if cell.operation is Operation.GET_PET:
        shown = next(chain(found_in(record), animals_in(record)), unknown_id)
        known = unknown_id if cell.wrong is Wrong.UNKNOWN_ID else shown
        return Call(cell.operation, cell.key, pet_id=str(known))
    return Call(cell.operation, cell.key)


def key_body(cell: KeyCell, run: str, category: int) -> Members:
    """The body of the POST for a cell: a valid animal whose name a page would show, or a defective one."""
    pet = keyless_pet(run, category, cell.key.name.lower(), TELLTALE_STATUS)
    if cell.wrong is Wrong.NO_CATEGORY:
        del pet["categoryId"]
    # no body at all, and so no Content-Type, or an empty one with it
    nothing = b"" if cell.variant % 2 else None
    return {Wrong.NO_JSON: b"{", Wrong.NO_BODY: nothing}.get(cell.wrong, pet)
