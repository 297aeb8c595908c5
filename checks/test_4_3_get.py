"""Section 4.3: get an animal (deprecated, removed on 5 December 2030)."""

import pytest

from petcheck.toolkit import (
    OPEN_IDS,
    REMOVAL_DAY,
    Exchange,
    NotRun,
    RequestKind,
    Target,
    listed_before,
    observes,
    read_others,
    requirement,
    revealing,
    sends,
    stage,
    unknown_id,
)


def read(target: Target) -> Exchange | None:
    """GET an animal from before the run, otherwise one that the run created; None if there is none."""
    mine = revealing(target)
    known = [*listed_before(target), *([] if mine is None else [mine])]
    return target.api.get_pet(known[0]) if known else None


@requirement("GET-1")
@sends(RequestKind.ANIMALS)
def test_existing_animal_is_read(target: Target) -> None:
    """An existing id gets 200."""
    target.need_reads()
    read(target)
    target.settle("GET-1")


@requirement("GET-2")
@sends(RequestKind.ANIMALS)
def test_animal_is_the_one_asked_for(target: Target) -> None:
    """The body is that animal, with the same fields as in the list."""
    target.need_reads()
    read(target)
    mine = revealing(target)
    if mine is not None:
        target.api.get_pet(mine)
    target.settle("GET-2")


@pytest.mark.parametrize("name", [pytest.param(name, marks=requirement(name)) for name in ("GET-1", "GET-2")])
@sends(RequestKind.ANIMALS)
@stage("spare")
def test_other_animals_are_the_ones_asked_for(target: Target, name: str) -> None:
    """The same for a second animal and for one of each status, if requests are left."""
    target.need_reads()
    read_others(target, created=False)
    target.settle(name)


@requirement("GET-3")
@sends(RequestKind.OTHER_IDS)
def test_unknown_id_is_not_found(target: Target) -> None:
    """An id that no animal has gets 404."""
    target.need_reads()
    target.api.get_pet(unknown_id(target))
    target.settle("GET-3")


@requirement("GET-4")
@sends(RequestKind.ANIMALS)
def test_operation_is_removed(target: Target) -> None:
    """From 5 December 2030 on the operation returns a 4xx for an existing animal's id."""
    if target.as_of < REMOVAL_DAY:
        raise NotRun(f"GET /pets/{{petId}} is not removed before {REMOVAL_DAY}.")
    read(target)
    target.settle("GET-4")


# ---- what the document leaves open


@pytest.mark.parametrize("segment", [pytest.param(segment, id=name) for name, segment in OPEN_IDS.items()])
@observes("pet-id-not-int64")
@sends(RequestKind.OTHER_IDS)
@stage("spare")
def test_segment_that_is_no_int64(target: Target, segment: str) -> None:
    """Request a segment that is not an int64: the response is observed. ERROR-5 judges a 5xx."""
    if target.budget.affords() and target.as_of < REMOVAL_DAY:
        target.api.get_pet(segment)


@observes("deprecation-headers")
@sends(RequestKind.ANIMALS)
def test_deprecation_headers(target: Target) -> None:
    """Read an animal, if there is one: `Deprecation` and `Sunset` are observed."""
    if target.as_of < REMOVAL_DAY:
        read(target)
