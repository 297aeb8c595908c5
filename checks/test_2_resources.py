"""Sections 2 and 3: the resources and their fields, in every response that has them."""

from petcheck.toolkit import Target, requirement, stage

pytestmark = stage("record")


@requirement("PET-1")
def test_pet_has_an_id(target: Target) -> None:
    """`id`: int64, required in responses."""
    target.settle("PET-1")


@requirement("PET-2")
def test_pet_has_a_name(target: Target) -> None:
    """`name`: string, required."""
    target.settle("PET-2")


@requirement("PET-3")
def test_pet_has_a_category(target: Target) -> None:
    """`categoryId`: int64, required."""
    target.settle("PET-3")


@requirement("PET-4")
def test_pet_status_is_one_of_three(target: Target) -> None:
    """`status`: PetStatus, not required."""
    target.settle("PET-4")


@requirement("PET-5")
def test_every_animal_has_an_id_of_its_own(target: Target) -> None:
    """No id appears twice on a page, and no two animals were created with the same id."""
    target.settle("PET-5")


@requirement("PETS-1")
def test_list_is_a_bare_array(target: Target) -> None:
    """Pets: a JSON array whose items are objects."""
    target.settle("PETS-1")
