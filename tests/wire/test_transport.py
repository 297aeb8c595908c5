"""The one door: permission, budget, waiting, repeating, recording."""

from __future__ import annotations

import pytest

from petcheck.exchange import Credential, NoAnswer, Operation, Response, Silence
from petcheck.key import ApiKey
from petcheck.wire.api import Api
from petcheck.wire.transport import (
    BudgetSpent,
    Call,
    NotPermitted,
    OperationSilent,
    StillLimited,
    TargetDown,
    WaitTooLong,
)

from .fakes import KEY, NOON, Sent, at_noon, bench, http_date, in_turn, rates, response

LIST = Call(Operation.LIST_PETS)
POST = Call(Operation.CREATE_PET, body=b"{}")
OK = response()
TIMEOUT = NoAnswer(Silence.TIMEOUT, "nothing came")


def limited(*headers: tuple[str, str]) -> Response:
    return response(429, headers, b"")


# ---- permitted


@pytest.mark.parametrize("credential", Credential)
def test_no_post_is_sent_without_writes_with_whatever_credential(credential: Credential) -> None:
    rig = bench(in_turn(OK))
    with pytest.raises(NotPermitted) as refusal:
        rig.transport.send(Call(Operation.CREATE_PET, credential, body=b"{}"))
    assert refusal.value.settled_by == "--allow-writes"
    assert rig.client.sent == []
    assert rig.transport.recorded == []


def test_no_post_is_sent_without_writes_when_the_quota_is_used_up() -> None:
    rig = bench(in_turn(OK))
    with pytest.raises(NotPermitted):
        rig.transport.send_expecting_refusal(POST)
    assert rig.client.sent == []


def test_post_is_sent_where_writes_are_allowed_and_on_a_connection_of_its_own() -> None:
    rig = bench(in_turn(response(201)), writes=True)
    rig.transport.send(POST)
    (sent,) = rig.client.sent
    assert (sent.method, sent.path, sent.body, sent.new_connection) == ("POST", "/pets", b"{}", True)


def test_the_calls_that_there_are() -> None:
    rig = bench(in_turn(OK), writes=True)
    api = Api(rig.transport)
    api.list_pets()
    api.list_pets(limit=7, status="sold & more")
    api.get_pet("../a b?c#d")
    api.store_orders()
    api.create_pet({"name": "Zoë"})
    api.create_pet(None)
    assert [(sent.method, sent.path, sent.body) for sent in rig.client.sent] == [
        ("GET", "/pets", None),
        ("GET", "/pets?limit=7&status=sold%20%26%20more", None),
        ("GET", "/pets/..%2Fa%20b%3Fc%23d", None),
        ("GET", "/store/orders", None),
        ("POST", "/pets", '{"name": "Zoë"}'.encode()),
        ("POST", "/pets", None),
    ]
    assert [dict(sent.headers).get("Content-Type") for sent in rig.client.sent] == [None] * 4 + ["application/json"] * 2


# ---- affordable


def test_the_cap_on_requests_is_hard() -> None:
    rig = bench(in_turn(OK), max_requests=2)
    rig.transport.send(LIST)
    rig.transport.send(LIST)
    for send in (rig.transport.send, rig.transport.send_expecting_refusal):
        with pytest.raises(BudgetSpent) as refusal:
            send(LIST)
        assert refusal.value.reason == "the run may send 2 requests at most"
        assert refusal.value.settled_by == "--max-requests"
    assert len(rig.client.sent) == 2


def test_repeats_count_against_the_cap_too() -> None:
    rig = bench(in_turn(limited(("Retry-After", "1"))), max_requests=2)
    with pytest.raises(BudgetSpent):
        rig.transport.send(LIST)
    assert len(rig.client.sent) == 2


# ---- paced


def test_an_unasked_429_is_waited_out_exactly_and_asked_again() -> None:
    rig = bench(in_turn(limited(("Retry-After", "37")), OK))
    assert rig.transport.send(LIST).index == 1
    assert rig.clock.slept == [37.0]
    assert rig.statuses == [429, 200]
    assert [(target, left) for target, left, _ in rig.waits] == [("staging", 37.0 - passed) for passed in range(37)]
    assert rig.transport.waited_s == 37.0


def test_a_date_in_retry_after_is_waited_for() -> None:
    rig = bench(in_turn(limited(("Retry-After", http_date(12)), ("Date", http_date(0))), OK))
    rig.transport.send(LIST)
    assert rig.clock.slept == [12.0]


