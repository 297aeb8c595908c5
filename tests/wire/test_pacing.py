"""Pacing alone: what a bucket learns from a response, and how long the next request must wait."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.wire import pacing
from petcheck.wire.pacing import NO_DELAY, Bucket, OpenWindow, Pace, delay, observe
from tests.support.fakes import NOON, at_noon, http_date, rates, response

TEXTS = st.text(max_size=12) | st.from_regex(r"-?[0-9]{1,40}(\.[0-9]+)?", fullmatch=True) | st.just("")
DATES = st.sampled_from(
    [
        "Sat, 21 Nov 2026 12:00:30 GMT",
        "Fri, 31 Dec 9999 23:59:59 -0100",
        "Mon, 01 Jan 2020 00:00:00 +9999999999999",
        "Thu",
        "Sat, 99 Nov 2026 12:00:30 GMT",
        "Saturday, 21-Nov-26 12:00:30 GMT",
        "Sat Nov 21 12:00:30 2026",
    ]
)


def after(*headers: tuple[str, str], status: int = 200, bucket: Bucket | None = None, now: float = 0.0) -> Bucket:
    return observe(bucket or Bucket(), response(status, headers), now, NOON)


def test_a_new_bucket_sends_at_once() -> None:
    assert delay(Bucket(), 0.0) == NO_DELAY


def test_requests_are_sent_while_more_than_the_reserve_is_left() -> None:
    assert delay(after(*rates(60, 4, at_noon(30))), 0.0) == NO_DELAY


def test_the_reserve_is_left_to_others_until_the_window_resets() -> None:
    pause = delay(after(*rates(60, 3, at_noon(30))), 10.0)
    assert pause.seconds == 20.0
    assert pause.why.startswith("3 of 60 requests")


@pytest.mark.parametrize(("limit", "reserve"), [(1, 0), (19, 0), (20, 1), (60, 3), (100, 5), (100_000, 5)])
def test_the_reserve_is_a_twentieth_and_five_at_most(limit: int, reserve: int) -> None:
    assert pacing.reserve(limit) == reserve


def test_a_window_that_has_ended_delays_nothing() -> None:
    assert delay(after(*rates(60, 0, at_noon(30))), 30.0) == NO_DELAY


def test_reset_is_measured_by_the_targets_own_clock() -> None:
    ahead = after(*rates(60, 0, at_noon(3600 + 30)), ("Date", http_date(3600)))
    assert delay(ahead, 0.0).seconds == 30.0


@pytest.mark.parametrize(
    "headers",
    [
        (),
        rates("sixty", 0, at_noon(30)),
        rates(60, -1, at_noon(30)),
        rates(60, 0, "soon"),
        rates(60, 0, at_noon(-1)),
        rates(60, 0, at_noon(86_400 + 61)),
        rates("9" * 19, 0, at_noon(30)),
        rates(60, "0.5", at_noon(30)),
        rates(60, 0, 10**20),
        rates("60, 61", 0, at_noon(30)),
        rates(60, 0, f"{at_noon(30)}, {at_noon(31)}"),
        rates("٦٠", 0, at_noon(30)),
        rates(60, 61, at_noon(30)),
    ],
)
def test_nonsense_headers_are_no_window(headers: list[tuple[str, str]]) -> None:
    assert after(*headers) == Bucket()


@pytest.mark.parametrize("repeated", range(3))
def test_a_repeated_header_counts_once(repeated: int) -> None:
    headers = rates(60, 7, at_noon(30))
    assert after(*headers, headers[repeated]).window == OpenWindow(60, 7, str(at_noon(30)), 30.0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("37", 37.0),
        ("1000000000", 1e9),
        ("9" * 400, 1e9),
        ("7.5", 7.5),
        ("30, 60", 60.0),
        ("30, 30", 30.0),
        ("Sat, 21 Nov 2026 12:00:45 GMT", 45.0),
        ("Sat, 21 Nov 2026 11:59:00 GMT", 0.0),
        ("-5", None),
        ("soon", None),
        ("", None),
        ("30, soon", None),
        ("Fri, 31 Dec 9999 23:59:59 -0100", None),
        ("Mon, 01 Jan 2020 00:00:00 +9999999999999", None),
    ],
)
def test_retry_after(text: str, seconds: float | None) -> None:
    assert pacing.retry_after(response(429, [("Retry-After", text)]), NOON) == seconds


def test_a_date_in_retry_after_is_measured_by_the_targets_own_clock() -> None:
    headers = [("Retry-After", http_date(7200 + 20)), ("Date", http_date(7200))]
    assert pacing.retry_after(response(429, headers), NOON) == 20.0


def test_a_429_closes_the_bucket_for_exactly_retry_after() -> None:
    pause = delay(after(("Retry-After", "37"), status=429, now=100.0), 101.0)
    assert (pause.seconds, pause.why) == (36.0, "rate-limited (429); resuming")


def test_retry_after_overrides_the_window() -> None:
    bucket = after(("Retry-After", "37"), *rates(60, 0, at_noon(5)), status=429)
    assert delay(bucket, 6.0).seconds == 31.0


def test_refusals_in_a_row_double_the_pause() -> None:
    bucket, pauses, now = Bucket(), [], 0.0
    for _ in range(4):
        bucket = after(("Retry-After", "10"), status=429, bucket=bucket, now=now)
        pauses.append(delay(bucket, now).seconds)
        now += pauses[-1]
    assert pauses == [10.0, 20.0, 40.0, 80.0]


def test_an_answer_resets_the_count_of_refusals() -> None:
    refused = after(("Retry-After", "10"), status=429)
    assert after(bucket=refused, now=10.0).refusals == 0


def test_retry_after_zero_does_not_cause_a_flood() -> None:
    bucket, pauses = Bucket(), []
    for _ in range(4):
        bucket = after(("Retry-After", "0"), status=429, bucket=bucket)
        pauses.append(delay(bucket, 0.0).seconds)
    assert pauses == [0.0, 2.0, 4.0, 8.0]


def test_a_thousand_refusals_in_a_row_are_handled() -> None:
    bucket = Bucket()
    for _ in range(1100):
        bucket = after(("Retry-After", "0"), status=429, bucket=bucket)
    assert delay(bucket, 0.0).seconds == 1e9


def test_without_retry_after_the_wait_for_the_window_is_at_most_a_minute() -> None:
    assert delay(after(*rates(60, 0, at_noon(20)), status=429), 0.0).seconds == 20.0
    assert delay(after(*rates(60, 0, at_noon(7200)), status=429), 0.0).seconds == 60.0


def test_a_429_without_any_time_causes_a_short_wait() -> None:
    first = after(status=429)
    assert delay(first, 0.0).seconds == 5.0
    assert delay(after(status=429, bucket=first, now=5.0), 5.0).seconds == 10.0


@pytest.mark.parametrize(("lasts", "waits_made"), [(30, [30.0] * 2), (60, [60.0]), (12, [12.0] * 4)])
def test_an_always_empty_window_causes_a_minute_of_waiting_in_total(lasts: int, waits_made: list[float]) -> None:
    bucket, now, waits = after(*rates(60, 0, at_noon(lasts))), 0.0, []
    for _ in range(8):
        pause = delay(bucket, now).seconds
        if pause:
            bucket = replace(bucket, waited_s=pause)
        now += pause
        waits.append(pause)
        bucket = after(*rates(60, 0, at_noon(lasts + now)), ("Date", http_date(now)), bucket=bucket, now=now)
    assert [wait for wait in waits if wait] == waits_made


@pytest.mark.parametrize(
    ("before", "after", "rises"),
    [
        (OpenWindow(60, 1, "99", 9.0), OpenWindow(60, 2, "99", 9.0), True),
        (OpenWindow(60, 2, "99", 9.0), OpenWindow(60, 2, "99", 9.0), False),
        (OpenWindow(60, 1, "99", 9.0), OpenWindow(60, 59, "159", 69.0), False),
        (OpenWindow(60, 1, "99", 9.0), OpenWindow(300, 59, "99", 9.0), False),
        (None, OpenWindow(60, 2, "99", 9.0), False),
        (OpenWindow(60, 1, "99", 9.0), None, False),
    ],
)
def test_a_remaining_that_rises_within_a_window(
    before: OpenWindow | None, after: OpenWindow | None, rises: bool
) -> None:
    assert pacing.rises(before, after) is rises


def test_reset_is_measured_by_our_clock_if_date_makes_no_sense() -> None:
    for wrong in (3600, -3600):
        empty = after(*rates(60, 0, at_noon(30)), ("Date", http_date(wrong)))
        assert delay(empty, 0.0).seconds == 30.0


# ---- the pace that is served


def test_one_refusal_does_not_set_the_pace() -> None:
    assert Pace().after(1.0, refused=False).after(2.0, refused=True).interval == 0.0


def test_the_second_refusal_slows_requests_below_the_served_pace() -> None:
    pace = Pace().after(10.0, refused=True)
    for moment in (40.0, 40.1, 40.2):
        pace = pace.after(moment, refused=False)
    assert pace.after(40.3, refused=True).interval == pytest.approx(1.1 * 30.3 / 3)


def test_two_refusals_with_nothing_between_them_are_one() -> None:
    assert Pace().after(10.0, refused=True).after(70.0, refused=True).interval == 0.0


def test_the_pace_never_rises() -> None:
    pace = Pace(refused_at=0.0, served=1, interval=4.0).after(1.0, refused=True)
    assert pace == Pace(refused_at=1.0, served=0, interval=4.0)


@pytest.mark.parametrize(
    ("known", "headers", "early"),
    [
        ((), (), True),
        ((), rates(60, 3, at_noon(30)), True),
        ((), rates(60, 0, at_noon(30)), False),
        (rates(60, 3, at_noon(30)), (), True),
        (rates(60, 0, at_noon(30)), (), False),
        (rates(60, 0, at_noon(30)), rates(60, 3, at_noon(30)), True),
    ],
)
def test_a_429_is_early_if_requests_were_left(
    known: list[tuple[str, str]], headers: list[tuple[str, str]], early: bool
) -> None:
    assert pacing.refused_early(after(*known), response(429, headers), 1.0, NOON) is early
    assert not pacing.refused_early(after(*known), response(200, headers), 1.0, NOON)


def test_a_window_that_is_not_empty_restores_trust() -> None:
    distrusted = Bucket(useless_s=60.0)
    healed = after(*rates(60, 59, at_noon(60)), bucket=distrusted)
    empty_again = after(*rates(60, 2, at_noon(60)), bucket=healed, now=5.0)
    assert delay(empty_again, 5.0).seconds == 60.0


def test_a_window_of_another_quota_restores_no_trust() -> None:
    """An invalid key that is accepted shows the quota of the key between those of requests without one."""
    bucket, now, waits = after(*rates(60, 0, at_noon(60))), 0.0, []
    for _ in range(4):
        pause = delay(bucket, now).seconds
        bucket, now = replace(bucket, waited_s=pause) if pause else bucket, now + pause
        waits.append(pause)
        date = ("Date", http_date(now))
        accepted = after(*rates(300, 290, at_noon(now + 60)), date, bucket=bucket, now=now)
        bucket = after(*rates(60, 0, at_noon(now + 60)), date, bucket=accepted, now=now)
    assert waits == [60.0, 0.0, 0.0, 0.0]


def waits_for_empty_windows(limit: int, lasts: float, requests: int) -> list[float]:
    """The wait before each of some requests, if each answer says that none is left for `lasts` seconds."""
    bucket, now, waits = Bucket(), 0.0, []
    for _ in range(requests):
        pause = delay(bucket, now).seconds
        if pause:
            bucket = replace(bucket, waited_s=pause)
        now += pause
        waits.append(pause)
        bucket = after(*rates(limit, 0, at_noon(now + lasts)), ("Date", http_date(now)), bucket=bucket, now=now)
    return waits


@pytest.mark.parametrize("limit", [0, 1000])
def test_a_window_that_never_has_any_left_is_ignored_after_a_minute_of_waits(limit: int) -> None:
    assert waits_for_empty_windows(limit, 60, 4) == [0.0, 60.0, 0.0, 0.0]


@pytest.mark.parametrize(("left", "shared"), [(79, True), (60, True), (59, False), (80, False), (0, False)])
def test_a_quota_is_shared_where_little_less_is_left(left: int, shared: bool) -> None:
    keyed = after(*rates(100, 80, at_noon(60)))
    keyless = after(*rates(100, left, at_noon(60))).window
    assert keyless is not None
    assert pacing.shares_quota(keyed, keyless) is shared


def test_a_limit_of_one_is_used_one_window_at_a_time() -> None:
    assert waits_for_empty_windows(1, 10, 5) == [0.0, 10.0, 10.0, 10.0, 10.0]


@given(
    st.sampled_from([200, 400, 429, 503]),
    st.lists(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS | DATES, TEXTS | DATES), max_size=6),
)
def test_whatever_the_headers_say_every_delay_is_finite(
    status: int, rows: list[tuple[str, str, str, str, str]]
) -> None:
    bucket = Bucket()
    for limit, remaining, reset, retry, date in rows:
        headers = [*rates(limit, remaining, reset), ("Retry-After", retry), ("Date", date)]
        bucket = observe(bucket, response(status, headers), 5.0, NOON)
        pause = delay(bucket, 5.0)
        assert 0 <= pause.seconds < math.inf
        assert (pause.seconds == 0) == (pause.why == "")
