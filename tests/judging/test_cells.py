"""What a pass covers, and what it needs."""

from __future__ import annotations

from datetime import date

import pytest

from petcheck.call import Credential
from petcheck.judging.cells import Coverage, cells_of, coverage
from petcheck.judging.decided import decided
from petcheck.judging.judgement import Grounds, Held, Undecided
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

DAY, REMOVED = date(2026, 1, 1), date(2031, 1, 1)
READING, WRITING = Grounds(DAY), Grounds(DAY, writes=True, categories=frozenset({1}))
LIST, CREATE, GET, ORDERS = Operation


def test_kinds_of_key_and_operations_are_counted_in_pairs() -> None:
    examined = [
        exchange(LIST, 401, credential=Credential.RANDOM),
        exchange(LIST, 401, credential=Credential.RANDOM),
        exchange(GET, 401, credential=Credential.CUT),
    ]
    found = coverage("AUTH-2", examined, READING)
    assert found is not None
    assert (found.seen, found.total, str(found)) == (2, 33, "11 kinds of key × 3 operations: 2 of 33")
    assert "GET /store/orders" in found.missing
    assert "GET /pets" not in found.missing
    assert not any("POST" in missing for missing in found.missing)


@pytest.mark.parametrize(("grounds", "total"), [(READING, 3), (WRITING, 4), (Grounds(REMOVED), 2)])
def test_only_operations_that_the_run_may_call_are_cells(grounds: Grounds, total: int) -> None:
    found = coverage("AUTH-1", [], grounds)
    assert found is not None
    assert found.total == total
    assert len(found.missing) == total


BODIES = [
    ("CREATE-5", b"", "no body"),
    ("CREATE-5", b"{", "not JSON"),
    ("CREATE-5", b"[]", "not an object"),
    ("CREATE-6", b'{"categoryId": 1}', "no name"),
    ("CREATE-6", b'{"name": "Rex"}', "no categoryId"),
    ("CREATE-7", b'{"name": null, "categoryId": 1}', "null"),
    ("CREATE-7", b'{"name": 7, "categoryId": 1}', "an integer"),
    ("CREATE-8", b'{"name": "Rex", "categoryId": "1"}', "a string"),
    ("CREATE-8", b'{"name": "Rex", "categoryId": 1.5}', "a number with a fraction"),
    ("CREATE-9", b'{"name": "Rex", "categoryId": 9223372036854775808}', "above int64"),
    ("CREATE-9", b'{"name": "Rex", "categoryId": -9223372036854775809}', "below int64"),
    ("CREATE-9", b'{"name": "Rex", "categoryId": 1e300}', "above int64"),
    ("CREATE-9", b'{"name": "Rex", "categoryId": -1e300}', "below int64"),
    ("CREATE-10", b'{"name": "Rex", "categoryId": 1, "status": "adopted"}', "an unknown status"),
    ("CREATE-10", b'{"name": "Rex", "categoryId": 1, "status": "SOLD"}', "a status in other letters"),
    ("CREATE-10", b'{"name": "Rex", "categoryId": 1, "status": " "}', "an empty text"),
    ("CREATE-10", b'{"name": "Rex", "categoryId": 1, "status": null}', "null"),
    ("CREATE-10", b'{"name": "Rex", "categoryId": 1, "status": []}', "an array"),
]


@pytest.mark.parametrize(("requirement", "body", "cell"), BODIES)
def test_the_kind_of_a_defect(requirement: str, body: bytes, cell: str) -> None:
    cells = cells_of(requirement, WRITING)
    assert cells is not None
    sent = exchange(CREATE, 400, asked=body)
    assert list(cells.of(sent, WRITING)) == [(cell,)]
    assert (cell,) in set(cells.all())
    for other in {name for name, _, _ in BODIES} - {requirement}:
        others = cells_of(other, WRITING)
        assert others is not None
        assert list(others.of(sent, WRITING)) == []


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("Rex", {"printable ASCII"}),
        ("x" * 50, {"printable ASCII"}),
        ("x" * 51, {"over 50 characters"}),
        (" Rex", {"spaces at the ends"}),
        ("R\\u0001x", {"control characters"}),
        ("Zoë", {"beyond ASCII"}),
        (" Zoë", {"spaces at the ends", "beyond ASCII"}),
    ],
)
def test_the_kinds_of_a_name(name: str, kinds: set[str]) -> None:
    cells = cells_of("CREATE-2", WRITING)
    assert cells is not None
    sent = exchange(CREATE, 201, asked=f'{{"name": "{name}", "categoryId": 1}}'.encode())
    assert {cell for (cell,) in cells.of(sent, WRITING)} == kinds


@pytest.mark.parametrize(
    ("category", "seen"), [(1, 1), (2**31, 1), (2**53, 1), (2**53 + 1, 1), (-1, 2), (-(2**63) + 1, 2)]
)
def test_large_categories_are_needed(category: int, seen: int) -> None:
    body = f'{{"name": "Rex", "categoryId": {category}}}'.encode()
    found = coverage("CREATE-3", [exchange(CREATE, 201, asked=body)], WRITING)
    assert found is not None
    assert found.seen == seen
    assert (found.missing == ()) == (abs(category) > 2**53)


def test_a_page_is_a_limit_with_a_filter() -> None:
    cells = cells_of("LIST-6", READING)
    assert cells is not None
    assert list(cells.of(exchange(LIST, 200, path="/pets?limit=20&status=sold"), READING)) == [("limit 20", "sold")]
    assert list(cells.of(exchange(LIST, 200, path="/pets?limit=37"), READING)) == [("another limit", "no status")]
    assert list(cells.of(exchange(LIST, 200), READING)) == [("no limit", "no status")]
    assert list(cells.of(exchange(LIST, 400, path="/pets?limit=abc"), READING)) == []


def test_a_pass_without_its_cells_is_undecided_and_names_them() -> None:
    body = b'{"name": 7, "categoryId": 1}'
    decision = decided(catalogue()["CREATE-7"], [exchange(CREATE, 400, asked=body)], WRITING)
    assert isinstance(decision, Undecided)
    assert decision.reason == "Not examined: null."
    both = [exchange(CREATE, 400, asked=body), exchange(CREATE, 400, asked=body.replace(b"7", b"null"))]
    assert isinstance(decided(catalogue()["CREATE-7"], both, WRITING), Held)


def test_a_requirement_that_any_exchange_shows_has_no_cells() -> None:
    assert coverage("PETS-1", [], READING) is None
    assert str(Coverage("2 kinds", 1, 2)) == "2 kinds: 1 of 2"


def test_what_a_pass_needs_can_be_covered() -> None:
    for requirement in (entry.id for entry in catalogue().judged):
        cells = cells_of(requirement, WRITING)
        if cells is not None:
            for need in cells.needs:
                assert any(set(need) <= set(cell) for cell in cells.all()), (requirement, need)


def test_what_only_a_run_with_writes_examines_is_named() -> None:
    found = coverage("RATE-1", [], READING)
    assert found is not None
    assert found.forbidden == ("POST /pets",)
    assert coverage("RATE-1", [], WRITING).forbidden == ()  # type: ignore[union-attr]
    assert coverage("LIST-2", [], READING).forbidden == ()  # type: ignore[union-attr]
