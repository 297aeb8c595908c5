"""What the rate limit headers of successive answers show about a quota."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.judging.rate_counts import (
    Count,
    QuotaSeen,
    WindowSeen,
    counts_in,
    is_counted_down,
    overlapping,
    pairs,
    quotas_in,
    refill,
)
from petcheck.judging.rate_problems import QuotaProblem, problem_in, problem_of, problem_of_limits, seem_counted_apart
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, rates, unix

TOOK = 1 / 64


def answered(
    at: float, left: int, *, limit: int = 60, reset: float = 64, status: int = 201, took: float = TOOK
) -> Exchange:
    """A POST's answer. Sent after a second, its Reset is 63 s off, so that 60 requests come free in a minute."""
    headers = rates(limit, left, unix(reset))
    return exchange(Operation.CREATE_PET, status, headers=headers, index=int(at * 100), sent=at, took=took)


def answers_over_time(*lefts: int, lasts: float = 0.5, reset: float = 64, moves: int = 0) -> list[Exchange]:
    """Successive answers spread over that many seconds; Reset moves by `moves` seconds each time."""
    resets = [reset + n * moves for n in range(len(lefts))]
    first = [answered(1 + n / 32, left, reset=resets[n]) for n, left in enumerate(lefts[:-1])]
    return [*first, answered(1 + lasts - TOOK, lefts[-1], reset=resets[-1])]


def at_once(*lefts: int) -> list[Exchange]:
    """Answers to requests that were sent at the same time."""
    return [answered(1 + n / 8, left, took=2.0) for n, left in enumerate(lefts)]


def quota_of(record: Sequence[Exchange]) -> QuotaSeen:
    (quota,) = quotas_in(counts_in(record))
    return quota


def window_of(record: Sequence[Exchange]) -> WindowSeen:
    (window,) = quota_of(record).windows
    return window


def text_of(problem: QuotaProblem | None) -> str | None:
    return problem.text if problem else None


# ---- what an answer shows


def test_only_answers_to_the_key_that_no_cache_gave_count() -> None:
    assert len(counts_in([answered(1, 5, limit=5), answered(2, 1, limit=1)])) == 2
    assert counts_in([answered(1, 0, limit=0)]) == []
    # a server that refuses the key may count for nobody; a Reset of more than two days off belongs to no window
    assert counts_in([answered(1, 5, status=401)]) == []
    assert [len(counts_in([answered(1, 5, reset=1 + 2 * 86_400 + late)])) for late in (0, 1)] == [1, 0]
    headers = rates(60, 5, unix(64))
    aged = [exchange(path=f"/pets?limit={age}", headers=[*headers, ("age", age)]) for age in ("0", "5")]
    assert [count.exchange for count in counts_in(aged)] == aged[:1]
    # a POST reaches the server, whatever a gateway adds
    assert len(counts_in([exchange(Operation.CREATE_PET, 201, headers=[*headers, ("age", "5")])])) == 1
    assert counts_in([exchange(Operation.CREATE_PET, 401, headers=headers, credential=Credential.RANDOM)]) == []


def test_a_rise_long_after_the_window_has_ended_shows_that_reset_does_not_move() -> None:
    record = [answered(1, 9, reset=14), answered(5, 0, reset=14), answered(18, 60, reset=14)]
    said = "X-RateLimit-Remaining rose from 0 to 60, and X-RateLimit-Reset stayed the same"
    assert text_of(problem_in(window_of(record))) == said
    # one more than a bucket gains in a minute is rounding; the second was sent when the first had been answered
    for left, rises in ((14, False), (15, True)):
        record = [answered(5, 0, reset=14, took=1.0), answered(18 - TOOK, left, reset=14)]
        text = f"X-RateLimit-Remaining rose from 0 to {left}, and X-RateLimit-Reset stayed the same"
        problem = QuotaProblem(text, (record[0], record[1])) if rises else None
        assert problem_in(window_of(record)) == problem
    at_once = [answered(5, 0, reset=14, took=13.0), answered(18, 60, reset=14)]
    assert text_of(problem_in(window_of(at_once))) == said
    assert problem_in(window_of([at_once[0], answered(18 - TOOK, 60, reset=14)])) is None
    # less than a bucket gains in a minute
    slow = [answered(1, 9, reset=14), answered(5, 3, reset=14), answered(65, 60, reset=14)]
    assert problem_in(window_of(slow)) is None


