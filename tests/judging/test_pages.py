"""The animals of a target that a record shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Silence
from petcheck.judging.once import only
from petcheck.judging.pages import (
    animals_in,
    created_in,
    known_since,
    order_of,
    page_in_words,
    pages_in,
    shown_in,
    status_known_since,
    that_would_show,
    whole_stores,
)
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange


def page(*ids: int, path: str = "/pets", status: str = "sold") -> Exchange:
    return exchange(path=path, body=[{"id": number, "status": status} for number in ids])


@pytest.mark.parametrize(
    ("path", "limit", "status", "asked"),
    [
        ("/pets", None, None, 20),
        ("/pets?limit=1", "1", None, 1),
        ("/pets?limit=100&status=sold", "100", "sold", 100),
        ("/pets?limit=0", "0", None, None),
        ("/pets?limit=101", "101", None, None),
        ("/pets?limit=-1", "-1", None, None),
        ("/pets?limit=abc", "abc", None, None),
        ("/pets?limit=", "", None, None),
        ("/pets?limit=%D9%A6", "\u0666", None, None),
        ("/pets?limit=007", "007", None, None),
        ("/pets?limit=" + "9" * 5000, "9" * 5000, None, None),
        ("/pets?status=", None, "", 20),
        ("/pets?limit=5&limit=5", "5,5", None, None),
        ("/pets?limit=null&status=sold&limit=5", "null,5", "sold", None),
        ("/pets?status=sold&status=&status=pending", None, "sold,,pending", 20),
    ],
    ids=range(15),
)
def test_the_parameters_of_a_page(path: str, limit: str | None, status: str | None, asked: int | None) -> None:
    seen = page(1, path=path).page
    assert seen is not None
    assert (seen.limit, seen.status, seen.asked) == (limit, status, asked)


def test_a_page_in_words() -> None:
    assert page_in_words(page(1, 2)) == "200, 2 animals"
    assert page_in_words(page()) == "200, 0 animals"
    assert page_in_words(exchange(status=400)) == "400"


def test_a_page_counts_everything_and_keeps_the_animals() -> None:
    listed = exchange(body=[{"id": 3}, 7, {"id": "x"}, {"id": True}, {"id": 2.0}, None])
    seen = listed.page
    assert seen is not None
    assert seen.exchange is listed
    assert (seen.size, len(seen.animals), seen.ids) == (6, 4, (3, 2))


@pytest.mark.parametrize(
    "other",
    [
        exchange(Operation.GET_PET, body=[]),
        exchange(status=400),
        exchange(status=Silence.RESET),
        exchange(credential=Credential.MISSING),
        exchange(body={"pets": []}),
        exchange(body=b"[{]"),
        exchange(whole=False),
    ],
    ids=range(7),
)
def test_what_is_not_a_page(other: Exchange) -> None:
    assert other.page is None
    assert list(pages_in([other, page(1), other])) == [page(1).page]


def test_animals_are_known_in_their_latest_state() -> None:
    record = [page(1, 2, status="pending"), page(2, 3, status="sold")]
    assert {number: animal["status"] for number, animal in animals_in(record).items()} == {
        1: "pending",
        2: "sold",
        3: "sold",
    }


def test_only_a_post_with_201_and_an_id_creates() -> None:
    made = exchange(Operation.CREATE_PET, 201, {"id": 4})
    others = [
        exchange(Operation.CREATE_PET, 200, {"id": 5}),
        exchange(Operation.GET_PET, 201, {"id": 6}),
        exchange(Operation.CREATE_PET, 201, {"id": "x"}),
    ]
    assert created_in([made, *others]) == {4: made}
    assert [shown_in(one) for one in others] == [[5], [6], []]


@pytest.mark.parametrize(
    ("ids", "order"),
    [
        ((1, 2, 5), "by id, ascending"),
        ((5, 2, 1), "by id, descending"),
        ((1, 5, 2), "not by id"),
        ((1, 1, 2), "not by id"),
        ((2, 1, 1), "not by id"),
        ((1, 2, 3), "by id, ascending"),
        ((1, 2), None),
        ((), None),
    ],
)
def test_orders(ids: tuple[int, ...], order: str | None) -> None:
    seen = page(*ids).page
    assert seen is not None
    assert order_of(seen) == order


# ---- what a page proves


def pages(*listed: tuple[str, int]) -> list[Exchange]:
    """Pages of the animals n to 1, by path."""
    return [page(*range(size, 0, -1), path=f"/pets{query}") for query, size in listed]


def whole(record: Sequence[Exchange]) -> list[Exchange]:
    return [one.exchange for one in whole_stores(record)]


def oldest_first(size: int, sent: float) -> Exchange:
    """A page of up to 100 animals, the first of the store."""
    return exchange(path="/pets?limit=100", body=[{"id": n} for n in range(size)], sent=sent)


def would_show(record: list[Exchange], status: str | None) -> list[Exchange]:
    return [one.exchange for one in that_would_show(record, status)]


@pytest.mark.parametrize(
    ("query", "size", "is_whole"),
    [
        ("", 19, False),
        ("?limit=20", 19, True),
        ("?limit=100", 0, True),
        ("?limit=100", 19, True),
        ("?limit=100", 20, False),
        ("?limit=100", 37, False),
        ("?limit=19", 19, False),
        ("?limit=101", 5, False),
        ("?limit=abc", 5, False),
        ("?limit=100&status=sold", 5, False),
        ("?status=", 5, False),
        ("?page=2", 0, False),
    ],
)
def test_a_page_of_fewer_than_20_that_is_not_full_is_the_whole_store(query: str, size: int, is_whole: bool) -> None:
    seen = pages((query, size))
    assert whole(seen) == (seen if is_whole else [])


def test_a_page_that_a_longer_one_contains_was_the_whole_store() -> None:
    seen = pages(("?limit=100", 37), ("?limit=100", 41), ("?limit=37", 37))
    assert [one is seen[0] for one in whole(seen)] == [True]
    assert whole(seen[1:]) == []


def test_a_longer_page_that_goes_on_where_a_page_ends_may_show_a_cut() -> None:
    """Each answer may have its own cap. What the run created since comes after the others, or in any order."""
    cut, post = oldest_first(32, 1.0), exchange(Operation.CREATE_PET, 201, {"id": 32}, sent=2.0)
    assert whole([cut, oldest_first(33, 5.0)]) == []
    assert whole([cut, post, oldest_first(33, 5.0)]) == [cut]
    assert whole([cut, post, oldest_first(34, 5.0)]) == []
    # what counts for nothing else has been created by the run all the same
    without_post = only(only([cut, post, oldest_first(33, 5.0)], lambda one: one is not post), lambda one: True)
    assert whole(without_post) == [cut]
    turned = exchange(path="/pets?limit=5", body=[{"id": n} for n in (3, 2, 1, 0, 4)], sent=6.0)
    assert whole([cut, oldest_first(33, 5.0), turned]) == [cut]


@pytest.mark.parametrize(("sent", "caps_vary"), [(0.5, True), (1.0, True), (1.5, False)])
def test_an_animal_that_a_page_showed_before_is_not_created_by_a_post_that_got_its_id(
    sent: float, caps_vary: bool
) -> None:
    """A target may give an id again. A page that is cut before that animal shows that caps vary."""
    posts = [exchange(Operation.CREATE_PET, 201, {"id": n}, sent=1.0) for n in range(20, 26)]
    grown, cut, longer = oldest_first(25, 2.0), oldest_first(20, 3.0), oldest_first(26, 4.0)
    shown = exchange(Operation.LIST_PETS, 200, [{"id": 20}], path="/pets?limit=1", sent=sent, took=0.0)
    assert whole([shown, *posts, grown, cut, longer]) == ([] if caps_vary else [grown])


@pytest.mark.parametrize("cuts", [(30,), (30, 30), (30, 34), (20, 41, 20)])
def test_where_a_page_is_cut_and_another_is_longer_only_the_shortest_are_certain(cuts: tuple[int, ...]) -> None:
    """One of two replicas may cap its pages, or each answer may have another cap."""
    assert sizes_of_whole_stores(41, *cuts, 19, 45) == [19]


def test_a_full_page_is_cut_by_its_limit_and_not_by_a_cap() -> None:
    full = exchange(path="/pets?limit=20", body=[{"id": n} for n in range(40, 20, -1)], sent=1.0)
    large = exchange(path="/pets?limit=100", body=[{"id": n} for n in range(40, -1, -1)], sent=0.0)
    larger = exchange(path="/pets?limit=100", body=[{"id": n} for n in range(44, -1, -1)], sent=2.0)
    assert whole([large, full, larger]) == [large]


def test_where_each_cut_page_is_as_long_as_the_longest_a_shorter_one_was_whole() -> None:
    """The cap is 45: the last page lacks an animal that the second showed."""
    store = [exchange(path="/pets?limit=100", body=[{"id": n} for n in ids], sent=float(at)) for at, ids in _AT_45]
    assert [page.size for page in whole_stores(store)] == [41]


def sizes_of_whole_stores(*sizes: int) -> list[int]:
    """The sizes of those of these pages that hold the whole store; each lists the newest first."""
    seen = [
        exchange(path="/pets?limit=100", body=[{"id": n} for n in reversed(range(size))], sent=float(at))
        for at, size in enumerate(sizes)
    ]
    return [page.size for page in whole_stores(seen)]


_AT_45 = ((0, range(41)[::-1]), (1, range(45)[::-1]), (2, range(1, 46)[::-1]))


def test_a_page_sent_when_another_ends_lacks_nothing_that_it_shows_itself() -> None:
    paths = {0.0: ("/pets?limit=100", 25), 0.5: ("/pets?limit=100", 25), 3.0: ("/pets?limit=100", 26)}
    seen = [
        exchange(path=path, body=[{"id": n} for n in reversed(range(size))], sent=sent, took=0.5)
        for sent, (path, size) in paths.items()
    ]
    assert [one.sent for one in whole(seen)] == [0.0, 0.5]


def test_the_latest_whole_store_is_returned() -> None:
    seen = pages(("?limit=5", 3), ("?limit=5", 4))
    assert whole(seen)[-1] is seen[1]


@pytest.mark.parametrize("longer", [page(*range(2, 60)), page(*range(1, 60), path="/pets?status=sold")], ids=range(2))
def test_a_longer_page_of_others_or_of_a_filter_proves_nothing(longer: Exchange) -> None:
    assert whole([*pages(("?limit=100", 37)), longer]) == []


def test_a_longer_page_may_be_longer_by_an_item_without_an_id() -> None:
    short = page(*range(1, 38), path="/pets?limit=100")
    longer = exchange(path="/pets?limit=50", body=[*({"id": n} for n in range(1, 38)), {"name": "Rex"}])
    assert whole([short, longer]) == [short]


def test_a_page_with_an_item_without_an_id_is_not_the_whole_store() -> None:
    assert whole([exchange(body=[{"id": 1}, {"name": "Rex"}], path="/pets?limit=9")]) == []


@pytest.mark.parametrize(
    ("query", "size", "status", "shows"),
    [
        ("?limit=100&status=sold", 5, "sold", True),
        ("?limit=100&status=sold", 19, "sold", True),
        ("?limit=100&status=sold", 20, "sold", False),
        ("?status=sold", 5, "pending", False),
        ("?status=sold", 5, None, False),
        ("?limit=5&status=sold", 5, "sold", False),
        ("?status=sold&page=2", 5, "sold", False),
        ("?status=odd", 5, "odd", False),
        ("?limit=6", 5, "sold", True),
        ("?limit=6", 5, None, True),
        ("?limit=100", 20, "sold", False),
    ],
)
def test_a_page_that_would_show_an_animal(query: str, size: int, status: str | None, shows: bool) -> None:
    seen = pages((query, size))
    assert (seen[0] in would_show(seen, status)) is shows


@pytest.mark.parametrize(
    ("number", "more", "shows"),
    [(44, 1_000, True), (44, 999, False), (43, 1_000, False), (20, 9_000, False)],
)
def test_a_filtered_page_of_20_or_more_is_not_cut_if_another_has_more_animals_and_bytes(
    number: int, more: int, shows: bool
) -> None:
    """A server may cap its pages by number or by bytes."""
    short, long = pages(("?limit=100&status=sold", 43), ("?limit=100&status=pending", number))
    padding = b" " * (len(short.heard.body) + more - len(long.heard.body))
    heavy = replace(long, answer=replace(long.heard, body=long.heard.body + padding))
    assert (short in would_show([short, heavy], "sold")) is shows


def test_no_other_pages_together_show_that_a_filtered_page_was_not_cut() -> None:
    """One page that is long and has many bytes does."""

    def padded(query: str, size: int, length: int) -> Exchange:
        (found,) = pages((query, size))
        return replace(found, answer=replace(found.heard, body=found.heard.body.ljust(length)))

    short = padded("?limit=100&status=sold", 43, 3_000)
    heavy = [padded("?limit=30", 30, 9_000), padded("?limit=31", 31, 9_100)]
    assert would_show([short, *heavy], "sold") == []
    # one has more animals, another one more bytes
    assert would_show([short, padded("?limit=44", 44, 3_500), padded("?limit=10", 10, 9_000)], "sold") == []
    assert short in would_show([short, padded("?limit=44", 44, 5_000), padded("?limit=10", 10, 9_000)], "sold")


def test_since_when_animals_are_known() -> None:
    record = [
        exchange(body=[{"id": 1}, {"id": 2}], sent=1, took=0.5),
        exchange(body=[{"id": 1}, {"id": 3}], sent=2, took=0.5),
        exchange(Operation.CREATE_PET, 201, {"id": 4}, sent=3, took=0.5),
        exchange(Operation.GET_PET, 200, {"id": 5}, sent=4, took=0.5),
        exchange(Operation.GET_PET, 404, {"id": 6}, sent=5, took=0.5),
        exchange(Operation.CREATE_PET, Silence.TIMEOUT, sent=6, took=0.5),
        exchange(Operation.STORE_ORDERS, 200, [7], sent=7, took=0.5),
        exchange(Operation.STORE_ORDERS, 200, {"id": "x"}, sent=8, took=0.5),
    ]
    assert [known_since(record, ids) for ids in ([1], [1, 3], [2, 1], [4, 1], [5])] == [1.5, 2.5, 1.5, 3.5, 4.5]
    assert known_since(record, [6, 7]) == float("-inf")
    assert known_since(record, [1, 6]) == 1.5


def test_since_when_an_animal_has_had_its_status() -> None:
    sold, pending = {"id": 1, "status": "sold"}, {"id": 1, "status": "pending"}
    record = [
        exchange(body=[sold, {"id": 2}], sent=1, took=0.5),
        exchange(body=[{"id": 2}, sold], sent=2, took=0.5),
        exchange(Operation.GET_PET, 200, pending, sent=3, took=0.5),
        exchange(body=[sold, {"id": 3, "status": "pending"}], sent=4, took=0.5),
        exchange(Operation.GET_PET, 200, sold, sent=5, took=0.5),
        exchange(Operation.GET_PET, 404, pending, sent=6, took=0.5),
    ]
    assert [status_known_since(record[:n], 1, "sold") for n in (2, 3, 6)] == [1.5, float("inf"), 4.5]
    assert status_known_since(record, 2, "sold") == float("inf")
    assert status_known_since([], 1, "sold") == float("inf")
    at_once = exchange(body=[sold], sent=3.5, took=0.5)
    assert status_known_since([*record[:3], at_once], 1, "sold") == 4.0
