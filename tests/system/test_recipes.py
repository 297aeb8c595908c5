"""The recipes for CI systems are what the systems accept, and the shell in them does what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from petcheck.results import totals
from petcheck.results.result import load
from tests.config.configured import configured
from tests.support.command import KEY, environment
from tests.support.trial import server

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
EXAMPLES = ROOT / "examples"
COMPONENT = ROOT / "templates" / "conformance.yml"
ACTION = ROOT / "action.yml"


def loaded(path: Path) -> list[Any]:
    return list(yaml.safe_load_all(path.read_text("utf-8")))


def in_jenkins() -> str:
    found = re.search(r"sh '''\n(.*?)'''", (EXAMPLES / "Jenkinsfile").read_text("utf-8"), re.DOTALL)
    assert found
    return textwrap.dedent(found[1])


def of_step(steps: list[dict[str, Any]], word: str) -> str:
    return next(str(text) for step in steps for text in (step.get("run"), step.get("bash")) if text and word in text)


ACTION_STEPS = loaded(ACTION)[0]["runs"]["steps"]
SCRIPTS = {
    "action, install": ("bash", of_step(ACTION_STEPS, "venv")),
    "action, what": ("bash", of_step(ACTION_STEPS, "hashlib")),
    "action, judge": ("bash", of_step(ACTION_STEPS, "PETSTORE_API_KEY")),
    "gitlab": ("sh", loaded(COMPONENT)[1]["$[[ inputs.job ]]"]["script"][0]),
    "azure": ("bash", of_step(loaded(EXAMPLES / "azure-pipelines.yml")[0]["steps"], "venv")),
    "jenkins": ("sh", in_jenkins()),
    "release": ("bash", of_step(loaded(EXAMPLES / "release-gate.yml")[0]["jobs"]["release"]["steps"], "gh ")),
    "nightly": (
        "bash",
        of_step(loaded(EXAMPLES / "nightly-audit.yml")[0]["jobs"]["audit"]["steps"], "petcheck"),
    ),
}


# ---- what the systems accept


def schema_trouble(kind: str, *files: Path) -> str:
    options = {
        "azure-pipelines": ["--data-transform", "azure-pipelines", "--regex-variant", "python"],
        "gitlab-ci": ["--data-transform", "gitlab-ci"],
    }
    command: list[str | Path] = [
        BIN / "check-jsonschema",
        "--builtin-schema",
        f"vendor.{kind}",
        *options.get(kind, []),
        *files,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def gitlab_documents(folder: Path, text: str) -> list[Path]:
    """The two documents of a component, since the checker reads files of one."""
    files = []
    for number, document in enumerate(text.split("\n---\n")):
        files.append(folder / f"{number}.yml")
        files[-1].write_text(document, "utf-8")
    return files


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "file", "right", "wrong"),
    [
        ("github-actions", ACTION, "using: composite", "using: composed"),
        ("github-workflows", EXAMPLES / "release-gate.yml", "runs-on:", "runs_on:"),
        ("github-workflows", EXAMPLES / "nightly-audit.yml", "timeout-minutes: 30", "timeout-minutes: [30]"),
        ("azure-pipelines", EXAMPLES / "azure-pipelines.yml", "publish: reports", "publishes: reports"),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else None,
)
def test_each_file_obeys_its_schema_and_a_mistake_does_not(
    kind: str, file: Path, right: str, wrong: str, tmp_path: Path
) -> None:
    assert schema_trouble(kind, file) == ""
    changed = tmp_path / file.name
    changed.write_text(file.read_text("utf-8").replace(right, wrong), "utf-8")
    assert schema_trouble(kind, changed)


def test_the_component_obeys_its_schema_and_a_mistake_does_not(tmp_path: Path) -> None:
    text = COMPONENT.read_text("utf-8")
    assert schema_trouble("gitlab-ci", *gitlab_documents(tmp_path, text)) == ""
    assert schema_trouble("gitlab-ci", *gitlab_documents(tmp_path, text.replace("when: always", "when: ever")))


def test_the_containerfile_is_clean_pinned_and_not_root() -> None:
    text = (ROOT / "Containerfile").read_text("utf-8")
    subprocess.run([BIN / "hadolint", ROOT / "Containerfile"], check=True)
    assert re.search(r"^ARG PYTHON=\S+:\d+\.\d+\.\d+-slim-\w+$", text, re.MULTILINE)
    last_user = re.findall(r"^USER (.*)$", text, re.MULTILINE)[-1]
    assert last_user.split(":")[0] != "0"
    copied = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert all((ROOT / name).exists() for name in copied)
    assert read_by_a_build() <= copied


def read_by_a_build() -> set[str]:
    """What building the wheel reads, by top name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    return {"pyproject.toml", "src", project["project"]["readme"], *wheel["force-include"], "requirements.lock"}


# ---- the shell in them


