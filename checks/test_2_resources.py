"""Sections 2 and 3: the resources and their fields, in every response that carries them."""

from collections.abc import Iterator

from petcheck.exchange import Exchange
from petcheck.judging.jsontext import integer
from petcheck.judging.matchers import described
from petcheck.judging.overall import hold_everywhere
from petcheck.judging.rules import pets_in
from petcheck.marks import observes, requirement, stage
from petcheck.target import Target

pytestmark = stage("record")


@requirement("PET-1")
def test_pet_has_an_id(target: Target) -> None:
    """`id`: int64, required in responses."""
    target.hold("PET-1")


@requirement("PET-2")
def test_pet_has_a_name(target: Target) -> None:
    """`name`: string, required."""
    target.hold("PET-2")


@requirement("PET-3")
def test_pet_has_a_category(target: Target) -> None:
    """`categoryId`: int64, required."""
    target.hold("PET-3")


@requirement("PET-4")
def test_pet_status_is_one_of_three(target: Target) -> None:
    """`status`: PetStatus, not required."""
    target.hold("PET-4")


@requirement("PET-5")
def test_every_animal_has_an_id_of_its_own(target: Target) -> None:
    """No id stands twice on a page, and no two animals were created with the same one."""

    def judged() -> Iterator[tuple[Exchange, str | None]]:
        given: dict[int, str] = {}
        for exchange in target.record:
            ids = [
                n for pet in pets_in(exchange, target.as_of) if isinstance(pet, dict) and (n := integer(pet.get("id")))
            ]
            if exchange.request.method == "POST":
                first = next((given[n] for n in ids if n in given), None)
                problem = f"the new animal got the id {ids[0]}, as did an earlier one" if first else None
                given |= dict.fromkeys(ids, described(exchange))
                if ids:
                    yield exchange, problem
            elif len(ids) > 1:
                twice = next((n for n in ids if ids.count(n) > 1), None)
                yield exchange, f"the id {twice} stands {ids.count(twice)} times on one page" if twice else None

    nothing = "No two animals came whose ids could be compared."
    hold_everywhere(target.api, judged(), section="2", nothing=nothing)


@requirement("PETS-1")
def test_list_is_a_bare_array(target: Target) -> None:
    """Pets: a JSON array whose items are objects."""
    target.hold("PETS-1")


@observes("pet-extra-fields")
def test_extra_fields(target: Target) -> None:
    """Which fields animals carry beyond the documented ones."""
    extra: set[str] = set()
    for exchange in target.record:
        for pet in pets_in(exchange, target.as_of):
            extra |= set(pet) - {"id", "name", "categoryId", "status"} if isinstance(pet, dict) else set()
    target.observe("pet-extra-fields", ", ".join(sorted(extra)) or "none")
