"""What a pass covers, and what it needs."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Silence
from petcheck.judging.cells import Coverage, cells_of, coverage
from petcheck.judging.decided import decided
from petcheck.judging.decision import Held, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import REMOVAL_DAY
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, known

DAY, REMOVED = date(2026, 1, 1), REMOVAL_DAY
READING, WRITING = Grounds(DAY), Grounds(DAY, writes=True, categories=known(1))
READING_RUN, OF_A_RUN = Grounds(DAY, run="52e6b438"), Grounds(DAY, writes=True, run="52e6b438")
LIST, CREATE, GET, ORDERS = Operation


def test_kinds_of_key_and_operations_are_counted_in_pairs() -> None:
    examined = [
        exchange(LIST, 401, credential=Credential.RANDOM),
        exchange(LIST, 401, credential=Credential.RANDOM),
        exchange(GET, 401, credential=Credential.CUT),
    ]
    found = coverage("AUTH-2", examined, READING)
    assert found is not None
    assert (found.seen, found.total, str(found)) == (2, 36, "2 of 36 (12 kinds of key × 3 operations)")
    assert "GET /store/orders" in found.missing
    assert "GET /pets" not in found.missing
    assert not any("POST" in missing for missing in found.missing)


PAGES, POSTS, READS, ALL_ORDERS = map(str, Operation)
WRITES = (POSTS,)  # what only a run with writes examines
MADE = "an animal that the run created"
SOURCES = ("a POST", "a POST in a burst", "a POST whose body names an id")
STATUSES = ("available", "pending", "sold")
SURELY = ("a random key", "the key with its last character changed", "the key without its last character")
SCHEMES = (
    *("the key under the scheme Basic", "the key under the scheme Token"),
    *("the key under a scheme of six letters", "the key without a scheme"),
)

# the requirements, and what a run of nothing has covered of them: reading, writing, and reading after the removal
_OTHER = "another JSON type"
EMPTY: list[tuple[str, Grounds, Coverage]] = [
    ("SERVICE-1 BODY-1", READING, Coverage("3 operations × 5 statuses", 0, 9, (PAGES, READS), WRITES)),
    ("SERVICE-1 BODY-1", WRITING, Coverage("4 operations × 5 statuses", 0, 13, (PAGES, POSTS, READS))),
    ("SERVICE-1 BODY-1", Grounds(REMOVED), Coverage("2 operations × 5 statuses", 0, 5, (PAGES,), WRITES)),
    ("RATE-1 RATE-2 RATE-3", READING, Coverage("3 operations × 6 statuses", 0, 15, (PAGES, READS, ALL_ORDERS), WRITES)),
    ("RATE-1 RATE-2 RATE-3", WRITING, Coverage("4 operations × 6 statuses", 0, 20, (PAGES, POSTS, READS, ALL_ORDERS))),
    ("ERROR-1 ERROR-2 ERROR-3 ERROR-4", READING, Coverage("3 operations × 3 statuses", 0, 7, ("401", "404"), WRITES)),
    ("ERROR-1 ERROR-2 ERROR-3 ERROR-4", WRITING, Coverage("4 operations × 3 statuses", 0, 10, ("401", "404", "400"))),
    (
        "ERROR-1 ERROR-2 ERROR-3 ERROR-4",
        Grounds(REMOVED),
        Coverage("2 operations × 3 statuses", 0, 4, ("401",), WRITES),
    ),
    ("AUTH-1 AUTH-3", READING, Coverage("3 operations", 0, 3, (PAGES, READS, ALL_ORDERS), WRITES)),
    ("AUTH-1 AUTH-3", WRITING, Coverage("4 operations", 0, 4, (PAGES, POSTS, READS, ALL_ORDERS))),
    ("AUTH-1 AUTH-3", Grounds(REMOVED), Coverage("2 operations", 0, 2, (PAGES, ALL_ORDERS), WRITES)),
    (
        "AUTH-2",
        WRITING,
        Coverage(
            "12 kinds of key × 4 operations",
            0,
            48,
            (*SURELY, "the key with a character appended", PAGES, POSTS, READS, ALL_ORDERS),
        ),
    ),
    (
        "AUTH-4",
        READING,
        Coverage("7 kinds of key × 3 operations", 0, 21, (*SCHEMES, PAGES, READS, ALL_ORDERS), WRITES),
    ),
    (
        "AUTH-5",
        READING,
        Coverage(
            "3 kinds of key × 2 operations with a second defect",
            0,
            6,
            ("no key, GET /pets", "no key, GET /pets/{petId}"),
            WRITES,
        ),
    ),
    ("LIST-2", READING, Coverage("4 limits × 4 filters", 0, 16, ("limit 1", "limit 20", "limit 100"))),
    ("LIST-3", READING, Coverage("4 limits × 4 filters", 0, 16)),
    ("LIST-4", READING, Coverage("4 filters", 0, 4)),
    ("LIST-6", READING, Coverage("5 limits × 3 filters", 0, 15, STATUSES)),
    ("LIST-7", READING, Coverage("5 limits × 3 filters", 0, 15)),
    ("LIST-8", READING, Coverage("4 limits × 3 filters", 0, 12)),
    ("PET-1 PET-2 PET-3 PET-4", READING, Coverage("2 operations × 4 statuses of an animal", 0, 8, (), WRITES)),
    ("PET-1 PET-2 PET-3 PET-4", WRITING, Coverage("3 operations × 4 statuses of an animal", 0, 12)),
    ("PET-1 PET-2 PET-3 PET-4", Grounds(REMOVED), Coverage("4 statuses of an animal", 0, 4, (), WRITES)),
    ("PET-5", READING, Coverage("2 sources of ids", 0, 2, (), SOURCES)),
    ("PET-5", WRITING, Coverage("5 sources of ids", 0, 5)),
    ("PETS-1", READING, Coverage("3 sizes of a page × 4 filters", 0, 12)),
    ("LIST-1 ORDERS-1", OF_A_RUN, Coverage("6 forms of the request", 0, 6)),
    ("LIST-5", READING, Coverage("3 limits", 0, 3)),
    ("CREATE-11", WRITING, Coverage("7 kinds of defect", 0, 7)),
    ("CREATE-12 CREATE-13", WRITING, Coverage("13 kinds of value", 0, 13)),
    ("GET-1 GET-4", READING_RUN, Coverage("6 forms of the request", 0, 6, (), (MADE,))),
    ("GET-1 GET-4", OF_A_RUN, Coverage("2 origins of an animal × 6 forms of the request", 0, 12)),
    ("GET-1 GET-4", WRITING, Coverage("2 origins of an animal", 0, 2)),
    ("GET-2", READING, Coverage("4 statuses of an animal", 0, 4, (), (MADE,))),
    ("GET-2", WRITING, Coverage("2 origins × 4 statuses of an animal", 0, 8)),
    ("GET-3", READING, Coverage("5 classes of id", 0, 5)),
    ("AUTH-6", WRITING, Coverage("4 kinds of refused key", 0, 4)),
    ("AUTH-7", OF_A_RUN, Coverage("4 operations × 6 forms of the request", 0, 24)),
    ("AUTH-7", WRITING, Coverage("4 operations", 0, 4)),
    ("ERROR-5", READING, Coverage("3 operations × 3 kinds of request", 0, 9, (), WRITES)),
    ("RATE-4 RATE-5", READING, Coverage("3 operations", 0, 3, (), WRITES)),
    ("RATE-4 RATE-5", WRITING, Coverage("4 operations", 0, 4)),
    ("CREATE-1", WRITING, Coverage("4 statuses", 0, 4, (*STATUSES, "no status"))),
    ("CREATE-2", WRITING, Coverage("5 kinds of name", 0, 5, ("printable ASCII",))),
    (
        "CREATE-3",
        WRITING,
        Coverage("4 kinds of categoryId", 0, 4, ("beyond 2^53, where a double is not exact",)),
    ),
    ("CREATE-4", WRITING, Coverage("3 statuses", 0, 3, STATUSES)),
    ("CREATE-5", WRITING, Coverage("3 kinds of defect", 0, 3, ("no body", "not JSON", "not an object"))),
    ("CREATE-6", WRITING, Coverage("2 kinds of defect", 0, 2, ("no name", "no categoryId"))),
    ("CREATE-7", WRITING, Coverage("6 kinds of defect", 0, 6, ("an integer", "null"))),
    (
        "CREATE-8",
        WRITING,
        Coverage("6 kinds of defect", 0, 6, ("null", "a boolean", "a string", "a number with a fraction")),
    ),
    ("CREATE-9", WRITING, Coverage("2 kinds of defect", 0, 2, ("above int64",))),
    (
        "CREATE-10",
        WRITING,
        Coverage("5 kinds of defect", 0, 5, ("an unknown status", "a status in other letters", "null", _OTHER)),
    ),
    (
        "CREATE-14",
        WRITING,
        Coverage("6 kinds of doubt", 0, 6, ("a name with characters beyond ASCII", "a large categoryId")),
    ),
]


@pytest.mark.parametrize("case", EMPTY, ids=map(str, range(len(EMPTY))))
def test_what_a_requirement_must_hold_for_and_what_a_pass_needs(case: tuple[str, Grounds, Coverage]) -> None:
    requirements, grounds, expected = case
    for requirement in requirements.split():
        assert coverage(requirement, [], grounds) == expected


def cells_in(requirement: str, sent: Exchange) -> list[tuple[str, ...]]:
    cells = cells_of(requirement, WRITING)
    assert cells is not None
    return list(cells.of(sent))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        *((one, str(one)) for one in (200, 201, 400, 401, 404)),
        (403, "another status"),
        (Silence.RESET, "another status"),
    ],
)
def test_an_answer_is_an_operation_with_a_status(status: int | Silence, said: str) -> None:
    for requirement in ("SERVICE-1", "RATE-1", "ERROR-1"):
        assert cells_in(requirement, exchange(GET, status)) == [("GET /pets/{petId}", said)]


def test_an_operation_has_its_own_success_and_every_refusal() -> None:
    cells = cells_of("RATE-1", WRITING)
    assert cells is not None
    statuses = {one: {status for operation, status in cells.all() if operation == one} for one in (POSTS, READS)}
    refusals = {"400", "401", "404", "another status"}
    assert statuses == {POSTS: {"201", *refusals}, READS: {"200", *refusals}}


def test_a_refusal_is_a_kind_of_key_with_an_operation() -> None:
    for requirement in ("AUTH-1", "AUTH-4", "AUTH-5"):
        refused = exchange(ORDERS, 401, credential=Credential.EMPTY)
        assert cells_in(requirement, refused) == [("an empty token", "GET /store/orders")]


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
    ("CREATE-10", b'{"name": "Rex", "categoryId": 1, "status": []}', "another JSON type"),
]


@pytest.mark.parametrize(
    ("requirement", "body"),
    [
        ("CREATE-6", b'{"name": "Rex", "CategoryId": 1}'),
        ("CREATE-7", b'{"name": 7, "categoryId": 1, "kind": "dog"}'),
    ],
)
def test_what_is_refused_beside_another_member_shows_no_kind_of_defect(requirement: str, body: bytes) -> None:
    cells = cells_of(requirement, WRITING)
    assert cells is not None
    assert list(cells.of(exchange(CREATE, 400, asked=body))) == []


@pytest.mark.parametrize(("requirement", "body", "cell"), BODIES)
def test_the_kind_of_a_defect(requirement: str, body: bytes, cell: str) -> None:
    cells = cells_of(requirement, WRITING)
    assert cells is not None
    sent = exchange(CREATE, 400, asked=body)
    assert list(cells.of(sent)) == [(cell,)]
    assert (cell,) in set(cells.all())
    for other in {name for name, _, _ in BODIES} - {requirement}:
        others = cells_of(other, WRITING)
        assert others is not None
        assert list(others.of(sent)) == []


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
    assert {cell for (cell,) in cells.of(sent)} == kinds


BEYOND_53 = "beyond 2^53, where a double is not exact"


@pytest.mark.parametrize(
    ("category", "kinds"),
    [
        (0, ["below 2^31"]),
        (2**31 - 1, ["below 2^31"]),
        (2**31, ["beyond 2^31"]),
        (2**53, ["beyond 2^31"]),
        (2**53 + 1, [BEYOND_53]),
        (-1, ["negative", "below 2^31"]),
        (-(2**31), ["negative", "beyond 2^31"]),
        (-(2**63) + 1, ["negative", BEYOND_53]),
        ("1", []),
    ],
)
def test_the_kinds_of_a_category(category: object, kinds: list[str]) -> None:
    sent = exchange(CREATE, 201, asked={"name": "Rex", "categoryId": category})
    assert cells_in("CREATE-3", sent) == [(one,) for one in kinds]


@pytest.mark.parametrize(("status", "said"), [("sold", "sold"), ("new", "new"), (None, "no status"), (5, "no status")])
def test_the_status_of_a_new_animal(status: object, said: str) -> None:
    for requirement in ("CREATE-1", "CREATE-4"):
        assert cells_in(requirement, exchange(CREATE, 201, asked={"name": "Rex", "status": status})) == [(said,)]


@pytest.mark.parametrize(
    ("name", "category", "doubts"),
    [
        ("Rex", 1, []),
        ("", 1, ["an empty name"]),
        ("Žofie", 1, ["a name with characters beyond ASCII"]),
        ("Rex\t", 1, ["a name with spaces at the ends", "a name with control characters"]),
        ("R" * 51, 2**31, ["a name of over 50 characters", "a large categoryId"]),
    ],
)
def test_the_kinds_of_doubt(name: str, category: int, doubts: list[str]) -> None:
    sent = exchange(CREATE, 201, asked={"name": name, "categoryId": category})
    assert cells_in("CREATE-14", sent) == [(one,) for one in doubts]


def test_a_body_that_is_no_object_has_no_members() -> None:
    for requirement, cells in (("CREATE-1", [("no status",)]), ("CREATE-2", []), ("CREATE-3", [])):
        assert cells_in(requirement, exchange(CREATE, 400, asked=[1])) == cells


def test_a_page_is_a_limit_with_a_filter() -> None:
    assert cells_in("LIST-6", exchange(LIST, 200, path="/pets?limit=20&status=sold")) == [("limit 20", "sold")]
    assert cells_in("LIST-2", exchange(LIST, 200, path="/pets?limit=37")) == [("another limit", "no status")]
    assert cells_in("LIST-4", exchange(LIST, 200)) == [("no limit", "no status")]
    assert cells_in("LIST-2", exchange(LIST, 400, path="/pets?limit=abc")) == []


@pytest.mark.parametrize(
    ("requirement", "path"),
    [
        *((name, "/pets?status=sold") for name in ("LIST-2", "LIST-3")),
        ("LIST-4", "/pets?limit=20&status=sold"),
        *((name, "/pets?limit=20") for name in ("LIST-6", "LIST-7", "LIST-8")),
        ("LIST-8", "/pets?limit=1&status=sold"),  # it has room only if it shows nothing
    ],
)
def test_a_page_that_a_requirement_is_not_about_covers_nothing(requirement: str, path: str) -> None:
    assert cells_in(requirement, exchange(LIST, 200, path=path)) == []


def test_a_pass_without_its_cells_is_undecided_and_names_them() -> None:
    body = b'{"name": 7, "categoryId": 1}'
    decision = decided(catalogue()["CREATE-7"], [exchange(CREATE, 400, asked=body)], WRITING)
    assert isinstance(decision, Undecided)
    assert decision.reason == "Of 6 kinds of defect, these were not examined: null."
    both = [exchange(CREATE, 400, asked=body), exchange(CREATE, 400, asked=body.replace(b"7", b"null"))]
    assert isinstance(decided(catalogue()["CREATE-7"], both, WRITING), Held)


# why these have no cells: one exchange, or one pair, shows all that there is
ONE_THING = {
    "RATE-6": "a run goes over the limit once, since each further request may lead to a ban",
    "RATE-7": "as RATE-6",
    "RATE-8": "as RATE-6",
    "RATE-9": "as RATE-6",
    "RATE-10": "not testable",
    "VERSION-1": "all requests of a run have one base URL",
    "VERSION-2": "not testable",
}


def test_every_requirement_has_cells_unless_one_thing_shows_it() -> None:
    without = {entry.id for entry in catalogue().judged if cells_of(entry.id, WRITING) is None}
    assert without == ONE_THING.keys()
    for requirement in without:
        assert coverage(requirement, [], WRITING) is None


@pytest.mark.parametrize("grounds", [READING_RUN, OF_A_RUN, replace(READING_RUN, as_of=REMOVED)])
def test_no_requirement_of_a_run_has_a_single_cell(grounds: Grounds) -> None:
    for entry in catalogue().judged:
        if (cells := cells_of(entry.id, grounds)) is not None:
            assert len(list(cells.all())) > 1, entry.id


def test_where_only_one_cell_is_left_nothing_is_said() -> None:
    assert coverage("ORDERS-1", [exchange(ORDERS)], WRITING) is None  # traffic does not show the form
    assert coverage("GET-1", [exchange(GET)], READING) is None


def test_how_much_was_covered_in_words() -> None:
    assert str(Coverage("2 kinds of key", 1, 2)) == "1 of 2 kinds of key"
    assert str(Coverage("2 kinds of key × 3 operations", 1, 6)) == "1 of 6 (2 kinds of key × 3 operations)"


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
