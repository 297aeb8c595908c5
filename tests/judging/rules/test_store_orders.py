"""Section 4.4: GET /store/orders exists."""

from __future__ import annotations

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Silence
from petcheck.judging.apply import decide
from petcheck.judging.decision import Decision, Failed, Held, Undecided
from petcheck.judging.judgement import NOT_CONCERNED
from petcheck.judging.rules import RULE
from tests.judging.rules.said import GROUNDS, LIST, ORDERS, by, holds, text
from tests.support.exchanges import exchange


def decided(*record: Exchange) -> Decision:
    return decide(RULE["ORDERS-1"], record, GROUNDS)


@pytest.mark.parametrize("status", [200, 204, 299, 400, 403, 406, 422])
def test_an_answer_of_an_operation_that_exists(status: int) -> None:
    found = exchange(ORDERS, status)
    assert holds("ORDERS-1", found)
    assert decided(exchange(ORDERS, 302), found) == Held((found,))


@pytest.mark.parametrize("status", [404, 405, 500, 501, 503, Silence.TIMEOUT])
def test_an_answer_of_an_operation_that_does_not_exist(status: int | Silence) -> None:
    said = text("ORDERS-1", exchange(ORDERS, status))
    assert said.startswith("expected any status except 404, 405 and 5xx (section 4.4), got ")
    assert isinstance(decided(exchange(ORDERS, status), exchange(ORDERS, 200)), Failed)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (300, "GET /store/orders returned 300, which does not show whether it exists."),
        (399, "GET /store/orders returned 399, which does not show whether it exists."),
        (401, "GET /store/orders returned 401, which does not show whether it exists; see AUTH-7."),
        (429, "GET /store/orders returned 429, which does not show whether it exists."),
    ],
)
def test_an_answer_that_proves_nothing(status: int, said: str) -> None:
    assert by("ORDERS-1", exchange(ORDERS, status)) is NOT_CONCERNED
    assert decided(exchange(LIST), exchange(ORDERS, status)) == Undecided(said)


def test_other_requests_prove_nothing_about_orders() -> None:
    nothing = Undecided("No GET /store/orders got an answer.")
    assert decided(exchange(LIST), exchange(ORDERS, 404, credential=Credential.MISSING)) == nothing
