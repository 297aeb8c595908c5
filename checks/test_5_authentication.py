"""Section 5: authentication, on each of the four operations.

A missing, an empty and a random key are sent with requests that have a second defect: a 401 then shows that the key is
refused and that it is checked first. The other keys are sent with requests that are otherwise right, to URLs that were
answered before with the valid key: this exposes a cache that ignores the key.
"""

import pytest

from petcheck.toolkit import (
    INVALID,
    LIMIT_MAX,
    REMOVAL_DAY,
    TELLTALE_STATUS,
    Call,
    Credential,
    Operation,
    Target,
    Traffic,
    animals_in,
    keyless_pet,
    observes,
    page_call,
    requirement,
    sends,
    stage,
)

LIST, CREATE, GET, ORDERS = Operation
MISSING, RANDOM, EMPTY = Credential.MISSING, Credential.RANDOM, Credential.EMPTY
CUT, EXTENDED, CHANGED, WORD = Credential.CUT, Credential.EXTENDED, Credential.CHANGED, Credential.WORD_AFTER
BASIC, TOKEN, SIX, BARE = Credential.BASIC, Credential.TOKEN, Credential.SIX_LETTERS, Credential.NO_SCHEME

# sent in every run: each kind of key to some operation, and one kind of each class to every operation
KEYS = {
    LIST: (MISSING, RANDOM, EMPTY, CUT, CHANGED, BASIC, BARE),
    CREATE: (MISSING, RANDOM, EMPTY, CUT, EXTENDED, SIX, BARE),
    GET: (MISSING, RANDOM, EMPTY, EXTENDED, TOKEN),
    ORDERS: (MISSING, EMPTY, WORD, SIX),
}
# left out if the rules have requested so much that the rest of the run would not fit
OFTEN = {
    "AUTH-2": ((LIST, EXTENDED), (GET, CUT), (ORDERS, CUT)),
    "AUTH-4": ((GET, BARE), (ORDERS, BARE)),
}
# requests of later stages: pages that show posted animals, another animal, and a page of more than 100
LATER = 3
# sent if requests are left after that, or can be taken from the property examples
RARELY = {
    "AUTH-4": (
        *((ORDERS, BASIC), (GET, SIX), (LIST, TOKEN), (ORDERS, TOKEN), (GET, BASIC), (LIST, SIX)),
        *((CREATE, BASIC), (CREATE, TOKEN)),
    ),
    "AUTH-2": ((GET, CHANGED), (ORDERS, CHANGED), (CREATE, CHANGED), (ORDERS, RANDOM)),
}

LISTS = {
    MISSING: page_call(20, "available", MISSING),
    RANDOM: page_call("abc", "adopted", RANDOM),
    EMPTY: page_call(LIMIT_MAX, "pending", EMPTY),
    EXTENDED: page_call(LIMIT_MAX, "pending", EXTENDED),
    BASIC: page_call(LIMIT_MAX, None, BASIC),
    BARE: page_call(None, "available", BARE),
}


def call(target: Target, operation: Operation, key: Credential) -> Call:
    """The request that is sent with a kind of invalid key."""
    if operation is LIST:
        return LISTS.get(key, Call(LIST, key))
    if operation is GET:
        known = next(iter(animals_in(target.record)), target.unknown_id)
        return Call(GET, key, pet_id=str(target.unknown_id if key is RANDOM else known))
    return Call(operation, key)


def post(target: Target, key: Credential) -> None:
    """Send the POST for a kind of key: a valid animal, whose name a page would show; a defective one for two keys."""
    pet = keyless_pet(target.run, target.category, key.name.lower(), TELLTALE_STATUS)
    if key is RANDOM:
        del pet["categoryId"]
    target.refuse(b"{" if key is EMPTY else pet, key)


def get(target: Target, operation: Operation, key: Credential) -> None:
    """Send a GET with a kind of invalid key, once in a run; not to an operation that is removed."""
    if operation is not GET or target.as_of < REMOVAL_DAY:
        target.api.call(call(target, operation, key))


def send(target: Target, *keys: Credential) -> None:
    """Send these of the keys to every operation that the run may call."""
    for operation, sent in KEYS.items():
        for key in (key for key in sent if key in keys):
            send_to(target, operation, key)


def send_to(target: Target, operation: Operation, key: Credential) -> None:
    """Send a key to an operation, if the run may call it."""
    if operation is not CREATE:
        get(target, operation, key)
    elif target.config.writes:
        post(target, key)


EACH = [
    *(pytest.param(name, kinds, marks=requirement(name)) for name, kinds in INVALID.items()),
    pytest.param("AUTH-5", (MISSING, RANDOM, EMPTY), marks=requirement("AUTH-5")),
]


@observes("www-authenticate")
@sends(Traffic.KEYS)
@stage("refuse")
def test_posts_come_before_anything_is_created(target: Target) -> None:
    """Send the POSTs early: a page that shows animals created later is then newer than them. They are judged below."""
    if target.config.writes:
        for key in KEYS[CREATE]:
            post(target, key)


@sends(Traffic.KEYS)
@pytest.mark.parametrize(("name", "keys"), EACH)
def test_invalid_key_is_401(target: Target, name: str, keys: tuple[Credential, ...]) -> None:
    """No key, or anything except a valid key under Bearer, gets 401 before anything else is checked."""
    send(target, *keys)
    target.settle(name)


@sends(Traffic.KEYS)
@pytest.mark.parametrize(("name", "keys"), EACH)
def test_invalid_key_is_401_for_a_post(target: Target, name: str, keys: tuple[Credential, ...]) -> None:
    """The same for POST /pets, if writes are allowed."""
    target.need_writes()
    send(target, *keys)
    target.settle(name)


@sends(Traffic.KEYS)
@pytest.mark.parametrize(
    ("name", "pairs", "reserve"),
    [
        *(pytest.param(name, pairs, LATER, marks=requirement(name)) for name, pairs in OFTEN.items()),
        *(pytest.param(name, pairs, 0, marks=[requirement(name), stage("spare")]) for name, pairs in RARELY.items()),
    ],
)
def test_more_operations_see_more_keys(
    target: Target, name: str, pairs: tuple[tuple[Operation, Credential], ...], reserve: int
) -> None:
    """A server may accept a key on one operation only: send more pairs, if requests are left."""
    for operation, key in pairs:
        if target.affords(1 + reserve):
            send_to(target, operation, key)
    target.settle(name)


@requirement("AUTH-6")
@sends(Traffic.KEYS)
@stage("look")
def test_refused_post_creates_nothing(target: Target) -> None:
    """A POST that got 401 has created nothing."""
    target.need_writes()
    for key in KEYS[CREATE]:
        post(target, key)
    target.settle("AUTH-6")


@requirement("AUTH-7")
@stage("record")
def test_valid_key_is_accepted(target: Target) -> None:
    """A valid key under Bearer never gets 401."""
    target.settle("AUTH-7")
