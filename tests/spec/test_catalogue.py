"""The catalogue is complete, and its ids are stable."""

from __future__ import annotations

import hashlib
import re
from datetime import date
from pathlib import Path

import pytest
import yaml

from petcheck.spec.catalogue import FIRST_SET, Catalogue, Requirement, catalogue, read
from petcheck.spec.files import suite_file, suite_root
from petcheck.spec.sections import TITLES
from petcheck.spec.version import VERSION


def test_ids_are_unique_and_readable() -> None:
    ids = [entry.id for entry in catalogue().entries]
    assert len(ids) == len(set(ids))
    assert [entry.id for entry in catalogue().judged if not re.fullmatch(r"[A-Z]+-[1-9][0-9]*", entry.id)] == []
    assert [entry.id for entry in catalogue().entries if entry.open and not re.fullmatch(r"[a-z0-9-]+", entry.id)] == []


def test_it_is_read_without_the_c_library_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert read(suite_file("requirements.yaml")) == catalogue()


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


def test_the_digest_is_that_of_the_file() -> None:
    assert catalogue().sha256 == hashlib.sha256(suite_file("requirements.yaml").read_bytes()).hexdigest()


WHOLE = """
silent:
- {at: ['0:1', '9:3'], reason: Says nothing.}
requirements:
- id: A-1
  section: '4.3'
  at: ['4.3:1', '9:2']
  level: stated
  statement: It works.
  from: 2026-01-01
  until: 2030-12-05
- {id: A-2, section: '8', level: implied, statement: It is limited., untestable: A day takes too long.}
- {id: a-3, section: '8', level: open, statement: What is in it?}
- {id: a-4, section: '8', level: open, statement: How many?, untestable: It takes too many.}
"""


def test_every_member_of_an_entry_is_read(tmp_path: Path) -> None:
    path = tmp_path / "requirements.yaml"
    path.write_text(WHOLE)
    found = read(path)
    day, removal = date(2026, 1, 1), date(2030, 12, 5)
    assert found.entries == (
        Requirement("A-1", "4.3", "stated", "It works.", ("9",), None, day, removal, at=("4.3:1", "9:2")),
        Requirement("A-2", "8", "implied", "It is limited.", (), "A day takes too long."),
        Requirement("a-3", "8", "open", "What is in it?"),
        Requirement("a-4", "8", "open", "How many?", (), "It takes too many."),
    )
    assert [entry.id for entry in found.judged] == ["A-1", "A-2"]
    assert [entry.id for entry in found.observed] == ["a-3"]
    assert found.sha256 == hashlib.sha256(WHOLE.encode()).hexdigest()
    assert found.silent == {"0:1": "Says nothing.", "9:3": "Says nothing."}


def test_the_catalogue_is_loaded_as_data_only(tmp_path: Path) -> None:
    path = tmp_path / "requirements.yaml"
    path.write_text("- !!python/object/apply:os.getcwd []\n")
    with pytest.raises(yaml.constructor.ConstructorError):
        read(path)


def test_an_incomplete_entry_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "requirements.yaml"
    broken.write_text("silent: []\nrequirements:\n- id: A-1\n  section: '1'\n")
    with pytest.raises(KeyError):
        read(broken)


# the digest of each set that was released: a server that was certified by it relies on it. Until then a set may change
PUBLISHED: dict[str, str] = {}
# what CHANGELOG.md says of each version; the heading of a version says so if it is "not released yet"
_, *PARTS = re.split(r"^## (\S+)(.*)", (suite_root() / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
SAID = dict(zip(PARTS[::3], PARTS[2::3], strict=True))
RELEASED = {version for version, heading in zip(PARTS[::3], PARTS[1::3], strict=True) if "not released" not in heading}


def digest_of_set(version: str) -> str:
    left_out = catalogue().newer_than(version)
    entries = sorted((one for one in catalogue().entries if one.id not in left_out), key=lambda one: one.id)
    rows = [f"{one.id} {one.section} {one.level} {one.start} {one.until}\n" for one in entries]
    return hashlib.sha256("".join(rows).encode()).hexdigest()


def test_a_released_set_stays_as_it_is() -> None:
    assert {version: digest_of_set(version) for version in catalogue().sets if version in RELEASED} == PUBLISHED


def numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def test_the_changelog_lists_what_each_set_adds() -> None:
    assert f"The set of {FIRST_SET} is the first one" in SAID[FIRST_SET]
    for version in catalogue().sets[1:]:
        added = [entry.id for entry in catalogue().entries if entry.since == version]
        assert [name for name in added if name not in SAID[version]] == []
    assert max(map(numbers, catalogue().sets)) <= numbers(VERSION)


def test_each_set_has_those_before_it() -> None:
    pets = [Requirement(name, "2", "stated", "It is so.", since=since) for name, since in GROWN.items()]
    grown = Catalogue(tuple(pets), "")
    assert grown.sets == ("0.1.0", "0.2.0", "0.10.0")
    assert [grown.newer_than(version) for version in (*grown.sets, None)] == [("PET-2", "PET-3"), ("PET-2",), (), ()]


GROWN = {"PET-1": "0.1.0", "PET-2": "0.10.0", "PET-3": "0.2.0"}
