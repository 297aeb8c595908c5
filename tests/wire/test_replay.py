"""A recording in place of the network: the same requests get the same answers, once each, and others get none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.errors import ConnectionLost, NotRecorded
from petcheck.exchange import Call, Credential, Exchange
from petcheck.spec.operations import Operation
from petcheck.wire.replay import RecordedClock, RecordedSender
from petcheck.wire.sender import Errand
from tests.support import samples

BASE = "https://staging.pets.example/v1"
LIST = Call(Operation.LIST_PETS, query=(("limit", "5"),))


def errand(call: Call = LIST, *, new_connection: bool = False) -> Errand:
    return Errand(call, "staging", 0, "4.1", new_connection, 1000)


def sender(*exchanges: Exchange) -> RecordedSender:
    return RecordedSender(BASE, "sha256:0123abcd", exchanges)


def test_the_same_request_gets_each_answer_once_in_order() -> None:
    first, second = samples.exchange(0), samples.exchange(1)
    replay = sender(first, second)
    assert replay.send(errand()) is first
    assert replay.send(errand()) is second
    with pytest.raises(NotRecorded, match=r"^the recording has no answer to GET /pets\?limit=5$"):
        replay.send(errand())


def test_another_key_is_another_request() -> None:
    replay = sender(samples.exchange(0))
    with pytest.raises(NotRecorded, match=r"with no key$"):
        replay.send(errand(replace(LIST, credential=Credential.MISSING)))
    assert [exchange.index for exchange in replay.rest()] == [0]
    assert replay.rest() == []


def test_a_request_that_was_lost_is_lost_again() -> None:
    resent = replace(samples.exchange(0), resent=True)
    replay = sender(resent)
    with pytest.raises(ConnectionLost):
        replay.send(errand())
    assert replay.send(errand(new_connection=True)) is resent


def test_a_body_is_known_by_what_of_the_key_was_masked_in_it() -> None:
    body = b'{"name": "a [redacted-key] b"}'
    posted = samples.request("/pets", method="POST", body=body, operation=Operation.CREATE_PET)
    replay = sender(samples.exchange(0, posted))
    call = Call(Operation.CREATE_PET, body=b'{"name": "a half-of-the-key b"}')
    assert replay.send(errand(call)).index == 0


def test_the_clock_stands_where_the_recording_begins() -> None:
    first = samples.exchange(3)
    clock = RecordedClock(first)
    clock.sleep(60)
    assert (clock.monotonic(), clock.now()) == (first.sent, first.started)
    assert RecordedClock(None).monotonic() == 0.0
