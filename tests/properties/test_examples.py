"""Property examples in whole runs: their cost, their findings, and their messages."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any

import pytest

from petcheck.call import Call, Credential, page_call
from petcheck.judging.creations import posts_in
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import LIMIT_MAX, STATUSES
from petcheck.spec.operations import Operation
from petcheck.toolkit.budget import WRITING_BUDGET
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.trial import KEY, Hurried, Trial, judge_in_place, server
from tools.kill_matrix import run_fault


@cache
def judged(
    *options: str,
    faults: tuple[str, ...] = (),
    variations: tuple[str, ...] = (),
    plan: str = "pro",
    animals: int = 130,
) -> Trial:
    clock = Hurried(100)
    with server(faults=faults, variations=variations, plan=plan, animals=animals, clock=clock) as url:
        return judge_in_place(url, "--max-wait", "600", *options, clock=clock)


DEEP = ("--allow-writes", "--examples", "60", "--seed", "8")


# ---- what they cost


@pytest.mark.parametrize(
    "fault",
    [
        *("", "name-over-255-crashes"),
        *(
            pytest.param(fault, marks=pytest.mark.slow)
            for fault in ("limit-30s-crash", "category-text-accepted", "no-code")
        ),
    ],
)
def test_by_default_examples_add_at_most_forty_requests_and_thirty_posts(fault: str) -> None:
    faults = (fault,) if fault else ()
    without = judged("--allow-writes", "--examples", "0", "--seed", "5", faults=faults)
    trial = judged("--allow-writes", "--seed", "5", faults=faults)
    assert without.examples == 0
    assert without.requests <= WRITING_BUDGET
    assert trial.requests + trial.examples <= WRITING_BUDGET + 40
    assert trial.result.targets[0].requests.post - without.result.targets[0].requests.post <= 30
    assert trial.ids("pass") >= without.ids("pass") - trial.ids("fail")


def test_an_animal_that_stays_404_costs_no_more_requests() -> None:
    trial = judged("--allow-writes", "--examples", "0", "--seed", "6", faults=("newest-not-found",))
    assert trial.requests <= WRITING_BUDGET
    assert "GET-1" in trial.ids("fail")


@pytest.mark.parametrize("seed", ["5", "6"])
def test_what_is_left_over_sends_defects_that_create_nothing(seed: str) -> None:
    trial = judged("--allow-writes", "--seed", seed)
    assert trial.requests + trial.examples == WRITING_BUDGET + 39  # one stays for a silence
    *before, widest = trial.exchanges
    assert widest.request.call == page_call(LIMIT_MAX)
    places = [place for place, exchange in enumerate(before) if exchange.request.operation.safe]
    after = before[max(places) + 1 :]
    assert after
    assert {exchange.status for exchange in after} == {400}


@pytest.mark.parametrize("seed", [pytest.param(str(seed), marks=pytest.mark.slow if seed else ()) for seed in range(8)])
@pytest.mark.parametrize("options", [(), ("--examples", "0"), ("--examples", "22", "--max-requests", "1000")])
@pytest.mark.parametrize("animals", [5, 130])
def test_the_widest_page_is_read_after_the_last_post(options: tuple[str, ...], seed: str, animals: int) -> None:
    trial = judged("--allow-writes", "--seed", seed, *options, animals=animals)
    posts = [one.finished for one in posts_in(trial.exchanges)]
    assert max(one.sent for one in trial.exchanges if one.request.call == page_call(LIMIT_MAX)) >= max(posts)
    assert trial.requests + trial.examples <= WRITING_BUDGET + 2 * (20 if not options else int(options[1]))


@pytest.mark.parametrize("options", [(), ("--examples", "0")])
def test_a_run_that_only_reads_posts_nothing(options: tuple[str, ...]) -> None:
    assert not posts_in(judged("--seed", "5", *options).exchanges)


def test_a_list_that_the_last_post_breaks_is_found_with_that_post() -> None:
    trial = judged("--allow-writes", "--seed", "5")
    last = max(posts_in(trial.exchanges), key=lambda one: one.index)
    [row] = [one for one in broken_by(last.request.body).result.requirements if one.id == "LIST-2"]
    assert row.outcome == "fail"
    assert row.reason.startswith(f"It worked until {last.request.summary} created animal ")


def broken_by(body: bytes | None) -> Trial:
    """A run against a server that accepts one body that must be refused, and lists nothing then."""
    app, broken = create_app(ReferenceSettings(keys={KEY: "pro"})), False

    async def poisoned(scope: Any, receive: Any, send: Any) -> None:
        nonlocal broken
        method = scope.get("method")
        first = await receive() if method == "POST" else None
        if first is not None and first["body"] == body:
            broken = True
            await answer(send, 201, {"id": 999, "name": "Rex", "categoryId": 1})
        elif broken and method == "GET" and scope["path"] == "/v1/pets":
            await answer(send, 500, {})
        else:
            received = iter([] if first is None else [first])

            async def again() -> Any:
                return next(received, None) or await receive()

            await app(scope, again, send)

    with running(poisoned) as url:
        return judge_in_place(f"{url}/v1", "--allow-writes", "--seed", "5")


async def answer(send: Any, status: int, body: object) -> None:
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})


def test_no_examples_leave_the_checks_as_they_were() -> None:
    trial = judged("--examples", "0")
    assert trial.examples == 0
    assert not [row.id for row in trial.result.checks if "test_properties" in row.id]
    assert "example" not in " ".join(trial.reasons.values())


def test_a_free_key_is_done_within_its_second_minute() -> None:
    trial = judged("--allow-writes", "--plan", "free", plan="free")
    assert 95 <= trial.requests + trial.examples <= 100
    assert trial.result.targets[0].rate_limited == 0
    assert trial.result.targets[0].waited_s <= 75


def test_a_read_only_run_with_a_free_key_is_done_within_its_first_minute() -> None:
    trial = judged("--plan", "free", plan="free")
    assert trial.examples > 0
    assert (trial.requests + trial.examples <= 52, trial.result.targets[0].waited_s) == (True, 0)


def test_no_request_of_a_check_is_sent_again() -> None:
    asked = [
        (entry.request.method, entry.request.url, entry.request.body)
        for entry in judged(*DEEP).exchanges
        # the end of a run asks again what came first
        if (entry.example or not entry.on_top)
        and entry.request.credential is Credential.VALID
        and "/store/" not in entry.request.url
    ]
    again = {request for request in asked if asked.count(request) > 1}
    assert {url.partition("?")[2] for _, url, _ in again} <= {
        "",
        *(f"status={status}" for status in STATUSES),
        *("limit=100", *(f"{first}&{second}" for first, second in permutations(("limit=100", "status=sold")))),
        "limit=100&status=pending",
        # beside it, at the same time, comes one with an invalid key
        *(f"limit={limit}&status={status}" for limit in (1, 20) for status in STATUSES),
    }


def test_a_cap_on_requests_holds_and_says_so() -> None:
    trial = judged("--allow-writes", "--max-requests", "70")
    assert trial.requests + trial.examples == 70
    assert trial.exit == 0


# ---- what they find


def test_a_failing_example_is_shown_in_its_simplest_form() -> None:
    trial = run_fault("limit-over-70-crashes-for-sold", "--choose", "LIST-6", "--choose", "ERROR-5")
    assert trial.ids("fail") == {"LIST-6", "ERROR-5"}
    reason = trial.reasons["LIST-6"]
    assert reason.startswith("GET /pets?limit=7")
    assert "&status=sold" in reason
    assert ": expected 200 (section 4.1), got 500 Internal Server Error" in reason


@pytest.mark.slow
def test_two_parameters_are_not_blamed_for_one() -> None:
    trial = run_fault("limit-55-to-64-refused")
    assert trial.ids("fail") == {"LIST-2"}


def test_a_taken_name_is_told_with_the_animal_that_has_it() -> None:
    trial = run_fault("name-taken-409", by_default=True)
    assert trial.ids("fail") == {"CREATE-1"}
    assert "got 409 Conflict" in trial.reasons["CREATE-1"]
    assert re.search(r" Animal [0-9]+ has had that name before\.", trial.reasons["CREATE-1"])
    row = next(row for row in trial.result.requirements if row.id == "CREATE-1")
    names = Counter(json.loads(trial.exchanges[index].request.body or b"")["name"] for index in row.decisive)
    assert len(names) < names.total()  # the animal that has it is shown


def test_refused_names_fail_nothing() -> None:
    trial = judged("--allow-writes", "--examples", "60", variations=("strict-names-ascii", "strict-categories"))
    assert (trial.ids("fail"), trial.ids("error"), trial.exit) == (set(), set(), 0)


def test_sequences_run_only_in_deep_runs() -> None:
    usual, deep = judged("--allow-writes", "--seed", "5"), judged(*DEEP)
    told = [[row.dropped for row in run.result.checks if "test_any_sequence" in row.id] for run in (usual, deep)]
    assert told == [[], [""]]


def test_an_inconsistent_sequence_fails() -> None:
    chosen = ("--choose", "CREATE-12", "--choose", "CREATE-13")
    trial = judged(*chosen, "--allow-writes", "--examples", "100", "--seed", "3", faults=("sharp-s-stored-otherwise",))
    reason = trial.reasons["CREATE-12"]
    assert "character 72 is U+0073 instead of U+00DF" in reason
    assert trial.ids("fail") <= {"CREATE-12", "CREATE-13"}
    assert trial.ids("fail")


# ---- the same again, and no more than is needed


def test_a_seed_repeats_a_run() -> None:
    one = ("--allow-writes", "--seed", "8", "--connections", "1")
    runs = [judged.__wrapped__(*one), judged.__wrapped__(*one)]
    sent = [[(row.id, row.outcome, row.exchanges) for row in run.result.requirements] for run in runs]
    assert sent[0] == sent[1]
    names = [[animal.name for animal in run.result.targets[0].created] for run in runs]
    assert names[0] == names[1]
    assert runs[0].result.run.seed == 8


def requests(run: Trial) -> Counter[Call]:
    """What a run sent, in no order and without ids: the server numbers what comes at the same time."""
    calls = [one.request.call for one in run.exchanges]
    return Counter(replace(call, pet_id="some id" if call.operation is Operation.GET_PET else None) for call in calls)


@pytest.mark.slow
def test_a_seed_repeats_a_run_with_requests_at_the_same_time() -> None:
    """Which of them prove something may differ: a page may show an animal that was created beside it."""
    runs = [judged(*DEEP), judged.__wrapped__(*DEEP)]
    verdicts = [[(row.id, row.outcome) for row in one.result.requirements] for one in runs]
    assert verdicts[0] == verdicts[1]
    assert requests(runs[0]) == requests(runs[1])
    names = [sorted(animal.name for animal in run.result.targets[0].created) for run in runs]
    assert names[0] == names[1]


@pytest.mark.slow
def test_a_long_run_records_all() -> None:
    trial = judged("--examples", "345", "--plan", "pro", "--max-requests", "5000")
    count = trial.result.targets[0].requests
    assert 525 <= count.total <= 540
    assert [exchange.index for exchange in trial.exchanges] == list(range(count.total))


@pytest.mark.slow
def test_failures_of_a_long_run_stay_in_the_record() -> None:
    trial = judged("--examples", "250", "--seed", "4", "--max-requests", "5000", faults=("limit-3-to-8-empty-status",))
    assert trial.ids("fail") == {"PET-4"}
    row = next(row for row in trial.result.requirements if row.id == "PET-4")
    assert row.decisive


def test_every_requirement_of_the_examples_is_in_the_catalogue() -> None:
    trial = judged(*DEEP)
    judged_by_examples = {
        name for row in trial.result.checks if "test_properties" in row.id for name in row.requirements
    }
    assert judged_by_examples <= {entry.id for entry in catalogue().judged}
    assert judged_by_examples >= {"LIST-2", "LIST-6", "GET-3", "CREATE-1", "CREATE-12", "ORDERS-1"}
