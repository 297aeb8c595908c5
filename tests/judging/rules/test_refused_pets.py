"""An animal that was refused is on no page (CREATE-11)."""

from __future__ import annotations

from petcheck.call import Credential
from petcheck.judging.decision import Ask, Failed, Held, Proof, Undecided
from tests.judging.rules.animals import (
    CREATE,
    MANY,
    OLD,
    PENDING,
    found,
    listing,
    new,
    page,
    pet,
)
from tests.support.exchanges import exchange


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
