"""The variations: each does what its description says, and they conform, alone and combined."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from email.utils import parsedate_to_datetime
from itertools import permutations
from typing import Any

import httpx
import pytest

from petstore_reference.serve import running
from petstore_reference.server import create_app
from petstore_reference.variations import VARIATIONS
from tests.support.ground import KEY, Ask, Clock, client, settings, transcript

STATUSES = {"available", "pending", "sold"}


def test_names_describe_the_variation() -> None:
    assert [name for name, variation in VARIATIONS.items() if name != variation.name] == []
    assert [name for name in VARIATIONS if not re.fullmatch(r"[a-z0-9.]+(-[a-z0-9.]+)*", name)] == []


def test_conflicts_go_both_ways() -> None:
    pairs = {(name, other) for name, variation in VARIATIONS.items() for other in variation.conflicts}
    assert {other for _, other in pairs} <= VARIATIONS.keys()
    assert sorted(pair for pair in pairs if pair[::-1] not in pairs) == []
    assert [name for name, other in pairs if name == other] == []


def test_contradictory_variations_are_refused() -> None:
    with pytest.raises(ValueError, match="variation 'oldest-first' contradicts by-name"):
        create_app(settings(variations=("oldest-first", "by-name")))


def test_an_unknown_name_suggests_similar_names() -> None:
    with pytest.raises(ValueError, match=r"no variation is named 'http-1\.1'; did you mean http-1\.0"):
        create_app(settings(variations=("http-1.1",)))


def test_summaries_are_distinct_sentences() -> None:
    summaries = [variation.summary for variation in VARIATIONS.values()]
    assert [summary for summary in summaries if not summary.endswith(".")] == []
    assert len(set(summaries)) == len(summaries)


# ---- they conform


@dataclass(frozen=True)
class Server:
    """A client of a server, and the server's clock."""

    http: httpx.Client
    clock: Clock


def asked(server: Server, method: str, path: str, content: bytes | None = None, key: bool = True) -> httpx.Response:
    """The response, after a check of its rate limit headers. After a 429, 502 or 503 the request is sent again."""
    headers = {} if key else {"Authorization": "Bearer x"}
    response = server.http.request(method, path, content=content, headers=headers)
    for passing in (429, 502, 503):
        if response.status_code == passing:
            server.clock.now += 61
            response = server.http.request(method, path, content=content, headers=headers)
    limit, remaining = (int(response.headers[f"X-RateLimit-{name}"]) for name in ("Limit", "Remaining"))
    assert 0 <= remaining <= limit
    assert limit >= 1
    clocks = (parsedate_to_datetime(response.headers["Date"]).timestamp(), server.clock.now)
    assert any(now - 2 <= float(response.headers["X-RateLimit-Reset"]) <= now + 86_402 for now in clocks)
    assert response.status_code < 500
    if response.status_code in (400, 401):
        problem = body_of(response)
        assert isinstance(problem["code"], str)
        assert isinstance(problem["message"], str)
        assert problem["status"] == response.status_code
    return response


DEEP = b"[" * 3000 + b"]" * 3000
"""JSON that is nested too deep for Python's parser."""


def value_of(response: httpx.Response) -> Any:
    return json.loads(response.content.replace(DEEP, b"null"))


def body_of(response: httpx.Response) -> dict[str, object]:
    assert response.headers["Content-Type"].partition(";")[0].strip().lower() == "application/json"
    body = value_of(response)
    assert isinstance(body, dict)
    return body


def is_pet(pet: dict[str, object]) -> bool:
    numbers = (pet["id"], pet["categoryId"])
    return (
        all(type(number) is int and -(2**63) <= number < 2**63 for number in numbers)
        and isinstance(pet["name"], str)
        and ("status" not in pet or pet["status"] in STATUSES)
    )


def page(response: httpx.Response, limit: int) -> list[dict[str, object]]:
    assert response.status_code == 200
    pets = value_of(response)
    assert isinstance(pets, list)
    assert len(pets) <= limit
    assert all(is_pet(pet) for pet in pets)
    assert len({pet["id"] for pet in pets}) == len(pets)
    return pets


def conforms_with(*names: str) -> None:
    """Each request has its own connection, because a server may close one at any time."""
    clock = Clock()
    app = create_app(settings(variations=names), clock=clock)
    with running(app) as url, client(f"{url}/v1", keep_alive=False) as http:
        http.headers["Content-Type"] = "application/json"
        conforms(Server(http, clock))


