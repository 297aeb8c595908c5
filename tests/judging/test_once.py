"""What was found stays with a record that is whole, and with an exchange; never with a record that may grow."""

from __future__ import annotations

from collections.abc import Iterable

from petcheck.exchange import Exchange
from petcheck.judging.once import Once, WholeRecord, left_out_of, only
from tests.support.exchanges import exchange


class Counted:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, record: Iterable[Exchange]) -> list[Exchange]:
        self.calls += 1
        return list(record)


def test_a_whole_record_is_searched_once() -> None:
    counted, record = Counted(), WholeRecord([exchange()])
    find = Once(counted)
    assert find(record) == [exchange()]
    assert find(record) is find(record)
    assert counted.calls == 1
    find(WholeRecord(record))
    assert counted.calls == 2


def test_a_record_that_may_grow_is_searched_each_time() -> None:
    counted, record = Counted(), [exchange()]
    find = Once(counted)
    assert len(find(record)) == 1
    record.append(exchange())
    assert len(find(record)) == 2


def test_two_functions_remember_their_own_results() -> None:
    record = WholeRecord([exchange()])
    assert (Once(len)(record), Once(Counted())(record)) == (1, [exchange()])


def test_a_record_knows_what_it_leaves_out() -> None:
    first, second, third = record = [exchange(index=number) for number in range(3)]
    part = only(record, lambda one: one.index > 0)
    least = only(part, lambda one: one.index > 1)
    assert (tuple(part), left_out_of(part)) == ((second, third), (first,))
    assert (tuple(least), left_out_of(least)) == ((third,), (first, second))
    assert left_out_of(record) == left_out_of(WholeRecord(record)) == ()


def test_an_exchange_remembers_too() -> None:
    one = exchange()
    words = Once(method_of)
    assert words(one) is words(one)
    assert words(exchange()) == words(one)


def method_of(one: Exchange) -> list[str]:
    return [one.request.method]
