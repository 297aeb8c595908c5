"""The rate limit headers of section 8: each alone, and how they move."""

from __future__ import annotations

import pytest

from petcheck.exchange import Exchange, Silence
from petcheck.judging import ratelimits

from .exchanges import exchange, rates, short, unix

DATE = ("Date", "Sat, 21 Nov 2026 12:00:00 GMT")


def with_limit(*values: str) -> Exchange:
    return exchange(headers=[("x-ratelimit-LIMIT", value) for value in values])


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (("60",), None),
        (("1",), None),
        (("60", "60"), None),
        (("100000000000000000000",), None),
        ((), "there is no X-RateLimit-Limit"),
        (("0",), "X-RateLimit-Limit is 0; a limit of at least 1 is due"),
        (("60", "61"), 'X-RateLimit-Limit is "60, 61"; a plain integer is due'),
        (("60.0",), 'X-RateLimit-Limit is "60.0"; a plain integer is due'),
        (("-60",), 'X-RateLimit-Limit is "-60"; a plain integer is due'),
        (("+60",), 'X-RateLimit-Limit is "+60"; a plain integer is due'),
        (("60;w=60",), 'X-RateLimit-Limit is "60;w=60"; a plain integer is due'),
        (("sixty",), 'X-RateLimit-Limit is "sixty"; a plain integer is due'),
        (("\u0666",), 'X-RateLimit-Limit is "\\u0666"; a plain integer is due'),
        (("",), 'X-RateLimit-Limit is ""; a plain integer is due'),
        (("1e3",), 'X-RateLimit-Limit is "1e3"; a plain integer is due'),
    ],
    ids=short,
)
def test_limit(values: tuple[str, ...], problem: str | None) -> None:
    assert ratelimits.problem_of_limit(with_limit(*values)) == problem


@pytest.mark.parametrize(
    ("limit", "remaining", "problem"),
    [
        ("60", "0", None),
        ("60", "60", None),
        (None, "7", None),
        ("sixty", "7", None),
        ("0", "7", None),
        ("60", None, "there is no X-RateLimit-Remaining"),
        ("1", "2", "X-RateLimit-Remaining is 2, above X-RateLimit-Limit, 1"),
        ("60", "61", "X-RateLimit-Remaining is 61, above X-RateLimit-Limit, 60"),
        ("60", "-1", 'X-RateLimit-Remaining is "-1"; a plain integer from 0 to the limit is due'),
        ("60", "5.5", 'X-RateLimit-Remaining is "5.5"; a plain integer from 0 to the limit is due'),
        ("60", "many", 'X-RateLimit-Remaining is "many"; a plain integer from 0 to the limit is due'),
    ],
)
def test_remaining(limit: str | None, remaining: str | None, problem: str | None) -> None:
    assert ratelimits.problem_of_remaining(exchange(headers=rates(limit, remaining, None))) == problem


@pytest.mark.parametrize(
    ("reset", "problem"),
    [
        (unix(30), None),
        (f"{unix(30)}.75", None),
        (unix(0), None),
        (unix(-2), None),
        (unix(86_400), None),
        (unix(86_402), None),
        (unix(-3), f"X-RateLimit-Reset is {unix(-3)}, 3 s past; a Unix time in seconds is due"),
        (unix(86_403), f"X-RateLimit-Reset is {unix(86_403)}, more than a day ahead; a Unix time in seconds is due"),
        (
            30,
            f"X-RateLimit-Reset is 30, {unix(-30):,} s past; it looks like seconds from now rather than a time; "
            "a Unix time in seconds is due",
        ),
        (
            unix(30) * 1000,
            f"X-RateLimit-Reset is {unix(30) * 1000}, more than a day ahead; it looks like milliseconds; "
            "a Unix time in seconds is due",
        ),
        ("2026-11-21T12:00:30Z", 'X-RateLimit-Reset is "2026-11-21T12:00:30Z"; a Unix time in seconds is due'),
        ("-5", 'X-RateLimit-Reset is "-5"; a Unix time in seconds is due'),
        ("", 'X-RateLimit-Reset is ""; a Unix time in seconds is due'),
        (None, "there is no X-RateLimit-Reset"),
    ],
)
def test_reset_against_the_responses_own_date(reset: object, problem: str | None) -> None:
    # our own clock is an hour off, which matters not
    assert ratelimits.problem_of_reset(exchange(headers=rates(60, 5, reset, DATE), sent=3600.0)) == problem


@pytest.mark.parametrize(
    ("reset", "hint"),
    [
        (9_999_999, "; it looks like seconds from now rather than a time"),
        (10_000_000, ""),
        (100_000_000_000, ""),
        (100_000_000_001, "; it looks like milliseconds"),
    ],
)
def test_what_a_wrong_reset_looks_like(reset: int, hint: str) -> None:
    problem = ratelimits.problem_of_reset(exchange(headers=rates(60, 5, reset, DATE)))
    assert problem is not None
    assert problem.endswith(f"{' past' if reset < unix(0) else ' ahead'}{hint}; a Unix time in seconds is due")


