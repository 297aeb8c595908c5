"""What one exchange shows of the requirements that most exchanges are about."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from petcheck.call import FORMS_OF_JSON, Credential, Form
from petcheck.exchange import Exchange, Silence
from petcheck.judging.cells import CELLS, Cells
from petcheck.judging.judgement import Grounds
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, known, short

LIST, CREATE, GET, ORDERS = Operation
PAGES, POSTS, READS, ALL_ORDERS = map(str, Operation)
GROUNDS = Grounds(date(2026, 1, 1), writes=True, run="52e6b438", categories=known(1), begun={7: 0.0})
PET = {"id": 7, "name": "Rex", "categoryId": 1}
MADE, ANOTHER = "an animal that the run created", "another animal"
PLAIN = Form.PLAIN.value


def cells_in(requirement: str, sent: Exchange) -> list[tuple[str, ...]]:
    """The cells that an exchange covers, each one that there is."""
    cells = CELLS[requirement](GROUNDS)
    found = list(cells.of(sent))
    assert set(found) <= set(cells.all())
    return found


def every_cell(requirement: str) -> set[tuple[str, ...]]:
    cells: Cells = CELLS[requirement](GROUNDS)
    return set(cells.all())


def page(*animals: object, path: str = "/pets", **more: object) -> Exchange:
    return exchange(LIST, 200, animals, path=path, **more)  # type: ignore[arg-type]


# ---- animals


@pytest.mark.parametrize("requirement", ["PET-1", "PET-2", "PET-3", "PET-4"])
def test_an_animal_is_seen_in_an_operation_with_its_status(requirement: str) -> None:
    animals = [PET, *(PET | {"status": status} for status in ("available", "pending", "sold"))]
    of_page = cells_in(requirement, page(*animals))
    statuses = ["no status", "available", "pending", "sold"]
    assert of_page == [(PAGES, status) for status in statuses]
    of_posts = [cell for one in animals for cell in cells_in(requirement, exchange(CREATE, 201, one))]
    assert of_posts == [(POSTS, status) for status in statuses]
    of_reads = [cell for one in animals for cell in cells_in(requirement, exchange(GET, 200, one))]
    assert of_reads == [(READS, status) for status in statuses]
    assert {*of_page, *of_posts, *of_reads} == every_cell(requirement)


@pytest.mark.parametrize(
    "sent",
    [
        exchange(GET, 200, PET | {"status": None}),
        exchange(GET, 200, PET | {"status": "SOLD"}),
        exchange(GET, 200, PET | {"status": "no status"}),
        exchange(GET, 404, {"status": "sold"}),
        exchange(GET, 200, [PET]),
        exchange(GET, Silence.RESET),
        exchange(ORDERS, 200, PET),
        page(7),
    ],
)
def test_what_is_no_animal_with_a_status_of_the_document_covers_nothing(sent: Exchange) -> None:
    assert cells_in("PET-4", sent) == []


def test_where_ids_come_from() -> None:
    burst = replace(exchange(CREATE, 201, PET), burst=1)
    named = exchange(CREATE, 201, PET, asked={"id": 5, "name": "Rex"})
    assert cells_in("PET-5", page(PET)) == [("a page",)]
    assert cells_in("PET-5", page(PET, path="/pets?limit=5")) == [("a page",)]
    assert cells_in("PET-5", page(PET, path="/pets?status=sold")) == [("a page with a filter",)]
    assert cells_in("PET-5", exchange(CREATE, 201, PET, asked={"id": "5"})) == [("a POST",)]
    assert cells_in("PET-5", burst) == [("a POST in a burst",)]
    assert cells_in("PET-5", named) == [("a POST",), ("a POST whose body names an id",)]
    assert cells_in("PET-5", exchange(GET, 200, PET)) == []
    assert len(every_cell("PET-5")) == 5


# ---- pages


def test_a_page_has_a_size_and_a_filter() -> None:
    assert cells_in("PETS-1", page()) == [("no animal", "no status")]
    assert cells_in("PETS-1", page(PET, path="/pets?limit=1")) == [("one animal", "no status")]
    for status in ("available", "pending", "sold"):
        assert cells_in("PETS-1", page(PET, PET, path=f"/pets?status={status}")) == [("several animals", status)]
    assert cells_in("PETS-1", page(*[PET] * 5)) == [("several animals", "no status")]
    assert len(every_cell("PETS-1")) == 12


@pytest.mark.parametrize(
    "sent", [page(path="/pets?status=SOLD"), page(path="/pets?sort=id"), exchange(LIST, 200, {}), exchange(GET)]
)
def test_a_page_with_another_filter_covers_no_size(sent: Exchange) -> None:
    assert cells_in("PETS-1", sent) == []


@pytest.mark.parametrize(
    ("path", "cells"),
    [
        ("/pets?limit=100", ["limit 100"]),
        ("/pets?status=sold&limit=100", ["limit 100"]),
        ("/pets?limit=101", ["limit 101"]),
        ("/pets?limit=102", ["a limit over 101"]),
        ("/pets?limit=1000", ["a limit over 101"]),
        ("/pets?limit=" + "9" * 5000, ["a limit over 101"]),
        ("/pets?limit=99", []),
        ("/pets?limit=0100", []),
        ("/pets?limit=-100", []),
        ("/pets?limit=abc", []),
        ("/pets", []),
    ],
    ids=short,
)
def test_the_limit_of_a_long_page(path: str, cells: list[str]) -> None:
    assert cells_in("LIST-5", exchange(LIST, 400, path=path)) == [(one,) for one in cells]


def test_a_limit_of_another_operation_is_not_that_of_a_page() -> None:
    assert cells_in("LIST-5", exchange(ORDERS, path="/store/orders?limit=100")) == []
    assert len(every_cell("LIST-5")) == 3


# ---- forms

COMMON = [form for form in Form if form.value in {cell for (cell,) in every_cell("ORDERS-1")}]


@pytest.mark.parametrize("form", list(Form), ids=lambda form: form.name)
def test_a_request_has_a_form(form: Form) -> None:
    common = form not in {*FORMS_OF_JSON, Form.TURNED, Form.CHUNKED, Form.AS_TEXT}
    of_all = [(form.value,)] if common else []
    assert cells_in("LIST-1", exchange(LIST, form=form)) == of_all
    assert cells_in("ORDERS-1", exchange(ORDERS, form=form)) == of_all
    for operation in Operation:
        assert cells_in("AUTH-7", exchange(operation, form=form)) == [(str(operation), *cell) for cell in of_all]
    for requirement in ("GET-1", "GET-4"):
        assert cells_in(requirement, exchange(GET, form=form)) == [(MADE, *cell) for cell in of_all]
        assert cells_in(requirement, exchange(GET, form=form, path="/pets/8")) == [(ANOTHER, *cell) for cell in of_all]
    assert (len(COMMON), len(every_cell("AUTH-7")), len(every_cell("GET-1"))) == (6, 24, 12)


# ---- created animals


@pytest.mark.parametrize(
    ("body", "cell"),
    [
        (b"", "no JSON object"),
        (b"{", "no JSON object"),
        (b"[]", "no JSON object"),
        (b'{"name": "Rex"}', "a required field missing"),
        (b'{"name": 7, "categoryId": 1}', "a name of another JSON type"),
        (b'{"name": "Rex", "categoryId": "1"}', "a categoryId of another JSON type"),
        (b'{"name": "Rex", "categoryId": 9223372036854775808}', "a categoryId beyond int64"),
        (b'{"name": "Rex", "categoryId": 1, "status": "SOLD"}', "a wrong status"),
        ('{"name": "Žofie", "categoryId": 1}'.encode(), "a value that may be refused"),
    ],
    ids=short,
)
def test_what_is_wrong_with_a_refused_body(body: bytes, cell: str) -> None:
    assert cells_in("CREATE-11", exchange(CREATE, 400, asked=body)) == [(cell,)]


def test_a_page_and_a_body_that_is_right_or_open_show_no_defect() -> None:
    assert cells_in("CREATE-11", page(PET)) == []
    assert cells_in("CREATE-11", exchange(CREATE, 400, asked={"name": "Rex", "categoryId": 1})) == []
    assert cells_in("CREATE-11", exchange(CREATE, 400, asked={"name": "Rex", "categoryId": 1, "kind": "dog"})) == []


VALUES = [
    ({}, ["no status"]),
    ({"status": "available"}, ["status available"]),
    ({"status": "pending"}, ["status pending"]),
    ({"status": "sold"}, ["status sold"]),
    ({"status": None}, []),
    ({"name": "Rex"}, ["a name of printable ASCII"]),
    ({"name": "x" * 51}, ["a name of over 50 characters"]),
    ({"name": " Rex"}, ["a name with spaces at the ends"]),
    ({"name": "R\u0001x"}, ["a name with control characters"]),
    ({"name": "Žofie"}, ["a name with characters beyond ASCII"]),
    ({"name": 7}, []),
    ({"categoryId": 1}, ["a categoryId below 2^31"]),
    ({"categoryId": 2**31}, ["a categoryId beyond 2^31"]),
    ({"categoryId": 2**53 + 1}, ["a categoryId beyond 2^53, where a double is not exact"]),
    ({"categoryId": -1}, ["a negative categoryId", "a categoryId below 2^31"]),
    ({"categoryId": "1"}, []),
]


@pytest.mark.parametrize(("members", "kinds"), VALUES, ids=map(str, range(len(VALUES))))
def test_the_values_of_an_animal_of_the_run(members: dict[str, object], kinds: list[str]) -> None:
    animal = {"id": 7, "status": None} | members if members else {"id": 7}  # null is no status that counts
    for requirement, sent in (("CREATE-12", exchange(GET, 200, animal)), ("CREATE-13", page({"id": 8}, animal))):
        assert cells_in(requirement, sent) == [(one,) for one in kinds]
    assert cells_in("CREATE-13", page(animal | {"id": 8})) == []


def test_each_kind_of_value_can_be_shown() -> None:
    assert {(one,) for _, kinds in VALUES for one in kinds} == every_cell("CREATE-12") == every_cell("CREATE-13")


# ---- GET


def test_a_read_animal_has_an_origin_and_a_status() -> None:
    for path, origin in (("/pets/7", MADE), ("/pets/8", ANOTHER)):
        assert cells_in("GET-2", exchange(GET, 200, PET, path=path)) == [(origin, "no status")]
        for status in ("available", "pending", "sold"):
            assert cells_in("GET-2", exchange(GET, 200, PET | {"status": status}, path=path)) == [(origin, status)]
    assert len(every_cell("GET-2")) == 8


def test_a_page_is_not_a_read_animal() -> None:
    for requirement in ("GET-1", "GET-2", "GET-4"):
        assert cells_in(requirement, page(PET)) == []


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "zero or negative"),
        (-1, "zero or negative"),
        (-(2**63) + 1, "zero or negative"),
        (1, "below 2^31"),
        (2**31 - 1, "below 2^31"),
        (2**31, "from 2^31 to 2^53"),
        (2**53, "from 2^31 to 2^53"),
        (2**53 + 1, "beyond 2^53"),
        (2**63 - 2, "beyond 2^53"),
        (2**63 - 1, "the smallest or largest int64"),
        (-(2**63), "the smallest or largest int64"),
    ],
)
def test_the_class_of_an_id(number: int, said: str) -> None:
    assert cells_in("GET-3", exchange(GET, 404, path=f"/pets/{number}")) == [(said,)]


def test_what_is_no_int64_has_no_class() -> None:
    assert cells_in("GET-3", exchange(GET, 404, path="/pets/abc")) == []
    assert cells_in("GET-3", exchange(LIST)) == []
    assert len(every_cell("GET-3")) == 5


# ---- keys and any request


@pytest.mark.parametrize(
    ("key", "cells"),
    [
        (Credential.MISSING, ["no key"]),
        (Credential.TWICE, ["another key"]),
        (Credential.EMPTY, ["an empty token"]),
        (Credential.BASIC, ["another scheme"]),
        (Credential.UNKNOWN, []),
    ],
)
def test_what_is_wrong_with_the_key_of_a_post(key: Credential, cells: list[str]) -> None:
    assert cells_in("AUTH-6", exchange(CREATE, 401, credential=key)) == [(one,) for one in cells]
    assert cells_in("AUTH-6", exchange(LIST, 401, credential=key)) == []


@pytest.mark.parametrize("key", list(Credential), ids=lambda key: key.name)
def test_a_request_without_a_valid_key_is_of_its_own_kind(key: Credential) -> None:
    found = cells_in("ERROR-5", exchange(ORDERS, 401, credential=key))
    if key is Credential.UNKNOWN:
        assert found == []
    else:
        assert found == [(ALL_ORDERS, "a valid request" if key is Credential.VALID else "an invalid key")]


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (exchange(LIST, path="/pets?limit=5&status=sold"), "a valid request"),
        (exchange(LIST, path="/pets?limit=0"), "an odd request"),
        (exchange(GET, path="/pets/-3"), "a valid request"),
        (exchange(GET, path="/pets/abc"), "an odd request"),
        (exchange(CREATE, asked={"name": "Rex", "categoryId": 1}), "a valid request"),
        (exchange(CREATE, asked={"name": "Rex", "categoryId": 2}), "a valid request"),
        (exchange(CREATE, asked={"name": "Rex"}), "an odd request"),
        (exchange(CREATE, asked={"name": "Rex", "categoryId": 1, "kind": "dog"}), "an odd request"),
        (exchange(ORDERS), "a valid request"),
        (exchange(ORDERS, path="/store/orders?limit=1"), "an odd request"),
    ],
)
def test_a_request_with_the_valid_key_is_valid_or_odd(sent: Exchange, kind: str) -> None:
    assert cells_in("ERROR-5", sent) == [(str(sent.request.operation), kind)]


def test_a_request_is_for_an_operation() -> None:
    for requirement in ("RATE-4", "RATE-5"):
        found = [cell for operation in Operation for cell in cells_in(requirement, exchange(operation))]
        assert found == [(str(operation),) for operation in Operation]
