"""What a record shows of each open point, in words and as data."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import urlencode

import pytest

from petcheck.call import Credential, Form
from petcheck.exchange import Exchange, Silence
from petcheck.judging.judgement import Grounds
from petcheck.judging.observations import Observed, ObservedAnswer, observed, points
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import OPEN_LISTS
from petcheck.spec.operations import Operation
from tests.support.exchanges import JSON, exchange

READING = Grounds(date(2026, 1, 1))
WRITING = replace(READING, writes=True)
CREATE, GET, ORDERS = Operation.CREATE_PET, Operation.GET_PET, Operation.STORE_ORDERS


def pet(number: int, **more: object) -> dict[str, object]:
    return {"id": number, "name": "Rex", "categoryId": 3, **more}


def listed(*animals: object, query: str = "", **more: Any) -> Exchange:
    return exchange(path=f"/pets{query}", body=list(animals), **more)


def post(asked: object, status: int | Silence = 201, body: object = None, **more: Any) -> Exchange:
    return exchange(CREATE, status, body or {}, asked=asked, **more)


def read(number: object, status: int = 404, body: object = None, **more: Any) -> Exchange:
    return exchange(GET, status, body or {}, path=f"/pets/{number}", **more)


def keyless(status: int, challenge: str | None, index: int = 0) -> Exchange:
    headers = [JSON] + ([("WWW-Authenticate", challenge)] if challenge else [])
    return exchange(status=status, body={"code": "no"}, headers=headers, credential=Credential.MISSING, index=index)


NEW = {"name": "Tex", "categoryId": 5}
ŽOFIE = {"name": "Žofie", "categoryId": 3}
UNSEEN_SIGN = {"name": "Žofie\u200d", "categoryId": 3}
HALF = {**NEW, "name": "\ud800"}
WITH_STATUS = {**NEW, "status": "sold"}
SUNSET, RIGHT = ("Sunset", "Mon, 02 Jan 2029 00:00:00 GMT"), ("Sunset", "Thu, 05 Dec 2030 00:00:00 GMT")

DEPRECATED = [JSON, ("Deprecation", "true"), RIGHT]
LINKED = [JSON, ("Link", "x"), ("X-Total", "1"), ("X-Page", "2")]
REMOVAL = "; the document removes it on 5 December 2030"
SUNSETS = f"Sunset: {SUNSET[1]}{REMOVAL}"
NOT_IDS = [read("abc", 400, index=1), read("abc", 404, index=5), read(1), read(2**63, 404, index=2)]
STRANGE = [listed(pet(1)), post(ŽOFIE, index=1), post(pet(0), index=2), post(NEW, 404, index=3)]
DEFAULTED = post(NEW, 201, {"id": 9, **NEW, "status": "available"}, index=1)
CHALLENGED = [keyless(401, "Bearer", 1), keyless(401, None, 2), keyless(403, "Basic")]
ORDERED = exchange(ORDERS, 200, {"a": 1}, index=1)
ASCENDING = listed(*map(pet, (1, 2, 3)), query="?limit=100", index=2)
COMMA = "a trailing comma: 400"

# the point, what was recorded, what is said of it, and which exchanges show it
SEEN: list[tuple[str, list[Exchange], str, tuple[int, ...]]] = [
    ("pet-extra-fields", [listed(pet(1)), read(1, 200, pet(1))], "none", ()),
    ("pet-extra-fields", [listed(pet(1, tag=1), pet(2)), read(1, 200, pet(1, age=3), index=1)], "age, tag", ()),
    ("pet-extra-fields", [post(NEW, 201, {**pet(9), **NEW, "tag": 1}), listed(5, index=1)], "tag", ()),
    (
        "requests-at-the-same-time",
        [replace(listed(status=500 if number == 2 else 200), burst=number // 3) for number in range(5)],
        "none was refused as one too many",
        (),
    ),
    ("limit-zero", [listed(query="?limit=0", index=n) for n in (3, 4)], "200, 0 animals", (3,)),
    ("limit-zero", [exchange(path="/pets?limit=0", status=400, body={})], "400", (0,)),
    ("list-order", [ASCENDING], "by id, ascending", (2,)),
    ("paging-metadata", [listed(index=3)], "none", (3,)),
    ("paging-metadata", [listed(headers=LINKED)], "Link, X-Page, X-Total", (0,)),
    ("name-beyond-ascii", [post(NEW), post(ŽOFIE, 201, index=1), post(ŽOFIE, 400, index=2)], "201", (1,)),
    ("name-beyond-ascii", [post(UNSEEN_SIGN, 400), post(ŽOFIE, 201, index=1)], "201", (1,)),
    ("name-beyond-ascii", [post(UNSEEN_SIGN, 400)], "400", (0,)),
    (
        "name-beyond-ascii",
        [post(ŽOFIE, 400), post(HALF, 201, {"id": 9, **HALF, "name": "?"}, index=1), post(HALF, 400, index=2)],
        '400; half of a surrogate pair: 201, `name` is "?"',
        (0, 1),
    ),
    ("name-beyond-ascii", [post(HALF, 400)], "half of a surrogate pair: 400", (0,)),
    ("category-never-seen", STRANGE, "404", (3,)),
    # the run's own animal says nothing about the category before it
    ("category-never-seen", [post(NEW, 201, pet(9, **NEW)), listed(pet(9, **NEW), index=1)], "201", (0,)),
    ("category-never-seen", [post({**NEW, "name": "Žofie"}), post(NEW, 404, index=1), post(NEW, index=2)], "404", (1,)),
    ("status-default", [post(WITH_STATUS), DEFAULTED], '"available"', (1,)),
    ("status-default", [post(NEW, 201, {"id": 9, **NEW}, index=1)], "no status", (1,)),
    ("status-default", [post(NEW, 400), post(NEW, 409, index=1), post(NEW, 422, index=2)], "422", (2,)),
    ("json-extensions", [post(NEW), post(b'{"name":"Rex","categoryId":1,}', 400, {}, index=1)], COMMA, (1,)),
    ("body-in-chunks", [post(NEW), post(NEW, 411, {}, index=1, form=Form.CHUNKED)], "411", (1,)),
    ("pet-id-not-int64", NOT_IDS, "abc: 400; 9223372036854775808: 404", (1, 2)),
    ("pet-id-not-int64", [read("abc", 400), replace(read("x", 404, index=1), example=True)], "abc: 400", (0,)),
    ("deprecation-headers", [read(1), read(1, 200, pet(1), index=1)], "none", (1,)),
    ("deprecation-headers", [read(1, 200, pet(1), headers=DEPRECATED)], f"Deprecation: true; Sunset: {RIGHT[1]}", (0,)),
    ("deprecation-headers", [read(1, 200, pet(1), headers=[JSON, SUNSET])], SUNSETS, (0,)),
    *(
        ("deprecation-headers", [read(1, 200, pet(1), headers=[JSON, ("Sunset", day)])], f"Sunset: {day}{said}", (0,))
        for day, said in (
            ("Tue, 03 Dec 2030 23:59:59 GMT", REMOVAL),
            ("Wed, 04 Dec 2030 00:00:00 GMT", ""),
            ("Thu, 05 Dec 2030 23:59:59 GMT", ""),
            ("Fri, 06 Dec 2030 00:00:00 GMT", REMOVAL),
            ("soon", REMOVAL),
        )
    ),
    ("orders-payload", [exchange(ORDERS, Silence.TIMEOUT), ORDERED, ORDERED], "200, an object", (1,)),
    ("orders-payload", [exchange(ORDERS, 501, b"")], "501, no body", (0,)),
    ("www-authenticate", CHALLENGED, "Bearer; none", (1,)),
    ("error-codes", [keyless(401, None), read(1, 404, {"code": "gone"})], '401: "no"; 404: "gone"', ()),
    ("error-codes", [read(1, 404, {"code": f"c{n}"}) for n in range(7)], '404: "c0", "c1", "c2", "c3", "c4"', ()),
    ("rate-limit-body", [exchange(status=429, body={"a": 1}, index=3)], "application/json, an object", (3,)),
    ("rate-limit-body", [exchange(status=429, body=b"slow", headers=())], "no media type, 4 bytes", (0,)),
]


@pytest.mark.parametrize("point", OPEN_LISTS)
def test_the_first_answer_to_the_query_is_seen(point: str) -> None:
    query = f"?{urlencode(OPEN_LISTS[point])}"
    record = [listed(query=f"{query}x"), listed(pet(1), query=query, index=4), listed(query=query, index=5)]
    assert observed(point, record, READING).value == "200, 1 animal"
    assert observed(point, record, READING).exchanges == (4,)


@pytest.mark.parametrize("case", SEEN, ids=map(str, range(len(SEEN))))
def test_what_is_seen(case: tuple[str, list[Exchange], str, tuple[int, ...]]) -> None:
    point, record, value, shown = case
    found = observed(point, record, WRITING)
    assert (found.value, found.exchanges, found.seen) == (value, shown, True)


NO_LIST = "not observed: no list was returned"
NO_REQUEST = "not observed: no such request was sent with a valid key"
UNSEEN: list[tuple[str, list[Exchange], str]] = [
    *((point, [listed(query="?limit=1")], NO_REQUEST) for point in OPEN_LISTS),
    ("limit-zero", [listed(query="?limit=0&status=sold")], NO_REQUEST),
    ("limit-zero", [listed(query="?limit=0", credential=Credential.RANDOM)], NO_REQUEST),
    ("requests-at-the-same-time", [listed()], "not observed: the run sent one request after the other"),
    ("list-order", [], NO_LIST),
    (
        "list-order",
        [listed(*map(pet, (1, 2, 3)), query="?limit=100&status=sold")],
        "not observed: no list was returned",
    ),
    ("list-order", [listed(*map(pet, (1, 2, 3)))], NO_LIST),
    ("paging-metadata", [exchange(status=500)], NO_LIST),
    ("name-beyond-ascii", [post(NEW)], NO_REQUEST),
    # no NewPet, and wrong ones
    (
        "name-beyond-ascii",
        [post([5], 400), post({**ŽOFIE, "status": "x"}, 400), post({**HALF, "status": "x"}, 400)],
        NO_REQUEST,
    ),
    ("category-never-seen", [listed(pet(1, categoryId=5)), post(NEW, 400)], NO_REQUEST),
    ("status-default", [post(WITH_STATUS)], NO_REQUEST),
    ("json-extensions", [post(NEW), post(b"{", 400, {})], NO_REQUEST),
    ("json-extensions", [post(b'\xef\xbb\xbf{"name":"Rex","categoryId":1}')], NO_REQUEST),
    ("body-in-chunks", [post(NEW)], NO_REQUEST),
    ("body-in-chunks", [post(NEW, Silence.INTERRUPTED, form=Form.CHUNKED)], NO_REQUEST),
    ("pet-id-not-int64", [read(1), read("abc", credential=Credential.MISSING)], NO_REQUEST),
    ("deprecation-headers", [read(1)], "not observed: no animal was read"),
    ("orders-payload", [exchange(ORDERS, Silence.TIMEOUT)], NO_REQUEST),
    ("www-authenticate", [keyless(403, "Bearer")], "not observed: no 401 was returned"),
    ("error-codes", [read(1, 404, {"code": 5})], "not observed: no 400, 401 or 404 with a `code` was returned"),
    ("rate-limit-body", [listed()], "not observed: no 429 was returned"),
]


@pytest.mark.parametrize("case", UNSEEN, ids=map(str, range(len(UNSEEN))))
def test_what_is_not_seen_says_why(case: tuple[str, list[Exchange], str]) -> None:
    point, record, why = case
    found = observed(point, record, WRITING)
    assert (found.value, found.seen, found.answers) == (why, False, ())


def test_a_list_that_is_too_short_to_have_an_order_is_shown() -> None:
    short = listed(*map(pet, (1, 2)), query="?limit=100", index=4)
    assert observed("list-order", [short], READING) == Observed(
        "not observed: fewer than three animals", (4,), seen=False
    )


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (exchange(status=503, headers=[("Retry-After", "1")], index=2), "503"),
        (exchange(status=503, index=2), "503"),
        (exchange(status=429, index=2), "429"),
        (exchange(status=Silence.RESET, index=2), "no answer (reset: nothing was received)"),
    ],
)
def test_a_refusal_of_one_of_several_requests_at_the_same_time_is_shown(refused: Exchange, said: str) -> None:
    record = [listed(), *(replace(one, burst=1) for one in (listed(index=1), refused))]
    why = f"not observed: of 2, one got {said}; the rules that hold for them are inconclusive there"
    assert observed("requests-at-the-same-time", record, READING) == Observed(why, (2,), seen=False)


@pytest.mark.parametrize(
    "point", ["name-beyond-ascii", "category-never-seen", "status-default", "json-extensions", "body-in-chunks"]
)
def test_what_only_a_post_shows_needs_a_permission(point: str) -> None:
    assert observed(point, [], READING) == Observed("not observed: needs --allow-writes", seen=False)


def test_answers_are_there_as_data_too() -> None:
    asked = [read("abc", 400), read("9223372036854775808", Silence.TIMEOUT, index=1)]  # type: ignore[arg-type]
    assert observed("pet-id-not-int64", asked, READING).answers == (
        ObservedAnswer(400, asked="abc"),
        ObservedAnswer(None, asked="9223372036854775808", detail="timeout: nothing was received"),
    )
    orders = exchange(ORDERS, 200, [1])
    assert observed("orders-payload", [orders], READING).answers == (ObservedAnswer(200, detail="an array"),)
    page = listed(pet(1), query="?limit=0")
    assert observed("limit-zero", [page], READING).answers == (ObservedAnswer(200, animals=1),)


def test_every_open_point_that_a_run_can_observe_has_a_function() -> None:
    assert set(points()) == {entry.id for entry in catalogue().observed}
