"""The pages that a run asks for before anything else."""

from __future__ import annotations

from itertools import pairwise

from petcheck.plan.pages import another_page, first_pages
from petcheck.spec.figures import PENDING, STATUSES

SEEDS = range(20)


def test_every_status_and_every_named_limit_is_asked_for() -> None:
    for pages in map(first_pages, SEEDS):
        assert {limit for limit, _ in pages} == {None, 1, 20, 100}
        assert {status for _, status in pages} == {None, *STATUSES}
        assert len(set(pages)) == len(pages) == 6


def test_the_default_and_a_limit_of_20_are_compared_with_the_same_filter() -> None:
    for pages in map(first_pages, SEEDS):
        (by_default,) = [status for limit, status in pages if limit is None and status]
        assert (20, by_default) in pages


def test_two_seeds_in_a_row_ask_for_different_pairs() -> None:
    for first, second in pairwise(SEEDS):
        assert len({*first_pages(first), *first_pages(second)}) == 9


def test_seeds_in_a_row_ask_for_small_and_large_limits() -> None:
    limits = [limit or 0 for limit, _ in map(another_page, range(40))]
    assert {1, 20, 100}.isdisjoint(limits)
    assert all(1 < limit < 100 for limit in limits)
    assert all(
        first < 10 <= second < 20 < third < 60 <= fourth
        for first, second, third, fourth in zip(*[iter(limits)] * 4, strict=True)
    )
    assert len(set(limits)) > 20
    # a server that rounds limits is right about round ones
    assert all(limit % 5 for limit in limits)


def test_eight_seeds_in_a_row_ask_for_a_limit_of_each_size_with_and_without_the_filter() -> None:
    asked = [
        ((limit or 0) > 9, (limit or 0) > 19, (limit or 0) > 59, status)
        for limit, status in map(another_page, range(8))
    ]
    assert len(set(asked)) == 8
    assert {status for *_, status in asked} == {PENDING, None}
