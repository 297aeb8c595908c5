"""An animal that was created is on the pages that have room for it (CREATE-13)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.exchange import Exchange
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Undecided
from petcheck.spec.operations import Operation
from tests.judging.rules.animals import (
    FEW,
    MANY,
    OLD,
    PENDING,
    READING,
    REMOVED,
    SHOWING,
    found,
    get,
    listing,
    new,
    page,
    pet,
    reading,
)
from tests.support.exchanges import exchange


def test_a_created_animal_is_listed_as_it_was_created() -> None:
    shown = page(pet(1), OLD, sent=1.0)
    assert found("CREATE-13", new(1), shown) == Held((shown,))
    other = page(pet(2), sent=1.0, query=PENDING)
    assert found("CREATE-13", new(1), new(2, 0.5), shown, other, page(pet(1), pet(2), OLD, sent=2.0)) == Held(
        (shown, page(pet(1), pet(2), OLD, sent=2.0), other)
    )
    assert found("CREATE-13", shown) == Undecided(
        "POST /pets created no animal that has an id; see CREATE-1 and PET-1."
    )


def test_a_full_page_or_an_open_filter_need_not_show_it() -> None:
    full = [pet(n) for n in range(500, 600)]
    no_room = "No page had room for the created animals. Test a store of fewer than 20 animals."
    for animals, query in ((full, "?limit=100"), (MANY, "?limit=100&page=1")):
        record = [page(*animals, sent=-1.0, query=query), new(1), page(*animals, sent=1.0, query=query)]
        assert found("CREATE-13", *record) == Undecided(no_room)
        decision = found("CREATE-13", *record, page(OLD, sent=1.0, query="?limit=99"))
        assert isinstance(decision, Ask)
        assert decision.calls[0] == listing(limit="99")


def test_a_page_that_shows_two_changed_alike_fails() -> None:
    changed = [pet(1, categoryId=2), pet(2, categoryId=2)]
    again = found("CREATE-13", new(1), new(2), page(OLD, *changed, sent=10.1))
    assert isinstance(again, Failed)
    assert again.text == (
        "GET /pets?limit=100 does not match the 201 for animal 1: `categoryId` is 2 instead of 1 (section 4.2); "
        "also animal 2."
    )
    assert [proof.part for proof in again.proofs][:2] == ["body:/categoryId", "body:/1/categoryId"]
    three = found("CREATE-13", new(1), new(2), new(3), page(OLD, *changed, pet(3, categoryId=2), sent=10.1))
    assert isinstance(three, Failed)
    assert three.text.endswith("(section 4.2); also animals 2, 3.")
    alone = [new(1), *(page(OLD, pet(1, categoryId=2), sent=at) for at in (1.0, 10.1))]
    assert isinstance(found("CREATE-13", *alone, grounds=READING), Undecided)
    assert isinstance(found("CREATE-13", *alone), Ask)


def test_a_page_that_shows_one_changed_is_requested_again_then_for_another_animal() -> None:
    posted, shown = new(1), page(OLD, pet(1, categoryId=2), sent=1.0)
    changing = "Animal 1 changes between requests; another client may be changing it. Run again."
    once = found("CREATE-13", posted, shown)
    assert once == Ask((listing(limit="100"),), Undecided(changing, examined=(posted, shown), doubtful=True), 10.1)
    again = page(OLD, pet(1, categoryId=2), sent=10.1)
    undecided = Undecided(
        "GET /pets?limit=100 does not match the 201 for animal 1: `categoryId` is 2 instead of 1 (section 4.2). "
        "Another client may have changed the animal. Run again.",
        examined=(posted, again),
        doubtful=True,
    )
    other = new(2, 5.0)
    asked = Ask((listing(limit="100"),), undecided, other.finished + 10)
    assert found("CREATE-13", posted, other, shown, again, grounds=READING) == asked
    # one that a page shows as it was created is no help
    late = page(pet(2), sent=20.0, query="?limit=9")
    assert found("CREATE-13", posted, other, shown, again, late, grounds=READING) == undecided


@pytest.mark.parametrize(
    ("status", "query"),
    [("pending", {"limit": "9", "status": "pending"}), ("sold", {"limit": "100"}), (None, {"limit": "100"})],
)
def test_another_animal_is_looked_for_on_a_page_that_may_show_it(status: str | None, query: dict[str, str]) -> None:
    pages = [page(pet(1, categoryId=2), sent=at, query="?limit=9&status=pending") for at in (1.0, 10.1)]
    asked = {"name": "Rex 2", "categoryId": 1} | ({"status": status} if status else {})
    other = exchange(Operation.CREATE_PET, 201, {"id": 2, **asked}, asked=asked, index=2)
    question = found("CREATE-13", new(1), other, *pages, grounds=READING)
    assert isinstance(question, Ask)
    assert question.calls == (listing(**query),)


def test_an_animal_missing_in_the_whole_store_is_read_between_two_pages() -> None:
    record = [new(1), page(OLD, sent=1.0)]
    first = found("CREATE-13", *record)
    assert isinstance(first, Ask)
    whole = listing(limit="100")
    assert (first.calls, first.not_before) == ((whole, reading(1), whole), 11.1)
    assert first.otherwise == Undecided(
        "GET /pets?limit=100 does not show animal 1, which POST /pets created; it may be shown late, as by a cache. "
        "Run again.",
        examined=tuple(record),
        doubtful=True,
    )
    late = [*record, page(OLD, sent=11.1), get(1, 11.3), page(OLD, sent=11.5)]
    decision = found("CREATE-13", *late)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "10 s after POST /pets created animal 1, GET /pets?limit=100 left it out, although GET /pets/1 shows it; "
        "the page holds 1 of at most 100 animals (section 4.2)."
    )
    assert decision.proofs == (Proof(record[0], "body:/id"), Proof(late[4], "body"), Proof(late[3], "body"))


def test_another_client_may_have_removed_an_animal_that_is_due_and_not_seen_since() -> None:
    def why(*record: Exchange) -> str:
        asked = found("CREATE-13", new(1), *record)
        assert isinstance(asked, Ask)
        return asked.otherwise.reason

    of_others = (
        "GET /pets?limit=100 does not show animal 1, which POST /pets created; another client may have removed it. "
        "Run again."
    )
    late = of_others.replace("another client may have removed it", "it may be shown late, as by a cache")
    due = page(OLD, sent=10.1)
    assert why(due) == of_others
    assert why(page(OLD, sent=10.0)) == late
    # what is shown since is still there
    assert why(replace(get(1, 1.0), finished=10.1), due) == of_others
    assert why(replace(get(1, 1.0), finished=10.2), due) == late
    assert why(due, page(pet(1), sent=10.3, query="?limit=50")) == late


def test_a_request_that_no_longer_shows_it_says_that_another_client_removed_it() -> None:
    """The first page lacks it since it is new; then it is removed, and GETs by id still find it."""
    shown, gone = page(pet(1), sent=12.0, query=SHOWING), page(OLD, sent=12.4, query=SHOWING)
    row = [page(OLD, sent=12.6), get(1, 12.8), page(OLD, sent=13.0)]
    early = [new(1), page(OLD, sent=1.0), shown]
    asked = found("CREATE-13", *early, gone, *row)
    assert isinstance(asked, Ask)
    assert asked.not_before == pytest.approx(22.7)
    assert isinstance(found("CREATE-13", *early, *row), Failed)
    # one that is full or shows it does not say so
    full = page(*(pet(number) for number in range(500, 599)), sent=12.4, query=SHOWING)
    assert isinstance(found("CREATE-13", *early, full, *row), Failed)
    assert isinstance(found("CREATE-13", *early, gone, replace(shown, sent=12.5), *row), Failed)


def test_the_longest_page_is_asked_about_first() -> None:
    before, short, long = page(OLD, sent=-1.0, query=""), page(OLD, sent=1.0, query=""), page(OLD, sent=1.2)
    for pages in ((short, long), (long, short)):
        decision = found("CREATE-13", before, new(1), *pages)
        assert isinstance(decision, Ask)
        assert decision.calls == (listing(limit="100"), reading(1), listing(limit="100"))


def test_a_read_may_follow_the_page_at_once() -> None:
    seen = page(OLD, sent=1.0)
    first = page(OLD, sent=seen.finished + 10.0)
    read = get(1, first.finished)
    assert isinstance(found("CREATE-13", new(1), seen, first, read, page(OLD, sent=read.finished)), Failed)


def test_what_still_shows_an_animal_that_another_client_just_removed_may_lag() -> None:
    shown, gone = page(OLD, pet(1), sent=20.0), [page(OLD, sent=sent) for sent in (30.0, 30.2)]
    asked = found("CREATE-13", new(1), shown, gone[0], get(1, 30.1), gone[1])
    assert isinstance(asked, Ask)
    assert asked.not_before == gone[0].finished + 10.0
    late = [page(OLD, sent=40.1), get(1, 40.3), page(OLD, sent=40.5)]
    assert isinstance(found("CREATE-13", new(1), shown, *gone, *late), Failed)
    at_once = page(OLD, sent=20.0)  # beside the page that shows it
    overlapping = found("CREATE-13", new(1), shown, at_once, *gone)
    assert isinstance(overlapping, Ask)
    assert overlapping.not_before == at_once.finished + 10.0
    back = page(OLD, pet(1), sent=35.0)
    assert not isinstance(found("CREATE-13", new(1), shown, *gone, back, *late), Failed)


@pytest.mark.parametrize(
    "later",
    [
        [page(OLD, sent=11.1), get(1, 11.3, 404), page(OLD, sent=11.5)],
        [page(OLD, sent=11.0), get(1, 11.3), page(OLD, sent=11.5)],
        [page(OLD, sent=11.1), get(1, 11.15), page(OLD, sent=11.5)],
        [page(OLD, sent=11.1), get(1, 11.3), page(OLD, sent=11.35)],
        [page(OLD, sent=11.1), get(2, 11.3), page(OLD, sent=11.5)],
        [page(OLD, pet(1), sent=11.1), get(1, 11.3), page(OLD, sent=11.5)],
        [page(OLD, sent=11.1, query="?limit=99"), get(1, 11.3), page(OLD, sent=11.5)],
    ],
    ids=range(7),
)
def test_an_animal_that_may_have_vanished_is_not_missing(later: list[Exchange]) -> None:
    assert not isinstance(found("CREATE-13", new(1), page(OLD, sent=1.0), *later), Failed)


def test_two_animals_that_no_page_of_the_whole_store_shows_are_read() -> None:
    """A store may remove its oldest: an animal counts only while it can be read."""
    record = [new(1), new(2), page(OLD, sent=1.0), page(OLD, sent=11.1)]
    whole = listing(limit="100")
    asked = found("CREATE-13", *record)
    assert isinstance(asked, Ask)
    assert asked.calls == (whole, reading(2), whole)
    gone = found("CREATE-13", *record, get(2, 11.3, 404), page(OLD, sent=11.5))
    assert isinstance(gone, Ask)
    assert isinstance(found("CREATE-13", *record, get(2, 11.3), page(OLD, sent=11.5)), Failed)


def test_from_the_removal_day_two_animals_that_no_page_shows_fail() -> None:
    record = [new(1), new(2), page(OLD, sent=10.1)]
    decision = found("CREATE-13", *record, grounds=REMOVED)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "10 s after POST /pets created animal 2, GET /pets?limit=100 left it out; the page holds 1 of at most 100 "
        "animals (section 4.2)."
    )
    assert decision.proofs == (Proof(record[1], "body:/id"), Proof(record[2], "body"))
    again = found("CREATE-13", new(1), new(2), page(OLD, sent=10.0), grounds=REMOVED)
    assert isinstance(again, Ask)
    assert again.calls == (listing(limit="100"),)


def test_a_store_may_have_removed_its_oldest_animals_before_any_page_showed_them() -> None:
    first, newest = page(OLD, sent=-1.0), page(pet(3), sent=10.4)
    posts = [replace(new(n), sent=n / 10, finished=n / 10 + 0.05) for n in (1, 2, 3)]
    assert isinstance(found("CREATE-13", first, *posts, newest, grounds=REMOVED), Ask)
    assert isinstance(found("CREATE-13", first, *posts, page(OLD, pet(3), sent=10.4), grounds=REMOVED), Failed)


def test_what_was_left_out_once_stays_left_out() -> None:
    """A cache of the page expires 14 s after it was filled."""
    early, before, after = page(OLD, sent=1.0), page(OLD, sent=11.2), page(OLD, sent=11.6)
    beside = page(OLD, pet(1), sent=11.4, query="?limit=18")
    now = page(OLD, pet(1), sent=15.0)
    record = [page(OLD, sent=-1.0), new(1), early, before, beside, after, now]
    decision = found("CREATE-13", *record)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "10 s after POST /pets created animal 1, GET /pets?limit=100 left it out, although GET /pets?limit=18 shows "
        "it; the page holds 1 of at most 100 animals (section 4.2)."
    )
    assert [proof.exchange for proof in decision.proofs] == [new(1), after, beside]
    by_id = get(1, 11.4)
    assert isinstance(found("CREATE-13", *[by_id if one is beside else one for one in record]), Failed)


def test_a_page_that_lacks_an_animal_proves_nothing_if_caches_or_other_clients_explain_it() -> None:
    before, after, now = page(OLD, sent=11.2), page(OLD, sent=11.6), page(OLD, pet(1), sent=35.0)

    def outcome(*between: Exchange) -> bool:
        return isinstance(found("CREATE-13", page(OLD, sent=-1.0), new(1), *between, now), Failed)

    beside = page(OLD, pet(1), sent=11.4, query="?limit=18")
    assert outcome(page(OLD, sent=1.0), before, beside, after)
    # removed when the first page lacked it, and a cache showed it for 10 s more
    assert not outcome(before, beside, after)
    # its id is another one's now
    other = page(OLD, pet(1, name="Tom"), sent=11.4, query="?limit=18")
    assert not outcome(page(OLD, sent=1.0), before, other, after)
    # nothing after it lacks it, or nothing before
    assert not outcome(page(OLD, sent=1.0), before, beside)
    assert not outcome(page(OLD, sent=1.0), beside, after)


def test_from_the_removal_day_no_read_is_requested() -> None:
    for sent in (1.0, 10.1):  # one missing animal may have vanished
        decision = found("CREATE-13", new(1), page(OLD, sent=sent), grounds=REMOVED)
        assert isinstance(decision, Ask)
        assert (decision.calls, decision.not_before) == ((listing(limit="100"),), 10.1)
        assert isinstance(decision.otherwise, Undecided)
        assert decision.otherwise.reason.startswith("GET /pets?limit=100 does not show animal 1, which POST /pets ")


@pytest.mark.parametrize(
    ("first", "second", "fails"),
    [
        ({"categoryId": 2}, {"categoryId": 2}, True),
        ({"name": "REX 1"}, {"name": "REX 2"}, True),
        ({"name": "Rex"}, {"name": "Re"}, True),
        ({"name": "Tom"}, {"name": "Ulf"}, False),
        ({"status": "sold"}, {"status": "sold"}, False),
        ({"status": 7}, {"status": 7}, False),
        ({"categoryId": 2}, {}, False),
    ],
)
def test_two_animals_that_differ_alike_on_one_page_for_10_s_fail_although_other_pages_are_right(
    first: dict[str, object], second: dict[str, object], fails: bool
) -> None:
    wrong = page(pet(1, **first), pet(2, **second), sent=10.1)
    record = [new(1), new(2), page(pet(1), pet(2), sent=2.0), wrong, page(pet(1), pet(2), sent=20.0)]
    assert isinstance(found("CREATE-13", *record), Failed) is fails


BARE = [{name: value for name, value in pet(n).items() if name != "status"} for n in (1, 2)]


def test_two_animals_that_a_page_shows_without_their_status_for_10_s_fail() -> None:
    early, late = page(*BARE, sent=1.0), page(*BARE, sent=10.2)
    right = page(pet(1), pet(2), sent=2.0, query="?limit=99")
    decision = found("CREATE-13", new(1), new(2), early, right)
    assert isinstance(decision, Ask)
    assert (decision.calls, decision.not_before) == ((listing(limit="100"),), 10.1)
    assert decision.otherwise == Undecided(
        'GET /pets?limit=100 does not match the 201 for animal 1: `status` is missing instead of "pending" '
        "(section 4.2); also animal 2. It may be shown late. Run again.",
        examined=(early,),
        doubtful=True,
    )
    assert isinstance(found("CREATE-13", new(1), new(2), early, right, late), Failed)
    assert isinstance(found("CREATE-13", new(1), new(2), late, page(pet(1), pet(2), sent=12.0)), Failed)


def test_a_status_may_show_late() -> None:
    early, right = page(*BARE, sent=1.0), page(pet(1), pet(2), sent=10.1)
    assert isinstance(found("CREATE-13", new(1), new(2), early, right), Held)
    assert not isinstance(found("CREATE-13", new(1), new(2), page(BARE[0], pet(2), sent=20.0)), Failed)
    # another page, or the same one too early, does not answer it
    for other in (page(pet(1), pet(2), sent=12.0, query="?limit=99"), page(pet(1), pet(2), sent=9.0)):
        assert isinstance(found("CREATE-13", new(1), new(2), early, other), Ask)


def test_each_page_that_lacks_two_statuses_is_asked_when_both_are_due() -> None:
    first, third = new(1), replace(new(3), sent=5.0, finished=5.1)
    bare = {name: value for name, value in pet(3).items() if name != "status"}
    record = [
        first,
        new(2),
        page(*BARE, sent=1.0),
        third,
        page(BARE[0], bare, sent=6.0),
        page(pet(1), pet(2), sent=11.0),
    ]
    decision = found("CREATE-13", *record)
    assert isinstance(decision, Ask)
    assert decision.not_before == pytest.approx(15.1)


def test_a_stale_cache_is_found_with_a_new_request() -> None:
    record = [page(*FEW, sent=-1.0, query=PENDING), new(1), page(*FEW, sent=1.0, query=PENDING)]
    first = found("CREATE-13", *record)
    assert isinstance(first, Ask)
    assert (first.calls, first.not_before) == ((listing(limit="99", status="pending"),), 0.0)
    assert first.otherwise == Undecided(
        "GET /pets?limit=100&status=pending does not show animal 1, which POST /pets created; it may be shown late, as "
        "by a cache, or the service may cut a page before it filters. Run again.",
        examined=tuple(record[1:]),
        doubtful=True,
    )
    record.append(page(*FEW, pet(1), sent=2.0, query="?limit=99&status=pending"))
    second = found("CREATE-13", *record)
    assert isinstance(second, Ask)
    assert second.otherwise == first.otherwise
    again = listing(limit="100", status="pending")
    assert (second.calls, second.not_before) == ((again, listing(limit="99", status="pending"), again), 11.1)
    record += [
        page(*FEW, sent=11.1, query=PENDING),
        page(*FEW, pet(1), sent=11.3, query="?limit=99&status=pending"),
        page(*FEW, sent=11.5, query=PENDING),
    ]
    decision = found("CREATE-13", *record)
    assert isinstance(decision, Failed)
    assert "although GET /pets?limit=99&status=pending shows it" in decision.text
    assert decision.proofs == (Proof(record[1], "body:/id"), Proof(record[6], "body"), Proof(record[5], "body"))
    assert isinstance(found("CREATE-13", *record[:-1], page(*FEW, pet(1), sent=11.5, query=PENDING)), Held)


def test_the_page_is_wrong_before_and_after_another_that_shows_it() -> None:
    record = [page(*FEW, sent=-1.0, query=PENDING), new(1), page(*FEW, sent=1.0, query=PENDING)]
    first = page(*FEW, sent=record[2].finished + 10.0, query=PENDING)
    shown = page(*FEW, pet(1), sent=first.finished, query=SHOWING)
    assert isinstance(found("CREATE-13", *record, first, shown, page(*FEW, sent=shown.finished, query=PENDING)), Failed)
    early = page(*FEW, pet(1), sent=2.0, query=SHOWING)
    assert isinstance(
        found("CREATE-13", *record, early, page(*FEW, sent=12.0, query=PENDING)),
        Ask,
    )


@pytest.mark.parametrize(
    ("query", "other", "fresh"),
    [
        (PENDING, "?limit=99&status=sold", {"limit": "99", "status": "pending"}),
        (PENDING, "?limit=99", {"limit": "99", "status": "pending"}),
    ],
    ids=range(2),
)
def test_a_page_of_another_filter_does_not_show_that_there_is_room(
    query: str, other: str, fresh: dict[str, str]
) -> None:
    record = [page(*FEW, sent=-1.0, query=query), new(1), page(*FEW, sent=11.0, query=query)]
    record += [page(pet(1), sent=12.0, query=other), page(*FEW, sent=13.0, query=query)]
    decision = found("CREATE-13", *record)
    assert isinstance(decision, Ask)
    assert decision.calls == (listing(**fresh),)


def test_a_page_of_20_may_be_cut_and_each_request_may_have_its_own_order() -> None:
    record = [page(*MANY[:20], sent=-1.0, query=PENDING), new(1), page(*MANY[:20], sent=11.0, query=PENDING)]
    record += [page(*MANY[:19], pet(1), sent=12.0, query=SHOWING), page(*MANY[:20], sent=13.0, query=PENDING)]
    assert isinstance(found("CREATE-13", *record), Held)


@pytest.mark.parametrize(
    ("limit", "other", "outcome"),
    [("1", "100", Held), ("1", "1000", Held), ("101", "100", Held), ("100", "100", Held), ("100", "99", Ask)],
)
def test_only_a_page_that_is_no_longer_says_that_there_is_room(limit: str, other: str, outcome: type[Decision]) -> None:
    """A server may cut the list to the limit before it filters."""
    short, long = (f"?limit={each}&status=pending" for each in (limit, other))
    record = [page(*MANY, sent=-1.0), new(1), page(pet(1), sent=2.0, query=long), page(sent=3.0, query=short)]
    assert isinstance(found("CREATE-13", *record), outcome)


def test_a_page_of_the_same_length_says_that_there_is_room() -> None:
    record = [
        page(*MANY, sent=-1.0),
        new(1),
        page(pet(1), sent=2.0, query="?status=pending"),
        page(sent=3.0, query="?limit=20&status=pending"),
    ]
    assert isinstance(found("CREATE-13", *record), Ask)


def test_pages_in_a_random_order_may_leave_out_any_animal_and_the_same_request_is_no_proof_of_room() -> None:
    """A server may cut the list to the limit before it filters."""
    seen, *lacking = (page(*FEW, sent=sent, query=PENDING) for sent in (0.5, 11.0, 13.0))
    beside = page(*FEW, pet(1), sent=12.0, query=SHOWING)
    record = [page(*MANY, sent=-1.0), new(1), seen, lacking[0], beside, lacking[1]]
    assert isinstance(found("CREATE-13", *record), Failed)
    turned = page(*FEW[::-1], sent=-0.5, query="?status=pending")
    assert isinstance(found("CREATE-13", record[0], turned, *record[1:]), Held | Undecided)


def test_a_page_requested_for_the_first_time_is_not_cached() -> None:
    decision = found("CREATE-13", new(1), page(*MANY, sent=1.0, query=PENDING))
    assert isinstance(decision, Undecided)


@pytest.mark.parametrize(
    ("lacking", "shown", "outcome"),
    [
        (FEW, [pet(1)], Ask),
        (FEW, [*FEW, pet(1)], Ask),
        (FEW, [pet(801), pet(1)], Ask),  # another new animal may be newer than the page
        (FEW, [pet(800), pet(1)], Held),  # an old one may have taken the place
        # a page of 20 may be cut, unless another one holds all of it and more
        (MANY[:20], [*MANY[:20], pet(1)], Ask),
        (MANY[:20], [*MANY[1:20], pet(801), pet(802), pet(1)], Held),
        (MANY[:20], [pet(1)], Held),
        # a cut leaves out what comes last, so what comes first has room
        (MANY[:20], [pet(1), pet(800), *MANY[:20]], Ask),
        (MANY[:20], [*MANY[:20], pet(800), pet(1)], Held),
    ],
    ids=range(9),
)
def test_whether_another_page_shows_that_there_is_room(
    lacking: list[dict[str, object]], shown: list[dict[str, object]], outcome: type[Decision]
) -> None:
    record = [page(*MANY, OLD, pet(800), sent=-1.0), page(*lacking, sent=-1.0, query=PENDING), new(1)]
    record += [page(*lacking, sent=1.0, query=PENDING), page(*shown, sent=2.0, query=SHOWING)]
    assert isinstance(found("CREATE-13", *record), outcome)


def test_a_page_of_another_filter_need_not_show_it() -> None:
    record = [page(OLD, sent=-1.0, query="?status=sold"), new(1), page(pet(1), OLD, sent=1.0)]
    assert isinstance(found("CREATE-13", *record, page(OLD, sent=20.0, query="?status=sold")), Held)
