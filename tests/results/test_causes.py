"""Failures with one cause are one item, and no other cause hides behind it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, Request
from petcheck.judging.frequency import Frequency, When
from petcheck.judging.verdicts import Verdict
from petcheck.results.causes import Cause, causes
from petcheck.results.deciding import by_index
from petcheck.spec.operations import Operation
from tests.support import samples

LIST = samples.request("/pets")
GET = samples.request("/pets/7", operation=Operation.GET_PET)
ORDERS = samples.request("/store/orders", operation=Operation.STORE_ORDERS)


def post(**body: Any) -> Request:
    return samples.request("/pets", method="POST", body=json.dumps(body).encode(), operation=Operation.CREATE_PET)


def found(rows: list[Verdict], *calls: tuple[Request, Any, int], log: str | None = None) -> list[Cause]:
    """The causes of `rows` in these exchanges: request, body of the response, status; `log` is the server's in each."""
    exchanges: list[Exchange] = []
    for index, (request, body, status) in enumerate(calls):
        response = samples.response(body, status, "Said", headers=(("Content-Type", "application/json"),))
        exchanges.append(replace(samples.exchange(index, request, response), log=log))
    evidence = by_index(exchanges).values()
    return list(causes(samples.result(*rows), evidence))


def row(name: str, section: str, *parts: tuple[int, str], expected: str = "", **changes: Any) -> Verdict:
    indices = tuple(index for index, _ in parts)
    return samples.row(
        name, section=section, expected=expected, parts=tuple(part for _, part in parts),
        exchanges=indices, decisive=indices, reason=f"{name} is broken (section {section}); also in others.", **changes,
    )  # fmt: skip


def lines(found: list[Cause]) -> list[str]:
    return [f"{cause.ids}: {cause.summary}" for cause in found]


def test_an_animal_that_a_refused_request_created_is_the_same_cause() -> None:
    pets = [{"id": 1, "name": "Rex", "categoryId": 1}, {"id": 7, "name": 5, "categoryId": 1}]
    named = row("CREATE-7", "4.2", (0, "status"), expected="400")
    shown = row("PET-2", "2", (1, "body:/1/name"), (2, "body:/name"))
    one, *others = found([shown, named], (post(name=5), pets[1], 201), (LIST, pets, 200), (GET, pets[1], 200))
    assert not others
    assert (one.ids, one.title) == ("CREATE-7, PET-2", "POST /pets returns 201 where 400 is required")
    assert (one.rows, one.shown, one.follow) == ((named, shown), named, (shown,))
    assert one.exchange is not None
    assert one.exchange.index == 0


def test_what_is_wrong_in_an_animal_may_be_an_object_itself() -> None:
    pet = {"id": 7, "name": {"first": "Rex"}, "categoryId": 1}
    named = row("CREATE-7", "4.2", (0, "status"), expected="400")
    shown = row("PET-2", "2", (0, "body:/name"), (1, "body:/0/name"))
    [one] = found([shown, named], (post(name={"first": "Rex"}), pet, 201), (LIST, [pet], 200))
    assert (one.ids, one.follow) == ("CREATE-7, PET-2", (shown,))


def test_a_body_that_the_server_left_unread_is_one_cause() -> None:
    rest = samples.response("<p>", 400, 'Bad request syntax (\'{"name": "Rex"}POST /v1/pets HTTP/1.1\')')
    evidence = by_index(samples.exchange(index, LIST, rest) for index in range(2)).values()
    rows = [
        row("SERVICE-1", "1", (0, "body")),
        row("AUTH-2", "5", (1, "status"), expected="401"),
        row("RATE-1", "8", (0, "header:X-RateLimit-Limit"), (1, "header:X-RateLimit-Limit")),
    ]
    assert lines(list(causes(samples.result(*rows), evidence))) == [
        "SERVICE-1, AUTH-2, RATE-1: The server takes an unread POST body for the next request; "
        "read every body, or close the connection"
    ]


