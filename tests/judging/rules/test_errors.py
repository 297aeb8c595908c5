"""Section 7: the Error shape, and no 5xx."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Silence
from petcheck.judging.apply import decide
from petcheck.judging.decision import Failed, Held, Undecided
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, Grounds, Problem
from petcheck.judging.rules import RULE
from petcheck.judging.rules.errors import error_in
from tests.judging.rules.said import ERROR, GET, GROUNDS, NEW, ORDERS, REMOVED, SILENT, by, page, posted, refused, text
from tests.support.exchanges import exchange, short


@pytest.mark.parametrize(
    ("requirement", "body", "problem", "part"),
    [
        ("ERROR-1", [], "the body is an array, []; expected an object", "body"),
        ("ERROR-1", b"null", "the body is null; expected an object", "body"),
        ("ERROR-1", "x", 'the body is a string, "x"; expected an object', "body"),
        ("ERROR-2", ERROR | {"code": 4}, "`code` is an integer, 4; expected a string", "body:/code"),
        ("ERROR-2", {"message": "y", "status": 400}, "the Error has no `code`", "body"),
        ("ERROR-3", ERROR | {"message": None}, "`message` is null; expected a string", "body:/message"),
        ("ERROR-3", {"code": "y", "status": 400}, "the Error has no `message`", "body"),
        ("ERROR-4", {"code": "y", "message": "x"}, "the Error has no `status`", "body"),
        (
            "ERROR-4",
            ERROR | {"status": "400"},
            '`status` is a string, "400"; expected the integer 400',
            "body:/status",
        ),
        (
            "ERROR-4",
            ERROR | {"status": 401},
            "`status` is 401; expected 400, the status of the response",
            "body:/status",
        ),
    ],
    ids=short,
)
def test_what_is_wrong_with_an_error(requirement: str, body: object, problem: str, part: str) -> None:
    found = refused(body)
    assert by(requirement, found) == Problem(problem, part)
    others = {"ERROR-1", "ERROR-2", "ERROR-3", "ERROR-4"} - {requirement}
    ruling = NOT_CONCERNED if requirement == "ERROR-1" else HOLDS
    assert {by(other, found) for other in others} == {ruling}


@pytest.mark.parametrize(
    "found", [refused(ERROR), refused(ERROR | {"status": 400.0, "more": []}), refused(ERROR | {"code": ""})]
)
def test_valid_errors(found: Exchange) -> None:
    assert [by(f"ERROR-{number}", found) for number in range(1, 5)] == [HOLDS] * 4


@pytest.mark.parametrize(
    "found",
    [
        page(),
        exchange(status=429, body=[]),
        exchange(status=422, body=[]),
        exchange(ORDERS, 400, []),
        exchange(GET, 404, [], path="/pets/abc"),
        refused(b"<html>"),
        SILENT,
    ],
    ids=range(7),
)
def test_where_no_error_is_required(found: Exchange) -> None:
    assert error_in(found, GROUNDS) is None
    assert [by(f"ERROR-{number}", found) for number in range(1, 5)] == [NOT_CONCERNED] * 4


@pytest.mark.parametrize("number", range(1, 5))
def test_a_body_that_is_not_json_shows_no_error_and_others_do_not_make_up_for_it(number: int) -> None:
    rule, right = RULE[f"ERROR-{number}"], refused(ERROR)
    assert decide(rule, (right,), GROUNDS) == Held((right,))
    html = refused(b"<html>")
    left = decide(rule, (html, right, page()), GROUNDS)
    assert isinstance(left, Undecided)
    assert left.reason == 'POST /pets returned 400: the body is not JSON: it begins with "<html>"; see SERVICE-1.'
    assert left.examined == (right,)
    assert decide(rule, (page(), SILENT), GROUNDS) == Undecided("No 400, 401 or 404 with a JSON body was returned.")
    assert isinstance(decide(rule, (right, html, refused(b"7")), GROUNDS), Failed if number == 1 else Undecided)


@pytest.mark.parametrize("status", [500, 501, 502, 503, 599])
def test_a_server_error_is_never_documented(status: int) -> None:
    said = f"expected any status except 5xx (section 7), got {status}"
    for found in (exchange(ORDERS, status), exchange(GET, status, path="/pets/abc")):
        assert by("ERROR-5", found) == Problem(said, "status", "any status except 5xx")
    wrong = Problem(said, "status", "any status except 5xx", "a body that is not JSON")
    assert by("ERROR-5", posted(b"{", status)) == wrong
    plain = replace(wrong, sent='the name "Rex", `categoryId` 1 and status "sold"')
    assert by("ERROR-5", posted(NEW, status)) == plain


def test_other_statuses_are_not_server_errors() -> None:
    assert {by("ERROR-5", exchange(status=status)) for status in (200, 301, 404, 429, 499)} == {HOLDS}
    assert by("ERROR-5", SILENT) is NOT_CONCERNED


def test_another_requirement_judges_a_removed_operation() -> None:
    removed = Grounds(REMOVED)
    assert by("ERROR-5", exchange(GET, 500), removed) is NOT_CONCERNED
    assert by("ERROR-5", exchange(ORDERS, 500), removed) == Problem(
        "expected any status except 5xx (section 7), got 500", "status", "any status except 5xx"
    )


@pytest.mark.parametrize(
    ("found", "judged"),
    [
        (exchange(GET, Silence.TIMEOUT, path="/pets/x"), True),
        (exchange(path="/pets?limit=0", status=Silence.RESET), True),
        (exchange(ORDERS, Silence.RESET, path="/store/orders?page=1"), True),
        (SILENT, False),  # LIST-1
        (exchange(path="/pets?limit=0", status=Silence.RESET, credential=Credential.RANDOM), False),
    ],
)
def test_silence_is_no_answer_where_any_status_below_500_conforms(found: Exchange, judged: bool) -> None:
    assert isinstance(by("ERROR-5", found), Problem) is judged
    if judged:
        assert text("ERROR-5", found).startswith("expected any status except 5xx (section 7), got no answer")
