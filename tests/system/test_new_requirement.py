"""A new requirement needs its entry, rule, check and cells, as docs/adding-a-check.md shows them: then it is judged,
reported and listed.
"""

from __future__ import annotations

import doctest
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

from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import suite_root
from tests.support.trial import KEY
from tools import openapi_ids

PAGE = (suite_root() / "docs" / "adding-a-check.md").read_text("utf-8")
# the page shows the imports of the rule on top of it; in the module they stand at its top
# the page shows no number that will be taken one day
NEW = f"LIST-{1 + sum(entry.id.startswith('LIST-') for entry in catalogue().judged)}"
ENTRY, RULE_WITH_IMPORTS, CHECK, CELLS, FAULT, VARIATION = (
    block.replace("LIST-99", NEW) for block in re.findall(r"```(?:yaml|python)\n(.*?)```", PAGE, flags=re.DOTALL)
)
IMPORTS, RULE = RULE_WITH_IMPORTS.split("\n\n\n", maxsplit=1)
pytestmark = pytest.mark.slow
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
    for name in ("requirements.yaml", "openapi.yaml", "conftest.py", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(root / name, tmp_path)
    catalogued = (tmp_path / "requirements.yaml").read_text("utf-8")
    before = catalogued.index("- id: limit-zero\n")
    (tmp_path / "requirements.yaml").write_text(catalogued[:before] + ENTRY + catalogued[before:], "utf-8")
    (tmp_path / "openapi.yaml").write_text(openapi_ids.with_ids(tmp_path), "utf-8")
    insert(tmp_path / "src/petcheck/judging/rules/list_pets.py", FUTURE, f"\n{IMPORTS}\n")
    append(tmp_path / "src/petcheck/judging/rules/list_pets.py", f"\n\n{RULE}")
    append(tmp_path / "checks/test_4_1_list.py", f"\n\n{CHECK}")
    append(tmp_path / "src/petcheck/judging/cells.py", CELLS)
    for file, added in (("faults/listing.py", FAULT), ("variations/bodies.py", VARIATION)):
        insert(tmp_path / "src/petstore_reference" / file, FUTURE, f"\n{HEADER}")
        append(tmp_path / "src/petstore_reference" / file, f"\n{added}")
    (tmp_path / "served.py").write_text(SERVED.format(key=KEY), "utf-8")
    return tmp_path


@pytest.fixture
def released(suite: Path) -> Path:
    """The same, once 0.2.0 has published the requirement."""
    insert(suite / "requirements.yaml", ENTRY, '  since: "0.2.0"\n')
    return suite


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


def test_the_digest_of_the_entry_is_that_of_its_sentence() -> None:
    [session] = re.findall(r"```pycon\n(.*?)```", PAGE, flags=re.DOTALL)
    assert doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(session, {}, "page", None, 0)).failed == 0
    assert session.split("'")[1] in ENTRY


def test_it_is_judged_reported_and_listed(suite: Path) -> None:
    done = petcheck(suite, "--app", "served:faulty", "--examples", "0")
    assert done.returncode == 1, done.stdout + done.stderr
    rows = json.loads((suite / "reports/result.json").read_text("utf-8"))["requirements"]
    row = next(row for row in rows if row["id"] == NEW)
    assert (row["outcome"], set(row["parts"])) == ("fail", {"header:Age"})
    assert [one["id"] for one in rows if one["outcome"] == "fail"] == [NEW]
    assert "there is an Age (section 4.1)" in row["reason"]
    assert NEW in done.stdout
    for report in ("report.html", "junit.xml", "summary.md"):
        assert NEW in (suite / "reports" / report).read_text("utf-8")
    assert "A list has no `Age`." in petcheck(suite, "requirements").stdout


# the tests that list requirements, or what is made from them
NOTICING = ("spec", "properties/test_pool.py", "runner/test_shown_plan.py", "reports/test_statement_html.py",
            "reports/test_report_html.py", "toolkit/test_feeds.py", "judging/test_cells.py", "config/test_load.py",
            "config/test_choice.py", "comparison/test_compare.py", "system/test_compare.py",
            "traffic/test_recorders.py")  # fmt: skip


