"""What a record alone shows, where no further request can be sent."""

from __future__ import annotations

from datetime import date
from unittest.mock import ANY

import pytest

from petcheck.exchange import Exchange, Silence
from petcheck.judging.judgement import Grounds
from petcheck.judging.record import finding_over, grounds_of
from petcheck.judging.verdicts import Finding
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import PLANS
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

DAY = date(2026, 1, 1)
CREATE, GET = Operation.CREATE_PET, Operation.GET_PET
REX = {"id": 7, "name": "Rex", "categoryId": 3}


def page(*animals: object, index: int = 0, query: str = "", sent: float = 0.0) -> Exchange:
    return exchange(path=f"/pets{query}", body=list(animals), index=index, sent=sent)


def found(name: str, *record: Exchange) -> Finding:
    return finding_over(catalogue()[name], "target", record, Grounds(DAY, listed=frozenset({7}), run="0a1b2c3d"))


def test_grounds_are_what_the_record_shows_and_the_user_said() -> None:
    made = exchange(CREATE, 201, {"id": 9, "name": "Tex", "categoryId": 5}, asked={"name": "Tex", "categoryId": 5})
    record = [page(REX), made]
    grounds = grounds_of(record, as_of=DAY, plan="pro", category_id=4, writes=True, run="0a1b2c3d", repeats=True)
    assert grounds == Grounds(
        DAY,
        PLANS["pro"],
        categories=frozenset({3, 4, 5}),
        listed=frozenset({7, 9}),
        writes=True,
        run="0a1b2c3d",
        repeats=True,
    )
    bare = grounds_of(record, as_of=DAY, plan=None, category_id=None, writes=False, run="", repeats=False)
    assert bare == Grounds(DAY, categories=frozenset({3, 5}), listed=frozenset({7, 9}))


def test_what_holds_passes_with_what_was_examined() -> None:
    record = (page(index=3, query="?limit=20"), page(REX, index=1))
    assert found("PETS-1", *record) == Finding(
        "the record", ("PETS-1",), "2", "target", "pass", "", 0.0, exchanges=(1, 3)
    )


def test_what_is_wrong_fails_with_the_simplest_request_first() -> None:
    short, long = page(5, index=4), page(6, index=2, query="?limit=100&status=sold")
    failed = found("PETS-1", long, short, page(REX, index=1))
    assert failed == Finding(
        "the record",
        ("PETS-1",),
        "2",
        "target",
        "fail",
        ANY,
        0.0,
        exchanges=(1, 2, 4),
        decisive=(4, 2),
        parts=("body:/0", "body:/0"),
    )
    assert failed.reason.startswith("GET /pets returned 200")


def test_what_proves_a_failure_is_part_of_its_evidence() -> None:
    lost = [exchange(GET, 404, {}, path="/pets/7", index=n, sent=at) for n, at in ((1, 1.0), (3, 11.2))]
    failed = found("GET-1", page(REX), lost[0], page(REX, index=2, sent=11.1), lost[1])
    assert (failed.outcome, failed.exchanges, failed.decisive) == ("fail", (2, 3), (3, 2))
    assert failed.parts == ("status", "body:/0")
    assert failed.expected == "200"


def test_a_silence_that_fails_is_unanswered() -> None:
    silent = exchange(status=Silence.TIMEOUT, index=0), exchange(status=Silence.TIMEOUT, index=1)
    failed = found("LIST-1", *silent)
    assert (failed.outcome, failed.unanswered) == ("fail", True)


@pytest.mark.parametrize(
    ("name", "outcome", "settled_by"),
    [("PETS-1", "inconclusive", None), ("RATE-5", "not-run", "--plan"), ("RATE-7", "not-run", "--exhaust-rate-limit")],
)
def test_what_was_not_shown_is_open(name: str, outcome: str, settled_by: str | None) -> None:
    finding = found(name, exchange(GET, 404, {}, path="/pets/1", index=5))
    assert (finding.outcome, finding.settled_by) == (outcome, settled_by)
    assert finding.reason


def test_a_question_stays_open_with_what_was_examined() -> None:
    record = [page(REX, index=0), exchange(GET, 200, {**REX, "name": "Tex"}, path="/pets/7", index=1, sent=1.0)]
    finding = found("GET-2", *record)
    assert (finding.outcome, finding.exchanges, finding.decisive) == ("inconclusive", (0, 1), ())
    assert finding.reason.startswith("The animal changes between requests")
