"""What a record shows of a target's animals."""

from __future__ import annotations

import pytest

from petcheck.exchange import Credential, Exchange, Operation, Silence
from petcheck.judging.sightings import animals_in, ids_with_status, order_of, page_in, page_in_words, pages_in

from .exchanges import exchange


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
def test_what_a_page_was_asked_for(path: str, limit: str | None, status: str | None, asked: int | None) -> None:
    seen = page_in(page(1, path=path))
    assert seen is not None
    assert (seen.limit, seen.status, seen.asked) == (limit, status, asked)


def test_a_page_in_words() -> None:
    assert page_in_words(page(1, 2)) == "200, 2 animals"
    assert page_in_words(page()) == "200, 0 animals"
    assert page_in_words(exchange(status=400)) == "400"


def test_a_page_counts_everything_and_keeps_the_animals() -> None:
    listed = exchange(body=[{"id": 3}, 7, {"id": "x"}, {"id": True}, {"id": 2.0}, None])
    seen = page_in(listed)
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
def test_what_is_no_page(other: Exchange) -> None:
    assert page_in(other) is None
    assert list(pages_in([other, page(1), other])) == [page_in(page(1))]


def test_animals_are_known_as_they_were_seen_last() -> None:
    record = [page(1, 2, status="pending"), page(2, 3, status="sold")]
    assert {number: animal["status"] for number, animal in animals_in(record).items()} == {
        1: "pending",
        2: "sold",
        3: "sold",
    }
    assert ids_with_status(record, "sold") == {2, 3}


@pytest.mark.parametrize(
    ("ids", "order"),
    [
        ((1, 2, 5), "by id, ascending"),
        ((5, 2, 1), "by id, descending"),
        ((1, 5, 2), "not by id"),
        ((1, 1, 2), "not by id"),
        ((2, 1, 1), "not by id"),
        ((1, 2, 3), "by id, ascending"),
        ((1, 2), "too few to tell"),
        ((), "too few to tell"),
    ],
)
def test_orders(ids: tuple[int, ...], order: str) -> None:
    seen = page_in(page(*ids))
    assert seen is not None
    assert order_of(seen) == order
