"""What a pass covers, and what it needs."""

from __future__ import annotations

from datetime import date

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.judging.cells import Coverage, cells_of, coverage
from petcheck.judging.decided import decided
from petcheck.judging.judgement import Grounds, Held, Undecided
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import REMOVAL_DAY
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


# ---- all of them: what is counted without writes, with writes and after the removal, and what a pass needs

EVERYWHERE = [("GET /pets",), ("POST /pets",), ("GET /pets/{petId}",), ("GET /store/orders",)]
SURE_KEYS = [
    ("a random key",),
    ("the key with its last character changed",),
    ("the key without its last character",),
    ("the key with a character appended",),
]
SCHEMES = [
    ("the key under the scheme Basic",),
    ("the key under the scheme Token",),
    ("the key under a scheme of six letters",),
    ("the key without a scheme",),
]
NEW_STATUSES = [("available",), ("pending",), ("sold",)]
TABLE = [
    ("BODY-1", ("operations", "statuses"), (9, 13, 5), EVERYWHERE[:3]),
    ("RATE-1", ("operations", "statuses"), (18, 20, 12), EVERYWHERE),
    ("ERROR-1", ("operations", "statuses"), (7, 10, 4), [("401",), ("404",), ("400",)]),
    ("AUTH-1", ("kinds of key", "operations"), (3, 4, 2), EVERYWHERE),
    ("AUTH-2", ("kinds of key", "operations"), (33, 44, 22), [*SURE_KEYS, *EVERYWHERE]),
    ("AUTH-4", ("kinds of key", "operations"), (12, 16, 8), [*SCHEMES, *EVERYWHERE]),
    (
        *("AUTH-5", ("kinds of key", "operations with a second defect"), (6, 9, 3)),
        [("no key", "GET /pets"), ("no key", "POST /pets"), ("no key", "GET /pets/{petId}")],
    ),
    ("LIST-2", ("limits", "filters"), (20, 20, 20), [("limit 1",), ("limit 20",), ("limit 100",)]),
    ("LIST-6", ("limits", "filters"), (20, 20, 20), NEW_STATUSES),
    ("LIST-3", ("limits", "filters"), (20, 20, 20), []),
    ("CREATE-1", ("statuses",), (4, 4, 4), [*NEW_STATUSES, ("no status",)]),
    ("CREATE-2", ("kinds of name",), (5, 5, 5), [("printable ASCII",)]),
    ("CREATE-3", ("kinds of categoryId",), (4, 4, 4), [("beyond 2^53, where a double is not exact",)]),
    ("CREATE-4", ("statuses",), (3, 3, 3), NEW_STATUSES),
    ("CREATE-5", ("kinds of defect",), (3, 3, 3), [("no body",), ("not JSON",), ("not an object",)]),
    ("CREATE-6", ("kinds of defect",), (2, 2, 2), [("no name",), ("no categoryId",)]),
    ("CREATE-7", ("kinds of defect",), (6, 6, 6), [("an integer",), ("null",)]),
    (
        *("CREATE-8", ("kinds of defect",), (6, 6, 6)),
        [("null",), ("a boolean",), ("a string",), ("a number with a fraction",)],
    ),
    ("CREATE-9", ("kinds of defect",), (2, 2, 2), [("above int64",)]),
    (
        *("CREATE-10", ("kinds of defect",), (9, 9, 9)),
        [("an unknown status",), ("a status in other letters",), ("null",)],
    ),
    (
        *("CREATE-14", ("kinds of doubt",), (2, 2, 2)),
        [("a name that may be refused",), ("a category that may be refused",)],
    ),
]


@pytest.mark.parametrize(("requirement", "names", "totals", "needs"), TABLE, ids=[row[0] for row in TABLE])
def test_what_is_counted_and_needed(
    requirement: str, names: tuple[str, ...], totals: tuple[int, ...], needs: list[tuple[str, ...]]
) -> None:
    found = [cells_of(requirement, grounds) for grounds in (READING, WRITING, Grounds(REMOVED, writes=True))]
    assert [tuple(one.name for one in cells.dimensions) for cells in found if cells] == [names] * 3
    counted = [coverage(requirement, [], grounds) for grounds in (READING, WRITING, Grounds(REMOVED))]
    assert [one.total for one in counted if one] == list(totals)
    assert [list(cells.needs) for cells in found[1:2] if cells] == [needs]
    # what a run cannot call is not needed of it
    reading = [need for need in needs if "POST" not in need[-1] and need != ("400",)]
    removed = [need for need in reading if "GET /pets/{petId}" not in need and need != ("404",)]
    fewer = [cells_of(requirement, grounds) for grounds in (READING, Grounds(REMOVED))]
    assert [list(cells.needs) for cells in fewer if cells] == [reading, removed]
    writable = "operations" in names[0] or "operation" in names[-1]
    assert [one.forbidden for one in counted if one] == [("POST /pets",) * writable, (), ("POST /pets",) * writable]