def conforms(http: Server) -> None:
    plain = page(asked(http, "GET", "/pets"), 20)
    page(asked(http, "GET", "/pets?limit=1"), 1)
    page(asked(http, "GET", "/pets?limit=100"), 100)
    sold = page(asked(http, "GET", "/pets?limit=100&status=sold"), 100)
    assert {pet["status"] for pet in sold} <= {"sold"}
    for odd in ("limit=101", "limit=abc", "status=gone"):
        assert asked(http, "GET", f"/pets?{odd}").status_code in (200, 400, 422)
    category = plain[0]["categoryId"] if plain else 1
    content = json.dumps({"name": "Rex of the test", "categoryId": category, "status": "sold"}).encode()
    created = asked(http, "POST", "/pets", content)
    if created.status_code == 201:
        pet = body_of(created)
        assert is_pet(pet)
        assert (pet["name"], pet["categoryId"], pet["status"]) == ("Rex of the test", category, "sold")
    else:
        assert (created.status_code, plain) == (400, [])
    assert asked(http, "POST", "/pets", b"{").status_code == 400
    assert asked(http, "GET", "/pets/1234567").status_code == 404
    assert asked(http, "GET", "/store/orders").status_code in (200, 204, 400, 403)
    assert asked(http, "GET", "/pets", key=False).status_code == 401


@pytest.mark.parametrize("name", VARIATIONS)
def test_each_conforms(name: str) -> None:
    conforms_with(name)


@pytest.mark.parametrize("seed", range(20))
def test_several_at_once_conform(seed: int) -> None:
    chance = random.Random(seed)
    names: list[str] = []
    for name in chance.sample(sorted(VARIATIONS.keys() - {"slow"}), 30):
        if not VARIATIONS[name].conflicts & set(names):
            names.append(name)
    conforms_with(*names)


@pytest.mark.parametrize("names", list(permutations(("gzip", "json-in-white-space"))), ids="-".join)
def test_compressed_bodies_can_be_read(names: tuple[str, ...]) -> None:
    clock = Clock()
    app = create_app(settings(variations=names), clock=clock)
    (answer,) = transcript(app, [Ask("/pets", headers=(("Accept-Encoding", "gzip"),))], clock)
    assert len(json.loads(gzip.decompress(answer.body))) == 20


# ---- each does what it says; those below HTTP are in test_serve


def first(variation: str, *asks: Ask | float, **fields: object) -> list[tuple[int, str]]:
    clock = Clock()
    app = create_app(settings(variations=(variation,), **fields), clock=clock)
    return [(answer.status, answer.body.decode()) for answer in transcript(app, [*asks], clock)]


def new(text: str) -> Ask:
    return Ask("/pets", "POST", body=text.encode(), headers=(("Content-Type", "application/json"),))


REX = new('{"name":"Rex","categoryId":1}')


@pytest.mark.parametrize(
    ("variation", "path", "status"),
    [
        ("bad-limit-422", "/pets?limit=0", 422),
        ("bad-limit-clamped", "/pets?limit=0", 200),
        ("bad-limit-ignored", "/pets?limit=0", 200),
        ("bad-limit-empty-page", "/pets?limit=0", 200),
        ("bad-filter-422", "/pets?status=gone", 422),
        ("bad-filter-ignored", "/pets?status=gone", 200),
        ("bad-filter-empty-page", "/pets?status=gone", 200),
        ("filter-in-any-case", "/pets?status=SOLD", 200),
        ("id-text-404", "/pets/abc", 404),
        ("id-text-422", "/pets/abc", 422),
        ("id-text-404-page", "/pets/abc", 404),
        ("orders-need-parameters", "/store/orders", 400),
        ("orders-204", "/store/orders", 204),
        ("orders-403", "/store/orders", 403),
    ],
)
def test_other_answers(variation: str, path: str, status: int) -> None:
    assert [status for status, _ in first(variation, Ask(path))] == [status]


@pytest.mark.parametrize(("variation", "status"), [("removed-410", 410), ("removed-405", 405)])
def test_other_answers_after_the_removal(variation: str, status: int) -> None:
    assert first(variation, Ask("/pets/1"), as_of=date(2030, 12, 5))[0][0] == status


