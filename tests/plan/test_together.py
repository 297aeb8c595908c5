"""Which requests go out at the same time, and how they are mixed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from petcheck.call import Call, Credential, page_call, read_call
from petcheck.plan.together import connections, first_of_each_kind, mixed
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

KEYLESS = page_call(credential=Credential.MISSING)
VALID = Call(Operation.CREATE_PET, body=b'{"name": "a", "categoryId": 1}')
REFUSED = Call(Operation.CREATE_PET, body=b"{}")


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
