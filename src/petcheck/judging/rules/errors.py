"""Section 7: the Error shape, and no 5xx, nor silence where any other status conforms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from petcheck.exchange import Animal, Exchange, Response
from petcheck.json_values import Json
from petcheck.judging.decision import Rule
from petcheck.judging.judgement import BODY, HOLDS, NOT_CONCERNED, STATUS, Grounds, Judgement, Problem
from petcheck.judging.matchers import answer_text, kind_and_value, problem_of_error_status, problem_of_string
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


_NO_ERROR = "No 400, 401 or 404 with a JSON body was returned."

RULES = (
    Rule("ERROR-1", _error_is_an_object, nothing=_NO_ERROR),
    Rule("ERROR-2", partial(_error_has, partial(_text, "code")), nothing=_NO_ERROR),
    Rule("ERROR-3", partial(_error_has, partial(_text, "message")), nothing=_NO_ERROR),
    Rule("ERROR-4", partial(_error_has, problem_of_error_status), nothing=_NO_ERROR),
    Rule("ERROR-5", _no_server_error, nothing="No response was received."),
)
