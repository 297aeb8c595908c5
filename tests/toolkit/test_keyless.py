"""What the answers to invalid keys teach: a server that accepts all kinds of one requirement is not asked for each."""

from __future__ import annotations

import pytest

from petcheck.call import Credential
from petcheck.judging.rules.authentication import INVALID
from petcheck.spec.operations import Operation
from tests.support.trial import Hurried, Trial, judge_in_place, server


def run(*faults: str) -> Trial:
    clock = Hurried(200)
    with server(faults=faults, plan="enterprise", clock=clock) as url:
        return judge_in_place(url, "--allow-writes", clock=clock, seed=3)


def asked(trial: Trial, requirement: str) -> list[tuple[Credential, Operation]]:
    keys = INVALID[requirement]
    sent = [one.request for one in trial.exchanges if one.request.credential in keys]
    return [(one.credential, one.operation) for one in sent]


@pytest.mark.parametrize("fault", ["any-key", "key-not-checked"])
def test_a_server_that_accepts_every_key_is_asked_less_and_sent_more_examples(fault: str) -> None:
    usual, trial = run(), run(fault)
    assert "AUTH-2" in trial.ids("fail")
    assert 3 <= len(asked(trial, "AUTH-2")) < len(asked(usual, "AUTH-2")) - 2
    assert len({operation for _, operation in asked(trial, "AUTH-2")}) > 1
    examples = [sum(one.example for one in each.exchanges) for each in (usual, trial)]
    assert examples[0] < examples[1]


def test_a_missing_key_is_asked_everywhere_and_a_key_that_one_operation_accepts_on_others() -> None:
    usual, open_, partly = run(), run("no-key-needed"), run("any-key@getPet")
    assert {operation for _, operation in asked(open_, "AUTH-1")} == {*Operation}
    assert len(asked(open_, "AUTH-1")) >= len(asked(usual, "AUTH-1"))
    assert {*asked(partly, "AUTH-2")} >= {*asked(usual, "AUTH-2")[:6]}


def test_a_valid_request_follows_a_refused_post_on_its_connection() -> None:
    """A server that leaves that body unread takes it for the beginning of the next request, whatever key that has."""
    alone = [one for one in run().exchanges if one.burst is None]
    posts = [
        place
        for place, one in enumerate(alone)
        if one.request.operation is Operation.CREATE_PET and not one.request.has_valid_key and one.request.body
    ]
    pairs = [(alone[place], alone[place + 1]) for place in posts]
    assert any(after.request.has_valid_key and after.connection == post.connection for post, after in pairs)
