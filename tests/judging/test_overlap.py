"""Requests at the same time: any order that the times allow conforms, and what no order explains fails."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petcheck.call import Credential, read_call
from petcheck.exchange import Exchange, Silence
from petcheck.judging.apply import decide_from_tries
from petcheck.judging.decided import decided, grounds_of
from petcheck.judging.decision import Ask, Decision, Failed
from petcheck.judging.judgement import Grounds
from petcheck.judging.once import WholeRecord
from petcheck.judging.overlap import crowded_in
from petcheck.judging.rules import RULE
from petcheck.judging.traffic import shown_by_traffic
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from tests.judging.overlapping import RUN, any_store
from tests.support.exchanges import JSON, NOON, exchange, rates, unix

LIST, CREATE, GET, ORDERS = Operation
DAY = date(2026, 11, 21)
JUDGED = [requirement for requirement in catalogue().judged if requirement.id in RULE]


def grounds_for(record: WholeRecord) -> Grounds:
    return grounds_of(record, as_of=DAY, plan=None, writes=True, run=RUN, repeats=False)


def failures(exchanges: list[Exchange], but: set[str] = frozenset()) -> dict[str, str]:  # type: ignore[assignment]
    """The requirements that fail, with the reason."""
    record = WholeRecord(exchanges)
    grounds = grounds_for(record)
    found = {one.id: decided(one, record, grounds) for one in JUDGED if one.id not in but}
    return {name: one.text for name, one in found.items() if isinstance(one, Failed)}


# ---- what conforms


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**9), requests=st.sampled_from([10, 30, 80]))
def test_no_order_of_overlapping_requests_fails(seed: int, requests: int) -> None:
    store = any_store(Random(seed))
    store.run(requests)
    # other clients that repeatedly use up the rest unseen look like a limit that is not enforced
    assert failures(store.record, {"RATE-6", "RATE-8", "RATE-9"} if store.others else set()) == {}


def noted(found: Exchange, tick: float, *, durations: bool) -> Exchange:
    """An exchange as a recorder writes it that cuts its times to ticks, or leaves durations out."""
    sent = found.sent // tick * tick if tick else found.sent
    started = NOON + timedelta(microseconds=round(sent * 1_000_000))
    return replace(found, started=started, sent=sent, finished=sent + found.elapsed * durations)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**9), tick=st.sampled_from([0.0, 0.001, 1.0]), durations=st.booleans())
def test_nothing_that_only_order_explains_is_found_in_recorded_traffic(seed: int, tick: float, durations: bool) -> None:
    store = any_store(Random(seed))
    store.run(40)
    record = WholeRecord(noted(one, tick, durations=durations) for one in store.record)
    found = shown_by_traffic(record, as_of=DAY, plan=None).decisions
    assert [one.text for one in found.values() if isinstance(one, Failed)] == []


def test_a_decision_about_recorded_traffic_keeps_nothing_that_was_parsed() -> None:
    store = any_store(Random(5))
    store.run(40)
    found = shown_by_traffic(WholeRecord(store.record), as_of=DAY, plan=None).decisions
    kept = [part for one in found.values() for seen in one.examined for part in (seen, seen.request, seen.heard)]
    assert len(kept) > 100
    assert [part for part in kept if part.__dict__.keys() != copy(part).__dict__.keys()] == []


# ---- which exchanges overlapped


@pytest.mark.parametrize(
    ("times", "crowded"),
    [
        ([], set()),
        ([(0, 1), (1, 2), (2, 3)], set()),
        ([(0, 2), (1, 3), (3, 4)], {0, 1}),
        ([(0, 9), (1, 2), (5, 6), (9, 10)], {0, 1, 2}),
        ([(0, 2), (1, 9), (5, 6), (9, 10)], {0, 1, 2}),
    ],
)
def test_an_exchange_is_crowded_that_began_before_any_earlier_one_ended(
    times: list[tuple[float, float]], crowded: set[int]
) -> None:
    record = [replace(exchange(index=at), sent=sent, finished=end) for at, (sent, end) in enumerate(times)]
    assert {one.index for one in record if id(one) in crowded_in(record)} == crowded


def test_what_is_alone_in_its_burst_is_crowded_too() -> None:
    record = [exchange(index=0), replace(exchange(index=1), burst=1), exchange(index=2)]
    assert crowded_in(record) == {id(record[1])}


# ---- what no order explains

BURST = 8


def sent_at(index: int, sent: float, status: int | Silence = 200, body: object = (), **fields: Any) -> Exchange:
    """An exchange with rate limit headers that count down; `burst` and `again` as in `Exchange`."""
    marks = {name: fields.pop(name) for name in ("burst", "again") if name in fields}
    limit, reset = fields.pop("limit", 1000), fields.pop("reset", 3600)
    headers = (JSON, *rates(limit, fields.pop("left", 900 - index), unix(reset)))
    made = exchange(fields.pop("operation", LIST), status, body, index=index, sent=sent, headers=headers, **fields)
    return replace(made, **marks)


def at_once(*asked: dict[str, Any], sent: float = 1.0, first: int = 0, burst: int = 1) -> list[Exchange]:
    """A burst: each request is sent before any is answered."""
    return [
        sent_at(first + n, sent + n / 1000, **{"burst": burst, "took": 0.5} | fields) for n, fields in enumerate(asked)
    ]


def pet(number: int, **members: object) -> dict[str, object]:
    return {"id": number, "name": f"petcheck {RUN} {number}", "categoryId": 1, "status": "sold"} | members


def post(number: int, **members: object) -> dict[str, Any]:
    """A POST that creates an animal, and is answered with other members."""
    new = {name: value for name, value in pet(number).items() if name != "id"}
    return {"operation": CREATE, "status": 201, "body": pet(number, **members), "asked": new}


def page(*numbers: int, query: str = "", **members: object) -> dict[str, Any]:
    return {"body": [pet(number, **members) for number in numbers], "path": f"/pets{query}"}


def read(number: int, shown: int | None = None) -> dict[str, Any]:
    """A GET of an animal; it shows another one, or none for 0."""
    if shown == 0:
        return {"operation": GET, "path": f"/pets/{number}", "status": 404, "body": ERROR | {"status": 404}}
    return {"operation": GET, "path": f"/pets/{number}", "body": pet(shown or number)}


ERROR = {"code": "x", "message": "y", "status": 401}
BAD = ERROR | {"status": 400}
REFUSED = {"status": 401, "body": ERROR}
POSTS = [post(number) for number in range(1, BURST)]
KNOWN = sent_at(0, 0.0, **page(*range(101, 121), query="?limit=100"))


def with_known(*asked: dict[str, Any]) -> list[Exchange]:
    """A page of 20 animals, then a burst."""
    return [KNOWN, *at_once(*asked, first=1)]


@pytest.mark.parametrize(
    ("record", "requirement", "text"),
    [
        (
            at_once(*POSTS, post(8, id=3)),
            "PET-5",
            'POST /pets returned 201: the new animal has id 3, and so has the animal "petcheck 0a1b2c3d 8", created '
            "beside it (section 2).",
        ),
        (
            at_once(*POSTS, post(8, name=pet(3)["name"])),
            "CREATE-2",
            f'POST /pets returned 201: `name` is "petcheck {RUN} 3" instead of "petcheck {RUN} 8" (character 19 is '
            "U+0033 instead of U+0038) (section 4.2).",
        ),
        (
            with_known(*POSTS, post(8, categoryId=2)),
            "CREATE-3",
            "POST /pets returned 201: `categoryId` is 2 instead of 1 (section 4.2).",
        ),
        (
            at_once(*POSTS, post(8, status="pending")),
            "CREATE-4",
            'POST /pets returned 201: `status` is "pending" instead of "sold" (section 4.2).',
        ),
        (
            with_known(*POSTS[:6], page(101, query="?limit=20"), page(*range(101, 121), query="?limit=1")),
            "LIST-3",
            "GET /pets?limit=1 returned 200: the page holds 20 animals; `limit` allows at most 1 (section 4.1).",
        ),
        (
            at_once(*POSTS[:6], page(9, query="?status=sold"), page(9, query="?status=pending")),
            "LIST-7",
            'GET /pets?status=pending returned 200: animal 9 has status "sold"; expected only "pending" (section 4.1).',
        ),
        (
            with_known(*(read(number) for number in range(101, 108)), read(108, 107)),
            "GET-2",
            "GET /pets/108 returned 200: the body is animal 107; expected animal 108 (section 4.3).",
        ),
        (
            at_once(page(1), page(1) | {"credential": Credential.MISSING}),
            "AUTH-1",
            "GET /pets with no key: expected 401 (section 5), got 200.",
        ),
        (
            at_once(page(1) | REFUSED, {"credential": Credential.RANDOM} | REFUSED),
            "AUTH-7",
            "GET /pets: expected any status except 401 for a valid key (section 5), got 401.",
        ),
        (
            at_once(page(1), {"path": "/pets?limit=abc", "status": 500, "body": b""}),
            "ERROR-5",
            "GET /pets?limit=abc: expected any status except 5xx (section 7), got 500.",
        ),
        (
            [
                *at_once(page(1), {"operation": GET, "path": "/pets/1", "status": Silence.TIMEOUT}),
                *at_once(
                    page(1) | {"again": 0},
                    {"operation": GET, "path": "/pets/1", "status": Silence.TIMEOUT, "again": 1},
                    sent=2.0, first=2, burst=2,
                ),
                sent_at(4, 3.0, **read(1), again=3),
            ],
            "GET-1",
            "GET /pets/1: expected 200 (section 4.3), got no answer (timeout: nothing was received), twice.",
        ),
        (
            [
                sent_at(0, 0.0, **post(1), left=99),
                *at_once(*(post(n) | {"left": 98} for n in range(2, 10)), first=1),
                sent_at(9, 2.0, **page(1, query="?limit=2"), left=97),
            ],
            "RATE-4",
            "GET /pets?limit=2: X-RateLimit-Remaining went from 99 to 97 in one window, although at least 8 requests "
            "were served in between (section 8).",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 10 else "",
)  # fmt: skip
def test_what_no_order_explains_fails(record: list[Exchange], requirement: str, text: str) -> None:
    assert failures(record) == {requirement: text}


# ---- animals that are lost


def created(lost: Sequence[int], *more: Exchange) -> list[Exchange]:
    """Eight animals created at the same time, and read later; `lost` are not found."""
    reads = [sent_at(BURST + n, 12.0 + n, **read(n + 1, 0 if n + 1 in lost else None)) for n in range(BURST)]
    return [*at_once(*(post(number) for number in range(1, 9))), *reads, *more]


def decision_on(requirement: str, exchanges: list[Exchange]) -> Decision:
    record = WholeRecord(exchanges)
    return decide_from_tries(RULE[requirement], record, grounds_for(record))


def test_two_animals_of_a_burst_that_are_lost_fail_and_one_proves_nothing() -> None:
    assert failures(created(())) == failures(created((3,))) == {}
    assert failures(created((3, 5))) == {
        "CREATE-12": "GET /pets/3 still returned 404 10 s after POST /pets, at the same time as other requests, "
        "created that animal (section 4.2); also in GET /pets/5."
    }


def test_one_that_is_lost_fails_if_a_page_still_shows_it() -> None:
    shown = sent_at(16, 40.0, **page(*range(1, 9), query="?limit=100"))
    again = sent_at(17, 41.0, **read(3, 0))
    assert failures(created((3,), shown, again)) == {
        "CREATE-12": "GET /pets/3 still returned 404 10 s after POST /pets, at the same time as other requests, "
        "created that animal, although GET /pets?limit=100 lists it (section 4.2)."
    }


def test_an_animal_of_a_burst_that_no_page_lists_fails_while_it_can_be_read() -> None:
    listed = page(1, 2, 4, 5, 6, 7, 8, query="?limit=100")
    three = [sent_at(17, 30.0, **listed), sent_at(18, 31.0, **read(3)), sent_at(19, 32.0, **listed)]
    pages = [sent_at(16, 19.0, **listed), *three]
    assert failures(created((), *pages)) == {
        "CREATE-13": "10 s after POST /pets created animal 3, GET /pets?limit=100 left it out, although GET /pets/3 "
        "shows it; the page holds 7 of at most 100 animals (section 4.2)."
    }


def test_an_animal_with_the_name_of_another_fails_at_once_and_with_any_other_name_it_may_have_been_changed() -> None:
    posts = [sent_at(n, n / 2, **post(n)) for n in (1, 2)]

    def reads(name: object, number: int = 1) -> list[Exchange]:
        body = {"operation": GET, "path": "/pets/1", "body": pet(number, name=name)}
        return [*posts, *at_once(body, read(2), sent=2.0, first=4), sent_at(6, 3.0, **read(1))]

    assert failures(reads(pet(2)["name"])) == {
        "CREATE-12": 'GET /pets/1 shows animal 1 with the name of animal 2, "petcheck 0a1b2c3d 2" (section 4.2).'
    }
    assert failures(reads("Rex")) == failures(reads(pet(1)["name"])) == {}
    assert set(failures(reads(pet(2)["name"], 2))) == {"GET-2"}
    # one id of two animals is another fault
    posts.append(sent_at(2, 1.5, **post(2, id=1)))
    assert failures(reads(pet(2)["name"])) == {}


def test_others_of_the_same_burst_are_read_where_one_is_lost() -> None:
    alone = sent_at(0, 0.0, **post(9))
    burst = at_once(post(1), post(2, status="sold") | {"asked": {"name": pet(2)["name"], "categoryId": 1}}, first=1)
    lost = sent_at(3, 12.0, **read(1, 0))
    question = decision_on("CREATE-12", [alone, *burst, lost])
    assert isinstance(question, Ask)
    assert question.calls == (read_call(2),)


# ---- what only overlap explains


@pytest.mark.parametrize(
    "record",
    [
        # pages show animals whose 201 has not arrived yet
        at_once(page(1, 2), post(1), post(2)),
        # the quota was counted in the opposite order
        [*at_once(*(post(n) | {"left": 40 + n} for n in range(1, 12)))],
        # requests that were counted only after the last answer of the window
        [
            sent_at(0, 0.0, **post(20), left=59, limit=60, reset=60),
            *(
                replace(sent_at(n, 0.2, **post(n), left=58 - n, limit=60, reset=60), finished=4.0)
                for n in range(1, 7)
            ),
            sent_at(7, 1.5, path="/pets?limit=abc", status=400, body=BAD, left=59, limit=60, reset=60),
        ],
        # the same body twice may be stored once
        at_once(post(1), post(1)),
        # an animal that no page lists is read twice at the same time
        at_once(read(77), read(77)),
    ],
    ids=range(5),
)  # fmt: skip
def test_an_order_explains_it(record: list[Exchange]) -> None:
    assert failures(record) == {}


def test_two_posts_one_after_the_other_may_get_one_id() -> None:
    twice = [sent_at(0, 0.0, **post(1)), sent_at(1, 1.0, **post(2, id=1))]
    assert failures(twice) == {}
    burst = [replace(one, burst=1) for one in twice]
    assert set(failures(burst)) == {"PET-5"}
