"""Compiled templates are kept like compiled modules, and never used for another source."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from petcheck.reports import templating
from petcheck.reports.template_bytecode import TemplateBytecode


def rendered(folder: Path, settings: bytes = b"") -> str:
    """A template of the folder, rendered by a new engine."""
    cache = TemplateBytecode(folder, settings)
    engine = Environment(loader=FileSystemLoader(folder), bytecode_cache=cache, autoescape=True)
    return engine.get_template("page.jinja").render(name="Rex")


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").glob("*")) if (folder / "__pycache__").exists() else []


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "page.jinja").write_text("I am {{ name }}")
    return tmp_path


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(folder) == "I am Rex"
    [file] = kept(folder)
    assert file.suffix == ".pyc"

    def compiled(*_: object, **__: object) -> None:
        raise AssertionError("a template was compiled again")

    monkeypatch.setattr(Environment, "compile", compiled)
    assert rendered(folder) == "I am Rex"


def test_a_changed_template_and_changed_settings_count(folder: Path) -> None:
    rendered(folder)
    before = kept(folder)[0].read_bytes()
    rendered(folder, b"other settings")
    assert kept(folder)[0].read_bytes() != before
    (folder / "page.jinja").write_text("{{ name }} I am")
    assert rendered(folder) == "Rex I am"


@pytest.mark.parametrize("content", [b"", b"j2", b"something else", None])
def test_a_broken_file_is_replaced(folder: Path, content: bytes | None) -> None:
    rendered(folder)
    [file] = kept(folder)
    file.write_bytes(file.read_bytes()[:40] if content is None else content)
    assert rendered(folder) == "I am Rex"
    assert len(kept(folder)) == 1


def test_nothing_is_written_where_python_writes_no_bytecode(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(folder) == "I am Rex"
    assert kept(folder) == []


def test_a_folder_that_cannot_be_written_does_no_harm(folder: Path) -> None:
    (folder / "__pycache__").write_text("not a folder")
    assert rendered(folder) == "I am Rex"


def test_bytecode_goes_where_python_keeps_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = folder / "elsewhere"
    monkeypatch.setattr(sys, "pycache_prefix", str(elsewhere))
    assert rendered(folder) == "I am Rex"
    assert kept(folder) == []
    assert [path.suffix for path in elsewhere.rglob("*") if path.is_file()] == [".pyc"]


def test_the_pages_use_it() -> None:
    assert isinstance(templating.environment().bytecode_cache, TemplateBytecode)
