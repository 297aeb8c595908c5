"""The search for refused animals on the pages that would show them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.call import Call
from petcheck.exchange import Exchange, Silence
from petcheck.judging.absence import Search, name_sent, nothing_stored, status_sent, stored
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.spec.figures import REMOVAL_DAY
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

RUN = "0a1b2c3d"
NAME = f"petcheck {RUN} refused x"
GROUNDS = Grounds(REMOVAL_DAY, run=RUN)


def post(
    name: object = NAME, status: object = "sold", *, sent: float = 10, code: int | Silence = 401, made: int = 0
) -> Exchange:
    asked = name if isinstance(name, bytes) else {"name": name, "categoryId": 1, "status": status}
    return exchange(Operation.CREATE_PET, code, {"id": made}, asked=asked, sent=sent, took=1, index=int(sent))


def page(*animals: object, query: str = "?limit=100&status=sold", sent: float = 30) -> Exchange:
    return exchange(path=f"/pets{query}", body=list(animals), sent=sent, took=1, index=int(sent))


def pet(number: int, name: object = "Rex") -> dict[str, object]:
    return {"id": number, "name": name, "categoryId": 1, "status": "sold"}


def search(*record: Exchange, grounds: Grounds = GROUNDS) -> Search:
    refused = [e for e in record if e.request.operation is Operation.CREATE_PET and e.status in (400, 401)]
    return stored(record, refused, grounds)


# ---- names


@pytest.mark.parametrize(
    ("body", "name", "status"),
    [
        (b'{"name": "Rex", "status": "sold"}', "Rex", "sold"),
        (b'{"Name": "Rex", "STATUS": "sold"}', "Rex", "sold"),
        (b'{"name": 12345, "status": "SOLD"}', "12345", None),
        (b'{"name": null}', None, None),
        (b'{"name": true, "status": ["sold"]}', None, None),
        (b'{"categoryId": 1}', None, None),
        (b'{"name": "R\\u0065x"}', "Rex", None),
        (b'{"tag": {"name": "Rex"}}', None, None),
        (b"{'name': 'Rex two', 'status': 'sold'}", "Rex two", "sold"),
        (b'[{"name": "Rex", "status": "pending"}]', "Rex", "pending"),
        (b'{"name": "Rex", "status": "sold",}', "Rex", "sold"),
        (b'{"name" : 77, "status":\n"sold"', "77", "sold"),
        (b'"{\\"name\\": \\"Rex\\", \\"status\\": \\"sold\\"}"', "Rex", "sold"),
        (b"\xff{'name': 'Rex'}", "Rex", None),
        (b"{'NAME': 'XeX', 'Status': 'sold'}", "XeX", "sold"),
        (b"{", None, None),
        (b"", None, None),
    ],
)
def test_the_name_of_an_animal_created_from_a_body(body: bytes, name: str | None, status: str | None) -> None:
    asked = post(body)
    assert (name_sent(asked), status_sent(asked)) == (name, status)


def test_a_post_that_was_asked_again_needs_no_page_of_its_own() -> None:
    again = replace(post(sent=50), again=10)
    whole = search(page(pet(5)), post(), page(pet(5)), again)
    assert [one.index for one, _ in whole.cleared] == [10]
    assert (whole.stale, whole.unseen) == ((), ())
    assert [one.index for one in search(page(pet(5)), post(), page(pet(5)), post(sent=50)).unseen] == [50]
    shown = search(page(pet(5)), post(), page(pet(5)), again, page(pet(9, NAME), pet(5), sent=60))
    assert 50 in [one.post.index for one in shown.found]


def test_no_body_has_no_name() -> None:
    assert name_sent(exchange(Operation.CREATE_PET, 401)) is None


# ---- what is found


def test_an_animal_with_the_name_of_a_refused_post_was_stored_by_it() -> None:
    refused, listed = post(), page(pet(1), pet(7, NAME), pet(8, NAME))
    found = search(refused, listed).found
    assert [(one.post, one.page.exchange, one.place, one.animal) for one in found] == [
        (refused, listed, 1, pet(7, NAME))
    ]
    assert search(refused, listed) == Search(found=found)


def test_a_filtered_page_that_leaves_out_an_animal_of_the_run_clears_nothing() -> None:
    """The server may apply the limit before the filter."""

    def ours(sent: float) -> Exchange:
        return exchange(Operation.CREATE_PET, 201, pet(7), asked=pet(7), sent=sent, took=1, index=int(sent))

    for sent in (2, 29):
        assert [one.index for one in search(ours(sent), post(), page(pet(5))).unseen] == [10]
    assert search(ours(2), post(), page(pet(5), pet(7))).cleared
    assert search(ours(2), post(), page(pet(5), query="?limit=100")).cleared
    assert search(post(), page(pet(5)), ours(29.5)).cleared
    # another client has changed it since
    other_status = page({**pet(7), "status": "pending"}, query="?limit=1", sent=20)
    assert search(ours(2), post(), other_status, page(pet(5))).cleared


def test_it_is_found_on_any_later_page() -> None:
    full = page(pet(7, NAME), query="?limit=1&status=pending")
    assert search(post(), full).found
    assert search(post(), page(pet(7, NAME), query="?limit=1", sent=11)).found


def test_a_number_as_name_may_be_stored_as_text() -> None:
    number = 991996050
    assert search(post(number), page(pet(7, str(number)))).found
    assert search(post(str(number)), page(pet(7, number))).found
    assert not search(post(True), page(pet(7, "True"))).found


@pytest.mark.parametrize("grounds", [GROUNDS, Grounds(REMOVAL_DAY, run=RUN, repeats=True)], ids=range(2))
def test_an_animal_on_an_earlier_page_is_older(grounds: Grounds) -> None:
    before = page(pet(7, NAME), query="?limit=1", sent=5)
    refused, after = post(), page(pet(7, NAME))
    after_page = after.page
    assert after_page is not None
    assert search(before, refused, after, grounds=grounds) == Search(cleared=((refused, after_page),))
    assert search(before, post(), page(pet(7, NAME), pet(8, NAME)), grounds=Grounds(REMOVAL_DAY, run=RUN)).found


def test_a_page_that_overlaps_the_post_is_neither_before_nor_after() -> None:
    overlapping = page(pet(7, NAME), sent=9.5)
    assert search(overlapping, post()).unseen
    assert search(overlapping, post(), page(pet(7, NAME))).found
    assert search(post(), page(sent=11)).stale  # the POST ends at 11
    ended = page(pet(7, NAME), sent=9)
    assert search(ended, post(), page(pet(7, NAME))).cleared


def test_an_animal_created_by_another_post_is_not_from_a_refused_one() -> None:
    made = post("other", sent=12, code=201, made=7)
    refused = post()
    assert search(refused, made, page(pet(7, NAME))).cleared


@pytest.mark.parametrize("code", [201, 500, Silence.TIMEOUT], ids=str)
def test_a_name_that_another_post_may_have_stored_proves_nothing(code: int | Silence) -> None:
    assert search(post(), post(sent=12, code=code, made=8), page(pet(7, NAME))) == Search()


def test_a_name_of_other_refused_posts_still_counts() -> None:
    assert len(search(post(), post(sent=12, code=400), page(pet(7, NAME))).found) == 2


def test_a_post_without_a_name_is_ignored() -> None:
    assert search(post(None), page()) == Search()
    assert len(search(post(None), post(sent=12), page()).cleared) == 1


# ---- an earlier run


@pytest.mark.parametrize(
    ("name", "grounds"),
    [
        (NAME, Grounds(REMOVAL_DAY, run=RUN, repeats=True)),
        (NAME, Grounds(REMOVAL_DAY)),
        (NAME, Grounds(REMOVAL_DAY, run="another")),
        ("Rex", GROUNDS),
        ("1234567", GROUNDS),
        ("12345678", Grounds(REMOVAL_DAY, run=RUN, repeats=True)),
    ],
    ids=range(6),
)
def test_a_name_from_a_possible_earlier_run_counts_if_an_earlier_page_lacked_it(name: str, grounds: Grounds) -> None:
    refused, after = post(name), page(pet(7, name))
    assert len(search(refused, after, grounds=grounds).doubtful) == 1
    assert not search(refused, after, grounds=grounds).found
    assert search(page(sent=5, query="?limit=100&status=pending"), refused, after, grounds=grounds).doubtful
    assert search(page(sent=5), refused, after, grounds=grounds).found
    assert search(page(sent=9), refused, after, grounds=grounds).found  # it ends as the POST is sent


def test_of_a_run_that_repeats_a_longer_page_shows_that_an_earlier_one_was_the_whole_store() -> None:
    """Caps may vary, but then an earlier run has stored what was refused."""
    repeats = Grounds(REMOVAL_DAY, run=RUN, repeats=True)
    others = [pet(number) for number in range(100, 130)]
    all_pets = page(*others, query="?limit=100", sent=5)
    refused, after = post(), page(*others, pet(7, NAME), query="?limit=100")
    assert search(all_pets, refused, after, grounds=repeats).found
    assert search(all_pets, post("Rex"), page(*others, pet(7, "Rex"), query="?limit=100"), grounds=repeats).doubtful
    no_earlier = page(*others[:-1], pet(131), query="?limit=100", sent=5)
    assert search(no_earlier, refused, after, grounds=repeats).doubtful
    full = page(*others, query="?limit=30", sent=5)
    assert search(full, refused, after, grounds=repeats).doubtful
    of_a_status = page(*others, sent=5)
    assert search(of_a_status, refused, after, grounds=repeats).doubtful
    too_late = page(*others, query="?limit=100", sent=10.5)
    assert search(too_late, refused, after, grounds=repeats).doubtful


def test_an_animal_of_another_category_with_a_name_that_anybody_may_give_is_somebody_elses() -> None:
    earlier, refused = page(sent=5), post("0")
    assert not search(earlier, refused, page(pet(7, "0") | {"categoryId": 2})).found
    assert search(earlier, refused, page(pet(7, "0"))).found
    assert search(earlier, post(), page(pet(7, NAME) | {"categoryId": 2})).found
    odd = post(b"{'name': '0', 'status': 'sold'}")
    assert search(earlier, odd, page(pet(7, "0") | {"categoryId": 2})).found
    without = post(b'{"name": "0", "status": "sold"}')
    assert search(earlier, without, page(pet(7, "0") | {"categoryId": 2})).found


def test_a_long_number_belongs_to_this_run() -> None:
    assert search(post("12345678"), page(pet(7, "12345678"))).found


# ---- what is not there


def test_a_page_of_that_status_with_room_clears_a_post() -> None:
    refused, listed = post(), page(pet(1))
    cleared = search(refused, listed).cleared
    assert [(one, seen.exchange) for one, seen in cleared] == [(refused, listed)]


def test_the_latest_such_page_is_named() -> None:
    pages = [page(sent=30), page(sent=40)]
    assert search(post(), *pages).cleared[0][1].exchange is pages[1]


@pytest.mark.parametrize(
    ("listed", "status"),
    [
        (page(pet(1), query="?limit=100&status=pending"), "sold"),
        (page(pet(1), query="?limit=1&status=sold"), "sold"),
        (page(pet(1)), "SOLD"),
        (page(*map(pet, range(20)), query="?limit=100"), "sold"),
        (page(sent=9), "sold"),
    ],
    ids=range(5),
)
def test_a_page_that_would_not_show_it_leaves_a_post_unseen(listed: Exchange, status: str) -> None:
    refused = post(status=status)
    assert search(refused, listed) == Search(unseen=(refused,))


def test_a_page_that_is_too_early_counts_if_it_shows_later_animals() -> None:
    refused, earlier, later = post(), post("a", sent=8, code=201, made=3), post("b", sent=12, code=201, made=4)
    assert search(refused, page(sent=20.9)) == Search(stale=(refused,))
    assert search(refused, page(sent=21)).cleared
    assert search(earlier, refused, later, page(pet(3), pet(9), sent=14)) == Search(stale=(refused,))
    assert search(earlier, refused, later, page(pet(3), pet(4), sent=14)).cleared
    next_one = post("c", sent=11, code=201, made=4)
    assert search(refused, next_one, page(pet(4), sent=14)).cleared


# ---- what to ask


def pages_of(*queries: tuple[tuple[str, str], ...]) -> tuple[Call, ...]:
    return tuple(Call(Operation.LIST_PETS, query=query) for query in queries)


WIDE, SOLD = (("limit", "100"),), (("limit", "100"), ("status", "sold"))


def test_the_pages_that_would_show_it_are_requested_once() -> None:
    record = [post(), post(f"{RUN} y", "SOLD", sent=12), post(f"{RUN} z", sent=14)]
    assert asked_for(*record) == (pages_of(SOLD, WIDE), 0)
    full = [page(*map(pet, range(20)), query="?limit=100"), page(*map(pet, range(20)))]
    assert asked_for(*record, full[0]) == (pages_of(SOLD), 0)
    assert asked_for(*record, *full) is None
    at_once = page(*map(pet, range(20)), query="?limit=100", sent=15)
    assert asked_for(*record, at_once) == (pages_of(SOLD), 0)
    early = page(*map(pet, range(20)), query="?limit=100", sent=14.5)
    assert asked_for(*record, early) == (pages_of(SOLD, WIDE), 0)


def test_a_page_that_was_too_early_is_requested_again() -> None:
    assert asked_for(post(), post(f"{RUN} y", sent=12), page(sent=14)) == (pages_of(SOLD), 23)


def asked_for(*record: Exchange) -> tuple[tuple[Call, ...], float] | None:
    """The requests that a decision asks for, and the earliest time for the first."""
    decision = comes_to(*record)
    return (decision.calls, decision.not_before) if isinstance(decision, Ask) else None


# ---- what it comes to


def comes_to(*record: Exchange, grounds: Grounds = GROUNDS) -> Decision:
    refused = [e for e in record if e.request.operation is Operation.CREATE_PET and e.status == 401]
    return nothing_stored(record, refused, grounds, "It must not be")


def test_a_refused_post_without_a_name_decides_nothing() -> None:
    assert comes_to(post(None), page()) == Undecided("No refused POST sent a name that a page could show.")


def test_refused_posts_that_a_page_clears() -> None:
    refused, listed = post(), page(pet(1))
    assert comes_to(refused, listed) == Held((refused, listed))


def test_each_page_is_one_proof_with_the_first_stored_animal_on_it() -> None:
    posts = [post(f"{RUN} {name}", sent=sent) for sent, name in ((10, "a"), (12, "b"), (14, "c"))]
    first = page(pet(1), pet(7, f"{RUN} a"), pet(8, f"{RUN} b"), sent=20)
    second = page(pet(9, f"{RUN} c"), sent=30)
    decision = comes_to(*posts, first, second)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "POST /pets returned 401 but stored an animal: GET /pets?limit=100&status=sold lists animal 7, named "
        '"0a1b2c3d a". It must not be.'
    )
    shown = [Proof(second, "body:/0/name"), Proof(first, "body:/1/name")]
    assert decision.proofs == (*(Proof(one, "status") for one in posts), *shown)


def test_an_animal_that_may_be_of_an_earlier_run_leaves_it_undecided() -> None:
    cleared, first, second = post(), post("Rex", sent=12), post("Tex", sent=14)
    listed = page(pet(7, "Rex"), pet(8, "Tex"))
    assert comes_to(cleared, first, second, listed) == Undecided(
        'Animal 7 has the name of a refused POST, "Rex", but may be older than that POST: an earlier run with the '
        "same --seed may have created it. Run again without --seed.",
        None,
        (cleared, listed),
    )
    # recorded traffic has no run
    assert comes_to(first, second, listed, grounds=Grounds(REMOVAL_DAY)) == Undecided(
        'Animal 7 has the name of a refused POST, "Rex", but may be older than that POST.'
    )


def test_posts_that_no_page_would_show_are_searched_for_and_then_given_up() -> None:
    cleared, soon, other = post(), post(f"{RUN} y", sent=28), post(f"{RUN} z", "pending", sent=29)
    listed = page(sent=30)
    left = Undecided(
        "No page shows whether 1 of 3 refused POSTs stored an animal, since the store may not fit on one page. "
        "Test a store of fewer than 20 animals.",
        None,
        (cleared, listed),
    )
    assert comes_to(cleared, soon, other, listed) == Ask(pages_of(SOLD), left, 39)
    unseen = [post(f"{RUN} {n}", "pending", sent=n) for n in (12, 14)]
    pending = (("limit", "100"), ("status", "pending"))
    two = replace(left, reason=left.reason.replace("1 of 3", "2 of 3"))
    assert comes_to(cleared, *unseen, listed) == Ask(pages_of(pending), two)
    full = page(*map(pet, range(20)), query="?limit=100&status=pending")
    assert comes_to(cleared, *unseen, listed, full) == two
    early = Undecided(
        "The pages after 1 of 2 refused POSTs came within 10 s and may not show yet what was stored. Run again.",
        None,
        (cleared, listed),
    )
    assert comes_to(cleared, soon, listed) == Ask(pages_of(SOLD), early, 39)