@pytest.mark.parametrize(
    ("variation", "body", "code"),
    [
        ("strict-categories", '{"name":"Rex","categoryId":7}', "category_unknown"),
        ("strict-categories-positive", '{"name":"Rex","categoryId":0}', "category_invalid"),
        ("strict-categories-int32", '{"name":"Rex","categoryId":2147483648}', "category_invalid"),
        ("strict-names-ascii", '{"name":"R\u00e9x","categoryId":1}', "name_invalid"),
        ("strict-names-printable", '{"name":"Rex\\n","categoryId":1}', "name_invalid"),
        ("strict-names-50", f'{{"name":"{"x" * 51}","categoryId":1}}', "name_invalid"),
        ("strict-names-trimmed", '{"name":"","categoryId":1}', "name_invalid"),
        ("whole-number-refused", '{"name":"Rex","categoryId":1.0}', "category_fraction"),
        ("whole-number-refused", '{"name":"Rex","categoryId":1e0}', "category_fraction"),
        ("strict-fields", '{"id":1,"name":"Rex","categoryId":1}', "field_unknown"),
    ],
)
def test_stricter(variation: str, body: str, code: str) -> None:
    (status, text), listed = first(variation, new(body), Ask("/pets?limit=1"))
    assert (status, json.loads(text)["code"]) == (400, code)
    assert json.loads(listed[1])[0]["id"] == 130
    assert first(variation, REX)[0][0] == 201


def test_more_lenient() -> None:
    assert first("default-status", REX) == [(201, '{"id":131,"name":"Rex","categoryId":1,"status":"available"}')]
    assert first("bearer-in-any-case", Ask("/store/orders", authorization=f"bearer {KEY}")) == [(200, "[]")]


def test_shown_late() -> None:
    asks = (REX, Ask("/pets/131"), Ask("/pets?limit=1"), 1.0, Ask("/pets/131"), Ask("/pets?limit=1"))
    rex = '{"id":131,"name":"Rex","categoryId":1}'
    created, hidden, listed_before, read, listed = first("seen-after-a-second", *asks)
    assert (created, hidden[0], read, listed) == ((201, rex), 404, (200, rex), (200, f"[{rex}]"))
    assert '"id":130' in listed_before[1]
    assert first("listed-after-a-second", *asks)[1] == (200, rex)


def test_orders_of_lists() -> None:
    def names(variation: str) -> list[str]:
        return [pet["name"] for pet in json.loads(first(variation, Ask("/pets?limit=100"), animals=50)[0][1])]

    assert [int(name.split()[1]) for name in names("oldest-first")] == list(range(1, 51))
    assert names("by-name") == sorted(names("oldest-first"))
    assert sorted(names("random-order")) == names("by-name") != names("random-order")


def test_caps() -> None:
    for variation, counts in (("pages-of-50", [20, 50, 50]), ("pages-of-20", [20, 20, 20])):
        asks = (Ask("/pets"), Ask("/pets?limit=50"), Ask("/pets?limit=100"))
        assert [len(json.loads(body)) for _, body in first(variation, *asks)] == counts
    assert len(json.loads(first("cut-before-filter", Ask("/pets?limit=10&status=sold"))[0][1])) == 2


@pytest.mark.parametrize(
    ("variation", "ids"),
    [
        ("ids-beyond-double", [2**53 + 5, 2**53 + 3, 2**53 + 7]),
        ("ids-negative", [-2, -1, -3]),
        ("ids-from-zero", [1, 0, 2]),
        ("ids-at-the-end", [2**63 - 2, 2**63 - 1, 2**63 - 3]),
    ],
)
def test_ids(variation: str, ids: list[int]) -> None:
    listed, created, read = first(variation, Ask("/pets"), REX, Ask(f"/pets/{ids[2]}"), animals=2)
    assert [pet["id"] for pet in json.loads(listed[1])] == ids[:2]
    assert json.loads(created[1])["id"] == json.loads(read[1])["id"] == ids[2]


