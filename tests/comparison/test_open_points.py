"""Open points are compared by what was observed, not by its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from petcheck.comparison.open_points import compare_open_points
from petcheck.exchange import Exchange
from petcheck.judging.observations import ObservedAnswer
from petcheck.results.findings import Observation
from tests.comparison.test_pairing import listed, record_of
from tests.support.trial import judge_in_place, server


def observed(value: str, *answers: ObservedAnswer, seen: bool = True) -> Observation:
    return Observation("limit-zero", "4.1", "staging", value, "What?", (0,), seen, answers)


def agreement(rows: Sequence[Observation], *sides: tuple[Exchange, ...]) -> str:
    """How the rows agree; of each side its exchanges, by default none."""
    records = [record_of(*sent, run="") for sent in sides or [()] * len(rows)]
    [point] = compare_open_points([{row.id: row} for row in rows], records)
    return point.agreement


OK = ObservedAnswer(200, animals=20)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((observed("by id"), observed("by id")), "agreed"),
        ((observed("by id"), observed("not by id")), "contradicted"),
        ((observed("by id"), observed("too few", seen=False)), "one-sided"),
        ((observed("too few", seen=False), observed("nothing was received", seen=False)), "agreed"),
        ((observed("not observed: so it says"), observed("by id")), "contradicted"),
        ((observed("200 OK, 20 animals", OK), observed("200 Fine, 3 animals", ObservedAnswer(200, 3))), "agreed"),
        ((observed("200 OK, 20 animals", OK), observed("200 OK", ObservedAnswer(200))), "contradicted"),
        ((observed("200 OK, 20 animals", OK), observed("400 Bad", ObservedAnswer(400))), "contradicted"),
        ((observed("x, 20 animals"), observed("x, 3 animals")), "contradicted"),
        ((observed("200, array", ObservedAnswer(200, detail="array")),
          observed("200, text", ObservedAnswer(200, detail="text"))), "contradicted"),
        ((observed("a: 404", ObservedAnswer(404, asked="a")),
          observed("a: 404; b: 400", ObservedAnswer(404, asked="a"), ObservedAnswer(400, asked="b"))), "agreed"),
        ((observed("a: 404", ObservedAnswer(404, asked="a")), observed("b: 404", ObservedAnswer(404, asked="b"))),
         "contradicted"),
    ],
)  # fmt: skip
def test_observations_decide(rows: tuple[Observation, ...], expected: str) -> None:
    assert agreement(rows) == expected


def test_pages_differ_if_one_server_cannot_return_both() -> None:
    full = [observed(f"200 OK, {size} animals", ObservedAnswer(200, size)) for size in (20, 10)]
    assert agreement(full, (listed(0, 20),), (listed(0, 10),)) == "agreed"
    known = listed(0, 30, path="/pets?limit=100")
    rows = [replace(one, exchanges=(1,)) for one in full]
    assert agreement(rows, (known, listed(1, 10)), (known, listed(1, 20))) == "contradicted"


def test_a_run_writes_what_it_observed_as_data() -> None:
    with server() as url:
        result = judge_in_place(url, "--examples", "60").result
    rows = {row.id: row for row in result.observations}
    assert not rows["name-beyond-ascii"].seen
    assert not rows["rate-limit-body"].seen
    for name in ("limit-zero", "orders-payload", "pet-id-not-int64"):
        assert rows[name].seen
        assert rows[name].answers
    ids = rows["pet-id-not-int64"]
    assert ids.value == "; ".join(f"{answer.asked}: 400 Bad Request" for answer in ids.answers)
    assert {answer.status for answer in ids.answers} == {400}
    assert rows["orders-payload"].value == f"200 OK, {rows['orders-payload'].answers[0].detail}"
