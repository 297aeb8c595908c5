"""What every response must meet is judged over all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import pytest

from petcheck.exchange import Exchange, Operation
from petcheck.judging.overall import hold, hold_everywhere, simplicity
from petcheck.judging.rules import Grounds, Rule
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


def test_the_simplest_request_is_told_first() -> None:
    paths = ["/pets?limit=100&status=sold", "/pets?limit=7", "/pets", "/pets?limit=8"]
    rows = [(exchange(path=path, index=n), f"problem {n}") for n, path in enumerate(paths)]
    with pytest.raises(Breach) as breach:
        hold_everywhere(Evidence(), rows, section="4.1", nothing="")
    assert breach.value.message == (
        "GET /pets, answered 200: problem 2 (section 4.1); "
        "the like in GET /pets?limit=7, GET /pets?limit=8, GET /pets?limit=100&status=sold."
    )
    assert [shown.index for shown in breach.value.decisive] == [2, 1, 3, 0]


def test_a_body_counts_in_how_simple_a_request_is_and_the_earlier_of_equals_comes_first() -> None:
    bodies = [b"{}", None, b"", b"{ }", b"{}"]
    posts = [exchange(Operation.CREATE_PET, asked=body, index=n) for n, body in enumerate(bodies)]
    assert [post.index for post in sorted(posts, key=simplicity)] == [1, 2, 0, 4, 3]
    url = len(posts[0].request.url)
    assert [simplicity(post) for post in posts] == [(url + n, at) for at, n in enumerate((2, 0, 0, 3, 2))]


def test_at_most_ten_exchanges_decide() -> None:
    with pytest.raises(Breach) as breach:
        hold_everywhere(Evidence(), judged(*["wrong"] * 12), section="7", nothing="")
    assert len(breach.value.decisive) == 10


def test_the_fourth_other_is_counted() -> None:
    with pytest.raises(Breach) as breach:
        hold_everywhere(Evidence(), judged(*["wrong"] * 5), section="7", nothing="")
    assert breach.value.message.endswith(", GET /pets?limit=3 and 1 more.")


def test_three_others_are_named_without_a_count() -> None:
    with pytest.raises(Breach) as breach:
        hold_everywhere(Evidence(), judged(*["wrong"] * 4), section="7", nothing="")
    assert breach.value.message.endswith("; the like in GET /pets?limit=1, GET /pets?limit=2, GET /pets?limit=3.")


def test_a_rule_holds_with_its_section_and_its_words() -> None:
    said = {0: None, 1: "", 2: "it is wrong"}
    asked: list[Grounds] = []

    def judge(exchange: Exchange, grounds: Grounds) -> str | None:
        asked.append(grounds)
        return said[exchange.index]

    rule, grounds, evidence = Rule("LIST-1", "4.1", "No page came.", judge), Grounds(date(2026, 1, 1)), Evidence()
    seen = [exchange(index=n) for n in range(3)]
    hold(evidence, rule, seen[:2], grounds)
    assert evidence.examined == [1]
    with pytest.raises(Inconclusive) as open_:
        hold(evidence, rule, seen[:1], grounds)
    assert open_.value.reason == "No page came."
    with pytest.raises(Breach) as breach:
        hold(evidence, rule, seen, grounds)
    assert breach.value.message == "GET /pets, answered 200: it is wrong (section 4.1)."
    assert asked == [grounds] * 6


def test_the_same_request_is_not_named_twice() -> None:
    twice = [(exchange(Operation.STORE_ORDERS, 500, index=n), "wrong") for n in range(2)]
    with pytest.raises(Breach) as breach:
        hold_everywhere(Evidence(), twice, section="7", nothing="")
    assert breach.value.message == "GET /store/orders, answered 500: wrong (section 7)."
