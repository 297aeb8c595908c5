"""The wheel, installed by the tools that people use, from a package index. `make test-install` runs these tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
FOREIGN = ("PYTHON", "PYTEST", "PETCHECK", "PETSTORE", "VIRTUAL_ENV", "PYENV_VERSION")

pytestmark = pytest.mark.install


def python(version: str) -> Path:
    """A Python of that version on this machine: on the path, or one that pyenv has made."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    on_path = shutil.which(f"python{version}")
    for path in [*sorted(pyenv.glob(f"{version}.*/bin/python")), *([Path(on_path)] if on_path else [])]:
        done = subprocess.run([path, "-c", "import venv, ssl"], capture_output=True, check=False)
        if done.returncode == 0:
            return path
    pytest.skip(f"no Python {version} on this machine")


def run(*command: str | Path, cwd: Path, more: Sequence[tuple[str, str]] = ()) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)} | dict(more)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT, cwd=folder)
    return next(folder.glob("*.whl"))


def assert_judged(folder: Path) -> None:
    result = json.loads((folder / "reports" / "result.json").read_text("utf-8"))
    assert (result["complete"], result["run"]["exit"]) == (True, 0)
    assert sum(row["outcome"] == "pass" for row in result["requirements"]) > 40


@pytest.mark.parametrize("version", VERSIONS)
def test_uv_tool_run(version: str, wheel: Path, tmp_path: Path) -> None:
    run(
        BIN / "uv", "tool", "run", "--python", python(version), "--from", wheel, "petcheck", "--self-test", cwd=tmp_path
    )
    assert_judged(tmp_path)


@pytest.mark.parametrize("version", VERSIONS)
def test_pip(version: str, wheel: Path, tmp_path: Path) -> None:
    run(python(version), "-m", "venv", "env", cwd=tmp_path)
    run(tmp_path / "env" / "bin" / "pip", "install", wheel, cwd=tmp_path)
    run(tmp_path / "env" / "bin" / "petcheck", "--self-test", "--examples", "0", cwd=tmp_path)
    assert_judged(tmp_path)


def test_pipx_run(wheel: Path, tmp_path: Path) -> None:
    homes = [(name, str(tmp_path / name)) for name in ("PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR")]
    pipx: list[str | Path] = [BIN / "uv", "tool", "run", "pipx"]
    run(*pipx, "run", "--spec", wheel, "petcheck", "--self-test", "--examples", "0", cwd=tmp_path, more=homes)
    assert_judged(tmp_path)


def test_the_lowest_versions_that_are_allowed(wheel: Path, tmp_path: Path) -> None:
    run(BIN / "uv", "venv", "--quiet", "--python", sys.executable, "env", cwd=tmp_path)
    interpreter = tmp_path / "env" / "bin" / "python"
    install: list[str | Path] = [
        BIN / "uv",
        "pip",
        "install",
        "--quiet",
        "--resolution",
        "lowest-direct",
        "--python",
        interpreter,
    ]
    run(*install, wheel, cwd=tmp_path)
    run(tmp_path / "env" / "bin" / "petcheck", "--self-test", cwd=tmp_path)
    assert_judged(tmp_path)
