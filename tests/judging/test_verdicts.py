"""From what a record decides and what was asked to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from petcheck.call import Credential, Form
from petcheck.errors import Inconclusive, NotRun
from petcheck.exchange import Exchange, Silence
from petcheck.judging.cells import Coverage
from petcheck.judging.decided import decided
from petcheck.judging.decision import Failed, Held, Proof, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.verdicts import (
    EXHAUST,
    Attempt,
    Dropped,
    Example,
    Verdict,
    not_in_force,
    unjudged,
    verdict_of,
    without_given,
)
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from petcheck.spec.outcomes import Outcome
from tests.support.exchanges import exchange

TODAY = date(2026, 11, 21)
LIST_3, LIST_4 = catalogue()["LIST-3"], catalogue()["LIST-4"]
ONE, TWO, THREE = (exchange(index=index) for index in (1, 2, 3))
RECORD = (exchange(index=0), ONE, TWO, THREE)

HELD = Held((TWO, ONE, TWO))
FAILED = Failed("It broke.", (Proof(THREE, "status"),), (ONE,))
TRIED = Undecided("Nothing to see.", "--plan", (ONE,))
UNTRIED = replace(TRIED, tried=False)
WHY = Undecided("Nothing to see.")

ASKED = Attempt("a")
DENIED = Attempt("b", Dropped("not-run", "Not allowed.", "--allow-writes"))
UNHEARD = Attempt("c", Dropped("inconclusive", "No answer.", "--max-wait"))
ODD = Attempt("c", Dropped("inconclusive", "Odd."))
BROKE = Attempt("d", Dropped("error", "We broke."))
TOP = Attempt("e", on_top=True)
TOP_UNHEARD = Attempt("e", Dropped("inconclusive", "No example.", "--max-requests"), on_top=True)
TOP_DENIED = Attempt("e", Dropped("not-run", "No examples.", "--category-id"), on_top=True)


def ruled(
    decision: Held | Failed | Undecided,
    *attempts: Attempt,
    record: Sequence[Exchange] = RECORD,
    missing: str = "It stopped.",
    covered: Coverage | None = None,
) -> Verdict:
    return verdict_of(LIST_3, "staging", decision, record, attempts, missing=missing, covered=covered)


CONFIRMED = "Confirmed in 2 exchanges."
FORBIDDEN = "Not allowed. Run with --allow-writes."
LATER = "No answer. Otherwise confirmed in 2 exchanges. Allow a longer wait with --max-wait."

# what the record decides, what was asked, and the verdict: its outcome, its reason, and the option that settles it
TABLE: list[tuple[Any, list[Attempt], Outcome, str, str | None]] = [
    (HELD, [ASKED], "pass", CONFIRMED, None),
    (HELD, [], "pass", CONFIRMED, None),
    (Held((ONE,)), [ASKED], "pass", "Confirmed in 1 exchange.", None),
    (HELD, [TOP], "pass", CONFIRMED, None),
    (HELD, [ASKED, TOP_UNHEARD], "pass", CONFIRMED, "--max-requests"),
    (
        HELD,
        [ASKED, DENIED],
        "pass",
        f"{CONFIRMED} Not examined: Not allowed. Run with --allow-writes.",
        "--allow-writes",
    ),
    (
        HELD,
        [TOP_DENIED],
        "pass",
        f"{CONFIRMED} Not examined: No examples. Name one that exists with --category-id.",
        "--category-id",
    ),
    (HELD, [ASKED, UNHEARD], "inconclusive", LATER, "--max-wait"),
    (HELD, [DENIED, UNHEARD], "inconclusive", LATER, "--max-wait"),
    (HELD, [DENIED, ODD], "inconclusive", "Odd. Otherwise confirmed in 2 exchanges.", "--allow-writes"),
    (HELD, [TOP_UNHEARD, UNHEARD], "inconclusive", LATER, "--max-requests"),
    (HELD, [ASKED, BROKE], "error", "We broke.", None),
    (HELD, [BROKE, UNHEARD, DENIED], "error", "We broke.", None),
    (FAILED, [ASKED], "fail", "It broke.", None),
    (FAILED, [], "fail", "It broke.", None),
    (FAILED, [BROKE, UNHEARD, DENIED, TOP_UNHEARD], "fail", "It broke.", None),
    (TRIED, [ASKED], "inconclusive", "Nothing to see. Name it with --plan.", "--plan"),
    (UNTRIED, [ASKED], "not-run", "Nothing to see. Name it with --plan.", "--plan"),
    (WHY, [ASKED], "inconclusive", "Nothing to see.", None),
    (WHY, [ASKED, DENIED], "inconclusive", "Nothing to see.", "--allow-writes"),
    (WHY, [ASKED, DENIED, UNHEARD], "inconclusive", "Nothing to see.", "--max-wait"),
    (TRIED, [BROKE], "error", "We broke.", None),
    (TRIED, [ASKED, BROKE], "error", "We broke.", None),
    (TRIED, [DENIED], "not-run", FORBIDDEN, "--allow-writes"),
    (TRIED, [UNHEARD], "inconclusive", "No answer. Allow a longer wait with --max-wait.", "--max-wait"),
    (TRIED, [DENIED, UNHEARD], "inconclusive", "No answer. Allow a longer wait with --max-wait.", "--max-wait"),
    (TRIED, [DENIED, ODD], "inconclusive", "Odd.", "--allow-writes"),
    (TRIED, [DENIED, TOP_UNHEARD], "not-run", FORBIDDEN, "--allow-writes"),
    (TRIED, [TOP, DENIED], "not-run", FORBIDDEN, "--allow-writes"),
    (TRIED, [TOP_UNHEARD], "inconclusive", "No example. Allow more with --max-requests.", "--max-requests"),
    (TRIED, [TOP], "not-run", "It stopped.", None),
    (TRIED, [], "not-run", "It stopped.", None),
]


@pytest.mark.parametrize("case", TABLE, ids=map(str, range(len(TABLE))))
def test_the_table(case: tuple[Any, list[Attempt], Outcome, str, str | None]) -> None:
    decision, attempts, outcome, reason, settled_by = case
    verdict = ruled(decision, *attempts)
    assert (verdict.outcome, verdict.reason, verdict.settled_by) == (outcome, reason, settled_by)
    assert ruled(decision, *reversed(attempts)).outcome == outcome
    assert verdict.checks == tuple(attempt.check for attempt in attempts)


def test_a_requirement_whose_checks_have_all_ended_was_not_stopped() -> None:
    verdict = ruled(TRIED, TOP, missing="")
    assert (verdict.outcome, verdict.settled_by) == ("inconclusive", "--plan")
    assert verdict.reason == "Nothing to see. Name it with --plan."


def test_traffic_has_no_checks_and_is_judged_by_what_it_shows() -> None:
    def of(decision: Undecided) -> tuple[str, str]:
        verdict = verdict_of(LIST_3, "staging", decision, RECORD, [])
        return verdict.outcome, verdict.reason

    assert of(WHY) == ("inconclusive", "Nothing to see.")
    assert of(UNTRIED) == ("not-run", "Nothing to see. Name it with --plan.")


def test_what_a_verdict_says_besides() -> None:
    verdict = ruled(HELD, ASKED, DENIED, ASKED)
    assert (verdict.id, verdict.section, verdict.level) == ("LIST-3", "4.1", "stated")
    assert (verdict.statement, verdict.target, verdict.in_force) == (LIST_3.statement, "staging", True)
    assert (verdict.checks, verdict.exchanges, verdict.decisive) == (("a", "b"), (1, 2), ())
    assert ruled(TRIED, ASKED).exchanges == (1,)
    implied = next(one for one in catalogue().judged if one.level == "implied")
    assert unjudged(implied, "staging", "pass", "").level == "implied"
    crossed = next(one for one in catalogue().judged if one.also)
    assert unjudged(crossed, "staging", "pass", "").also == crossed.also


def test_reasons_are_named_once_and_three_at_most() -> None:
    def reason(*numbers: int) -> str:
        return ruled(TRIED, *(Attempt("x", Dropped("error", f"Reason {number}.")) for number in numbers)).reason

    assert reason(1, 1, 2, 3) == "Reason 1. Reason 2. Reason 3."
    assert reason(1, 1, 2, 3, 4) == "Reason 1. Reason 2. Reason 3. And 1 more."
    assert reason(1, 1, 2, 3, 4, 5, 5) == "Reason 1. Reason 2. Reason 3. And 2 more."


@pytest.mark.parametrize(
    ("option", "advice"),
    [
        ("--allow-writes", "Run with --allow-writes."),
        ("--category-id", "Name one that exists with --category-id."),
        ("--exhaust-rate-limit", "Run with --exhaust-rate-limit."),
        ("--max-requests", "Allow more with --max-requests."),
        ("--max-wait", "Allow a longer wait with --max-wait."),
        ("--plan", "Name it with --plan."),
    ],
)
def test_what_the_user_can_do_is_said_once(option: str, advice: str) -> None:
    unknown, known = (
        Attempt("a", Dropped("not-run", "No.", "--timeout")),
        Attempt("b", Dropped("not-run", "No.", option)),
    )
    assert ruled(WHY, unknown, known, DENIED).reason == f"No. Not allowed. {advice}"
    assert ruled(WHY, unknown).reason == "No."


# ---- a failure


def test_a_failure_names_what_decides_and_what_was_examined() -> None:
    proofs = (Proof(THREE), Proof(ONE, "status"), Proof(THREE, "body:/0"), Proof(ONE, "body"))
    verdict = ruled(Failed("It broke.", proofs, (TWO,), expected="200"))
    assert (verdict.exchanges, verdict.decisive, verdict.parts) == ((1, 2, 3), (3, 1), ("body:/0", "status"))
    assert (verdict.expected, verdict.example, verdict.decisive_by_weight) == ("200", None, (3, 1))
    assert (verdict.part(1), verdict.part(3), verdict.part(2)) == ("status", "body:/0", "")
    assert [replace(verdict, parts=("body",)).part(index) for index in (3, 1)] == ["body", ""]


@pytest.mark.parametrize(
    ("decisive", "parts", "example", "part"),
    [
        ((3, 1), ("body", "status"), Example(3, 1), "status"),
        ((3,), ("body",), Example(3, 1), "body"),
        ((3,), ("body",), Example(1, 3), ""),
        ((3,), ("body",), Example(2, 1), ""),
        ((3,), ("body",), None, ""),
    ],
)
def test_an_example_as_it_was_found_fails_in_the_part_of_its_simplest_form(
    decisive: tuple[int, ...], parts: tuple[str, ...], example: Example | None, part: str
) -> None:
    verdict = replace(ruled(HELD), decisive=decisive, parts=parts, example=example)
    assert verdict.part(1) == part


def test_a_simplified_example_names_the_form_that_was_found() -> None:
    found = exchange(index=1, path="/pets?limit=83")
    simple = exchange(index=3, path="/pets?limit=71")
    simple = replace(simple, simplifies=1)
    failed = Failed("It broke.", (Proof(simple), Proof(TWO), Proof(found)), wrong=(found, TWO, simple))
    verdict = ruled(failed, record=[found, TWO, simple])
    assert verdict.reason == "It broke. Simplified from GET /pets?limit=83."
    assert (verdict.example, verdict.decisive_by_weight) == (Example(3, 1), (3, 1, 2))
    of_another = ruled(replace(failed, wrong=(TWO, simple)), record=[found, TWO, simple])
    assert (of_another.reason, of_another.example) == ("It broke.", None)


def test_a_page_that_a_post_of_the_run_broke_says_so_first() -> None:
    before = exchange(index=0, path="/pets?limit=100", body=[])
    made = exchange(
        Operation.CREATE_PET, 201, {"id": 7, "name": "Zoe"}, asked={"name": "Zoe", "categoryId": 1}, index=1
    )
    broken = exchange(index=2, path="/pets?limit=100", status=500)
    failed = Failed("It broke.", (Proof(broken),))
    said = 'It worked until POST /pets with the body {"name": "Zoe", "categoryId": 1} created animal 7. It broke.'
    assert ruled(failed, record=[before, made, broken]).reason == said
    earlier = replace(made, sent=0.0, finished=0.1), replace(before, sent=1.0, finished=1.1), broken
    at_once = [before, replace(made, sent=0.05), broken]
    works_later = [before, made, broken, replace(before, index=3, sent=3.0, finished=3.1)]
    for record in ([made, broken], [before, broken], [*earlier], at_once, works_later):
        assert ruled(failed, record=record).reason == "It broke."
    shorter = exchange(index=3, path="/pets?status=x", status=400, sent=3.0)
    also = Failed("It broke too.", (Proof(shorter), Proof(made), Proof(broken)))
    page = said.replace("It worked", "GET /pets?limit=100 worked").replace("It broke", "It broke too")
    assert ruled(also, record=[before, made, broken, shorter]).reason == page
    read_again = Failed("It broke.", (Proof(before),))
    assert ruled(read_again, record=[before, made]).reason == "It broke."


@pytest.mark.parametrize(
    ("worked", "broke", "told"),
    [
        ("?limit=100&status=sold", "?status=sold", True),
        ("?limit=20&status=sold", "?status=sold", True),
        ("?limit=100", "?limit=20", True),
        ("", "?limit=20", True),
        ("?limit=7", "?limit=20", False),  # the animal that breaks it may have been there
        ("?limit=100", "?status=sold", False),
        ("?limit=100&status=pending", "?status=sold", False),
        ("?limit=100", "?limit=0", False),
        ("?limit=abc", "?limit=20", False),
        ("?limit=100&status=sold&status=sold", "?status=sold", False),
        ("?limit=100", "?limit=20&page=1", False),
    ],
)
def test_a_page_worked_if_one_with_its_filter_and_as_many_animals_did(worked: str, broke: str, told: bool) -> None:
    before = exchange(index=0, path=f"/pets{worked}", body=[])
    made = exchange(
        Operation.CREATE_PET, 201, {"id": 7, "name": "Zoe"}, asked={"name": "Zoe", "categoryId": 1}, index=1
    )
    broken = exchange(index=2, path=f"/pets{broke}", status=500)
    reason = ruled(Failed("It broke.", (Proof(broken),)), record=[before, made, broken]).reason
    assert reason.startswith(f"GET /pets{worked} worked until POST /pets") is told


@pytest.mark.parametrize(
    ("plain", "at", "said"),
    [
        (None, 0.0, ""),
        (401, 1.0, ""),  # the server may have been another one
        (401, 9.0, " The request had no Accept header; in the plain form it got 401."),
        (200, 9.0, " The request had no Accept header; in the plain form it got 200, which keeps the rule."),
    ],
)
def test_a_form_is_named_if_the_plain_one_is_seen_to_do_better(plain: int | None, at: float, said: str) -> None:
    formed = exchange(form=Form.NO_ACCEPT, index=1, sent=5.0)
    record = [formed, *([exchange(status=plain, index=2, sent=at)] if plain else [])]
    assert ruled(Failed("It broke.", (Proof(formed),)), record=record).reason == f"It broke.{said}"


def test_no_form_is_named_if_the_plain_one_fails_too_or_asks_for_an_animal_that_was_created_meanwhile() -> None:
    formed, plain = exchange(form=Form.NO_ACCEPT, index=1, status=404), exchange(index=3, status=500)
    both = Failed("It broke.", (Proof(formed),), wrong=(formed, plain))
    assert ruled(both, record=[formed, plain]).reason == "It broke."
    get, asked = Operation.GET_PET, {"name": "Zoe", "categoryId": 1}
    unknown, found = exchange(get, 418, form=Form.NO_ACCEPT, index=1), exchange(get, 200, {"id": 7}, index=3)
    for number, said in ((7, ""), (8, " The request had no Accept header; in the plain form it got 200.")):
        post = exchange(Operation.CREATE_PET, 201, {"id": number, **asked}, asked=asked, index=2)
        assert ruled(Failed("It broke.", (Proof(unknown),)), record=[unknown, post, found]).reason == f"It broke.{said}"


def test_no_form_is_named_if_the_plain_one_got_no_answer_either() -> None:
    formed = exchange(form=Form.NO_ACCEPT, index=1)
    silent = exchange(status=Silence.RESET, index=2, sent=9.0)
    assert ruled(Failed("It broke.", (Proof(formed),)), record=[formed, silent]).reason == "It broke."


def test_a_form_is_named_of_a_burst_too_if_it_fails_alone() -> None:
    formed = replace(exchange(form=Form.NO_ACCEPT, index=1), burst=1)
    again, plain = replace(exchange(form=Form.NO_ACCEPT, index=2), again=1), exchange(index=3, status=404)
    said = "It broke. The request had no Accept header; in the plain form it got 404."
    assert (
        ruled(Failed("It broke.", (Proof(formed),), wrong=(formed, again)), record=[formed, again, plain]).reason
        == said
    )
    only_there = Failed("It broke.", (Proof(formed),), wrong=(formed, replace(again, burst=2)))
    assert "plain form" not in ruled(only_there, record=[formed, again, plain]).reason


def test_a_count_is_compared_with_others_whatever_their_form() -> None:
    formed, plain = exchange(form=Form.NO_ACCEPT, index=1), exchange(status=404, index=2)
    said = "It broke. The request had no Accept header; in the plain form it got 404."
    other = replace(formed, index=3, request=replace(formed.request, url="https://h/v1/pets?limit=5"))
    for name, wrong, reason in (
        ("LIST-3", (), said),
        ("RATE-4", (), "It broke."),
        ("RATE-1", (formed, other), said),
    ):
        failed = Failed("It broke.", (Proof(formed),), wrong=wrong)
        assert verdict_of(catalogue()[name], "staging", failed, [formed, plain], []).reason == reason


def test_a_page_without_the_animal_that_is_wrong_says_nothing_about_it() -> None:
    wrong, right = (exchange(body=[{"id": number}], index=number) for number in (1, 2))
    failed = Failed("It broke.", (Proof(wrong, "body:/0/name"),), (wrong, right), wrong=(wrong,))
    for name, chance in (("PET-1", False), ("LIST-3", True)):
        assert verdict_of(catalogue()[name], "staging", failed, [wrong, right], []).by_chance == chance


def test_of_the_forms_of_an_example_the_last_that_fails_decides() -> None:
    asked = [("76&status=sold", 500, None), ("76", 200, 2), ("71&status=sold", 500, 2), ("70&status=sold", 500, 2)]
    forms = [
        replace(exchange(status=status, path=f"/pets?limit={query}", index=index), example=True, simplifies=found)
        for index, (query, status, found) in enumerate(asked, 2)
    ]
    alone = exchange(path="/pets", index=0), exchange(path="/pets?status=sold", index=1)
    others = ("limit=71", "limit=70", "status=available", "status=pending")
    limits = [exchange(path=f"/pets?{query}", index=index) for index, query in enumerate(others, 6)]
    for name in ("LIST-6", "ERROR-5"):
        record = [*alone, *forms, *limits]
        failed = decided(catalogue()[name], record, Grounds(TODAY))
        assert isinstance(failed, Failed)
        verdict = verdict_of(catalogue()[name], "staging", failed, record, [])
        assert (verdict.example, verdict.decisive[0]) == (Example(5, 2), 5)


SILENT = exchange(status=Silence.TIMEOUT, index=1)
THREE_AGAIN = exchange(status=Silence.TIMEOUT, index=3, sent=8.0)
OTHER_SILENT = exchange(path="/pets?limit=3", status=Silence.TIMEOUT, index=9)


@pytest.mark.parametrize(
    ("record", "proofs", "outcome"),
    [
        ([exchange(index=0), SILENT, exchange(status=500, index=2)], [SILENT], "fail"),
        ([exchange(index=0), SILENT], [SILENT], "error"),
        ([SILENT, exchange(status=Silence.RESET, index=2)], [SILENT], "error"),
        ([SILENT, TWO, exchange(status=Silence.RESET, index=3)], [SILENT, replace(SILENT, index=3)], "fail"),
        ([replace(SILENT, index=2), THREE], [replace(SILENT, index=2)], "fail"),
        ([exchange(index=1)], [exchange(index=1)], "error"),
        # it was sent when petcheck gave up the other
        ([SILENT, exchange(sent=SILENT.finished, index=2)], [SILENT], "fail"),
        # another request was answered between the two tries
        (
            [replace(SILENT, index=0), exchange(path="/store/orders", index=2, sent=7.0), THREE_AGAIN],
            [THREE_AGAIN],
            "fail",
        ),
        ([exchange(path="/store/orders", index=0), replace(SILENT, index=2), THREE_AGAIN], [THREE_AGAIN], "error"),
        # another GET got no answer either, later
        ([SILENT, THREE, OTHER_SILENT], [SILENT, OTHER_SILENT], "fail"),
        ([SILENT, OTHER_SILENT], [SILENT, OTHER_SILENT], "error"),
    ],
)
def test_silence_counts_only_if_the_target_answered_afterwards(
    record: list[Exchange], proofs: list[Exchange], outcome: Outcome
) -> None:
    failed = Failed("No answer.", tuple(map(Proof, proofs)), unanswered=True)
    verdict = ruled(failed, ASKED, record=record)
    said = "No answer." if outcome == "fail" else "No answer. The target answered nothing after that."
    assert (verdict.outcome, verdict.reason) == (outcome, said)
    assert bool(verdict.decisive) == (outcome == "fail")
    assert ruled(replace(failed, unanswered=False), record=record).outcome == "fail"


CLOSED = exchange(Operation.GET_PET, Silence.RESET, path="/pets/7", credential=Credential.EVERY_OBJECT, index=1)
GONE = exchange(status=Silence.UNREACHABLE, index=2)
LISTED = exchange(body=[{"id": 7, "name": "Rex", "categoryId": 1}], index=0)
PLAIN_PET = {"name": "Rex", "categoryId": 1}


def asking(operation: Operation, path: str | None = None, asked: object = None) -> Exchange:
    return exchange(operation, Silence.RESET, path=path, asked=asked, index=1)


@pytest.mark.parametrize(
    ("record", "outcome"),
    [
        ([LISTED, CLOSED, GONE], "fail"),
        ([LISTED, asking(Operation.CREATE_PET, asked={"name": 7}), GONE], "fail"),
        ([LISTED, asking(Operation.CREATE_PET, asked=PLAIN_PET | {"name": "\0"}), GONE], "fail"),
        ([LISTED, asking(Operation.LIST_PETS, "/pets?limit=abc"), GONE], "fail"),
        ([LISTED, asking(Operation.GET_PET, "/pets/abc"), GONE], "fail"),
        ([LISTED, asking(Operation.STORE_ORDERS, "/store/orders?limit=1"), GONE], "fail"),
        ([LISTED, replace(CLOSED, answer=GONE.answer, resent=True), GONE], "fail"),
        # a plain request may meet a restart, and so may one that a server closes twice
        ([LISTED, asking(Operation.CREATE_PET, asked=PLAIN_PET), GONE], "error"),
        ([LISTED, asking(Operation.LIST_PETS, "/pets?limit=20"), GONE], "error"),
        ([LISTED, asking(Operation.GET_PET, "/pets/7"), GONE], "error"),
        ([LISTED, asking(Operation.STORE_ORDERS), GONE], "error"),
        ([LISTED, replace(CLOSED, resent=True), GONE], "error"),
        ([LISTED, replace(CLOSED, answer=GONE.answer), GONE], "error"),
        ([LISTED, replace(CLOSED, burst=1), GONE], "error"),
        ([LISTED, replace(CLOSED, answer=SILENT.answer), GONE], "error"),
        ([LISTED, CLOSED], "error"),
    ],
)
def test_a_server_that_ends_on_an_odd_request_fails_what_that_request_asks(
    record: list[Exchange], outcome: Outcome
) -> None:
    failed = Failed("No answer, twice.", (Proof(record[1]),), unanswered=True)
    verdict = ruled(failed, record=record)
    said = (
        "No answer. The server has answered nothing since: this request ends it. Start it again, and send the request "
        "alone."
    )
    assert verdict.outcome == outcome
    assert verdict.reason == said if outcome == "fail" else verdict.reason.startswith("No answer, twice. ")


def test_an_answer_after_an_earlier_silence_of_the_same_failure_counts() -> None:
    last = replace(OTHER_SILENT, index=20)
    failed = Failed("No answer.", (Proof(last),), unanswered=True)
    record = [SILENT, THREE, last]
    assert ruled(failed, ASKED, record=record).outcome == "error"
    assert ruled(replace(failed, wrong=(last, SILENT)), ASKED, record=record).outcome == "fail"


@pytest.mark.parametrize(("expected", "told"), [("201", True), ("201 or 400", True), ("400", False), ("", False)])
def test_an_animal_that_had_the_name_of_a_post_is_told_if_the_post_should_create_one(expected: str, told: bool) -> None:
    body = b'{"name": "Rex", "categoryId": 1}'
    made = exchange(Operation.CREATE_PET, 201, {"id": 7}, asked=body, index=0)
    refused = exchange(Operation.CREATE_PET, 409, asked=body, index=1, sent=5.0)
    failed = Failed("It broke.", (Proof(refused),), expected=expected)
    said = " Animal 7 has had that name before." if told else ""
    assert ruled(failed, ASKED, record=[made, refused]).reason == f"It broke.{said}"


def test_a_dead_target_and_a_check_that_broke_are_both_named() -> None:
    failed = Failed("No answer.", (Proof(SILENT),), unanswered=True)
    verdict = ruled(failed, BROKE, UNHEARD, record=[SILENT])
    assert (verdict.outcome, verdict.reason) == (
        "error",
        "We broke. No answer. The target answered nothing after that.",
    )


# ---- what nothing was examined for


def test_a_requirement_not_in_force_is_not_run() -> None:
    def reason(name: str, day: date) -> str | None:
        verdict = not_in_force(catalogue()[name], "staging", day)
        assert verdict is None or (verdict.outcome, verdict.in_force, verdict.id) == ("not-run", False, name)
        return verdict.reason if verdict else None

    before, removal = date(2030, 12, 4), date(2030, 12, 5)
    assert (reason("GET-1", before), reason("GET-4", removal), reason("LIST-3", removal)) == (None, None, None)
    assert reason("GET-1", removal) == "Not in force on 2030-12-05: it ended on 2030-12-05."
    assert reason("GET-4", before) == "Not in force on 2030-12-04: it starts on 2030-12-05."
    assert (reason("RATE-10", before) or "").startswith("Not testable. petcheck never uses up a day's quota")
    said = f"Not in the requirements of 0.9.0: {LIST_3.since} added it."
    lacking = unjudged(LIST_3, "staging", "not-run", said, in_force=False)
    assert not_in_force(LIST_3, "staging", before, "0.9.0") == lacking


def test_the_check_names_the_option_that_settles_it() -> None:
    assert (NotRun("No.", "--plan").settled_by, Inconclusive("Why?").settled_by) == ("--plan", None)


@pytest.mark.parametrize(("worst", "said"), [(b"{", "an animal"), ({"id": 8, "name": "x"}, "animal 9")])
def test_a_post_whose_own_answer_cannot_be_read_is_the_likeliest_to_break_a_page(worst: object, said: str) -> None:
    asked = {"name": "Zoe", "categoryId": 1}
    posts = [
        exchange(Operation.CREATE_PET, 201, body, asked=asked, index=n) for n, body in ((1, worst), (2, {"id": 9}))
    ]
    record = [exchange(path="/pets?limit=100", body=[]), *posts, exchange(index=3, path="/pets?limit=100", status=500)]
    reason = ruled(Failed("It broke.", (Proof(record[-1]),)), record=record).reason
    assert f" created {said}. It broke." in reason


def test_a_pass_names_what_needs_writes() -> None:
    covered = Coverage("3 operations", 3, 3, (), ("POST /pets", "sold"))
    verdict = ruled(Held((exchange(),)), covered=covered)
    said = "Confirmed in 1 exchange: 3 of 3 operations. Not examined: POST /pets, sold. Run with --allow-writes."
    assert (verdict.outcome, verdict.reason, verdict.settled_by) == ("pass", said, "--allow-writes")
    assert verdict.covered == covered
    denied = ruled(Held((exchange(),)), TOP_DENIED, covered=covered)
    assert denied.settled_by == "--category-id"
    assert "Not examined: POST /pets, sold. " in denied.reason
    assert ruled(TRIED, ASKED, covered=covered).covered == covered


def test_an_option_that_the_run_had_is_not_advised() -> None:
    said = "No 429 was returned. Run with --exhaust-rate-limit."
    asked = replace(unjudged(LIST_3, "staging", "not-run", said), settled_by=EXHAUST)
    told = without_given(asked, EXHAUST)
    assert (told.reason, told.settled_by) == ("No 429 was returned. See RATE-6.", None)
    assert without_given(told, EXHAUST) == told
    assert without_given(replace(asked, id="RATE-6"), EXHAUST).reason == "No 429 was returned."


# ---- the parts of its exchanges


def test_an_example_as_found_fails_in_the_part_of_its_simplest_form() -> None:
    verdict = replace(unjudged(LIST_3, "one", "fail", "It broke."), decisive=(2, 4), parts=("status", "body:/0"))
    assert [verdict.part(index) for index in (2, 4, 5)] == ["status", "body:/0", ""]
    found = replace(verdict, example=Example(simplest=4, found=9))
    assert [found.part(index) for index in (2, 4, 9, 5)] == ["status", "body:/0", "body:/0", ""]
    decisive = replace(verdict, example=Example(simplest=4, found=2))
    assert decisive.part(2) == "status"
    unknown = replace(verdict, example=Example(simplest=7, found=9))
    assert unknown.part(9) == ""


def test_a_part_may_be_missing() -> None:
    verdict = replace(unjudged(LIST_3, "one", "fail", "It broke."), decisive=(2, 4), parts=("status",))
    assert [verdict.part(index) for index in (2, 4)] == ["status", ""]
