"""Imports run only downwards; the contracts in pyproject.toml define the order, and they detect violations."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"


def linted(folder: Path, source: Path) -> subprocess.CompletedProcess[str]:
    """The output of import-linter for the packages below `source`, by the contracts in the folder's pyproject.toml."""
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "400"}
    return subprocess.run(
        [sys.executable, "-c", LINT], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_contracts_hold() -> None:
    done = linted(ROOT, ROOT / "src")
    assert done.returncode == 0, done.stdout + done.stderr
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    assert f"Contracts: {len(contracts)} kept, 0 broken." in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "statement", "broken"),
    [
        ("judging/matchers.py", "import petcheck.wire.pacing", "Judging is pure"),
        ("judging/matchers.py", "import httpx", "Judging is pure"),
        ("judging/verdicts.py", "import pytest", "Judging is pure"),
        ("wire/pacing.py", "import petcheck.judging.statuses", "The wire judges nothing"),
        ("reports/summary.py", "import petcheck.config.load", "Streams, results and reports"),
        ("reports/terminal.py", "import petcheck.wire.client", "Streams, results and reports"),
        ("stream/files.py", "import httpx", "Streams, results and reports"),
        ("../petstore_reference/server.py", "import petcheck.exchange", "The reference server is independent"),
        ("../petstore_reference/server.py", "import httpx", "The reference server is independent"),
        ("judging/matchers.py", "import petstore_reference.quota", "Only what serves or explains"),
        ("config/load.py", "import requests", "Only the wire uses HTTP"),
        ("spec/figures.py", "import petcheck.exchange", "The document as data imports nothing"),
        ("config/load.py", "import petcheck.runner.plugin", "Imports run downwards"),
        ("results/findings.py", "def late() -> None:\n    from petcheck.results import totals", "No circle"),
        ("newcomer.py", "", "Imports run downwards"),
    ],
)
def test_an_import_the_wrong_way_breaks_a_contract(tmp_path: Path, module: str, statement: str, broken: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "src" / "petcheck" / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{statement}\n")
    done = linted(tmp_path, tmp_path / "src")
    assert done.returncode == 1, done.stdout + done.stderr
    assert any(broken in line and "BROKEN" in line for line in done.stdout.splitlines()), done.stdout


def imported(path: Path) -> set[str]:
    """The modules that a file imports, at its top or inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or ".")
    return found


def test_checks_do_not_depend_on_the_runner() -> None:
    """Checks import only the toolkit; they get everything else from fixtures."""
    known = {"petcheck.toolkit", "petcheck.properties.examples", "pytest", *sys.stdlib_module_names}
    strangers = {
        f"{path.name}: {module}"
        for path in (ROOT / "checks").rglob("*.py")
        for module in imported(path)
        if module not in known and module.split(".")[0] not in sys.stdlib_module_names
    }
    assert strangers == set()


def test_checks_open_no_connection_themselves() -> None:
    network = {"socket", "ssl", "http", "urllib", "asyncio", "subprocess", "ftplib", "xmlrpc"}
    reaching = {
        f"{path.name}: {module}"
        for path in (ROOT / "checks").rglob("*.py")
        for module in imported(path)
        if module.split(".")[0] in network and module != "urllib.parse"
    }
    assert reaching == set()