@pytest.mark.parametrize("name", SCRIPTS)
def test_shellcheck_has_nothing_to_say(name: str, tmp_path: Path) -> None:
    shell, text = SCRIPTS[name]
    script = tmp_path / "script"
    script.write_text(f"#!/usr/bin/env {shell}\n{text}", "utf-8")
    done = subprocess.run([BIN / "shellcheck", "--shell", shell, script], capture_output=True, text=True, check=False)
    assert done.stdout == ""


def test_no_script_takes_an_expression_of_the_system_as_text() -> None:
    for name, (_, text) in SCRIPTS.items():
        assert "${{" not in text, f"{name}: a value that comes in as text can become a command"
        assert "$[[" not in text, name


def test_the_gate_reads_its_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    config = configured((EXAMPLES / "release-gate.toml").read_text("utf-8"))
    assert [(target.name, target.plan, target.writes) for target in config.targets] == [("staging", "pro", True)]
    assert [waiver.requirement for waiver in config.waivers] == ["LIST-4"]


@dataclass
class Ran:
    """A script that ended: its exit code, its output, and the folder in which it ran."""

    code: int
    said: str
    folder: Path

    @property
    def outputs(self) -> dict[str, str]:
        lines = (self.folder / "outputs").read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)


# stands for `python -m venv` and pip, so that nothing is installed
PYTHON = f"""#!/bin/sh
[ "$1 $2" = "-m venv" ] || exit 3
mkdir -p "$3/bin"
ln -sf {BIN / "petcheck"} {BIN / "python"} "$3/bin/"
printf '#!/bin/sh\\necho "pip $*" >> "$PIP_LOG"\\n' > "$3/bin/pip"
chmod +x "$3/bin/pip"
"""


@pytest.fixture
def url() -> Iterator[str]:
    with server(key=KEY) as url:
        yield url