def test_a_body_that_the_server_may_have_left_unread_is_one_cause_with_the_post_before_it() -> None:
    refused = samples.exchange(0, post(name="Rex"), samples.response({}, 401))
    bare = samples.response({}, 400, headers=(("Content-Type", "application/json"),))
    missing = replace(GET, credential=Credential.MISSING)
    exchanges = [
        replace(refused, connection=3),
        replace(samples.exchange(1, missing, bare), connection=3),
        replace(samples.exchange(2, missing, bare), connection=4),
    ]
    rows = [
        row("AUTH-1", "5", (1, "status"), expected="401"),
        row("RATE-1", "8", (1, "header:X-RateLimit-Limit")),
        row("ERROR-3", "7", (2, "body:/code")),
    ]
    one, other = causes(samples.result(*rows), by_index(exchanges).values())
    assert lines([one]) == [
        "AUTH-1, RATE-1: The server may take an unread POST body for the next request; "
        "read every body, or close the connection"
    ]
    assert one.before == exchanges[0]
    assert (other.ids, other.before) == ("ERROR-3", None)


def test_an_animal_of_another_origin_is_a_cause_of_its_own() -> None:
    pets = [{"id": 1, "name": None, "categoryId": 1}, {"id": 7, "name": 5, "categoryId": 1}]
    rows = [
        row("PET-2", "2", (2, "body:/name"), (1, "body:/0/name")),
        row("CREATE-7", "4.2", (0, "status"), expected="400"),
    ]
    shown, refused = found(rows, (post(name=5), pets[1], 201), (LIST, pets, 200), (GET, pets[1], 200))
    assert lines([shown, refused]) == [
        "PET-2: Wrong `name` in a Pet",
        "CREATE-7: POST /pets returns 201 where 400 is required",
    ]
    assert shown.title == samples.row().statement
    assert shown.exchange is not None
    assert (shown.exchange.index, shown.another) == (1, True)


def test_a_cause_tells_of_the_status_that_it_shows() -> None:
    """The reason of its row is about another exchange, and comes beside it."""
    rows = [
        row("CREATE-6", "4.2", (0, "status"), (2, "status"), expected="400"),
        row("CREATE-7", "4.2", (1, "status"), expected="400"),
    ]
    deep, _ = found(rows, (post(categoryId=None), {"id": 7}, 201), (post(name=5), {"id": 8}, 201), (post(), {}, 500))
    assert deep.reason == ("POST /pets with the body {}: expected 400 (section 4.2), got 500 Said.")
    assert deep.beside == (("CREATE-6", rows[0].reason),)


def test_what_a_post_took_and_repeats_should_have_been_refused() -> None:
    taken = {"id": 8, "name": "Rex", "status": "SOLD"}
    rows = [
        row("PET-4", "2", (1, "body:/status"), (2, "body:/status")),
        row("CREATE-10", "4.2", (0, "status"), expected="400"),
    ]
    first = (post(status="Sold"), {"id": 7, "status": "Sold"}, 201)
    assert lines(found(rows, first, (post(status="SOLD"), taken, 201), (GET, taken, 200))) == [
        "CREATE-10, PET-4: POST /pets returns 201 where 400 is required"
    ]
    assert len(found(rows, first, (post(status="sold"), taken, 201), (GET, taken, 200))) == 2


def test_an_id_that_a_post_sent_and_got_is_no_field_that_should_have_been_refused() -> None:
    rows = [
        row("CREATE-9", "4.2", (0, "status"), expected="400"),
        row("PET-5", "2", (1, "body:/id")),
    ]
    taken, named = post(categoryId=2**63), post(id=3)
    assert lines(found(rows, (taken, {"id": 12, "categoryId": 2**63}, 201), (named, {"id": 3}, 201))) == [
        "PET-5: PET-5 is broken",
        "CREATE-9: POST /pets returns 201 where 400 is required",
    ]


def test_no_failure_is_lost_if_its_cause_shows_another_one_first() -> None:
    taken = {"id": 7, "name": 5}
    rows = [
        row("PET-2", "2", (2, "body:/name")),
        row("CREATE-7", "4.2", (0, "status"), (1, "status"), expected="400"),
    ]
    calls: list[tuple[Request, Any, int]] = [(post(), {}, 422), (post(name=5), taken, 201), (GET, taken, 200)]
    assert sorted(cause.ids for cause in found(rows, *calls)) == ["CREATE-7", "PET-2"]