@pytest.mark.parametrize(("ahead", "held"), [(-602, True), (-603, False), (30, True), (87_002, True), (87_003, False)])
def test_reset_against_our_clock_has_ten_minutes_of_grace(ahead: int, held: bool) -> None:
    problem = ratelimits.problem_of_reset(exchange(headers=rates(60, 5, unix(ahead))))
    assert (problem is None) == held


def test_a_date_that_cannot_be_read_is_none() -> None:
    for text in ("yesterday", "Fri, 31 Dec 9999 23:59:59 -0100", "Mon, 01 Jan 2020 00:00:00 +9999999999999", ""):
        assert ratelimits.date_of(exchange(headers=[("Date", text)])) is None
        assert ratelimits.problem_of_reset(exchange(headers=rates(60, 5, unix(30), ("Date", text)))) is None


def test_a_reset_that_is_repeated_counts_once() -> None:
    assert ratelimits.problem_of_reset(exchange(headers=[*rates(60, 5, unix(30)), *rates(60, 5, unix(30))])) is None


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("0", True),
        ("30", True),
        ("1000000000", True),
        ("Sat, 21 Nov 2026 12:00:30 GMT", True),
        ("Saturday, 21-Nov-26 12:00:30 GMT", True),
        ("Sat Nov 21 12:00:30 2026", True),
        ("-1", False),
        ("30.5", False),
        ("30 s", False),
        ("soon", False),
        ("", False),
        ("2026-11-21T12:00:30Z", False),
    ],
)
def test_retry_after(text: str, held: bool) -> None:
    problem = ratelimits.problem_of_retry_after(exchange(status=429, headers=[("Retry-After", text)]))
    assert (problem is None) == held


def test_no_retry_after() -> None:
    assert ratelimits.problem_of_retry_after(exchange(status=429, headers=[])) == "there is no Retry-After"


def test_a_retry_after_that_cannot_be_read_is_shown() -> None:
    refusal = exchange(status=429, headers=[("Retry-After", "30 s\x07")])
    assert ratelimits.problem_of_retry_after(refusal) == (
        'Retry-After is "30 s\\u0007"; whole seconds or an HTTP date are due'
    )


def test_silence_has_no_headers() -> None:
    silent = exchange(status=Silence.RESET)
    assert (ratelimits.limit_of(silent), ratelimits.remaining_of(silent), ratelimits.date_of(silent)) == (None,) * 3
    assert ratelimits.problem_of_limit(silent) == "there is no X-RateLimit-Limit"
    assert ratelimits.problem_of_retry_after(silent) == "there is no Retry-After"
    assert not ratelimits.asks_for_more_than_a_minute(silent)


@pytest.mark.parametrize(
    ("headers", "more"),
    [
        ([("Retry-After", "61")], False),
        ([("Retry-After", "62")], True),
        ([("Retry-After", " 62 ")], True),
        ([DATE, ("Retry-After", "Sat, 21 Nov 2026 12:01:01 GMT")], False),
        ([DATE, ("Retry-After", "Sat, 21 Nov 2026 12:01:02 GMT")], True),
        ([("Retry-After", "Sat, 21 Nov 2026 13:01:01 GMT")], False),
        ([("Retry-After", "Sat, 21 Nov 2026 13:01:02 GMT")], True),
        ([("Retry-After", "soon")], False),
        ([], False),
    ],
)
def test_a_longer_wait_than_a_minute_speaks_of_another_quota(headers: list[tuple[str, str]], more: bool) -> None:
    # our own clock is an hour ahead of the target's, and counts where it tells no date
    refusal = exchange(status=429, headers=headers, sent=3600.0)
    assert ratelimits.asks_for_more_than_a_minute(refusal) == more


# ---- over time


def course(
    *remaining: int, limit: int = 60, every: float = 0.2, reset: float = 30, status: int = 200, begin: float = 0.0
) -> list[Exchange]:
    """Responses of one window, one after the other, each a tenth of a second under way."""
    return [
        exchange(status=status, headers=rates(limit, left, unix(reset)), index=number, sent=begin + number * every)
        for number, left in enumerate(remaining)
    ]


def test_remaining_that_falls() -> None:
    assert ratelimits.problem_of_course(course(9, 8, 7, 7, 3, 0)) is None
    assert ratelimits.problem_of_course(course(9, 8, 8, 8, 8)) is None
    assert ratelimits.problem_of_course(course(9, 9, 9, 9, 8)) is None


def test_remaining_that_rises() -> None:
    window = course(9, 8, 9, 7)
    problem = ratelimits.problem_of_course(window)
    assert problem is not None
    assert problem.text == "X-RateLimit-Remaining rose from 8 to 9 within one window"
    assert problem.exchanges == (window[1], window[2])


