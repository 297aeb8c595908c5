"""The words that choose what to run."""

from __future__ import annotations

from collections.abc import Callable, Set

import pytest

from petcheck.config.choice import chosen, known_words, nearest_names, words_in
from petcheck.errors import ConfigError
from petcheck.spec.catalogue import Requirement, catalogue


def of(chosen: Callable[[Requirement], bool]) -> set[str]:
    return {entry.id for entry in catalogue().entries if chosen(entry)}


def test_no_word_is_everything() -> None:
    assert chosen([]) is None


@pytest.mark.parametrize(
    ("word", "ids"),
    [
        ("CREATE-5", {"CREATE-5"}),
        ("create-5", {"CREATE-5"}),
        ("CREATE-1", {"CREATE-1"}),
        ("ORDERS", of(lambda entry: entry.id.startswith("ORDERS-"))),
        ("PET", of(lambda entry: entry.id.startswith("PET-"))),
        ("4.4", of(lambda entry: entry.section == "4.4")),
        ("9", of(lambda entry: entry.section == "9")),
    ],
)
def test_a_word_names_entries(word: str, ids: Set[str]) -> None:
    assert chosen([word]) == frozenset(ids)


def test_a_section_holds_those_below_it() -> None:
    inside = {entry.id for entry in catalogue().entries if entry.section.split(".")[0] == "4"}
    assert chosen(["4"]) == frozenset(inside)
    assert {"BODY-1", "LIST-1", "CREATE-1", "limit-zero"} <= inside


def test_words_add_up() -> None:
    assert chosen(["ORDERS-1", "4.4", "VERSION-1"]) == frozenset({"ORDERS-1", "VERSION-1"})


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("CREAT-5", "no requirement CREAT-5; did you mean CREATE-5?"),
        ("AUHT", "no requirement AUHT; did you mean AUTH?"),
        ("https://key@host/v1?token=secret", "use --target for a server: petcheck --target https://…@host/v1?…"),
        ("limit-zero", "limit-zero is an open point, which is observed and never judged; "
         "see petcheck explain limit-zero"),
        ("sk_live_0123456789", "unknown word; write requirements as CREATE-5, groups as AUTH, sections as 4.2; "
         "`petcheck help` lists the commands"),
    ],
)  # fmt: skip
def test_another_word_is_refused(word: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        chosen(["AUTH", word])
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("CREATE-5", ["CREATE-5"]),
        ("CREATE-5 or auth  or 4.2", ["CREATE-5", "auth", "4.2"]),
        ("CREATE-5 and not AUTH", None),
        ("test_9", None),
        ("CREATE-5 or test_9", None),
        ("", None),
    ],
)
def test_an_expression_of_words_alone_is_a_choice(expression: str, words: list[str] | None) -> None:
    assert words_in(expression) == words


def test_every_known_word_names_something() -> None:
    assert all(chosen([word]) for word in known_words())
    assert nearest_names("RATE-66")[0] == "RATE-6"
    assert nearest_names("entirely else") == []
