"""Section 8: windows, plans and bans, on a clock that the tests move."""

from __future__ import annotations

import pytest

from petstore_reference.messages import Caller
from petstore_reference.quota import ANONYMOUS, QuotaCounter, QuotaRules, Usage
from petstore_reference.server import create_app
from tests.support.ground import KEY, NOON, Ask, Clock, settings, transcript

MIDNIGHT = NOON + 12 * 3600
KEYED = Caller(f"key {KEY}", "free")
RULES = QuotaRules({"free": 3, ANONYMOUS: 2}, per_day={"free": 5})


def spent(quota: QuotaCounter, times: int, caller: Caller = KEYED) -> list[Usage]:
    return [quota.spend(caller) for _ in range(times)]


def test_a_window_begins_with_its_first_request() -> None:
    clock = Clock()
    quota = QuotaCounter(QuotaRules({"free": 3}, per_day={}), clock)
    assert spent(quota, 2) == [Usage(3, 2, NOON + 60), Usage(3, 1, NOON + 60)]
    clock.now += 59.5
    assert spent(quota, 2) == [Usage(3, 0, NOON + 60), Usage(3, 0, NOON + 60, 0.5)]
    clock.now += 0.5
    assert spent(quota, 1) == [Usage(3, 2, NOON + 120)]


@pytest.mark.parametrize("seconds", [0.5, 1.0, 2.0, 60.0])
def test_a_window_of_any_length(seconds: float) -> None:
    clock = Clock()
    quota = QuotaCounter(QuotaRules({"free": 1}, per_day={}, window_seconds=seconds), clock)
    assert spent(quota, 2) == [Usage(1, 0, NOON + seconds), Usage(1, 0, NOON + seconds, seconds)]
    clock.now += seconds - 0.125
    assert spent(quota, 1) == [Usage(1, 0, NOON + seconds, 0.125)]
    clock.now += 0.125
    assert spent(quota, 1) == [Usage(1, 0, NOON + 2 * seconds)]


def test_a_moving_window() -> None:
    clock = Clock()
    quota = QuotaCounter(QuotaRules({"free": 2}, per_day={}, moving=True), clock)
    assert spent(quota, 1) == [Usage(2, 1, NOON + 60)]
    clock.now += 20
    assert spent(quota, 2) == [Usage(2, 0, NOON + 60), Usage(2, 0, NOON + 60, 40)]
    clock.now += 40
    assert spent(quota, 2) == [Usage(2, 0, NOON + 80), Usage(2, 0, NOON + 80, 20)]


def test_an_aligned_window() -> None:
    clock = Clock(NOON + 59)
    quota = QuotaCounter(QuotaRules({"free": 1}, per_day={}, aligned=True), clock)
    assert spent(quota, 2) == [Usage(1, 0, NOON + 60), Usage(1, 0, NOON + 60, 1)]
    clock.now += 1
    assert spent(quota, 1) == [Usage(1, 0, NOON + 120)]


def test_the_day_is_reported_if_it_is_nearer_to_its_end() -> None:
    clock = Clock()
    quota = QuotaCounter(RULES, clock)
    assert spent(quota, 3) == [Usage(3, 2, NOON + 60), Usage(3, 1, NOON + 60), Usage(3, 0, NOON + 60)]
    clock.now += 60
    assert spent(quota, 3) == [
        Usage(5, 1, MIDNIGHT),
        Usage(5, 0, MIDNIGHT),
        Usage(5, 0, MIDNIGHT, 12 * 3600 - 60),
    ]
    clock.now = MIDNIGHT
    assert spent(quota, 1) == [Usage(3, 2, MIDNIGHT + 60)]


def test_requests_refused_by_the_window_do_not_count_for_the_day() -> None:
    clock = Clock()
    quota = QuotaCounter(RULES, clock)
    spent(quota, 10)
    clock.now += 60
    assert spent(quota, 1) == [Usage(5, 1, MIDNIGHT)]


