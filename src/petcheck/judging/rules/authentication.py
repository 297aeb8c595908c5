"""Section 5: authentication.

A request with an invalid key may be wrong in a second way: a 401 then shows both that the server refuses the key and
that it checks the key first. Another status proves neither; a plain request with the same key separates the two.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.absence import nothing_stored
from petcheck.judging.apply import failed_by
from petcheck.judging.decision import Ask, Decision, Failed, Held, Record, Rule, Undecided
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, STATUS, Grounds, Judgement, Problem
from petcheck.judging.matchers import answer_text, described, one_of
from petcheck.judging.request_bodies import Due, asked_of, kind_of_body
from petcheck.judging.statuses import documented, problem_of_status, query_is_valid
from petcheck.spec.operations import Operation, allowed_operations

INVALID = {
    "AUTH-1": (Credential.MISSING,),
    "AUTH-2": (
        *(Credential.RANDOM, Credential.CHANGED, Credential.CUT, Credential.EXTENDED, Credential.WORD_AFTER),
        *(Credential.IN_FRONT, Credential.MIDDLE, Credential.BEGINNING, Credential.END),
        *(Credential.EVERY_OBJECT, Credential.BEYOND_ASCII, Credential.TWICE),
    ),
    "AUTH-3": (Credential.EMPTY,),
    "AUTH-4": (
        *(Credential.BASIC, Credential.TOKEN, Credential.SIX_LETTERS, Credential.NO_SCHEME),
        *(Credential.LONGER_SCHEME, Credential.GLUED, Credential.HYPHENATED),
    ),
}
"""The kinds of invalid key that each requirement is about."""

SURELY_INVALID = frozenset(
    {
        *(Credential.MISSING, Credential.EMPTY),
        *(Credential.RANDOM, Credential.CHANGED, Credential.CUT, Credential.EXTENDED),
        *(Credential.BASIC, Credential.TOKEN, Credential.SIX_LETTERS, Credential.NO_SCHEME),
    }
)
"""The kinds that a pass needs. Other values are invalid too, and a run draws among them."""

REQUIREMENT_OF = {kind: requirement for requirement, kinds in INVALID.items() for kind in kinds}
"""The requirement that each kind of invalid key belongs to."""
# what AUTH-5 forbids a server to check before the key
_LOOKED_AT = {
    Operation.LIST_PETS: "the parameters are",
    Operation.GET_PET: "the id is",
    Operation.CREATE_PET: "the body is",
}
_ABOUT_THE_KEY = (401, 403, 429)
# a server that looks at the key at all refuses these
_SHOW_THE_ORDER = (Credential.MISSING, Credential.EMPTY, Credential.RANDOM)
_Ambiguous: TypeAlias = tuple[Exchange, Exchange | None]
_ACCEPTABLE = (Due.CREATED, Due.CREATED_OR_REFUSED)


# ---- AUTH-1 to AUTH-4


def _is_refused(requirement: str, exchange: Exchange, grounds: Grounds) -> Judgement:
    if exchange.request.credential not in INVALID[requirement] or not documented(exchange, grounds.as_of):
        return NOT_CONCERNED
    if exchange.status == 429 or _is_ambiguous(exchange, grounds):
        return NOT_CONCERNED
    return HOLDS if exchange.status == 401 else problem_of_status(exchange, "401", section="5")


def _is_plain(exchange: Exchange, grounds: Grounds) -> bool:
    """Whether a request is right except for its key."""
    match exchange.request.operation:
        case Operation.LIST_PETS:
            return query_is_valid(exchange)
        case Operation.GET_PET:
            return exchange.request.pet_id in grounds.listed
        case Operation.CREATE_PET:
            return asked_of(exchange.request, grounds.categories).due in _ACCEPTABLE
        case Operation.STORE_ORDERS:
            return True


def _is_ambiguous(exchange: Exchange, grounds: Grounds) -> bool:
    """Whether an answer may be about the other defect of the request, so that it proves nothing about the key."""
    status = exchange.status
    if status is None or status in _ABOUT_THE_KEY or status < 400:
        return False
    return not _is_plain(exchange, grounds)


def _ambiguous(record: Record, grounds: Grounds, kinds: tuple[Credential, ...]) -> list[_Ambiguous]:
    """The answers that may not be about the key, each with that to a plain request with the same key, if any."""
    ours = [e for e in record if e.request.credential in kinds and documented(e, grounds.as_of)]
    plain = {_kind(e): e for e in reversed(ours) if e.status != 429 and _is_plain(e, grounds)}
    return [(e, plain.get(_kind(e))) for e in ours if _is_ambiguous(e, grounds)]


def _kind(exchange: Exchange) -> tuple[Operation, Credential]:
    return exchange.request.operation, exchange.request.credential


def _plain_calls(record: Record, grounds: Grounds, ambiguous: list[_Ambiguous]) -> tuple[Call, ...]:
    """The plain requests that separate the two questions, where they can be made."""
    kinds = dict.fromkeys(_kind(e) for e, plain in ambiguous if plain is None)
    calls = (_plain_call(record, grounds, *kind) for kind in kinds)
    return tuple(call for call in calls if call is not None)


def _plain_call(record: Record, grounds: Grounds, operation: Operation, key: Credential) -> Call | None:
    if operation is Operation.GET_PET:
        known = min(grounds.listed, default=None)
        return None if known is None else Call(operation, key, pet_id=str(known))
    if operation is Operation.CREATE_PET:
        # use the body of a POST with an invalid key: one with the valid key may have been stored
        plain = (e.request for e in record if e.request.credential in REQUIREMENT_OF and _is_plain(e, grounds))
        pet = next((request.parsed.value for request in plain if request.body), None)
        if not isinstance(pet, dict):
            return None
        # its own name: if it is stored all the same, the name tells the key
        named = {**pet, "name": f"{pet['name']} {key.name.lower()}"}
        return Call(operation, key, body=json.dumps(named).encode())
    return Call(operation, key)


def _operations(grounds: Grounds) -> list[Operation]:
    """The operations that this run may examine."""
    return list(allowed_operations(writes=grounds.writes, as_of=grounds.as_of))


def _everywhere(requirement: str, record: Record, grounds: Grounds) -> Decision:
    """Each operation refuses one of these kinds of key, and each kind is refused by some operation."""
    kinds = INVALID[requirement]
    held = [e for e in record if _is_refused(requirement, e, grounds) is HOLDS]
    examined = tuple(held)
    ambiguous = _ambiguous(record, grounds, kinds)
    seen = {_kind(exchange) for exchange in held}
    asked = {_kind(exchange) for exchange in record if exchange.request.credential in kinds}
    operations = [o for o in _operations(grounds) if not any((o, key) in seen for key in kinds)]
    keys = [key for key in kinds if key in SURELY_INVALID and not any(key is shown for _, shown in seen)]
    silent, not_asked = _parted((str(one), any(one is o for o, _ in asked)) for one in operations)
    unseen, not_sent = _parted((one.value, any(one is key for _, key in asked)) for one in keys)
    doubtful = list(dict.fromkeys(described(e) for e, plain in ambiguous if plain is None))
    missing = [
        *([f"from {one_of(silent)}"] if silent else []),
        *([f"to requests with {one_of(unseen)}"] if unseen else []),
        *([f"to {', '.join(doubtful)}"] if doubtful else []),
    ]
    single = len(kinds) == 1
    such = kinds[0].value if single else "such a key"
    unsent = [
        *([f"to {one_of(not_asked)} with {such}"] if not_asked else []),
        *([f"with {one_of(not_sent)}"] if not_sent and not single else []),
    ]
    said = ("No conclusive answer", missing), ("No request was sent", unsent)
    reason = " ".join(f"{begin} {'; none '.join(parts)}." for begin, parts in said if parts)
    otherwise = Undecided(reason, None, examined)
    calls = _plain_calls(record, grounds, ambiguous)
    if calls:
        return Ask(calls, otherwise)
    return otherwise if reason else Held(examined)


def _parted(named: Iterable[tuple[str, bool]]) -> tuple[list[str], list[str]]:
    """The names of what was asked, and of what was not."""
    every = list(named)
    return [name for name, asked in every if asked], [name for name, asked in every if not asked]


# ---- AUTH-5


def _comes_first(record: Record, grounds: Grounds) -> Decision:
    """On each operation, a request with a second defect gets 401, or proves nothing about the order."""
    keys = tuple(REQUIREMENT_OF)
    ours = [e for e in record if e.request.credential in keys and documented(e, grounds.as_of)]
    first = [e for e in ours if e.status == 401 and not _is_plain(e, grounds)]
    ambiguous = _ambiguous(record, grounds, keys)
    examined = (*first, *(e for pair in ambiguous for e in pair if e is not None))
    separated = {e.request.operation for e, plain in ambiguous if plain is not None}
    # one question for each operation is enough
    unseparated = {op: one for one in ambiguous if (op := one[0].request.operation) not in separated}
    calls = _plain_calls(record, grounds, list(unseparated.values()))
    if calls:
        return Ask(calls, Undecided("No request shows whether the key alone is refused.", None, examined))
    # if no plain request can be made, the server did not check the key first, whether or not it refuses it; unless
    # another operation answers the key alone in this way too, or the key itself may have ended the handler
    late = [e for e, plain in ambiguous if plain is not None and plain.status == 401]
    for_the_key_alone = {(e.request.credential, e.status) for e in ours if _is_plain(e, grounds)}
    alone = [
        e
        for e, _ in unseparated.values()
        if (e.request.credential, e.status) not in for_the_key_alone and e.heard.status < 500
    ]
    if late or alone:
        return _looked_at_late([*late, *alone], alone, examined)
    unkeyed = [e for e in ours if e.request.credential is Credential.MISSING]
    shown = {e.request.operation for e in unkeyed if e in first}
    missing = [operation for operation in _operations(grounds) if operation in _LOOKED_AT and operation not in shown]
    if missing:
        plain_last = sorted(unkeyed, key=lambda e: _is_plain(e, grounds))
        return Undecided(" ".join(_not_shown(missing, plain_last)), None, examined)
    return Held(tuple(first))


def _looked_at_late(late: list[Exchange], unseparated: Collection[Exchange], examined: tuple[Exchange, ...]) -> Failed:
    texts = ((e, f"{_late(e)}{_or_accepted(e) if e in unseparated else ''}") for e in late)
    return replace(failed_by(None, [(e, Problem(text, STATUS, "401")) for e, text in texts]), examined=examined)


def _late(exchange: Exchange) -> str:
    looked_at = _LOOKED_AT[exchange.request.operation]
    body = kind_of_body(exchange.request)
    got = f"{answer_text(exchange)} to {body}" if body else answer_text(exchange)
    return f"expected 401 before {looked_at} checked (section 5), got {got}"


def _or_accepted(exchange: Exchange) -> str:
    """What else may be wrong if no plain request with that key was possible."""
    key = exchange.request.credential
    return "" if key in _SHOW_THE_ORDER else f"; the server may also accept this key ({REQUIREMENT_OF[key]})"


def _not_shown(missing: Collection[Operation], unkeyed: Record) -> Iterator[str]:
    got = {e.request.operation: e.status for e in unkeyed if e.status not in (401, 429, None)}
    wrong = grouped((got[operation], str(operation)) for operation in missing if operation in got)
    for status, names in wrong.items():
        yield f"{one_of(names, 'and')} returned {status} to requests with no key; see AUTH-1."
    others = [str(operation) for operation in missing if operation not in got]
    if others:
        yield f"No request to {one_of(others)} with no key and another error got 401."


# ---- AUTH-6, AUTH-7


def _creates_nothing(record: Record, grounds: Grounds) -> Decision:
    posts = [
        exchange
        for exchange in record
        if exchange.request.operation is Operation.CREATE_PET
        and not exchange.request.has_valid_key
        and exchange.status == 401
    ]
    if not posts:
        return Undecided("No POST without a valid key got 401, so this could not be checked.")
    return nothing_stored(record, posts, grounds, "A request without a valid key must not store anything (section 5)")


def _valid_key_is_accepted(exchange: Exchange, grounds: Grounds) -> Judgement:
    if not exchange.request.has_valid_key or not documented(exchange, grounds.as_of):
        return NOT_CONCERNED
    if exchange.status != 401:
        return NOT_CONCERNED if exchange.status is None else HOLDS
    said = f"expected any status except 401 for a valid key (section 5), got {answer_text(exchange)}"
    return Problem(said, STATUS, "any status except 401")


RULES = (
    *(Rule(name, partial(_is_refused, name), partial(_everywhere, name)) for name in INVALID),
    Rule("AUTH-5", over=_comes_first),
    Rule("AUTH-6", over=_creates_nothing),
    Rule("AUTH-7", _valid_key_is_accepted, nothing="No request with the valid key got an answer."),
)
