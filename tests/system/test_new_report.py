"""A new report needs a module and a row, as docs/adding-a-report.md shows them: then it is written and verified."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from petcheck.spec.files import suite_root

PAGE = (suite_root() / "docs" / "adding-a-report.md").read_text("utf-8")
MODULE, ROW = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
# the tests that know the files of a run
NOTICING = ("tests/reports/test_outputs.py", "tests/reports/test_terminal.py", "tests/runner/test_reports_folder.py")


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A copy of petcheck with one more report."""
    root = suite_root()
    for name in ("src", "checks", "tests", "docs", "reports", "tools"):
        kept_out = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(root / name, tmp_path / name, ignore=kept_out)
    for path in (*root.glob("*.yaml"), *root.glob("*.py"), *root.glob("*.toml"), *root.glob("*.md")):
        shutil.copy(path, tmp_path)
    (tmp_path / "src/petcheck/reports/requirements_csv.py").write_text(MODULE, encoding="utf-8")
    table = tmp_path / "src/petcheck/reports/outputs.py"
    text = table.read_text("utf-8")
    for place, added in (
        ("from petcheck.results import result as results\n", "from petcheck.reports import requirements_csv\n"),
        ("OUTPUTS = (\n", f"    {ROW.strip()},\n"),
    ):
        assert text.count(place) == 1
        text = text.replace(place, place + added)
    table.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_its_module_and_its_row_are_enough(changed: Path) -> None:
    assert "for a spreadsheet" in ran(changed, "-c", "from tools.generated import REGIONS; print(REGIONS['outputs']())")
    ran(changed, "-m", "petcheck", "--self-test", "--examples", "0", "-k", "test_9", "--reports", "made")
    assert (changed / "made/requirements.csv").read_text("utf-8").startswith("id,target,outcome,reason\n")
    assert ran(changed, "-m", "petcheck", "verify", "made")


@pytest.mark.slow
def test_no_other_test_notices(changed: Path) -> None:
    ran(changed, "-m", "pytest", "-q", "--disable-plugin-autoload", "-p", "hypothesispytest", *NOTICING)


def ran(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
