"""From findings to verdicts, and from verdicts to the exit code."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from petcheck.errors import Inconclusive, NotRun
from petcheck.exchange import Silence
from petcheck.judging.verdicts import Finding, RunState, Verdict, apply_waivers, exit_of, roll_up, settle_silence
from petcheck.spec.catalogue import Requirement, catalogue
from petcheck.spec.outcomes import Exit, Outcome, Waiver
from tests.support.exchanges import exchange

TODAY = date(2026, 11, 21)
LIST_3, LIST_4 = catalogue()["LIST-3"], catalogue()["LIST-4"]


def finding(outcome: Outcome, reason: str = "", *, exchanges: tuple[int, ...] = (), **more: object) -> Finding:
    return Finding("c", ("LIST-3",), "4.1", "staging", outcome, reason, 0.1, exchanges, **more)  # type: ignore[arg-type]


def rolled(
    *findings: Finding, requirement: Requirement = LIST_3, as_of: date = TODAY, untestable: bool = False
) -> Verdict:
    return roll_up(requirement, "staging", findings, as_of=as_of, missing="no check ran", untestable=untestable)


PASS = finding("pass", exchanges=(1, 2))
FAIL = finding("fail", "It broke.", exchanges=(3,), decisive=(3,))
OPEN = finding("inconclusive", "Nothing to see.", settled_by="--allow-writes")
NOT_RUN = finding("not-run", "Not allowed.", settled_by="--plan")
ERROR = finding("error", "We broke.")
ON_TOP = replace(finding("inconclusive", "No example."), on_top=True)


@pytest.mark.parametrize(
    ("findings", "outcome", "reason"),
    [
        ([PASS], "pass", "Confirmed in 2 exchanges."),
        ([finding("pass", exchanges=(4,))], "pass", "Confirmed in 1 exchange."),
        ([FAIL], "fail", "It broke."),
        ([OPEN], "inconclusive", "Nothing to see. Run with --allow-writes."),
        ([NOT_RUN], "not-run", "Not allowed. Name it with --plan."),
        ([ERROR], "error", "We broke."),
        ([PASS, FAIL], "fail", "It broke."),
        ([PASS, ERROR], "error", "We broke."),
        ([FAIL, ERROR], "fail", "It broke."),
        ([PASS, OPEN], "inconclusive", "Nothing to see. Otherwise confirmed in 2 exchanges. Run with --allow-writes."),
        (
            [PASS, OPEN, NOT_RUN],
            "inconclusive",
            "Nothing to see. Otherwise confirmed in 2 exchanges. Run with --allow-writes.",
        ),
        ([PASS, ON_TOP], "pass", "Confirmed in 2 exchanges."),
        (
            [PASS, ON_TOP, OPEN],
            "inconclusive",
            "Nothing to see. Otherwise confirmed in 2 exchanges. Run with --allow-writes.",
        ),
        ([ON_TOP, NOT_RUN], "inconclusive", "No example."),
        ([PASS, NOT_RUN], "pass", "Confirmed in 2 exchanges. Not examined: Not allowed. Name it with --plan."),
        ([OPEN, NOT_RUN], "inconclusive", "Nothing to see. Run with --allow-writes."),
        ([ERROR, OPEN], "error", "We broke."),
        ([PASS, FAIL, ERROR, OPEN, NOT_RUN], "fail", "It broke."),
        ([], "not-run", "no check ran"),
    ],
)
def test_the_table(findings: list[Finding], outcome: Outcome, reason: str) -> None:
    verdict = rolled(*findings)
    assert (verdict.outcome, verdict.reason) == (outcome, reason)
    assert rolled(*reversed(findings)).outcome == outcome
    assert (verdict.requirement, verdict.target, verdict.findings) == (LIST_3, "staging", tuple(findings))


def test_an_untestable_target_without_checks_is_an_error() -> None:
    assert rolled(untestable=True).outcome == "error"


def test_reasons_are_named_once_and_three_at_most() -> None:
    many = [finding("fail", f"Reason {number}.") for number in (1, 1, 2, 3, 4, 5)]
    assert rolled(*many).reason == "Reason 1. Reason 2. Reason 3. And 2 more."
    assert rolled(*many[:5]).reason == "Reason 1. Reason 2. Reason 3. And 1 more."
    assert rolled(*many[:4]).reason == "Reason 1. Reason 2. Reason 3."


def test_evidence_is_collected_in_order() -> None:
    verdict = rolled(FAIL, PASS, finding("pass", exchanges=(2, 0)))
    assert (verdict.exchanges, verdict.decisive) == ((0, 1, 2, 3), (3,))


def test_the_option_that_settles_it_is_kept() -> None:
    assert rolled(OPEN, NOT_RUN).settled_by == "--allow-writes"
    assert rolled(PASS, NOT_RUN).settled_by == "--plan"
    assert rolled(FAIL).settled_by is None


def test_a_requirement_not_in_force_is_not_run_even_if_a_check_failed() -> None:
    removal = date(2030, 12, 5)
    get, removed = catalogue()["GET-1"], catalogue()["GET-4"]
    before, after = date(2030, 12, 4), removal
    assert rolled(FAIL, requirement=get, as_of=before).outcome == "fail"
    assert rolled(FAIL, requirement=removed, as_of=after).outcome == "fail"
    late, early = rolled(FAIL, requirement=get, as_of=after), rolled(FAIL, requirement=removed, as_of=before)
    assert (late.outcome, late.in_force, late.reason) == (
        "not-run",
        False,
        "Not in force on 2030-12-05: it ended on 2030-12-05.",
    )
    assert (early.outcome, early.in_force, early.reason) == (
        "not-run",
        False,
        "Not in force on 2030-12-04: it starts on 2030-12-05.",
    )
    assert (late.requirement, late.target, late.findings) == (get, "staging", (FAIL,))


def test_what_no_check_can_observe_says_why() -> None:
    verdict = rolled(requirement=catalogue()["RATE-10"], untestable=True)
    assert (verdict.requirement, verdict.target) == (catalogue()["RATE-10"], "staging")
    assert (verdict.outcome, verdict.in_force) == ("not-run", False)
    assert verdict.reason.startswith("Not testable. petcheck never uses up a day's quota")


def test_the_check_names_the_option_that_settles_it() -> None:
    assert (NotRun("No.", "--plan").settled_by, Inconclusive("Why?").settled_by) == ("--plan", None)


# ---- silence


def test_silence_counts_only_if_the_target_answered_afterwards() -> None:
    silent = finding("fail", "No answer.", decisive=(1,), unanswered=True)
    dead = [exchange(index=0), exchange(status=Silence.TIMEOUT, index=1)]
    alive = [*dead, exchange(status=500, index=2)]
    assert settle_silence([silent], alive) == [silent]
    assert settle_silence([silent], dead) == [
        replace(silent, outcome="error", reason="No answer. The target answered nothing after that.")
    ]


def test_an_answer_among_the_deciding_exchanges_counts_as_later_answer() -> None:
    silent = finding("fail", "No answer.", decisive=(0, 1), unanswered=True)
    assert settle_silence([silent], [exchange(status=Silence.TIMEOUT), exchange(index=1)]) == [silent]


def test_silence_of_a_dead_target_is_an_error() -> None:
    silent = finding("fail", "No answer.", decisive=(0,), unanswered=True)
    assert [found.outcome for found in settle_silence([silent], [exchange(status=Silence.RESET)])] == ["error"]


def test_a_failure_without_silence_stays_a_failure() -> None:
    loud = finding("fail", "Wrong.", decisive=(1,))
    assert settle_silence([loud, PASS], [exchange(status=Silence.RESET, index=1)]) == [loud, PASS]


# ---- waivers


YESTERDAY = date(2026, 11, 20)


def until(expires: date, target: str = "staging") -> Waiver:
    return Waiver("LIST-3", target, "ticket 7", expires)


def waived(outcome: Outcome, *waivers: Waiver) -> Verdict:
    verdict = Verdict(LIST_3, "staging", outcome, "It broke.")
    (settled,) = apply_waivers([verdict], waivers, today=TODAY)
    return settled


def test_a_waiver_in_force_covers_a_failure_to_its_last_day() -> None:
    verdict = waived("fail", until(TODAY))
    assert (verdict.outcome, verdict.waiver, verdict.waiver_trouble) == ("waived", until(TODAY), None)
    assert verdict.reason == "Waived until 2026-11-21 (0 days left): ticket 7. It broke."
    assert exit_of([verdict], RunState()) is Exit.HOLDS


def test_a_waiver_that_expired_covers_nothing() -> None:
    verdict = waived("fail", until(YESTERDAY))
    assert (verdict.outcome, verdict.reason, verdict.waiver) == ("fail", "It broke.", until(YESTERDAY))
    assert verdict.waiver_trouble == "The waiver expired on 2026-11-20: fix the server, or agree on a new one."


def test_an_expired_waiver_is_reported_even_if_the_requirement_holds() -> None:
    verdict = waived("pass", until(YESTERDAY))
    assert (verdict.outcome, verdict.waiver) == ("pass", until(YESTERDAY))
    assert verdict.waiver_trouble == "The waiver expired on 2026-11-20: fix the server, or agree on a new one."


def test_a_waiver_of_a_requirement_that_holds_is_stale_and_fails_the_run() -> None:
    verdict = waived("pass", until(TODAY))
    assert (verdict.outcome, verdict.waiver) == ("pass", until(TODAY))
    assert verdict.waiver_trouble == "The waiver is stale: the requirement holds now. Remove it from the configuration."
    assert exit_of([verdict], RunState()) is Exit.FAILS


@pytest.mark.parametrize("outcome", ["inconclusive", "not-run", "error"])
def test_a_waiver_changes_nothing_if_nothing_was_judged(outcome: Outcome) -> None:
    for expires in (TODAY, YESTERDAY):
        verdict = waived(outcome, until(expires))
        assert (verdict.outcome, verdict.waiver, verdict.waiver_trouble) == (outcome, until(expires), None)


def test_a_waiver_is_for_one_target() -> None:
    verdict = waived("fail", until(TODAY, "production"))
    assert (verdict.outcome, verdict.waiver) == ("fail", None)


def test_a_renewed_waiver_replaces_the_expired_one() -> None:
    assert waived("fail", until(YESTERDAY), until(date(2027, 1, 1))).outcome == "waived"


# ---- exit codes


def verdicts(*outcomes: Outcome) -> list[Verdict]:
    return [Verdict(LIST_3, "staging", outcome, "") for outcome in outcomes]


GONE = ("gone",)


@pytest.mark.parametrize(
    ("outcomes", "state", "code"),
    [
        ((), RunState(), 5),
        (("inconclusive", "not-run"), RunState(), 5),
        (("inconclusive",), RunState(strict=True), 5),
        (("waived",), RunState(), 0),
        (("pass", "inconclusive", "not-run", "waived"), RunState(), 0),
        (("pass", "fail"), RunState(), 1),
        (("fail",), RunState(interrupted=True), 2),
        (("error",), RunState(), 3),
        (("pass", "error"), RunState(strict=True), 3),
        ((), RunState(nothing_selected=True), 5),
        ((), RunState(interrupted=True, nothing_selected=True), 2),
        (("error",), RunState(untestable=GONE), 6),
        (("error", "fail"), RunState(untestable=GONE), 1),
        (("pass",), RunState(untestable=GONE), 6),
        (("pass", "waived"), RunState(strict=True), 0),
        (("pass", "inconclusive"), RunState(strict=True), 7),
        (("pass", "not-run"), RunState(strict=True), 7),
        (("fail", "not-run"), RunState(strict=True), 1),
        (("not-run",), RunState(strict=True, untestable=GONE), 6),
    ],
)
def test_exit_codes(outcomes: tuple[Outcome, ...], state: RunState, code: int) -> None:
    assert exit_of(verdicts(*outcomes), state).value == code


def test_a_requirement_not_in_force_is_never_unsettled() -> None:
    out_of_force = Verdict(LIST_3, "staging", "not-run", "", in_force=False)
    assert exit_of([*verdicts("pass"), out_of_force], RunState(strict=True)) is Exit.HOLDS


CHOSEN = RunState(chosen=frozenset({"LIST-3"}))


def test_a_pass_of_another_requirement_is_not_of_what_was_chosen() -> None:
    other = Verdict(LIST_4, "staging", "pass", "")
    assert exit_of([other, *verdicts("inconclusive")], CHOSEN) is Exit.NOTHING_SELECTED
    assert exit_of([other, *verdicts("pass")], CHOSEN) is Exit.HOLDS


def test_what_was_not_chosen_is_never_unsettled() -> None:
    other = Verdict(LIST_4, "staging", "not-run", "")
    assert exit_of([other, *verdicts("pass")], replace(CHOSEN, strict=True)) is Exit.HOLDS
    assert exit_of([other, *verdicts("pass", "not-run")], replace(CHOSEN, strict=True)) is Exit.UNSETTLED
