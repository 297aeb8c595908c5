"""What the examples of a run count as the same failure."""

from __future__ import annotations

from datetime import date

import pytest

from petcheck.judging.judgement import Grounds
from petcheck.properties.failures import Failures
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, known

PLAIN = {"name": "Rex", "categoryId": 1}
DOUBTFUL = PLAIN | {"name": "Zo\u00eb"}


@pytest.mark.parametrize(("status", "alike"), [(500, True), (422, False), (201, False)])
def test_a_plain_animal_that_fails_as_a_doubtful_one_did_shows_that_the_doubt_is_not_the_reason(
    status: int, alike: bool
) -> None:
    doubtful = exchange(Operation.CREATE_PET, 500, asked=DOUBTFUL)
    plain = exchange(Operation.CREATE_PET, status, asked=PLAIN)
    grounds = Grounds(date(2026, 1, 1), categories=known(1))
    assert Failures(grounds, set()).alike(plain, doubtful) is alike
