"""An animal that was created is read as it was created (CREATE-12)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.call import Call
from petcheck.exchange import Exchange
from petcheck.judging.creations import still_there
from petcheck.judging.decision import Ask, Failed, Held, Proof, Undecided
from petcheck.judging.rules.created_pets_read import oldest_are_removed
from tests.judging.rules.animals import (
    CREATE,
    GET,
    GROUNDS,
    OLD,
    READING,
    REMOVED,
    found,
    get,
    listing,
    new,
    page,
    pet,
    reading,
)
from tests.support.exchanges import exchange

CHANGING = "Animal 1 changes between requests; another client may be changing it. Run again."


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
    assert first.otherwise.reason == CHANGING
    assert first.otherwise.examined == (posted, read)
    late = get(1, 10.2, name="Tex")
    alone = found("CREATE-12", posted, read, late, grounds=READING)
    assert isinstance(alone, Undecided)
    assert alone.reason.startswith("GET /pets/1 does not match the 201 for animal 1: `name` is ")
    assert alone.reason.endswith(" (section 4.2). Another client may have changed the animal. Run again.")
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


def test_an_animal_that_was_read_too_early_to_count_by_itself_confirms_another_one() -> None:
    late = [get(3, 2.0, name=""), get(3, 11.0, name="")]
    record = [new(1, 0.5), new(3), *late, get(1, 11.1, name="")]
    assert found("CREATE-12", *record[:2], record[-1]) == Ask(
        (reading(1),), Undecided(CHANGING, examined=(record[0], record[-1]), doubtful=True), 10.6
    )
    failed = found("CREATE-12", *record)
    assert isinstance(failed, Failed)
    assert failed.text.startswith("GET /pets/3 does not match the 201 for animal 3: ")
    assert failed.text.endswith("; also animal 1.")


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
        doubtful=True,
    )


def test_animals_with_404_are_requested_before_the_others() -> None:
    record = [new(number) for number in (1, 2, 3, 4)]
    for lost, asked in (((4,), (4, 1)), ((2, 4), (2, 4)), ((2, 3, 4), (2, 3))):
        decision = found("CREATE-12", *record, *(get(number, 2.0, 404) for number in lost))
        assert isinstance(decision, Ask)
        assert decision.calls == tuple(map(reading, asked))


def test_of_the_others_one_that_no_page_has_shown_is_requested_first() -> None:
    listed = page(pet(2), pet(3), sent=1.0)
    decision = found("CREATE-12", *(new(number) for number in (1, 2, 3, 4)), listed, get(1, 2.0, 404))
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(1), reading(4))


def test_of_the_others_one_that_the_last_page_lacks_is_requested_before_those_that_it_shows() -> None:
    made, shown = [new(number) for number in (1, 2, 3, 4)], page(*(pet(number) for number in (1, 2, 3, 4)), sent=1.0)
    decision = found("CREATE-12", *made, shown, page(pet(2), pet(4), sent=1.5), get(1, 2.0, 404))
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(1), reading(3))
    # if it lacks no other one, it is read again
    decision = found("CREATE-12", *made, shown, page(pet(2), pet(3), pet(4), sent=1.5), get(1, 2.0, 404))
    assert isinstance(decision, Ask)
    assert decision.calls == (shown.request.call, reading(1))


def test_beside_one_that_is_no_longer_found_another_one_that_the_last_page_lacks_is_requested() -> None:
    """Others may remove an animal, but a server that loses the run's animals has lost more than one."""
    made = [new(number) for number in (1, 2, 3, 4)]
    gone = [*made, get(1, 2.0), page(pet(4), sent=12.0), get(1, 13.0, 404)]
    decision = found("CREATE-12", *gone)
    assert isinstance(decision, Ask)
    assert (decision.calls, decision.not_before) == ((reading(2),), 10.1)
    assert "another client may have removed it" in decision.otherwise.reason
    assert decision.otherwise.examined == (gone[4], gone[6])
    for sent in (13.0, 13.2):
        assert isinstance(found("CREATE-12", *gone, get(2, sent)), Held)
    # another answer about that one says nothing of it
    decision = found("CREATE-12", *gone, get(2, 13.0, 500))
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(3),)
    lost = [*gone, get(2, 13.2, 404)]
    decision = found("CREATE-12", *lost)
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(3),)
    assert isinstance(found("CREATE-12", *lost, get(3, 13.4, 404)), Failed)
    # no page is known to lack another one
    assert isinstance(found("CREATE-12", *made, get(1, 2.0), page(pet(4), sent=0.05), get(1, 13.0, 404)), Held)
    assert isinstance(found("CREATE-12", *made, get(1, 2.0), get(1, 13.0, 404)), Held)


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