def test_a_body_that_the_recording_lacks_is_a_cause_of_its_own() -> None:
    assert lines(found([row("PET-2", "2", (9, "body:/name"))], (GET, {}, 200))) == ["PET-2: PET-2 is broken"]


def test_an_operation_that_is_missing_explains_its_other_failures_only() -> None:
    orders = row("ORDERS-1", "4.4", (0, "status"), expected="an answer that shows the operation exists")
    keyless = row("AUTH-1", "5", (1, "status"), expected="401")
    scheme = row("AUTH-4", "5", (1, "status"), (2, "status"), expected="401")
    assert lines(found([orders, keyless, scheme], (ORDERS, {}, 404), (ORDERS, {}, 404), (LIST, [], 200))) == [
        "ORDERS-1, AUTH-1: GET /store/orders returns 404",
        "AUTH-4: GET /pets returns 200 where 401 is required",
    ]


def test_a_key_that_alone_gets_past_the_guard_is_no_missing_operation() -> None:
    orders = row("ORDERS-1", "4.4", (0, "status"), expected="an answer that shows the operation exists")
    scheme = row("AUTH-4", "5", (1, "status"), expected="401")
    bare = replace(ORDERS, credential=Credential.NO_SCHEME)
    refused = replace(ORDERS, credential=Credential.RANDOM)
    calls: list[tuple[Request, Any, int]] = [(ORDERS, {}, 404), (bare, {}, 404)]
    assert [cause.ids for cause in found([orders, scheme], *calls, (refused, {}, 404))] == ["ORDERS-1, AUTH-4"]
    assert [cause.ids for cause in found([orders, scheme], *calls, (refused, {}, 401))] == ["ORDERS-1", "AUTH-4"]


def test_an_answer_about_the_rest_of_a_request_follows_from_a_key_that_is_accepted() -> None:
    """It is another cause if the status is about the key, or if the key was accepted nowhere or is the valid one."""
    bad = samples.request("/pets?limit=x", credential=Credential.RANDOM)
    served, other = (replace(LIST, credential=key) for key in (Credential.RANDOM, Credential.CUT))
    rows = [
        row("AUTH-2", "5", (0, "status"), expected="401"),
        row("AUTH-5", "5", (1, "status"), expected="401"),
    ]
    [one] = found(rows, (served, [], 200), (bad, {}, 400))
    assert (one.rows, one.follow, one.shown) == (tuple(rows), (rows[1],), rows[0])
    assert one.title == "GET /pets returns 200 where 401 is required"
    why = "only with keys that are accepted, so what the server then says is about the rest of the request"
    assert one.followers == {"AUTH-5": why}
    others: tuple[tuple[tuple[Any, Any, int], ...], ...] = (
        ((served, [], 200), (bad, {}, 403)),
        ((served, [], 300), (bad, {}, 400)),
        ((other, [], 200), (bad, {}, 400)),
        ((replace(served, credential=Credential.VALID), [], 200), (replace(bad, credential=Credential.VALID), {}, 400)),
        ((served, [], 200), (replace(ORDERS, credential=Credential.RANDOM), {}, 404)),
    )
    for calls in others:
        assert [cause.ids for cause in found(rows, *calls)] == ["AUTH-2", "AUTH-5"]
    elsewhere = [row("LIST-1", "4.1", (0, "status"), expected="200"), rows[1]]
    assert len(found(elsewhere, (served, [], 200), (bad, {}, 400))) == 2


def test_a_page_of_html_fails_its_type_and_its_json_alike() -> None:
    rows = [
        row("SERVICE-1", "1", (0, "body")),
        row("BODY-1", "4", (0, "header:Content-Type"), (1, "header:Content-Type")),
    ]
    assert lines(found(rows, (post(), b"<p>no</p>", 400), (GET, b"<p>no</p>", 404))) == [
        "SERVICE-1, BODY-1: The body of 400 and 404 responses is not JSON"
    ]


def test_a_number_that_json_lacks_is_not_json() -> None:
    rows = [row("SERVICE-1", "1", (0, "body")), row("PETS-1", "2", (1, "body"))]
    assert lines(found(rows, (LIST, b'{"items": [NaN]}', 200), (LIST, {"items": []}, 200))) == [
        "SERVICE-1: The body of 200 responses is not JSON",
        "PETS-1: PETS-1 is broken",
    ]


