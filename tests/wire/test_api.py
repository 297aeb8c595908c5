"""Identical GETs are sent once; a POST is sent once in any case."""

from __future__ import annotations

from petcheck.call import Credential, read_call
from petcheck.wire.api import Api
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


def test_bytes_are_posted_unchanged() -> None:
    rig = bench(in_turn(response(400)), writes=True)
    Api(rig.transport).create_pet(b"\xff{not json")
    assert rig.client.sent[0].body == b"\xff{not json"