def test_an_answer_after_the_window_proves_nothing() -> None:
    slow = answered(30, 1, limit=6, took=40)
    rising = window_of([answered(1, 1, limit=6), slow, answered(31, 6, limit=6)])
    assert text_of(problem_in(rising)) == "X-RateLimit-Remaining rose from 1 to 6 in one window"
    earlier = answered(30, 6, limit=6, took=40)
    rising = window_of([answered(1, 1, limit=6), earlier, answered(31, 6, limit=6)])
    assert text_of(problem_in(rising)) == "X-RateLimit-Remaining rose from 1 to 6 in one window"


def test_a_bucket_refills_by_its_limit_a_minute_or_until_reset() -> None:
    (late,) = counts_in([answered(1, 50)])
    (soon,) = counts_in([answered(1, 50, reset=34)])
    (day,) = counts_in([answered(1, 50, reset=80_000)])
    (now,) = counts_in([answered(1, 50, reset=4)])
    assert [refill(count) for count in (late, soon, day)] == [1.0, 2.0, 1.0]
    assert refill(now) > 1e9


def test_each_answer_is_compared_with_those_near_it_the_first_and_at_doubling_distances() -> None:
    counts = quota_of([answered(1 + n / 64, 400 - n, limit=400) for n in range(300)]).counts
    compared: dict[int, set[int]] = {}
    for earlier, later in pairs(counts):
        compared.setdefault(400 - later.remaining, set()).add(400 - earlier.remaining)
    assert compared[60] == {*range(60)}
    assert compared[299] == {0, 299 - 256, 299 - 128, *range(299 - 64, 299)}


def test_the_answer_after_a_burst_is_compared_with_the_one_before_it() -> None:
    alone = [answered(1 + n / 32, 50 - n) for n in range(5)]
    burst = [answered(2 + n / 64, 45 - n, took=0.5) for n in range(8)]
    counts = quota_of([*alone, *burst, answered(3, 37)]).counts
    compared = {(earlier.remaining, later.remaining) for earlier, later in pairs(counts)}
    assert (46, 37) in compared
    assert not any(46 > earlier > later > 37 for earlier, later in compared)


def test_overlapping_answers_stand_in_an_order_that_their_times_allow() -> None:
    lefts = [47, 49, 48]
    together = [answered(1 + n / 8, left, took=1.0) for n, left in enumerate(lefts)]
    record = [answered(0, 50), *together, answered(3, 46)]
    assert [count.remaining for count in quota_of(record).counts] == [50, 49, 48, 47, 46]
    # the second was sent when the first had been answered
    for took in (0.25, 0.5):
        apart = [answered(1, 47, took=took), answered(1.5, 49, took=0.25), answered(1, 48, took=2.0)]
        assert [count.remaining for count in quota_of(apart).counts] == [47, 48, 49]


def test_answers_overlap_if_one_was_sent_before_the_other_had_come() -> None:
    for sent, sizes in ((2, [1, 1]), (1.75, [2])):
        counts = counts_in([answered(1, 50, took=1.0), answered(sent, 49)])
        assert [len(group) for group in overlapping(counts)] == sizes


def test_a_quota_that_was_counted_in_the_opposite_order_falls() -> None:
    rising = [answered(1 + n / 64, 40 + n, took=1.0) for n in range(10)]
    assert problem_of(quota_of(rising)) is None
    assert is_counted_down(quota_of(rising))
    # all may be counted before the first is told what is left
    alike = [answered(1 + n / 64, 40, took=0.5, reset=64 + n) for n in range(12)]
    assert problem_of(quota_of(alike)) is None
    around = [answered(0.5, 40, reset=63), *alike, answered(2, 40, reset=77)]
    assert "stayed at 40 over 14 requests" in str(text_of(problem_of(quota_of(around))))


