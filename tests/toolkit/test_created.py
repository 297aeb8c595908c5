"""The record of the animals that a run has created."""

from __future__ import annotations

import pytest

from petcheck.exchange import Silence
from petcheck.spec.operations import Operation
from petcheck.toolkit.created import Created
from tests.support.exchanges import exchange


@pytest.mark.parametrize(
    ("status", "body", "accepted", "number"),
    [
        (201, {"id": 7, "name": "Rex"}, True, 7),
        (201, {"id": "7"}, True, None),
        (201, [], True, None),
        (400, {"id": 7}, False, None),
        (200, {"id": 7}, False, None),
        (Silence.RESET, {}, False, None),
    ],
)
def test_the_animal_that_a_post_created(
    status: int | Silence, body: object, accepted: bool, number: int | None
) -> None:
    made = Created("plain sold", {}, exchange(Operation.CREATE_PET, status, body, asked={"name": "Rex"}))
    assert (made.accepted, made.id) == (accepted, number)
    assert made.status == (status if isinstance(status, int) else None)
