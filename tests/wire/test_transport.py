"""The transport: permission, budget, waiting, repeating, recording."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

import pytest

from petcheck.call import Call, Credential, Form, page_call
from petcheck.errors import (
    BudgetSpent,
    ConnectionLost,
    NotPermitted,
    NotSent,
    OperationSilent,
    TargetDown,
)
from petcheck.exchange import NoAnswer, Response, Silence
from petcheck.spec.operations import Operation
from petcheck.wire.api import Api
from petcheck.wire.client import BODY_CAP, KEPT_OF_MORE, RECORD_CAP
from petcheck.wire.credentials import ApiKey
from petcheck.wire.purpose import Purpose
from petcheck.wire.sender import UNDECODED
from petcheck.wire.tally import RequestTally, Unplanned
from petcheck.wire.throttle import Limits
from tests.support.fakes import KEY, NOON, Sent, at_noon, bench, http_date, in_turn, rates, response

LIST = Call(Operation.LIST_PETS)
POST = Call(Operation.CREATE_PET, body=b"{}")
OK = response()
TIMEOUT = NoAnswer(Silence.TIMEOUT, "nothing was received")


def limited(*headers: tuple[str, str]) -> Response:
    return response(429, headers, b"")


# ---- permitted


@pytest.mark.parametrize("credential", Credential)
def test_no_post_is_sent_without_writes_with_any_credential(credential: Credential) -> None:
    rig = bench(in_turn(OK))
    with pytest.raises(NotPermitted) as refusal:
        rig.transport.send(Call(Operation.CREATE_PET, credential, body=b"{}"))
    assert refusal.value.settled_by == "--allow-writes"
    assert rig.client.sent == []
    assert rig.transport.recorded == []


def test_no_post_is_sent_without_writes_when_the_quota_is_used_up() -> None:
    rig = bench(in_turn(OK))
    with pytest.raises(NotPermitted):
        rig.transport.send_once(POST, may_exhaust=True)
    assert rig.client.sent == []


@pytest.fixture
def delete() -> Call:
    """A call of an operation that a later version of the document could have."""
    operation = object.__new__(Operation)
    operation._name_, operation._value_ = "DELETE_PET", "deletePet"
    operation.method, operation.path, operation.section, operation.safe = "DELETE", "/pets/{petId}", "4.5", False
    return Call(operation, pet_id="7")


def test_another_operation_that_is_not_safe_needs_writes_too(delete: Call) -> None:
    rig = bench(in_turn(OK))
    for send in (rig.transport.send, rig.transport.send_once, Api(rig.transport).call):
        with pytest.raises(NotPermitted, match="DELETE requests were not allowed"):
            send(delete)
    assert rig.client.sent == []


def test_another_operation_that_is_not_safe_gets_its_own_connection_and_is_no_probe(delete: Call) -> None:
    rig = bench(in_turn(response(204), TIMEOUT), writes=True, takes=10.0)
    rig.transport.send(delete)
    with pytest.raises(TargetDown):
        rig.transport.send(LIST)
    assert [(sent.method, sent.new_connection) for sent in rig.client.sent[:2]] == [("DELETE", True), ("GET", False)]
    assert "DELETE" not in [sent.method for sent in rig.client.sent[2:]]


def test_with_writes_a_post_is_sent() -> None:
    rig = bench(in_turn(response(201)), writes=True)
    rig.transport.send(POST)
    (sent,) = rig.client.sent
    assert (sent.method, sent.path, sent.body, sent.new_connection) == ("POST", "/pets", b"{}", True)


def test_only_documented_calls_exist() -> None:
    rig = bench(in_turn(OK), writes=True)
    api = Api(rig.transport)
    api.list_pets()
    api.list_pets(limit=7, status="sold & more")
    api.get_pet("../a b?c#d")
    api.store_orders()
    api.create_pet({"name": "Zoë"})
    api.create_pet(b"")
    api.create_pet(None)
    assert [(sent.method, sent.path, sent.body) for sent in rig.client.sent] == [
        ("GET", "/pets", None),
        ("GET", "/pets?limit=7&status=sold%20%26%20more", None),
        ("GET", "/pets/..%2Fa%20b%3Fc%23d", None),
        ("GET", "/store/orders", None),
        ("POST", "/pets", '{"name": "Zoë"}'.encode()),
        ("POST", "/pets", b""),
        ("POST", "/pets", None),
    ]
    rig.transport.send(Call(Operation.CREATE_PET, body=b"{}", form=Form.AS_TEXT))
    types = [dict(sent.headers).get("Content-Type") for sent in rig.client.sent]
    assert types == [*[None] * 4, *["application/json"] * 2, None, "text/plain"]


# ---- affordable


def test_the_cap_on_requests_is_strict() -> None:
    rig = bench(in_turn(OK), max_requests=2)
    rig.transport.send(LIST)
    rig.transport.send(LIST)
    for send in (rig.transport.send, rig.transport.send_once):
        with pytest.raises(BudgetSpent) as refusal:
            send(LIST)
        assert refusal.value.reason == "the run has reached its limit of 2 requests"
        assert refusal.value.settled_by == "--max-requests"
    assert len(rig.client.sent) == 2


def test_repeats_count_against_the_cap_too() -> None:
    rig = bench(in_turn(response(503)), max_requests=3)
    rig.transport.send(LIST)
    with pytest.raises(BudgetSpent):
        rig.transport.send(LIST)
    assert len(rig.client.sent) == 3


# ---- paced


def test_after_an_unexpected_429_the_request_waits_exactly_and_is_repeated() -> None:
    rig = bench(in_turn(limited(("Retry-After", "37")), OK))
    assert rig.transport.send(LIST).index == 1
    assert rig.clock.slept == [37.0]
    assert rig.statuses == [429, 200]
    assert [(target, left) for target, left, _ in rig.waits] == [("staging", 37.0 - passed) for passed in range(37)]


def test_a_date_in_retry_after_is_waited_for() -> None:
    rig = bench(in_turn(limited(("Retry-After", http_date(12)), ("Date", http_date(0))), OK))
    rig.transport.send(LIST)
    assert rig.clock.slept == [12.0]


def test_a_second_429_in_a_row_is_enough_and_doubles_the_wait() -> None:
    rig = bench(in_turn(*[limited(("Retry-After", "10"))] * 2, OK))
    with pytest.raises(NotSent, match="429 again") as obstacle:
        rig.transport.send(LIST)
    assert obstacle.value.reason == "GET /pets returned 429 again after its Retry-After had passed"
    assert rig.clock.slept == [10.0]
    rig.transport.send(LIST)
    assert rig.clock.slept == [10.0, 20.0]
    assert rig.transport.tally.repeats == {Unplanned.RATE_LIMIT: 1}


@pytest.mark.parametrize("refused", [Credential.VALID, Credential.MISSING])
def test_nothing_is_sent_inside_a_retry_after_with_any_key(refused: Credential) -> None:
    rig = bench(in_turn(*[limited(("Retry-After", "10"))] * 2, OK))
    with pytest.raises(NotSent, match="429 again"):
        rig.transport.send(Call(Operation.LIST_PETS, refused))
    rig.transport.send(Call(Operation.LIST_PETS, Credential.RANDOM))
    rig.transport.send(LIST)
    assert [sent.at for sent in rig.client.sent] == [0.0, 10.0, 30.0, 30.0]


def test_a_target_obeys_what_the_server_has_told_another_one_with_the_same_key() -> None:
    rig = bench(in_turn(OK, *[limited(("Retry-After", "10"))] * 2, OK))
    rig.transport.send(LIST)
    with pytest.raises(NotSent, match="429 again"):
        rig.transport.send(LIST)
    there = rig.transport
    other = replace(there, target="production", recorded=[], tally=RequestTally())
    other.send(LIST)
    alone = replace(there, target="alone", recorded=[], tally=RequestTally(), limits=Limits())
    alone.send(LIST)
    # the second 429 doubles the wait
    assert [sent.at for sent in rig.client.sent] == [0.0, 0.0, 10.0, 30.0, 30.0]
    assert [(name, seconds) for name, seconds, _ in rig.waits][-1] == ("production", 1.0)


def test_no_probe_is_sent_inside_a_retry_after() -> None:
    rig = bench(in_turn(OK, TIMEOUT, limited(("Retry-After", "10")), OK))
    rig.transport.send(LIST)
    rig.transport.send(LIST)
    assert [sent.at for sent in rig.client.sent] == [0.0, 0.0, 0.0, 10.0]


def test_the_total_wait_for_429s_has_a_cap() -> None:
    refusals = itertools.cycle([limited(), OK, OK, OK])
    rig = bench(lambda sent: next(refusals), max_wait=12.0)
    reasons = set()
    for _ in range(30):
        try:
            rig.transport.send(LIST)
        except NotSent as obstacle:
            reasons.add((obstacle.reason, obstacle.settled_by))
    ((reason, settled_by),) = reasons
    assert "got repeated 429s: this run has waited 1" in reason
    assert settled_by == "--max-wait"
    assert sum(rig.clock.slept) <= 12.0


def test_after_the_second_early_429_the_run_stays_below_the_pace_that_was_served() -> None:
    tokens = [5.0, 0.0]  # a gateway that serves one request a second, five of them at once

    def gateway(sent: Sent) -> Response:
        tokens[:] = [min(5.0, tokens[0] + sent.at - tokens[1]), sent.at]
        if tokens[0] < 1:
            return limited()
        tokens[0] -= 1
        return OK

    rig = bench(gateway)
    for _ in range(60):
        assert rig.transport.send(LIST).status == 200
    assert rig.statuses.count(429) == 2
    assert sum(rig.clock.slept) < 70


def test_429s_without_requests_left_do_not_slow_the_run() -> None:
    answers = itertools.cycle([limited(("Retry-After", "2"), *rates(60, 0, at_noon(9e3))), OK])
    rig = bench(lambda sent: next(answers))
    for _ in range(5):
        rig.transport.send(LIST)
    assert rig.clock.slept == [2.0] * 5


def test_repeats_after_429s_are_limited() -> None:
    answers = itertools.cycle([limited(("Retry-After", "0")), OK])
    rig = bench(lambda sent: next(answers))
    for _ in range(20):
        rig.transport.send(LIST)
    with pytest.raises(NotSent) as obstacle:
        rig.transport.send(LIST)
    assert obstacle.value.reason == (
        "GET /pets gave no usable answer; after 20 requests repeated after a 429, the run repeats no more"
    )


def test_a_remaining_that_rises_costs_at_most_a_minute() -> None:
    used = itertools.count(1)

    def backwards(sent: Sent) -> Response:
        return response(headers=rates(60, next(used) % 60, at_noon((sent.at // 60 + 1) * 60)))

    rig = bench(backwards)
    for _ in range(100):
        rig.transport.send(LIST)
    assert sum(rig.clock.slept) <= 60.0


def test_an_hour_is_too_long_and_nothing_is_sent() -> None:
    rig = bench(in_turn(limited(("Retry-After", "3600"))))
    for _ in range(3):
        with pytest.raises(NotSent) as obstacle:
            rig.transport.send(LIST)
    assert obstacle.value.settled_by == "--max-wait"
    assert " in 60 min" in obstacle.value.reason
    assert len(rig.client.sent) == 1
    assert rig.clock.slept == []


def test_a_window_that_is_used_up_is_waited_for_before_the_next_request() -> None:
    rig = bench(in_turn(response(headers=rates(60, 3, at_noon(20))), OK), takes=0.5)
    rig.transport.send(LIST)
    rig.transport.send(LIST)
    assert rig.clock.slept == [19.5]
    assert rig.client.sent[1].at == 20.0


def test_requests_without_the_key_have_their_own_bucket() -> None:
    def server(sent: Sent) -> Response:
        return response(headers=rates(60, 3, at_noon(20))) if sent.authorization else response(401)

    rig = bench(server)
    rig.transport.send(LIST)
    rig.transport.send(Call(Operation.LIST_PETS, Credential.MISSING))
    assert rig.clock.slept == []
    rig.transport.send(LIST)
    assert rig.clock.slept == [20.0]


def test_one_quota_for_both_is_noticed() -> None:
    left = iter(range(10, 0, -1))
    rig = bench(lambda sent: response(headers=rates(60, next(left), at_noon(20))))
    rig.transport.send(LIST)
    for _ in range(7):
        rig.transport.send(Call(Operation.LIST_PETS, Credential.MISSING))
    assert rig.clock.slept == []
    rig.transport.send(Call(Operation.LIST_PETS, Credential.RANDOM))
    assert rig.clock.slept == [20.0]


def test_using_up_the_quota_waits_only_for_a_retry_after() -> None:
    used_up = response(headers=rates(60, 0, at_noon(50)))
    rig = bench(in_turn(used_up, limited(("Retry-After", "9"), *rates(60, 0, at_noon(50))), used_up))
    assert [rig.transport.send_once(LIST, may_exhaust=True).index for _ in range(3)] == [0, 1, 2]
    assert rig.statuses == [200, 429, 200]
    assert rig.clock.slept == [9.0]


def test_any_answer_counts_to_a_call_that_is_sent_once() -> None:
    silent = NoAnswer(Silence.TIMEOUT, "nothing was received")
    rig = bench(in_turn(response(503), silent), writes=True)
    assert [rig.transport.send_once(POST).status for _ in range(2)] == [503, None]
    assert len(rig.transport.recorded) == 2


def test_the_longest_retry_after_of_several_gateways_is_obeyed() -> None:
    answers = [response(503, [("Retry-After", pause)]) for pause in ("30", "1")]
    rig = bench(in_turn(*answers, response()))
    for _ in range(3):
        rig.transport.send_once(LIST)
    assert rig.clock.passed >= 30


def test_expected_waits_do_not_count_against_the_cap() -> None:
    rig = bench(in_turn(limited(("Retry-After", "60"))), max_wait=250.0)
    for _ in range(2):
        rig.transport.send_once(LIST, may_exhaust=True)
    rig.transport.time.sleep(120.0)
    with pytest.raises(NotSent, match="429 again"):
        rig.transport.send(LIST)
    assert rig.clock.slept == [60.0, 120.0, 240.0]


# ---- repeated


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_error_is_repeated_once(status: int) -> None:
    rig = bench(in_turn(response(status), OK))
    answer = rig.transport.send(LIST).answer
    assert isinstance(answer, Response)
    assert answer.status == 200
    assert rig.clock.slept == [1.0]


def test_a_repeated_gateway_error_is_the_answer() -> None:
    rig = bench(in_turn(response(503, [("Retry-After", "4")]), response(502), OK))
    answer = rig.transport.send(LIST).answer
    assert isinstance(answer, Response)
    assert answer.status == 502
    assert rig.clock.slept == [4.0]
    assert len(rig.client.sent) == 2


def test_a_persistent_gateway_error_is_tried_twice_with_one_wait() -> None:
    rig = bench(in_turn(*[response(503)] * 6, OK, response(503), OK))
    assert [rig.transport.send(LIST).status for _ in range(5)] == [503, 503, 503, 200, 200]
    assert rig.clock.slept == [1.0, 1.0]
    assert len(rig.client.sent) == 9


def test_the_retry_after_of_a_gateway_error_applies_to_every_call() -> None:
    busy = response(503, [("Retry-After", "9")])
    rig = bench(in_turn(busy, busy, OK), writes=True)
    for call in (LIST, POST, Call(Operation.LIST_PETS, Credential.MISSING)):
        rig.transport.send(call)
    assert rig.statuses == [503, 503, 200, 200]
    assert [sent.at for sent in rig.client.sent] == [0.0, 9.0, 18.0, 18.0]
    assert rig.waits[0] == ("staging", 9.0, "got 503 with Retry-After; resuming")


def test_using_up_the_quota_waits_for_a_gateway_error_too() -> None:
    rig = bench(in_turn(response(503, [("Retry-After", "9")]), OK))
    rig.transport.send_once(LIST, may_exhaust=True)
    rig.transport.send_once(LIST, may_exhaust=True)
    assert [sent.at for sent in rig.client.sent] == [0.0, 9.0]


def test_a_gateway_error_for_an_hour_is_tried_once() -> None:
    rig = bench(in_turn(response(503, [("Retry-After", "3600")])))
    for _ in range(3):
        with pytest.raises(NotSent) as obstacle:
            rig.transport.send(LIST)
    assert obstacle.value.settled_by == "--max-wait"
    assert " in 60 min, but this run waits at most 2 min" in obstacle.value.reason
    assert len(rig.client.sent) == 1
    assert rig.clock.slept == []


def test_permanent_gateway_errors_cause_at_most_the_allowed_wait() -> None:
    rig = bench(in_turn(response(503, [("Retry-After", "50")])))
    assert rig.transport.send(LIST).status == 503
    for _ in range(20):
        with pytest.raises(NotSent, match="got repeated 503s: this run has waited 100 s"):
            rig.transport.send(LIST)
    assert rig.clock.slept == [50.0, 50.0]
    assert len(rig.client.sent) == 3


def test_requests_after_a_gateways_trouble_cost_nothing() -> None:
    rig = bench(in_turn(response(502), OK, response(503), OK, response(502), OK, response(502), response(502), OK))
    for _ in range(5):
        rig.transport.send(LIST)
    assert rig.transport.tally.spent == 5
    assert rig.transport.tally.repeats == {Unplanned.GATEWAY: 4}


def test_one_of_two_backends_down_costs_at_most_ten_pauses() -> None:
    answers = itertools.cycle([response(502), OK])
    rig = bench(lambda sent: next(answers))
    for _ in range(77):
        assert rig.transport.send(LIST).status == 200
    assert rig.clock.slept == [1.0] * 10


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 500, 501, 505])
def test_other_answers_are_accepted_unchanged(status: int) -> None:
    rig = bench(in_turn(response(status, [("Location", "https://elsewhere.example/")]), OK))
    rig.transport.send(LIST)
    assert rig.statuses == [status]


@pytest.mark.parametrize("kind", Silence)
def test_silence_is_retried_on_a_new_connection_after_a_successful_probe(kind: Silence) -> None:
    rig = bench(in_turn(NoAnswer(kind, "x"), OK))
    rig.transport.send(LIST)
    assert rig.statuses == [kind.value, 200, 200]
    assert [(sent.path, sent.new_connection) for sent in rig.client.sent] == [
        ("/pets", False),
        ("/store/orders", True),
        ("/pets", True),
    ]
    assert rig.transport.tally.repeats == {Unplanned.PROBE: 1, Unplanned.SILENCE: 1}
    assert rig.transport.tally.spent == 3


# ---- lost on a kept connection


def losing(answer: Response | NoAnswer, losses: int = 1000) -> Callable[[Sent], Response | NoAnswer]:
    """A client whose kept connections are closed that many times; new ones get `answer`."""
    left = [losses]

    def handler(sent: Sent) -> Response | NoAnswer:
        if not sent.new_connection and left[0]:
            left[0] -= 1
            raise ConnectionLost("closed")
        return answer

    return handler


def test_a_request_lost_on_a_kept_connection_is_neither_a_try_nor_an_exchange() -> None:
    rig = bench(losing(NoAnswer(Silence.RESET, "x"), losses=1))
    rig.transport._answered[Operation.STORE_ORDERS] = Call(Operation.STORE_ORDERS)
    rig.client.handler = lambda sent, lost=rig.client.handler: OK if "orders" in sent.path else lost(sent)  # type: ignore[misc]
    rig.transport.send(LIST)
    assert rig.statuses == ["reset", 200, "reset"]
    assert [(sent.path, sent.new_connection) for sent in rig.client.sent] == [
        ("/pets", False),
        ("/pets", True),
        ("/store/orders", True),
        ("/pets", True),
    ]
    assert (rig.transport.tally.lost, rig.transport.tally.sent) == (1, 3)


def test_what_is_sent_in_a_block_has_its_purpose_and_an_error_ends_both() -> None:
    rig = bench(in_turn(OK))
    with suppress(ValueError), rig.transport.serving(section="8", on_top=True):
        with rig.transport.serving(again=0):
            rig.transport.send(LIST)
        raise ValueError
    rig.transport.send(LIST)
    found = [(one.section, one.on_top, one.again) for one in rig.transport.recorded]
    assert found == [("8", True, 0), ("", False, None)]


def interrupted(sent: Sent) -> NoReturn:
    raise KeyboardInterrupt


STOPPED = NoAnswer(Silence.INTERRUPTED, "petcheck stopped before the server answered")


def test_a_post_that_is_interrupted_is_on_record() -> None:
    rig = bench(interrupted, writes=True)
    rig.transport.purpose = Purpose("4.2", again=5)
    with pytest.raises(KeyboardInterrupt):
        rig.transport.send(POST)
    (one,) = rig.transport.recorded
    assert (one.answer, one.request.body, one.index, one.section, one.again) == (STOPPED, POST.body, 0, "4.2", 5)
    assert rig.transport.tally.sent == 1


@pytest.mark.parametrize("calls", [[LIST], [LIST, LIST]], ids=["alone", "in a burst"])
def test_a_get_that_is_interrupted_leaves_nothing(calls: list[Call]) -> None:
    rig = bench(interrupted, writes=True, connections=2)
    with pytest.raises(KeyboardInterrupt):
        rig.transport.send_together(calls)
    assert rig.transport.recorded == []


def test_a_burst_with_a_post_that_is_interrupted_is_on_record_as_a_whole() -> None:
    rig = bench(interrupted, writes=True, connections=3)
    rig.transport.purpose = Purpose("4.1")
    with pytest.raises(KeyboardInterrupt):
        rig.transport.send_together([LIST, POST, LIST])
    found = rig.transport.recorded
    assert [(one.index, one.burst, one.section) for one in found] == [(0, 1, "4.1"), (1, 1, "4.2"), (2, 1, "4.1")]
    assert {one.answer for one in found} == {STOPPED}


def test_lost_requests_are_reported_and_count_against_the_cap() -> None:
    rig = bench(losing(OK), max_requests=5)
    rig.transport.send(LIST)
    assert rig.transport.tally.lost == 1
    rig.transport.send(LIST)
    with pytest.raises(BudgetSpent):
        rig.transport.send(LIST)
    assert len(rig.client.sent) == 5
    assert rig.statuses == [200, 200]


def test_a_server_that_keeps_no_connection_gets_a_new_one_for_each_request() -> None:
    rig = bench(losing(OK))
    for _ in range(6):
        rig.transport.send(LIST)
    assert [sent.new_connection for sent in rig.client.sent] == [False, True] * 3 + [True] * 3
    assert rig.transport.tally.lost == 3


@pytest.mark.parametrize(
    ("before", "idle", "new_connection"),
    [
        (OK, 0.0, False),
        (response(400), 0.4, False),
        (OK, 0.6, True),
        (response(500), 0.0, True),
        (response(200, whole=False), 0.0, True),
    ],
)
def test_a_post_uses_a_connection_that_has_just_answered(before: Response, idle: float, new_connection: bool) -> None:
    rig = bench(in_turn(before, response(201)), writes=True)
    rig.transport.send(LIST)
    rig.transport.wait(idle, "a pause")
    rig.transport.send(POST)
    assert rig.client.sent[-1].new_connection is new_connection


def test_a_post_uses_no_kept_connection_once_one_was_lost() -> None:
    rig = bench(losing(OK, losses=1), writes=True)
    rig.transport.send(LIST)
    assert rig.transport.tally.lost == 1
    rig.transport.send(POST)
    rig.transport.send(POST)
    assert [sent.new_connection for sent in rig.client.sent if sent.method == "POST"] == [True, True]


def test_a_lost_post_is_sent_again_on_a_new_connection() -> None:
    rig = bench(lambda sent: OK, writes=True)
    rig.transport.send(LIST)
    rig.client.handler = losing(response(201), losses=1)
    assert rig.transport.send(POST).resent
    assert [sent.new_connection for sent in rig.client.sent] == [False, False, True]
    assert rig.transport.tally.sent == 2


# ---- alive


def test_a_target_that_hangs_from_the_start_costs_two_deadlines() -> None:
    rig = bench(in_turn(TIMEOUT), takes=10.0)
    with pytest.raises(TargetDown) as obstacle:
        rig.transport.send(LIST)
    assert obstacle.value.reason == (
        "the target has stopped answering: GET /pets got no answer (timeout: nothing was received), "
        "nor did any other request"
    )
    for call in (LIST, Call(Operation.GET_PET, pet_id="1"), Call(Operation.STORE_ORDERS)):
        with pytest.raises(TargetDown):
            rig.transport.send(call)
    with pytest.raises(TargetDown):
        rig.transport.send_once(LIST, may_exhaust=True)
    assert rig.transport.down
    assert [sent.path for sent in rig.client.sent] == ["/pets", "/store/orders"]


def restarting(begins: float, ends: float, silence: NoAnswer) -> Callable[[Sent], Response | NoAnswer]:
    return lambda sent: silence if begins <= sent.at < ends else OK


def test_a_first_answer_that_was_cut_short_is_from_a_target_that_lives() -> None:
    rig = bench(restarting(0.0, 4.0, NoAnswer(Silence.CUT_SHORT, "status 200")), takes=0.01)
    assert rig.transport.send(LIST).answer == OK


@pytest.mark.parametrize("kind", [Silence.UNREACHABLE, Silence.RESET])
def test_a_target_that_is_starting_is_waited_for(kind: Silence) -> None:
    rig = bench(restarting(0.0, 2.0, NoAnswer(kind, "refused")), takes=0.01)
    assert rig.transport.send(LIST).answer == OK


@pytest.mark.parametrize("kind", [Silence.UNREACHABLE, Silence.RESET])
def test_a_target_that_does_not_start_is_soon_given_up(kind: Silence) -> None:
    rig = bench(in_turn(NoAnswer(kind, "refused")))
    with pytest.raises(TargetDown):
        rig.transport.send(LIST)
    assert rig.clock.passed == 3.0
    assert len(rig.client.sent) == 5


@pytest.mark.parametrize("kind", [Silence.UNREACHABLE, Silence.RESET])
@pytest.mark.parametrize("lasts", [0.3, 1.0, 5.0, 9.0])
def test_a_restart_is_neither_down_nor_a_failure(kind: Silence, lasts: float) -> None:
    rig = bench(restarting(0.05, 0.05 + lasts, NoAnswer(kind, "refused")), writes=True, takes=0.1)
    for call in (LIST, POST, Call(Operation.STORE_ORDERS), POST, LIST):
        assert rig.transport.send(call).answer == OK
    assert not rig.transport.down


def test_a_target_that_dies_is_down_after_ten_seconds_and_few_requests() -> None:
    rig = bench(restarting(0.05, math.inf, NoAnswer(Silence.RESET, "closed")), writes=True, takes=0.1)
    rig.transport.send(Call(Operation.LIST_PETS, query=(("limit", "1"),)))
    body = b'{"name": "' + b"x" * 200 + b'\x00"}'
    with pytest.raises(TargetDown) as obstacle:
        rig.transport.send(Call(Operation.CREATE_PET, body=body))
    assert obstacle.value.reason == (
        'the target has stopped answering: POST /pets with the body {"name": "xxx…(200 times)\\x00"} got no answer '
        "(reset: closed), nor did any other request for 10 s"
    )
    assert rig.clock.passed < 12.0
    assert len(rig.client.sent) <= 8
    assert {sent.path for sent in rig.client.sent[2:]} == {"/pets?limit=1", "/store/orders"}
    assert {(sent.method, sent.new_connection) for sent in rig.client.sent[2:]} == {("GET", True)}


def test_a_target_that_hangs_in_the_middle_costs_a_few_deadlines() -> None:
    rig = bench(restarting(5.0, math.inf, TIMEOUT), takes=10.0)
    rig.transport.send(LIST)
    with pytest.raises(TargetDown):
        rig.transport.send(LIST)
    assert len(rig.client.sent) == 4


def test_a_server_that_drops_each_malformed_body_is_still_tested() -> None:
    rig = bench(
        lambda sent: NoAnswer(Silence.RESET, "closed") if sent.body and b"{" not in sent.body else OK, writes=True
    )
    rig.transport.send(LIST)
    for number in range(12):
        answer = rig.transport.send(Call(Operation.CREATE_PET, body=b"%d" % number)).answer
        assert isinstance(answer, NoAnswer)
    assert rig.transport.send(Call(Operation.CREATE_PET, body=b'{"name": "x", "categoryId": 1}')).answer == OK
    assert rig.clock.slept == []
    assert rig.transport.tally.repeats == {Unplanned.SILENCE: 12, Unplanned.PROBE: 12}


@pytest.mark.parametrize(("writes", "most"), [(True, 18), (False, 11)])
def test_retries_after_silence_are_limited(*, writes: bool, most: int) -> None:
    rig = bench(lambda sent: NoAnswer(Silence.RESET, "closed") if "limit" in sent.url else OK, writes=writes)
    for number in range(most):
        rig.transport.send(page_call(number + 1))
    with pytest.raises(OperationSilent) as obstacle:
        rig.transport.send(page_call(most + 1))
    assert obstacle.value.reason == (
        f"GET /pets did not answer; after {2 * most} requests beside its plan, the run repeats no more"
    )


def test_lost_requests_and_probes_leave_fewer_repeats() -> None:
    rig = bench(lambda sent: NoAnswer(Silence.RESET, "closed") if "limit" in sent.url else OK, writes=True)
    rig.transport.tally.lost = 3
    rig.transport.tally.repeats[Unplanned.EXCESS] = 5
    for number in range(14):
        rig.transport.send(page_call(number + 1))
    with pytest.raises(OperationSilent):
        rig.transport.send(page_call(15))
    assert rig.transport.tally.added == 36


def test_a_run_sends_no_more_than_its_own_most_but_for_what_is_on_top_or_refused() -> None:
    answers = itertools.chain([limited(("Retry-After", "0"))], itertools.repeat(OK))
    rig = bench(lambda sent: next(answers))
    rig.transport.permissions = replace(rig.transport.permissions, most=3)
    rig.transport.tally.lost = 1
    rig.transport.send(LIST)
    with rig.transport.tally.beside_the_plan():
        rig.transport.send(LIST)
        rig.transport.send(LIST)
    rig.transport.send(LIST)
    with pytest.raises(BudgetSpent, match="the run's request budget is spent"):
        rig.transport.send(LIST)
    assert rig.statuses == [429, 200, 200, 200, 200]


def test_what_was_answered_before_is_asked_first_to_see_whether_a_target_answers() -> None:
    rig = bench(lambda sent: OK if sent.path == "/pets" else NoAnswer(Silence.RESET, "closed"))
    rig.transport.send(LIST)
    rig.transport.send(Call(Operation.STORE_ORDERS))
    assert [sent.path for sent in rig.client.sent] == ["/pets", "/store/orders", "/pets", "/store/orders"]


def test_one_dead_operation_stops_no_other_and_is_given_up() -> None:
    rig = bench(lambda sent: TIMEOUT if sent.path == "/store/orders" else OK)
    orders = Call(Operation.STORE_ORDERS)
    answers = [rig.transport.send(call).answer for call in (LIST, orders, LIST, orders, LIST)]
    assert [isinstance(answer, Response) for answer in answers] == [True, False, True, False, True]
    for _ in range(3):
        with pytest.raises(OperationSilent) as obstacle:
            rig.transport.send(orders)
        assert obstacle.value.reason == "GET /store/orders does not answer, so petcheck has stopped calling it"
    assert rig.transport.send(LIST).answer == OK
    assert not rig.transport.down
    assert len([sent for sent in rig.client.sent if sent.path == "/store/orders"]) == 4


def test_a_server_that_hangs_on_malformed_bodies_still_creates() -> None:
    rig = bench(lambda sent: TIMEOUT if sent.body == b"[" else OK, writes=True, takes=10.0)
    for _ in range(2):
        rig.transport.send(Call(Operation.CREATE_PET, body=b"["))
    with pytest.raises(OperationSilent):
        rig.transport.send(Call(Operation.CREATE_PET, body=b"["))
    assert rig.transport.send(Call(Operation.CREATE_PET, body=b'{"name": "x", "categoryId": 1}')).answer == OK


# ---- recorded


def test_an_exchange_records_the_request_its_time_and_its_section() -> None:
    rig = bench(in_turn(response(200, [("X-A", "1"), ("x-a", "2")], b"[1]")), takes=2.5)
    rig.transport.purpose = Purpose("4.1")
    rig.transport.send(Call(Operation.LIST_PETS, query=(("limit", "5"),)))
    rig.transport.purpose = Purpose("8")
    rig.transport.send(LIST)
    first, second = rig.transport.recorded
    assert (first.index, first.section, first.target) == (0, "4.1", "staging")
    assert (second.index, second.section) == (1, "8")
    assert (first.started, first.sent, first.finished, first.elapsed) == (NOON, 0.0, 2.5, 2.5)
    assert first.request.url == "https://pets.example/v1/pets?limit=5"
    assert isinstance(first.answer, Response)
    assert first.answer.header("X-a") == "1, 2"
    assert first.answer.body == b"[1]"


def test_the_key_is_sent_in_one_header_and_recorded_in_none() -> None:
    rig = bench(in_turn(OK))
    rig.transport.send(LIST)
    assert rig.client.sent[0].authorization == f"Bearer {KEY.secret}"
    assert KEY.secret not in rig.client.sent[0].url
    request = rig.transport.recorded[0].request
    assert dict(request.headers)["Authorization"] == "Bearer $PETSTORE_API_KEY"
    assert KEY.secret not in repr(rig.transport)


def test_echoed_text_is_recorded_without_the_key() -> None:
    echo = f"you sent Bearer {KEY.secret}"
    rig = bench(in_turn(Response(200, echo, "HTTP/1.1", ((f"X-{KEY.secret}", echo),), echo.encode())))
    answer = rig.transport.send(LIST).answer
    assert answer == Response(
        200,
        "you sent Bearer [redacted-key]",
        "HTTP/1.1",
        (("X-[redacted-key]", "you sent Bearer [redacted-key]"),),
        b"you sent Bearer [redacted-key]",
    )


def test_silence_is_recorded_without_the_key() -> None:
    said = NoAnswer(Silence.NOT_HTTP, f"illegal status line: {KEY.secret}")
    rig = bench(lambda sent: OK if "orders" in sent.path else said)
    assert rig.transport.send(LIST).answer == NoAnswer(Silence.NOT_HTTP, "illegal status line: [redacted-key]")


def test_a_broken_encoding_is_recorded_without_the_key() -> None:
    rig = bench(in_turn(replace(OK, encoding_broken=f"Content-Encoding is {KEY.secret}")))
    answer = rig.transport.send(LIST).answer
    assert isinstance(answer, Response)
    assert answer.encoding_broken == "Content-Encoding is [redacted-key]"


@pytest.mark.parametrize(
    ("body", "encodings", "kept"),
    [
        (b"\xffkey", "br", False),
        (b"\xffkey", "br, gzip", False),
        (b"\xffkey", "identity", True),
        ("Zoë".encode()[:-1], "gzip", True),
    ],
)
def test_a_cut_body_is_recorded_only_if_its_encodings_are_undone(body: bytes, encodings: str, kept: bool) -> None:
    cut = replace(OK, body=body, body_complete=False, headers=(("Content-Encoding", encodings),))
    answer = bench(in_turn(cut)).transport.send(LIST).answer
    assert answer == (cut if kept else replace(cut, body=UNDECODED))


def test_a_body_that_is_too_long_with_its_masks_is_cut() -> None:
    rig = bench(in_turn(replace(OK, body=b"dev-1," * 1_000_000)))
    rig.transport.sender = replace(rig.transport.sender, key=ApiKey("dev-1"))
    answer = rig.transport.send(LIST).answer
    assert isinstance(answer, Response)
    assert (len(answer.body), answer.body_complete) == (KEPT_OF_MORE, False)


def within(cap: int, size: int) -> Response:
    """The answer of a server whose bodies have `size` bytes, as it is read within a cap."""
    whole = size <= cap
    return response(body=b"x" * (size if whole else min(KEPT_OF_MORE, cap)), whole=whole)


@pytest.mark.parametrize("size", [60_000, 250_000, 5_000_000, 2 * BODY_CAP])
def test_a_record_keeps_no_more_than_its_cap(size: int) -> None:
    rig = bench(lambda sent: within(sent.body_cap, size), max_requests=1_000)
    for _ in range(900):
        rig.transport.send(LIST)
    caps = [sent.body_cap for sent in rig.client.sent]
    assert caps[0] == BODY_CAP
    assert caps == sorted(caps, reverse=True)
    kept = sum(len(one.heard.body) for one in rig.transport.recorded)
    assert RECORD_CAP * 0.99 < kept <= RECORD_CAP


def test_a_few_large_bodies_leave_room_for_ordinary_ones() -> None:
    sizes = [BODY_CAP] * 20 + [20_000] * 80
    rig = bench(lambda sent: within(sent.body_cap, sizes[len(rig.transport.recorded)]))
    for _ in sizes:
        rig.transport.send(LIST)
    assert all(one.answer.body_complete for one in rig.transport.recorded[20:] if isinstance(one.answer, Response))


def test_a_key_in_the_base_url_is_not_recorded() -> None:
    rig = bench(in_turn(OK))
    rig.transport.sender.base_url = f"https://pets.example/{KEY.secret}/v1"
    assert rig.transport.send(LIST).request.url == "https://pets.example/[redacted-key]/v1/pets"


def test_a_key_never_shows_in_its_own_repr() -> None:
    assert f"{ApiKey('secret-secret')} {ApiKey('secret-secret')!r}" == "ApiKey(sha256:9d531b81) ApiKey(sha256:9d531b81)"
