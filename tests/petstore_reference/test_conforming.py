"""The reference server obeys each section of the document, over real sockets."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import date
from email.utils import parsedate_to_datetime

import httpx
import pytest

from tests.support.ground import BEARER, KEY, NOON, Clock, served

OPERATIONS = (("GET", "/pets"), ("POST", "/pets"), ("GET", "/pets/1"), ("GET", "/store/orders"))


@pytest.fixture(scope="module")
def store() -> Iterator[httpx.Client]:
    with served(keys={KEY: "business"}, anonymous_limit=10_000) as (http, _):
        yield http


def post(http: httpx.Client, body: object) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return http.post("/pets", content=content, headers={"Content-Type": "application/json"})


# ---- section 2 and 4.1


def test_the_same_animals_each_time() -> None:
    with served() as (http, _):
        assert http.get("/pets?limit=3").json() == [
            {"id": 130, "name": "Milo 130", "categoryId": 3},
            {"id": 129, "name": "Felix 129", "categoryId": 1, "status": "sold"},
            {"id": 128, "name": "Luna 128", "categoryId": 6, "status": "available"},
        ]


def test_every_status_has_enough_animals() -> None:
    with served() as (http, _):
        counts = {status: len(http.get(f"/pets?limit=100&status={status}").json()) for status in STATUSES}
        assert counts == {"available": 52, "pending": 26, "sold": 26}


STATUSES = ("available", "pending", "sold")


@pytest.mark.parametrize(("query", "count"), [("", 20), ("?limit=1", 1), ("?limit=20", 20), ("?limit=100", 100)])
def test_pages(store: httpx.Client, query: str, count: int) -> None:
    response = store.get(f"/pets{query}")
    assert (response.status_code, len(response.json())) == (200, count)
    assert response.headers["content-type"] == "application/json"


@pytest.mark.parametrize("limit", ["0", "-1", "101", "abc", "", "1.0", "+1", "1e1", "9" * 5000, "٣"])
def test_other_limits(store: httpx.Client, limit: str) -> None:
    response = store.get("/pets", params={"limit": limit})
    assert (response.status_code, response.json()) == (
        400,
        {"code": "limit_invalid", "message": "limit must be an integer from 1 to 100.", "status": 400},
    )


@pytest.mark.parametrize("status", STATUSES)
def test_filter(store: httpx.Client, status: str) -> None:
    assert {animal["status"] for animal in store.get(f"/pets?status={status}").json()} == {status}


@pytest.mark.parametrize("status", ["SOLD", "", "gone", "null"])
def test_other_filters(store: httpx.Client, status: str) -> None:
    response = store.get("/pets", params={"status": status})
    assert (response.status_code, response.json()["code"]) == (400, "filter_invalid")


def test_an_empty_store() -> None:
    with served(animals=0) as (http, _):
        assert http.get("/pets").json() == []
        assert post(http, {"name": "Rex", "categoryId": 1}).json() == {"id": 1, "name": "Rex", "categoryId": 1}


# ---- section 4.2


@pytest.mark.parametrize(
    "animal",
    [
        {"name": "Rex", "categoryId": 1},
        {"name": "Rex", "categoryId": 2**63 - 1, "status": "available"},
        {"name": "Rex", "categoryId": -(2**63), "status": "pending"},
        {"name": "Rex", "categoryId": 2**53 + 1, "status": "sold"},
        {"name": "", "categoryId": 0},
        {"name": "  <b>&amp;\x00\r\n\x7f\u202e 👩‍👩‍👧 Ame\u0301lie \ufeff\uffff 𐍈", "categoryId": 1},
        {"name": "x" * 100_000, "categoryId": 1},
    ],
)
def test_created_exactly(store: httpx.Client, animal: dict[str, object]) -> None:
    response = post(store, animal)
    assert (response.status_code, response.headers["content-type"]) == (201, "application/json")
    created = json.loads(response.content)
    assert created == {"id": created["id"], **animal}
    assert store.get(f"/pets/{created['id']}").json() == created
    assert store.get("/pets?limit=1").json() == [created]


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1056.0", 1056),
        ("-0.0", 0),
        ("1e3", 1_000),
        ("12.50E1", 125),
        ("9007199254740993.0", 2**53 + 1),
        ("9223372036854775807.0", 2**63 - 1),
        ("-9223372036854775808.0", -(2**63)),
    ],
)
def test_an_integer_stays_exact_however_it_is_written(store: httpx.Client, written: str, number: int) -> None:
    response = post(store, f'{{"name":"Rex","categoryId":{written}}}'.encode())
    assert response.status_code == 201
    assert response.text.endswith(f'"categoryId":{number}}}')


def test_an_id_and_unknown_fields_are_ignored(store: httpx.Client) -> None:
    created = post(store, {"id": 1, "name": "Rex", "categoryId": 1, "tag": "x"}).json()
    assert created == {"id": created["id"], "name": "Rex", "categoryId": 1}
    assert created["id"] > 130


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "body_missing"),
        (b"{", "body_not_json"),
        (b"name=Rex", "body_not_json"),
        (b"\xff\xfe\xfd", "body_not_json"),
        (b'{"name":"Rex","categoryId":NaN}', "body_not_json"),
        (b'{"name":"Rex","categoryId":-Infinity}', "body_not_json"),
        (b'{"name":"Rex","categoryId":1' + b"0" * 5000 + b"}", "category_beyond_int64"),
        (b"[" * 100_000, "body_too_deep"),
        (b'[{"name":"Rex","categoryId":1}]', "body_not_object"),
        (b"null", "body_not_object"),
        (b'"Rex"', "body_not_object"),
        (b"{}", "name_missing"),
        (b'{"categoryId":1}', "name_missing"),
        (b'{"name":"Rex"}', "category_missing"),
        (b'{"name":5,"categoryId":1}', "name_not_string"),
        (b'{"name":null,"categoryId":1}', "name_null"),
        (b'{"name":["Rex"],"categoryId":1}', "name_not_string"),
        (b'{"name":"\\ud83d","categoryId":1}', "name_not_unicode"),
        (b'{"name":"Rex","categoryId":"1"}', "category_text"),
        (b'{"name":"Rex","categoryId":1.5}', "category_fraction"),
        (b'{"name":"Rex","categoryId":9007199254740993.5}', "category_fraction"),
        (b'{"name":"Rex","categoryId":1e300}', "category_fraction"),
        (b'{"name":"Rex","categoryId":1e-99999999999999999999}', "category_fraction"),
        (b'{"name":"Rex","categoryId":1e400}', "category_infinite"),
        (b'{"name":"Rex","categoryId":null}', "category_null"),
        (b'{"name":"Rex","categoryId":true}', "category_boolean"),
        (b'{"name":"Rex","categoryId":{}}', "category_not_integer"),
        (b'{"name":"Rex","categoryId":9223372036854775808}', "category_beyond_int64"),
        (b'{"name":"Rex","categoryId":9223372036854775808.0}', "category_beyond_int64"),
        (b'{"name":"Rex","categoryId":-9223372036854775809}', "category_beyond_int64"),
        (b'{"name":"Rex","categoryId":1,"status":"gone"}', "status_unknown"),
        (b'{"name":"Rex","categoryId":1,"status":"SOLD"}', "status_case"),
        (b'{"name":"Rex","categoryId":1,"status":null}', "status_null"),
        (b'{"name":"Rex","categoryId":1,"status":["sold"]}', "status_unknown"),
        (b'{"name":"' + b"x" * (1 << 20) + b'","categoryId":1}', "body_too_large"),
    ],
)
def test_refused_and_not_stored(store: httpx.Client, body: bytes, code: str) -> None:
    before = store.get("/pets?limit=100").content
    response = post(store, body)
    error = response.json()
    assert (response.status_code, response.headers["content-type"]) == (400, "application/json")
    assert error == {"code": code, "message": error["message"], "status": 400}
    assert error["message"]
    assert store.get("/pets?limit=100").content == before


# ---- sections 4.3 and 9


def test_one_animal(store: httpx.Client) -> None:
    response = store.get("/pets/129")
    assert (response.status_code, response.json()) == (
        200,
        {"id": 129, "name": "Felix 129", "categoryId": 1, "status": "sold"},
    )


@pytest.mark.parametrize("pet_id", ["0", "-1", str(2**63 - 1), str(-(2**63))])
def test_an_unknown_animal(store: httpx.Client, pet_id: str) -> None:
    response = store.get(f"/pets/{pet_id}")
    assert (response.status_code, response.json()) == (
        404,
        {"code": "pet_not_found", "message": "No animal has this id.", "status": 404},
    )


@pytest.mark.parametrize("pet_id", [str(2**63), "abc", "1.5", "%20", "null", "١"])
def test_an_id_that_is_not_an_int64(store: httpx.Client, pet_id: str) -> None:
    response = store.get(f"/pets/{pet_id}")
    assert (response.status_code, response.json()["code"]) == (400, "id_invalid")


@pytest.mark.parametrize(
    ("as_of", "status"), [(date(2030, 12, 4), 200), (date(2030, 12, 5), 404), (date(2040, 1, 1), 404)]
)
def test_removal(as_of: date, status: int) -> None:
    with served(as_of=as_of) as (http, _):
        assert http.get("/pets/1").status_code == status
        assert http.get("/pets").status_code == 200


def test_removal_by_the_clock() -> None:
    clock = Clock(1_922_659_199.0)  # 4 December 2030, 23:59:59 UTC
    with served(clock) as (http, _):
        assert http.get("/pets/1").status_code == 200
        clock.now += 1
        response = http.get("/pets/1")
        assert (response.status_code, response.json()["code"]) == (404, "operation_removed")


# ---- section 4.4


def test_orders(store: httpx.Client) -> None:
    response = store.get("/store/orders")
    assert (response.status_code, response.content) == (200, b"[]")


# ---- section 5


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        (None, "key_missing"),
        ("", "key_missing"),
        ("Bearer", "key_empty"),
        ("Bearer another-key", "key_invalid"),
        (BEARER[:-1], "key_invalid"),
        (f"{BEARER}x", "key_invalid"),
        (f"{BEARER} x", "key_invalid"),
        (f"{BEARER}, Bearer x", "key_invalid"),
        (f"Bearer {KEY.upper()}", "key_invalid"),
        ("Bearer sch\u00fcssel", "key_invalid"),
        (f"Basic {KEY}", "key_scheme"),
        (f"Token {KEY}", "key_scheme"),
        (f"bearer {KEY}", "key_scheme"),
        (KEY, "key_scheme"),
    ],
)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_bad_keys(store: httpx.Client, method: str, path: str, authorization: str | None, code: str) -> None:
    headers = [] if authorization is None else [("Authorization", authorization.encode("latin-1"))]
    del store.headers["Authorization"]
    try:
        response = store.request(method, path, headers=headers, content=b"not JSON")  # type: ignore[arg-type]
    finally:
        store.headers["Authorization"] = BEARER
    error = response.json()
    assert (response.status_code, response.headers["content-type"]) == (401, "application/json")
    assert error == {"code": code, "message": error["message"], "status": 401}


def test_two_authorization_headers_count_as_none(store: httpx.Client) -> None:
    response = store.get("/pets", headers=[("Authorization", BEARER), ("Authorization", BEARER)])
    assert response.status_code == 401


@pytest.mark.parametrize("path", ["/pets?limit=abc", "/pets/0", "/pets/abc", "/nothing"])
def test_the_key_is_checked_first(store: httpx.Client, path: str) -> None:
    assert store.get(path, headers={"Authorization": "Bearer x"}).status_code == 401


def test_a_401_stores_nothing(store: httpx.Client) -> None:
    before = store.get("/pets?limit=100").content
    content = b'{"name":"Rex","categoryId":1}'
    assert store.post("/pets", content=content, headers={"Authorization": "Bearer x"}).status_code == 401
    assert store.get("/pets?limit=100").content == before


# ---- what is not in the document


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/", 404, None),
        ("GET", "/pets/", 404, None),
        ("GET", "/pets/1/2", 404, None),
        ("DELETE", "/pets", 405, "GET, POST"),
        ("PUT", "/pets/1", 405, "GET"),
        ("POST", "/store/orders", 405, "GET"),
        ("PATCH", "/nothing", 404, None),
    ],
)
def test_other_paths_and_methods(store: httpx.Client, method: str, path: str, status: int, allow: str | None) -> None:
    response = store.request(method, path)
    assert (response.status_code, response.headers.get("allow")) == (status, allow)
    assert response.json()["status"] == status
    assert int(response.headers["x-ratelimit-limit"]) == 1000


def test_a_path_outside_of_v1() -> None:
    with served() as (http, _):
        base = str(http.base_url).removesuffix("/v1/")
        response = http.get(f"{base}/pets")
        assert (response.status_code, response.json()["code"]) == (404, "not_found")
        assert response.headers["x-ratelimit-limit"] == "60"


# ---- section 8: headers


def test_rate_limit_headers() -> None:
    clock = Clock(NOON + 0.5)
    with served(clock) as (http, _):
        found = http.get("/pets/1")
        assert list(found.headers.raw) == [
            (b"Content-Type", b"application/json"),
            (b"X-RateLimit-Limit", b"60"),
            (b"X-RateLimit-Remaining", b"59"),
            (b"X-RateLimit-Reset", b"1795262461"),
            (b"Date", b"Sat, 21 Nov 2026 12:00:00 GMT"),
            (b"Content-Length", str(len(found.content)).encode()),
        ]
        assert rates(http.get("/pets/0")) == (404, "60", "58", "1795262461")
        assert rates(http.get("/pets", headers={"Authorization": "x"})) == (401, "60", "59", "1795262461")
        assert rates(http.post("/pets")) == (400, "60", "57", "1795262461")
        assert rates(http.delete("/pets")) == (405, "60", "56", "1795262461")


def rates(response: httpx.Response) -> tuple[int, str, str, str]:
    headers = response.headers
    return (
        response.status_code,
        headers["X-RateLimit-Limit"],
        headers["X-RateLimit-Remaining"],
        headers["X-RateLimit-Reset"],
    )


def test_the_servers_own_date() -> None:
    with served() as (http, _):
        response = http.get("/pets/1")
        assert len(response.headers.get_list("date")) == 1
        assert abs(parsedate_to_datetime(response.headers["date"]).timestamp() - time.time()) < 3
        assert 0 < int(response.headers["x-ratelimit-reset"]) - time.time() <= 61


# ---- the log


def test_the_log_has_no_key() -> None:
    clock = Clock()
    with served(clock) as (http, app):
        http.get("/pets?limit=2")
        http.post("/pets", headers={"Authorization": "Bearer x"})
        assert [(r.time, r.method, r.path, r.query, r.credential, r.status, r.retry_after) for r in app.state.log] == [
            (NOON, "GET", "/v1/pets", "limit=2", "valid", 200, None),
            (NOON, "POST", "/v1/pets", "", "key_invalid", 401, None),
        ]
        assert KEY not in repr(app.state.log)
