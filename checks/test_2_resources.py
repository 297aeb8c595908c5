"""Sections 2 and 3: the resources and their fields, in every response that carries them."""

from collections.abc import Callable, Iterator

from petcheck.exchange import Exchange, Response
from petcheck.judging.interface import body_due
from petcheck.judging.jsontext import Json, integer, kind
from petcheck.judging.matchers import (
    Animal,
    described,
    problem_of_int64,
    problem_of_pet_status,
    problem_of_string,
    quoted,
    value_of,
)
from petcheck.judging.overall import hold_everywhere
from petcheck.marks import observes, requirement, stage
from petcheck.target import Target

pytestmark = stage("record")
NO_PET = "No response with an animal came."


def pets_in(exchange: Exchange, target: Target) -> Iterator[Json]:
    """Whatever stands where the document has a Pet, in a response that must carry one or more."""
    due = body_due(exchange, target.as_of)
    if due not in ("pet", "pets") or not isinstance(exchange.answer, Response):
        return
    value = value_of(exchange.answer)
    if due == "pet":
        # a body that is no JSON is SERVICE-1's matter
        yield from [value] if value is not None or exchange.answer.body.strip() == b"null" else []
    elif isinstance(value, list):
        yield from value


def hold_for_every_pet(target: Target, problem: Callable[[Animal], str | None], otherwise: str | None = None) -> None:
    """Judge every animal that came; `otherwise` is what is wrong with a body that is no object, if anything."""

    def judged() -> Iterator[tuple[Exchange, str | None]]:
        for exchange in target.record:
            pets = list(pets_in(exchange, target))
            # an item of a list that is no object is PETS-1's matter
            single = body_due(exchange, target.as_of) == "pet"
            odd = f"{otherwise}, it is {kind(pets[0])}" if otherwise and single and pets else None
            problems = [problem(pet) if isinstance(pet, dict) else odd for pet in pets]
            if any(isinstance(pet, dict) for pet in pets) or odd:
                yield exchange, next((text for text in problems if text), None)

    hold_everywhere(target.api, judged(), section="2", nothing=NO_PET)


@requirement("PET-1")
def test_pet_has_an_id(target: Target) -> None:
    """`id`: int64, required in responses."""
    hold_for_every_pet(target, lambda pet: problem_of_int64("the Pet", "id", pet), "a Pet is an object")


@requirement("PET-2")
def test_pet_has_a_name(target: Target) -> None:
    """`name`: string, required."""
    hold_for_every_pet(target, lambda pet: problem_of_string("the Pet", "name", pet))


@requirement("PET-3")
def test_pet_has_a_category(target: Target) -> None:
    """`categoryId`: int64, required."""
    hold_for_every_pet(target, lambda pet: problem_of_int64("the Pet", "categoryId", pet))


@requirement("PET-4")
def test_pet_status_is_one_of_three(target: Target) -> None:
    """`status`: PetStatus, not required."""
    hold_for_every_pet(target, problem_of_pet_status)


@requirement("PET-5")
def test_every_animal_has_an_id_of_its_own(target: Target) -> None:
    """No id stands twice on a page, and no two animals were created with the same one."""

    def judged() -> Iterator[tuple[Exchange, str | None]]:
        given: dict[int, str] = {}
        for exchange in target.record:
            ids = [n for pet in pets_in(exchange, target) if isinstance(pet, dict) and (n := integer(pet.get("id")))]
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

    def judged() -> Iterator[tuple[Exchange, str | None]]:
        for exchange in target.record:
            if body_due(exchange, target.as_of) != "pets" or not isinstance(exchange.answer, Response):
                continue
            value = value_of(exchange.answer)
            if value is None and exchange.answer.body.strip() != b"null":
                continue  # no JSON: SERVICE-1
            if not isinstance(value, list):
                yield exchange, f"the body is {kind(value)}, {quoted(value)}; a bare array is due"
            else:
                odd = next((item for item in value if not isinstance(item, dict)), None)
                bad = any(not isinstance(item, dict) for item in value)
                yield exchange, f"an item is {kind(odd)}, {quoted(odd)}; a Pet is an object" if bad else None

    hold_everywhere(target.api, judged(), section="2", nothing="No list came.")


@observes("pet-extra-fields")
def test_extra_fields(target: Target) -> None:
    """Which fields animals carry beyond the documented ones."""
    extra: set[str] = set()
    for exchange in target.record:
        for pet in pets_in(exchange, target):
            extra |= set(pet) - {"id", "name", "categoryId", "status"} if isinstance(pet, dict) else set()
    target.observe("pet-extra-fields", ", ".join(sorted(extra)) or "none")
