"""Which part of an exchange decides."""

from __future__ import annotations

import pytest

from petcheck.exchange import Credential, Exchange, Operation, Silence
from petcheck.judging.catalogue import catalogue
from petcheck.judging.deciding import parts_of
from tests.judging.exchanges import exchange, rates

CREATE, GET, ORDERS = Operation.CREATE_PET, Operation.GET_PET, Operation.STORE_ORDERS
GOOD = {"id": 1, "name": "Rex", "categoryId": 2, "status": "sold"}


def pet(number: object, **members: object) -> dict[str, object]:
    return GOOD | {"id": number} | members


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in GOOD.items() if key != name}


def page(*animals: object, query: str = "") -> Exchange:
    return exchange(body=animals, path=f"/pets{query}")


def posted(name: str, status: int = 400) -> Exchange:
    return exchange(CREATE, status, asked={"name": name})


def error(body: object, status: int = 401) -> Exchange:
    return exchange(status=status, body=body, credential=Credential.MISSING)


CASES: list[tuple[str, list[Exchange], list[str]]] = [
    ("AUTH-1", [error({})], ["status"]),
    ("ERROR-5", [exchange(ORDERS, 500)], ["status"]),
    ("BODY-1", [exchange()], ["header:Content-Type"]),
    ("SERVICE-1", [exchange(body=b"<html>")], ["body"]),
    ("PET-1", [page(GOOD, pet("1"))], ["body:/1/id"]),
    ("PET-3", [page(GOOD, 7, without("categoryId"))], ["body:/2"]),
    ("PET-2", [exchange(GET, body=without("name"))], ["body"]),
    ("PET-4", [exchange(GET, body=pet(1, status=None))], ["body:/status"]),
    ("PET-1", [exchange(GET, body=[1])], ["body"]),
    ("PET-5", [page(GOOD, pet(2), GOOD), exchange(CREATE, 201, GOOD)], ["body:/2/id", "body:/id"]),
    ("PET-5", [page(pet(None), pet(None), pet(2), pet(2))], ["body:/3/id"]),
    ("PET-5", [page(pet(2), pet(3)), exchange(CREATE, 201, pet(None))], ["body", "body"]),
    ("PETS-1", [page(GOOD, [])], ["body:/1"]),
    ("PETS-1", [exchange(body={"items": []})], ["body"]),
    ("LIST-3", [page(GOOD, GOOD, query="?limit=1")], ["body:/1"]),
    ("LIST-3", [page(GOOD, query="?limit=1")], ["body"]),
    ("LIST-3", [page(GOOD, query="?limit=x")], ["body"]),
    ("LIST-4", [page(*[GOOD] * 21), page(GOOD, query="?limit=20")], ["body:/20", "body"]),
    ("LIST-7", [page(GOOD, pet(2, status="pending"), query="?status=sold")], ["body:/1/status"]),
    ("LIST-7", [page(GOOD, without("status"), query="?status=sold")], ["body:/1"]),
    ("LIST-7", [page(pet(1, status="SOLD"), pet(2, status="pending"), query="?status=sold")], ["body:/1/status"]),
    ("LIST-7", [exchange(status=400, body=[pet(2, status="pending")])], ["body"]),
    ("LIST-8", [page(pet(4), pet(3)), page(GOOD, query="?status=sold")], ["body:/1", "body"]),
    (
        "LIST-8",
        [page(pet(None), pet(3)), page(query="?status=sold"), exchange(status=400)],
        ["body:/1", "body", "body"],
    ),
    ("LIST-8", [page(pet(3, status="pending"), pet(4)), page(query="?status=sold")], ["body:/1", "body"]),
    ("LIST-8", [page(without("status"), pet(4)), page(pet(4)), page(pet(4), query="?status=sold")], ["body"] * 3),
    ("LIST-8", [page(GOOD, pet(2)), page(GOOD, query="?status=sold")], ["body:/1", "body"]),
    ("CREATE-2", [exchange(CREATE, 201, pet(1, name="Tex"))], ["body:/name"]),
    ("CREATE-4", [exchange(CREATE, 201, without("status"))], ["body"]),
    ("CREATE-8", [posted("x", 201)], ["status"]),
    ("CREATE-11", [posted("refused"), page(GOOD, pet(2, name="refused"))], ["status", "body:/1/name"]),
    ("CREATE-11", [exchange(CREATE, 400, asked=["x"]), page(GOOD, pet(2, name=None))], ["status", "body"]),
    (
        "CREATE-11",
        [exchange(CREATE, 400, asked=b"{"), posted("x"), page(pet(2, name="x"))],
        ["status", "status", "body:/0/name"],
    ),
    ("AUTH-6", [exchange(CREATE, 401), page(GOOD)], ["status", "body"]),
    ("CREATE-12", [exchange(CREATE, 201, GOOD), exchange(GET, 404)], ["body", "status"]),
    ("CREATE-12", [exchange(CREATE, 201, GOOD), exchange(GET, Silence.TIMEOUT)], ["body", ""]),
    ("CREATE-13", [exchange(CREATE, 201, pet(2)), page(GOOD, pet(2, name="Tex"))], ["body:/name", "body:/1/name"]),
    ("CREATE-13", [exchange(CREATE, 201, pet(2)), page(GOOD, pet(2))], ["body", "body:/1"]),
    ("CREATE-13", [exchange(CREATE, 201, pet(2)), page(GOOD)], ["body", "body"]),
    (
        "CREATE-13",
        [exchange(CREATE, 201, pet(2)), page(pet(2, categoryId=3))],
        ["body:/categoryId", "body:/0/categoryId"],
    ),
    ("GET-2", [exchange(GET, body=pet(8))], ["body:/id"]),
    ("GET-2", [page(pet(6), pet(7)), exchange(GET, body=pet(7, name="Tex"))], ["body:/1/name", "body:/name"]),
    ("GET-2", [page(pet(7)), exchange(GET, body=without("status") | {"id": 7})], ["body:/0/status", "body"]),
    ("GET-2", [page(pet(None), pet(7)), exchange(GET, body=pet(7, name="Tex"))], ["body:/1/name", "body:/name"]),
    ("GET-2", [exchange(GET, body=pet(None))], ["body"]),
    ("ERROR-2", [error([{"code": "x"}])], ["body"]),
    ("ERROR-3", [error({"code": "x", "message": []})], ["body:/message"]),
    ("ERROR-3", [error({"code": "x"})], ["body"]),
    ("ERROR-4", [error({"status": 400})], ["body:/status"]),
    ("RATE-3", [exchange()], ["header:X-RateLimit-Reset"]),
    (
        "RATE-6",
        [exchange(headers=rates(60, 0, 1)), exchange(status=503)],
        ["header:X-RateLimit-Remaining", "status"],
    ),
    (
        "RATE-6",
        [exchange(), exchange(status=403, headers=rates(60, 0, 1))],
        ["status", "status"],
    ),
    (
        "RATE-8",
        [exchange(status=429, headers=rates(60, 3, 1)), exchange(status=429, headers=rates(60, 0, 1))],
        ["header:X-RateLimit-Remaining", "status"],
    ),
    ("RATE-9", [exchange(status=429), exchange(status=429)], ["header:Retry-After", "status"]),
    ("LIST-1", [exchange(status=Silence.TIMEOUT)], [""]),
    ("VERSION-1", [exchange()], [""]),
]


