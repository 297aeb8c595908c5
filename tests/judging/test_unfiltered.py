"""LIST-8: what a page without a filter leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest

from petcheck.call import Call
from petcheck.exchange import Exchange
from petcheck.judging.decision import Ask, Decision, Failed, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.unfiltered import hidden_without_filter
from tests.judging.rules.said import CREATE, LIST, NEW
from tests.support.exchanges import exchange, known

GROUNDS = Grounds(date(2030, 12, 4), categories=known(1))
WRITING = Grounds(date(2030, 12, 4), categories=known(1), writes=True)
WIDE, SOLD = "limit=100", "limit=100&status=sold"


def call(query: str) -> Call:
    return Call(
        LIST, query=tuple((name, value) for name, _, value in (part.partition("=") for part in query.split("&")))
    )


def pet(number: int, status: str) -> dict[str, object]:
    return {"id": number, "name": "x", "categoryId": 1, "status": status}


def page(ids: Iterable[int], query: str, at: float) -> Exchange:
    """A page of animals that are all sold if the query says so, otherwise all available."""
    status = "sold" if "sold" in query else "available"
    return exchange(LIST, path=f"/pets?{query}", body=[pet(n, status) for n in ids], sent=at, took=0.5, index=int(at))


def made(number: int, at: float) -> Exchange:
    return exchange(CREATE, 201, pet(number, "available"), asked=NEW, sent=at, took=0.5, index=int(at))


def decided(*record: Exchange, grounds: Grounds = GROUNDS) -> Decision | None:
    return hidden_without_filter(record, grounds)


def compared(at: float, shown: Iterable[int], sold: Iterable[int]) -> list[Exchange]:
    """The list, its sold animals, and the list again."""
    listed = list(shown)
    return [page(listed, WIDE, at), page(sold, SOLD, at + 1), page(listed, WIDE, at + 2)]


def test_a_small_list_that_hides_what_a_filter_shows() -> None:
    record = [page([7, 8], SOLD, 0), page([1, 2], WIDE, 1)]
    first = decided(*record)
    assert isinstance(first, Ask)
    assert (first.calls, first.not_before) == ((call(WIDE), call(SOLD), call(WIDE)), 11.5)
    assert first.otherwise == Undecided(
        'GET /pets?limit=100 does not show animal 7, which a page filtered by status "sold" shows, but the list may '
        "change between requests, or show changes late, as a cache does. Run again.",
        doubtful=True,
    )
    three = compared(12, [1, 2], [7, 8])
    decision = decided(*record, *three)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "GET /pets?limit=100 left out animal 7, which GET /pets?limit=100&status=sold lists; the page holds 2 animals "
        'of at most 100, all with status "available" (section 4.1).'
    )
    assert [(proof.exchange, proof.part) for proof in decision.proofs] == [
        (three[0], "body"),
        (three[1], "body:/0"),
        (three[2], "body"),
    ]


def test_it_is_compared_10_s_after_both_are_known() -> None:
    record = [page([7], SOLD, 0), page([1, 2], WIDE, 4)]
    assert isinstance(decided(*record, *compared(14, [1, 2], [7])), Ask)
    assert isinstance(decided(*record, *compared(14.5, [1, 2], [7])), Failed)


def test_requests_at_the_same_time_count_too() -> None:
    assert isinstance(decided(page([7], SOLD, 0.2), page([1, 2], WIDE, 0)), Ask)
    assert isinstance(decided(page([1, 2], WIDE, 0), page([7], SOLD, 0.5)), Ask)
    assert decided(page([1, 2], WIDE, 0), page([7], SOLD, 0.6)) is None


def test_an_animal_may_have_the_id_0() -> None:
    record = [page([0], SOLD, 0), page([1, 2], WIDE, 1)]
    assert isinstance(decided(*record, *compared(12, [1, 2], [0])), Failed)


def test_what_is_shown_late_or_has_vanished_is_no_fault() -> None:
    record = [page([7], SOLD, 0), page([1, 2], WIDE, 1)]
    assert decided(*record, *compared(12, [1, 2, 7], [7])) is None
    assert decided(*record, page([1, 2], WIDE, 12), page([7], SOLD, 13), page([1, 2, 7], WIDE, 14)) is None
    assert isinstance(decided(*record, *compared(12, [1, 2], [])), Undecided)


def test_a_page_that_may_be_cut_hides_nothing() -> None:
    record = [page([77], SOLD, 0), page(range(30), WIDE, 1)]
    assert decided(*record, *compared(12, range(30), [77])) is None


def test_one_more_animal_shows_that_a_page_was_the_whole_store() -> None:
    record = [page([77], SOLD, 0), page(range(30), WIDE, 1), made(30, 2), page(range(31), WIDE, 3)]
    assert isinstance(decided(*record), Ask)
    three = compared(12, range(31), [77])
    question = decided(*record, *three, grounds=WRITING)
    assert isinstance(question, Ask)
    assert question.calls == (made(30, 2).request.call, call(WIDE))
    reading = decided(*record, *three)
    assert isinstance(reading, Undecided)
    assert reading.reason.startswith("GET /pets?limit=100 does not show animal 77, which a page filtered by status")
    assert question.otherwise == reading
    grown = decided(*record, *three, made(31, 16), page(range(32), WIDE, 17), grounds=WRITING)
    assert isinstance(grown, Failed)
    assert "the page holds 31 animals of at most 100" in grown.text


def test_without_an_animal_of_the_run_on_the_page_none_is_posted() -> None:
    record = [page([77], SOLD, 0), page(range(30)[::-1], WIDE, 1), page(range(31)[::-1], WIDE, 3)]
    assert isinstance(decided(*record, *compared(12, range(31)[::-1], [77]), grounds=WRITING), Undecided)


@pytest.mark.parametrize(("shown", "size"), [([1], "1 animal"), ([1, 4], "2 animals")])
def test_only_several_animals_of_one_status_say_that_the_list_is_filtered(shown: list[int], size: str) -> None:
    record = [page([7], SOLD, 0), mixed(shown, 1), mixed(shown, 12), page([7], SOLD, 13), mixed(shown, 14)]
    decision = decided(*record)
    assert isinstance(decision, Failed)
    assert f"the page holds {size} of at most 100 (section 4.1)" in decision.text


def mixed(ids: list[int], at: float) -> Exchange:
    """A page of the list on which every animal with an even id is pending."""
    body = [pet(number, "available" if number % 2 else "pending") for number in ids]
    return exchange(LIST, path=f"/pets?{WIDE}", body=body, sent=at, took=0.5, index=int(at))
