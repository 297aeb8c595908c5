"""Section 5: authentication, on each of the four operations.

The run's plan says which kind of key goes with which operation and which second defect: a 401 then shows that the key
is refused and that it is checked first. Requests without a second defect go to URLs that were answered before with the
valid key: this exposes a cache that ignores the key.
"""

from collections.abc import Iterable

import pytest

from petcheck.toolkit import (
    INVALID,
    Credential,
    KeyCell,
    Operation,
    RequestKind,
    Target,
    ask_ahead,
    asked_later,
    keyless_calls,
    observes,
    requirement,
    sends,
    stage,
)

CREATE = Operation.CREATE_PET


def others(target: Target) -> list[KeyCell]:
    """The cells of the plan that a run may leave out and that serve what was chosen.

    A pair of a key and an operation that was sent shows nothing new, except beside a defect; nor does a kind of key if
    all of the requirement's were accepted.
    """
    sent = {(one.request.credential, one.request.operation) for one in target.record}
    told = {key for key in Credential if target.accepts_others_like(key)}
    return [
        cell
        for cell in (*target.keys.likely, *target.keys.others)
        if target.choice.covers(*cell.requirements)
        and (cell.defective or cell.pair not in sent)
        and cell.key not in told
    ]


def send(target: Target, cells: Iterable[KeyCell]) -> None:
    """Send the requests for cells of the plan, each once in a run; not to an operation that is removed."""
    calls = list(keyless_calls(target, cells))
    ask_ahead(target, calls)
    for call in calls:
        target.api.call(call)


EACH = [
    *(pytest.param(name, kinds, marks=requirement(name)) for name, kinds in INVALID.items()),
    pytest.param("AUTH-5", (Credential.MISSING, Credential.RANDOM, Credential.EMPTY), marks=requirement("AUTH-5")),
]


@observes("www-authenticate")
@sends(RequestKind.KEYS)
@stage("refuse")
def test_posts_come_before_anything_is_created(target: Target) -> None:
    """Send the POSTs early: a page that shows animals created later is then newer than them. They are judged below."""
    if target.config.writes:
        send(target, (cell for cell in target.keys_always_asked if cell.operation is CREATE))


@sends(RequestKind.KEYS)
@pytest.mark.parametrize(("name", "kinds"), EACH)
def test_invalid_key_is_401(target: Target, name: str, kinds: tuple[Credential, ...]) -> None:
    """No key, or anything except a valid key under Bearer, gets 401 before anything else is checked."""
    ask_ahead(target, asked_later(target))
    send(target, (cell for cell in target.keys_always_asked if cell.key in kinds))
    target.settle(name)


@sends(RequestKind.KEYS)
@pytest.mark.parametrize(("name", "kinds"), EACH)
def test_invalid_key_is_401_for_a_post(target: Target, name: str, kinds: tuple[Credential, ...]) -> None:
    """The same for POST /pets, if writes are allowed."""
    target.need_writes()
    send(target, (cell for cell in target.keys_always_asked if cell.key in kinds and cell.operation is CREATE))
    target.settle(name)


@requirement(*INVALID, "AUTH-5")
@sends(RequestKind.KEYS)
@stage("spare")
def test_more_operations_see_more_keys(target: Target) -> None:
    """A server may accept a key on one operation only: send more pairs, if requests are left.

    A kind of key that is known to be accepted on an operation shows nothing new there.
    """
    chosen = others(target)
    size = target.transport.permissions.connections
    for first in range(0, len(chosen), size):
        cells = chosen[first : first + size]
        new = [cell for cell in cells if not target.accepts(cell.requirements[0], cell.operation)]
        while new and not target.budget.affords(len(new)):
            new.pop()
        send(target, new)
    for name in (*INVALID, "AUTH-5"):
        target.settle(name)


@requirement("AUTH-6")
@sends(RequestKind.KEYS)
@stage("look")
def test_refused_post_creates_nothing(target: Target) -> None:
    """A POST that got 401 has created nothing."""
    target.need_writes()
    send(target, (cell for cell in target.keys.needed if cell.operation is CREATE))
    target.settle("AUTH-6")


@requirement("AUTH-7")
@stage("record")
def test_valid_key_is_accepted(target: Target) -> None:
    """A valid key under Bearer never gets 401."""
    target.settle("AUTH-7")
