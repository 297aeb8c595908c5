"""Using up the quota: what it sends, what it waits for, and that nothing is ever sent inside a Retry-After.

The server's own log is the witness.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date

import httpx
import pytest

from petcheck.call import Credential
from petcheck.config.targets import TargetConfig, Url
from petcheck.errors import NotRun, NotSent
from petcheck.exchange import Response
from petcheck.toolkit.exhaustion import settle_with_quota_used_up
from petcheck.toolkit.target import Target
from petcheck.wire.api import Api
from petstore_reference.messages import LoggedRequest
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support import fakes
from tests.support.fakes import Sent, at_noon, bench, rates, response
from tests.support.trial import KEY, Hurried, Trial, judge, judge_in_place, server
from tools.kill_matrix import Judge

OTHER_KEY = "another-key-7e21b5c9d04f"
EXHAUSTING = ("--allow-writes", "--exhaust-rate-limit", "--examples", "0")


@contextmanager
def logged(
    *, plan: str, clock: Hurried, variations: Sequence[str] = (), faults: Sequence[str] = ()
) -> Iterator[tuple[str, list[LoggedRequest]]]:
    """A reference server and its log."""
    settings = ReferenceSettings(keys={KEY: plan, OTHER_KEY: plan}, variations=tuple(variations), faults=tuple(faults))
    app = create_app(settings, clock=clock.time)
    with running(app) as url:
        yield f"{url}/v1", app.state.log


def sent_inside_a_pause(
    log: Sequence[LoggedRequest], under_way: float = 0.0
) -> list[tuple[LoggedRequest, LoggedRequest]]:
    """Pairs of a 429 and a later request, keyed or keyless as that was, that came before its Retry-After had passed.

    Requests of a burst may be `under_way` so many seconds when another client has used up the quota.
    """
    return [
        (refusal, later)
        for place, refusal in enumerate(log)
        if refusal.status == 429 and refusal.retry_after
        for later in log[place + 1 :]
        if (later.credential == "valid") == (refusal.credential == "valid")
        and refusal.time + under_way < later.time < refusal.time + int(refusal.retry_after)
    ]


def exhausted(
    plan: str, *options: str, variations: Sequence[str] = (), by: Judge = judge_in_place
) -> tuple[Trial, list[LoggedRequest]]:
    clock = Hurried(200)
    with logged(plan=plan, clock=clock, variations=variations) as (url, log):
        trial = by(url, *EXHAUSTING, "--plan", plan, *options, clock=clock)
    return trial, log


@pytest.mark.parametrize(("plan", "figure"), [("free", 60), pytest.param("pro", 300, marks=pytest.mark.slow)])
def test_the_quota_is_used_up_once_and_served_again(plan: str, figure: int) -> None:
    trial, log = exhausted(plan)
    assert trial.ids("pass") >= {"RATE-5", "RATE-6", "RATE-7", "RATE-8", "RATE-9"}
    assert (trial.ids("fail"), trial.exit) == (set(), 0)
    assert [record.status for record in log].count(429) == 1
    assert trial.result.targets[0].rate_limited == 1
    assert sent_inside_a_pause(log) == []
    assert trial.requests <= 60 + figure + 2


def test_the_cost_is_announced_before_it_is_spent() -> None:
    trial, _ = exhausted("free", by=judge)
    announced = trial.printed.replace("target:", "reference:")
    assert re.search(r"reference: using up the quota takes about \d+ requests, then a wait of [1-9]\d* s", announced)


def test_no_wait_is_announced_where_no_reset_names_a_time() -> None:
    clock = Hurried(200)
    with logged(plan="free", clock=clock, faults=("reset-past",)) as (url, _):
        trial = judge(url, *EXHAUSTING, "--plan", "free", clock=clock)
    assert re.search(r"using up the quota takes about \d+ requests\n", trial.printed)
    assert trial.ids("fail") == {"RATE-3"}


def test_a_quota_above_the_cap_on_requests_is_not_used_up() -> None:
    trial, log = exhausted("business", "--max-requests", "200")
    assert trial.ids("not-run") >= {"RATE-6", "RATE-8", "RATE-9"}
    assert "; this run has 1" in trial.reasons["RATE-6"]
    assert len(log) <= 200


def test_a_day_s_quota_is_never_used_up() -> None:
    trial, log = exhausted("free", variations=["daily-window"])
    assert trial.reasons["RATE-6"] == "The window is a day's, and petcheck never uses up a day's quota."
    assert [record.status for record in log].count(429) == 0


def test_a_429_without_a_valid_key_says_nothing_of_the_key_s_quota() -> None:
    def answer(sent: Sent) -> Response:
        if sent.authorization == f"Bearer {fakes.KEY.secret}":
            return response(200, rates(60, 50, at_noon(60)), b"[]")
        return response(429, [("Retry-After", "1")])

    api = Api(bench(answer).transport)
    target = Target(
        TargetConfig("pets", Url("https://pets.example/v1", fakes.KEY)), api, "r", date(2026, 11, 21), seed=1
    )
    api.list_pets()
    with suppress(NotSent):
        api.list_pets(credential=Credential.MISSING)
    assert [one.status for one in target.record] == [200, 429, 429]
    with pytest.raises(NotRun, match="No request exceeded the rate limit"):
        settle_with_quota_used_up(target, "RATE-6")


def test_a_wait_that_is_too_long_is_not_started() -> None:
    trial, log = exhausted("pro", "--max-wait", "5")
    assert trial.ids("not-run") >= {"RATE-6", "RATE-8", "RATE-9"}
    assert [record.status for record in log].count(429) == 0


def test_beside_another_client_of_the_same_key_nothing_fails() -> None:
    trial, log = exhausted("free", variations=["others-spend"])
    assert (trial.ids("fail"), trial.ids("error"), trial.exit) == (set(), set(), 0)
    assert sent_inside_a_pause(log, under_way=1.0) == []


def test_two_runs_at_once_on_one_key_fail_nothing() -> None:
    """Each in its own thread and on the same clock, so that both count against the same window."""
    clock = Hurried(50)
    results: list[tuple[int, set[str]]] = []
    with logged(plan="free", clock=clock) as (url, log):

        def client() -> None:
            with httpx.Client(headers={"Authorization": f"Bearer {KEY}"}) as browser:
                for _ in range(30):
                    if browser.get(f"{url}/pets", params={"client": "other"}).status_code == 429:
                        return

        other = threading.Thread(target=client)
        other.start()
        trial = judge_in_place(url, "--allow-writes", "--plan", "free", clock=clock)
        other.join()
        results.append((trial.exit, trial.ids("fail")))
    assert results == [(0, set())]
    assert sent_inside_a_pause([one for one in log if one.query != "client=other"], under_way=1.0) == []


def test_windows_that_end_before_they_are_used_up_fail_nothing() -> None:
    """No request is over the limit, since windows end in between."""
    with server(plan="free", window=0.03) as url:
        trial = judge_in_place(
            url, "--plan", "free", "--exhaust-rate-limit", "--max-requests", "5000", "--examples", "0"
        )
    assert "RATE-6" not in trial.ids("fail")
    assert trial.reasons["RATE-6"].startswith("The quota could not be used up")
    assert trial.requests < 5 * 60
