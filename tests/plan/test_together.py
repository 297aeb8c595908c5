"""Which requests go out at the same time, and how they are mixed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.call import Call, Credential, page_call, read_call
from petcheck.exchange import Exchange
from petcheck.plan.together import connections, first_of_each_kind, may_end_a_server, mixed, pages_beside
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

KEYLESS = page_call(credential=Credential.MISSING)
VALID = Call(Operation.CREATE_PET, body=b'{"name": "a", "categoryId": 1}')
REFUSED = Call(Operation.CREATE_PET, body=b"{}")


def posted(body: object) -> Call:
    return Call(Operation.CREATE_PET, body=json.dumps(body).encode())


def test_a_run_that_reads_has_fewer_under_way() -> None:
    assert [connections(allowed, writes=True) for allowed in (1, 2, 8, 50)] == [1, 2, 8, 8]
    assert [connections(allowed, writes=False) for allowed in (1, 2, 8, 50)] == [1, 2, 4, 4]


def test_one_of_each_kind_goes_alone_first() -> None:
    calls = [
        page_call(1),
        page_call(2),
        KEYLESS,
        read_call(1),
        read_call(2),
        VALID,
        REFUSED,
        replace(VALID, body=b"[]"),
    ]
    assert first_of_each_kind(calls, ()) == (page_call(1), KEYLESS, read_call(1), VALID, REFUSED)


def test_what_was_answered_alone_before_needs_no_first() -> None:
    alone = exchange(path="/pets?limit=3")
    assert first_of_each_kind([page_call(1), read_call(1)], [alone]) == (read_call(1),)
    assert first_of_each_kind([page_call(1)], [replace(alone, burst=1)]) == (page_call(1),)


def test_neighbours_stay_together_and_each_burst_has_an_invalid_key() -> None:
    pages, keys = (
        [page_call(limit) for limit in range(1, 7)],
        [replace(KEYLESS, query=(("page", str(n)),)) for n in (1, 2)],
    )
    assert mixed([*keys, *pages], 4) == [[*pages[:3], keys[1]], [*pages[3:], keys[0]]]


@given(st.lists(st.tuples(st.integers(1, 100), st.booleans()), max_size=40, unique=True), st.integers(1, 8))
def test_bursts_hold_everything_once_and_are_about_equally_long(asked: list[tuple[int, bool]], size: int) -> None:
    calls = [page_call(limit, None, Credential.VALID if valid else Credential.MISSING) for limit, valid in asked]
    bursts = mixed(calls, size)
    assert sorted(map(repr, (call for burst in bursts for call in burst))) == sorted(map(repr, calls))
    lengths = [len(burst) for burst in bursts]
    assert all(length <= size for length in lengths)
    assert not lengths or max(lengths) - min(lengths) <= 1
    assert len(bursts) == -(-len(calls) // size)


def test_the_pages_beside_a_page_are_those_of_its_last_burst_that_share_most() -> None:
    def asked(query: str, burst: int | None, index: int, key: Credential = Credential.VALID) -> Exchange:
        return replace(exchange(path=f"/pets{query}", index=index, credential=key), burst=burst)

    record = [
        asked("?limit=100", None, 0),
        asked("?limit=100", 1, 1),
        asked("?status=sold", 1, 2),
        asked("?limit=100", 2, 3),
        asked("?limit=59", 2, 4),
        asked("?limit=100&status=sold", 2, 5),
        asked("?status=pending", 2, 6),
        asked("?limit=20", 2, 7, Credential.RANDOM),
        replace(exchange(Operation.GET_PET, path="/pets/7", index=8), burst=2),
    ]
    assert pages_beside(page_call(100), record) == [page_call(100, "sold"), page_call(59)]
    assert pages_beside(page_call(100), record[:3]) == [page_call(None, "sold")]
    assert pages_beside(page_call(100), record[:1]) == pages_beside(page_call(1), record) == []
    assert pages_beside(read_call(7), record) == []


@pytest.mark.parametrize(
    ("call", "may"),
    [
        (page_call(1, None, Credential.EVERY_OBJECT), True),
        (page_call(1, None, Credential.BEYOND_ASCII), True),
        (page_call(1, None, Credential.RANDOM), False),
        (page_call(1), False),
        (posted({"name": 7, "categoryId": 1}), True),
        (posted({"name": "Rex", "categoryId": "1"}), True),
        (posted({"name": "Rex", "categoryId": 1, "status": None}), True),
        (posted({"name": "Rex", "categoryId": 1, "status": "adopted"}), False),
        (posted({"name": "Rex"}), False),
        (posted([]), True),
        (Call(Operation.CREATE_PET), True),
        (posted({"name": "Rex", "categoryId": 1}), False),
    ],
)
def test_a_value_or_a_key_of_an_unexpected_kind_may_end_a_server(call: Call, may: bool) -> None:
    assert may_end_a_server(call) == may
