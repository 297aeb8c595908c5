"""The rate limit headers of section 8: each alone, and how they move."""

from __future__ import annotations

from datetime import timedelta

import pytest

from petcheck.exchange import Exchange, Silence
from petcheck.judging import rate_headers
from petcheck.judging.judgement import Problem
from tests.support.exchanges import NOON, exchange, rates, short, unix

DATE = ("Date", "Sat, 21 Nov 2026 12:00:00 GMT")

END = "; expected the Unix time in seconds when the window ends"


def text_of(problem: Problem | None, part: str) -> str | None:
    """The text of a problem; every problem is about the header `part`."""
    assert problem is None or problem.part == f"header:{part}"
    return problem.text if problem else None


def with_limit(*values: str) -> Exchange:
    return exchange(headers=[("x-ratelimit-LIMIT", value) for value in values])


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (("60",), None),
        (("1",), None),
        (("60", "60"), None),
        (("100000000000000000000",), None),
        ((), "X-RateLimit-Limit is missing"),
        (("0",), "X-RateLimit-Limit is 0; expected a limit of at least 1"),
        (("60", "61"), 'X-RateLimit-Limit is "60, 61"; expected a plain integer'),
        (("60.0",), 'X-RateLimit-Limit is "60.0"; expected a plain integer'),
        (("-60",), 'X-RateLimit-Limit is "-60"; expected a plain integer'),
        (("+60",), 'X-RateLimit-Limit is "+60"; expected a plain integer'),
        (("60;w=60",), 'X-RateLimit-Limit is "60;w=60"; expected a plain integer'),
        (("sixty",), 'X-RateLimit-Limit is "sixty"; expected a plain integer'),
        (("\u0666",), 'X-RateLimit-Limit is "\\u0666"; expected a plain integer'),
        (("",), 'X-RateLimit-Limit is ""; expected a plain integer'),
        (("1e3",), 'X-RateLimit-Limit is "1e3"; expected a plain integer'),
    ],
    ids=short,
)
def test_limit(values: tuple[str, ...], problem: str | None) -> None:
    assert text_of(rate_headers.problem_of_limit(with_limit(*values)), "X-RateLimit-Limit") == problem


@pytest.mark.parametrize("near", ["X-Rate-Limit-Limit", "RateLimit-Limit", "x_ratelimit_limit"])
def test_a_header_of_nearly_that_name_is_shown(near: str) -> None:
    long = f"{'-' * 70}{near}"
    problem = rate_headers.problem_of_limit(exchange(headers=[(long, "60")]))
    assert text_of(problem, "X-RateLimit-Limit") == f"X-RateLimit-Limit is missing; the response has {long[:80]}"
    problem = rate_headers.problem_of_limit(exchange(headers=[("X-RateLimit-Remaining", "9"), (near, "60")]))
    assert text_of(problem, "X-RateLimit-Limit") == f"X-RateLimit-Limit is missing; the response has {near}"


@pytest.mark.parametrize(
    ("limit", "remaining", "problem"),
    [
        ("60", "0", None),
        ("60", "60", None),
        (None, "7", None),
        ("sixty", "7", None),
        ("0", "7", None),
        ("60", None, "X-RateLimit-Remaining is missing"),
        ("1", "2", "X-RateLimit-Remaining is 2, more than X-RateLimit-Limit (1)"),
        ("60", "61", "X-RateLimit-Remaining is 61, more than X-RateLimit-Limit (60)"),
        ("60", "-1", 'X-RateLimit-Remaining is "-1"; expected a plain integer from 0 to the limit'),
        ("60", "5.5", 'X-RateLimit-Remaining is "5.5"; expected a plain integer from 0 to the limit'),
        ("60", "many", 'X-RateLimit-Remaining is "many"; expected a plain integer from 0 to the limit'),
    ],
)
def test_remaining(limit: str | None, remaining: str | None, problem: str | None) -> None:
    found = rate_headers.problem_of_remaining(exchange(headers=rates(limit, remaining, None)))
    assert text_of(found, "X-RateLimit-Remaining") == problem


@pytest.mark.parametrize(
    ("reset", "problem"),
    [
        (unix(30), None),
        (f"{unix(30)}.75", None),
        (unix(0), None),
        (unix(-2), None),
        (unix(86_400), None),
        (unix(86_402), None),
        (unix(-3), f"X-RateLimit-Reset is {unix(-3)}, 3 s in the past{END}"),
        (unix(86_403), f"X-RateLimit-Reset is {unix(86_403)}, more than a day ahead{END}"),
        (30, f"X-RateLimit-Reset is 30, which looks like seconds from now{END}"),
        (unix(30) * 1000, f"X-RateLimit-Reset is {unix(30) * 1000}, which looks like milliseconds{END}"),
        ("2026-11-21T12:00:30Z", 'X-RateLimit-Reset is "2026-11-21T12:00:30Z"; expected a Unix time in seconds'),
        ("-5", 'X-RateLimit-Reset is "-5"; expected a Unix time in seconds'),
        ("", 'X-RateLimit-Reset is ""; expected a Unix time in seconds'),
        (None, "X-RateLimit-Reset is missing"),
    ],
)
def test_reset_against_the_responses_own_date(reset: object, problem: str | None) -> None:
    found = rate_headers.problem_of_reset(exchange(headers=rates(60, 5, reset, DATE), took=0.0))
    assert text_of(found, "X-RateLimit-Reset") == problem


