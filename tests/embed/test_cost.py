"""The lines of docs/pytest.md keep what comes with petcheck out of unrelated pytest runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import environment

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pytest.md").read_text("utf-8")
SHOWS_WHAT_IS_LOADED = """
import sys
def pytest_unconfigure():
    print("loaded:", *sorted({"schemathesis", "hypothesis", "petcheck"} & set(sys.modules)), file=sys.stderr)
"""


SETTINGS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_has_two_settings() -> None:
    assert len(SETTINGS) == 2


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        pytest.param("", "loaded: hypothesis schemathesis\n", id="installed", marks=pytest.mark.slow),
        *(pytest.param(text, "loaded:\n", id=f"settings {number}") for number, text in enumerate(SETTINGS, 1)),
    ],
)
def test_an_unrelated_suite(tmp_path: Path, text: str, loaded: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "conftest.py").write_text(SHOWS_WHAT_IS_LOADED)
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    assert ran.stderr.endswith(loaded)


def test_the_page_names_every_exception_and_only_public_names() -> None:
    import petcheck

    named = set(re.findall(r"petcheck\.([A-Za-z_]\w*)", PAGE)) - {"toml"}
    assert named <= {*petcheck.__all__, "__all__"}
    assert all(f"`{name}`" in PAGE for name in petcheck.__all__ if name.startswith("Bad"))
