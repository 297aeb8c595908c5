"""Section 4.2: add an animal.

A run creates one animal of each status and one without. Three of them are extreme: the service may refuse
their name or category. If it accepts one, it must return it exactly; if it refuses one, a plain one follows.
"""

import pytest

from petcheck.toolkit import (
    DEFECTS,
    RequestKind,
    Target,
    ask_creations_ahead,
    ask_refusals_ahead,
    creations,
    list_anew,
    observes,
    read_others,
    requirement,
    revealing,
    sends,
    stage,
)

# ---- what must be accepted


@requirement("CREATE-1")
@sends(RequestKind.NEW)
@stage("create")
def test_valid_pet_is_created(target: Target) -> None:
    """A valid NewPet gets 201, with each status and without one."""
    ask_creations_ahead(target)
    creations(target)
    target.settle("CREATE-1")


@requirement("CREATE-14")
@sends(RequestKind.NEW)
@stage("create")
def test_doubtful_value_is_created_or_refused(target: Target) -> None:
    """A value that the service may refuse gets 201 or 400: a name beyond ASCII, a category never seen."""
    creations(target)
    target.settle("CREATE-14")


@requirement("CREATE-2")
@sends(RequestKind.NEW)
@stage("create")
def test_name_is_repeated(target: Target) -> None:
    """The 201 repeats the name, code point for code point."""
    creations(target)
    target.settle("CREATE-2")


@requirement("CREATE-3")
@sends(RequestKind.NEW)
@stage("create")
def test_category_is_repeated(target: Target) -> None:
    """The 201 repeats the categoryId exactly, over the whole int64 range."""
    creations(target)
    target.settle("CREATE-3")


@requirement("CREATE-4")
@sends(RequestKind.NEW)
@stage("create")
def test_status_is_repeated(target: Target) -> None:
    """The 201 repeats the status."""
    creations(target)
    target.settle("CREATE-4")


# ---- what must be refused


@pytest.mark.parametrize(
    ("label", "name"),
    [
        pytest.param(defect.label, defect.requirement, id=defect.label, marks=requirement(defect.requirement))
        for defect in DEFECTS
    ],
)
@sends(RequestKind.DEFECTIVE)
@stage("refuse")
def test_defective_body_is_refused(target: Target, label: str, name: str) -> None:
    """A body without a required field or with an invalid value gets 400."""
    target.need_writes()
    ask_refusals_ahead(target)
    defect = next(defect for defect in target.defects() if defect.label == label)
    target.refuse(defect.body)
    target.settle(name)


# ---- what must be found again


@requirement("CREATE-12")
@sends(RequestKind.NEW, RequestKind.ANIMALS)
@stage("look")
def test_created_animal_can_be_read(target: Target) -> None:
    """GET /pets/{petId} shows the animal as the 201 did."""
    target.need_reads()
    creations(target)
    number = revealing(target)
    if number is not None:
        target.api.get_pet(number)
    target.settle("CREATE-12")


@requirement("CREATE-12")
@sends(RequestKind.ANIMALS)
@stage("spare")
def test_other_created_animals_can_be_read(target: Target) -> None:
    """The same for one of each status, if requests are left."""
    target.need_reads()
    target.need_writes()
    read_others(target, created=True)
    target.settle("CREATE-12")


@requirement("CREATE-13")
@sends(RequestKind.NEW, RequestKind.PAGES)
@stage("look")
def test_created_animals_are_listed(target: Target) -> None:
    """The list shows each created animal as the 201 did, if the page has room for all animals."""
    creations(target)
    list_anew(target)
    target.settle("CREATE-13")


@requirement("CREATE-11")
@sends(RequestKind.DEFECTIVE, RequestKind.PAGES)
@stage("look")
def test_refused_body_is_not_stored(target: Target) -> None:
    """A body refused with 400 is not in the list, even after accepted animals have had time to appear."""
    target.need_writes()
    for defect in target.defects():
        target.refuse(defect.body)
    target.settle("CREATE-11")


# ---- what the document leaves open


@observes("name-beyond-ascii", "category-never-seen", "status-default")
@sends(RequestKind.NEW)
@stage("create")
def test_open_points_of_creation(target: Target) -> None:
    """Create the extreme animals and one without a status: what the service makes of them is observed."""
    creations(target)


@observes("body-in-chunks", "json-extensions")
@sends(RequestKind.NEW)
@stage("late")
def test_body_in_chunks(target: Target) -> None:
    """Post an animal with its body in chunks, once: many servers do not read chunks. Extensions of JSON were sent."""
    target.post_in_chunks()
