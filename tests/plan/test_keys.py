"""Which kind of invalid key goes with which operation and which second defect."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, product

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.judging.rules.authentication import INVALID, SURELY_INVALID
from petcheck.plan.keys import DEFECTS, KeyCell, Wrong, key_body, key_call, key_plan
from petcheck.plan.pages import first_pages
from petcheck.spec.operations import Operation
from tests.judging.rules.animals import pet
from tests.support.exchanges import exchange

READING = frozenset(operation for operation in Operation if operation.safe)
ALL = frozenset(Operation)
KINDS = [key for kinds in INVALID.values() for key in kinds]
LIKELY = (Credential.EVERY_OBJECT, Credential.WORD_AFTER)
BY_TURNS = (
    (Credential.BEYOND_ASCII, Credential.GLUED),
    (Credential.TWICE, Credential.HYPHENATED),
    (Credential.BEYOND_ASCII, Credential.GLUED),
    (Credential.BEGINNING, Credential.LONGER_SCHEME),
)
SEEDS = range(20)


@pytest.mark.parametrize("operations", [READING, ALL, READING - {Operation.GET_PET}])
@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_pass_needs_is_always_asked(seed: int, operations: frozenset[Operation]) -> None:
    asked = {cell.pair for cell in key_plan(seed, operations).needed}
    for key in (Credential.MISSING, Credential.EMPTY):
        assert {operation for known, operation in asked if known is key} == operations
    assert {key for key, _ in asked} == SURELY_INVALID
    for name in ("AUTH-2", "AUTH-4"):
        assert {operation for key, operation in asked if key in INVALID[name]} == operations


@pytest.mark.parametrize("seed", SEEDS)
def test_a_missing_key_is_sent_beside_every_operations_defect_and_without_one(seed: int) -> None:
    needed = [cell for cell in key_plan(seed, ALL).needed if cell.key is Credential.MISSING]
    for operation in Operation:
        wrong = [cell.wrong in DEFECTS[operation] for cell in needed if cell.operation is operation]
        assert sorted(wrong) == ([False, True] if DEFECTS[operation] else [False])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plan_covers_every_pair_and_asks_nothing_twice(seed: int) -> None:
    plan = key_plan(seed, ALL)
    cells = [*plan.needed, *plan.likely, *plan.others]
    assert len(set(cells)) == len(cells)
    assert {cell.pair for cell in cells} == set(product(KINDS, Operation))
    shown = {(cell.key, cell.operation, cell.wrong) for cell in cells}
    for key, operation in product((Credential.MISSING, Credential.EMPTY, Credential.RANDOM), Operation):
        assert {(key, operation, wrong) for wrong in DEFECTS[operation]} <= shown


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_with_writes_asks_what_one_that_only_reads_asks(seed: int) -> None:
    reading, writing = key_plan(seed, READING), key_plan(seed, ALL)
    asked = {cell for cell in (*writing.needed, *writing.likely) if cell.operation.safe}
    assert asked == {*reading.needed, *reading.likely}
    assert len([cell for cell in writing.needed if cell.operation.safe]) == len(reading.needed) - 2
    gets = [cell for cell in writing.others if cell.operation.safe]
    assert (*gets,) == reading.others == writing.others[: len(gets)]


@pytest.mark.parametrize("first", [0, 11, 2**40])
@pytest.mark.parametrize(
    ("times", "parts", "kinds"),
    [
        (3, ("needed",), SURELY_INVALID),
        (3, ("needed", "likely"), {*SURELY_INVALID, *LIKELY}),
        (12, ("likely",), {*LIKELY, *chain(*BY_TURNS)}),
    ],
)
def test_runs_with_consecutive_seeds_ask_for_all_pairs(
    first: int, times: int, parts: Collection[str], kinds: Collection[Credential]
) -> None:
    """As many runs as there are operations that only read; four times as many for kinds that take turns."""
    plans = [key_plan(seed, READING) for seed in range(first, first + times)]
    asked = {cell.pair for plan in plans for part in parts for cell in getattr(plan, part)}
    assert asked >= set(product(kinds, READING))


@pytest.mark.parametrize("first", [0, 11, 2**40])
def test_sixteen_runs_with_consecutive_seeds_send_all_kinds_in_posts(first: int) -> None:
    plans = [key_plan(seed, ALL) for seed in range(first, first + 16)]
    cells = [cell for plan in plans for cell in (*plan.needed, *plan.likely) if not cell.operation.safe]
    assert {cell.key for cell in cells} == {*KINDS}
    assert all(len({cell for cell in plan.likely if not cell.operation.safe}) == 1 for plan in plans)
    late = {cell.wrong for cell in cells if cell.key is Credential.RANDOM}
    assert late == {Wrong.INVALID_PET, Wrong.NO_JSON, Wrong.NO_BODY, Wrong.NOTHING}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_likeliest_kinds_come_first_then_by_turns_others_and_those_that_a_pass_needs(seed: int) -> None:
    plan = key_plan(seed, READING)
    assert [cell.key for cell in plan.likely] == [*LIKELY, *BY_TURNS[seed % 4]]
    late, *by_turns = plan.others[:7]
    assert late.key is Credential.RANDOM
    assert late.wrong in DEFECTS[late.operation]
    assert [cell.key in SURELY_INVALID for cell in by_turns] == [False, True] * 3
    asked = {cell.pair for cell in (*plan.needed, *plan.likely, late)}
    assert len({cell.pair for cell in by_turns} - asked) == 6


@pytest.mark.parametrize("seed", SEEDS)
def test_a_post_without_a_key_has_a_body_that_no_parser_reads(seed: int) -> None:
    [late] = [
        cell
        for cell in key_plan(seed, ALL).needed
        if (cell.key, cell.operation) == (Credential.MISSING, Operation.CREATE_PET) and "AUTH-5" in cell.requirements
    ]
    assert late.wrong is Wrong.NO_JSON


def test_the_seed_decides() -> None:
    assert key_plan(1, ALL) == key_plan(1, ALL)
    assert len({key_plan(seed, ALL).needed for seed in SEEDS}) > 15


@pytest.mark.parametrize(
    ("wrong", "operation", "path"),
    [
        (Wrong.NOTHING, Operation.LIST_PETS, "/pets"),
        (Wrong.FILTER, Operation.LIST_PETS, "/pets?limit=100&status=pending"),
        (Wrong.PARAMETERS, Operation.LIST_PETS, "/pets?limit=abc&status=adopted"),
        (Wrong.UNKNOWN_ID, Operation.GET_PET, "/pets/-77"),
        (Wrong.NOTHING, Operation.STORE_ORDERS, "/store/orders"),
    ],
)
def test_the_request_for_a_cell(wrong: Wrong, operation: Operation, path: str) -> None:
    call = key_call(KeyCell(Credential.EXTENDED, operation, wrong), (), 77, first_pages(1))
    assert (call.credential, call.method) == (Credential.EXTENDED, "GET")
    if wrong is Wrong.FILTER:
        assert "status=" in call.path
    else:
        assert call.path == path


def refused(index: int, path: str) -> Exchange:
    return exchange(Operation.GET_PET, 401, index=index, path=path, credential=Credential.MISSING)


def test_all_keys_are_sent_for_the_animal_that_the_first_was_sent_for() -> None:
    cell = KeyCell(Credential.EXTENDED, Operation.GET_PET, Wrong.NOTHING)
    other = KeyCell(Credential.EXTENDED, Operation.GET_PET, Wrong.UNKNOWN_ID)
    page = exchange(index=1, body=[pet(130), pet(4)])
    unknown = [refused(number, path) for number, path in ((2, "/pets/77"), (3, "/pets/-77"))]
    read, asked = exchange(Operation.GET_PET, index=4, path="/pets/4", body=pet(4)), refused(5, "/pets/130")

    def sent(cell: KeyCell, *record: Exchange) -> str:
        return key_call(cell, record, 77, first_pages(1)).path

    assert sent(cell, page) == sent(cell, page, *unknown) == "/pets/130"
    assert sent(cell, page, *unknown, read) == "/pets/4"  # an animal that was found shows more
    assert sent(cell, page, *unknown, read, asked) == "/pets/130"
    assert sent(other, page, *unknown, read, asked) == "/pets/-77"


@pytest.mark.parametrize(
    ("wrong", "variant", "body"),
    [
        (Wrong.NOTHING, 0, {"name": "petcheck r refused cut", "categoryId": 3, "status": "pending"}),
        (Wrong.INVALID_PET, 0, {"categoryId": "3", "status": "adopted"}),
        (Wrong.NO_JSON, 0, b"{"),
        (Wrong.NO_BODY, 0, None),
        (Wrong.NO_BODY, 1, b""),
    ],
)
def test_the_body_for_a_cell(wrong: Wrong, variant: int, body: object) -> None:
    assert key_body(KeyCell(Credential.CUT, Operation.CREATE_PET, wrong, variant), "r", 3) == body
