"""Section 4.1: list all animals.

Each limit is requested together with a filter, so that one request tests both. The rules request any pages that they
need beyond those below.
"""

from typing import Any

import pytest

from petcheck.toolkit import (
    LIMIT_DEFAULT,
    LIMIT_MAX,
    OPEN_LISTS,
    Operation,
    RequestKind,
    Target,
    ask_ahead,
    asked_later,
    full_filters,
    list_anew,
    listed_before,
    observes,
    page_call,
    populate,
    requirement,
    sends,
    stage,
)


def look(target: Target) -> None:
    """Request the pages that this file is about, each once in a run, and beside them what other checks need."""
    ask_ahead(target, [*(page_call(*page) for page in target.pages), *asked_later(target, (Operation.LIST_PETS,))])
    for limit, status in target.pages:
        target.api.list_pets(limit=limit, status=status)


def on_survey(name: str) -> object:
    """A requirement that is judged before the run creates anything, since a filter may then find nothing."""
    return pytest.param(name, marks=[requirement(name), stage("survey")])


@sends(RequestKind.PAGES)
@pytest.mark.parametrize("name", [on_survey("LIST-1"), on_survey("LIST-2"), on_survey("LIST-6")])
def test_parameters_are_accepted(target: Target, name: str) -> None:
    """GET /pets returns 200 with `limit` from 1 to 100 and with `status`: available, pending, sold."""
    look(target)
    target.settle(name)


@requirement("LIST-3")
@sends(RequestKind.PAGES)
def test_page_is_no_longer_than_its_limit(target: Target) -> None:
    """`limit` is the maximum number of animals returned."""
    look(target)
    target.settle("LIST-3")


@requirement("LIST-4")
@sends(RequestKind.PAGES)
@stage("survey")
def test_default_page_is_a_page_of_20(target: Target) -> None:
    """`limit` defaults to 20, also with a filter."""
    look(target)
    target.settle("LIST-4")


@requirement("LIST-4")
@sends(RequestKind.PAGES)
@stage("look")
def test_default_page_of_a_store_that_has_grown(target: Target) -> None:
    """The same in a small store, once the run has created animals."""
    if target.config.writes and len(listed_before(target)) <= LIMIT_DEFAULT:
        target.settle("LIST-4")


@requirement("LIST-5")
@sends(RequestKind.ODD_PAGES)
@stage("look")
def test_more_than_100_are_asked_for(target: Target) -> None:
    """`limit`: maximum 100, so a page of 101 is refused or has at most 100 animals, with a full filter too."""
    for status in (None, *full_filters(target)):
        target.api.list_pets(limit=LIMIT_MAX + 1, status=status)
    target.settle("LIST-5")


@requirement("LIST-5")
@stage("record")
def test_page_is_never_longer_than_100(target: Target) -> None:
    """`limit`: maximum 100, whatever is requested. Refusing more than 100 conforms too."""
    target.settle("LIST-5")


@requirement("LIST-7")
@sends(RequestKind.PAGES)
@stage("survey")
def test_filtered_page_holds_that_status_only(target: Target) -> None:
    """`status` filters by availability."""
    look(target)
    target.settle("LIST-7")


@requirement("LIST-7")
@sends(RequestKind.PAGES)
@stage("look")
def test_filtered_page_of_a_store_that_has_grown(target: Target) -> None:
    """The same for a status that only animals of the run have."""
    target.settle("LIST-7")


@requirement("LIST-7")
@stage("record")
def test_any_filtered_page_holds_that_status_only(target: Target) -> None:
    """The same for later pages, which may show animals that the run created."""
    target.settle("LIST-7")


@requirement("LIST-8")
@sends(RequestKind.PAGES)
def test_filtered_pages_are_complete(target: Target) -> None:
    """Every animal with a status is on the page of that status, if the whole store fits on a page."""
    look(target)
    target.settle("LIST-8")


@requirement("LIST-8")
@sends(RequestKind.PAGES)
@stage("look")
def test_filtered_pages_show_what_was_created(target: Target) -> None:
    """The same for the animals that the run has created."""
    list_anew(target)
    target.settle("LIST-8")


LARGE = ("LIST-2", "LIST-3", "LIST-4", "LIST-5", "LIST-6", "LIST-7")


@requirement(*LARGE)
@stage("populate")
def test_pages_of_a_larger_store(target: Target) -> None:
    """The same pages again, and one of 101, once the run has added the animals of `--populate`."""
    populate(target)
    for name in LARGE:
        target.settle(name)


# ---- what the document leaves open


# the points that servers most likely get wrong come first, for a run that can afford only a few
FIRST = ("limit-over-100", "limit-not-a-number", "limit-negative")


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param(query, id=name, marks=[observes(name), stage("spare" if name in FIRST else "open")])
        for name, query in OPEN_LISTS.items()
    ],
)
@sends(RequestKind.ODD_PAGES)
def test_open_parameters(target: Target, parameters: dict[str, Any]) -> None:
    """Send parameters that the document does not cover: the answers are observed. ERROR-5 judges a 5xx."""
    if not target.budget.affords():
        return
    target.api.list_pets(**parameters)


@observes("list-order", "paging-metadata")
@sends(RequestKind.PAGES)
def test_open_points_of_a_page(target: Target) -> None:
    """Request the pages that show an order, and headers that point to the next page: both are observed."""
    target.api.list_pets()
    target.api.list_pets(limit=LIMIT_MAX)
