"""The version stands in one place; what repeats it for readers agrees."""

from __future__ import annotations

import re
from pathlib import Path

from petcheck.spec.version import VERSION

ROOT = Path(__file__).resolve().parent.parent


def test_the_newest_entry_of_the_changes_is_of_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+) · (\d{4}-\d\d-\d\d|not released yet)$", text, re.MULTILINE)
    assert newest
    assert newest[1] == VERSION


def test_recipes_name_this_version() -> None:
    files = [ROOT / "README.md", *(ROOT / "examples").iterdir(), *(ROOT / "docs").glob("*.md")]
    named = {version for file in files for version in re.findall(r"/petcheck@v([\w.]+)", file.read_text("utf-8"))}
    assert named == {VERSION}


def test_no_other_source_states_it() -> None:
    stated = f"[\"']{re.escape(VERSION)}[\"']"
    files = [*(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml", ROOT / "conftest.py"]
    places = [file.name for file in files if re.search(stated, file.read_text("utf-8"))]
    # the catalogue names the version that published the first requirements, whatever this one is
    assert [name for name in places if name != "catalogue.py"] == ["version.py"]
