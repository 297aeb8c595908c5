"""The wheel installs the complete suite, which runs in any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import petcheck

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# for the shell and for man, below the prefix that it is installed into
SHARED = {
    "share/man/man1/petcheck.1",
    "share/bash-completion/completions/petcheck",
    "share/zsh/site-functions/_petcheck",
    "share/fish/vendor_completions.d/petcheck.fish",
}
SUITE = ["checks", "conftest.py", "openapi.yaml", "requirements.yaml"]


def files_below(top: Path) -> set[str]:
    """The files that git would keep, by their paths below `top`; `top` itself if it is a file."""
    if top.is_file():
        return {""}
    found = (path for path in top.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(top).as_posix() for path in found}


def output_of(*command: str | Path, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a command with nothing of this process's Python, pytest or target settings in its environment."""
    foreign = ("PYTHON", "PYTEST", "PETCHECK", "PETSTORE", "COV_", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 or not check, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    output_of(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return dist / f"petcheck-{petcheck.__version__}-py3-none-any.whl"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `petcheck` command of an environment that has the wheel, and its dependencies from this environment."""
    home = tmp_path_factory.mktemp("installed")
    output_of(sys.executable, "-m", "venv", "--without-pip", home, cwd=home)
    python = home / "bin" / "python"
    output_of(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
        cwd=home,
    )
    packages = output_of(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home)
    # A path file that a path file leads to is not read, so the checkout, installed in place, stays out of sight.
    (Path(packages.stdout.strip()) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin" / "petcheck"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder whose own pytest settings break every run that reads them."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (folder / "pyproject.toml").write_text('[tool.pytest]\naddopts = ["--no-such-option"]\n')
    (folder / "conftest.py").write_text("raise SystemExit('the conftest.py of the folder was run')\n")
    (folder / "test_stray.py").write_text("raise SystemExit('a test of the folder was run')\n")
    return folder


def test_the_wheel_contains_the_package_and_the_suite(wheel: Path) -> None:
    expected = files_below(ROOT / "src")
    for top in SUITE:
        expected |= {f"petcheck/suite/{top}/{name}".rstrip("/") for name in files_below(ROOT / top)}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    shared = {name.partition(".data/data/")[2] for name in held if ".data/data/" in name}
    assert {name for name in held if ".data/data/" not in name} == expected
    assert shared == SHARED
    assert "petcheck/results/result.schema.json" in held
    assert any(name.startswith("petcheck/suite/checks/test_") for name in held)


def test_the_wheel_has_its_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        information = f"petcheck-{petcheck.__version__}.dist-info"
        held = {name.removeprefix(information) for name in archive.namelist() if name.startswith(information)}
        scripts = archive.read(f"{information}/entry_points.txt").decode()
    assert "/licenses/LICENSE" in held
    # No `pytest11`: the plugin must not load in other people's test runs.
    assert scripts == "[console_scripts]\npetcheck = petcheck.cli.main:main\n"


def test_the_source_distribution_can_be_tested(dist: Path) -> None:
    top = f"petcheck-{petcheck.__version__}"
    with tarfile.open(dist / f"{top}.tar.gz") as archive:
        held = {name.removeprefix(f"{top}/") for name in archive.getnames()}
    needed = {
        "Makefile",
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "Containerfile",
        "action.yml",
        "LICENSE",
        "pyproject.toml",
        "zensical.toml",
        "requirements.lock",
        "requirements-test.lock",
        "requirements-openapi.lock",
        "requirements-docs.lock",
    }
    needed |= {f"tests/{name}" for name in files_below(ROOT / "tests")}
    assert needed <= held


def test_another_folder_and_umask_build_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    with tarfile.open(dist / f"petcheck-{petcheck.__version__}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"petcheck-{petcheck.__version__}"
    for path in source.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    build = 'umask 077 && exec "$0" -m build --no-isolation --outdir "$1" "$2"'
    output_of("sh", "-c", build, sys.executable, tmp_path / "again", source, cwd=tmp_path)
    again = {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert again == {path.name: path.read_bytes() for path in dist.iterdir()}


def test_the_installed_command_knows_its_version(installed: Path, elsewhere: Path) -> None:
    assert petcheck.__version__ in output_of(installed, "--version", cwd=elsewhere).stdout


def test_the_installed_command_explains_a_requirement(installed: Path, elsewhere: Path) -> None:
    page = output_of(installed, "explain", "CREATE-5", cwd=elsewhere).stdout
    assert "A conforming response" in page
    assert "What it catches: " in page


def test_the_installed_command_runs_in_any_folder(installed: Path, elsewhere: Path) -> None:
    """The main use, from the wheel, among foreign settings."""
    output_of(installed, "--self-test", cwd=elsewhere)
    result = json.loads((elsewhere / "reports" / "result.json").read_text("utf-8"))
    assert (result["complete"], result["run"]["exit"]) == (True, 0)
    assert {row["outcome"] for row in result["requirements"]} <= {"pass", "inconclusive", "not-run"}
    assert not list(elsewhere.rglob("__pycache__"))
