"""Several parts of a requirement as one decision."""

from __future__ import annotations

import pytest

from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Undecided, all_of
from tests.support.exchanges import exchange

ONE, TWO = exchange(index=1), exchange(index=2)
HELD, FAILED = Held((ONE, TWO)), Failed("It broke.", (Proof(ONE),))
ASK = Ask((ONE.request.call,), Undecided("Nobody answers."))
FIRST, SECOND = Undecided("Too few.", "--plan", (TWO,)), Undecided("None at all.", examined=(ONE,))


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([HELD, ASK, FAILED, Failed("Later.", (Proof(TWO),))], FAILED),
        ([HELD, FIRST, ASK, Ask((), FIRST)], ASK),
        ([HELD, Held((TWO, ONE, exchange(index=3)))], Held((ONE, TWO, exchange(index=3)))),
        ([FIRST, HELD], Undecided("Too few.", "--allow-writes", (TWO, ONE))),
        ([FIRST, SECOND, FIRST], Undecided("Too few. None at all.", "--allow-writes", (TWO, ONE))),
    ],
)
def test_the_gravest_part_decides_and_reasons_are_named_once(parts: list[Decision], whole: Decision) -> None:
    assert all_of(parts, "--allow-writes") == whole


def test_a_doubt_about_one_part_is_a_doubt_about_all() -> None:
    doubt = Undecided("It changes.", doubtful=True)
    for others in ([FIRST], [FIRST, HELD]):
        whole = all_of([doubt, *others])
        assert isinstance(whole, Undecided)
        assert whole.doubtful


def test_no_option_helps_unless_one_is_named() -> None:
    assert all_of([FIRST]) == Undecided("Too few.", None, (TWO,))