def test_of_several_that_pages_have_shown_the_last_of_these_pages_is_asked_again() -> None:
    made = [new(1, -1.0), new(2), new(3)]
    pages = [page(pet(1), pet(2), sent=0.5), page(*map(pet, (1, 2, 3)), sent=1.0, query="?limit=50")]
    early, late = ([get(2, sent, 404), get(3, sent + 0.2, 404)] for sent in (2.0, 12.0))
    # where both count, first one request, for a third animal
    for lost, at in ((early, 12.1), ([*late, get(1, 12.4)], 22.1)):
        decision = found("CREATE-12", *made, *pages, *lost)
        assert isinstance(decision, Ask)
        assert decision.calls == (pages[1].request.call, reading(2))
        assert decision.not_before == pytest.approx(at)
        still = page(*map(pet, (1, 2, 3)), sent=at + 0.1, query="?limit=50")
        assert isinstance(found("CREATE-12", *made, *pages, *lost, still, get(2, at + 0.3, 404)), Failed)
        gone = page(pet(1), sent=at + 0.1, query="?limit=50")
        assert not isinstance(found("CREATE-12", *made, *pages, *lost, gone, get(2, at + 0.3, 404)), Failed)


def test_of_two_that_pages_have_shown_a_third_decides() -> None:
    """Another client may have removed two; then the animal that was created next to them is still there."""
    listed = page(pet(1), pet(2), sent=1.0)
    made, lost = [new(number) for number in (1, 2, 3, 4)], [get(1, 12.0, 404), get(2, 12.2, 404)]
    record = [*made, listed, *lost]
    decision = found("CREATE-12", *record)
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(3),)
    assert decision.not_before == pytest.approx(10.1)
    for status in (200, 500):
        other = found("CREATE-12", *record, get(3, 12.4, status))
        assert isinstance(other, Ask)
        assert other.calls == (listed.request.call, reading(1))
        assert isinstance(other.otherwise, Undecided)
        assert "another client may have removed it" in other.otherwise.reason
    assert isinstance(found("CREATE-12", *record, get(3, 12.4, 404)), Failed)
    # one that the last page lacks is asked for before the one that was created next to them
    widest = page(pet(1), pet(2), pet(3), sent=1.2)
    assert found("CREATE-12", *made, listed, widest, *lost) == replace(decision, calls=(reading(4),))
    # and before that one that the last GET did not find, if that came too early
    late = found("CREATE-12", *made, listed, widest, *lost, new(5, 12.3), get(5, 12.5, 404))
    assert isinstance(late, Ask)
    assert late.calls == (reading(5),)
    assert late.not_before == pytest.approx(22.4)
    # what it showed before the first of the two had vanished does not count
    before = [*made, listed, get(3, 11.9), *lost]
    assert isinstance(found("CREATE-12", *before), Ask)
    assert isinstance(found("CREATE-12", *before, get(3, 12.4, 404)), Failed)
    counts = found("CREATE-12", *made, listed, get(3, 12.0), *lost)
    assert isinstance(counts, Ask)
    assert counts.calls == (listed.request.call, reading(1))
    # all are gone, or no page has shown one of those that are
    assert isinstance(found("CREATE-12", *made[:2], listed, *lost), Failed)
    assert isinstance(found("CREATE-12", *made, page(pet(1), sent=1.0), *lost), Failed)


