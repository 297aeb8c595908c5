"""Open points are compared by what was observed, not by its words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.comparison.open_points import ComparedPoints, compare_open_points
from petcheck.comparison.page_sizes import page_sizes_in
from petcheck.exchange import Exchange
from petcheck.judging.observations import ObservedAnswer
from petcheck.results.result import Observation
from tests.comparison.test_pairing import listed, record_of
from tests.support.trial import judge_in_place, server


def observed(value: str, *answers: ObservedAnswer, seen: bool = True) -> Observation:
    return Observation("limit-zero", "4.1", "staging", value, "What?", (0,), seen, answers)


def compared(*rows: Observation, sent: tuple[Exchange, ...] = ()) -> ComparedPoints:
    records = [record_of(one) for one in sent] or [record_of() for _ in rows]
    pages = [page_sizes_in(one) for one in records]
    return compare_open_points([{row.id: row} for row in rows], ["" for _ in rows], records, pages)


def standing(made: ComparedPoints) -> str:
    [name] = [name for name in ("differing", "one_sided", "agreed") if getattr(made, name)]
    return name


OK = ObservedAnswer(200, animals=20)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((observed("by id"), observed("by id")), "agreed"),
        ((observed("by id"), observed("not by id")), "differing"),
        ((observed("by id"), observed("too few", seen=False)), "one_sided"),
        ((observed("too few", seen=False), observed("nothing was received", seen=False)), "agreed"),
        ((observed("not observed: so it says"), observed("by id")), "differing"),
        ((observed("200 OK, 20 animals", OK), observed("200 Fine, 3 animals", ObservedAnswer(200, 3))), "agreed"),
        ((observed("200 OK, 20 animals", OK), observed("200 OK", ObservedAnswer(200))), "differing"),
        ((observed("200 OK, 20 animals", OK), observed("400 Bad", ObservedAnswer(400))), "differing"),
        ((observed("x, 20 animals"), observed("x, 3 animals")), "differing"),
        ((observed("200, array", ObservedAnswer(200, detail="array")),
          observed("200, text", ObservedAnswer(200, detail="text"))), "differing"),
        ((observed("a: 404", ObservedAnswer(404, asked="a")),
          observed("a: 404; b: 400", ObservedAnswer(404, asked="a"), ObservedAnswer(400, asked="b"))), "agreed"),
        ((observed("a: 404", ObservedAnswer(404, asked="a")), observed("b: 404", ObservedAnswer(404, asked="b"))),
         "differing"),
    ],
)  # fmt: skip
def test_observations_decide(rows: tuple[Observation, ...], expected: str) -> None:
    assert standing(compared(*rows)) == expected


def test_pages_differ_if_one_server_cannot_return_both() -> None:
    full = [observed(f"200 OK, {size} animals", ObservedAnswer(200, size)) for size in (20, 10)]
    alike = compared(*full, sent=(listed(0, 20), listed(0, 10)))
    assert standing(alike) == "agreed"
    known = record_of(listed(0, 30, path="/pets?limit=100"), listed(1, 10))
    other = record_of(listed(0, 30, path="/pets?limit=100"), listed(1, 20))
    rows = [replace(one, exchanges=(1,)) for one in full]
    made = compare_open_points(
        [{row.id: row} for row in rows], ["", ""], [known, other], [page_sizes_in(known), page_sizes_in(other)]
    )
    assert standing(made) == "differing"


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
    assert [answer.status for answer in ids.answers] == [400, 400]
    assert rows["orders-payload"].value == f"200 OK, {rows['orders-payload'].answers[0].detail}"