@pytest.mark.parametrize(
    ("statuses", "said"), [((401, 404), "401 and 404 responses"), ((400, 401, 403, 404, 405, 415), "most responses")]
)
def test_members_and_headers_that_are_missing_are_named(statuses: tuple[int, ...], said: str) -> None:
    indices = range(len(statuses))
    errors = [row(f"ERROR-{n}", "7", *((index, "body") for index in indices)) for n in (2, 3, 4)]
    names = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
    rates = [
        row(f"RATE-{n}", "8", *((index, f"header:{name}") for index in indices)) for n, name in enumerate(names, 1)
    ]
    assert lines(found([*errors, *rates], *((LIST, {"detail": "no"}, status) for status in statuses))) == [
        f"ERROR-2 to ERROR-4: No `code`, `message` and `status` in the body of {said}",
        f"RATE-1 to RATE-3: No rate limit headers in {said}",
    ]


def test_a_status_that_is_right_is_no_cause() -> None:
    pets = [{"id": 7, "name": "Rex"}]
    rows = [
        row("CREATE-1", "4.2", (0, "status"), expected="201"),
        row("AUTH-6", "5", (1, "status"), (2, "body:/0/name")),
    ]
    refused, stored = found(rows, (post(), {}, 401), (post(), {}, 401), (LIST, pets, 200))
    assert lines([refused, stored]) == [
        "CREATE-1: POST /pets returns 401 where 201 is required",
        "AUTH-6: AUTH-6 is broken",
    ]
    assert refused.then is None
    assert stored.then is not None
    assert stored.then[1] == "body:/0/name"


def test_a_page_that_shows_what_a_post_created_follows_it() -> None:
    pet, changed = {"id": 7, "name": "Rex"}, {"id": 7, "name": "rex"}
    [one] = found(
        [row("CREATE-12", "4.2", (0, "body:/name"), (1, "body:/name"))],
        (post(name="Rex"), pet, 201),
        (GET, changed, 200),
    )
    assert one.exchange is not None
    assert one.then is not None
    assert (one.exchange.index, one.then[0].index, one.then[1]) == (0, 1, "body:/name")


def test_server_errors_that_one_line_of_the_server_raised_are_one_cause() -> None:
    rows = [
        row("CREATE-5", "4.2", (0, "status"), expected="400"),
        row("ERROR-5", "7", (1, "status"), expected="no 5xx"),
    ]
    log = "Traceback\n  File app.py, line 7\n    key = keys[name]\nKeyError: 'name'\n"
    assert lines(found(rows, (post(), {}, 500), (LIST, {}, 500), log=log)) == [
        "CREATE-5, ERROR-5: Several operations return 500 where 400 is required"
    ]


def test_server_errors_of_two_operations_are_two_causes() -> None:
    rows = [
        row("CREATE-5", "4.2", (0, "status"), expected="400"),
        row("ERROR-5", "7", (1, "status"), (0, "status"), expected="no 5xx"),
    ]
    assert lines(found(rows, (post(), {}, 500), (LIST, {}, 500))) == [
        "CREATE-5: POST /pets returns 500 where 400 is required",
        "ERROR-5: GET /pets returns 500",
    ]


def test_a_cause_in_animals_is_shown_by_the_post_that_says_what_was_sent() -> None:
    rounded = {"id": 7, "name": "Rex", "categoryId": 9223372036854776000}
    shown = row("PET-3", "2", (1, "body:/categoryId"))
    sent = row("CREATE-3", "4.2", (0, "body:/categoryId"))
    [one] = found([shown, sent], (post(name="Rex"), rounded, 201), (GET, rounded, 200))
    assert (one.ids, one.shown, one.rows) == ("PET-3, CREATE-3", sent, (shown, sent))
    assert one.exchange is not None
    assert one.exchange.index == 0
    assert one.beside == (("PET-3", shown.reason),)


