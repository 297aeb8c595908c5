"""Later answers about an animal that was created, and about one that was refused (section 4.2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange
from petcheck.judging.apply import decide
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.rules import RULE
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

LIST, CREATE, GET, _ORDERS = Operation
GROUNDS = Grounds(date(2030, 12, 4), categories=frozenset({1}), writes=True, run="0a1b2c3d")
READING = replace(GROUNDS, writes=False)
REMOVED = Grounds(date(2030, 12, 5), categories=frozenset({1}), writes=True)


def pet(number: int, **members: object) -> dict[str, object]:
    return {"id": number, "name": f"Rex {number}", "categoryId": 1, "status": "pending"} | members


def new(number: int, sent: float = 0.0, status: int = 201, *, status_shown: str = "", **members: object) -> Exchange:
    """The POST of an animal; it is finished a tenth of a second later."""
    members |= {"status": status_shown} if status_shown else {}
    asked = {key: value for key, value in pet(number).items() if key != "id"}
    body = pet(number, **members) if status == 201 else {"code": "x", "message": "y", "status": status}
    return exchange(CREATE, status, body, asked=asked, sent=sent, index=number)


def page(*animals: dict[str, object], sent: float, query: str = "?limit=100") -> Exchange:
    return exchange(LIST, 200, list(animals), path=f"/pets{query}", sent=sent)


def get(number: int, sent: float, status: int = 200, **members: object) -> Exchange:
    return exchange(GET, status, pet(number, **members), path=f"/pets/{number}", sent=sent)


def found(name: str, *record: Exchange, grounds: Grounds = GROUNDS) -> Decision:
    return decide(RULE[name], record, grounds)


def reading(number: int) -> Call:
    return Call(GET, pet_id=str(number))


def listing(**query: str) -> Call:
    return Call(LIST, query=tuple(query.items()))


OLD = pet(900, name="Old")
PENDING = "?limit=100&status=pending"
MANY = [pet(n, name="Old") for n in range(900, 925)]
FEW = MANY[:18]
SHOWING = "?limit=99&status=pending"


# ---- CREATE-12


def test_a_created_animal_is_read_as_it_was_created() -> None:
    posted, read = new(1), get(1, 1.0)
    assert found("CREATE-12", posted, read) == Held((read,))
    other = get(2, 1.0)
    assert found("CREATE-12", posted, new(2), read, other) == Held((read, other))
    at_once = get(1, posted.finished)
    assert found("CREATE-12", posted, at_once) == Held((at_once,))
    assert found("CREATE-12", posted, get(2, 1.0)) == Undecided("No GET asked for a created animal.")
    assert found("CREATE-12", get(1, 1.0)) == Undecided(
        "POST /pets created no animal that has an id; see CREATE-1 and PET-1."
    )


@pytest.mark.parametrize("name", ["CREATE-12", "CREATE-13"])
def test_animals_that_share_their_id_are_not_looked_for(name: str) -> None:
    both = [replace(new(1, name=name), burst=1) for name in ("Rex", "Tex")]
    assert found(name, *both, get(1, 1.0)) == Undecided(
        "Each animal that the run created shares its id with another one; see PET-5."
    )


def test_reads_of_animals_that_share_their_id_are_not_said_to_be_missing() -> None:
    both = [replace(new(1, name=name), burst=1) for name in ("Rex", "Tex")]
    assert found("CREATE-12", *both, new(2, 0.5), get(1, 1.0)) == Undecided(
        "No GET asked for a created animal that shares its id with no other one; see PET-5 for those that do."
    )


def test_only_a_name_of_the_run_shows_that_two_animals_are_mixed_up() -> None:
    def named(number: int, name: str) -> Exchange:
        return exchange(CREATE, 201, pet(number, name=name), asked={"name": name}, index=number, sent=0.0)

    mine = "0a1b2c3d Tex"
    shown = get(1, 1.0, name=mine)
    assert found("CREATE-12", named(1, "0a1b2c3d Rex"), named(2, mine), shown) == Failed(
        'GET /pets/1 shows animal 1 with the name of animal 2, "0a1b2c3d Tex" (section 4.2).',
        (Proof(shown, "body"),),
    )
    # CREATE-2 is broken by a 201 that has it already
    wrong = exchange(CREATE, 201, pet(1, name=mine), asked={"name": "0a1b2c3d Rex"}, index=1, sent=0.0)
    assert found("CREATE-12", wrong, named(2, mine), shown) == Held((shown,))
    assert not isinstance(found("CREATE-12", wrong, named(2, mine), get(1, 1.0, name="0a1b2c3d Rex")), Failed)
    anybodys = [named(1, "Rex"), named(2, "Tex"), get(1, 1.0, name="Tex")]
    for grounds in (GROUNDS, replace(GROUNDS, run="")):
        assert isinstance(found("CREATE-12", *anybodys, grounds=grounds), Ask)


def test_a_read_before_the_post_proves_nothing() -> None:
    assert found("CREATE-12", get(1, 0.05, name="Tex"), new(1, 0.1)) == Undecided("No GET asked for a created animal.")


def test_an_animal_that_was_found_and_then_is_not_fails_if_a_page_still_shows_it() -> None:
    record = [new(1), get(1, 1.0), get(1, 2.0, 404)]
    assert isinstance(found("CREATE-12", *record), Held)
    still = [page(pet(1), sent=12.1), get(1, 12.3, 404)]
    assert isinstance(found("CREATE-12", *record, *still), Failed)
    assert isinstance(found("CREATE-12", *record, page(pet(1), sent=12.0), still[1]), Held)
    assert isinstance(found("CREATE-12", *record, *still, get(1, 13.0)), Held)


def test_a_difference_is_checked_again_ten_seconds_after_the_post() -> None:
    posted, read = new(1), get(1, 1.0, name="Tex")
    first = found("CREATE-12", posted, read)
    assert isinstance(first, Ask)
    assert (first.calls, first.not_before) == ((reading(1),), 10.1)
    assert (
        first.otherwise.reason == "The animal changes between requests; another client may be changing it. Run again."
    )
    assert first.otherwise.examined == (posted, read)
    late = get(1, 10.2, name="Tex")
    alone = found("CREATE-12", posted, read, late, grounds=READING)
    assert isinstance(alone, Undecided)
    assert alone.reason.startswith("One animal of the run differs from its 201, which another client may have changed.")
    other = found("CREATE-12", posted, read, late, new(3))
    assert isinstance(other, Ask)
    assert (other.calls, other.not_before) == ((reading(3),), 10.1)
    once_more = found("CREATE-12", posted, read, late)
    assert isinstance(once_more, Ask)
    assert once_more.calls == (Call(CREATE, body=posted.request.body),)
    twin = replace(new(2, 11.0, name="Rex 1"), request=posted.request)
    look = found("CREATE-12", posted, read, late, twin)
    assert isinstance(look, Ask)
    assert look.calls == (reading(2),)
    assert found("CREATE-12", posted, read, late, twin, get(2, 22.0, name="Rex 1")) == look.otherwise
    otherwise = [get(2, 12.0, name="Fox"), get(2, 22.0, name="Fox")]
    assert isinstance(found("CREATE-12", posted, read, late, twin, *otherwise), Undecided)
    differs = [get(2, 12.0, name="Tex"), get(2, 22.0, name="Tex")]
    again = found("CREATE-12", posted, read, late, twin, *differs)
    assert isinstance(again, Failed)
    assert again.text == (
        'GET /pets/1 does not match the 201 for animal 1: `name` is "Tex" instead of "Rex 1" (section 4.2); '
        "also animal 2."
    )
    assert [(proof.exchange.request.method, proof.part) for proof in again.proofs] == [
        ("POST", "body:/name"),
        ("GET", "body:/name"),
    ] * 2


def test_two_animals_that_differ_in_other_members_may_have_been_changed_by_another_client() -> None:
    record = [
        new(1),
        new(2),
        *(get(1, at, name="Tex") for at in (1.0, 11.0)),
        *(get(2, at, categoryId=9) for at in (1.0, 11.0)),
    ]
    assert isinstance(found("CREATE-12", *record, grounds=READING), Undecided)
    alike = [new(1), new(2), *(get(n, at, categoryId=9) for n in (1, 2) for at in (1.0, 11.0))]
    assert isinstance(found("CREATE-12", *alike), Failed)


@pytest.mark.parametrize(
    ("made", "shown", "alike"),
    [
        (("pending", "available"), ("available", "sold"), False),
        (("pending", "pending"), ("available", "sold"), False),
        (("pending", "pending"), ("sold", "sold"), True),
        (("pending", "available"), (None, None), True),
    ],
)
def test_a_status_changed_alike_if_it_was_the_same_and_became_the_same(
    made: tuple[str, str], shown: tuple[str | None, str | None], alike: bool
) -> None:
    """Another client may sell one animal of the run and release another."""
    reads = [
        exchange(GET, 200, {k: v for k, v in pet(n, status=now).items() if v}, path=f"/pets/{n}", sent=at)
        for n, now in enumerate(shown, start=1)
        for at in (1.0, 11.0)
    ]
    record = [*(new(n, status_shown=was) for n, was in enumerate(made, start=1)), *reads]
    decision = found("CREATE-12", *record, grounds=READING)
    assert isinstance(decision, Failed if alike else Undecided)


@pytest.mark.parametrize(
    ("names", "third", "alike"),
    [
        (("Re", "R"), "Rex 3", True),  # both are cut
        (("REX 1", "REX 2"), "Rex 3", True),
        (("Tom", "Ulf"), "Rex 3", False),
        (("Tom", "Ulf"), "Tim", False),  # another client may have renamed all
    ],
)
def test_names_changed_alike_if_one_way_explains_two(names: tuple[str, str], third: str, alike: bool) -> None:
    reads = [get(n, at, name=name) for n, name in enumerate((*names, third), start=1) for at in (1.0, 11.0)]
    decision = found("CREATE-12", new(1), new(2), new(3), *reads, grounds=READING)
    assert isinstance(decision, Failed if alike else Undecided)


def test_a_difference_counts_if_two_reads_share_it_and_the_last_is_late() -> None:
    posted = new(1)
    assert isinstance(found("CREATE-12", posted, get(1, 1.0, name="Tex"), get(1, 10.0, name="Tex")), Ask)
    assert isinstance(found("CREATE-12", posted, get(1, 10.1, name="Tex")), Ask)
    assert isinstance(found("CREATE-12", posted, get(1, 1.0, name="Fox"), get(1, 20.0, name="Tex")), Ask)
    both = [get(n, sent, name="Tex", categoryId=2) for n in (1, 2) for sent in (1.0, 20.0)]
    decision = found("CREATE-12", posted, new(2), *both)
    assert isinstance(decision, Failed)
    assert '`name` is "Tex" instead of "Rex 1"; `categoryId` is 2 instead of 1 (section 4.2)' in decision.text
    assert isinstance(found("CREATE-12", posted, get(1, 1.0, name="Tex"), get(1, 20.0)), Held)


def test_a_default_status_may_show_later_than_in_the_201() -> None:
    created = exchange(CREATE, 201, {"id": 1, "name": "Rex 1", "categoryId": 1}, asked={"name": "Rex 1"}, sent=0.0)
    assert isinstance(found("CREATE-12", created, get(1, 20.0)), Held)
    lost = exchange(GET, 200, {"id": 1, "name": "Rex 1", "categoryId": 1}, path="/pets/1", sent=20.0)
    assert isinstance(found("CREATE-12", created, lost), Held)
    assert isinstance(found("CREATE-12", new(1), lost), Ask)
    null = exchange(CREATE, 201, pet(1, status=None), asked={"name": "Rex 1"}, sent=0.0)
    assert isinstance(found("CREATE-12", null, get(1, 20.0)), Ask)
    assert isinstance(found("CREATE-12", null, lost), Held)


@pytest.mark.parametrize("requirement", ["CREATE-12", "CREATE-13"])
def test_without_an_animal_to_look_for_another_requirement_says_why(requirement: str) -> None:
    both = (replace(one, burst=1) for one in (new(1), new(1, name="Tex")))
    shared = found(requirement, *both, grounds=READING)
    assert isinstance(shared, Undecided)
    assert shared.reason == "Each animal that the run created shares its id with another one; see PET-5."
    none = found(requirement, grounds=READING)
    assert isinstance(none, Undecided)
    assert none.reason == "POST /pets created no animal that has an id; see CREATE-1 and PET-1."


def test_a_reused_id_belongs_to_the_later_animal() -> None:
    later = exchange(CREATE, 201, pet(1, name="Tex"), asked={"name": "Tex"}, sent=5.0)
    assert isinstance(found("CREATE-12", new(1), later, get(1, 20.0, name="Tex")), Held)


def test_one_404_is_repeated_together_with_another_animal() -> None:
    decision = found("CREATE-12", new(1), new(2, 1.0), get(1, 2.0, 404))
    assert isinstance(decision, Ask)
    assert (decision.calls, decision.not_before) == ((reading(1), reading(2)), 11.1)
    one = found("CREATE-12", new(1), get(1, 2.0, 404))
    assert isinstance(one, Ask)
    assert (one.calls, one.not_before) == ((reading(1),), 10.1)
    assert one.otherwise == Undecided(
        "GET /pets/1 returned 404, although POST /pets created that animal; another client may have removed it. "
        "Run again.",
        examined=(get(1, 2.0, 404),),
    )


def test_animals_with_404_are_requested_before_the_others() -> None:
    record = [new(number) for number in (1, 2, 3, 4)]
    for lost, asked in (((4,), (4, 1)), ((2, 4), (2, 4)), ((2, 3, 4), (2, 3))):
        decision = found("CREATE-12", *record, *(get(number, 2.0, 404) for number in lost))
        assert isinstance(decision, Ask)
        assert decision.calls == tuple(map(reading, asked))


def test_two_animals_that_stay_404_for_ten_seconds_fail() -> None:
    record = [new(1), new(2), get(1, 2.0, 404), get(1, 10.1, 404), get(2, 10.1, 404)]
    decision = found("CREATE-12", *record)
    assert decision == Failed(
        "GET /pets/1 still returned 404 10 s after POST /pets created that animal (section 4.2); also in GET /pets/2.",
        (
            Proof(record[0], "body:/id"),
            Proof(record[3], "status"),
            Proof(record[1], "body:/id"),
            Proof(record[4], "status"),
        ),
        expected="200",
    )
    assert isinstance(found("CREATE-12", *record[:-1], get(2, 10.0, 404)), Ask)
    assert found("CREATE-12", *record, new(3), get(3, 10.1, 404)) == decision


@pytest.mark.parametrize(
    ("burst", "others", "asked"),
    [
        # one that was created at the same time, whatever its status
        (1, [(2, None, "pending"), (3, 1, "sold")], 3),
        # otherwise one that was sent with the same status
        (1, [(2, 2, "sold"), (3, None, "pending")], 3),
        (None, [(2, None, "sold"), (3, None, "pending")], 3),
    ],
    ids=range(3),
)
def test_of_animals_that_were_not_read_one_like_the_lost_one_is(
    burst: int | None, others: list[tuple[int, int | None, str]], asked: int
) -> None:
    def made(number: int, burst: int | None, status: str) -> Exchange:
        body = pet(number, status=status)
        post = exchange(CREATE, 201, body, asked={"name": body["name"], "status": status}, index=number, sent=number)
        return replace(post, burst=burst)

    lost = get(1, 15.0, 404)
    record = [made(1, burst, "pending"), *(made(*one) for one in others), lost]
    post = "POST /pets, at the same time as other requests," if burst else "POST /pets"
    vanished = f"GET /pets/1 returned 404, although {post} created that animal; another client may have removed it. "
    vanished += "Run again."
    assert found("CREATE-12", *record) == Ask((reading(asked),), Undecided(vanished, examined=(lost,)), asked + 10.1)


def test_one_vanished_animal_proves_nothing() -> None:
    record = [new(1), new(2), get(2, 1.0), get(1, 2.0, 404), get(1, 10.2, 404)]
    decision = found("CREATE-12", *record)
    assert isinstance(decision, Ask)
    assert decision.calls == (listing(limit="100"), listing(limit="100", status="pending"), reading(1))
    assert decision.not_before == pytest.approx(20.3)
    assert decision.otherwise == Undecided(
        "GET /pets/1 returned 404, although POST /pets created that animal; another client may have removed it. "
        "Run again.",
        examined=tuple(record[2:]),
    )
    assert isinstance(found("CREATE-12", *record, page(OLD, sent=30.0), get(1, 31.0, 404)), Ask)


def test_no_page_of_a_status_is_requested_if_none_was_sent() -> None:
    posted = exchange(CREATE, 201, pet(1), asked={"name": "Rex 1", "categoryId": 1}, sent=0.0)
    decision = found("CREATE-12", posted, get(1, 10.2, 404))
    assert isinstance(decision, Ask)
    assert decision.calls == (listing(limit="100"), reading(1))


def test_a_404_fails_if_a_page_still_shows_the_animal() -> None:
    record = [new(1), new(2), get(2, 1.0), get(1, 10.2, 404)]
    shown, again = page(pet(1), sent=20.4), get(1, 20.6, 404)
    assert found("CREATE-12", *record, shown, again) == Failed(
        "GET /pets/1 still returned 404 10 s after POST /pets created that animal, although GET /pets?limit=100 "
        "lists it (section 4.2).",
        (Proof(record[0], "body:/id"), Proof(shown, "body:/0"), Proof(again, "status")),
        expected="200",
    )
    soonest = page(pet(1), sent=record[3].finished + 10.0)
    assert isinstance(found("CREATE-12", *record, soonest, get(1, soonest.finished, 404)), Failed)
    assert isinstance(found("CREATE-12", *record, page(pet(1), sent=20.2), get(1, 20.6, 404)), Ask)
    assert isinstance(found("CREATE-12", *record, page(pet(1), sent=20.4), get(1, 20.4, 404)), Ask)


def test_if_get_finds_no_animal_get_1_judges_it() -> None:
    record = [page(OLD, sent=0.0), new(1, 1.0), get(1, 2.0, 404)]
    decision = found("CREATE-12", *record)
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(900),)
    assert decision.otherwise == Undecided("GET /pets/{petId} found no animal at all; see GET-1.")
    other = get(900, 3.0, 404)
    assert found("CREATE-12", *record, other) == Undecided(
        "GET /pets/{petId} found no animal at all; see GET-1.", examined=(other,)
    )
    read = found("CREATE-12", *record, exchange(GET, 200, OLD, path="/pets/900", sent=3.0))
    assert isinstance(read, Ask)
    assert read.calls == (reading(1),)


def test_get_1_judges_other_answers() -> None:
    assert found("CREATE-12", new(1), get(1, 2.0, 500)) == Undecided("GET /pets/1 returned no animal (500); see GET-1.")


def test_from_the_removal_day_nothing_is_read() -> None:
    decision = found("CREATE-12", new(1), get(1, 2.0, 404), grounds=REMOVED)
    assert decision == Undecided("GET /pets/{petId} was removed on 2030-12-05.", tried=False)


# ---- CREATE-13


def test_a_created_animal_is_listed_as_it_was_created() -> None:
    shown = page(pet(1), OLD, sent=1.0)
    assert found("CREATE-13", new(1), shown) == Held((shown,))
    other = page(pet(2), sent=1.0, query=PENDING)
    assert found("CREATE-13", new(1), new(2, 0.5), shown, other, page(pet(1), pet(2), OLD, sent=2.0)) == Held(
        (shown, page(pet(1), pet(2), OLD, sent=2.0), other)
    )
    assert found("CREATE-13", shown) == Undecided(
        "POST /pets created no animal that has an id; see CREATE-1 and PET-1."
    )


def test_a_full_page_or_an_open_filter_need_not_show_it() -> None:
    full = [pet(n) for n in range(500, 600)]
    no_room = "No page had room for the created animals. Test a store of fewer than 20 animals."
    for animals, query in ((full, "?limit=100"), (MANY, "?limit=100&page=1")):
        record = [page(*animals, sent=-1.0, query=query), new(1), page(*animals, sent=1.0, query=query)]
        assert found("CREATE-13", *record) == Undecided(no_room)
        decision = found("CREATE-13", *record, page(OLD, sent=1.0, query="?limit=99"))
        assert isinstance(decision, Ask)
        assert decision.calls[0] == listing(limit="99")


def test_a_page_that_shows_two_changed_alike_fails() -> None:
    changed = [pet(1, categoryId=2), pet(2, categoryId=2)]
    again = found("CREATE-13", new(1), new(2), page(OLD, *changed, sent=1.0))
    assert isinstance(again, Failed)
    assert again.text == (
        "GET /pets?limit=100 does not match the 201 for animal 1: `categoryId` is 2 instead of 1 (section 4.2); "
        "also animal 2."
    )
    assert [proof.part for proof in again.proofs][:2] == ["body:/categoryId", "body:/1/categoryId"]
    three = found("CREATE-13", new(1), new(2), new(3), page(OLD, *changed, pet(3, categoryId=2), sent=1.0))
    assert isinstance(three, Failed)
    assert three.text.endswith("(section 4.2); also animals 2, 3.")
    alone = [new(1), *(page(OLD, pet(1, categoryId=2), sent=at) for at in (1.0, 10.1))]
    assert isinstance(found("CREATE-13", *alone, grounds=READING), Undecided)
    assert isinstance(found("CREATE-13", *alone), Ask)


def test_a_page_that_shows_one_changed_is_requested_again_then_for_another_animal() -> None:
    posted, shown = new(1), page(OLD, pet(1, categoryId=2), sent=1.0)
    changing = "The animal changes between requests; another client may be changing it. Run again."
    once = found("CREATE-13", posted, shown)
    assert once == Ask((listing(limit="100"),), Undecided(changing, examined=(posted, shown)), 10.1)
    again = page(OLD, pet(1, categoryId=2), sent=10.1)
    undecided = Undecided(
        "One animal of the run differs from its 201, which another client may have changed. Run again.",
        examined=(posted, again),
    )
    other = new(2, 5.0)
    asked = Ask((listing(limit="100"),), undecided, other.finished + 10)
    assert found("CREATE-13", posted, other, shown, again, grounds=READING) == asked
    # one that a page shows as it was created is no help
    late = page(pet(2), sent=20.0, query="?limit=9")
    assert found("CREATE-13", posted, other, shown, again, late, grounds=READING) == undecided


def test_an_animal_missing_in_the_whole_store_is_read_between_two_pages() -> None:
    record = [new(1), page(OLD, sent=1.0)]
    first = found("CREATE-13", *record)
    assert isinstance(first, Ask)
    whole = listing(limit="100")
    assert (first.calls, first.not_before) == ((whole, reading(1), whole), 10.1)
    assert first.otherwise == Undecided(
        "The list does not show a created animal, which another client may have removed. Run again.",
        examined=tuple(record),
    )
    late = [*record, page(OLD, sent=10.1), get(1, 10.3), page(OLD, sent=10.5)]
    decision = found("CREATE-13", *late)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "10 s after POST /pets created animal 1, GET /pets?limit=100 left it out, although GET /pets/1 shows it; "
        "the page holds 1 of at most 100 animals (section 4.2)."
    )
    assert decision.proofs == (Proof(record[0], "body:/id"), Proof(late[4], "body"), Proof(late[3], "body"))


def test_a_read_may_follow_the_page_at_once() -> None:
    posted = new(1)
    first = page(OLD, sent=posted.finished + 10.0)
    read = get(1, first.finished)
    assert isinstance(found("CREATE-13", posted, first, read, page(OLD, sent=read.finished)), Failed)


@pytest.mark.parametrize(
    "later",
    [
        [page(OLD, sent=10.1), get(1, 10.3, 404), page(OLD, sent=10.5)],
        [page(OLD, sent=10.0), get(1, 10.3), page(OLD, sent=10.5)],
        [page(OLD, sent=10.1), get(1, 10.15), page(OLD, sent=10.5)],
        [page(OLD, sent=10.1), get(1, 10.3), page(OLD, sent=10.35)],
        [page(OLD, sent=10.1), get(2, 10.3), page(OLD, sent=10.5)],
        [page(OLD, pet(1), sent=10.1), get(1, 10.3), page(OLD, sent=10.5)],
        [page(OLD, sent=10.1, query="?limit=99"), get(1, 10.3), page(OLD, sent=10.5)],
    ],
    ids=range(7),
)
def test_an_animal_that_may_have_vanished_is_not_missing(later: list[Exchange]) -> None:
    assert not isinstance(found("CREATE-13", new(1), page(OLD, sent=1.0), *later), Failed)


def test_two_animals_that_no_page_of_the_whole_store_shows_are_read() -> None:
    """A store may remove its oldest: an animal counts only while it can be read."""
    record = [new(1), new(2), page(OLD, sent=10.1)]
    whole = listing(limit="100")
    asked = found("CREATE-13", *record)
    assert isinstance(asked, Ask)
    assert asked.calls == (whole, reading(2), whole)
    gone = found("CREATE-13", *record, get(2, 10.3, 404), page(OLD, sent=10.5))
    assert isinstance(gone, Ask)
    assert isinstance(found("CREATE-13", *record, get(2, 10.3), page(OLD, sent=10.5)), Failed)


def test_from_the_removal_day_two_animals_that_no_page_shows_fail() -> None:
    record = [new(1), new(2), page(OLD, sent=10.1)]
    decision = found("CREATE-13", *record, grounds=REMOVED)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "10 s after POST /pets created animal 2, GET /pets?limit=100 left it out; the page holds 1 of at most 100 "
        "animals (section 4.2)."
    )
    assert decision.proofs == (Proof(record[1], "body:/id"), Proof(record[2], "body"))
    again = found("CREATE-13", new(1), new(2), page(OLD, sent=10.0), grounds=REMOVED)
    assert isinstance(again, Ask)
    assert again.calls == (listing(limit="100"),)


def test_from_the_removal_day_no_read_is_requested() -> None:
    for sent in (1.0, 10.1):  # one missing animal may have vanished
        decision = found("CREATE-13", new(1), page(OLD, sent=sent), grounds=REMOVED)
        assert isinstance(decision, Ask)
        assert decision.calls == (listing(limit="100"),)


@pytest.mark.parametrize(
    ("first", "second", "fails"),
    [
        ({"categoryId": 2}, {"categoryId": 2}, True),
        ({"name": "REX 1"}, {"name": "REX 2"}, True),
        ({"name": "Rex"}, {"name": "Re"}, True),
        ({"name": "Tom"}, {"name": "Ulf"}, False),
        ({"status": "sold"}, {"status": "sold"}, False),
        ({"status": 7}, {"status": 7}, False),
        ({"categoryId": 2}, {}, False),
    ],
)
def test_two_animals_that_differ_alike_on_one_page_fail_although_other_pages_are_right(
    first: dict[str, object], second: dict[str, object], fails: bool
) -> None:
    wrong = page(pet(1, **first), pet(2, **second), sent=1.0)
    record = [new(1), new(2), wrong, page(pet(1), pet(2), sent=2.0), page(pet(1), pet(2), sent=20.0)]
    assert isinstance(found("CREATE-13", *record), Failed) is fails


def test_two_animals_that_a_page_shows_without_their_status_fail() -> None:
    bare = [{name: value for name, value in pet(n).items() if name != "status"} for n in (1, 2)]
    assert isinstance(found("CREATE-13", new(1), new(2), page(*bare, sent=1.0)), Failed)
    assert not isinstance(found("CREATE-13", new(1), new(2), page(bare[0], pet(2), sent=1.0)), Failed)


def test_a_stale_cache_is_found_with_a_new_request() -> None:
    record = [page(*FEW, sent=-1.0, query=PENDING), new(1), page(*FEW, sent=1.0, query=PENDING)]
    first = found("CREATE-13", *record)
    assert isinstance(first, Ask)
    assert (first.calls, first.not_before) == ((listing(limit="99", status="pending"),), 0.0)
    vanished = "The list does not show a created animal, which another client may have removed. Run again."
    assert first.otherwise == Undecided(vanished, examined=tuple(record[1:]))
    record.append(page(*FEW, pet(1), sent=2.0, query="?limit=99&status=pending"))
    second = found("CREATE-13", *record)
    assert isinstance(second, Ask)
    assert second.otherwise == first.otherwise
    again = listing(limit="100", status="pending")
    assert (second.calls, second.not_before) == ((again, listing(limit="99", status="pending"), again), 10.1)
    record += [
        page(*FEW, sent=10.1, query=PENDING),
        page(*FEW, pet(1), sent=10.3, query="?limit=99&status=pending"),
        page(*FEW, sent=10.5, query=PENDING),
    ]
    decision = found("CREATE-13", *record)
    assert isinstance(decision, Failed)
    assert "although GET /pets?limit=99&status=pending shows it" in decision.text
    assert decision.proofs == (Proof(record[1], "body:/id"), Proof(record[6], "body"), Proof(record[5], "body"))
    assert isinstance(found("CREATE-13", *record[:-1], page(*FEW, pet(1), sent=10.5, query=PENDING)), Held)


def test_the_page_is_wrong_before_and_after_another_that_shows_it() -> None:
    record = [page(*FEW, sent=-1.0, query=PENDING), new(1)]
    first = page(*FEW, sent=record[1].finished + 10.0, query=PENDING)
    shown = page(*FEW, pet(1), sent=first.finished, query=SHOWING)
    assert isinstance(found("CREATE-13", *record, first, shown, page(*FEW, sent=shown.finished, query=PENDING)), Failed)
    early = page(*FEW, pet(1), sent=2.0, query=SHOWING)
    assert isinstance(
        found("CREATE-13", *record, page(*FEW, sent=1.0, query=PENDING), early, page(*FEW, sent=12.0, query=PENDING)),
        Ask,
    )


@pytest.mark.parametrize(
    ("query", "other", "fresh"),
    [
        (PENDING, "?limit=99&status=sold", {"limit": "99", "status": "pending"}),
        (PENDING, "?limit=99", {"limit": "99", "status": "pending"}),
    ],
    ids=range(2),
)
def test_a_page_of_another_filter_does_not_show_that_there_is_room(
    query: str, other: str, fresh: dict[str, str]
) -> None:
    record = [page(*FEW, sent=-1.0, query=query), new(1), page(*FEW, sent=11.0, query=query)]
    record += [page(pet(1), sent=12.0, query=other), page(*FEW, sent=13.0, query=query)]
    decision = found("CREATE-13", *record)
    assert isinstance(decision, Ask)
    assert decision.calls == (listing(**fresh),)


def test_a_page_of_20_may_be_cut_and_each_request_may_have_its_own_order() -> None:
    record = [page(*MANY[:20], sent=-1.0, query=PENDING), new(1), page(*MANY[:20], sent=11.0, query=PENDING)]
    record += [page(*MANY[:19], pet(1), sent=12.0, query=SHOWING), page(*MANY[:20], sent=13.0, query=PENDING)]
    assert isinstance(found("CREATE-13", *record), Held)


@pytest.mark.parametrize(
    ("limit", "other", "outcome"),
    [("1", "100", Held), ("1", "1000", Held), ("101", "100", Held), ("100", "100", Ask), ("100", "99", Ask)],
)
def test_only_a_page_that_is_no_longer_says_that_there_is_room(limit: str, other: str, outcome: type[Decision]) -> None:
    """A server may cut the list to the limit before it filters."""
    short, long = (f"?limit={each}&status=pending" for each in (limit, other))
    record = [page(*MANY, sent=-1.0), new(1), page(pet(1), sent=2.0, query=long), page(sent=3.0, query=short)]
    assert isinstance(found("CREATE-13", *record), outcome)


def test_a_page_requested_for_the_first_time_is_not_cached() -> None:
    decision = found("CREATE-13", new(1), page(*MANY, sent=1.0, query=PENDING))
    assert isinstance(decision, Undecided)


@pytest.mark.parametrize(
    ("lacking", "shown", "outcome"),
    [
        (FEW, [pet(1)], Ask),
        (FEW, [*FEW, pet(1)], Ask),
        (FEW, [pet(801), pet(1)], Ask),  # another new animal may be newer than the page
        (FEW, [pet(800), pet(1)], Held),  # an old one may have taken the place
        # a page of 20 may be cut, unless another one holds all of it and more
        (MANY[:20], [*MANY[:20], pet(1)], Ask),
        (MANY[:20], [*MANY[1:20], pet(801), pet(802), pet(1)], Held),
        (MANY[:20], [pet(1)], Held),
    ],
    ids=range(7),
)
def test_whether_another_page_shows_that_there_is_room(
    lacking: list[dict[str, object]], shown: list[dict[str, object]], outcome: type[Decision]
) -> None:
    record = [page(*MANY, OLD, pet(800), sent=-1.0), page(*lacking, sent=-1.0, query=PENDING), new(1)]
    record += [page(*lacking, sent=1.0, query=PENDING), page(*shown, sent=2.0, query=SHOWING)]
    assert isinstance(found("CREATE-13", *record), outcome)


def test_a_page_of_another_filter_need_not_show_it() -> None:
    record = [page(OLD, sent=-1.0, query="?status=sold"), new(1), page(pet(1), OLD, sent=1.0)]
    assert isinstance(found("CREATE-13", *record, page(OLD, sent=20.0, query="?status=sold")), Held)


# ---- CREATE-11


def test_a_refused_animal_is_on_no_page_that_would_show_it() -> None:
    refused, shown = new(1, status=400), page(OLD, sent=20.0)
    assert found("CREATE-11", refused, shown) == Held((refused, shown))
    assert found("CREATE-11", new(2), shown) == Undecided(
        "No POST with a valid key got 400, so this could not be checked."
    )


def test_a_listed_refused_animal_fails() -> None:
    refused = exchange(CREATE, 400, {}, asked={"name": "0a1b2c3d refused", "status": "pending"}, sent=0.0)
    decision = found("CREATE-11", refused, page(OLD, pet(7, name="0a1b2c3d refused"), sent=1.0))
    assert isinstance(decision, Failed)
    assert decision.text == (
        'POST /pets returned 400 but stored an animal: GET /pets?limit=100 lists animal 7, named "0a1b2c3d '
        'refused". A refused body must not be stored (section 4.2).'
    )
    shown = page(OLD, pet(7, name="0a1b2c3d refused"), sent=1.0)
    assert decision.proofs == (Proof(refused, "status"), Proof(shown, "body:/1/name"))


def test_a_page_that_would_show_a_refused_animal_is_requested() -> None:
    decision = found("CREATE-11", new(1, status=400))
    assert isinstance(decision, Ask)
    assert decision.calls == (listing(limit="100", status="pending"),)
    assert decision.otherwise.reason.startswith("No page shows whether the refused POST stored an animal")


def test_an_animal_with_a_refused_name_may_be_from_an_earlier_run() -> None:
    refused, other, shown = new(1, status=400), new(2, status=400), page(OLD, pet(7, name="Rex 1"), sent=20.0)
    assert found("CREATE-11", refused, other, shown) == Undecided(
        'Animal 7 has the name of a refused POST, "Rex 1", but may be older than that POST: an earlier run with '
        "the same --seed may have created it. Run again without --seed.",
        examined=(other, shown),
    )


def test_an_animal_that_no_page_would_show_is_not_known_to_be_absent() -> None:
    odd = exchange(CREATE, 400, {}, asked={"name": "x", "categoryId": 1, "status": "SOLD"}, sent=0.0)
    plain, filtered = new(1, status=400), page(*MANY[:5], sent=20.0, query=PENDING)
    decision = found("CREATE-11", odd, plain, page(*MANY, sent=20.0), filtered)
    assert isinstance(decision, Undecided)
    assert decision.reason.startswith("No page shows whether 1 of 2 refused POSTs stored an animal")
    assert decision.examined == (plain, filtered)
    assert isinstance(found("CREATE-11", plain, page(*MANY, sent=20.0), filtered), Held)


def test_another_requirement_judges_a_post_without_a_key() -> None:
    post = exchange(CREATE, 400, {}, asked={"name": "x"}, credential=Credential.RANDOM)
    assert found("CREATE-11", post) == Undecided("No POST with a valid key got 400, so this could not be checked.")
