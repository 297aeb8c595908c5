"""The catalogue is whole, and its ids can be relied on."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from petcheck.document import TITLES
from petcheck.judging.catalogue import catalogue, read
from petcheck.suite_files import suite_file


def test_ids_are_unique_and_speak() -> None:
    ids = [entry.id for entry in catalogue().entries]
    assert len(ids) == len(set(ids))
    assert [entry.id for entry in catalogue().judged if not re.fullmatch(r"[A-Z]+-[1-9][0-9]*", entry.id)] == []
    assert [entry.id for entry in catalogue().entries if entry.open and not re.fullmatch(r"[a-z0-9-]+", entry.id)] == []


def test_every_section_exists() -> None:
    for entry in catalogue().entries:
        assert entry.section in TITLES, entry.id
        assert set(entry.also) <= set(TITLES) - {entry.section}, entry.id


def test_sections_come_in_the_documents_order() -> None:
    order = [list(TITLES).index(entry.section) for entry in catalogue().entries]
    assert order == sorted(order)


def test_levels_are_three() -> None:
    assert {entry.level for entry in catalogue().entries} == {"stated", "implied", "open"}


def test_every_statement_is_a_sentence() -> None:
    for entry in catalogue().entries:
        assert entry.statement[-1] in ".?", entry.id
        assert (entry.statement[-1] == "?") == entry.open, entry.id


def test_look_up() -> None:
    assert catalogue()["AUTH-1"].section == "5"
    assert "AUTH-1" in catalogue()
    assert "AUTH-99" not in catalogue()
    assert not {entry.id for entry in catalogue().judged} & {entry.id for entry in catalogue().observed}


@pytest.mark.parametrize(
    ("name", "day", "held"),
    [
        ("GET-1", date(2030, 12, 4), True),
        ("GET-1", date(2030, 12, 5), False),
        ("GET-4", date(2030, 12, 4), False),
        ("GET-4", date(2030, 12, 5), True),
        ("LIST-1", date(1999, 1, 1), True),
        ("LIST-1", date(2999, 1, 1), True),
    ],
)
def test_in_force(name: str, day: date, held: bool) -> None:
    assert catalogue()[name].in_force(day) == held


def test_the_digest_is_the_files() -> None:
    import hashlib

    assert catalogue().sha256 == hashlib.sha256(suite_file("requirements.yaml").read_bytes()).hexdigest()


def test_an_entry_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "requirements.yaml"
    broken.write_text("- id: A-1\n  section: '1'\n")
    with pytest.raises(KeyError):
        read(broken)
