"""Section 9: the base URL."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.exchange import Exchange, Silence
from petcheck.judging.apply import decide
from petcheck.judging.decision import Decision, Failed, Held, Undecided
from petcheck.judging.rules import RULE
from petcheck.spec.operations import Operation
from tests.judging.rules.said import GET, GROUNDS, LIST, ORDERS
from tests.support.exchanges import exchange


def at(url: str, operation: Operation = LIST) -> Exchange:
    found = exchange(operation)
    return replace(found, request=replace(found.request, url=url))


def decided(*record: Exchange) -> Decision:
    return decide(RULE["VERSION-1"], record, GROUNDS)


@pytest.mark.parametrize(
    "found",
    [
        at("https://h/v1/pets"),
        at("https://h/api/v1/pets?limit=1&x=/v2"),
        at("https://h/v1/pets/v2", GET),
        at("https://h/v1/store/orders", ORDERS),
    ],
    ids=range(4),
)
def test_a_base_url_of_this_version(found: Exchange) -> None:
    assert decided(exchange(LIST, Silence.RESET), found, found) == Held((found,))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (at("https://h/v2/pets"), "The base URL https://h/v2 does not end in /v1 (section 9)."),
        (at("https://h/pets?limit=1"), "The base URL https://h does not end in /v1 (section 9)."),
        (
            at("https://h/xv1/pets/v1", GET),
            "The base URL https://h/xv1 does not end in /v1 (section 9).",
        ),
        (
            at("https://h/v1/store/store/orders", ORDERS),
            "The base URL https://h/v1/store does not end in /v1 (section 9).",
        ),
    ],
    ids=range(4),
)
def test_another_base_url(found: Exchange, said: str) -> None:
    decision = decided(found)
    assert isinstance(decision, Failed)
    assert (decision.text, [proof.exchange for proof in decision.proofs], decision.examined) == (
        said,
        [found],
        (found,),
    )


def test_without_an_answer_nothing_is_decided() -> None:
    assert decided(exchange(LIST, Silence.RESET)) == Undecided("No request got an answer.")