def run_script(folder: Path, name: str, **variables: str) -> Ran:
    """Run a script as its system does: bash stops at the first error."""
    shell, text = SCRIPTS[name]
    tools = folder / "tools"
    tools.mkdir()
    for python in ("python", "python3"):
        (tools / python).write_text(PYTHON)
        (tools / python).chmod(0o755)
    own = {"PATH": f"{tools}:{os.environ['PATH']}", "PIP_LOG": str(folder / "pip.log")}
    own |= {"GITHUB_OUTPUT": str(folder / "outputs"), "RUNNER_TEMP": str(folder), "HOME_OF_PETCHECK": str(BIN.parent)}
    (folder / "petcheck").mkdir()
    (folder / "petcheck" / "bin").symlink_to(BIN)
    options = ["--noprofile", "--norc", "-eo", "pipefail"] if shell == "bash" else ["-e"]
    done = subprocess.run(
        [shell, *options, "-c", text],
        cwd=folder,
        env=environment(None, own | variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout + done.stderr, folder)


JUDGE = {"TARGETS": "", "KEY": KEY, "PLAN": "", "WRITES": "", "ARGUMENTS": "--examples\n0", "REPORTS": "out"}


def test_the_action_judges_and_tells_its_outputs(tmp_path: Path, url: str) -> None:
    given = JUDGE | {"TARGETS": f"staging={url}\nsecond={url}\n", "PLAN": "pro", "WRITES": "second"}
    page = tmp_path / "page.md"
    ran = run_script(tmp_path, "action, judge", **given, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(page))
    assert ran.code == 0, ran.said
    assert page.read_text("utf-8") == (tmp_path / "out" / "summary.md").read_text("utf-8")
    result = load(tmp_path / "out" / "result.json")
    assert [(target.name, target.plan, target.writes) for target in result.targets] == [
        ("staging", "pro", False),
        ("second", "pro", True),
    ]
    assert (ran.outputs["exit"], ran.outputs["reports"]) == ("0", "out")
    counts = json.loads(ran.outputs["counts"])
    assert counts == {name: number for name, number in totals.tally(result.requirements).items() if number}
    assert counts["n/a"] == sum(not row.in_force for row in result.requirements) > 0
    assert ran.outputs["verdict"]
    assert set(ran.outputs) == {*loaded(ACTION)[0]["outputs"]}


def test_the_action_fails_where_the_target_does(tmp_path: Path) -> None:
    with server(faults=["no-limit-header"], key=KEY) as url:
        ran = run_script(tmp_path, "action, judge", **JUDGE | {"TARGETS": url, "WRITES": "false"})
    assert (ran.code, ran.outputs["exit"]) == (1, "1")
    assert json.loads(ran.outputs["counts"])["fail"] >= 1
    assert "fail" in ran.outputs["verdict"]


def test_the_action_without_targets_does_not_test_petcheck_itself(tmp_path: Path) -> None:
    ran = run_script(tmp_path, "action, judge", **JUDGE)
    assert (ran.code, ran.outputs) == (4, {"exit": "4", "reports": "out"})
    assert ran.said == "petcheck: no target; give --target URL, or --self-test to test petcheck itself\n"


def test_the_action_says_what_is_wrong_with_its_inputs(tmp_path: Path) -> None:
    ran = run_script(tmp_path, "action, judge", **JUDGE | {"TARGETS": "http://127.0.0.1:9/v1", "PLAN": "gold; echo no"})
    assert (ran.code, ran.outputs) == (4, {"exit": "4", "reports": "out"})
    assert "gold; echo no: no such plan" in ran.said


@pytest.mark.parametrize(
    ("version", "installed"),
    [
        ("1.2.3", ["install petcheck==1.2.3"]),
        ("", ["install --require-hashes --requirement", "install --no-deps --no-build-isolation"]),
    ],
)
def test_the_action_installs_its_own_source_or_a_version(version: str, installed: list[str], tmp_path: Path) -> None:
    log = tmp_path / "python.log"
    # a Python that notes what pip is asked for
    fake = f"""#!/bin/sh
if [ "$2" = venv ]; then
  mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && printf '#!/bin/sh\\necho petcheck 0\\n' > "$3/bin/petcheck"
  chmod +x "$3/bin/petcheck"
else echo "$@" >> {log}; fi
"""
    home = tmp_path / "venv"
    variables = {"HOME_OF_PETCHECK": str(home), "SOURCE": str(ROOT), "VERSION": version}
    global_python = tmp_path / "first"
    global_python.mkdir()
    (global_python / "python3").write_text(fake)
    (global_python / "python3").chmod(0o755)
    ran = run_script(tmp_path, "action, install", **variables, PATH=f"{global_python}:{os.environ['PATH']}")
    assert ran.code == 0, ran.said
    asked = log.read_text("utf-8").splitlines()
    assert len(asked) == len(installed)
    assert all(words in line for words, line in zip(installed, asked, strict=True))


def test_the_action_caches_by_what_it_installs(tmp_path: Path) -> None:
    def key(version: str = "") -> str:
        output = tmp_path / "output"
        output.write_text("")
        variables = {"SOURCE": str(source), "VERSION": version, "GITHUB_OUTPUT": str(output)}
        subprocess.run(["bash", "-e", "-c", SCRIPTS["action, what"][1]], env=os.environ | variables, check=True)
        return output.read_text("utf-8")

    source = tmp_path / "source"
    (source / "src").mkdir(parents=True)
    (source / "requirements.lock").write_text("a==1")
    (source / "src" / "module.py").write_text("one")
    first = key()
    assert re.fullmatch(r"is=[0-9a-f]{64}\n", first)
    (source / "src" / "module.pyc").write_text("compiled")
    assert key() == first
    (source / "src" / "module.py").write_text("two")
    assert key() != first
    assert key(version="1.2.3") == "is=1.2.3\n"


def test_the_gitlab_job_judges(tmp_path: Path, url: str) -> None:
    given = {"TARGET": url, "PLAN": "pro", "WRITES": "true", "ARGUMENTS": "--examples\n0", "PACKAGE": "petcheck==9"}
    given["HOME_OF_PETCHECK"] = str(tmp_path / "venv")
    ran = run_script(tmp_path, "gitlab", **given, PETSTORE_API_KEY=KEY)
    assert ran.code == 0, ran.said
    target = load(tmp_path / "reports" / "result.json").targets[0]
    assert (target.plan, target.writes) == ("pro", True)
    assert (tmp_path / "pip.log").read_text("utf-8").endswith(" petcheck==9\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["azure", "jenkins"])
def test_the_other_jobs_judge(name: str, tmp_path: Path, url: str) -> None:
    (tmp_path / "agent").mkdir()
    variables = {"TARGET": url, "AGENT_TEMPDIRECTORY": str(tmp_path / "agent"), "PETSTORE_API_KEY": KEY}
    ran = run_script(tmp_path, name, **variables)
    assert ran.code == 0, ran.said
    assert (tmp_path / "reports" / "junit.xml").exists()
    assert (tmp_path / "pip.log").read_text("utf-8").endswith(" petcheck\n")


def test_the_nightly_audit_keeps_the_last_nights(tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    (temp / "petcheck" / "bin").mkdir(parents=True)
    (temp / "petcheck" / "bin" / "petcheck").write_text('#!/bin/sh\necho "$@" > asked\n')
    (temp / "petcheck" / "bin" / "petcheck").chmod(0o755)
    for night in ("2026-01-01T031700Z", "2026-01-02T031700Z", "2026-01-03T031700Z"):
        (tmp_path / "history" / night).mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "result.json").write_text("{}")
    ran = run_script(tmp_path, "nightly", REPORTS="out", NIGHTS="3", RUNNER_TEMP=str(temp))
    assert ran.code == 0, ran.said
    kept = sorted(path.name for path in (tmp_path / "history").iterdir())
    assert kept[:2] == ["2026-01-02T031700Z", "2026-01-03T031700Z"]
    assert len(kept) == 3
    assert (tmp_path / "history" / kept[2] / "result.json").exists()
    assert (tmp_path / "asked").read_text("utf-8") == "history history -o history.html\n"