def test_a_second_429_in_a_row_doubles_the_wait_and_a_third_is_enough() -> None:
    rig = bench(in_turn(limited(("Retry-After", "10"))))
    with pytest.raises(StillLimited) as obstacle:
        rig.transport.send(LIST)
    assert obstacle.value.reason == "GET /pets was answered 429 3 times in a row, each Retry-After waited out"
    assert rig.clock.slept == [10.0, 20.0]
    assert len(rig.client.sent) == 3


def test_the_next_call_waits_for_what_the_third_429_asked() -> None:
    rig = bench(in_turn(*[limited(("Retry-After", "10"))] * 3, OK))
    with pytest.raises(StillLimited):
        rig.transport.send(LIST)
    rig.transport.send(LIST)
    assert rig.clock.slept == [10.0, 20.0, 40.0]


def test_an_hour_is_too_long_and_nothing_is_sent_meanwhile() -> None:
    rig = bench(in_turn(limited(("Retry-After", "3600"))))
    for _ in range(3):
        with pytest.raises(WaitTooLong) as obstacle:
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


def test_requests_without_the_key_have_a_bucket_of_their_own() -> None:
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


def test_using_up_the_quota_waits_for_a_retry_after_and_for_nothing_else() -> None:
    used_up = response(headers=rates(60, 0, at_noon(50)))
    rig = bench(in_turn(used_up, limited(("Retry-After", "9"), *rates(60, 0, at_noon(50))), used_up))
    assert [rig.transport.send_expecting_refusal(LIST).index for _ in range(3)] == [0, 1, 2]
    assert rig.statuses == [200, 429, 200]
    assert rig.clock.slept == [9.0]


# ---- repeated


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateways_trouble_is_asked_once_more(status: int) -> None:
    rig = bench(in_turn(response(status), OK))
    answer = rig.transport.send(LIST).answer
    assert isinstance(answer, Response)
    assert answer.status == 200
    assert rig.clock.slept == [1.0]


def test_a_gateways_trouble_that_comes_twice_is_the_answer() -> None:
    rig = bench(in_turn(response(503, [("Retry-After", "4")]), response(502), OK))
    answer = rig.transport.send(LIST).answer
    assert isinstance(answer, Response)
    assert answer.status == 502
    assert rig.clock.slept == [4.0]
    assert len(rig.client.sent) == 2


def test_a_gateways_trouble_that_does_not_end_is_asked_twice_and_waited_for_once() -> None:
    rig = bench(in_turn(*[response(503)] * 6, OK, response(503), OK))
    assert [rig.transport.send(LIST).status for _ in range(5)] == [503, 503, 503, 200, 200]
    assert rig.clock.slept == [1.0, 1.0]
    assert len(rig.client.sent) == 9


def test_the_retry_after_of_a_gateways_trouble_holds_for_every_call() -> None:
    busy = response(503, [("Retry-After", "9")])
    rig = bench(in_turn(busy, busy, OK), writes=True)
    for call in (LIST, POST, Call(Operation.LIST_PETS, Credential.MISSING)):
        rig.transport.send(call)
    assert rig.statuses == [503, 503, 200, 200]
    assert [sent.at for sent in rig.client.sent] == [0.0, 9.0, 18.0, 18.0]
    assert rig.waits[0] == ("staging", 9.0, "503 was answered, and the next request may be sent")


def test_using_up_the_quota_waits_for_a_gateways_trouble_too() -> None:
    rig = bench(in_turn(response(503, [("Retry-After", "9")]), OK))
    rig.transport.send_expecting_refusal(LIST)
    rig.transport.send_expecting_refusal(LIST)
    assert [sent.at for sent in rig.client.sent] == [0.0, 9.0]


def test_trouble_for_an_hour_is_asked_once() -> None:
    rig = bench(in_turn(response(503, [("Retry-After", "3600")])))
    for _ in range(3):
        with pytest.raises(WaitTooLong) as obstacle:
            rig.transport.send(LIST)
    assert obstacle.value.settled_by == "--max-wait"
    assert " in 60 min; this run may wait 2 min" in obstacle.value.reason
    assert len(rig.client.sent) == 1
    assert rig.clock.slept == []


def test_trouble_for_ever_is_waited_for_as_long_as_a_run_may_wait() -> None:
    rig = bench(in_turn(response(503, [("Retry-After", "50")])))
    assert rig.transport.send(LIST).status == 503
    for _ in range(20):
        with pytest.raises(WaitTooLong, match="each time that its Retry-After had passed; this run may wait 2 min"):
            rig.transport.send(LIST)
    assert rig.clock.slept == [50.0, 50.0]
    assert len(rig.client.sent) == 3


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 500, 501, 505])
def test_other_answers_are_taken_as_they_are(status: int) -> None:
    rig = bench(in_turn(response(status, [("Location", "https://elsewhere.example/")]), OK))
    rig.transport.send(LIST)
    assert rig.statuses == [status]


