"""A fault on another conforming ground: broken requirements fail, or are inconclusive if the ground hides the fault."""

from __future__ import annotations

import pytest

from petstore_reference.variations import VARIATIONS
from tools.grounds import GROUNDS, OVERT, Pair, document, drawn, judged

SAMPLE = drawn(1, seed=20)[::20]


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "ground"), SAMPLE, ids=[" on ".join(pair) for pair in SAMPLE])
def test_no_requirement_that_a_fault_breaks_passes(fault: str, ground: str) -> None:
    assert judged(fault, ground).wrong == {}


def test_each_fault_gets_its_own_grounds_and_all_grounds_are_used() -> None:
    pairs = drawn(3, seed=1)
    assert len(pairs) == len(set(pairs)) == 3 * len(OVERT)
    assert {ground for _, ground in pairs} == GROUNDS.keys()
    assert pairs != drawn(3, seed=2)
    assert {name for ground in GROUNDS.values() for name in ground.variations} <= VARIATIONS.keys()


def test_the_table_says_what_cannot_be_decided_where() -> None:
    pairs = [
        Pair("a", "12 animals", {"LIST-4": ("inconclusive", "16 animals are known. More.")}),
        Pair("b", "1 animal", {"LIST-4": ("inconclusive", "5 animals are known."), "LIST-1": ("fail", "wrong")}),
        Pair("c", "by-status", {"AUTH-1": ("pass", "Confirmed in 3 exchanges.")}),
    ]
    assert Pair("filter-fills-page", "3000 animals", {"LIST-7": ("pass", "Held.")}).wrong == {}
    assert pairs[2].wrong == {"AUTH-1": ("pass", "Confirmed in 3 exchanges.")}
    text = document(pairs)
    assert "- 3 pairs of a fault and a ground: 3 faults, 3 grounds." in text
    assert "- Verdicts: 1 fail, 2 inconclusive, 1 wrong." in text
    assert "- To investigate: `c` on by-status: AUTH-1 is pass." in text
    assert [line for line in text.splitlines() if line.startswith("| LIST")] == [
        "| LIST-4 | … animals are known | 1 animal, 12 animals |"
    ]
