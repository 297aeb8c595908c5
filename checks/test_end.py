"""The end of a run: what was answered before is answered again, after everything else was sent.

An animal may expire, a write may be rolled back, a stale front may answer later requests, and an odd animal may spoil a
page. The sections that say how each answer must be judge them.
"""

import pytest

from petcheck.toolkit import Operation, Target, Traffic, requirement, sends, stage

AGAIN = {
    Operation.LIST_PETS: (("LIST-1", "LIST-6", "LIST-7"), (Traffic.PAGES,)),
    Operation.GET_PET: (("GET-1", "GET-2", "GET-3"), (Traffic.ANIMALS, Traffic.OTHER_IDS)),
    Operation.STORE_ORDERS: (("ORDERS-1",), (Traffic.ORDERS,)),
}
CREATED = ("CREATE-12", "CREATE-13")


@stage("end")
@pytest.mark.parametrize(
    ("operation", "names"),
    [
        pytest.param(operation, names, id=str(operation), marks=[requirement(*names), sends(*kinds)])
        for operation, (names, kinds) in AGAIN.items()
    ],
)
def test_what_was_asked_first_is_asked_again(target: Target, operation: Operation, names: tuple[str, ...]) -> None:
    """The widest page, the oldest, newest and oddest animals, an id that was not found, and the orders."""
    target.end()
    for name in (*names, *(CREATED if target.config.writes else ())):
        target.settle(name)