def test_the_third_is_the_one_that_was_created_nearest_to_the_first_that_is_lost() -> None:
    listed, lost = page(pet(4), pet(6), sent=1.0), [get(4, 12.0, 404), get(6, 12.2, 404)]
    decision = found("CREATE-12", *(new(number) for number in range(1, 7)), listed, *lost)
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(3),)
    assert "another client may have removed it" in decision.otherwise.reason


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
    assert found("CREATE-12", *record) == Ask(
        (reading(asked),), Undecided(vanished, examined=(lost,), doubtful=True), asked + 10.1
    )


def test_another_404_that_came_too_early_is_asked_again_before_anything_else() -> None:
    record = [new(1), new(2), new(3), get(1, 10.2, 404), get(2, 2.0, 404)]
    decision = found("CREATE-12", *record)
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(2),)
    assert decision.not_before == pytest.approx(10.1)
    assert isinstance(decision.otherwise, Undecided)
    assert decision.otherwise.reason.startswith("GET /pets/1 returned 404, although POST /pets created that animal; ")
    assert isinstance(found("CREATE-12", *record, get(2, 10.2, 404)), Failed)


def test_the_oldest_of_a_store_that_holds_only_so_many_may_vanish() -> None:
    """The store has room for two animals: the first two of the run have pushed out an older one, and are gone too."""
    read, before, last = get(900, -2.0, name="Old"), page(OLD, sent=-1.0), page(pet(3), pet(4), sent=9.0)
    lost = [get(1, 11.0, 404), get(2, 11.5, 404)]
    record = [before, new(1), new(2, 0.5), new(3, 1.0), new(4, 1.5), last, *lost]
    decision = found("CREATE-12", read, *record)
    assert decision == Undecided(
        "GET /pets/1 returned 404, although POST /pets created that animal; the service may remove its oldest animals, "
        "as others have vanished too. Test a store that keeps more animals.",
        examined=tuple(lost),
        doubtful=True,
    )
    kept = page(OLD, pet(3), pet(4), sent=9.0)
    together = found("CREATE-12", read, before, replace(new(1), burst=1), *record[2:])
    assert isinstance(together, Undecided)
    assert "although POST /pets, at the same time as other requests, created that animal;" in together.reason
    # a store that was empty shows it by animals of the run
    begun = [page(sent=-1.0), new(1), new(2, 0.5), page(pet(1), pet(2), sent=0.8), *record[3:6], *lost]
    assert isinstance(found("CREATE-12", read, *begun), Undecided)
    # other clients have added so many that none of the run is left, though no GET asked for the second
    made, gone = [before, new(1), new(2, 0.5), new(3, 1.0)], [get(1, 11.5, 404), get(3, 12.0, 404)]
    assert isinstance(found("CREATE-12", read, *made, page(pet(4), pet(5), sent=9.0), *gone), Undecided)
    assert isinstance(found("CREATE-12", read, *made, page(pet(2), sent=9.0), *gone), Failed)
    for other in (
        [before, *record[1:5], kept, *lost],  # nothing else has vanished
        [before, new(3), new(4, 0.2), new(1, 3.0), new(2, 3.5), last, get(1, 14.0, 404), get(2, 14.5, 404)],
        [before, new(1), new(2, 0.5), page(sent=9.0), *lost],  # nothing is left
        [before, *record[1:5], *lost],
        [page(sent=-1.0), *record[1:5], last, *lost],  # pages have shown no other one
        [before, new(3), new(4, 0.2), new(1, 0.1), new(2, 0.5), last, *lost],  # one that is left was there first
        [before, new(3), new(2, 0.05), new(1, 0.1), new(4, 1.0), last, *lost],  # just before
        [before, *record[1:5], page(pet(3), pet(4), sent=8.0), page(OLD, pet(3), pet(4), sent=9.0), *lost],
    ):
        assert isinstance(found("CREATE-12", read, *other), Failed)


