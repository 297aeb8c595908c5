"""What a run tries, and in which order; both are decided before anything is sent."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.call import Call, Form, page_call
from petcheck.json_values import parse
from petcheck.judging.request_bodies import PLAIN_NAME_LENGTH, Due, asked_for
from petcheck.plan.bodies import defects, valid_pets
from petcheck.plan.pages import BETWEEN, first_pages
from petcheck.properties.defect_examples import defective_pets
from petcheck.properties.generate import Generated
from petcheck.properties.get_examples import getting
from petcheck.properties.list_examples import listing
from petcheck.properties.new_pets import Pets, named
from petcheck.properties.pet_examples import UNSEEN, creating, spoiling
from petcheck.properties.pool import Cases, shipped_pool
from petcheck.spec.figures import STATUSES
from petcheck.spec.operations import Operation
from petcheck.toolkit.shares import DEEP, shares

PETS = Pets("0a1b2c3d", (4,))
REALISTIC = 18  # defects that people make, with seed 1
SEEDS = (1, 4711)
ONE = (1, pytest.param(4711, marks=pytest.mark.slow))  # for what many examples show
GENERATED = Generated()
from_both = pytest.mark.parametrize("cases", [GENERATED, shipped_pool()], ids=["generated", "pool"])


def once(draw: Callable[[int, Cases], list[Call]]) -> Callable[..., list[Call]]:
    """`draw`, called once for each seed and source."""
    drawn: dict[tuple[int, int], list[Call]] = {}

    def again(seed: int, cases: Cases = GENERATED) -> list[Call]:
        if (seed, id(cases)) not in drawn:
            drawn[seed, id(cases)] = draw(seed, cases)
        return drawn[seed, id(cases)]

    return again


@once
def listed(seed: int, cases: Cases) -> list[Call]:
    return [*islice(listing(seed, cases), 400)]


@once
def got(seed: int, cases: Cases) -> list[Call]:
    return [*islice(getting(seed, cases), 400)]


@once
def created(seed: int, cases: Cases) -> list[Call]:
    return [*islice(creating(PETS, seed, (), cases), 150)]


def bodies(seed: int, number: int = 150, cases: Cases = GENERATED) -> list[bytes]:
    return [call.body for call in created(seed, cases)[:number] if call.body is not None]


# ---- how many


def test_the_default_is_forty_requests_and_nineteen_posts() -> None:
    share = shares(None, writes=True)
    assert (share.total, share.posts, share.listing, share.getting, share.sequence_posts) == (40, 19, 6, 4, 0)
    assert shares(None, writes=False).total == 10


@given(st.integers(0, 5_000), st.booleans())
def test_the_shares_add_up_and_grow_in_proportion(examples: int, writes: bool) -> None:
    share = shares(examples, writes=writes)
    assert share.total == 2 * examples if writes else share.total <= 2 * examples
    assert share.total // 5 <= share.posts <= share.total // 2 if writes else share.posts == 0
    parts = (share.listing, share.getting, share.ordering, share.creating, share.sequence_posts, share.sequence_gets)
    assert min(parts) >= 0
    assert sum(parts) + share.rest == share.total
    assert 0 <= share.rest <= 20 if writes else share.rest == 0
    assert (share.sequence_gets > 0) <= (writes and examples > DEEP)


@given(st.integers(0, 5_000))
def test_gets_have_the_same_share_whether_the_run_writes_or_not(examples: int) -> None:
    reading, writing = (shares(examples, writes=writes) for writes in (False, True))
    assert (reading.listing, reading.getting) == (writing.listing, writing.getting)
    assert (reading.ordering, reading.total) == (writing.ordering, writing.listing + writing.getting + writing.ordering)


# ---- GET /pets


@pytest.mark.parametrize("seed", ONE)
def test_a_deep_run_requests_every_limit_and_almost_half_of_all_pairs(seed: int) -> None:
    pairs = pairs_of_limit_and_status(listed(seed)[: shares(200, writes=True).listing])
    assert {limit for limit, _ in pairs} == set(range(1, 101))
    assert len(pairs) >= 180


def test_a_read_only_run_of_350_requests_most_pairs() -> None:
    assert len(pairs_of_limit_and_status(listed(1)[: shares(350, writes=False).listing])) > 300


def pairs_of_limit_and_status(calls: Sequence[Call]) -> set[tuple[int, str | None]]:
    """The pairs of a limit from 1 to 100 and a status, or none, that the calls request; there are 400."""
    queries = [dict(call.query) for call in calls]
    return {
        (int(query["limit"]), query.get("status"))
        for query in queries
        if query.keys() in ({"limit"}, {"limit", "status"})
        and query["limit"].isdecimal()
        and 1 <= int(query["limit"]) <= 100
        and query.get("status") in (None, *STATUSES)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_every_documented_limit_comes_first_with_every_status(seed: int) -> None:
    asked = [(q.get("limit"), q.get("status")) for q in (dict(call.query) for call in listed(seed)[:52])]
    assert {(limit, status) for limit in ("1", "20", "100", None) for status in (*STATUSES, None)} <= {*asked}
    assert [limit for limit, _ in asked if limit and limit.isdecimal() and int(limit) > 100]


@pytest.mark.slow
@from_both
@pytest.mark.parametrize("seed", SEEDS)
def test_no_example_comes_twice(seed: int, cases: Cases) -> None:
    for calls in (listed(seed, cases), got(seed, cases), created(seed, cases)):
        assert len(calls) == len(set(calls))


# ---- GET /pets/{petId}


@from_both
@pytest.mark.parametrize("seed", ONE)
def test_ids_cover_int64_and_no_segment_changes_the_path(seed: int, cases: Cases) -> None:
    segments = [call.pet_id or "" for call in got(seed, cases)]
    numbers = {int(text) for text in segments if text.removeprefix("-").isdecimal() and text.isascii()}
    for power in range(8, 63):
        assert any(2**power <= n < 2 ** (power + 1) for n in numbers), power
        assert any(2**power <= -n < 2 ** (power + 1) for n in numbers), power
    assert {-(2**63), 2**63 - 1, 2**63, -(2**63) - 1, 0} <= numbers
    for call in got(seed, cases):
        assert call.path.startswith("/pets/")
        assert call.path.count("/") == 2
        assert set((call.pet_id or "").strip(" ")) - set("./\\\0")


# ---- POST /pets


@from_both
@pytest.mark.parametrize("seed", ONE)
def test_a_defective_body_has_a_name_of_this_run_if_any(seed: int, cases: Cases) -> None:
    for body in bodies(seed, cases=cases):
        asked = asked_for(body, {PETS.category})
        name = (asked.pet or {}).get("name")
        if asked.due is Due.REFUSED and isinstance(name, str):
            assert name.startswith(PETS.run), body


@from_both
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", [8, 80])
def test_at_least_half_of_the_bodies_are_defective(seed: int, number: int, cases: Cases) -> None:
    due = [asked_for(body, {PETS.category}).due for body in bodies(seed, number, cases)]
    assert due.count(Due.REFUSED) >= number // 2


def test_the_first_defects_are_those_that_people_make() -> None:
    first = [asked_for(body, {PETS.category}) for body in bodies(1, 10)]
    assert [asked.what for asked in first if asked.due is Due.REFUSED][:4] == [
        '"" as `status`',
        "false as `status`",
        'neither `name` nor `categoryId`, but "deep" nested 3,000 levels deep and "digits" of 5,000 digits',
        "null as the body",
    ]


def test_consecutive_seeds_ask_for_all_realistic_defects() -> None:
    """A run sends the first five or six if nothing fails; servers often accept them or fail on them."""

    def first(seed: int, number: int) -> set[bytes | None]:
        return set(islice(defective_pets(PETS, seed, (), shipped_pool()), number))

    statuses = {pet for seed in range(60) for pet in first(seed, 5)}
    # "", one padded in two ways, the body without a name, two by three and four of other types, two categories, no
    # body, and two lists and a text
    assert len(statuses) == 1 + 2 + 1 + 6 + 4 + 2 + 1 + 3
    for seed in range(22):
        sent = set().union(*(first(seed + turn, 10) for turn in range(30)))
        assert sent >= {*first(1, REALISTIC), *statuses}


def test_the_seed_decides_where_the_others_begin() -> None:
    assert len({tuple(bodies(seed, 20)) for seed in SEEDS}) == len(SEEDS)
    assert len({tuple(listed(seed)[:9]) for seed in SEEDS}) == len(SEEDS)
    assert len({tuple(got(seed)[:6]) for seed in (1, 2, 3)}) == 3


def test_ids_near_the_known_ones_come_first() -> None:
    runs = [[call.pet_id for call in islice(getting(seed, shipped_pool(), (3, 4, 9)), 30)] for seed in range(2)]
    assert [first for first, *_ in runs] == ["10", "5"]
    assert all({"10", "5"} <= {*ids} for ids in runs)
    # an animal that no page has shown may have it
    assert {next(getting(seed, shipped_pool(), (3, 4, 9), whole=False)).pet_id for seed in range(2)} == {"10"}


@pytest.mark.parametrize("known", [(), (3, 4, 9)])
def test_an_id_far_above_comes_first_where_others_may_follow_the_known_ones(known: tuple[int, ...]) -> None:
    ids = [next(getting(seed, shipped_pool(), known, whole=False, newest=False)).pet_id for seed in range(9)]
    assert len(set(ids)) == 9
    assert all(10**8 <= int(number or 0) < 2**31 for number in ids)


def test_an_id_beyond_int64_comes_before_an_unlikely_one_or_a_segment_that_is_no_int64() -> None:
    runs = [[call.pet_id for call in islice(getting(seed, shipped_pool(), (3, 4)), 3)] for seed in range(16)]
    assert [near for near, *_ in runs] == ["5"] * 16
    assert [first for _, first, _ in runs] == ["9223372036854775808"] * 16
    others = [other for *_, other in runs]
    assert others[3::4] == ["0", str(2**63 - 1), "0", str(-(2**63))]
    assert len({other for place, other in enumerate(others) if place % 4 != 3}) == 4


def test_what_may_spoil_a_store_is_sent_last_and_apart() -> None:
    may_spoil = (rb"\ud", b" \xff\xfe", b": 1e400", b"9" * 1_000, b"[" * 1_000, b"NaN")
    sent = [body for body in bodies(1, 200) if body is not None]
    kept = [body for body in sent if asked_for(body, ()).due is not Due.REFUSED]
    assert not [body for body in kept if any(text in body for text in may_spoil)]
    # what has neither a name nor a category is refused by a server that looks at either
    animals = [body for body in sent if b'"name"' in body or b'"categoryId"' in body]
    assert not [body for body in animals if any(text in body for text in may_spoil[1:5])]
    assert [sum(text in body for text in may_spoil) for body in spoiling(PETS)] == [1] * 8


@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_that_crash_careless_servers_come_early(seed: int) -> None:
    sent = bodies(seed, 90)
    signs = [
        b"{}",
        b"null",
        b"9" * 400,
        rb"\u0000",
        b"[" * 200,
        b"[" * 3_000,
        b"__proto__",
        b'"member 999"',
    ]
    signs += [b'"name": "twice", "name"', b'"name": "  ', b'"name": ""']
    assert [sign for sign in signs if not any(sign in body for body in sent)] == []


@pytest.mark.parametrize("seed", ONE)
def test_a_deep_run_tries_most_certainly_valid_lengths(seed: int) -> None:
    asked = [asked_for(body, {PETS.category}) for body in bodies(seed, 150)]
    plain = {len(str((one.pet or {})["name"])) for one in asked if one.due is Due.CREATED}
    assert plain >= {1, 8, 50}
    assert len(plain) > 25


def accepted(pets: Pets, seed: int, number: int = 15) -> list[dict[str, object]]:
    """The animals among the first bodies that are valid for certain, or except for a category that nobody has seen."""
    sent = [call.body for call in islice(creating(pets, seed, (), shipped_pool()), number)]
    asked = [asked_for(body, {PETS.category, *pets.unseen}) for body in sent]
    return [dict(one.pet or {}) for one in asked if one.due is Due.CREATED]


def test_the_shortest_name_comes_before_one_that_the_checks_have_sent() -> None:
    checks = {pet.plain["name"] for pet in valid_pets(PETS.run, PETS.categories, 0)}
    first, second, *_ = accepted(PETS, 1)
    assert first == {"name": "0", "categoryId": PETS.category}
    assert second["name"] in checks


def first_with_an_id(pets: Pets, seed: int) -> dict[str, object]:
    return dict(json.loads(body_with_an_id(pets, seed)))


def body_with_an_id(pets: Pets, seed: int) -> bytes:
    """The fifth body; those before it are what many servers get wrong."""
    return [call.body or b"" for call in islice(creating(pets, seed, (), shipped_pool(), own_id=7), 5)][4]


def test_four_seeds_send_each_name_that_is_taken_for_another_value() -> None:
    first = [first_with_an_id(PETS, seed) for seed in range(4)]
    assert {str(pet["name"]) for pet in first} >= {"null", "true", "169552957"}
    assert all(pet["id"] == 7 for pet in first)


def test_each_run_sends_the_shortest_name() -> None:
    assert {json.loads(without_status(seed))["name"] for seed in range(4)} == {"0"}


def without_status(seed: int) -> bytes:
    sent = [call.body or b"" for call in islice(creating(PETS, seed, (), shipped_pool()), 8)]
    return next(body for body in sent if body.startswith(b'{"name"') and b"status" not in body)


def test_each_seed_sends_a_body_of_another_type_or_one_that_is_not_utf_8_early() -> None:
    early = [[*islice(creating(PETS, seed, (), shipped_pool(), own_id=7), 10)] for seed in range(4)]
    as_text = [[call.body or b"" for call in calls if call.form is Form.AS_TEXT] for calls in early]
    not_utf_8 = [[call.body or b"" for call in calls if b"\xff" in (call.body or b"")] for calls in early]
    assert [len(bodies) for bodies in as_text] == [0, 1, 0, 1]
    assert [len(bodies) for bodies in not_utf_8] == [1, 0, 1, 0]
    # they leave nothing behind on most servers
    assert {asked_for(body, (PETS.category,)).due for body in (*as_text[1], *not_utf_8[0])} == {Due.REFUSED}


def test_each_run_sends_members_that_nobody_knows_twice_and_deeply_nested() -> None:
    sent = [body_with_an_id(PETS, seed) for seed in range(2)]
    assert [(body.count(b'"twice"'), body.count(b"[" * 200)) for body in sent] == [(2, 1), (2, 1)]


def test_seeds_in_turn_send_every_category_that_may_go_wrong_to_a_service_that_takes_any() -> None:
    pets = replace(PETS, unseen=UNSEEN)
    sent = [first_with_an_id(pets, seed)["categoryId"] for seed in range(10)]
    assert {*sent} == {*UNSEEN}
    assert sent[::2] == [0] * 5


def test_eight_seeds_ask_for_each_range_of_limits_with_each_status() -> None:
    pages = [call.query for seed in range(8) for call in islice(listing(seed, shipped_pool()), 14)]
    unnamed = [dict(query) for query in pages if dict(query).get("limit", "1") not in ("1", "20", "100")]
    valid = [query for query in unnamed if query["limit"].isdecimal() and int(query["limit"]) < 100]
    cells = {(limits, query.get("status")) for query in valid for limits in BETWEEN if int(query["limit"]) in limits}
    assert cells >= {(limits, status) for limits in BETWEEN for status in (*STATUSES, None)}


@pytest.mark.parametrize("first", [0, 7])
def test_ten_seeds_in_a_row_ask_for_every_limit_of_the_document_with_every_status(first: int) -> None:
    asked: set[tuple[tuple[str, str], ...]] = set()
    for seed in range(first, first + 10):
        pages = [page_call(*page).query for page in first_pages(seed)]
        valid = [call.query for call in islice(listing(seed, shipped_pool()), 5) if call.query not in pages]
        asked.update(pages, valid)
    assert asked >= {page_call(*pair).query for pair in product((None, 1, 20, 100), (*STATUSES, None))}


def test_twelve_seeds_in_a_row_ask_for_parameters_that_careless_code_fails_on() -> None:
    first = [[dict(call.query) for call in islice(listing(seed, shipped_pool()), 5)] for seed in range(12)]
    for queries in first:
        assert {"status": "\udcff"} in queries
    for queries in first[::2]:
        assert {"limit": "-1"} in queries
        assert {"limit[]": "5", "status": "sold", "status[]": "sold"} in queries
    for queries in first[1::2]:
        assert {"limit": "abc"} in queries
    by_turns = [queries[4] for queries in first[1::2]]
    assert [query.get("limit", query.get("status")) for query in by_turns] == [
        "0",
        "adopted",
        "",
        str(2**31),
        "7",
        "1.5",
    ]
    assert by_turns[2]["petcheck"] == "\udcff"


def test_control_characters_come_again_if_everything_at_once_was_refused() -> None:
    usual = [call.body for call in islice(creating(PETS, 1, (), GENERATED), 18)]
    parted = [call.body for call in islice(creating(PETS, 1, (), GENERATED, lambda _: False), 18)]
    names = [json.loads(body)["name"] for body in parted if body and body not in usual]
    assert names == [f"{PETS.run} {''.join(map(chr, (*range(0x20), 0x7F)))}\r\né\uffff z"]
    assert len(names[0]) <= PLAIN_NAME_LENGTH


def test_the_members_of_a_body_that_failed_come_alone() -> None:
    usual = [call.body for call in islice(creating(PETS, 1, (), GENERATED), 8)]
    apart = [call.body for call in islice(creating(PETS, 1, (), GENERATED, failed=lambda body: b"deep" in body), 10)]
    alone = [body for body in apart if body and body not in usual]
    assert [(b'"deep"' in body, b'"digits"' in body) for body in alone] == [(True, False), (False, True)]
    assert all(isinstance(parse(body).value, dict) for body in alone)


def test_defects_are_of_kinds_that_were_not_sent_before() -> None:
    known = [json.dumps(d.body).encode() for d in defects("0a1b2c3d", 4, 99) if isinstance(d.body, dict | list)]
    told = {(asked_for(body, ()).requirement, asked_for(body, ()).what) for body in known}
    planned = list(islice(defective_pets(PETS, 1, known, GENERATED), REALISTIC, REALISTIC + 5))
    new = [(asked_for(body, ()).requirement, asked_for(body, ()).what) for body in planned]
    assert len(new) == len(set(new))
    assert told.isdisjoint(new)


@given(st.integers(0, 400))
def test_a_name_has_the_given_length(length: int) -> None:
    assert len(named(PETS.run, length)) == length


# ---- the same again


_DRAW = """
import shop
from itertools import islice, product
from petcheck.properties.generate import Generated
from petcheck.properties.pool import shipped_pool
from petcheck.properties.generate import Generated
from petcheck.properties.get_examples import getting
from petcheck.properties.list_examples import listing
from petcheck.properties.new_pets import Pets
from petcheck.properties.pet_examples import creating
cases = Generated()
for stream in (listing(1, cases), getting(1, cases), creating(Pets("0a1b2c3d", (4,)), 1, (), cases)):
    print([(call.pet_id, call.query, call.body) for call in islice(stream, 90)])
"""


@pytest.mark.slow
def test_a_seed_gives_the_same_examples_anywhere_and_leaves_no_files(tmp_path: Path) -> None:
    """Whatever else is loaded: by default, constants of other modules appear in Hypothesis' draws."""
    (tmp_path / "shop.py").write_text("A, B, C = 'zebrafish', 123456789, b'raw'\n")
    ran = subprocess.run([sys.executable, "-c", _DRAW], cwd=tmp_path, capture_output=True, text=True, check=True)
    here = [[(call.pet_id, call.query, call.body) for call in calls[:90]] for calls in (listed(1), got(1), created(1))]
    assert ran.stdout.splitlines() == [str(calls) for calls in here]
    assert {path.name for path in tmp_path.iterdir()} <= {"shop.py", "__pycache__"}


def test_an_operation_without_parameters_has_one_example() -> None:
    assert list(GENERATED.coverage(Operation.STORE_ORDERS, "positive")) == [Call(Operation.STORE_ORDERS)]
