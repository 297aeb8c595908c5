"""Section 7: the Error shape, and no 5xx, nor silence where any other status conforms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from petcheck.exchange import Animal, Exchange, Response
from petcheck.json_values import Json
from petcheck.judging.decision import Decision, Held, Record, Rule, Undecided
from petcheck.judging.judgement import BODY, HOLDS, NOT_CONCERNED, STATUS, Grounds, Judgement, Problem
from petcheck.judging.matchers import answer_text, described, kind_and_value, problem_of_error_status, problem_of_string
from petcheck.judging.request_bodies import Due, asked_of
from petcheck.judging.statuses import body_due, expected_of, problem_of_status
from petcheck.spec.figures import REMOVAL_DAY
from petcheck.spec.operations import Operation


def error_in(exchange: Exchange, grounds: Grounds) -> tuple[Json, Response] | None:
    """The value where an Error is required, and its response; None if none is required or the body is not JSON."""
    if body_due(exchange, grounds.as_of) != "error" or exchange.heard.parsed.wrong:
        return None
    return exchange.json, exchange.heard


def _error_is_an_object(exchange: Exchange, grounds: Grounds) -> Judgement:
    found = error_in(exchange, grounds)
    if found is None:
        return NOT_CONCERNED
    value, _ = found
    return (
        HOLDS if isinstance(value, dict) else Problem(f"the body is {kind_and_value(value)}; expected an object", BODY)
    )


def _error_has(problem: Callable[[Animal, int], Problem | None], exchange: Exchange, grounds: Grounds) -> Judgement:
    found = error_in(exchange, grounds)
    if found is None or not isinstance(found[0], dict):
        return NOT_CONCERNED
    return problem(found[0], found[1].status) or HOLDS


def _text(name: str, error: Animal, _status: int) -> Problem | None:
    return problem_of_string("the Error", name, error)


def _no_server_error(exchange: Exchange, grounds: Grounds) -> Judgement:
    removed = exchange.request.operation is Operation.GET_PET and grounds.as_of >= REMOVAL_DAY
    if removed:
        return NOT_CONCERNED
    if exchange.status is None:
        # where only some statuses conform, their requirement judges silence
        is_open = exchange.request.has_valid_key and expected_of(exchange, grounds) is None
        return problem_of_status(exchange, Due.OPEN.value, section="7") if is_open else NOT_CONCERNED
    if exchange.status < 500:
        return HOLDS
    posted = exchange.request.operation is Operation.CREATE_PET and exchange.request.has_valid_key
    sent = asked_of(exchange.request, grounds.categories).what if posted else ""
    said = f"expected {Due.OPEN.value} (section 7), got {answer_text(exchange)}"
    return Problem(said, STATUS, Due.OPEN.value, sent)


def _each_is_read(one: Callable[[Exchange, Grounds], Judgement], record: Record, grounds: Grounds) -> Decision:
    """A body that is not JSON has no members: SERVICE-1 judges it, and no other body makes up for it."""
    due = [exchange for exchange in record if body_due(exchange, grounds.as_of) == "error"]
    examined = tuple(exchange for exchange in due if one(exchange, grounds) is HOLDS)
    unread = next((exchange for exchange in due if exchange.heard.parsed.wrong), None)
    if unread is not None:
        why = f"{described(unread)} returned {unread.status}: {unread.heard.parsed.wrong}; see SERVICE-1."
        return Undecided(why, examined=examined)
    return Held(examined) if examined else Undecided(_NO_ERROR)


_NO_ERROR = "No 400, 401 or 404 with a JSON body was returned."

_MEMBERS: dict[str, Callable[[Exchange, Grounds], Judgement]] = {
    "ERROR-1": _error_is_an_object,
    "ERROR-2": partial(_error_has, partial(_text, "code")),
    "ERROR-3": partial(_error_has, partial(_text, "message")),
    "ERROR-4": partial(_error_has, problem_of_error_status),
}

RULES = (
    *(Rule(name, one, partial(_each_is_read, one)) for name, one in _MEMBERS.items()),
    Rule("ERROR-5", _no_server_error, nothing="No response was received."),
)
