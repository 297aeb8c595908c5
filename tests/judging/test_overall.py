"""What every response must meet is judged over all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from petcheck.exchange import Exchange, Operation
from petcheck.judging.overall import hold_everywhere
from petcheck.judging.verdicts import Breach, Inconclusive

from .exchanges import exchange


@dataclass
class Evidence:
    examined: list[int] = field(default_factory=list)

    def examine(self, exchange: Exchange) -> Exchange:
        self.examined.append(exchange.index)
        return exchange


def judged(*problems: str | None) -> list[tuple[Exchange, str | None]]:
    return [(exchange(path=f"/pets?limit={n}", index=n), problem) for n, problem in enumerate(problems)]


def test_all_that_hold_are_evidence() -> None:
    evidence = Evidence()
    hold_everywhere(evidence, judged(None, None), section="7", nothing="none came")
    assert evidence.examined == [0, 1]


def test_nothing_to_judge() -> None:
    with pytest.raises(Inconclusive) as open_:
        hold_everywhere(Evidence(), [], section="7", nothing="none came")
    assert open_.value.reason == "none came"


def test_the_first_problem_is_told_and_the_others_are_named() -> None:
    evidence = Evidence()
    with pytest.raises(Breach) as breach:
        hold_everywhere(evidence, judged(None, "it is wrong", None, *["too"] * 5), section="7", nothing="")
    assert breach.value.message == (
        "GET /pets?limit=1, answered 200: it is wrong (section 7); "
        "the like in GET /pets?limit=3, GET /pets?limit=4, GET /pets?limit=5 and 2 more."
    )
    assert [shown.index for shown in breach.value.decisive] == [1, 3, 4, 5, 6, 7]
    assert evidence.examined == list(range(8))


def test_the_same_request_is_not_named_twice() -> None:
    twice = [(exchange(Operation.STORE_ORDERS, 500, index=n), "wrong") for n in range(2)]
    with pytest.raises(Breach) as breach:
        hold_everywhere(Evidence(), twice, section="7", nothing="")
    assert breach.value.message == "GET /store/orders, answered 500: wrong (section 7)."
