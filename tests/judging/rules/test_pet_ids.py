"""Each animal has an id of its own (section 2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from petcheck.exchange import Exchange
from petcheck.judging.apply import decide
from petcheck.judging.decision import Decision, Failed, Held, Proof, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.judging.rules import RULE
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

LIST, CREATE, GET, _ORDERS = Operation


def page(*ids: object, sent: float = 0.0) -> Exchange:
    return exchange(LIST, 200, [{"id": number, "name": "Rex", "categoryId": 1} for number in ids], sent=sent)


def made(number: int, sent: float, name: str = "Tex") -> Exchange:
    asked = {"name": name, "categoryId": 1}
    return exchange(CREATE, 201, {"id": number, **asked}, asked=asked, sent=sent, index=int(sent * 10) + 1)


def found(*record: Exchange) -> Decision:
    return decide(RULE["PET-5"], record, Grounds(date(2026, 1, 1)))


def test_no_id_appears_twice_on_a_page() -> None:
    assert found(page(1, 2)) == Held((page(1, 2),))
    decision = found(page(3, None, 3, 3))
    assert isinstance(decision, Failed)
    assert decision.text == "GET /pets returned 200: id 3 appears 3 times on the page (section 2)."
    assert [proof.part for proof in decision.proofs] == ["body:/2/id"]
    twice = found(page(1, 3, 3))
    assert isinstance(twice, Failed)
    assert twice.text == "GET /pets returned 200: id 3 appears twice on the page (section 2)."
    assert found(page(1)) == Undecided(
        "Too few animals were returned to compare their ids. If the store has fewer than two, add some."
    )


def test_two_posts_that_take_ids_of_others_fail() -> None:
    record = [page(1, 2), made(1, 5.0), made(2, 10.0)]
    decision = found(*record)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "POST /pets returned 201: the new animal has id 1, which GET /pets had just shown for another animal "
        "(section 2)."
    )
    assert [proof.part for proof in decision.proofs] == ["body:/id"] * 2


def test_one_reused_id_or_one_that_was_shown_long_ago_proves_nothing() -> None:
    assert isinstance(found(page(1, 2), made(1, 5.0)), Held)
    assert isinstance(found(page(1, 2), made(1, 5.0), made(2, 10.1)), Held)
    assert isinstance(found(made(1, 0.0), made(1, 5.0)), Held)


def test_ids_that_posts_and_reads_showed_count_too() -> None:
    different = [made(1, at, name=name) for at, name in ((0.0, "Rex"), (5.0, "Tex"), (9.0, "Max"))]
    assert isinstance(found(*different), Failed)
    assert isinstance(found(made(1, 0.0), made(1, 5.0), made(1, 9.0)), Held)  # one animal, three times
    read = exchange(GET, 200, {"id": 7, "name": "Rex"}, sent=0.0)
    assert isinstance(found(read, page(8), made(7, 1.0), made(8, 2.0)), Failed)


def test_an_animal_that_a_get_returned_for_another_one_has_no_part_in_it() -> None:
    reads = [exchange(GET, 200, {"id": n, "name": "Rex"}, path=f"/pets/{n - 1}", sent=0.0) for n in (7, 8)]
    assert isinstance(found(*reads, made(7, 1.0), made(8, 2.0)), Held)


def test_two_created_animals_can_be_compared() -> None:
    assert found(made(1, 0.0), made(2, 1.0)) == Held((made(1, 0.0), made(2, 1.0)))
    assert isinstance(found(made(1, 0.0)), Undecided)


def test_two_posts_of_a_burst_do_not_get_one_id() -> None:
    first, second = (replace(made(1, sent, name), burst=1) for sent, name in ((1.0, "Rex"), (1.1, "Tex")))
    assert found(first, second) == Failed(
        'POST /pets returned 201: the new animal has id 1, and so has the animal "Tex", created beside it (section 2).',
        (Proof(first, "body:/id"), Proof(second, "body:/id")),
        wrong=(first, second),
    )
    for burst in (2, None):
        assert isinstance(found(first, replace(second, burst=burst)), Held)


def test_a_new_animal_does_not_take_the_id_of_another_one_of_the_run_from_its_body() -> None:
    def named(sent: int, number: int) -> Exchange:
        asked = {"name": "Max", "categoryId": 1, "id": sent}
        return exchange(CREATE, 201, {**asked, "id": number}, asked=asked, sent=5.0, index=50)

    other = named(1, 1)
    decision = found(made(1, 0.0), other)
    assert decision == Failed(
        "POST /pets returned 201: the body names the id 1 of an earlier animal of the run, and the new animal got it: "
        "they share it, or one was overwritten (section 2).",
        (Proof(other, "body:/id"),),
        wrong=(other,),
    )
    assert isinstance(found(replace(made(1, 0.0), finished=5.0), other), Failed)
    assert isinstance(found(replace(made(1, 0.0), finished=5.1), other), Held)  # at the same time
    odd = replace(other, request=replace(other.request, body=b"[1]"))
    assert isinstance(found(made(1, 0.0), odd), Held)
    assert isinstance(found(made(1, 0.0), named(1, 2)), Held)  # an id in the body is open
    assert isinstance(found(made(1, 0.0), named(9, 9)), Held)
