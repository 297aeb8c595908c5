"""requirements.yaml is well formed: readable ids, existing sections, and a reason for each entry without a check."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

from petcheck.spec.files import read_yaml

WHOLE: dict[str, list[dict[str, Any]]] = read_yaml(
    (Path(__file__).resolve().parents[2] / "requirements.yaml").read_bytes()
)
ENTRIES = WHOLE["requirements"]
SECTIONS = ["1", "2", "3", "4", "4.1", "4.2", "4.3", "4.4", "5", "6", "7", "8", "9"]


def test_an_entry_has_its_fields() -> None:
    due = {"id", "section", "at", "in", "level", "statement"}
    allowed = due | {"untestable", "from", "until", "since"}
    assert [entry for entry in ENTRIES if not due <= set(entry) <= allowed] == []


def test_a_level_is_one_of_three() -> None:
    assert {entry["level"] for entry in ENTRIES} == {"stated", "implied", "open"}


def test_an_id_is_readable() -> None:
    """Requirements are numbered by subject, in capitals; open points have a name."""
    due, named = r"[A-Z]+-[1-9][0-9]*", r"[a-z0-9]+(-[a-z0-9]+)*"
    forms = {"stated": due, "implied": due, "open": named}
    assert [entry["id"] for entry in ENTRIES if not re.fullmatch(forms[entry["level"]], entry["id"])] == []


def test_an_id_is_unique() -> None:
    ids = [entry["id"] for entry in ENTRIES]
    assert sorted(ids) == sorted(set(ids))


def test_numbers_run_from_one_without_a_gap() -> None:
    numbers: dict[str, list[int]] = {}
    for entry in ENTRIES:
        if entry["level"] != "open":
            subject, number = entry["id"].rsplit("-", 1)
            numbers.setdefault(subject, []).append(int(number))
    assert numbers == {subject: list(range(1, len(found) + 1)) for subject, found in numbers.items()}


def test_every_section_of_the_document_has_an_entry_in_its_order() -> None:
    sections = [entry["section"] for entry in ENTRIES]
    assert list(dict.fromkeys(sections)) == SECTIONS
    assert sections == sorted(sections, key=SECTIONS.index)


def test_every_place_is_a_section_and_a_digest() -> None:
    """The catalogue names sentences of the document and holds none; section 0 stands for what precedes the first."""
    for entry in [*ENTRIES, *WHOLE["silent"]]:
        assert [place for place in entry["at"] if not re.fullmatch(r"[0-9.]+:[0-9a-f]{16}", place)] == []
        assert {place.split(":")[0] for place in entry["at"]} <= {"0", *SECTIONS}


def test_a_requirement_stands_in_its_section_first_and_in_no_place_twice() -> None:
    for entry in ENTRIES:
        assert entry["at"][0].split(":")[0] == entry["section"], entry["id"]
        assert len(entry["at"]) == len(set(entry["at"])), entry["id"]


def test_a_place_has_requirements_or_a_reason_why_not() -> None:
    covered = {place for entry in ENTRIES for place in entry["at"]}
    silent = [place for entry in WHOLE["silent"] for place in entry["at"]]
    assert len(silent) == len(set(silent))
    assert covered.isdisjoint(silent)
    assert [entry["reason"] for entry in WHOLE["silent"] if not entry["reason"].endswith(".")] == []


def test_requirements_are_statements_and_open_points_are_questions() -> None:
    for entry in ENTRIES:
        assert entry["statement"].endswith("?" if entry["level"] == "open" else "."), entry["id"]


def test_what_no_check_can_observe_says_why() -> None:
    reasons = {entry["id"]: entry["untestable"] for entry in ENTRIES if "untestable" in entry}
    assert [name for name, reason in reasons.items() if not str(reason).endswith(".")] == []


def test_the_removal_is_on_one_day() -> None:
    """The requirements of GET /pets/{petId} end on the day on which its removal begins (sections 4.3 and 9)."""
    days = {entry["id"]: entry[key] for entry in ENTRIES for key in ("from", "until") if key in entry}
    assert days == dict.fromkeys(["CREATE-12", "GET-1", "GET-2", "GET-3", "GET-4"], date(2030, 12, 5))
