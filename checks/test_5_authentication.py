"""Section 5: authentication, on each of the four operations.

The empty token is sent with a request that is wrong in another way too: whoever looks at that first gives itself away.
"""

import pytest

from petcheck.creations import TELLTALE_STATUS, expect_absent
from petcheck.exchange import Credential, Exchange, Operation, Response
from petcheck.judging.interface import REMOVAL_DAY
from petcheck.judging.matchers import came, described, expect_status
from petcheck.judging.sightings import animals_in
from petcheck.judging.verdicts import Breach, Inconclusive, NotRun
from petcheck.marks import observes, requirement, stage
from petcheck.probes import keyless_pet, refused_name
from petcheck.target import Target
from petcheck.wire.transport import Call

GETS = (Operation.LIST_PETS, Operation.GET_PET, Operation.STORE_ORDERS)
# another scheme is one kind of bad key: half of the operations get to see each example of it
OTHER_SCHEME = {
    Operation.LIST_PETS: Credential.BASIC,
    Operation.CREATE_PET: Credential.TOKEN,
    Operation.GET_PET: Credential.TOKEN,
    Operation.STORE_ORDERS: Credential.BASIC,
}


def each(*operations: Operation) -> list[object]:
    """Parameters for operations: a POST belongs to the writes, so that later pages can show what it did."""
    return [
        pytest.param(
            operation, id=operation.value, marks=[stage("refuse")] if operation is Operation.CREATE_PET else []
        )
        for operation in operations
    ]


ALL = pytest.mark.parametrize("operation", each(*GETS, Operation.CREATE_PET))


def call(target: Target, operation: Operation, credential: Credential) -> Exchange:
    """A request that is right in every way but its credential."""
    if operation is Operation.CREATE_PET:
        body = keyless_pet(target.run, target.category, credential.name.lower(), TELLTALE_STATUS)
        return target.refuse(body, credential)
    if operation is Operation.GET_PET:
        if target.as_of >= REMOVAL_DAY:
            raise NotRun(f"GET /pets/{{petId}} is removed on {REMOVAL_DAY}.")
        known = next(iter(animals_in(target.record)), target.unknown_ids[0])
        return target.api.get_pet(known, credential=credential)
    return target.api.call(Call(operation, credential))


def wrong_call(target: Target, operation: Operation, credential: Credential) -> Exchange:
    """A request that is wrong in another way as well: a bad limit, an unknown id, a body that is no JSON."""
    if operation is Operation.CREATE_PET:
        return target.refuse(b"{", credential)
    if operation is Operation.GET_PET and target.as_of < REMOVAL_DAY:
        return target.api.get_pet(target.unknown_ids[0], credential=credential)
    if operation is Operation.LIST_PETS:
        return target.api.list_pets(limit="abc", credential=credential)
    return call(target, operation, credential)


@requirement("AUTH-1")
@ALL
def test_no_key(target: Target, operation: Operation) -> None:
    """No key is 401."""
    expect_status(call(target, operation, Credential.MISSING), 401, section="5")


@requirement("AUTH-2")
@pytest.mark.parametrize("credential", [Credential.RANDOM, Credential.CUT, Credential.EXTENDED], ids=lambda c: c.name)
@ALL
def test_invalid_key(target: Target, operation: Operation, credential: Credential) -> None:
    """A key that is not exactly a valid one is 401."""
    expect_status(call(target, operation, credential), 401, section="5")


@requirement("AUTH-3")
@ALL
def test_empty_token(target: Target, operation: Operation) -> None:
    """An empty token is 401."""
    if refused(wrong_call(target, operation, Credential.EMPTY)):
        return
    expect_status(call(target, operation, Credential.EMPTY), 401, section="5")


@requirement("AUTH-4")
@ALL
def test_other_scheme(target: Target, operation: Operation) -> None:
    """The key under another scheme than Bearer is 401."""
    expect_status(call(target, operation, OTHER_SCHEME[operation]), 401, section="5")


@requirement("AUTH-4")
@ALL
def test_no_scheme(target: Target, operation: Operation) -> None:
    """The key without a scheme is 401."""
    expect_status(call(target, operation, Credential.NO_SCHEME), 401, section="5")


def refused(exchange: Exchange) -> bool:
    """Whether it was answered 401."""
    return isinstance(exchange.answer, Response) and exchange.answer.status == 401


@requirement("AUTH-5")
@pytest.mark.parametrize("operation", each(Operation.LIST_PETS, Operation.GET_PET, Operation.CREATE_PET))
def test_401_comes_first(target: Target, operation: Operation) -> None:
    """401 comes before 400 and 404."""
    exchange = wrong_call(target, operation, Credential.EMPTY)
    if refused(exchange):
        return
    if not refused(call(target, operation, Credential.EMPTY)):
        raise Inconclusive(f"{operation} does not refuse an empty token at all; AUTH-3 tells more.")
    what = {Operation.LIST_PETS: "the limit", Operation.GET_PET: "the id", Operation.CREATE_PET: "the body"}[operation]
    raise Breach(
        f"{described(exchange)}: expected 401 before {what} is looked at (section 5), got {came(exchange)}.", exchange
    )


@requirement("AUTH-6")
@stage("look")
def test_refused_post_creates_nothing(target: Target) -> None:
    """A POST answered 401 has created nothing."""
    target.need_writes()
    kinds = (
        Credential.MISSING,
        Credential.RANDOM,
        Credential.CUT,
        Credential.EXTENDED,
        OTHER_SCHEME[Operation.CREATE_PET],
        Credential.NO_SCHEME,
    )
    posts = {kind: call(target, Operation.CREATE_PET, kind) for kind in kinds}
    markers: dict[object, Exchange] = {
        refused_name(target.run, kind.name.lower()): exchange for kind, exchange in posts.items() if refused(exchange)
    }
    expect_absent(target, markers, "a request without a valid key must create nothing (section 5)")


@requirement("AUTH-7")
@stage("record")
def test_valid_key_is_accepted(target: Target) -> None:
    """A valid key under Bearer is never answered 401."""
    target.hold("AUTH-7")


@observes("www-authenticate")
@stage("record")
def test_www_authenticate(target: Target) -> None:
    """Observed: the `WWW-Authenticate` of 401s."""
    refusals = [exchange for exchange in target.record if refused(exchange)]
    values = {e.answer.header("WWW-Authenticate") or "none" for e in refusals if isinstance(e.answer, Response)}
    target.observe("www-authenticate", "; ".join(sorted(values)) or "no 401 came", *refusals[:1])