@pytest.mark.parametrize("kind", Silence)
def test_silence_is_asked_once_more_on_a_new_connection(kind: Silence) -> None:
    rig = bench(in_turn(NoAnswer(kind, "x"), OK))
    rig.transport.send(LIST)
    assert rig.statuses == [kind.value, 200]
    assert [sent.new_connection for sent in rig.client.sent] == [False, True]


def test_a_call_that_settles_whether_the_target_lives_is_not_lost_on_an_old_connection() -> None:
    rig = bench(lambda sent: OK if sent.path == "/store/orders" else TIMEOUT)
    rig.transport.send(LIST)
    rig.transport.send(Call(Operation.STORE_ORDERS))
    assert [(sent.path, sent.new_connection) for sent in rig.client.sent] == [
        ("/pets", False),
        ("/pets", True),
        ("/store/orders", True),
    ]


# ---- alive


def test_a_target_that_hangs_costs_three_tries() -> None:
    rig = bench(in_turn(TIMEOUT), takes=10.0)
    rig.transport.send(LIST)
    with pytest.raises(TargetDown) as obstacle:
        rig.transport.send(Call(Operation.STORE_ORDERS))
    assert obstacle.value.reason == "the target has stopped answering (nothing came)"
    for call in (LIST, Call(Operation.GET_PET, pet_id="1"), Call(Operation.STORE_ORDERS)):
        with pytest.raises(TargetDown):
            rig.transport.send(call)
    assert rig.transport.down
    assert len(rig.client.sent) == 3
    assert rig.clock.passed == 30.0


def test_the_same_operation_again_asks_another_one_first() -> None:
    rig = bench(in_turn(TIMEOUT), takes=10.0)
    rig.transport.send(LIST)
    with pytest.raises(TargetDown):
        rig.transport.send(LIST)
    assert [sent.path for sent in rig.client.sent] == ["/pets", "/pets", "/store/orders"]


def test_one_dead_operation_stops_no_other_and_is_given_up() -> None:
    rig = bench(lambda sent: TIMEOUT if sent.path == "/store/orders" else OK)
    orders = Call(Operation.STORE_ORDERS)
    answers = [rig.transport.send(call).answer for call in (LIST, orders, LIST, orders, LIST)]
    assert [isinstance(answer, Response) for answer in answers] == [True, False, True, False, True]
    for _ in range(3):
        with pytest.raises(OperationSilent) as obstacle:
            rig.transport.send(orders)
        assert obstacle.value.reason == "GET /store/orders does not answer and is not asked again"
    assert rig.transport.send(LIST).answer == OK
    assert not rig.transport.down
    assert len([sent for sent in rig.client.sent if sent.path == "/store/orders"]) == 4


def test_an_operation_that_comes_back_is_alive_again() -> None:
    rig = bench(in_turn(OK, TIMEOUT, TIMEOUT, OK, OK))
    rig.transport.send(LIST)
    rig.transport.send(Call(Operation.STORE_ORDERS))
    rig.transport.send(LIST)
    rig.transport.send(Call(Operation.STORE_ORDERS))
    assert rig.statuses == [200, "timeout", "timeout", 200, 200]


# ---- recorded


def test_an_exchange_tells_what_was_sent_and_when_and_for_which_section() -> None:
    rig = bench(in_turn(response(200, [("X-A", "1"), ("x-a", "2")], b"[1]")), takes=2.5)
    rig.transport.section = "4.1"
    rig.transport.send(Call(Operation.LIST_PETS, query=(("limit", "5"),)))
    rig.transport.section = "8"
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


def test_what_a_target_echoes_is_recorded_without_the_key() -> None:
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
    rig = bench(in_turn(NoAnswer(Silence.NOT_HTTP, f"illegal status line: {KEY.secret}")))
    assert rig.transport.send(LIST).answer == NoAnswer(Silence.NOT_HTTP, "illegal status line: [redacted-key]")


def test_a_key_in_the_base_url_is_not_recorded() -> None:
    rig = bench(in_turn(OK))
    rig.transport.base_url = f"https://pets.example/{KEY.secret}/v1"
    assert rig.transport.send(LIST).request.url == "https://pets.example/[redacted-key]/v1/pets"


def test_a_key_never_shows_in_its_own_repr() -> None:
    assert f"{ApiKey('secret-secret')} {ApiKey('secret-secret')!r}" == "ApiKey(sha256:9d531b81) ApiKey(sha256:9d531b81)"