def test_accepted_is_one_cause_whether_it_is_200_or_201() -> None:
    rows = [row("AUTH-1", "5", (0, "status"), expected="401"), row("AUTH-4", "5", (1, "status"), expected="401")]
    assert lines(found(rows, (LIST, [], 200), (post(), {"id": 1}, 201))) == [
        "AUTH-1, AUTH-4: Several operations return 200 or 201 where 401 is required"
    ]


def test_a_page_that_is_too_long_is_no_wrong_member() -> None:
    pets = [{"id": n, "name": "Rex", "categoryId": 1} for n in range(30)]
    rows = [row("LIST-3", "4.1", (1, "body:/5")), row("LIST-4", "4.1", (0, "body:/20"))]
    assert lines(found(rows, (LIST, pets, 200), (samples.request("/pets?limit=5"), pets, 200))) == [
        "LIST-3, LIST-4: Pages hold more animals than they may"
    ]


def test_pages_that_are_too_long_have_one_cause_whichever_animal_is_the_first_too_many() -> None:
    pets = [{"id": n, "name": "Rex", "categoryId": 1, "status": "sold"} for n in range(130)]
    del pets[20]["status"]
    default, wide = (LIST, pets[:50], 200), (samples.request("/pets?limit=100"), pets, 200)
    ids = [
        row("LIST-3", "4.1", (1, "body:/100")),
        row("LIST-4", "4.1", (0, "body:/20")),
        row("LIST-5", "4.1", (2, "body:/100")),
        row("LIST-7", "4.1", (3, "body:/1")),  # it has a status, but not the one that was asked for
    ]
    assert [cause.ids for cause in found(ids, default, wide, wide, default)] == ["LIST-3 to LIST-5", "LIST-7"]


@pytest.mark.parametrize(
    "reason", ["{} is missing. Simplified from POST /pets.", "GET /pets returned 200 OK: {} is missing."]
)
def test_an_example_or_a_response_that_two_reasons_name_is_named_once(reason: str) -> None:
    first, second = (
        replace(row(name, "8", (0, f"header:{header}")), reason=reason.format(header))
        for name, header in (("RATE-1", "X-RateLimit-Limit"), ("RATE-2", "X-RateLimit-Remaining"))
    )
    [one] = found([first, second], (LIST, [], 200))
    assert one.beside == (("RATE-2", "X-RateLimit-Remaining is missing."),)


# ---- how often


def often(when: When, wrong: int = 2, of_what: str = "responses to the valid key", of: int = 31) -> Frequency:
    return Frequency(wrong, of, of_what, when=when)


def test_one_fault_that_comes_now_and_then_is_one_cause_whatever_it_meets() -> None:
    chance = often("now and then", 3)
    rows = [
        row("CREATE-10", "4.2", (1, "status"), expected="400", frequency=often("always", 1, of=1)),
        row("LIST-1", "4.1", (0, "status"), expected="200", frequency=often("now and then", 1)),
        row("ERROR-5", "7", (0, "status"), (1, "status"), (2, "status"), expected="no 5xx", frequency=chance),
    ]
    calls: list[tuple[Request, Any, int]] = [(LIST, {}, 500), (post(status="x"), {}, 500), (ORDERS, {}, 502)]
    [one] = found(rows, *calls)
    assert (one.ids, one.shown.id) == ("LIST-1, CREATE-10, ERROR-5", "ERROR-5")
    assert one.title == "Several operations return 500 or 502 where 200 or 400 is required, now and then"
    always = [replace(one, frequency=None) for one in rows]
    assert len(found(always, *calls)) == 3


