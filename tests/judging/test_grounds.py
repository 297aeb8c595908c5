"""What a record shows about a target when a rule judges."""

from __future__ import annotations

from datetime import date

from petcheck.judging.decided import grounds_of
from petcheck.judging.judgement import Grounds
from petcheck.spec.figures import PLANS
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

DAY = date(2026, 1, 1)
REX = {"id": 7, "name": "Rex", "categoryId": 3}


def test_grounds_are_what_the_record_shows() -> None:
    tex = {"name": "Tex", "categoryId": 5}
    record = [exchange(body=[REX]), exchange(Operation.CREATE_PET, 201, {"id": 9, **tex}, asked=tex)]
    grounds = grounds_of(record, as_of=DAY, plan="pro", writes=True, run="0a1b2c3d", repeats=True)
    assert grounds == Grounds(
        DAY,
        PLANS["pro"],
        categories=frozenset({3, 5}),
        listed=frozenset({7, 9}),
        writes=True,
        run="0a1b2c3d",
        repeats=True,
        begun={9: 0.0},
    )
    bare = grounds_of(record, as_of=DAY, plan=None, writes=False, run="", repeats=False)
    assert bare == Grounds(DAY, categories=frozenset({3, 5}), listed=frozenset({7, 9}), begun={9: 0.0})
