"""What fails by itself is asked again in the same form at the end of a run, so that chance shows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from petcheck.call import page_call, read_call
from petcheck.judging.creations import creations_in
from petcheck.results.causes import causes
from petcheck.spec.figures import RATE_RESET
from petcheck.spec.operations import Operation
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.trial import KEY, Trial, judge_in_place
from tools.kill_matrix import run_fault

NAME = RATE_RESET.lower().encode()


def run(broken: Callable[[int, Any], bool], *options: str, examples: str = "0", pause: float = 0) -> Trial:
    """A run against a server that leaves a header out of some responses, by their number from 1 and the request.

    The request has the number of those "under way" too. A `pause` in seconds before each answer lets bursts overlap.
    """
    app = create_app(ReferenceSettings(keys={KEY: "pro"}))
    number = under_way = 0

    async def without(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        nonlocal number, under_way
        number += scope["type"] == "http"
        under_way += 1
        if pause:
            await asyncio.sleep(pause)
        bad = scope["type"] == "http" and broken(number, {**scope, "under way": under_way})

        async def sent(message: Any) -> None:
            headers: Iterable[tuple[bytes, bytes]] = message.get("headers", ())
            kept = [(name, value) for name, value in headers if not (bad and name.lower() == NAME)]
            await send({**message, "headers": kept} if "headers" in message else message)

        try:
            await app(scope, receive, sent)
        finally:
            under_way -= 1

    with running(without) as url:
        return judge_in_place(f"{url}/v1", *options, "--examples", examples, seed=1)


@pytest.mark.parametrize(
    "writes", [(), pytest.param(("--allow-writes",), marks=pytest.mark.slow)], ids=["reading", "writing"]
)
def test_a_response_that_is_wrong_now_and_then_is_asked_again(writes: tuple[str, ...]) -> None:
    trial = run(lambda number, _: number == 11, *writes)
    assert trial.ids("fail") == {"RATE-3"}
    [row] = [one for one in trial.result.requirements if one.id == "RATE-3"]
    first = trial.exchanges[row.decisive[0]]
    again = [one for one in trial.exchanges if one.again is not None]
    assert {(one.again, one.request.url, one.request.form) for one in again} == {
        (first.index, first.request.url, first.request.form)
    }
    assert 1 <= len(again) <= 2
    assert row.frequency is not None
    assert (row.frequency.when, row.frequency.wrong, row.frequency.again_wrong) == ("now and then", 1, 0)
    assert row.reason.endswith(f", and in none of {len(again)} that were asked again.")
    [cause] = causes(trial.result, trial.exchanges)
    assert cause.summary == f"No {RATE_RESET} in {row.frequency.responses}"


def test_a_response_that_is_always_wrong_is_no_chance() -> None:
    trial = run(lambda _, scope: scope["query_string"] == b"limit=100")
    [row] = [one for one in trial.result.requirements if one.id == "RATE-3"]
    assert row.frequency is not None
    assert row.frequency.when == "always"
    assert row.frequency.again_wrong == row.frequency.again
    assert "Now and then" not in row.reason


def test_nothing_is_asked_again_if_nothing_fails() -> None:
    assert not any(one.again is not None for one in run(lambda *_: False).exchanges)


@pytest.mark.parametrize(
    "writes", [(), pytest.param(("--allow-writes",), marks=pytest.mark.slow)], ids=["reading", "writing"]
)
def test_what_fails_alone_like_in_a_burst_is_no_reason_to_repeat_the_burst(writes: tuple[str, ...]) -> None:
    trial = run(lambda _, scope: len(scope["path"]) > len("/v1/pets/100"), *writes, examples="20")
    assert trial.ids("fail") == {"RATE-3"}
    [row] = [one for one in trial.result.requirements if one.id == "RATE-3"]
    again = [one for one in trial.exchanges if one.again is not None]
    assert any(trial.exchanges[index].burst is not None for index in row.decisive)
    assert again
    assert not any(one.burst is not None for one in again)


@pytest.mark.parametrize("seed", [7, 9])
def test_what_a_post_before_it_explains_is_one_cause_that_does_not_come_by_chance(seed: int) -> None:
    trial = run_fault("keyless-body-unread", seed=seed)
    failing = [row for row in trial.result.requirements if row.outcome == "fail"]
    (cause,) = causes(trial.result, trial.exchanges)
    assert cause.rows == tuple(failing)
    assert cause.title.startswith("The server may take an unread POST body for the next request")
    assert cause.before is not None
    named = f"POST /pets with no key (#{cause.before.index}) got 401 just before"
    assert [row.id for row in failing if named not in row.reason or row.frequency is not None] == []


@pytest.mark.parametrize("seed", [7, pytest.param(8, marks=pytest.mark.slow), pytest.param(9, marks=pytest.mark.slow)])
def test_questions_leave_the_end_requests(seed: int) -> None:
    """The pages that no longer agree raise questions before the end, which reads the animals that are gone."""
    trial = run_fault("created-vanishes-after-25-requests", seed=seed)
    assert trial.ids("fail") == {"CREATE-12"}
    # the end alone asks for the page without parameters late
    assert page_call() in [one.request.call for one in trial.exchanges[-10:]]
    gone = {e.request.call for e in trial.exchanges if e.request.operation is Operation.GET_PET and e.status == 404}
    assert len(gone & {read_call(one.id) for one in creations_in(trial.exchanges)}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("after", [50, 180])
def test_a_burst_is_sent_again_if_a_request_fails_only_there_also_late_in_a_long_run(after: int) -> None:
    # one is the server's own start
    trial = run(
        lambda number, scope: number > after and scope["under way"] > 2,
        *("--allow-writes", "--max-requests", "400", "--max-wait", "300"),
        examples="100",
        pause=0.01,
    )
    assert "RATE-3" in trial.ids("fail")
    again = {one.again: one.burst for one in trial.exchanges if one.again is not None and one.burst is not None}
    assert 1 <= len(set(again.values())) <= 2
    first = [trial.exchanges[index] for index in again]
    assert all(one.burst is not None for one in first)
    assert max(one.index for one in first) >= after