@pytest.mark.parametrize(
    ("first", "last", "moves"),
    [
        (answered(1, 50), answered(2, 49, reset=65), True),
        (answered(1, 50, took=3.0), answered(2, 49, reset=65, took=3.0), True),
        (answered(1, 50, reset=9), answered(6 - TOOK, 49, reset=69), True),
        (answered(1, 50, reset=9), answered(6, 49, reset=69), False),
        (answered(1, 3, reset=9, took=3.0), answered(4, 59, reset=69, took=6.0), True),
        # the window ends meanwhile, in one order or the other
        (answered(1, 3, reset=9, took=4.0), answered(4, 59, reset=69, took=1.5), True),
        (answered(1, 3, reset=9, took=4.0), answered(4, 59, reset=69, took=2.0), False),
        (answered(1, 3, reset=9), answered(4, 59, reset=69, took=6.0), True),
        (answered(1, 3, reset=9, took=4.0), answered(4, 59, reset=69, took=6.0), False),
        (answered(1, 59, reset=69, took=9.0), answered(4, 3, reset=9, took=1.0), False),
    ],
    ids=range(10),
)
def test_reset_moves_if_the_window_had_not_ended(first: Exchange, last: Exchange, moves: bool) -> None:
    assert quota_of([first, last]).moves == moves


@pytest.mark.parametrize(
    ("first", "last", "compared"),
    [
        (answered(1, 50), answered(31 - 2 * TOOK, 49), True),
        (answered(1, 50), answered(31 - TOOK, 49), False),
        (answered(1, 50, took=1.0), answered(2, 49), True),
        (answered(1, 50, took=1.5), answered(2, 49), False),
    ],
    ids=range(4),
)
def test_answers_are_compared_for_half_of_a_window(first: Exchange, last: Exchange, compared: bool) -> None:
    assert len([*pairs(quota_of([first, last]).counts)]) == compared


# ---- Limit


def test_a_limit_that_always_equals_remaining_takes_five_values() -> None:
    record = [answered(n, left, limit=left) for n, left in enumerate((9, 8, 7, 6, 5))]
    assert problem_of_limits(counts_in(record)) == QuotaProblem(
        "X-RateLimit-Limit always equals X-RateLimit-Remaining; both went from 9 to 5",
        (record[0], record[4]),
        "X-RateLimit-Limit",
    )
    assert problem_of_limits(counts_in(record[:4])) is None
    assert problem_of_limits(counts_in([*record, answered(5, 4)])) is None


# ---- a window that is fixed


@pytest.mark.parametrize(
    ("record", "text"),
    [
        # from the lowest once what refills is taken off; of two that come to the same, the later one
        ([answered(1, 50), answered(2, 51), answered(3, 60)], "rose from 51 to 60"),
        ([answered(1, 48), answered(2, 50, status=400), answered(3, 60)], "rose from 48 to 60"),
        # what a bucket refills, and no more
        ([answered(1, 50), answered(3 - TOOK, 52)], None),
        ([answered(1, 50), answered(3 - TOOK, 53)], "rose from 50 to 53"),
        # one more of rounding where a request is not counted
        ([answered(1, 50), answered(3 - TOOK, 53, status=400)], None),
        ([answered(1, 50), answered(3 - TOOK, 54, status=400)], "rose from 50 to 54"),
        # until the window may have ended
        ([answered(1, 9, reset=14), answered(5, 0, reset=14), answered(11 - TOOK, 60, reset=14)], "rose from 0 to 60"),
        ([answered(1, 9, reset=14), answered(5, 0, reset=14), answered(11, 60, reset=14)], None),
        ([answered(1, 9, reset=14), answered(5, 0, reset=14), answered(17, 60, reset=14)], None),
        # an answer that had not come says nothing
        ([answered(1, 50, took=1.0), answered(2, 55)], "rose from 50 to 55"),
        ([answered(1, 50, took=1.5), answered(2, 55)], None),
    ],
    ids=range(11),
)
def test_remaining_rises(record: list[Exchange], text: str | None) -> None:
    found = problem_in(window_of(record))
    assert text_of(found) == (text and f"X-RateLimit-Remaining {text} in one window")


