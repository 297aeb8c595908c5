"""What a record shows of one requirement, whatever its rule decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.judging.decided import decided
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Record, Rule, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.once import WholeRecord
from petcheck.judging.rules import RULE
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

READING = Grounds(date(2026, 11, 21), listed=frozenset({7}), run="0a1b2c3d")
PAGE = exchange()
EXAMPLE = replace(exchange(index=9), on_top=True)
HELD, FAILED = Held((PAGE,)), Failed("It broke.", (Proof(PAGE),), (PAGE,))
OPEN, OTHERWISE = Undecided("Nothing to see.", "--plan", (PAGE,)), Undecided("Still nothing.")

CREATE, GET = Operation.CREATE_PET, Operation.GET_PET
ERROR = {"code": "x", "message": "X."}

Rules = Callable[[str, Callable[[Record], Decision]], None]


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> Rules:
    """Put another rule in the place of one: a function of the record alone."""

    def put(requirement: str, decide: Callable[[Record], Decision]) -> None:
        over = Rule(requirement, over=lambda record, _grounds: decide(record), every_try=True)
        monkeypatch.setitem(RULE, requirement, over)

    return put


def shown(requirement: str, *record: Exchange) -> Held | Failed | Undecided:
    return decided(catalogue()[requirement], record, READING)


@pytest.mark.parametrize(
    ("with_example", "without", "shown_is"),
    [
        (HELD, OPEN, HELD),
        (FAILED, HELD, FAILED),
        (OPEN, HELD, HELD),
        (OPEN, OTHERWISE, OPEN),
        (OPEN, FAILED, OPEN),
        (Ask((PAGE.request.call,), OPEN), OTHERWISE, OPEN),
        (OPEN, Ask((PAGE.request.call,), OTHERWISE), OPEN),
    ],
)
def test_an_example_can_break_a_requirement_and_never_keeps_it_from_passing(
    with_example: Decision, without: Decision, shown_is: Decision, rule: Rules
) -> None:
    rule("PETS-1", lambda record: with_example if any(one.on_top for one in record) else without)
    assert shown("PETS-1", PAGE, EXAMPLE) == shown_is
    assert shown("PETS-1", PAGE) == (without.otherwise if isinstance(without, Ask) else without)


LIMITS = [exchange(path=f"/pets?limit={limit}") for limit in (1, 20, 100)]


def test_what_holds_is_undecided_until_its_cells_are_covered(rule: Rules) -> None:
    rule("LIST-2", lambda record: Held(tuple(record)))
    assert shown("LIST-2", *LIMITS) == Held(tuple(LIMITS))
    assert shown("LIST-2", LIMITS[1]) == Undecided(
        "Of 4 limits × 4 filters, these were not examined: limit 1; limit 100.", examined=(LIMITS[1],)
    )
    # an example that leaves it undecided does not change that
    rule("LIST-2", lambda record: OPEN if any(one.on_top for one in record) else Held(tuple(record)))
    assert shown("LIST-2", *LIMITS, EXAMPLE) == Held(tuple(LIMITS))
    assert shown("LIST-2", *LIMITS[:2], EXAMPLE) == OPEN


def test_a_pair_that_a_pass_needs_is_named_with_what_its_answer_breaks(rule: Rules) -> None:
    rule("AUTH-5", lambda record: Held(()))
    keyless = exchange(GET, 401, b"", credential=Credential.MISSING)
    found = shown("AUTH-5", exchange(GET, 200, b"", path="/pets/8"), keyless)
    assert isinstance(found, Undecided)
    assert found.reason == (
        "Of 3 kinds of key × 2 operations with a second defect, these were not examined: no key, GET /pets; no key, "
        "GET /pets/{petId} (GET /pets/7 with no key returned 401: the body is empty (section 1); see SERVICE-1)."
    )


def test_what_keeps_an_answer_from_being_examined_is_named() -> None:
    """An answer that another requirement finds wrong shows nothing else; its headers do not matter."""
    grounds = replace(READING, writes=True)
    keyless = exchange(CREATE, 401, ERROR | {"status": 401}, credential=Credential.MISSING)
    bad = exchange(CREATE, 400, [], index=1, asked={})

    def left_open(*more: Exchange) -> str:
        decision = decided(catalogue()["ERROR-2"], [keyless, bad, *more], grounds)
        assert isinstance(decision, Undecided)
        return decision.reason

    found = (
        "POST /pets with neither `name` nor `categoryId` returned 400: the body is an array, []; expected an object "
        "(section 7); see ERROR-1"
    )
    assert left_open() == f"Of 4 operations × 3 statuses, these were not examined: 404; 400 ({found})."


def test_a_value_that_was_refused_where_it_may_be_is_said_to_be_refused() -> None:
    sent = [{"name": "Rex", "categoryId": number} for number in (1, 2**60)]
    made = exchange(CREATE, 201, {"id": 7, **sent[0]}, asked=sent[0])
    defective = {**sent[1], "name": 7}
    said = "Of 4 kinds of categoryId, these were not examined: beyond 2^53, where a double is not exact"
    for record, why in (
        ([made], ""),
        ([made, exchange(CREATE, 400, b"", asked=sent[1], index=1)], " (the service refused it)"),
        ([made, exchange(CREATE, 429, asked=sent[1], index=1)], ""),
        ([made, exchange(CREATE, 400, ERROR | {"status": 400}, asked=defective, credential=Credential.RANDOM)], ""),
    ):
        decision = decided(catalogue()["CREATE-3"], record, READING)
        assert isinstance(decision, Undecided)
        assert decision.reason == f"{said}{why}."


def test_an_endpoint_is_not_judged_by_the_refusals_over_the_limit(rule: Rules) -> None:
    over, served, refused = (
        replace(exchange(status=status, index=at), section=section)
        for at, (status, section) in enumerate([(429, "8"), (200, "8"), (429, "4.1")])
    )
    for requirement, kept in (
        ("LIST-1", (served, refused)),
        ("GET-3", (served, refused)),
        ("RATE-1", (over, served, refused)),
        ("PETS-1", (over, served, refused)),
    ):
        rule(requirement, lambda record: Held(tuple(record)))
        found = shown(requirement, over, served, refused)
        assert isinstance(found, Held | Undecided)
        assert found.examined == kept


def test_a_record_without_refusals_over_the_limit_is_searched_once_for_all_requirements(rule: Rules) -> None:
    seen = list[Record]()

    def decide(record: Record) -> Decision:
        seen.append(record)
        return HELD

    whole = WholeRecord([PAGE])
    for requirement in ("LIST-1", "PETS-1"):
        rule(requirement, decide)
        decided(catalogue()[requirement], whole, READING)
    assert seen[0] is seen[1]


# ---- what a rule of petcheck makes of a record


CREATE, GET = Operation.CREATE_PET, Operation.GET_PET
REX, TEX = {"id": 7, "name": "Rex", "categoryId": 3}, {"id": 7, "name": "Tex", "categoryId": 3}


def page(*animals: object, index: int = 0, query: str = "", sent: float = 0.0) -> Exchange:
    return exchange(path=f"/pets{query}", body=list(animals), index=index, sent=sent)


def read(animal: object, index: int, sent: float, **more: Any) -> Exchange:
    return replace(exchange(GET, 200, animal, path="/pets/7", index=index, sent=sent), **more)


def test_what_holds_is_held_with_what_was_examined() -> None:
    held = shown("PETS-1", page(index=3, query="?limit=20"), page(REX, index=1))
    assert isinstance(held, Held)
    assert {one.index for one in held.examined} == {1, 3}


def test_what_is_wrong_fails_with_the_simplest_request_first() -> None:
    failed = shown("PETS-1", page(5, index=4), page(6, index=2, query="?limit=100&status=sold"), page(REX, index=1))
    assert isinstance(failed, Failed)
    assert [(proof.exchange.index, proof.part) for proof in failed.proofs] == [(4, "body:/0"), (2, "body:/0")]
    assert failed.text.startswith("GET /pets returned 200")


def test_a_question_that_nobody_answers_leaves_it_open() -> None:
    open_ = shown("GET-2", page(REX, index=0), read(TEX, 1, 1.0))
    assert isinstance(open_, Undecided)
    assert open_.reason.startswith("GET /pets and GET /pets/7 differ")
    assert [one.index for one in open_.examined] == [0, 1]


@pytest.mark.parametrize("on_top", [False, True])
def test_what_contradicts_a_requirement_leaves_it_open_whoever_asked_for_it(on_top: bool) -> None:
    found = shown("GET-2", page(REX, index=0), read(REX, 1, 1.0), read(TEX, 2, 2.0, on_top=on_top))
    assert isinstance(found, Undecided)
    assert found.doubtful
    assert {one.index for one in found.examined} == {0, 2}


@pytest.mark.parametrize(
    ("name", "tried", "settled_by"),
    [("PETS-1", True, None), ("RATE-5", False, "--plan"), ("RATE-7", False, "--exhaust-rate-limit")],
)
def test_what_was_not_shown_is_undecided(name: str, tried: bool, settled_by: str | None) -> None:
    found = shown(name, exchange(GET, 404, {}, path="/pets/1", index=5))
    assert isinstance(found, Undecided)
    assert (found.tried, found.settled_by, bool(found.reason)) == (tried, settled_by, True)


def test_an_example_leaves_nothing_open_that_the_others_decide(rule: Rules) -> None:
    rule("LIST-8", lambda record: OPEN if EXAMPLE in record else Held(tuple(record)))
    assert shown("LIST-8", PAGE, EXAMPLE) == Held((PAGE,))
    rule("LIST-8", lambda record: replace(OPEN, doubtful=True) if EXAMPLE in record else Held(tuple(record)))
    assert shown("LIST-8", PAGE, EXAMPLE) == replace(OPEN, doubtful=True)


def test_a_page_on_top_counts_although_posts_on_top_leave_something_open(rule: Rules) -> None:
    posted = replace(exchange(Operation.CREATE_PET, 400, index=8), on_top=True)
    asked: list[tuple[int, ...]] = []

    def open_with_posts(record: Record) -> Decision:
        asked.append(tuple(one.index for one in record))
        return Held(tuple(record)) if asked[-1] == (0, 9) else OPEN

    rule("LIST-8", open_with_posts)
    assert shown("LIST-8", PAGE, posted, EXAMPLE) == Held((PAGE, EXAMPLE))
    assert asked == [(0, 8, 9), (0,), (0, 9)]