def test_other_clients() -> None:
    def ids(variation: str, asks: int) -> list[list[int]]:
        return [
            [pet["id"] for pet in json.loads(body)] for _, body in first(variation, *[Ask("/pets")] * asks, animals=3)
        ]

    assert ids("others-add", 6) == [[3, 2, 1]] * 2 + [[4, 3, 2, 1]] * 3 + [[5, 4, 3, 2, 1]]
    assert ids("others-remove", 8) == [[3, 2, 1]] * 3 + [[2, 1]] * 4 + [[1]]
    pages = [json.loads(body) for _, body in first("others-change", *[Ask("/pets")] * 10, animals=6)]
    changed = [{pet["id"] for pet in page if pet["name"].endswith("*")} for page in pages]
    assert changed == [set()] * 4 + [{3, 2, 1}] * 5 + [{6, 5, 4, 3, 2, 1}]


def test_a_removed_animal_is_found_by_its_id_for_some_seconds_more() -> None:
    asks: list[Ask | float] = [REX, REX, *[Ask("/pets")] * 3, Ask("/pets"), Ask("/pets/3"), 8.0, Ask("/pets/3")]
    *_, listed, lingers, gone = first("removed-animals-linger", *asks, animals=2)
    assert [pet["id"] for pet in json.loads(listed[1])] == [4, 2, 1]
    assert (lingers[0], gone[0]) == (200, 404)


@pytest.mark.parametrize(
    ("animals", "kept"), [(3, [6, 5, 4, 3]), (5, [8, 7, 6, 5, 4]), (0, [3, 2, 1])], ids=["few", "more", "none"]
)
def test_the_newest(animals: int, kept: list[int]) -> None:
    *_, listed = first("keeps-the-newest", *[REX] * 3, Ask("/pets"), animals=animals)
    assert [pet["id"] for pet in json.loads(listed[1])] == kept


def rates(variation: str, asks: Sequence[Ask | float], **fields: object) -> list[tuple[int, str | None, str | None]]:
    clock = Clock()
    app = create_app(settings(variations=(variation,), **fields), clock=clock)
    return [
        (answer.status, answer.header("X-RateLimit-Remaining"), answer.header("Retry-After"))
        for answer in transcript(app, asks, clock)
    ]


def test_other_quotas() -> None:
    enterprise = {"keys": {KEY: "enterprise"}, "custom_limit": 2}
    read, keyless = Ask("/pets/1"), Ask("/pets/1", authorization=None)
    assert rates("others-spend", [read, read]) == [(200, "58", None), (200, "56", None)]
    assert rates("daily-window", [read]) == [(200, "999", None)]
    assert rates("custom-plan", [read]) == [(200, "776", None)]
    assert rates("keyless-same-bucket", [read, keyless, read]) == [
        (200, "59", None),
        (401, "58", None),
        (200, "57", None),
    ]
    assert rates("keyless-uncounted", [keyless, keyless]) == [(401, "60", None)] * 2
    assert rates("keyless-limit", [keyless] * 11 + [1.0, keyless])[9:] == [
        (401, "0", None),
        (429, "0", "1"),
        (401, "9", None),
    ]
    assert rates("moving-window", [read, 30.0, read, read, 30.0, read, read], **enterprise) == [
        (200, "1", None),
        (200, "0", None),
        (429, "0", "30"),
        (200, "0", None),
        (429, "0", "30"),
    ]
    assert rates("refilled-bucket", [read, read, read, 30.0, read, read], **enterprise) == [
        (200, "1", None),
        (200, "0", None),
        (429, "0", "30"),
        (200, "0", None),
        (429, "0", "30"),
    ]
    assert rates("retry-after-date", [read] * 3, **enterprise)[2] == (429, "0", "Sat, 21 Nov 2026 12:01:00 GMT")


@pytest.mark.parametrize(
    ("variation", "body"),
    [
        ("429-empty", b""),
        ("429-html", b"<!DOCTYPE html><h1>Slow down</h1>"),
        ("429-problem", b'{"type":"about:blank","title":"Slow down"}'),
    ],
)
def test_bodies_of_a_429(variation: str, body: bytes) -> None:
    app = create_app(settings(variations=(variation,), keys={KEY: "enterprise"}, custom_limit=1))
    with running(app) as url, client(f"{url}/v1") as http:
        http.get("/pets")
        response = http.get("/pets")
        assert (response.status_code, response.content) == (429, body)


def test_busy_once() -> None:
    statuses = [status for status, _ in first("busy-once", *[Ask("/pets/1")] * 8)]
    assert sorted(statuses) == [200] * 7 + [503]