@pytest.mark.parametrize(
    ("record", "stays"),
    [
        (answers_over_time(50, 50, 50, 50, 50), True),
        (answers_over_time(50, 50, 50, 50), False),
        (answers_over_time(50, 50, 50, 50, 49), False),
        (answers_over_time(0, 0, 0, 0, 0), False),
        (answers_over_time(1, 1, 1, 1, 1), True),
        # a bucket may have made good what was spent
        (answers_over_time(50, 50, 50, 50, 50, lasts=4), False),
        (answers_over_time(50, 50, 50, 50, 50, lasts=3.75), True),
        (answers_over_time(50, 50, 50, 50, 50, reset=4), False),
        # one that overlapped with the first may be counted later
        ([answered(1, 50, took=1 / 16), *answers_over_time(50, 50, 50, 50, 50)[1:]], False),
    ],
    ids=range(9),
)
def test_remaining_stays(record: list[Exchange], stays: bool) -> None:
    found = problem_in(window_of(record))
    left = counts_in(record)[-1].remaining
    said = f"X-RateLimit-Remaining stayed at {left} over 5 requests in one window"
    assert (found == QuotaProblem(said, (record[0], record[-1]))) == stays
    assert stays or "stayed" not in (text_of(found) or "")


def test_what_was_spent_in_a_window_is_not_more_than_its_answers() -> None:
    """Reset of a bucket may show one second or the next."""
    times, resets = (0, 4 / 6, 8 / 6, 2, 16 / 6, 20 / 6, 4), (64, 65, 64, 64, 64, 65, 64)
    record = [answered(1 + at, 50, reset=reset) for at, reset in zip(times, resets, strict=True)]
    assert problem_in(quota_of(record).windows[0]) is None


@pytest.mark.parametrize(
    ("lefts", "lasts", "text"),
    [
        # four in between, of which two are missing: one by rounding, the other if it did not come free
        ((50, 50, 49, 49, 48, 48), 0.5, "went from 50 to 48"),
        ((50, 50, 49, 49, 48, 48), 15 / 16, "went from 50 to 48"),
        ((50, 50, 49, 49, 48, 48), 1.0, None),
        # where none is left, none can be missing
        ((3, 3, 2, 2, 1, 1), 0.5, "went from 3 to 1"),
        ((2, 2, 1, 1, 0, 0), 0.5, None),
    ],
    ids=range(5),
)
def test_remaining_falls_short(lefts: tuple[int, ...], lasts: float, text: str | None) -> None:
    record = answers_over_time(*lefts, lasts=lasts)
    found = problem_in(window_of(record))
    said = f"X-RateLimit-Remaining {text} in one window, although at least 4 requests were served in between"
    assert found == (QuotaProblem(said, (record[0], record[-1])) if text else None)


# ---- any window


def test_more_was_spent_than_limit_minus_remaining() -> None:
    record = answers_over_time(*[57] * 7, moves=1)
    assert problem_of(quota_of(record)) == QuotaProblem(
        "X-RateLimit-Remaining is 57 of 60, although at least 5 requests were served in the 0.5 s before",
        (record[0], record[6]),
    )
    assert problem_of(quota_of(answers_over_time(*[56] * 7, moves=1))) is None


