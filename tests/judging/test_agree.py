"""In a row: A, B, A, with no other request in between."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.exchange import Exchange
from petcheck.judging.agree import agree
from petcheck.judging.pages import Sight
from tests.support.exchanges import exchange


def at(sent: float, took: float = 1.0, limit: int = 1) -> Exchange:
    return exchange(path=f"/pets?limit={limit}", sent=sent, took=took, body=[{"id": sent}])


def rows(outer: list[Exchange], inner: list[Exchange], among: list[Exchange]) -> list[tuple[float, ...]]:
    found = agree([Sight(one, {}) for one in outer], [Sight(one, {}) for one in inner], among)
    return [tuple(seen.exchange.sent for seen in row) for row in found]


def test_each_is_compared_with_its_neighbours() -> None:
    outer, inner = [at(0), at(20), at(40)], [at(10), at(30), at(50)]
    assert rows(outer, inner, []) == [(0, 10, 20), (20, 30, 40)]
    assert rows(outer[::-1], inner, []) == [(0, 10, 20), (20, 30, 40)]


@pytest.mark.parametrize(("before", "after", "apart"), [(9, 11, True), (9.1, 11, False), (9, 10.9, False)])
def test_answers_that_overlap_are_not_in_a_row(before: float, after: float, apart: bool) -> None:
    assert bool(rows([at(before), at(after)], [at(10)], [])) == apart


def test_of_overlapping_answers_the_last_to_come_and_the_first_to_be_sent_are_neighbours() -> None:
    first, second = at(0, took=5), at(1, took=1)
    later, sooner = at(21, took=1), at(20, took=5)
    assert rows([first, second, later, sooner], [at(10)], []) == [(0, 10, 20)]


@pytest.mark.parametrize(
    ("other", "kept"),
    [
        (at(3, limit=7), False),
        (at(13, limit=7), False),
        (at(1, took=0.5, limit=7), False),
        (at(0.5, took=2, limit=7), True),
        (at(20, took=0, limit=7), False),
        (at(19, took=2, limit=7), True),
        (at(3, limit=1), True),
        (at(13, limit=2), True),
        (at(30, limit=7), True),
    ],
)
def test_another_request_in_between_disturbs(other: Exchange, kept: bool) -> None:
    before, inner, after = at(0), at(10, limit=2), at(20)
    among = sorted([before, inner, after, other], key=lambda one: one.sent)
    assert rows([before, after], [inner], among) == ([(0, 10, 20)] if kept else [])


@pytest.mark.parametrize(("beside", "kept"), [(1, True), (2, False), (None, False)])
def test_what_was_sent_at_the_same_time_as_one_of_the_three_does_not_disturb(beside: int | None, kept: bool) -> None:
    before, inner, after = at(0), replace(at(10, limit=2), burst=1), at(20)
    among = [before, replace(at(10, limit=7), burst=beside), inner, after]
    assert rows([before, after], [inner], among) == ([(0, 10, 20)] if kept else [])
