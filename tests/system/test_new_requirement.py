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
from tests.support.trial import KEY

PAGE = (suite_root() / "docs" / "adding-a-check.md").read_text("utf-8")
# the page shows the imports of the rule on top of it; in the module they stand at its top
ENTRY, RULE_WITH_IMPORTS, CHECK, FAULT, VARIATION = re.findall(r"```(?:yaml|python)\n(.*?)```", PAGE, flags=re.DOTALL)
IMPORTS, RULE = RULE_WITH_IMPORTS.split("\n\n\n", maxsplit=1)
FUTURE = "from __future__ import annotations\n"
HEADER = "from petstore_reference.overrides import header\n"
SERVED = """
from petstore_reference.server import ReferenceSettings, create_app

faulty, free = (
    create_app(ReferenceSettings(keys={{{key!r}: "pro"}}, animals=5, **{{kind: (name,)}}))
    for kind, name in (("faults", "list-with-age"), ("variations", "list-expires"))
)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A copy of the suite with one more requirement."""
    root = suite_root()
    for name in ("src", "checks"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.yaml", "openapi.yaml", "conftest.py"):
        shutil.copy(root / name, tmp_path)
    append(tmp_path / "requirements.yaml", f"\n{ENTRY}")
    insert(tmp_path / "src/petcheck/judging/rules/list_pets.py", FUTURE, f"\n{IMPORTS}\n")
    append(tmp_path / "src/petcheck/judging/rules/list_pets.py", f"\n\n{RULE}")
    append(tmp_path / "checks/test_4_1_list.py", f"\n\n{CHECK}")
    for file, added in (("faults/listing.py", FAULT), ("variations/bodies.py", VARIATION)):
        insert(tmp_path / "src/petstore_reference" / file, FUTURE, f"\n{HEADER}")
        append(tmp_path / "src/petstore_reference" / file, f"\n{added}")
    (tmp_path / "served.py").write_text(SERVED.format(key=KEY), "utf-8")
    return tmp_path


def insert(path: Path, after: str, text: str) -> None:
    before = path.read_text("utf-8")
    assert before.count(after) == 1
    path.write_text(before.replace(after, after + text), encoding="utf-8")


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def petcheck(suite: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(suite / "src"), "PETSTORE_API_KEY": KEY}
    command = [sys.executable, "-m", "petcheck", *arguments]
    return subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True, check=False)


def test_it_is_judged_reported_and_listed(suite: Path) -> None:
    done = petcheck(suite, "--app", "served:faulty", "--examples", "0")
    assert done.returncode == 1, done.stdout + done.stderr
    rows = json.loads((suite / "reports/result.json").read_text("utf-8"))["requirements"]
    row = next(row for row in rows if row["id"] == "LIST-99")
    assert (row["outcome"], set(row["parts"])) == ("fail", {"header:Age"})
    assert [one["id"] for one in rows if one["outcome"] == "fail"] == ["LIST-99"]
    assert "there is an Age (section 4.1)" in row["reason"]
    assert "LIST-99" in done.stdout
    for report in ("report.html", "junit.xml", "summary.md"):
        assert "LIST-99" in (suite / "reports" / report).read_text("utf-8")
    assert "A list has no `Age`." in petcheck(suite, "requirements").stdout


def test_alone_it_passes_where_the_server_uses_the_freedom(suite: Path) -> None:
    done = petcheck(suite, "LIST-99", "--app", "served:free")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((suite / "reports/result.json").read_text("utf-8"))["requirements"]
    assert {row["id"]: row["outcome"] for row in rows if row["outcome"] != "not-run"} == {"LIST-99": "pass"}