def test_the_oldest_may_vanish_from_a_store_of_more_animals_than_a_page_surely_shows() -> None:
    """A page of 20 may be cut, so that a GET must show that an older animal of another client is gone."""
    others = [pet(number) for number in (*range(901, 921), 900)]
    before, last = page(*others, sent=-1.0), page(pet(3), *(pet(number) for number in range(921, 940)), sent=9.0)
    before = replace(before, finished=0.0)  # when the first POST is sent
    first = page(pet(901), sent=-1.5)
    made = [get(930, -2.0), first, before, new(1), new(2, 0.5), new(3, 1.0), last]
    lost = [get(1, 11.0, 404), get(2, 11.5, 404)]
    undecided = Undecided(
        "GET /pets/1 returned 404, although POST /pets created that animal; the service may remove its oldest animals, "
        "as others have vanished too. Test a store that keeps more animals.",
        examined=tuple(lost),
        doubtful=True,
    )
    assert found("CREATE-12", *made, *lost) == Ask((reading(901),), undecided)
    assert found("CREATE-12", *made, *lost, get(905, 12.0, 404)) == undecided
    assert found("CREATE-12", *made, get(905, before.finished, 404), *lost) == undecided
    assert found("CREATE-12", *made, get(905, -0.1, 404), *lost) == Ask((reading(901),), undecided)
    assert found("CREATE-12", *made, *lost, get(905, lost[0].sent, 500)) == Ask((reading(901),), undecided)
    still_left = [new(4, -0.5), *made, *lost, get(905, 12.0, 404), get(4, 12.5)]
    for record in (
        [*made, *lost, get(901, 12.0)],  # the oldest is there
        [*made, *lost, get(901, lost[0].finished, 500)],  # it was asked for, and nothing shows that it is gone
        [*made, *lost, get(905, lost[0].finished), get(906, 12.0, 404)],
        [*made, *lost, get(905, 12.0, 404), get(900, 12.5)],
        [*made, *lost, get(930, 12.0, 404), get(900, 12.5)],  # on the last page
        [*made[:-1], page(others[0], pet(3), pet(930), sent=9.0), *lost, get(905, 12.0, 404)],
        still_left,
    ):
        assert isinstance(found("CREATE-12", *record), Failed)
    # no GET asked for it: it may be gone too
    assert found("CREATE-12", *[e for e in still_left if e is not still_left[-1]]) == undecided


def test_what_a_page_lacks_is_not_left_where_no_get_has_missed_another() -> None:
    made, last = [page(OLD, sent=-1.0), new(1), new(2, 0.5), new(3, 1.0)], page(pet(4), sent=9.0)
    whole, creations = [*made, last, page(pet(4), pet(5), sent=9.5)], still_there(made)
    for record in (whole, [*whole, get(3, 12.0, 404)], [*whole, get(1, 12.0), get(3, 12.0)]):
        assert oldest_are_removed(record, creations, creations[1:])
    missed = get(2, 11.0, 404)
    assert not oldest_are_removed([*whole, missed, get(1, missed.finished)], creations, creations[1:])


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
        doubtful=True,
    )
    assert isinstance(found("CREATE-12", *record, page(OLD, sent=30.0), get(1, 31.0, 404)), Ask)


def test_no_page_of_a_status_is_requested_if_none_was_sent() -> None:
    posted = exchange(CREATE, 201, pet(1), asked={"name": "Rex 1", "categoryId": 1}, sent=0.0)
    decision = found("CREATE-12", posted, get(1, 10.2, 404))
    assert isinstance(decision, Ask)
    assert decision.calls == (listing(limit="100"), reading(1))


def test_a_single_404_is_compared_with_the_page_that_shows_the_animal_ten_seconds_later() -> None:
    shown = page(pet(1), pet(2), sent=1.0)
    record = [new(1), new(2), get(2, 1.5), shown, get(1, 2.0, 404)]
    asked = found("CREATE-12", *record)
    assert isinstance(asked, Ask)
    assert asked.calls == (shown.request.call, reading(1))
    assert isinstance(asked.otherwise, Undecided)
    assert asked.otherwise.reason.startswith("GET /pets/1 returned 404, although POST /pets created that animal; ")
    assert asked.not_before == pytest.approx(12.1)
    later = [page(pet(1), pet(2), sent=12.2), get(1, 12.4, 404)]
    assert isinstance(found("CREATE-12", *record, *later), Failed)
    assert not isinstance(found("CREATE-12", *record, page(pet(1), sent=12.0), later[1]), Failed)
    assert not isinstance(found("CREATE-12", *record, page(pet(2), sent=12.2), later[1]), Failed)


