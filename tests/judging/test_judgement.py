"""Parts of exchanges, and which exchanges a rule concerns."""

from __future__ import annotations

from datetime import date

import pytest

from petcheck.exchange import Exchange
from petcheck.judging.decision import Rule, judged
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, Grounds, Judgement, Known, Problem, body, header
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange


def test_parts_of_an_exchange() -> None:
    assert [header("Date"), body(), body(0), body(0, "name")] == ["header:Date", "body", "body:/0", "body:/0/name"]


def test_a_problem_of_a_value_includes_its_path() -> None:
    assert Problem("wrong", "body").below(3) == Problem("wrong", "body:/3")
    assert Problem("wrong", "body:/name").below(3, "pet") == Problem("wrong", "body:/3/pet/name")
    assert Problem("wrong", "body:/a:b").below(3) == Problem("wrong", "body:/3/a:b")
    for part in ("", "status", "header:body", "body:/name"):
        assert Problem("wrong", part).below() == Problem("wrong", part)
    for part in ("", "status", "header:body"):
        assert Problem("wrong", part).below(3) == Problem("wrong", part)


@pytest.mark.parametrize(
    ("number", "ended", "known"),
    [
        (7, 0.0, True),  # listed, and created by no POST of the run
        (8, 6.0, True),
        (8, 5.0, False),  # the answer came before the POST was sent
        (0, 6.0, True),
        (0, 5.0, False),
        (9, 6.0, False),
        ("x", 6.0, False),
    ],
)
def test_an_animal_exists_if_it_is_known_and_was_not_created_after_the_answer(
    number: object, ended: float, known: bool
) -> None:
    grounds = Grounds(date(2026, 11, 21), listed=frozenset({0, 7, 8}), begun={0: 5.0, 8: 5.0})
    read = exchange(Operation.GET_PET, path=f"/pets/{number}", sent=ended - 1, took=1.0)
    assert grounds.has_animal_of(read) is known


def test_a_category_is_known_from_its_first_moment_to_its_last() -> None:
    grounds = Grounds(date(2026, 11, 21), categories={3: Known(1.0, 5.0)})
    assert [moment for moment in (0.9, 1.0, 5.0, 5.1) if grounds.categories_at(moment)] == [1.0, 5.0]


def test_each_exchange_that_a_rule_concerns_comes_with_its_problem() -> None:
    said: dict[int, Judgement] = {0: HOLDS, 1: NOT_CONCERNED, 2: Problem("wrong")}
    grounds = Grounds(date(2026, 11, 21))

    def one(found: Exchange, given: Grounds) -> Judgement:
        assert given is grounds
        return said[found.index]

    right, other, wrong = (exchange(index=index) for index in said)
    assert judged(Rule("LIST-1", one), [right, other, wrong], grounds) == [(right, None), (wrong, Problem("wrong"))]
    assert judged(Rule("LIST-1"), [right, other, wrong], grounds) == []


def test_a_rule_is_about_what_it_judges_and_one_that_needs_several_about_any() -> None:
    one, another = exchange(index=1), exchange(index=2)
    grounds = Grounds(date(2026, 11, 21))
    alone = Rule("LIST-1", lambda found, given: HOLDS if (found, given) == (one, grounds) else NOT_CONCERNED)
    assert [alone.is_about(each, grounds) for each in (one, another)] == [True, False]
    assert Rule("LIST-1").is_about(another, grounds)
