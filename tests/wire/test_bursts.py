"""Requests at the same time: paced and recorded as others are, and one by one where a target limits them."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count, pairwise

import pytest

from petcheck.call import Call, Credential, page_call
from petcheck.errors import NotPermitted
from petcheck.exchange import Exchange, NoAnswer, Response, Silence
from petcheck.spec.operations import Operation
from petcheck.wire.client import HttpClient, Outgoing, Timed
from petcheck.wire.clock import Clock
from petcheck.wire.tally import Unplanned
from tests.support.fakes import Bench, Handler, Sent, at_noon, bench, in_turn, rates, response
from tests.support.peers import JSON, Caller, peer

CALLS = [page_call(limit) for limit in range(1, 9)]
POST = Call(Operation.CREATE_PET, body=b"{}")
OK = response()
SILENT = NoAnswer(Silence.TIMEOUT, "nothing was received")


def rig(handler: Handler, **how: object) -> Bench:
    return bench(handler, **{"connections": 8, "writes": True, **how})  # type: ignore[arg-type]


def bursts(exchanges: list[Exchange]) -> list[int | None]:
    return [one.burst for one in exchanges]


def indices(answers: list[Exchange | None]) -> list[int | None]:
    return [None if one is None else one.index for one in answers]


# ---- sent and recorded


def test_calls_go_out_together_and_are_recorded_in_the_order_of_sending() -> None:
    up = rig(in_turn(OK), takes=0.5)
    answers = up.transport.send_together(CALLS)
    assert indices(answers) == list(range(8))
    assert up.transport.recorded == answers
    assert {(one.sent, one.finished, one.burst) for one in up.transport.recorded} == {(0.0, 0.5, 1)}
    assert [one.path for one in up.client.sent] == [call.path for call in CALLS]
    assert all(one.new_connection for one in up.client.sent)


def test_more_calls_than_connections_are_several_bursts() -> None:
    up = rig(in_turn(OK), connections=3)
    up.transport.send_together(CALLS)
    assert bursts(up.transport.recorded) == [1, 1, 1, 2, 2, 2, 3, 3]


def test_with_one_connection_they_go_out_one_after_the_other() -> None:
    up = rig(in_turn(OK), connections=1, takes=0.5)
    up.transport.send_together(CALLS)
    assert bursts(up.transport.recorded) == [None] * 8
    assert all(first.finished <= second.sent for first, second in pairwise(up.transport.recorded))


def test_each_counts_for_its_section_except_examples() -> None:
    up = rig(in_turn(OK))
    with up.transport.serving(section="4.1"):
        up.transport.send_together([page_call(), POST, page_call(credential=Credential.MISSING)])
    with up.transport.serving(example=True):
        up.transport.send_together(CALLS[:2])
    assert [(one.section, one.example) for one in up.transport.recorded] == [
        ("4.1", False),
        ("4.2", False),
        ("5", False),
        ("", True),
        ("", True),
    ]


def test_no_post_goes_out_in_a_burst_without_writes() -> None:
    up = rig(in_turn(OK), writes=False)
    assert up.transport.send_together([CALLS[0], POST]) == [None, None]
    assert up.client.sent == []
    with pytest.raises(NotPermitted):
        up.transport.send(POST)


def test_a_burst_is_no_longer_than_what_is_left_of_the_budget() -> None:
    up = rig(in_turn(OK), max_requests=5)
    answers = up.transport.send_together(CALLS)
    assert indices(answers) == [0, 1, 2, 3, 4, None, None, None]
    assert len(up.client.sent) == 5


# ---- paced


def counting(limit: int, left: int) -> Handler:
    """A window of a minute; what is left falls from request to request."""
    numbers = count(left - 1, -1)
    return lambda sent: response(200, rates(limit, max(next(numbers), 0), at_noon(60)))


def test_what_is_under_way_leaves_the_reserve() -> None:
    up = rig(counting(60, 8))  # the reserve of 60 is 3
    up.transport.send(CALLS[0])
    up.transport.send_together(CALLS[1:6])
    # 7 are left after the first, so 4 may be under way; then the window must end
    assert bursts(up.transport.recorded) == [None, 1, 1, 1, 1, None]
    assert [seconds for _, seconds, _ in up.waits][:1] == [60.0]


def test_counts_that_come_out_of_order_contradict_nothing() -> None:
    left = iter([50, 43, 49, 44, 48, 45, 47, 46, 3])
    up = rig(lambda sent: response(200, rates(60, next(left), at_noon(60))))
    up.transport.send_together(CALLS)
    up.transport.send(CALLS[0])  # 3 are left, which is the reserve
    assert up.waits == []
    up.client.handler = in_turn(OK)
    up.transport.send(CALLS[1])
    assert up.waits[0][1] == 60.0


def test_a_slow_target_gets_as_many_as_it_answers_in_time_one_by_one() -> None:
    up = rig(in_turn(OK), takes=4.0)  # 10 s are the deadline
    up.transport.send(CALLS[0])
    up.transport.send_together(CALLS[1:5])
    assert bursts(up.transport.recorded) == [None, 1, 1, 2, 2]


# ---- targets that limit connections

RESET, REFUSED = NoAnswer(Silence.RESET, "reset by peer"), NoAnswer(Silence.UNREACHABLE, "refused")
IN_EXCESS = {
    "reset": RESET,
    "refused": REFUSED,
    "503": response(503, [("Retry-After", "2")]),
    "429": response(429, [("Retry-After", "2")]),
}


@pytest.mark.parametrize("refusal", IN_EXCESS.values(), ids=IN_EXCESS.keys())
def test_what_is_refused_in_excess_is_sent_alone_and_no_burst_follows(refusal: Response | NoAnswer) -> None:
    served = {CALLS[0].path, CALLS[4].path}
    seen: list[str] = []

    def limited(sent: Sent) -> Response | NoAnswer:
        seen.append(sent.path)
        return OK if sent.path in served or seen.count(sent.path) > 1 else refusal

    up = rig(limited)
    answers = up.transport.send_together(CALLS)
    assert [one.status if one else None for one in answers] == [200] * 8
    again = up.transport.recorded[8:]
    assert [one.again for one in again] == [1, 2, 3, 5, 6, 7]
    assert {(one.burst, one.cause) for one in again} == {(None, Unplanned.EXCESS.value)}
    assert up.transport.tally.spent == 14
    waited = [seconds for _, seconds, why in up.waits if "resuming" in why]
    assert waited[:1] == ([2.0] if isinstance(refusal, Response) else [])
    assert sum(step for step in waited) <= 3.0  # six refusals at once are one refusal
    up.transport.send_together(CALLS)
    assert up.transport.bursts == 1


def test_nothing_is_sent_inside_the_retry_after_of_a_burst() -> None:
    answers = iter([OK, *[response(429, [("Retry-After", "7")])] * 7])
    up = rig(lambda sent: next(answers, OK))
    up.transport.send_together(CALLS)
    assert min(one.at for one in up.client.sent[8:]) >= 7.0


def test_a_burst_in_silence_is_sent_once_more_and_then_one_by_one() -> None:
    silent = {CALLS[2].path}
    up = rig(lambda sent: SILENT if sent.path in silent and len(up.client.sent) <= 17 else OK)
    answers = up.transport.send_together(CALLS)
    # between the bursts, whether the target still answers
    assert bursts(up.transport.recorded)[:18] == [1] * 8 + [None] + [2] * 8 + [None]
    assert [one.again for one in up.transport.recorded[9:17]] == list(range(8))
    assert up.transport.recorded[17].again == 11
    assert [one.status if one else None for one in answers] == [200] * 8


@pytest.mark.parametrize("most", [8, 9, 12, 16])
def test_a_silent_burst_is_sent_again_only_if_the_limit_of_requests_has_room_for_all_of_it(most: int) -> None:
    silent = {call.path for call in CALLS}
    up = rig(lambda sent: SILENT if sent.path in silent else OK, max_requests=most)
    up.transport.send_together(CALLS)
    assert len(up.client.sent) == most
    assert {one.burst for one in up.transport.recorded} == {1, None} if most > 8 else {1}


def test_a_burst_is_not_sent_again_to_a_target_that_is_down() -> None:
    up = rig(lambda sent: SILENT)
    assert up.transport.send_together(CALLS) == [None] * 8
    assert up.transport.down
    assert up.transport.bursts == 1


def test_a_burst_is_sent_again_in_the_same_forms() -> None:
    up = rig(in_turn(OK))
    first = [one for one in up.transport.send_together(CALLS[:3]) if one is not None]
    up.transport.send_burst_again(first)
    second = up.transport.recorded[3:]
    assert [(one.burst, one.again, one.request) for one in second] == [(2, one.index, one.request) for one in first]


# ---- on the wire


def together(url: str, number: int, deadline: float = 5.0) -> list[Timed]:
    clock = Clock()
    with HttpClient(deadline=deadline) as client:
        burst = [Outgoing("GET", f"{url}/pets?limit={place}", [], None) for place in range(1, number + 1)]
        return client.send_together(burst, lambda: (clock.now(), clock.monotonic()))


def test_all_requests_of_a_burst_are_under_way_at_the_same_time() -> None:
    here = threading.Barrier(8, timeout=5)

    def behaviour(caller: Caller) -> None:
        here.wait()  # nobody is answered before all have come
        caller.answer(caller.query.encode(), headers=JSON)

    with peer(behaviour) as up:
        answers = together(up.url, 8)
    bodies = [one.answer.body for one in answers if isinstance(one.answer, Response)]
    assert bodies == [f"limit={place}".encode() for place in range(1, 9)]
    assert max(one.sent[1] for one in answers) <= min(one.finished[1] for one in answers)


def test_a_target_that_answers_one_after_the_other_has_the_sum_of_the_deadlines() -> None:
    turn = threading.Lock()

    def behaviour(caller: Caller) -> None:
        with turn:
            time.sleep(0.3)
            caller.answer(b"[]", headers=JSON)

    with peer(behaviour) as up:
        answers = together(up.url, 5, deadline=0.5)
    assert [type(one.answer) for one in answers] == [Response] * 5


@pytest.mark.parametrize("ends", ["reset", "close", "hang"])
def test_one_that_fails_does_not_hold_up_the_others(ends: str) -> None:
    def behaviour(caller: Caller) -> None:
        if caller.query != "limit=2":
            caller.answer(b"[]", headers=JSON)
        elif ends == "hang":
            caller.hang()
        elif ends == "reset":
            caller.reset()

    with peer(behaviour) as up:
        answers = together(up.url, 4, deadline=0.2)
    kinds = [one.answer.kind if isinstance(one.answer, NoAnswer) else one.answer.status for one in answers]
    assert kinds == [200, Silence.TIMEOUT if ends == "hang" else Silence.RESET, 200, 200]


def test_a_url_that_is_not_valid_is_one_silence() -> None:
    with peer(lambda caller: caller.answer(b"[]", headers=JSON)) as up, HttpClient(deadline=5) as client:
        clock = Clock()
        burst = [Outgoing("GET", up.url, [], None), Outgoing("GET", "http://[/", [], None)]
        answers = client.send_together(burst, lambda: (clock.now(), clock.monotonic()))
    assert isinstance(answers[0].answer, Response)
    assert isinstance(answers[1].answer, NoAnswer)


class OneAtATime(BaseHTTPRequestHandler):
    """Keeps its connection, and serves no other one meanwhile."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_: object) -> None:
        pass


def test_a_server_of_one_connection_is_not_kept_waiting_by_another() -> None:
    with HTTPServer(("127.0.0.1", 0), OneAtATime) as up:
        threading.Thread(target=up.serve_forever, daemon=True).start()
        url, clock = f"http://127.0.0.1:{up.server_port}/v1", Clock()
        with HttpClient(deadline=2) as client:
            kept = client.send(Outgoing("GET", url, [], None), new_connection=False)
            alone = client.send(Outgoing("GET", url, [], None), new_connection=True)
            again = client.send(Outgoing("GET", url, [], None), new_connection=False)
            before_burst = client.connections
            burst = client.send_together([Outgoing("GET", url, [], None)] * 3, lambda: (clock.now(), clock.monotonic()))
        up.shutdown()
    answers = [kept, alone, again, *(one.answer for one in burst)]
    assert [one.status if isinstance(one, Response) else one for one in answers] == [200] * 6
    assert (before_burst, client.connections) == (3, 6)
