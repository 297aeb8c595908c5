"""The plugin under plain pytest: it handles its own checks and no other tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from petcheck.evidence.verify import verify
from petcheck.spec.files import suite_root
from petcheck.stream.lines import NARROWED
from tests.support.command import KEY, environment
from tests.support.trial import server


def pytest_run(folder: Path, *arguments: str, key: str | None = KEY) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env=environment(key, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_it_does_nothing_in_a_run_without_checks(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "def test_holds():\n    pass\n\ndef test_fails():\n    x = 1\n    assert x == 2\n"
    )
    ran = pytest_run(tmp_path, "-p", "petcheck.runner.plugin", "-p", "no:cacheprovider", "test_other.py", key=None)
    assert ran.returncode == 1
    assert "1 failed, 1 passed" in ran.stdout
    assert "assert 1 == 2" in ran.stdout
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("test_other.py", "__pycache__")] == []


def test_a_usage_error_is_one_line_under_pytest_too(tmp_path: Path) -> None:
    reports = ["--reports", str(tmp_path / "reports")]
    ran = pytest_run(suite_root(), "checks", "--target", "host/v1", *reports)
    assert ran.returncode == 4
    assert ran.stderr.strip() == "ERROR: --target host/v1: not an http or https URL; write it as https://host/v1"
    assert not (tmp_path / "reports" / "result.json").exists()


def test_an_app_that_breaks_is_one_line_under_pytest_too(tmp_path: Path) -> None:
    ran = pytest_run(suite_root(), "checks", "--app", "no_such_module:app", "--reports", str(tmp_path))
    assert ran.returncode == 4
    assert ran.stderr.startswith("ERROR: --app no_such_module:app: No module named 'no_such_module'; write it as")
    assert len(ran.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_its_markers_have_help() -> None:
    ran = pytest_run(suite_root(), "--markers")
    for line in (
        "requirement(*ids): the catalogue entries",
        "observes(*ids): the open points",
        "stage(name): when a check runs",
    ):
        assert f"@pytest.mark.{line}" in ran.stdout


def test_collecting_sends_and_writes_nothing(tmp_path: Path) -> None:
    arguments = [
        "checks",
        "--collect-only",
        "-q",
        "--target",
        "http://127.0.0.1:9/v1",
        "--reports",
        str(tmp_path / "r"),
    ]
    ran = pytest_run(suite_root(), *arguments)
    assert ran.returncode == 0
    assert "checks/test_9_versioning.py::" in ran.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "narrowed",
    [("--deselect", "checks/test_9_versioning.py"), ("--ignore", "checks/test_9_versioning.py"), ("-m", "observes")],
)
def test_what_pytest_leaves_out_is_told_and_the_rest_is_proven(narrowed: tuple[str, str], tmp_path: Path) -> None:
    with server(key=KEY) as url:
        reports = ("--target", url, "--reports", str(tmp_path), "--examples", "0")
        ran = pytest_run(suite_root(), "checks", "-q", "-p", "no:cacheprovider", *reports, *narrowed)
    assert ran.returncode == 0, ran.stdout
    found = verify(tmp_path, None)
    assert found.wrong == ()
    assert found.stream is not None
    assert narrowed[1] in str(found.stream.head.options[NARROWED])
