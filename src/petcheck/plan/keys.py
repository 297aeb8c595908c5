"""Section 5: which kind of invalid key goes with which operation and which second defect. Pure.

A server may accept one kind of key on one operation only, so the pairs are many and a run asks for some of them: those
that a pass needs, then as many others as it has requests for. A run with writes asks what one that only reads asks, and
a few kinds in POSTs. On GETs each kind moves on by one operation with each next seed, so as many runs with consecutive
seeds as there are operations ask for all pairs with the kinds that a pass needs, and four times as many for all pairs.
POSTs have other kinds with each next seed: sixteen in a row send all.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain, product

from petcheck.call import Call, Credential, Members, page_call
from petcheck.judging.creations import found_in
from petcheck.judging.decision import Record
from petcheck.judging.pages import animals_in
from petcheck.judging.rules.authentication import INVALID, REQUIREMENT_OF, SURELY_INVALID
from petcheck.plan.bodies import TELLTALE_STATUS, keyless_pet
from petcheck.plan.pages import Parameters
from petcheck.plan.weaving import rotated, turn, woven
from petcheck.spec.operations import Operation

_VARIANTS = 12
# of the kinds that a pass does not need, those that careless code accepts most: a name that every object of JavaScript
# has, and a header that is split at spaces
_LIKELY = (Credential.EVERY_OBJECT, Credential.WORD_AFTER)
# and by turns a key that a comparison in constant time fails on, or of which only the last word or the beginning is
# compared, and a scheme that is cut off or searched for; four each, since three would tie each kind to one of the three
# operations that read
_BY_TURNS = (
    (Credential.BEYOND_ASCII, Credential.TWICE, Credential.BEYOND_ASCII, Credential.BEGINNING),
    (Credential.GLUED, Credential.HYPHENATED, Credential.GLUED, Credential.LONGER_SCHEME),
)
_KINDS = tuple(key for kinds in INVALID.values() for key in kinds)
# the first and the last scheme are always on one operation that reads, so a pass can do without one of them there
_POSTED_SCHEMES = Credential.BASIC, Credential.NO_SCHEME
_MISSING, _EMPTY, _RANDOM = Credential.MISSING, Credential.EMPTY, Credential.RANDOM
_CREATE = Operation.CREATE_PET


class Wrong(Enum):
    """What else is wrong with, or special about, a request with an invalid key."""

    NOTHING = "nothing else"
    FILTER = "a filter"
    PARAMETERS = "a limit out of bounds and an unknown status"
    UNKNOWN_ID = "an unknown id"
    INVALID_PET = "a body with several defects"
    NO_JSON = "a body that is not JSON"
    NO_BODY = "no body"


DEFECTS = {
    Operation.LIST_PETS: (Wrong.PARAMETERS,),
    Operation.GET_PET: (Wrong.UNKNOWN_ID,),
    Operation.CREATE_PET: (Wrong.INVALID_PET, Wrong.NO_JSON, Wrong.NO_BODY),
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
        return REQUIREMENT_OF[self.key], *late

    @property
    def defective(self) -> bool:
        """Whether something besides the key is wrong."""
        return self.wrong in DEFECTS[self.operation]

    @property
    def pair(self) -> tuple[Credential, Operation]:
        """The kind of key and the operation."""
        return self.key, self.operation


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """The cells that a pass needs; the `likely` ones; the others in the order in which they are worth a request.

    A run with property examples, which can make room, asks the likely ones too: those that careless code accepts most,
    and a few POSTs.
    """

    needed: tuple[KeyCell, ...]
    likely: tuple[KeyCell, ...]
    others: tuple[KeyCell, ...]


def key_plan(seed: int, operations: Collection[Operation]) -> KeyPlan:
    """Choose what is asked on the operations that a run may call.

    Needed are a missing and an empty key on each operation, the missing one both in a request that is otherwise right
    and beside a defect; each other kind once, spread over the operations that only read; and one kind of each
    requirement in a POST.
    """
    turns = _Turns(seed, tuple(operation for operation in Operation if operation.safe and operation in operations))
    kinds = (*_LIKELY, *(turn(each, seed) for each in _BY_TURNS))
    needed, likely = tuple(_needed(turns)), tuple(turns.spread(kinds, _OTHERWISE_RIGHT))
    others = tuple(_others(turns, (*needed, *likely)))
    if _CREATE in operations:
        needed_posts, likely_post = tuple(_needed_posts(seed)), _likely_post(seed)
        more = tuple(_other_posts(seed, (*needed_posts, likely_post)))
        # a POST has these two, and AUTH-2 and AUTH-4 another kind for the operation of either
        posted = {cell.key for cell in needed_posts} - {_MISSING, _EMPTY}
        again = tuple(cell for cell in needed if cell.key in posted)
        needed = *(cell for cell in needed if cell not in again), *needed_posts
        likely, others = (*again, *likely, likely_post), others + more
    return KeyPlan(needed, likely, tuple(dict.fromkeys(others)))


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
            yield turns.cell(_MISSING, operation, defects)
    for operation in turns.operations:
        yield turns.cell(_EMPTY, operation, _options(operation), turns.seed + 1)
    for name in ("AUTH-2", "AUTH-4"):
        yield from turns.spread([key for key in INVALID[name] if key in SURELY_INVALID], _SOMETIMES_WRONG)


def _others(turns: _Turns, sent: Sequence[KeyCell]) -> Iterator[KeyCell]:
    """Beside those `sent`, first a late guard; then, by turns, each kind that no pass needs, and those that one needs
    on one more operation; then every other pair and defect in any order.
    """
    drawn = random.Random(f"{turns.seed}/keys")  # noqa: S311 - repeatable, not secret
    known = {*SURELY_INVALID, *(one.key for one in sent)}
    odd = list(turns.spread((key for key in _KINDS if key not in known), _OTHERWISE_RIGHT))
    beside = _beside_defects(turns, sent)
    late = [one for one in beside if one.key is _RANDOM]
    late = drawn.sample(late, min(1, len(late)))
    asked = {one.pair for one in (*sent, *odd, *late)}
    once = [one for one in sent if one.key in SURELY_INVALID and one.key not in (_MISSING, _EMPTY)]
    stated = [(one.key, turns.two_further(one.operation)) for one in once]
    pairs = rotated(stated, 0, turns.seed, 3)
    again = [turns.plain(*pair) for pair in pairs if pair not in asked]
    asked |= {one.pair for one in again}
    rest = [turns.plain(*pair) for pair in product(_KINDS, turns.operations) if pair not in asked]
    # another kind comes first once one was on each operation
    odd = rotated(odd, 0, turns.seed // len(turns.operations), 1)
    yield from (*late, *woven(iter(odd), iter(again), len(odd) + len(again), 1))
    yield from drawn.sample([*rest, *beside], len(rest) + len(beside))


def _beside_defects(turns: _Turns, sent: Sequence[KeyCell]) -> list[KeyCell]:
    """The kinds that AUTH-5 is about, each beside a defect that it was not sent with."""
    known = {(one.key, one.wrong) for one in sent}
    every = (
        (key, operation, wrong)
        for key in (_MISSING, _RANDOM, _EMPTY)
        for operation in turns.operations
        for wrong in DEFECTS[operation]
    )
    return [turns.cell(key, operation, (wrong,)) for key, operation, wrong in every if (key, wrong) not in known]


# ---- in POSTs


def _needed_posts(seed: int) -> Iterator[KeyCell]:
    turns = _Turns(seed, (_CREATE,))
    yield turns.plain(_MISSING, _CREATE)
    # a server that looks at what a body says before the key has parsed it before, too
    yield turns.cell(_MISSING, _CREATE, (Wrong.NO_JSON,))
    yield turns.cell(_EMPTY, _CREATE, _options(_CREATE), seed + 1)
    yield turns.cell(_RANDOM, _CREATE, _options(_CREATE))
    # another form of the request once each kind had its turn
    forms, which = divmod(seed, len(_POSTED_SCHEMES))
    yield turns.cell(_POSTED_SCHEMES[which], _CREATE, (Wrong.NOTHING,), forms)


def _likely_post(seed: int) -> KeyCell:
    """The next of the kinds that no pass needs in a POST."""
    known = (_MISSING, _EMPTY, _RANDOM, *_POSTED_SCHEMES)
    return _Turns(seed, (_CREATE,)).plain(turn([key for key in _KINDS if key not in known], seed), _CREATE)


def _other_posts(seed: int, sent: Sequence[KeyCell]) -> list[KeyCell]:
    """Every other kind, and what AUTH-5 is about, in any order."""
    turns, asked = _Turns(seed, (_CREATE,)), {one.pair for one in sent}
    rest = [turns.plain(key, _CREATE) for key in _KINDS if (key, _CREATE) not in asked]
    every = [*rest, *_beside_defects(turns, sent)]
    return random.Random(f"{seed}/posts").sample(every, len(every))  # noqa: S311 - repeatable, not secret


def _options(operation: Operation) -> tuple[Wrong, ...]:
    return *DEFECTS[operation], *_OTHERWISE_RIGHT[operation]


# ---- the requests


_OUT_OF_BOUNDS = ("abc", "0", "-1", "101")


def key_call(cell: KeyCell, record: Record, unknown_id: int, pages: Sequence[Parameters]) -> Call:
    """The GET for a cell; an animal that was read, or that pages show, if there is one, unless the id is to be unknown.

    Once a key was sent for an animal, all are: otherwise a run sends keys again when it finds another animal. `pages`
    are those that were answered before with the valid key.
    """
    match cell.wrong:
        case Wrong.FILTER:
            filtered = [page for page in pages if page[1] is not None]
            limit, status = filtered[cell.variant % len(filtered)]
            return page_call(limit, status, cell.key)
        case Wrong.PARAMETERS:
            return page_call(_OUT_OF_BOUNDS[cell.variant % len(_OUT_OF_BOUNDS)], "adopted", cell.key)
    if cell.operation is Operation.GET_PET:
        if cell.wrong is Wrong.UNKNOWN_ID:
            # a route may have room for digits only, and what it does not match never comes to the guard
            return Call(cell.operation, cell.key, pet_id=str(-unknown_id))
        asked = (one.request.pet_id for one in record if not one.request.has_valid_key)
        known = (number for number in asked if number not in (None, unknown_id, -unknown_id))
        shown = next(chain(known, found_in(record), animals_in(record)), unknown_id)
        return Call(cell.operation, cell.key, pet_id=str(shown))
    return Call(cell.operation, cell.key)


def key_body(cell: KeyCell, run: str, category: int) -> Members:
    """The body of the POST for a cell: a valid animal whose name a page would show, or a defective one."""
    match cell.wrong:
        case Wrong.INVALID_PET:
            # one defect for whatever code looks at first: whether all fields are there, their types, or the values
            return {"categoryId": str(category), "status": "adopted"}
        case Wrong.NO_JSON:
            return b"{"
        case Wrong.NO_BODY:
            # no body at all, and so no Content-Type, or an empty one with it
            return b"" if cell.variant % 2 else None
    return keyless_pet(run, category, cell.key.name.lower(), TELLTALE_STATUS)