@pytest.mark.parametrize(
    ("requirement", "possible"),
    [
        ("BODY-1", {("GET /pets", "200"), ("POST /pets", "201"), ("POST /pets", "400"), ("GET /pets/{petId}", "404")}),
        ("RATE-1", {("GET /pets", "200"), ("POST /pets", "201"), ("GET /store/orders", "another status")}),
        ("ERROR-2", {("GET /pets", "400"), ("POST /pets", "401"), ("GET /pets/{petId}", "404")}),
    ],
)
def test_only_what_the_document_shows_for_an_operation_is_a_cell(requirement: str, possible: set[tuple[str]]) -> None:
    cells = cells_of(requirement, WRITING)
    assert cells is not None
    assert possible <= set(cells.all())
    assert not {("GET /pets", "201"), ("POST /pets", "200"), ("GET /store/orders", "201")} & set(cells.all())


@pytest.mark.parametrize(
    ("requirement", "sent", "shown"),
    [
        ("RATE-1", exchange(GET, 404), [("GET /pets/{petId}", "404")]),
        ("RATE-1", exchange(GET, 503), [("GET /pets/{petId}", "another status")]),
        ("AUTH-1", exchange(LIST, 401, credential=Credential.MISSING), [("no key", "GET /pets")]),
        ("AUTH-5", exchange(GET, 401, credential=Credential.EMPTY), [(Credential.EMPTY.value, "GET /pets/{petId}")]),
        ("CREATE-1", exchange(CREATE, 201, asked={"name": "Rex", "status": "sold"}), [("sold",)]),
        ("CREATE-1", exchange(CREATE, 201, asked={"name": "Rex"}), [("no status",)]),
        ("CREATE-1", exchange(CREATE, 201, asked=[]), [("no status",)]),
        ("CREATE-2", exchange(CREATE, 201, asked={"name": 7}), []),
        ("CREATE-3", exchange(CREATE, 201, asked={"categoryId": "1"}), []),
        ("CREATE-3", exchange(CREATE, 201, asked={"categoryId": -1}), [("negative",), ("below 2^31",)]),
        ("CREATE-3", exchange(CREATE, 201, asked={"categoryId": 0}), [("below 2^31",)]),
        ("CREATE-3", exchange(CREATE, 201, asked={"categoryId": 2**31 - 1}), [("below 2^31",)]),
        ("CREATE-3", exchange(CREATE, 201, asked={"categoryId": 2**31}), [("beyond 2^31",)]),
        ("CREATE-3", exchange(CREATE, 201, asked={"categoryId": 2**53}), [("beyond 2^31",)]),
        ("CREATE-14", exchange(CREATE, 201, asked={"name": "Rex", "categoryId": 1}), []),
        ("CREATE-14", exchange(CREATE, 201, asked={"name": "é", "categoryId": 1}), [("a name that may be refused",)]),
        (
            *("CREATE-14", exchange(CREATE, 201, asked={"name": "Rex", "categoryId": 2**40})),
            [("a category that may be refused",)],
        ),
    ],
)
def test_what_an_exchange_covers(requirement: str, sent: Exchange, shown: list[tuple[str, ...]]) -> None:
    cells = cells_of(requirement, WRITING)
    assert cells is not None
    assert list(cells.of(sent, WRITING)) == shown


def test_what_is_missing_is_told_in_words() -> None:
    found = coverage("AUTH-5", [], READING)
    assert found is not None
    assert found.missing == ("no key, GET /pets", "no key, GET /pets/{petId}")


def test_from_the_day_of_removal_no_404_is_needed() -> None:
    cells = cells_of("ERROR-1", Grounds(REMOVAL_DAY))
    assert cells is not None
    assert cells.needs == (("401",),)
