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
from collections.abc import Iterator
from contextlib import contextmanager
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

pytestmark = pytest.mark.slow

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


@contextmanager
def served(suite: Path) -> Iterator[str]:
    """The URL of a server that breaks the new requirement."""
    command = [sys.executable, "-m", "petcheck", "serve", "--port", "0", "--quiet", "--fault", "list-with-age"]
    environment = {**os.environ, "PYTHONPATH": str(suite / "src"), "PETSTORE_API_KEY": KEY}
    with subprocess.Popen(command, cwd=suite, stdout=subprocess.PIPE, text=True, env=environment) as serving:
        try:
            assert serving.stdout is not None
            yield re.findall(r"http://[0-9.:]+/v1", serving.stdout.readline())[0]
        finally:
            serving.terminate()


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


def test_an_older_set_leaves_it_out(suite: Path) -> None:
    """A server that 0.1.0 certified does not fail what 0.2.0 added, and every report says so."""
    older = ("--requirements-as-of", "0.1.0")
    done = petcheck(suite, "--app", "served:faulty", "--examples", "0", "--strict", *older)
    assert done.returncode == 7, done.stdout + done.stderr  # RATE-7 takes --exhaust-rate-limit
    said = "Judged by the requirements of 0.1.0: 1 newer one left out (LIST-99)."
    result = json.loads((suite / "reports/result.json").read_text("utf-8"))
    row = next(row for row in result["requirements"] if row["id"] == "LIST-99")
    assert (row["outcome"], row["in_force"]) == ("not-run", False)
    assert row["reason"] == "Not in the requirements of 0.1.0: 0.2.0 added it."
    assert not any("test_a_list_has_no_age" in check["id"] for check in result["checks"])
    assert (result["run"]["settings"]["requirements_as_of"], result["run"]["left_out"]) == ("0.1.0", ["LIST-99"])
    assert said in done.stdout
    for report in ("report.html", "summary.md"):
        assert said in (suite / "reports" / report).read_text("utf-8").replace("`", "")
    stated = json.loads((suite / "reports/attestation.json").read_text("utf-8"))["predicate"]
    assert (stated["run"]["requirements_as_of"], stated["run"]["left_out"]) == ("0.1.0", ["LIST-99"])
    assert not any("LIST-99" in name for kind in ("passed", "warned", "failed") for name in stated[f"{kind}Tests"])
    verified = petcheck(suite, "verify", "reports")
    assert verified.returncode == 0, verified.stdout
    assert said in verified.stdout
    assert "by the requirements of 0.1.0; made from" in verified.stdout


def test_a_recording_is_judged_by_either_set(suite: Path) -> None:
    assert petcheck(suite, "--app", "served:faulty", "--examples", "0").returncode == 1
    older = petcheck(suite, "judge", "reports", "--requirements-as-of", "0.1.0", "--reports", "older")
    assert (older.returncode, "LIST-99 fails" in older.stdout) == (0, False), older.stdout
    assert petcheck(suite, "verify", "older").returncode == 0
    assert petcheck(suite, "judge", "older", "--requirements-as-of", "0.2.0").returncode == 1
    # merged with a run by another set it would be neither
    apart = petcheck(suite, "merge", "reports", "older", "-o", "merged")
    assert apart.returncode == 4
    assert "different options or waivers" in apart.stderr


def test_shards_and_their_merge_leave_it_out(suite: Path) -> None:
    with served(suite) as url:
        targets = ("--target", f"one={url}", "--target", f"two={url}", "--requirements-as-of", "0.1.0", "--seed", "1")
        for number in (1, 2):
            done = petcheck(suite, *targets, "--shard", f"{number}/2", "--reports", f"part-{number}", "--examples", "0")
            assert done.returncode == 0, done.stdout + done.stderr
    merged = petcheck(suite, "merge", "part-1", "part-2", "-o", "merged")
    assert merged.returncode == 0, merged.stdout + merged.stderr
    assert "1 newer one left out (LIST-99)" in merged.stdout
    assert petcheck(suite, "verify", "merged").returncode == 0


def test_an_unknown_set_is_refused_in_one_line(suite: Path) -> None:
    for command in (("--app", "served:faulty"), ("judge", "reports")):
        done = petcheck(suite, *command, "--requirements-as-of", "0.3.0")
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr.endswith("--requirements-as-of 0.3.0: no such set of requirements; sets: 0.1.0, 0.2.0\n")
        assert done.stderr.count("\n") == 1
