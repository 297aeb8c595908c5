"""Identical GETs are sent once; a POST is sent once in any case."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from petcheck.call import Credential, new_pet_call, page_call, read_call
from petcheck.errors import OperationSilent
from petcheck.exchange import NoAnswer, Silence
from petcheck.wire.api import Api
from petcheck.wire.tally import stays_silent
from tests.support.exchanges import exchange
from tests.support.fakes import bench, in_turn, response


def test_the_same_call_is_sent_once() -> None:
    rig = bench(in_turn(response()))
    api = Api(rig.transport)
    assert api.list_pets(limit=5) is api.list_pets(limit="5")
    assert len(rig.client.sent) == 1


def test_calls_that_differ_in_anything_are_sent_each() -> None:
    rig = bench(in_turn(response()))
    api = Api(rig.transport)
    api.list_pets()
    api.list_pets(limit=20)
    api.list_pets(status="sold")
    api.list_pets(credential=Credential.MISSING)
    api.list_pets(credential=Credential.RANDOM)
    api.get_pet(1)
    api.get_pet("01")
    assert len(rig.client.sent) == 7


def test_a_fresh_call_is_sent_and_then_shared() -> None:
    rig = bench(in_turn(response()))
    api = Api(rig.transport)
    first = api.get_pet(1)
    second = api.call(read_call(1), fresh=True)
    assert [first.index, second.index, api.get_pet(1).index] == [0, 1, 1]


def test_the_same_post_is_sent_once_and_creates_one_animal() -> None:
    rig = bench(in_turn(response(201)), writes=True)
    api = Api(rig.transport)
    body: dict[str, object] = {"name": "Rex", "categoryId": 1}
    assert api.create_pet(body) is api.create_pet(dict(body))
    assert len(rig.client.sent) == 1


def test_a_call_without_an_answer_is_not_sent_again_for_another_check() -> None:
    rig = bench(lambda sent: NoAnswer(Silence.RESET, "closed") if sent.body else response(), writes=True, connections=2)
    api = Api(rig.transport)
    bodies = [b"%d" % number for number in range(18 + 3)]
    for one in bodies[:-2]:
        with suppress(OperationSilent):
            api.create_pet(one)
    alone, *burst = (new_pet_call(one) for one in bodies[-3:])
    assert api.ask_together(burst) == [None, None]
    sent = len(rig.client.sent)
    for call in (alone, *burst):
        assert api.known(call)
        assert api.answer_to(call) is None
        with pytest.raises(OperationSilent, match="POST /pets did not answer"):
            api.call(call)
    assert len(rig.client.sent) == sent


@pytest.mark.parametrize(
    ("answer", "burst", "silent"),
    [
        (200, None, False),
        (429, 1, False),
        (Silence.RESET, 1, False),
        (Silence.RESET, None, True),
        (Silence.TIMEOUT, 1, True),
        (Silence.UNREAD, 1, True),
    ],
)
def test_what_may_have_been_one_too_many_or_too_early_is_sent_again(
    answer: int | Silence, burst: int | None, silent: bool
) -> None:
    assert stays_silent(replace(exchange(status=answer), burst=burst)) == silent


def test_bytes_are_posted_unchanged() -> None:
    rig = bench(in_turn(response(400)), writes=True)
    Api(rig.transport).create_pet(b"\xff{not json")
    assert rig.client.sent[0].body == b"\xff{not json"


def test_the_last_of_a_call_is_the_one_without_an_answer_too() -> None:
    answers = iter([response()])
    rig = bench(lambda sent: next(answers, NoAnswer(Silence.RESET, "closed")) if "limit" in sent.url else response())
    api, page = Api(rig.transport), page_call(7)
    assert api.last_of(page) is None
    first = api.call(page)
    assert api.last_of(page) is first
    rig.transport.tally.lost = 100  # so that nothing is sent again
    with pytest.raises(OperationSilent):
        api.call(page, fresh=True)
    assert (api.answer_to(page), api.last_of(page)) == (first, rig.transport.recorded[-1])
