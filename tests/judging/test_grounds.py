"""What a record shows about a target when a rule judges."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from petcheck.judging.decided import grounds_of
from petcheck.judging.judgement import Grounds, Known
from petcheck.judging.pages import older_in
from petcheck.spec.figures import PLANS
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

DAY = date(2026, 1, 1)
REX = {"id": 7, "name": "Rex", "categoryId": 3}


def test_grounds_are_what_the_record_shows() -> None:
    tex = {"name": "Tex", "categoryId": 5}
    record = [exchange(body=[REX]), exchange(Operation.CREATE_PET, 201, {"id": 9, **tex}, asked=tex, sent=1)]
    grounds = grounds_of(record, as_of=DAY, plan="pro", writes=True, run="0a1b2c3d", repeats=True)
    assert grounds == Grounds(
        DAY,
        PLANS["pro"],
        categories={3: Known(record[0].finished), 5: Known(record[1].finished)},
        listed=frozenset({7, 9}),
        writes=True,
        run="0a1b2c3d",
        repeats=True,
        older=frozenset({7}),
        begun={9: 1},
    )
    bare = grounds_of(record, as_of=DAY, plan=None, writes=False, run="", repeats=False)
    assert bare == replace(grounds, plan=None, writes=False, run="", repeats=False)
    again = grounds_of(
        [*record, replace(record[0], sent=5.0)], as_of=DAY, plan=None, writes=False, run="", repeats=False
    )
    assert again.categories == grounds.categories
    assert [again.categories_at(moment) for moment in (0.0, record[0].finished, 2.0)] == [
        frozenset(),
        frozenset({3}),
        frozenset({3, 5}),
    ]


def test_animals_of_posts_that_had_to_be_refused_are_unwanted_and_come_last() -> None:
    valid, unnamed = ({"name": name, "categoryId": 5} for name in ("Tex", None))
    bodies = [(8, unnamed), (9, valid), (10, valid | {"status": None})]
    record = [exchange(Operation.CREATE_PET, 201, {"id": n, **body}, asked=body) for n, body in bodies]
    grounds = grounds_of(record, as_of=DAY, plan=None, writes=True, run="", repeats=False)
    assert grounds.unwanted == {8, 10}
    placed = [(place, {"id": number}) for place, number in enumerate((10, 7, 8, 9))]
    assert [place for place, _ in grounds.telling(placed)] == [1, 3, 0, 2]


def test_animals_on_a_page_that_came_before_the_first_post_was_sent_are_older() -> None:
    tex = {"name": "Tex", "categoryId": 5}
    post = exchange(Operation.CREATE_PET, 201, {"id": 9, **tex}, asked=tex, sent=1.0)
    before, beside = (exchange(body=[REX | {"id": number}], sent=sent) for number, sent in ((7, 0.9), (8, 0.95)))
    assert older_in([before, beside, post]) == {7}
    assert older_in([before, beside]) == {7, 8}
    assert older_in([]) == frozenset()
