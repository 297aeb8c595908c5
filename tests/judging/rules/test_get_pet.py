"""The answer to a GET of one animal (section 4.3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from petcheck.call import Call, Credential, Form
from petcheck.exchange import Exchange, Silence
from petcheck.judging.apply import decide
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Undecided
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, STATUS, WHOLE, Grounds, Problem
from petcheck.judging.rules import RULE
from petcheck.judging.rules.get_pet import whether_removed, wrapped
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

LIST, CREATE, GET, _ORDERS = Operation
GROUNDS = Grounds(date(2030, 12, 4), listed=frozenset({7}))
REMOVED = Grounds(date(2030, 12, 5), listed=frozenset({7}))
REX = {"id": 7, "name": "Rex", "categoryId": 1, "status": "sold"}
TEX, DEX, FOX = {**REX, "name": "Tex"}, {**REX, "name": "Dex"}, {**REX, "id": 5}
WIDE = Call(LIST, query=(("limit", "100"),))


def got(
    number: int = 7, status: int | Silence = 200, sent: float = 1.0, body: object = REX, **fields: object
) -> Exchange:
    return exchange(GET, status, body, path=f"/pets/{number}", sent=sent, **fields)  # type: ignore[arg-type]


def page(*animals: object, sent: float = 0.0, query: str = "") -> Exchange:
    return exchange(LIST, 200, list(animals), path=f"/pets{query}", sent=sent)


def found(name: str, *record: Exchange, grounds: Grounds = GROUNDS) -> Decision:
    return decide(RULE[name], record, grounds)


def reading(number: int) -> Call:
    return Call(GET, pet_id=str(number))


@pytest.mark.parametrize("name", ["GET-1", "GET-2", "GET-3"])
def test_from_the_removal_day_nothing_is_required(name: str) -> None:
    decision = found(name, page(REX), got(), got(8, 404), grounds=REMOVED)
    assert decision == Undecided("GET /pets/{petId} was removed on 2030-12-05; see GET-4.", tried=False)


# ---- GET-1


def test_an_animal_that_is_found_again_was_there_in_between() -> None:
    before, missed, after = got(sent=1), got(status=404, sent=11.1), got(sent=21.2)
    decision = found("GET-1", page(REX), before, missed, after)
    assert decision == Failed(
        "GET /pets/7: expected 200 (section 4.3), got 404, although it was found 10 s before that or earlier, "
        "and again 10 s after it or later.",
        (Proof(missed, STATUS), Proof(before), Proof(after)),
        (before, after, missed),
        expected="200",
        wrong=(missed,),
    )
    at_last = got(sent=missed.finished + 10)
    assert isinstance(found("GET-1", page(REX), before, missed, at_last), Failed)


@pytest.mark.parametrize(
    "reads",
    [
        [got(sent=1), got(status=404, sent=10), got(sent=12)],  # what it shows may lag
        [got(sent=1), got(status=404, sent=12)],  # another client may have removed it
        [got(sent=1), got(status=404, sent=12), got(sent=22)],  # and a replica may not know yet
        [got(sent=5), got(status=404, sent=12), got(sent=24)],
        [got(sent=1), got(status=404, sent=12), got(sent=12.05)],  # at the same time
        [got(sent=1), got(status=404, sent=12), got(sent=13, body=REX | {"name": "Tex"})],  # another one with its id
        [got(status=404, sent=1), got(sent=12), got(sent=24)],
    ],
)
def test_an_animal_that_may_have_been_away_proves_nothing(reads: list[Exchange]) -> None:
    assert isinstance(found("GET-1", page(REX), *reads), Held)


def test_an_existing_animal_is_200() -> None:
    assert found("GET-1", page(REX), got()) == Held((got(),))
    for status in (204, 301, 400, 403, 410, 500):
        decision = found("GET-1", page(REX), got(status=status))
        assert isinstance(decision, Failed)
        assert decision.text == f"GET /pets/7: expected 200 (section 4.3), got {status}."
    silent = found("GET-1", page(REX), got(status=Silence.RESET))
    assert isinstance(silent, Failed)
    assert silent.unanswered


def test_without_a_known_animal() -> None:
    reason = "No page lists an animal that could be read by its id."
    assert found("GET-1", page()) == Undecided(reason, "--allow-writes")
    writing = Grounds(date(2030, 12, 4), writes=True)
    assert found("GET-1", page(), grounds=writing) == Undecided(
        f"{reason} If the store is empty, add animals, or use --populate 101 with --allow-writes."
    )
    assert found("GET-1", got(9, 404)) == Undecided(reason, "--allow-writes")
    of_text = f"{reason} The animals that pages show have no `id` that is an int64; see PET-1."
    assert found("GET-1", page(REX | {"id": "7"}), grounds=writing) == Undecided(of_text)
    assert found("GET-2", got(9, 200)) == Undecided("GET /pets/{petId} returned no animal; see PET-1.")
    made = exchange(CREATE, 201, REX | {"id": 8}, sent=0.5)
    said = "GET /pets/9 returned 404, which says nothing about a listed animal."
    assert found("GET-1", page(), made, got(9, 404)) == Undecided(said)


def test_a_404_from_before_a_page_showed_the_animal_proves_nothing() -> None:
    before, shown = got(4, status=404, sent=1), page({**REX, "id": 4}, REX, sent=2)
    assert isinstance(found("GET-1", before, shown, got(sent=3)), Held)
    for later in (4, shown.finished):
        assert isinstance(found("GET-1", before, shown, got(sent=3), got(4, status=404, sent=later)), Ask)


def test_a_404_of_a_listed_animal_is_checked_again() -> None:
    shown = page(REX, query="?limit=20")
    decision = found("GET-1", shown, got(status=404))
    assert isinstance(decision, Ask)
    # the longest page: the run's own animals may have pushed it off a short one
    assert decision.calls == (Call(LIST, query=(("limit", "100"),)), reading(7))
    assert decision.not_before == 11.1
    assert decision.otherwise == Undecided(
        "GET /pets/{petId} returned 404 for listed animals, which another client may have removed. Run again.",
        examined=(got(status=404),),
        doubtful=True,
    )


def same(number: int, form: Form = Form.PLAIN) -> Call:
    return replace(reading(number), form=form)


@pytest.mark.parametrize(
    ("record", "calls", "first_404_ended"),
    [
        # what came just before the 404 comes again, then the same request, since either may be what hides the animal
        ([page(REX), got(), got(status=404, sent=2.0)], (same(7), same(7), WIDE, reading(7), reading(7)), 2.1),
        (
            [page(REX), got(), got(9, 404, sent=1.9, form=Form.UPPER), got(status=404, sent=2.0, form=Form.LOWER)],
            (same(9, Form.UPPER), same(7, Form.LOWER), WIDE, reading(7), reading(7)),
            2.1,
        ),
        # a request that had not ended did not come before it
        (
            [page(REX), got(), got(9, 404, sent=1.95), got(status=404, sent=2.0)],
            (same(7), same(7), WIDE, reading(7), reading(7)),
            2.1,
        ),
        # a POST is never sent again
        (
            [page(REX), got(), exchange(CREATE, 400, asked={}, sent=1.5), got(status=404, sent=2.0)],
            (same(7), WIDE, reading(7), reading(7)),
            2.1,
        ),
        # the first of its 404s since it was last found, and the latest page that showed it
        (
            [
                *(page(REX), got(status=404), got(sent=2.0), page(REX, sent=3.0, query="?limit=5&status=sold")),
                *(got(status=404, sent=4.0), got(status=404, sent=5.0)),
            ],
            (
                replace(Call(LIST, query=(("limit", "5"), ("status", "sold"))), form=Form.PLAIN),
                same(7),
                Call(LIST, query=(("limit", "100"), ("status", "sold"))),
                reading(7),
                reading(7),
            ),
            4.1,
        ),
        # one that was found again may be lost now and then
        (
            [page(REX), got(), got(status=404, sent=2.0), got(sent=3.0)],
            (same(7), same(7), WIDE, reading(7), reading(7)),
            2.1,
        ),
        # of several animals, the one that was lost first
        (
            [page(REX, FOX), got(5, body=FOX), got(sent=2.0), got(status=404, sent=3.0), got(5, 404, sent=4.0)],
            (same(7), same(7), WIDE, reading(7), reading(7)),
            3.1,
        ),
    ],
    ids=range(7),
)
def test_an_animal_that_a_get_no_longer_finds_is_looked_for(
    record: list[Exchange], calls: tuple[Call, ...], first_404_ended: float
) -> None:
    assert whether_removed(record) == Ask(calls, Undecided(""), first_404_ended + 10)


@pytest.mark.parametrize(
    "record",
    [
        [page(REX), got()],
        [page(REX), got(status=404), got(status=404, sent=2.0)],  # never found
        [exchange(CREATE, 201, REX), page(REX), got(status=404), got(sent=2.0)],  # the run's own, shown late
        [page(FOX), got(), got(status=404, sent=2.0)],  # on no page
    ],
    ids=range(4),
)
def test_an_animal_that_is_found_or_never_was_is_not_looked_for(record: list[Exchange]) -> None:
    assert whether_removed(record) is None


def test_a_page_that_still_shows_an_animal_10_s_after_its_404_shows_that_nobody_removed_it() -> None:
    record = [page(REX, query="?limit=20"), got(), got(status=404, sent=2.0)]
    assert isinstance(found("GET-1", *record), Held)  # another client may have removed it
    again = [page(REX, sent=12.1), got(status=404, sent=12.3)]
    assert isinstance(found("GET-1", *record, *again), Failed)
    assert isinstance(found("GET-1", *record, page(sent=12.1), again[1]), Held)


def test_a_404_of_an_animal_that_pages_still_show_fails() -> None:
    record = [page(REX), got(status=404), page(REX, sent=11.1)]
    last = got(status=404, sent=11.2)
    assert found("GET-1", *record, last) == Failed(
        "GET /pets/7: expected 200 (section 4.3), got 404, although GET /pets lists that animal.",
        (Proof(last, "status"), Proof(page(REX, sent=11.1), "body:/0")),
        expected="200",
    )
    for kept in (
        [page(REX), got(status=404), page(REX, sent=11.0), got(status=404, sent=11.2)],
        [*record, got(status=404, sent=11.15)],
        # it may have been removed since
        [*record, got(status=404, sent=21.2)],
        [*record, got(sent=11.3)],
        [page(REX), got(status=404), page(sent=11.1), got(status=404, sent=11.3)],
        # a page that would show it no longer does: the one that did may have been late
        [*record, page(sent=11.25), got(status=404, sent=11.4)],
        [*record, last, page(sent=11.4)],
        [*record, last, page(sent=11.4, query="?status=sold")],
        [*record, last, page(sent=11.4, query="?limit=100")],
    ):
        assert not isinstance(found("GET-1", *kept), Failed)
    for other in (page(sent=11.4, query="?status=pending"), page(REX, sent=11.4), page(sent=11.05)):
        assert isinstance(found("GET-1", *record, last, other), Failed)


VANISHED = "GET /pets/{petId} returned 404 for listed animals, which another client may have removed. Run again."


def test_if_one_has_vanished_another_is_read() -> None:
    others = [{**REX, "id": number} for number in (5, 6)]
    record = [page(REX, *others), got(status=404), page(sent=11.1), got(status=404, sent=11.3)]
    decision = found("GET-1", *record)
    assert isinstance(decision, Ask)
    assert decision.calls == (reading(6),)
    assert decision.otherwise == Undecided(VANISHED, examined=(record[1], record[3]), doubtful=True)
    read = got(6, sent=12.0, body=others[1])
    assert found("GET-1", *record, read) == Held((read,))


def test_three_vanished_animals_are_enough() -> None:
    animals = [{**REX, "id": number} for number in (5, 6, 7, 8)]
    lost = [got(number, 404) for number in (5, 6, 7)]
    record = [page(*animals), *lost, page(sent=11.1)]
    gone = [got(number, 404, 11.3) for number in (5, 6, 7)]
    two = found("GET-1", *record[:3], record[4], *gone[:2])
    assert isinstance(two, Ask)
    assert two.calls == (reading(8),)
    three = found("GET-1", *record, *gone)
    assert isinstance(three, Undecided)
    assert three.reason == VANISHED


def test_a_page_right_after_a_404_may_be_old_so_it_is_requested_again() -> None:
    lost = got(status=404)
    asked = found("GET-1", page(REX), lost, page(REX, sent=lost.finished))
    assert isinstance(asked, Ask)
    assert asked.otherwise == Undecided(VANISHED, examined=(lost,), doubtful=True)
    assert asked.not_before == lost.finished + 10
    late = page(REX, sent=lost.finished + 10)
    assert isinstance(found("GET-1", page(REX), lost, late), Ask)


def test_a_404_between_two_pages_that_show_the_animal_10_s_before_and_after_fails() -> None:
    lost = got(status=404, sent=11.0)
    for before, after, fails in (
        (page(REX), page(REX, sent=21.2), True),
        (page(REX, sent=0.9), page(REX, sent=21.1), True),
        (page(REX, sent=1.2), page(REX, sent=21.2), False),
        (page(REX), page(REX, sent=21.0), False),
        (page(REX), page(TEX, sent=21.2), False),  # another animal may have its id
    ):
        assert isinstance(found("GET-1", before, lost, after), Failed) is fails


def test_what_is_found_says_nothing_of_listed_animals_that_are_not() -> None:
    animals = [{**REX, "id": number} for number in range(1, 9)]
    record = [page(*animals), got(1, body=animals[0]), got(2, 404, 2.0)]
    asked = found("GET-1", *record)
    assert isinstance(asked, Ask)
    assert (asked.calls, asked.not_before, asked.otherwise.doubtful) == ((WIDE, reading(2)), 12.1, True)
    removed = [page(animals[0], sent=12.1), got(2, 404, 12.3)]
    assert isinstance(found("GET-1", *record, *removed), Held)
    # after three that are gone, no other one is asked for again
    more = [got(number, 404, sent) for number in (3, 4) for sent in (3.0, 12.5)]
    assert isinstance(found("GET-1", *record, *removed, *more[:3]), Ask)
    assert isinstance(found("GET-1", *record, *removed, *more), Held)
    left = found("GET-1", *record, *removed, *more, got(5, 404, 13.0))
    assert isinstance(left, Undecided)
    assert (left.reason, left.doubtful) == (VANISHED, True)


def test_another_requirement_judges_a_created_animal_that_is_not_found() -> None:
    post = exchange(CREATE, 201, REX, asked={"name": "Rex"})
    decision = found("GET-1", post, page(REX, sent=0.5), got(status=404))
    assert isinstance(decision, Undecided)


# ---- GET-2


def test_the_animal_is_the_requested_one() -> None:
    assert RULE["GET-2"].one(got(), GROUNDS) is HOLDS
    other = got(body={**REX, "id": 8})
    assert RULE["GET-2"].one(other, GROUNDS) == Problem("the body is animal 8; expected animal 7", "body:/id")
    for odd in (
        got(status=404),
        got(body=[]),
        got(body={"id": "7"}),
        got(8, body=REX),
        got(credential=Credential.RANDOM, body={"id": 8}),
    ):
        assert RULE["GET-2"].one(odd, GROUNDS) is NOT_CONCERNED
    assert RULE["GET-2"].one(other, REMOVED) is NOT_CONCERNED


def test_the_animal_is_as_the_list_shows_it() -> None:
    assert found("GET-2", page(REX), got()) == Held((got(), page(REX)))
    assert found("GET-2", got()) == Undecided(
        "No page lists an animal that GET /pets/{petId} returned. Test a store of fewer than 20 animals.",
        examined=(got(),),
    )
    assert found("GET-2", page(REX), got(status=404)) == Undecided("GET /pets/{petId} returned no animal; see GET-1.")


def test_an_id_that_two_animals_share_is_not_compared() -> None:
    both = page(REX, TEX, FOX)
    assert found("GET-2", both, got(body=DEX), got(5, body=FOX)) == Held((got(5, body=FOX), both))


def test_every_animal_is_compared() -> None:
    five, six = {**REX, "id": 5}, {**REX, "id": 6}
    unlisted, read = got(5, body=five), got(6, body=six)
    assert found("GET-2", page(REX, six), got(8, 404), unlisted, read, got()) == Held((read, page(REX, six), got()))
    assert found("GET-2", unlisted, read) == Undecided(
        "No page lists an animal that GET /pets/{petId} returned. Test a store of fewer than 20 animals.",
        examined=(unlisted, read),
    )


def test_a_difference_is_compared_again_ten_seconds_later() -> None:
    decision = found("GET-2", page(REX, query="?limit=20&status=sold"), got(body=TEX))
    assert isinstance(decision, Ask)
    # the longest page with the same filter
    shown = Call(LIST, query=(("limit", "100"), ("status", "sold")))
    assert (decision.calls, decision.not_before) == ((shown, reading(7), shown), 11.1)
    assert (decision.otherwise.doubtful, decision.otherwise.reason) == (
        True,
        'GET /pets?limit=20&status=sold and GET /pets/7 differ: `name` is "Tex" instead of "Rex"; '
        "another client may be changing the animal. Run again.",
    )
    assert decision.otherwise.examined == (page(REX, query="?limit=20&status=sold"), got(body=TEX))
    both = found("GET-2", page(REX), got(body={**TEX, "categoryId": 2}))
    assert isinstance(both, Ask)
    assert '`name` is "Tex" instead of "Rex"; `categoryId` is 2 instead of 1; another' in both.otherwise.reason


def test_a_difference_that_stays_fails() -> None:
    record = [page(REX), got(body=TEX), page(REX, sent=11.1), got(body=TEX, sent=11.3), page(REX, sent=11.5)]
    decision = found("GET-2", *record)
    assert isinstance(decision, Failed)
    assert decision.text == ('GET /pets/7 does not match GET /pets: `name` is "Tex" instead of "Rex" (section 4.3).')
    assert decision.proofs == (
        Proof(record[2], "body:/0/name"),
        Proof(record[3], "body:/name"),
        Proof(record[4], "body:/0/name"),
    )
    # what was requested before and after the three does not matter
    others = [got(9, 404, sent=5.0), *record[2:], got(9, 404, sent=12.0)]
    assert isinstance(found("GET-2", *record[:2], *others), Failed)


def test_the_first_sight_of_a_difference_counts() -> None:
    record = [page(DEX), got(body=TEX), page(REX, sent=3.0), got(body=TEX, sent=3.5)]

    def after(sent: float) -> Decision:
        three = (page(REX, sent=sent), got(body=TEX, sent=sent + 1.0), page(REX, sent=sent + 2.0))
        return found("GET-2", *record, page(REX, sent=5.0), *three)

    assert isinstance(after(13.1), Failed)
    assert isinstance(after(13.0), Ask)
    asked = found("GET-2", *record)
    assert isinstance(asked, Ask)
    assert asked.not_before == 11.1


def test_one_difference_may_show_in_several_states_of_an_animal() -> None:
    sold, two = {**TEX, "categoryId": 2}, {**REX, "categoryId": 2}
    record = [page(REX), got(body=TEX), page(two, sent=5.0), got(body=sold, sent=6.0)]
    three = [page(two, sent=11.2), got(body=sold, sent=11.4), page(two, sent=11.6)]
    assert isinstance(found("GET-2", *record, *three), Failed)


def not_before(*record: Exchange) -> float:
    """When the pages of a question may be requested."""
    decision = found("GET-2", *record)
    assert isinstance(decision, Ask)
    return decision.not_before


def test_pages_are_requested_again_10_s_after_what_a_get_shows_was_last_on_none() -> None:
    # a page shows what the last GET showed, after it
    assert not_before(page(REX), got(body=TEX), page(TEX, sent=2.0), page(REX, sent=3.0)) == 11.1
    # or before it
    between = [page(REX), got(body=TEX), page(TEX, sent=3.0)]
    assert not_before(*between, got(body=TEX, sent=4.0), page(REX, sent=5.0)) == 14.1
    at_once = got(body=TEX, sent=between[-1].finished)
    assert not_before(*between, at_once, page(REX, sent=5.0)) == at_once.finished + 10
    # another page showed another state 10 s later, and again 10 s have to pass
    states = [got(body=DEX, sent=12.5), got(body=TEX, sent=13.0)]
    assert not_before(page(REX), got(body=TEX), page(DEX, sent=12.0), *states, page(REX, sent=13.5)) == 22.1


def test_states_that_are_nested_too_deep_to_compare_are_different_ones() -> None:
    def deep(category: int) -> bytes:
        return b'{"id": 7, "categoryId": %d, "name": %s}' % (category, b"[" * 3000 + b"]" * 3000)

    def listed(category: int, sent: float) -> Exchange:
        return exchange(LIST, 200, b"[" + deep(category) + b"]", path="/pets", sent=sent)

    three = [listed(2, 12.0), got(body=deep(3), sent=12.5), listed(2, 13.0)]
    decision = found("GET-2", listed(1, 0.0), *three)
    assert isinstance(decision, Ask)  # not seen 10 s before


def test_the_difference_may_show_between_successive_pages() -> None:
    first = got(body={**TEX, "categoryId": 2})
    before = page(REX, sent=first.finished + 10.0)
    read = got(body={**TEX, "categoryId": 2}, sent=before.finished)
    decision = found("GET-2", page(REX), first, before, read, page(REX, sent=read.finished))
    assert isinstance(decision, Failed)
    assert '`name` is "Tex" instead of "Rex"; `categoryId` is 2 instead of 1 (section 4.3).' in decision.text


def test_a_get_that_is_stuck_at_an_old_state_fails_although_the_animal_changes_all_the_time() -> None:
    """Two comparisons, each `LAG_S` after the one before; the page shows another state each time."""
    record = [got(body=TEX), page(REX, sent=2.0), page(DEX, sent=12.1), got(body=TEX, sent=12.3), page(DEX, sent=12.5)]
    question = found("GET-2", *record)
    assert isinstance(question, Ask)
    assert question.not_before == pytest.approx(22.2)

    def again(at: float, *states: object, read: object = TEX) -> Decision:
        before, after = (page(state, sent=at + place) for place, state in zip((0.0, 1.0), states, strict=True))
        return found("GET-2", *record, before, got(body=read, sent=at + 0.5), after)

    third, fourth = {**REX, "name": "Fex"}, {**REX, "name": "Gex"}
    assert isinstance(again(22.2, third, third), Failed)
    assert isinstance(again(21.6, third, third), Ask)
    assert not isinstance(again(22.2, third, fourth), Failed)
    assert not isinstance(again(22.2, third, third, read=fourth), Failed)
    # a page has shown the same state since: the animal has changed back
    seen = page(TEX, sent=15.0)
    three = (page(third, sent=22.2), got(body=TEX, sent=22.5), page(third, sent=23.0))
    assert not isinstance(found("GET-2", *record, seen, *three), Failed)
    early = page(TEX, sent=0.5)
    assert isinstance(found("GET-2", early, *record, *three), Failed)


def test_a_get_is_stuck_after_exactly_the_lag_of_both() -> None:
    def shown(name: str, sent: float) -> Exchange:
        return exchange(LIST, 200, [{**REX, "name": name}], path="/pets", sent=sent, took=0.5)

    def read(sent: float) -> Exchange:
        return got(body=TEX, sent=sent, took=0.5)

    record = [read(0.0), shown("Rex", 1.0), shown("Dex", 10.5)]
    three = [shown("Fex", 20.0), read(21.0), shown("Fex", 21.5)]
    assert isinstance(found("GET-2", *record, *three), Failed)
    # a page at that moment shows the same state, so the animal may have changed back
    assert not isinstance(found("GET-2", record[0], shown("Tex", 0.5), *record[1:], *three), Failed)


_AT_ONCE = (page(REX, sent=12.0), got(body=TEX, sent=13.0), page(REX, sent=14.0))


@pytest.mark.parametrize(
    "later",
    [
        [page(REX, sent=11.0), got(body=TEX, sent=11.3), page(REX, sent=11.5)],
        [page(REX, sent=11.1), got(body=TEX, sent=11.15), page(REX, sent=11.5)],
        [page(REX, sent=11.1), got(body=TEX, sent=11.3), page(REX, sent=11.35)],
        [page(TEX, sent=11.1), got(body=TEX, sent=11.3), page(REX, sent=11.5)],
        [page(TEX, sent=11.1), got(body=TEX, sent=11.3), page(TEX, sent=11.5)],
        [page(REX, sent=11.1), got(body=REX, sent=11.3), page(REX, sent=11.5)],
        [page(REX, sent=11.1), got(body=TEX, sent=11.3), page(DEX, sent=11.5)],
        [page(REX, sent=11.1), got(9, 404, sent=11.3), got(body=TEX, sent=11.5), page(REX, sent=11.7)],
        # another client changes it all the time, and a cache answers with the page of before
        [page(DEX, sent=12.0), got(body=TEX, sent=13.0), page(DEX, sent=14.0)],
        [page(REX, sent=12.0), got(body=DEX, sent=13.0), page(REX, sent=14.0)],
        [page(DEX, sent=1.5), page(DEX, sent=11.5), got(body=TEX, sent=11.6), page(DEX, sent=11.7)],
        [*_AT_ONCE[:1], got(9, 404, sent=_AT_ONCE[0].finished), *_AT_ONCE[1:]],
        [*_AT_ONCE[:2], got(9, 404, sent=13.5, took=0.5), *_AT_ONCE[2:]],
    ],
    ids=range(13),
)
def test_a_difference_that_ends_or_is_too_recent_does_not_fail(later: list[Exchange]) -> None:
    assert isinstance(found("GET-2", page(REX), got(body=TEX), *_AT_ONCE), Failed)
    assert not isinstance(found("GET-2", page(REX), got(body=TEX), *later), Failed)


# ---- GET-3


def test_an_unknown_id_is_404() -> None:
    assert found("GET-3", page(REX), got(9, 404)) == Held((got(9, 404),))
    decision = found("GET-3", page(REX), got(9, 200, body=REX))
    assert isinstance(decision, Failed)
    assert decision.text == "GET /pets/9 with an id that no animal has: expected 404 (section 4.3), got 200."
    assert found("GET-3", page(REX), got()) == Undecided("No request was for an unknown id.")
    created_later = replace(GROUNDS, begun={7: 5.0})
    before = got(status=404)
    assert found("GET-3", page(REX, sent=6.0), before, grounds=created_later) == Held((before,))
    assert found("GET-3", got(9, 401)) == Undecided("GET /pets/9 returned 401, which decides nothing; see AUTH-7.")
    assert found("GET-3", got(9, 429)) == Undecided("GET /pets/9 returned 429, which decides nothing.")


def test_an_existing_animal_is_distinguished_from_an_invented_one() -> None:
    exists = got(9, body={**REX, "id": 9})
    decision = found("GET-3", exists)
    assert isinstance(decision, Ask)
    assert decision.otherwise == Undecided(
        "A request for an id that should be unknown returned animal 9. Run again.", examined=(exists,)
    )
    (call,) = decision.calls
    other = int(call.pet_id or 0)
    assert 2**40 <= other < 2**62
    made_up = found("GET-3", exists, got(other, body={**REX, "id": other}))
    second, third = got(other, body={**REX, "id": other}), got(11, body={**REX, "id": 11})
    assert made_up == Failed(
        f"GET /pets/{other} with an id that no animal has: expected 404 (section 4.3), got 200.",
        (Proof(exists, "status"), Proof(second, "status")),
        expected="404",
    )
    three = found("GET-3", exists, second, third)
    assert isinstance(three, Failed)
    assert three.text.startswith("GET /pets/11 with an id that no animal has: ")
    assert found("GET-3", exists, got(other, 404)) == Held((got(other, 404),))


def test_neighbours_of_known_animals_may_exist() -> None:
    second, third = got(9, body={**REX, "id": 9}), got(2**32 + 7, body={**REX, "id": 2**32 + 7})
    near = found("GET-3", page(REX), second, third)
    assert isinstance(near, Ask)
    (call,) = near.calls
    far = got(2**32 + 8, body={**REX, "id": 2**32 + 8})
    decision = found("GET-3", page(REX), far, second, third)
    assert isinstance(decision, Failed)
    assert decision.text == "GET /pets/4294967304 with an id that no animal has: expected 404 (section 4.3), got 200."
    assert found("GET-3", page(REX), second, third, got(int(call.pet_id or 0), 404)) == Held(
        (got(int(call.pet_id or 0), 404),)
    )


def test_an_animal_under_another_id_is_not_a_different_animal() -> None:
    other = wrapped(7)
    assert (other, wrapped(other)) == (7 - 2**54, 7)
    decision = found("GET-3", page(REX), got(other, body={**REX, "id": other}), got(9, 404))
    assert decision == Failed(
        "GET /pets/-18014398509481977 with an id that no animal has: expected 404 (section 4.3), got 200; it is "
        "animal 7 with another id.",
        (Proof(got(other, body={**REX, "id": other}), "status"), Proof(page(REX), "body:/0")),
        expected="404",
    )
    latest = found("GET-3", page(REX), page(FOX, REX, sent=0.5), got(other, body={**REX, "id": other}))
    assert isinstance(latest, Failed)
    assert latest.proofs[1] == Proof(page(FOX, REX, sent=0.5), "body:/1")
    assert isinstance(found("GET-3", page(REX), got(other, body={**TEX, "id": other}), got(9, 404)), Held)


# ---- GET-4


def test_from_the_removal_day_an_existing_animal_is_4xx() -> None:
    said = "404, 410 or another 4xx after the removal on 2030-12-05 (section 4.3)"
    for status in (400, 404, 405, 410, 499):
        assert RULE["GET-4"].one(got(status=status), REMOVED) is HOLDS
    for status in (200, 204, 299, 500, 503):
        problem = Problem(f"expected {said}, got {status}", STATUS, "404, 410 or another 4xx")
        assert RULE["GET-4"].one(got(status=status), REMOVED) == problem
    for status in (300, 307, 399, 401, 429):
        assert RULE["GET-4"].one(got(status=status), REMOVED) is NOT_CONCERNED
    assert RULE["GET-4"].one(got(status=Silence.RESET), REMOVED) == Problem(
        "expected 404, 410 or another 4xx (section 4.3), got no answer (reset: nothing was received), twice",
        WHOLE,
        "404, 410 or another 4xx",
    )
    assert RULE["GET-4"].one(got(), GROUNDS) is NOT_CONCERNED
    assert RULE["GET-4"].one(got(9), REMOVED) is NOT_CONCERNED
    assert RULE["GET-4"].one(got(credential=Credential.RANDOM), REMOVED) is NOT_CONCERNED