def test_what_fails_in_the_same_requests_at_the_same_time_is_one_cause() -> None:
    together = often("at the same time", 2, "responses to requests at the same time", 8)
    rows = [
        row("CREATE-2", "4.2", (0, "body:/name"), frequency=together),
        row("CREATE-3", "4.2", (0, "body:/categoryId"), (1, "body:/categoryId"), frequency=replace(together, wrong=3)),
        row("LIST-6", "4.1", (2, "status"), expected="200", frequency=together),
    ]
    pet = {"id": 7, "name": "Rex", "categoryId": 2}

    def of(*bursts: int | None, rows: list[Verdict] = rows) -> list[str]:
        calls = [(post(name="Tex"), pet, 201), (post(name="Tex"), pet, 201), (LIST, {}, 500)]
        every = [
            replace(samples.exchange(at, asked, samples.response(body, status)), burst=burst)
            for (at, (asked, body, status)), burst in zip(enumerate(calls), bursts, strict=True)
        ]
        return lines(list(causes(samples.result(*rows), by_index(every).values())))

    overlap = ", only at the same time as others"
    one = f"LIST-6, CREATE-2, CREATE-3: POST /pets and GET /pets answer wrongly{overlap}"
    assert of(1, 2, 1) == [one]
    assert of(1, 1, 2) == [
        f"LIST-6: GET /pets returns 500 where 200 is required{overlap}",
        f"CREATE-2, CREATE-3: POST /pets answers wrongly{overlap}",
    ]
    alone = [rows[0], replace(rows[1], frequency=often("always", 3, of=3))]
    assert len(of(1, 1, 1, rows=alone)) == 2
    alike = [replace(one, parts=("body:/name", "body:/name")[: len(one.parts)]) for one in rows[:2]]
    assert of(1, 1, 1, rows=alike) == [f"CREATE-2, CREATE-3: Wrong `name` in a Pet{overlap}"]


def test_a_status_is_named_only_if_all_and_only_those_with_it_are_wrong() -> None:
    def said(frequency: Frequency | None, part: str = "header:X-RateLimit-Reset") -> str:
        [cause] = found([row("RATE-3", "8", (0, part), frequency=frequency)], (LIST, {}, 400))
        return cause.summary

    named = "No X-RateLimit-Reset in 400 responses"
    assert said(None) == said(often("always", 31, "400 responses")) == named
    assert said(often("always", 31, "responses to GET /pets")) == "No X-RateLimit-Reset in responses to GET /pets"
    assert said(often("always", 2, "responses")) == "No X-RateLimit-Reset in some responses"
    assert said(often("now and then")) == "No X-RateLimit-Reset in 2 of 31 examined responses to the valid key"
    together = often("at the same time", 2, "responses to requests at the same time", 8)
    assert said(together) == "No X-RateLimit-Reset in 2 of 8 responses to requests at the same time"
    assert said(often("now and then"), "body:/code") == "RATE-3 is broken, now and then"
    assert said(together, "body:/code") == "RATE-3 is broken, only at the same time as others"


def test_a_body_that_is_not_json_now_and_then_is_one_cause_for_errors_and_others() -> None:
    chance = often("now and then", of_what="responses")
    rows = [
        row("SERVICE-1", "1", (0, "body"), (1, "body"), frequency=chance),
        row("BODY-1", "4", (1, "header:Content-Type"), frequency=chance),
    ]
    assert lines(found(rows, (LIST, b"<p>", 200), (LIST, b"<p>", 400))) == [
        "SERVICE-1, BODY-1: The body of 2 of 31 examined responses is not JSON"
    ]


def test_refusals_where_other_statuses_are_required_have_other_causes() -> None:
    rows = [
        row("LIST-2", "4.1", (0, "status"), expected="200"),
        row("AUTH-5", "5", (1, "status"), expected="401"),
        row("GET-3", "4.3", (2, "status"), expected="404"),
    ]
    assert lines(found(rows, (LIST, {}, 400), (post(name=5), {}, 400), (GET, {}, 400))) == [
        "LIST-2: GET /pets returns 400 where 200 is required",
        "GET-3: GET /pets/{petId} returns 400 where 404 is required",
        "AUTH-5: POST /pets returns 400 where 401 is required",
    ]


def test_beside_a_title_that_says_the_statuses_only_the_inputs_are_repeated() -> None:
    said = "POST /pets with {}: expected 400 (section 4.2), got 422 Unprocessable Entity."
    rows = [
        replace(row(name, "4.2", (at, "status"), expected="400"), reason=said.format(sent))
        for at, (name, sent) in enumerate([("CREATE-5", "no body"), ("CREATE-6", "no `name`")])
    ]
    made = found(rows, (post(), {}, 422), (post(), {}, 422))
    assert [cause.beside for cause in made] == [(("CREATE-6", "POST /pets with no `name`."),)]
