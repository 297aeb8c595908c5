"""What to run, in the words that messages use: ids of the catalogue, groups of ids, sections of the document."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from petcheck.config.urls import masked_url
from petcheck.errors import ConfigError
from petcheck.spec.catalogue import Requirement, catalogue

_HOW = "write requirements as CREATE-5, groups as AUTH, sections as 4.2; `petcheck help` lists the commands"


def chosen(words: Iterable[str]) -> frozenset[str] | None:
    """The ids of the catalogue's entries that some words name; None for no words, which is everything.

    A word is the id of a requirement, the group that ids share (`CREATE`), or a section with those below it (`4.2`,
    `4`), in any letter case. Raises `ConfigError` for any other word, with the nearest known one.
    """
    named = [_named(word) for word in words]
    return frozenset[str]().union(*named) if named else None


def words_in(expression: str) -> list[str] | None:
    """The words of a `-k` expression that only joins ids, groups and sections by `or`; None for any other one."""
    words = [word.strip() for word in re.split(r"\s+or\s+", expression.strip())]
    return words if all(entries_of(word) for word in words) else None


def entries_of(word: str) -> frozenset[str]:
    """The ids of the entries that a word names; empty if it names none."""
    lower = word.lower()
    return frozenset(entry.id for entry in catalogue().entries if lower in _names_of(entry))


def known_words() -> list[str]:
    """Every word that names an entry: sections, groups, ids, in the document's order."""
    entries = catalogue().entries
    sections = dict.fromkeys(entry.section for entry in entries)
    groups = dict.fromkeys(group_of(entry.id) for entry in entries if not entry.open)
    return [*sections, *groups, *(entry.id for entry in entries if not entry.open)]


def group_of(name: str) -> str:
    """The group of a requirement's id: CREATE of CREATE-5."""
    return name.rpartition("-")[0]


def nearest_names(word: str) -> list[str]:
    """The known words that are most like another one, at most three."""
    by_lower = {known.lower(): known for known in (*known_words(), *(entry.id for entry in catalogue().entries))}
    return [by_lower[near] for near in difflib.get_close_matches(word.lower(), by_lower, n=3, cutoff=0.75)]


def _names_of(entry: Requirement) -> set[str]:
    parts = entry.section.split(".")
    sections = {".".join(parts[:depth]) for depth in range(1, len(parts) + 1)}  # 4.2 is in 4 too
    return sections if entry.open else {entry.id.lower(), group_of(entry.id).lower(), *sections}


def _named(word: str) -> frozenset[str]:
    found = entries_of(word)
    if found:
        return found
    if "://" in word:
        raise ConfigError(f"use --target for a server: petcheck --target {masked_url(word)}")
    if word in catalogue():
        raise ConfigError(f"{word} is an open point, which is observed and never judged; see petcheck explain {word}")
    # only a word like a known one is repeated: any other may be a key
    near = nearest_names(word)
    raise ConfigError(f"no requirement {word}; did you mean {near[0]}?" if near else f"unknown word; {_HOW}")
