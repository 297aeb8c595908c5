"""An animal of the run that is on no page, in a store of more animals than a page surely shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.call import page_call, read_call
from petcheck.exchange import Exchange
from petcheck.judging.creations import still_there
from petcheck.judging.decision import Ask, Failed, Undecided
from petcheck.judging.unlisted import on_no_page
from tests.judging.rules.animals import GROUNDS, MANY, READING, REMOVED, found, get, new, page, pet

WIDE = page_call(100)
# animal 1 is on no page; the page of 26 holds that of 25, which so held the whole store
RECORD = [new(1), page(*MANY, sent=1.0), new(2, 2.0), page(*MANY, pet(2), sent=3.0)]
ROW = [page(*MANY, pet(2), sent=11.1), get(1, 11.3), page(*MANY, pet(2), sent=11.5)]
ONE_MORE = [new(3, 12.0), page(*MANY, pet(2), pet(3), sent=13.0)]


def known(*record: Exchange, grounds: object = GROUNDS) -> object:
    return on_no_page(record, still_there(record), grounds)  # type: ignore[arg-type]


def test_it_is_read_between_two_pages_then_one_more_animal_shows_that_they_hold_the_whole_store() -> None:
    asked = known(*RECORD)
    assert isinstance(asked, Ask)
    assert asked.calls == (WIDE, read_call(1), WIDE)
    assert asked.not_before == pytest.approx(RECORD[1].finished + 10.0)
    assert asked.otherwise == Undecided(
        "GET /pets?limit=100 does not show animal 1, which POST /pets created; it may be shown late, as by a cache. "
        "Run again.",
        examined=(RECORD[0], RECORD[1]),
        doubtful=True,
    )
    assert found("CREATE-13", *RECORD) == asked
    assert known(*RECORD, *ROW) == Ask((RECORD[2].request.call, WIDE), asked.otherwise)
    proved = known(*RECORD, *ROW, *ONE_MORE)
    assert isinstance(proved, tuple)
    assert (proved[0].exchange, proved[1].id, proved[2]) == (ROW[0], 1, ROW[1])
    decision = found("CREATE-13", *RECORD, *ROW, *ONE_MORE)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "10 s after POST /pets created animal 1, GET /pets?limit=100 left it out, although GET /pets/1 shows it; the "
        "page holds 26 of at most 100 animals (section 4.2)."
    )


def test_a_page_of_20_animals_may_be_cut_too() -> None:
    twenty = MANY[:20]
    asked = known(new(1), page(*twenty, sent=1.0), new(2, 2.0), page(*twenty, pet(2), sent=3.0))
    assert isinstance(asked, Ask)
    assert asked.calls == (WIDE, read_call(1), WIDE)


def test_it_is_asked_after_10_seconds_from_its_post_too() -> None:
    late = replace(RECORD[0], finished=2.0)
    asked = known(late, page(*MANY, sent=1.9, query="?limit=99"), page(*MANY, sent=2.0), *RECORD[2:])
    assert isinstance(asked, Ask)
    assert asked.not_before == pytest.approx(12.1)


@pytest.mark.parametrize(
    "record",
    [
        [new(1), page(*MANY, sent=1.0)],  # it may be cut
        [new(1), page(*MANY, sent=1.0), new(2, 2.0), page(*MANY, pet(2), pet(1), sent=3.0)],  # it is shown
        [page(*MANY, sent=-1.0), new(1), page(*MANY, pet(2), sent=3.0)],  # it was created later
        [*RECORD, get(1, 4.0, 404)],  # another client may have removed it
        [*RECORD, page(*MANY[::-1], pet(2), sent=4.0)],  # each answer may have its own order
        [page(*MANY[:19], sent=-1.0), new(1), page(*MANY[:18], sent=1.0), new(2, 2.0)],  # a small store needs no more
    ],
)
def test_nothing_is_known_to_be_left_out(record: list[Exchange]) -> None:
    assert known(*record) is None


def test_a_run_that_may_not_write_or_read_asks_no_more() -> None:
    assert known(*RECORD, *ROW, grounds=READING) is None
    assert known(*RECORD, grounds=REMOVED) is None


def test_a_page_that_came_too_early_proves_nothing() -> None:
    early = [page(*MANY, pet(2), sent=11.0), get(1, 11.3), page(*MANY, pet(2), sent=11.5)]
    asked = known(*RECORD, *early)
    assert isinstance(asked, Ask)
    assert asked.calls == (WIDE, read_call(1), WIDE)
    grown = [ROW[0], ROW[1], new(3, 11.35), page(*MANY, pet(2), pet(3), sent=11.5)]
    proved = known(*RECORD, *grown)  # the longer page shows that the one before was whole
    assert isinstance(proved, tuple)
    assert proved[0].exchange == ROW[0]