@pytest.mark.parametrize(
    ("reset", "hint"),
    [
        (9_999_999, "which looks like seconds from now"),
        (10_000_000, ""),
        (100_000_000_000, ""),
        (100_000_000_001, "which looks like milliseconds"),
    ],
)
def test_hints_for_a_wrong_reset(reset: int, hint: str) -> None:
    problem = rate_headers.problem_of_reset(exchange(headers=rates(60, 5, reset, DATE)))
    assert problem is not None
    wrong = hint or ("in the past" if reset < unix(0) else "more than a day ahead")
    assert problem.text.endswith(f" {wrong}{END}")


@pytest.mark.parametrize(
    ("date_s", "took", "ahead", "held"),
    [
        # Date and our clock agree: neither has more than 2 s of grace
        (0, 0.0, -3, False),
        (5, 0.0, -2, True),
        (5, 0.0, -3, False),
        (-5, 0.0, -8, False),
        (12, 7.0, -3, False),
        # they differ by more than 5 s: right by either is right
        (6, 0.0, -3, True),
        (-6, 0.0, -3, True),
        (13, 7.0, -3, True),
        (3600, 0.0, -602, True),
        (3600, 0.0, -603, False),
        (3600, 0.0, 3598, True),
        (-3600, 0.0, 87_002, True),
        (-3600, 0.0, 87_003, False),
        (-3600, 0.0, -3602, True),
        (-3600, 0.0, -3603, False),
        # a response takes its time
        (0, 7.0, 86_409, True),
        (0, 7.0, 86_410, False),
    ],
)
def test_reset_is_wrong_only_by_both_clocks(date_s: int, took: float, ahead: int, held: bool) -> None:
    date = ("Date", (NOON + timedelta(seconds=date_s)).strftime("%a, %d %b %Y %H:%M:%S GMT"))
    found = rate_headers.problem_of_reset(exchange(headers=rates(60, 5, unix(ahead), date), took=took))
    assert (found is None) == held


@pytest.mark.parametrize(
    ("date_s", "reset", "seconds"),
    [
        (None, unix(60), 60.0),
        (None, f"{unix(60)}.5", 60.5),
        (None, "soon", 0.0),
        (None, None, 0.0),
        (0, unix(60), 60.0),
        (-2, unix(60), 60.0),
        (2, unix(60), 58.0),
        (480, unix(540), 60.0),
        (-480, unix(60), 60.0),
        (-480, unix(-420), 60.0),
        (0, unix(-3), 0.0),
        (0, unix(-9), 0.0),
        (-480, unix(-4), 0.0),
        (-480, unix(-5), 475.0),
    ],
)
def test_seconds_to_reset(date_s: int | None, reset: object, seconds: float) -> None:
    date = (
        [] if date_s is None else [("Date", (NOON + timedelta(seconds=date_s)).strftime("%a, %d %b %Y %H:%M:%S GMT"))]
    )
    assert rate_headers.seconds_to_reset(exchange(headers=rates(60, 5, reset, *date))) == seconds


@pytest.mark.parametrize(("ahead", "held"), [(-602, True), (-603, False), (30, True), (87_002, True), (87_003, False)])
def test_reset_against_our_clock_has_ten_minutes_of_grace(ahead: int, held: bool) -> None:
    problem = rate_headers.problem_of_reset(exchange(headers=rates(60, 5, unix(ahead)), took=0.0))
    assert (problem is None) == held


@pytest.mark.parametrize(("reset", "to_go"), [(60, True), (9_999_999, True), (10_000_000, False)])
def test_only_a_small_reset_is_seconds_to_go(reset: int, to_go: bool) -> None:
    assert rate_headers.is_seconds_to_go(exchange(headers=rates(60, 50, reset))) is to_go


def test_without_a_date_a_past_reset_is_measured_from_the_request() -> None:
    problem = rate_headers.problem_of_reset(exchange(headers=rates(60, 5, unix(-700)), took=7.0))
    assert text_of(problem, "X-RateLimit-Reset") == f"X-RateLimit-Reset is {unix(-700)}, 700 s in the past{END}"


def test_an_unreadable_date_is_ignored() -> None:
    for text in ("yesterday", "Fri, 31 Dec 9999 23:59:59 -0100", "Mon, 01 Jan 2020 00:00:00 +9999999999999", ""):
        assert exchange(headers=[("Date", text)]).heard.date is None
        assert rate_headers.problem_of_reset(exchange(headers=rates(60, 5, unix(30), ("Date", text)))) is None