def test_each_caller_has_its_own_quota() -> None:
    quota = QuotaCounter(RULES, Clock())
    spent(quota, 4)
    assert quota.spend(Caller("address 127.0.0.1", ANONYMOUS)) == Usage(2, 1, NOON + 60)


def test_a_ban() -> None:
    clock = Clock()
    quota = QuotaCounter(QuotaRules({"free": 1, ANONYMOUS: 1}, per_day={}, patience=20), clock)
    spent(quota, 1)
    assert spent(quota, 20) == [Usage(1, 0, NOON + 60, 60)] * 20
    assert spent(quota, 1) == [Usage(1, 0, NOON + 300, 300)]
    clock.now += 299
    assert spent(quota, 2) == [Usage(1, 0, NOON + 300, 1)] * 2
    clock.now += 1
    assert spent(quota, 1) == [Usage(1, 0, NOON + 360)]


def test_no_ban_for_clients_that_wait() -> None:
    clock = Clock()
    quota = QuotaCounter(QuotaRules({"free": 1}, per_day={}, patience=2), clock)
    for _ in range(10):
        assert [usage.retry_after for usage in spent(quota, 2)] == [None, 60]
        clock.now += 60


def test_an_address_is_never_banned() -> None:
    quota = QuotaCounter(QuotaRules({ANONYMOUS: 1}, per_day={}, patience=2), Clock())
    address = Caller("address 127.0.0.1", ANONYMOUS)
    assert spent(quota, 9, address)[1:] == [Usage(1, 0, NOON + 60, 60)] * 8


# ---- through the application


@pytest.mark.parametrize(("plan", "limit"), [("free", "60"), ("pro", "300"), ("business", "1000"), ("enterprise", "7")])
def test_plans(plan: str, limit: str) -> None:
    app = create_app(settings(keys={KEY: plan}, custom_limit=7), clock=Clock())
    (answer,) = transcript(app, [Ask("/pets/1")], Clock())
    assert answer.header("X-RateLimit-Limit") == limit


def test_over_the_limit() -> None:
    clock = Clock(NOON + 0.25)
    app = create_app(settings(keys={KEY: "enterprise"}, custom_limit=2), clock=clock)
    *_, refused, again = transcript(app, [Ask("/pets/1"), Ask("/pets/1"), Ask("/pets/1"), 60.0, Ask("/pets/1")], clock)
    assert refused.status == 429
    assert refused.headers == (
        ("Content-Type", "application/json"),
        ("X-RateLimit-Limit", "2"),
        ("X-RateLimit-Remaining", "0"),
        ("X-RateLimit-Reset", "1795262461"),
        ("Retry-After", "60"),
        ("Date", "Sat, 21 Nov 2026 12:00:00 GMT"),
        ("Content-Length", str(len(refused.body))),
    )
    assert again.status == 200
    assert [record.retry_after for record in app.state.log] == [None, None, "60", None]


def test_nothing_is_stored_over_the_limit() -> None:
    clock = Clock()
    app = create_app(settings(keys={KEY: "enterprise"}, custom_limit=1), clock=clock)
    post = Ask("/pets", "POST", body=b'{"name":"Rex","categoryId":1}')
    answers = transcript(app, [Ask("/store/orders"), post, 60.0, Ask("/pets/131")], clock)
    assert [answer.status for answer in answers] == [200, 429, 404]


def test_requests_without_a_key_have_their_own_quota() -> None:
    clock = Clock()
    app = create_app(settings(anonymous_limit=1), clock=clock)
    asks = [Ask("/pets", authorization=None), Ask("/pets", authorization="Bearer x"), Ask("/pets/1")]
    answers = transcript(app, [*asks], clock)
    assert [(answer.status, answer.header("X-RateLimit-Limit")) for answer in answers] == [
        (401, "1"),
        (429, "1"),
        (200, "60"),
    ]


def test_an_unknown_plan() -> None:
    with pytest.raises(ValueError, match="no plan is named 'gold'; plans: free, pro, business and enterprise"):
        create_app(settings(keys={KEY: "gold"}))
