"""Which waivers a server needs now."""

from __future__ import annotations

from datetime import date

import pytest

from petcheck.judging.waivers import revised
from petcheck.spec.outcomes import Outcome, Waiver

OLD, NEW = date(2027, 1, 1), date(2027, 6, 1)


def waiver(requirement: str, target: str = "staging", expires: date = OLD) -> Waiver:
    return Waiver(requirement, target, "agreed", expires)


def new(requirement: str, target: str = "staging") -> Waiver:
    return Waiver(requirement, target, "now", NEW)


def after(waivers: list[Waiver], outcomes: dict[tuple[str, str], Outcome]) -> tuple[Waiver, ...]:
    return revised(waivers, outcomes, reason="now", expires=NEW)


def test_a_failure_gets_a_waiver() -> None:
    assert after([], {("LIST-4", "staging"): "fail", ("LIST-5", "staging"): "pass"}) == (new("LIST-4"),)


def test_one_that_stands_is_kept_as_it_is_and_comes_first() -> None:
    kept = waiver("LIST-5")
    assert after([kept], {("LIST-4", "staging"): "fail", ("LIST-5", "staging"): "waived"}) == (kept, new("LIST-4"))


def test_a_stale_one_is_removed() -> None:
    assert after([waiver("LIST-4"), waiver("LIST-5")], {("LIST-4", "staging"): "pass"}) == (waiver("LIST-5"),)


def test_an_expired_one_is_replaced() -> None:
    expired = [waiver("LIST-4"), waiver("LIST-4", expires=date(2026, 1, 1))]
    assert after(expired, {("LIST-4", "staging"): "fail"}) == (new("LIST-4"),)


@pytest.mark.parametrize("outcome", ["inconclusive", "not-run", "error"])
def test_one_that_was_not_examined_is_kept(outcome: Outcome) -> None:
    assert after([waiver("LIST-4")], {("LIST-4", "staging"): outcome}) == (waiver("LIST-4"),)


def test_targets_are_kept_apart() -> None:
    outcomes: dict[tuple[str, str], Outcome] = {
        ("LIST-4", "staging"): "pass",
        ("LIST-4", "production"): "fail",
        ("LIST-5", "production"): "pass",
    }
    before = [waiver("LIST-4"), waiver("LIST-4", "elsewhere"), waiver("LIST-5")]
    assert after(before, outcomes) == (waiver("LIST-4", "elsewhere"), waiver("LIST-5"), new("LIST-4", "production"))
