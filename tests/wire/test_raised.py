"""Each broken answer has the traceback of its own request."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.exchange import Exchange
from petcheck.wire.raised import Raised, asked, with_tracebacks
from tests.support import samples

ONE, TWO = "KeyError: 'one'", "KeyError: 'two'"
POST_1, POST_2, POST = (asked("POST", "/v1/pets", body) for body in (b"1", b"2", None))


def sent(*bodies: bytes, status: int = 500) -> list[Exchange]:
    requests = [samples.request("/pets", method="POST", body=body) for body in bodies]
    return [samples.exchange(0, request, samples.response(status=status)) for request in requests]


def test_of_requests_one_after_the_other_each_has_its_own() -> None:
    first, *others, last = sent(b"1", b"1", b"1", b"1")
    others = [replace(one, sent=first.finished + 1, finished=first.finished + 2) for one in others]
    last = replace(last, sent=first.finished + 2, finished=first.finished + 3)
    raised = [Raised(POST_1, line) for line in (ONE, TWO, "KeyError: 'three'", ONE)]
    told = [one.log or "" for one in with_tracebacks([first, *others, last], raised)]
    assert [log.splitlines()[-1:] for log in told] == [[ONE], ["KeyError: 'three'"], [], [ONE]]
    assert "cannot be known" in told[1]


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ([(POST_1, ONE), (POST_2, TWO)], [ONE, TWO]),
        ([(POST_2, TWO)], ["", TWO]),
        ([(POST, ONE)], [ONE, ONE]),  # before the body is read; the same for all that it can belong to
        ([("", ONE)], [ONE, ONE]),
    ],
)
def test_a_traceback_is_told_with_its_own_request(raised: list[tuple[str, str]], told: list[str]) -> None:
    found = with_tracebacks(sent(b"1", b"2"), [Raised(*one) for one in raised])
    assert [one.log for one in found] == told


def test_what_cannot_be_known_is_said_once() -> None:
    first, second, other = with_tracebacks(sent(b"1", b"1", b"2"), [Raised(POST_1, ONE), Raised(POST_1, TWO)])
    assert first.log == (
        f"Several requests were alike, so which of these is this one's cannot be known.\n\n{ONE}\n\n{TWO}"
    )
    assert second.log == other.log == ""


def test_an_answer_that_is_not_broken_has_none() -> None:
    assert [one.log for one in with_tracebacks(sent(b"1", status=201), [Raised(POST_1, ONE)])] == [""]