def test_without_a_date_a_rise_may_be_the_next_window() -> None:
    """By a clock that is five minutes behind, a window of a few seconds seems to last as long."""
    record = answers_over_time(*range(59, 52, -1), *[59] * 7, moves=1)
    assert problem_of(quota_of(record[7:])) is not None
    again = [answered(2 + n / 32, 60 - n, reset=90 + n) for n in range(3)]
    counts = quota_of([*record, *again]).counts
    places = {id(count): place for place, count in enumerate(counts)}
    compared = {(places[id(earlier)], places[id(later)]) for earlier, later in pairs(counts)}
    assert not any(counts[earlier].remaining < counts[later].remaining for earlier, later in compared)
    assert {(0, 1), (5, 6), (7, 8), (7, 9), (14, 15)} <= compared


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (answers_over_time(*[30] * 10, moves=1), "stayed at 30"),
        (answers_over_time(*[30] * 9, moves=1), None),
        (answers_over_time(*[30] * 9, 31, moves=1), "rose from 30 to 31"),
        (answers_over_time(29, *[30] * 9, moves=1), "rose from 29 to 30"),
        (answers_over_time(30, 29, *[30] * 8, moves=1), None),
        (answers_over_time(*[0] * 10, moves=1), None),
        (answers_over_time(*[1] * 10, moves=1), "stayed at 1"),
        # eight came free
        (answers_over_time(*[30] * 10, moves=1, lasts=8), None),
        (answers_over_time(*[30] * 10, moves=1, lasts=7.75), "stayed at 30"),
        (answers_over_time(*[30] * 10, moves=1, lasts=4, reset=34), None),
        (answers_over_time(*[30] * 10, moves=1, lasts=3.75, reset=34), "stayed at 30"),
        (answers_over_time(*[30] * 10, moves=1, lasts=8, reset=1000), None),
        # two overlap, so seven are known to have been spent in between
        ([answered(1, 30, took=3 / 64, reset=64), *answers_over_time(*[30] * 10, moves=1)[1:]], None),
        # a Reset that is too near to tell
        (answers_over_time(*[30] * 10, moves=1, reset=4), None),
    ],
    ids=range(14),
)
def test_remaining_never_falls(record: list[Exchange], said: str | None) -> None:
    text = f"X-RateLimit-Remaining {said} over 10 requests that got a response"
    assert problem_of(quota_of(record)) == (QuotaProblem(text, (record[0], record[-1])) if said else None)


# ---- whether it is counted at all


@pytest.mark.parametrize(
    ("record", "counted"),
    [
        (at_once(50, 50, 50, 50, 49), True),
        (at_once(50, 50, 50, 50, 50), False),
        (at_once(49, 50, 50, 50, 49), True),
        (at_once(49, 49, 49, 49, 50), True),
        (at_once(50, 49), False),
        # four were spent in between, and more than come free
        (answers_over_time(50, 50, 50, 50, 50, 50, moves=1), True),
        (answers_over_time(50, 50, 50, 50, 50, moves=1), False),
        (answers_over_time(50, 50, 50, 50, 50, 50, moves=1, lasts=2), True),
        # three came free, and one is rounding
        (answers_over_time(50, 50, 50, 50, 50, 50, moves=1, lasts=3), False),
        (answers_over_time(50, 49, 48, 47, 47, 46, moves=1, lasts=3), True),
        (answers_over_time(50, 49, 48, 47, 47, 47, moves=1, lasts=3), False),
    ],
    ids=range(11),
)
def test_spent_requests_are_counted(record: list[Exchange], counted: bool) -> None:
    assert is_counted_down(quota_of(record)) == counted


# ---- what looks like several quotas


def test_requests_seem_counted_apart_only_if_remaining_falls_for_two_operations() -> None:
    posts = [answered(1 + n / 32, 59 - n) for n in range(4)]
    pages = [
        exchange(path=f"/pets?limit={n + 1}", headers=rates(60, 59 - n, unix(64)), index=n, sent=2 + n / 32)
        for n in range(4)
    ]
    assert not seem_counted_apart(counts_in(posts))
    assert not seem_counted_apart(counts_in([*posts, pages[0]]))
    assert seem_counted_apart(counts_in([*posts, *pages]))


@pytest.mark.parametrize(
    ("sent", "seconds", "same"), [(2, 58, True), (4, 59, True), (4, 60, False), (1, 56, True), (1, 55, False)]
)
def test_seconds_to_go_that_end_within_3_s_are_of_one_window(sent: float, seconds: int, same: bool) -> None:
    first, other = (exchange(headers=rates(60, 50, left), sent=at) for at, left in ((2.0, 58), (sent, seconds)))
    assert Count(first, 60, 50, "60", 58.0, to_go=True).is_of_the_window_of(other) is same


@pytest.mark.parametrize(
    ("later", "same"), [(100.4, True), (101.5, True), (101.6, False), (98.5, True), (98.4, False), (103.0, False)]
)
def test_seconds_to_go_that_end_within_a_second_and_a_half_name_one_window(later: float, same: bool) -> None:
    ends = ((50, 100.0), (49, later))
    first, second = counts_in([exchange(headers=rates(60, left, "60"), sent=end - 60.0) for left, end in ends])
    assert first.to_go
    assert (first.reset == second.reset) is same