def test_a_reset_that_is_repeated_counts_once() -> None:
    assert rate_headers.problem_of_reset(exchange(headers=[*rates(60, 5, unix(30)), *rates(60, 5, unix(30))])) is None


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("0", True),
        ("30", True),
        ("86402", True),
        ("86403", False),
        ("Sun, 22 Nov 2026 12:00:02 GMT", True),
        ("Sun, 22 Nov 2026 12:00:03 GMT", False),
        ("Fri, 20 Nov 2026 12:00:00 GMT", True),
        ("Sat, 21 Nov 2026 12:00:30 GMT", True),
        ("Saturday, 21-Nov-26 12:00:30 GMT", True),
        ("Sat Nov 21 12:00:30 2026", True),
        ("Sat, 21 Nov 2026 12:00:30 UTC", False),
        ("Sat, 21 Nov 2026 13:00:30 CET", False),
        ("Sat, 21 Nov 2026 13:00:30 +0100", False),
        ("-1", False),
        ("30.5", False),
        ("30 s", False),
        ("soon", False),
        ("", False),
        ("2026-11-21T12:00:30Z", False),
    ],
)
def test_retry_after(text: str, held: bool) -> None:
    problem = rate_headers.problem_of_retry_after(exchange(status=429, headers=[("Retry-After", text)]))
    assert (problem is None) == held


def test_no_retry_after() -> None:
    found = rate_headers.problem_of_retry_after(exchange(status=429, headers=[]))
    assert text_of(found, "Retry-After") == "Retry-After is missing"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (str(unix(30)), "which looks like a Unix time"),
        (str(unix(-86_400)), "which looks like a Unix time"),
        (str(unix(86_401)), ""),
        ("90000", ""),
        (str(unix(30) * 1000), ""),
        ("Wed, 25 Nov 2026 12:00:00 GMT", ""),
    ],
)
def test_a_retry_after_of_more_than_a_day(text: str, hint: str) -> None:
    found = rate_headers.problem_of_retry_after(exchange(status=429, headers=[("Retry-After", text)]))
    wrong = hint or "more than a day"
    said = f'Retry-After is "{text}", {wrong}; expected whole seconds or an HTTP date, at most a day ahead'
    assert text_of(found, "Retry-After") == said


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        (" 30 ", 30.0),
        ("30, 30", 30.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("30.5", None),
        ("later", None),
    ],
)
def test_seconds_of_retry_after(text: str, seconds: float | None) -> None:
    assert rate_headers.retry_after(exchange(status=429, headers=[("Retry-After", text)])) == seconds
    assert rate_headers.retry_after(exchange(status=429, headers=[])) is None


def test_a_date_is_measured_by_the_clock_with_the_shorter_wait() -> None:
    date = ("Retry-After", "Sat, 21 Nov 2026 13:00:30 GMT")
    assert rate_headers.retry_after(exchange(status=429, headers=[date, DATE], sent=3600.0)) == 30.0


def test_a_retry_after_that_cannot_be_read_is_shown() -> None:
    refusal = exchange(status=429, headers=[("Retry-After", "30 s\x07")])
    said = 'Retry-After is "30 s\\u0007"; expected whole seconds or an HTTP date'
    assert text_of(rate_headers.problem_of_retry_after(refusal), "Retry-After") == said


def test_silence_has_no_headers() -> None:
    silent = exchange(status=Silence.RESET)
    assert (rate_headers.limit_of(silent), rate_headers.remaining_of(silent), silent.heard.date) == (None,) * 3
    assert text_of(rate_headers.problem_of_limit(silent), "X-RateLimit-Limit") == "X-RateLimit-Limit is missing"
    assert text_of(rate_headers.problem_of_retry_after(silent), "Retry-After") == "Retry-After is missing"
    assert not rate_headers.is_of_a_longer_quota(silent)


@pytest.mark.parametrize(
    ("headers", "more"),
    [
        ([("Retry-After", "61")], False),
        ([("Retry-After", "62")], True),
        ([("Retry-After", " 62 ")], True),
        ([DATE, ("Retry-After", "Sat, 21 Nov 2026 12:01:01 GMT")], False),
        # it is so by either clock
        ([DATE, ("Retry-After", "Sat, 21 Nov 2026 12:01:02 GMT")], True),
        ([("Retry-After", "Sat, 21 Nov 2026 13:01:01 GMT")], False),
        ([("Retry-After", "Sat, 21 Nov 2026 13:01:02 GMT")], True),
        ([("Retry-After", "soon")], False),
        ([], False),
    ],
)
def test_a_wait_of_more_than_a_minute_belongs_to_another_quota(headers: list[tuple[str, str]], more: bool) -> None:
    # our own clock is an hour ahead of the target's
    refusal = exchange(status=429, headers=headers, sent=3600.0)
    assert rate_headers.is_of_a_longer_quota(refusal) == more
