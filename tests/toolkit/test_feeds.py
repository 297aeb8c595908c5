"""What a choice of requirements brings along."""

from __future__ import annotations

import pytest

from petcheck.runner.schedule import checks_of
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from petcheck.toolkit.feeds import ANIMALS, DEFECTIVE, FEEDS, KEYS, NEW, ODD_PAGES, OWN, PAGES, Choice, RequestKind

DEFECT, VALID = b'{"name": 7, "categoryId": 1}', b'{"name": "a", "categoryId": 1}'


def test_every_row_is_about_an_entry_and_no_entry_has_two() -> None:
    assert {*FEEDS, *OWN} <= {entry.id for entry in catalogue().entries}
    assert FEEDS.keys() & OWN.keys() == set()


def test_what_no_check_of_an_entry_sends_is_in_a_row() -> None:
    sent: dict[str, set[RequestKind]] = {}
    for check in checks_of("target"):
        for entry in check.requirements:
            sent.setdefault(entry, set()).update(check.sends)
    assert {entry for entry, kinds in sent.items() if not kinds} <= FEEDS.keys()


def test_everything_needs_everything() -> None:
    everything = Choice()
    assert everything.covers("CREATE-5")
    assert everything.needs == everything.examples == set(RequestKind)
    assert everything.posts(DEFECT, {1})
    assert all(everything.calls(operation) for operation in Operation)


@pytest.mark.parametrize(
    ("entry", "sent", "along"),
    [
        ("PETS-1", (PAGES,), True),
        ("PETS-1", (ODD_PAGES,), True),
        ("PETS-1", (NEW, PAGES), False),
        ("PET-1", (NEW, ANIMALS), True),
        ("ERROR-2", (KEYS,), True),
        ("ERROR-2", (DEFECTIVE, PAGES), False),
        ("CREATE-5", (DEFECTIVE,), False),  # its own checks send all that it needs
        ("RATE-1", (), False),
        ("VERSION-1", (PAGES,), False),
    ],
)
def test_a_check_runs_along_if_all_of_its_requests_serve_the_choice(
    entry: str, sent: tuple[RequestKind, ...], along: bool
) -> None:
    assert Choice(frozenset({entry})).brings(sent) is along


def test_examples_are_of_the_kinds_that_serve_the_choice() -> None:
    refused, page = Choice(frozenset({"CREATE-5"})), Choice(frozenset({"LIST-3"}))
    assert (refused.posts(DEFECT, {1}), refused.posts(VALID, {1})) == (True, False)
    assert [operation for operation in Operation if refused.calls(operation)] == [Operation.CREATE_PET]
    assert [operation for operation in Operation if page.calls(operation)] == [Operation.LIST_PETS]


def test_an_entry_may_need_the_questions_of_another() -> None:
    choice = Choice(frozenset({"LIST-6"}))
    assert (choice.asks("LIST-2"), choice.asks("LIST-6"), choice.covers("LIST-2")) == (True, False, False)
    assert not Choice().asks("LIST-2")


def test_a_choice_covers_what_it_names() -> None:
    choice = Choice(frozenset({"LIST-3"}))
    assert (choice.covers("LIST-3"), choice.covers("LIST-4"), choice.covers("LIST-4", "LIST-3")) == (True, False, True)