@pytest.mark.slow
def test_no_other_test_notices(suite: Path) -> None:
    shutil.copytree(
        suite_root() / "tests", suite / "tests", ignore=shutil.ignore_patterns("__pycache__", "node_modules")
    )
    shutil.copytree(suite_root() / "tools", suite / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pytest", "-q", "--disable-plugin-autoload", "-p", "hypothesispytest"]
    done = subprocess.run(
        [*command, "-m", "not slow", *(f"tests/{name}" for name in NOTICING)],
        cwd=suite,
        env={**os.environ, "PYTHONPATH": f"{suite / 'src'}{os.pathsep}{suite}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_alone_it_passes_where_the_server_uses_the_freedom(suite: Path) -> None:
    done = petcheck(suite, NEW, "--app", "served:free")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((suite / "reports/result.json").read_text("utf-8"))["requirements"]
    assert {row["id"]: row["outcome"] for row in rows if row["outcome"] != "not-run"} == {NEW: "pass"}


def test_an_older_set_leaves_it_out(released: Path) -> None:
    """A server that 0.1.0 certified does not fail what 0.2.0 added, and every report says so."""
    older = ("--requirements-as-of", "0.1.0")
    done = petcheck(released, "--app", "served:faulty", "--examples", "0", "--strict", *older)
    assert done.returncode == 7, done.stdout + done.stderr  # RATE-7 takes --exhaust-rate-limit
    said = f"Judged by the requirements of 0.1.0: 1 newer one left out ({NEW})."
    result = json.loads((released / "reports/result.json").read_text("utf-8"))
    row = next(row for row in result["requirements"] if row["id"] == NEW)
    assert (row["outcome"], row["in_force"]) == ("not-run", False)
    assert row["reason"] == "Not in the requirements of 0.1.0: 0.2.0 added it."
    assert not any("test_a_list_has_no_age" in check["id"] for check in result["checks"])
    assert (result["run"]["settings"]["requirements_as_of"], result["run"]["left_out"]) == ("0.1.0", [NEW])
    assert said in done.stdout
    for report in ("report.html", "summary.md"):
        assert said in (released / "reports" / report).read_text("utf-8").replace("`", "")
    stated = json.loads((released / "reports/attestation.json").read_text("utf-8"))["predicate"]
    assert (stated["run"]["requirements_as_of"], stated["run"]["left_out"]) == ("0.1.0", [NEW])
    assert not any(NEW in name for kind in ("passed", "warned", "failed") for name in stated[f"{kind}Tests"])
    verified = petcheck(released, "verify", "reports")
    assert verified.returncode == 0, verified.stdout
    assert said in verified.stdout
    assert "by the requirements of 0.1.0; made from" in verified.stdout


def test_a_recording_is_judged_by_either_set(released: Path) -> None:
    assert petcheck(released, "--app", "served:faulty", "--examples", "0").returncode == 1
    older = petcheck(released, "judge", "reports", "--requirements-as-of", "0.1.0", "--reports", "older")
    assert (older.returncode, f"{NEW} fails" in older.stdout) == (0, False), older.stdout
    assert petcheck(released, "verify", "older").returncode == 0
    assert petcheck(released, "judge", "older", "--requirements-as-of", "0.2.0").returncode == 1
    # merged with a run by another set it would be neither
    apart = petcheck(released, "merge", "reports", "older", "-o", "merged")
    assert apart.returncode == 4
    assert "different options or waivers" in apart.stderr


def test_shards_and_their_merge_leave_it_out(released: Path) -> None:
    with served(released) as url:
        targets = ("--target", f"one={url}", "--target", f"two={url}", "--requirements-as-of", "0.1.0", "--seed", "1")
        for number in (1, 2):
            done = petcheck(
                released, *targets, "--shard", f"{number}/2", "--reports", f"part-{number}", "--examples", "0"
            )
            assert done.returncode == 0, done.stdout + done.stderr
    merged = petcheck(released, "merge", "part-1", "part-2", "-o", "merged")
    assert merged.returncode == 0, merged.stdout + merged.stderr
    assert f"1 newer one left out ({NEW})" in merged.stdout
    assert petcheck(released, "verify", "merged").returncode == 0


def test_an_unknown_set_is_refused_in_one_line(released: Path) -> None:
    for command in (("--app", "served:faulty"), ("judge", "reports")):
        done = petcheck(released, *command, "--requirements-as-of", "0.3.0")
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr.endswith("--requirements-as-of 0.3.0: no such set of requirements; sets: 0.1.0, 0.2.0\n")
        assert done.stderr.count("\n") == 1
