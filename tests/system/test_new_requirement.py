"""A new requirement needs its entry, its rule and its check, as docs/adding-a-check.md shows them: then it is judged,
reported and listed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from petcheck.spec.files import suite_root
from tests.support.trial import KEY, server

PAGE = (suite_root() / "docs" / "adding-a-check.md").read_text("utf-8")
# the page shows the imports of the rule on top of it; in the module they stand at its top
ENTRY, RULE_WITH_IMPORTS, CHECK = re.findall(r"```(?:yaml|python)\n(.*?)```", PAGE, flags=re.DOTALL)
IMPORTS, RULE = RULE_WITH_IMPORTS.split("\n\n\n", maxsplit=1)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A copy of the suite with one more requirement."""
    root = suite_root()
    for name in ("src", "checks"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.yaml", "openapi.yaml", "conftest.py"):
        shutil.copy(root / name, tmp_path)
    append(tmp_path / "requirements.yaml", f"\n{ENTRY}")
    rules = tmp_path / "src/petcheck/judging/rules/list_pets.py"
    future = "from __future__ import annotations\n"
    rules.write_text(
        rules.read_text("utf-8").replace(future, f"{future}\n{IMPORTS}\n") + f"\n\n{RULE}", encoding="utf-8"
    )
    append(tmp_path / "checks/test_4_1_list.py", f"\n\n{CHECK}")
    return tmp_path


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def petcheck(suite: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(suite / "src"), "PETSTORE_API_KEY": KEY}
    command = [sys.executable, "-m", "petcheck", *arguments]
    return subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True, check=False)


def test_it_is_judged_reported_and_listed(suite: Path) -> None:
    with server(animals=5) as url:
        done = petcheck(suite, "--target", url, "--examples", "0")
    assert done.returncode == 1, done.stdout + done.stderr
    rows = json.loads((suite / "reports/result.json").read_text("utf-8"))["requirements"]
    row = next(row for row in rows if row["id"] == "LIST-99")
    assert (row["outcome"], set(row["parts"])) == ("fail", {"header:Content-Language"})
    assert [one["id"] for one in rows if one["outcome"] == "fail"] == ["LIST-99"]
    assert "there is no Content-Language (section 4.1)" in row["reason"]
    assert "LIST-99" in done.stdout
    for report in ("report.html", "junit.xml", "summary.md"):
        assert "LIST-99" in (suite / "reports" / report).read_text("utf-8")
    assert "The list names its language." in petcheck(suite, "requirements").stdout