@pytest.mark.parametrize(
    ("requirement", "decisive", "parts"),
    CASES,
    ids=[f"{case[0]} by {case[2][0]} ({n})" for n, case in enumerate(CASES)],
)
def test_the_part_that_decides(requirement: str, decisive: list[Exchange], parts: list[str]) -> None:
    assert list(parts_of(requirement, decisive)) == parts


@pytest.mark.parametrize(
    ("requirement", "header"),
    [
        ("BODY-1", "Content-Type"),
        ("RATE-1", "X-RateLimit-Limit"),
        ("RATE-2", "X-RateLimit-Remaining"),
        ("RATE-3", "X-RateLimit-Reset"),
        ("RATE-4", "X-RateLimit-Remaining"),
        ("RATE-5", "X-RateLimit-Limit"),
        ("RATE-7", "Retry-After"),
    ],
)
def test_a_header_decides_whether_it_came_or_not(requirement: str, header: str) -> None:
    assert parts_of(requirement, [exchange(status=429)]) == (f"header:{header}",)


@pytest.mark.parametrize(
    ("requirement", "member"),
    [
        ("CREATE-2", "name"),
        ("CREATE-3", "categoryId"),
        ("CREATE-4", "status"),
        ("ERROR-2", "code"),
        ("ERROR-3", "message"),
        ("ERROR-4", "status"),
    ],
)
def test_a_member_of_the_only_object_decides(requirement: str, member: str) -> None:
    assert parts_of(requirement, [exchange(body={member: None}), exchange(body={})]) == (f"body:/{member}", "body")


@pytest.mark.parametrize(
    ("requirement", "member"), [("PET-1", "id"), ("PET-2", "name"), ("PET-3", "categoryId"), ("PET-4", "status")]
)
def test_the_first_wrong_member_in_a_list_decides(requirement: str, member: str) -> None:
    assert parts_of(requirement, [page(GOOD, GOOD | {member: []}, GOOD | {member: {}})]) == (f"body:/1/{member}",)


def test_the_first_animal_that_is_too_many_decides() -> None:
    full = [GOOD] * 101
    asked = {"LIST-3": "?limit=99", "LIST-4": "", "LIST-5": "?limit=500"}
    assert [parts_of(name, [page(*full, query=query)]) for name, query in asked.items()] == [
        ("body:/99",),
        ("body:/20",),
        ("body:/100",),
    ]


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[[]]", b"{", b'[{"id":null,"name":[],"status":{}}]', b"\xff"], ids=range(6)
)
def test_every_requirement_has_one_whatever_came(body: bytes) -> None:
    strange = [exchange(operation, status, body) for operation in Operation for status in (200, 201, 429, 500)]
    judged = [entry.id for entry in catalogue().judged if not entry.untestable]
    assert [name for name in judged if not all(parts_of(name, strange))] == ["VERSION-1"]