def test_remaining_that_rises_from_nothing() -> None:
    problem = ratelimits.problem_of_course(course(1, 0, 1))
    assert problem is not None
    assert problem.text == "X-RateLimit-Remaining rose from 0 to 1 within one window"


def test_responses_that_overlap_may_come_in_any_order() -> None:
    assert ratelimits.problem_of_course(course(8, 9, every=0.05)) is None
    assert ratelimits.problem_of_course(course(8, 9, every=0.1)) is not None


def test_a_rise_that_a_refilled_bucket_explains() -> None:
    # 60 a minute: one in the second from the first one's sending to the last one's end
    assert ratelimits.problem_of_course(course(8, 9, every=0.9)) is None
    assert ratelimits.problem_of_course(course(8, 9, every=0.8)) is not None


def test_a_rise_is_measured_from_the_last_time_that_it_was_so_low() -> None:
    early, late = course(5, begin=0.0), course(5, 6, begin=10.0)
    problem = ratelimits.problem_of_course([*early, *late])
    assert problem is not None
    assert problem.exchanges == (late[0], late[1])


def test_a_refused_request_may_show_what_rounding_hid() -> None:
    assert ratelimits.problem_of_course(course(8, 9, status=401)) is None
    assert ratelimits.problem_of_course(course(8, 10, status=401)) is not None


def test_remaining_that_stays() -> None:
    window = course(9, 9, 9, 9, 9)
    problem = ratelimits.problem_of_course(window)
    assert problem is not None
    assert problem.text == "X-RateLimit-Remaining stayed at 9 over 5 requests of one window"
    assert problem.exchanges == (window[0], window[-1])


def test_four_do_not_tell() -> None:
    assert ratelimits.problem_of_course(course(9, 9, 9, 9)) is None
    assert not ratelimits.tells_course(course(9, 9, 9, 9))


@pytest.mark.parametrize("status", [300, 401])
def test_five_that_may_not_count_do_not_tell(status: int) -> None:
    assert ratelimits.problem_of_course(course(9, 9, 9, 9, 9, status=status)) is None


def test_a_bucket_that_refills_may_explain_it() -> None:
    # 60 a minute are one a second: five requests in eight seconds are made good
    assert ratelimits.problem_of_course(course(59, 59, 59, 59, 59, every=2.0)) is None
    assert ratelimits.problem_of_course(course(59, 59, 59, 59, 59, every=0.2)) is not None
    # four seconds, from the first one's sending to the last one's end, are just enough
    assert ratelimits.problem_of_course(course(59, 59, 59, 59, 59, every=0.975)) is None
    assert ratelimits.problem_of_course(course(59, 59, 59, 59, 59, every=0.95, begin=100.0)) is not None
    # a limit of nothing refills nothing
    assert ratelimits.problem_of_course(course(59, 59, 59, 59, 59, every=70.0, limit=0)) is not None
    # and 1,000 a minute make good what takes no time at all
    assert ratelimits.problem_of_course(course(*[999] * 5, limit=1000, every=0.3)) is None


def test_a_window_is_one_limit_and_one_reset() -> None:
    one, other = course(9, 8, 7), course(20, 19, reset=90)
    alone = course(5, limit=100)
    assert ratelimits.same_window([*one, *alone, *other]) == [one, other]


def test_a_reset_that_moves_is_not_compared() -> None:
    moving = [course(9, reset=30 + number)[0] for number in range(9)]
    assert ratelimits.same_window(moving) == []


def test_silence_and_headers_that_cannot_be_read_are_in_no_window() -> None:
    odd = [
        exchange(status=Silence.TIMEOUT),
        exchange(headers=rates("x", 5, unix(30))),
        exchange(headers=rates(60, "x", unix(30))),
        exchange(headers=rates(60, 5, None)),
        exchange(headers=[]),
    ]
    assert ratelimits.same_window([*odd, *odd]) == []


@pytest.mark.parametrize(("apart", "groups"), [(60, 2), (3, 2), (2, 0), (1, 0)])
def test_ends_that_are_near_to_each_other_are_of_a_window_that_slides(apart: int, groups: int) -> None:
    seen = [
        exchange(headers=rates(60, left, unix(reset)), index=index, sent=index)
        for index, (left, reset) in enumerate([(50, 60), (49, 60), (53, 60 + apart), (52, 60 + apart)])
    ]
    assert len(ratelimits.same_window(seen)) == groups


def test_windows_of_different_limits_are_told_apart() -> None:
    seen = [
        exchange(headers=rates(limit, left, unix(reset)), index=index, sent=index)
        for index, (limit, left, reset) in enumerate([(60, 50, 60), (1000, 900, 61), (60, 49, 60), (1000, 899, 61)])
    ]
    assert [[one.index for one in group] for group in ratelimits.same_window(seen)] == [[0, 2], [1, 3]]
