"""What waivers and gaps make of the verdicts of a run, and its exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any, TypeAlias

import pytest

from petcheck.judging.exits import exit_of, too_few
from petcheck.judging.verdicts import AppliedWaiver, Verdict, unjudged
from petcheck.judging.waivers import apply_waivers
from petcheck.spec.catalogue import catalogue
from petcheck.spec.outcomes import Exit, Outcome, Waiver

State: TypeAlias = Mapping[str, Any]

TODAY = date(2026, 11, 21)
LIST_3, LIST_4 = catalogue()["LIST-3"], catalogue()["LIST-4"]


# ---- waivers


YESTERDAY = date(2026, 11, 20)
EXPIRED = "The waiver ended after 2026-11-20: fix the server, or agree on a later day."
OPEN: tuple[Outcome, ...] = ("inconclusive", "not-run", "error")
STALE = "The waiver is stale: the requirement holds now. Remove it from the configuration. It broke."


def until(expires: date, target: str = "staging", requirement: str = "LIST-3") -> Waiver:
    return Waiver(requirement, target, "ticket 7", expires)


def waived(outcome: Outcome, *waivers: Waiver) -> Verdict:
    [settled] = apply_waivers([unjudged(LIST_3, "staging", outcome, "It broke.")], waivers, today=TODAY)
    return settled


@pytest.mark.parametrize(
    ("outcome", "expires", "settled", "reason", "code"),
    [
        ("fail", TODAY, "waived", "Waived until 2026-11-21 (0 days left): ticket 7. It broke.", 0),
        ("fail", date(2026, 11, 22), "waived", "Waived until 2026-11-22 (1 day left): ticket 7. It broke.", 0),
        ("fail", YESTERDAY, "fail", f"It broke. {EXPIRED}", 1),
        ("pass", YESTERDAY, "pass", f"{EXPIRED} It broke.", 1),
        ("pass", TODAY, "pass", STALE, 1),
        *((one, TODAY, one, "It broke.", None) for one in OPEN),
        ("error", YESTERDAY, "error", "It broke.", None),
    ],
)
def test_a_waiver(outcome: Outcome, expires: date, settled: Outcome, reason: str, code: int | None) -> None:
    verdict = waived(outcome, until(expires))
    assert (verdict.outcome, verdict.reason) == (settled, reason)
    assert verdict.waiver == AppliedWaiver("ticket 7", expires.isoformat())
    assert code is None or exit_of([verdict]) == code


@pytest.mark.parametrize("outcome", OPEN[:2])
def test_an_expired_waiver_fails_the_run_although_its_requirement_was_not_examined(outcome: Outcome) -> None:
    examined, expired = unjudged(LIST_4, "staging", "pass", ""), waived(outcome, until(YESTERDAY))
    assert (expired.outcome, expired.reason) == (outcome, f"{EXPIRED} It broke.")
    assert expired.waiver == AppliedWaiver("ticket 7", "2026-11-20", ended=True)
    for row in (expired, replace(expired, in_force=False)):
        assert exit_of([examined, row]) is Exit.FAILS
        assert exit_of([examined, row], chosen=("LIST-4",)) is Exit.HOLDS


def test_a_waiver_is_for_one_requirement_of_one_target() -> None:
    for other in (until(TODAY, "production"), until(TODAY, requirement="LIST-4")):
        assert (waived("fail", other).outcome, waived("fail", other).waiver) == ("fail", None)


def test_each_verdict_has_its_own_waiver() -> None:
    broken = [unjudged(LIST_4, "staging", "fail", "It broke."), unjudged(LIST_3, "staging", "fail", "It broke.")]
    settled = apply_waivers(broken, [until(TODAY)], today=TODAY)
    assert [(one.id, one.outcome) for one in settled] == [("LIST-4", "fail"), ("LIST-3", "waived")]


def test_a_renewed_waiver_replaces_the_expired_one() -> None:
    for waivers in ((until(YESTERDAY), until(TODAY)), (until(TODAY), until(YESTERDAY))):
        assert waived("fail", *waivers).outcome == "waived"


# ---- gaps


def gap(expires: date) -> Waiver:
    return replace(until(expires), gap=True)


def test_a_gap_accepts_that_a_requirement_was_not_examined_until_its_day() -> None:
    examined = unjudged(LIST_4, "staging", "pass", "")
    for outcome in OPEN[:2]:
        accepted = waived(outcome, gap(TODAY))
        assert accepted.outcome == outcome
        assert accepted.reason == "Accepted as a gap until 2026-11-21 (0 days left): ticket 7. It broke."
        assert accepted.waiver == AppliedWaiver("ticket 7", "2026-11-21", gap=True)
        assert exit_of([examined, accepted], strict=True) is Exit.HOLDS
        expired = waived(outcome, gap(YESTERDAY))
        assert expired.waiver == AppliedWaiver("ticket 7", "2026-11-20", gap=True, ended=True)
        assert expired.reason.startswith(
            "The gap ended after 2026-11-20: have the requirement examined, or agree on a later day. It "
        )
        assert exit_of([examined, expired], strict=True) is exit_of([examined, expired]) is Exit.FAILS
        assert exit_of([examined, expired], chosen=("LIST-4",)) is Exit.HOLDS
        assert exit_of([examined, waived(outcome, until(TODAY))], strict=True) is Exit.UNSETTLED


def test_a_gap_says_nothing_of_an_error() -> None:
    verdict = waived("error", gap(TODAY))
    assert (verdict.outcome, verdict.reason) == ("error", "It broke.")


def test_a_gap_of_what_is_examined_is_stale_and_fails_the_run() -> None:
    stale = "The gap is stale: the requirement is examined now. Remove it from the configuration."
    reasons: dict[Outcome, str] = {"pass": f"{stale} It broke.", "fail": f"It broke. {stale}"}
    for outcome, reason in reasons.items():
        for day in (TODAY, YESTERDAY):
            verdict = waived(outcome, gap(day))
            assert (verdict.outcome, verdict.reason, verdict.waiver) == (
                outcome,
                reason,
                AppliedWaiver("ticket 7", day.isoformat(), gap=True),
            )
            assert exit_of([verdict]) is Exit.FAILS


def test_beside_a_gap_a_waiver_covers_the_failure() -> None:
    both = (gap(TODAY), until(TODAY))
    assert [waived(outcome, *both).outcome for outcome in ("fail", "not-run")] == ["waived", "not-run"]
    assert exit_of([waived("not-run", *both), *verdicts("pass")], strict=True) is Exit.HOLDS


# ---- exit codes


@pytest.mark.parametrize(
    ("least", "code"),
    [("3", Exit.HOLDS), ("4", Exit.UNSETTLED), ("75%", Exit.HOLDS), ("76%", Exit.UNSETTLED), ("100%", Exit.UNSETTLED)],
)
def test_the_least_that_each_target_has_to_examine(least: str, code: Exit) -> None:
    outside = replace(unjudged(LIST_3, "staging", "not-run", ""), in_force=False)
    examined = [*verdicts("pass", "waived", "pass", "inconclusive"), outside]
    assert exit_of(examined, min_examined=least) is code
    other = [unjudged(LIST_3, "production", "pass", "")] * 9 + [unjudged(LIST_3, "production", "not-run", "")]
    assert exit_of([*examined, *other], min_examined=least) is code
    assert exit_of([*examined, *verdicts("fail")], min_examined=least) is Exit.FAILS


def test_the_least_is_a_number_or_an_exact_share_of_each_target() -> None:
    other = [unjudged(LIST_3, "production", outcome, "") for outcome in (*("pass",) * 100, "not-run")]
    rows = [*verdicts("pass", "not-run"), *other]
    assert too_few(rows, None) == too_few(rows, "1") == too_few(rows, "50%") == {}
    assert too_few(rows, "2") == too_few(rows, "51%") == {"staging": (1, 2)}
    assert too_few(rows, "100%") == {"staging": (1, 2), "production": (100, 101)}


def verdicts(*outcomes: Outcome) -> list[Verdict]:
    return [unjudged(LIST_3, "staging", outcome, "") for outcome in outcomes]


GONE: State = {"untestable": True}


@pytest.mark.parametrize(
    ("outcomes", "state", "code"),
    [
        ((), {}, Exit.NOTHING_SELECTED),
        (("inconclusive", "not-run"), {}, Exit.NOTHING_SELECTED),
        (("inconclusive",), {"strict": True}, Exit.NOTHING_SELECTED),
        (("pass",), {}, Exit.HOLDS),
        (("waived",), {}, Exit.HOLDS),
        (("pass", "inconclusive", "not-run", "waived"), {}, Exit.HOLDS),
        (("pass", "fail"), {}, Exit.FAILS),
        (("fail", "error"), {}, Exit.FAILS),
        (("fail", "not-run"), {"strict": True}, Exit.FAILS),
        (("fail",), {"broken": True, "interrupted": True, "nothing_selected": True}, Exit.BROKE),
        (("fail",), {"interrupted": True, "nothing_selected": True}, Exit.INTERRUPTED),
        (("fail",), {"nothing_selected": True}, Exit.NOTHING_SELECTED),
        (("error",), {}, Exit.BROKE),
        (("pass", "error"), {"strict": True}, Exit.BROKE),
        (("error",), GONE, Exit.UNTESTABLE),
        (("error", "fail"), GONE, Exit.FAILS),
        (("pass",), GONE, Exit.UNTESTABLE),
        (("not-run",), {"strict": True, "untestable": True}, Exit.UNTESTABLE),
        (("pass", "waived"), {"strict": True}, Exit.HOLDS),
        (("pass", "inconclusive"), {"strict": True}, Exit.UNSETTLED),
        (("waived", "not-run"), {"strict": True}, Exit.UNSETTLED),
    ],
)
def test_exit_codes(outcomes: tuple[Outcome, ...], state: State, code: Exit) -> None:
    assert exit_of(verdicts(*outcomes), **state) is code
    assert exit_of(verdicts(*reversed(outcomes)), **state) is code


def test_a_requirement_not_in_force_is_never_unsettled() -> None:
    for outcome in OPEN[:2]:
        outside = replace(verdicts(outcome)[0], in_force=False)
        assert exit_of([*verdicts("pass"), outside], strict=True) is Exit.HOLDS


def test_only_what_was_chosen_decides_whether_something_was_examined() -> None:
    passed, open_ = unjudged(LIST_4, "staging", "pass", ""), unjudged(LIST_4, "staging", "not-run", "")
    assert exit_of([passed, *verdicts("inconclusive")], chosen=("LIST-3",)) is Exit.NOTHING_SELECTED
    assert exit_of([passed, *verdicts("pass")], chosen=("LIST-3",)) is Exit.HOLDS
    assert exit_of([open_, *verdicts("pass")], chosen=("LIST-3",), strict=True) is Exit.HOLDS
    assert exit_of([open_, *verdicts("pass", "not-run")], chosen=("LIST-3",), strict=True) is Exit.UNSETTLED
    assert exit_of([passed], chosen=()) is Exit.NOTHING_SELECTED