def test_a_404_fails_if_a_page_still_shows_the_animal() -> None:
    record = [new(1), new(2), get(2, 1.0), get(1, 10.2, 404)]
    shown, again = page(pet(1), sent=20.4), get(1, 20.6, 404)
    assert found("CREATE-12", *record, shown, again) == Failed(
        "GET /pets/1 still returned 404 10 s after POST /pets created that animal, although GET /pets?limit=100 "
        "lists it (section 4.2).",
        (Proof(record[0], "body:/id"), Proof(again, "status"), Proof(shown, "body:/0")),
        expected="200",
    )
    soonest = page(pet(1), sent=record[3].finished + 10.0)
    assert isinstance(found("CREATE-12", *record, soonest, get(1, soonest.finished, 404)), Failed)
    assert isinstance(found("CREATE-12", *record, page(pet(1), sent=20.2), get(1, 20.6, 404)), Ask)
    assert isinstance(found("CREATE-12", *record, page(pet(1), sent=20.4), get(1, 20.4, 404)), Ask)
    # another client may have removed it since
    assert isinstance(found("CREATE-12", *record, shown, get(1, 30.5, 404)), Ask)
    assert isinstance(found("CREATE-12", *record, shown, get(1, 30.4, 404)), Failed)


def test_if_get_finds_no_animal_get_1_judges_it() -> None:
    record = [page(OLD, sent=0.0), new(1, 1.0), get(1, 2.0, 404)]
    decision = found("CREATE-12", *record)
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(900),)
    nothing = "GET /pets/{petId} found no animal that was there before the run; see GET-1."
    assert decision.otherwise == Undecided(nothing, doubtful=True)
    other = get(900, 3.0, 404)
    assert found("CREATE-12", *record, other) == replace(decision.otherwise, examined=(other,))
    read = found("CREATE-12", *record, exchange(GET, 200, OLD, path="/pets/900", sent=3.0))
    assert isinstance(read, Ask)
    assert read.calls == (reading(1),)


def test_a_404_from_before_an_animal_was_there_says_nothing_of_get() -> None:
    early, listed = get(900, 0.2, 404), page(OLD, sent=1.5)
    decision = found("CREATE-12", early, new(1, 1.0), listed, get(1, 2.0, 404))
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(900),)
    at_once = found("CREATE-12", new(1, 1.0), listed, get(900, listed.finished, 404), get(1, 2.0, 404))
    assert isinstance(at_once, Undecided)
    assert at_once.reason == "GET /pets/{petId} found no animal that was there before the run; see GET-1."


def test_lost_animals_with_the_names_of_others_are_told_as_such() -> None:
    first, second = new(1), new(2)
    reads = [get(1, 2.0, 404), get(1, 10.1, 404), get(2, 10.1, 404)]
    third = replace(new(3), request=first.request)
    shared = found("CREATE-12", first, second, third, replace(new(4), request=second.request), *reads)
    one_only = found("CREATE-12", first, second, third, new(4), *reads)
    assert isinstance(shared, Failed)
    assert isinstance(one_only, Failed)
    told = " POST /pets created another animal with the same name; a name may be taken more than once."
    assert shared.text == one_only.text + told


def test_two_that_no_page_has_shown_are_lost_also_where_the_order_varies() -> None:
    made = [get(900, -1.0, name="Old"), *(new(number) for number in (1, 2, 3))]
    lost = [get(1, 11.0, 404), get(2, 11.5, 404)]
    pages = [page(OLD, pet(3), sent=1.0), page(pet(3), OLD, sent=2.0)]
    assert isinstance(found("CREATE-12", *made, *pages, *lost), Failed)
    assert isinstance(found("CREATE-12", *made, pages[0], replace(pages[0], sent=2.0), *lost), Failed)


def test_get_1_judges_other_answers() -> None:
    assert found("CREATE-12", new(1), get(1, 2.0, 500)) == Undecided("GET /pets/1 returned no animal (500); see GET-1.")


def test_from_the_removal_day_nothing_is_read() -> None:
    decision = found("CREATE-12", new(1), get(1, 2.0, 404), grounds=REMOVED)
    assert decision == Undecided("GET /pets/{petId} was removed on 2030-12-05; see GET-4.", tried=False)
