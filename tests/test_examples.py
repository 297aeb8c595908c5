"""The files under examples/ are what the engines that read them accept, and name options that exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from petcheck.cli.run import run_parser
from tests.config.configured import EXAMINED, configured

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
BIN = Path(sys.executable).parent
SCHEMAS = {
    "github-actions.yml": ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
    "gitlab-ci.yml": ("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci"),
    "kubernetes-indexed-job.yaml": ("kubernetes-validate", "--strict"),
}


def checked(name: str, path: Path) -> subprocess.CompletedProcess[str]:
    program, *options = SCHEMAS[name]
    return subprocess.run([BIN / program, *options, path], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_file_obeys_the_schema_of_its_engine(name: str) -> None:
    done = checked(name, EXAMPLES / name)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("github-actions.yml", "runs-on:", "runs_on:"),
        ("gitlab-ci.yml", "parallel: 5", "parallel: five"),
        ("kubernetes-indexed-job.yaml", "completionMode:", "completionmode:"),
    ],
)
def test_a_mistake_in_one_is_noticed(name: str, right: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text((EXAMPLES / name).read_text("utf-8").replace(right, wrong), "utf-8")
    assert checked(name, path).returncode == 1


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_every_option_that_an_example_gives_to_petcheck_exists(path: Path) -> None:
    known = {flag for action in run_parser()._actions for flag in action.option_strings} | {"-o"}
    text = "\n".join(line for line in path.read_text("utf-8").splitlines() if not line.lstrip().startswith("#"))
    given = [word for call in re.findall(r"petcheck ([^\n]*(?:\n +--[^\n]*)*)", text) for word in call.split()]
    assert {word for word in given if word.startswith("-")} <= known


def test_the_settings_file_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    config = configured((EXAMPLES / "petcheck.toml").read_text("utf-8"), shard="2/3")
    assert [(target.name, target.plan, target.writes) for target in config.targets] == [("tenant-b", "pro", True)]


WORKFLOWS = [EXAMPLES.parent / "action.yml", *sorted(EXAMPLES.glob("*.yml"))]


def unsafe(*files: Path) -> str:
    """What zizmor finds in workflows: actions that are not pinned by digest, text that may become a command, …"""
    options: list[str | Path] = ["--offline", "--no-progress", "--config", Path(__file__).with_name("zizmor.yml")]
    done = subprocess.run([BIN / "zizmor", *options, *files], capture_output=True, text=True, check=False)
    assert "fatal" not in done.stderr
    return done.stdout if done.returncode else ""


def test_the_action_and_the_workflows_are_safe() -> None:
    assert unsafe(*WORKFLOWS) == ""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a", "@v7"), ('"$CODE"', "${{ github.head_ref }}")],
)
def test_what_is_unsafe_is_found(right: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "action.yml"
    text = WORKFLOWS[0].read_text("utf-8").replace('exit "$code"', 'exit "$CODE"')
    path.write_text(text.replace(right, wrong), "utf-8")
    assert unsafe(path)


def judged_by_the_action(folder: Path, **inputs: str) -> tuple[int, str, str]:
    """The judging step of the action, run in a folder: its exit code, its outputs, and what it says."""
    action: Any = yaml.safe_load(WORKFLOWS[0].read_text("utf-8"))
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "judge")
    home, output = folder / "home" / "bin", folder / "output"
    home.mkdir(parents=True, exist_ok=True)
    for name, arguments in (("petcheck", "-m petcheck"), ("python", "")):
        (home / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n', "utf-8")
        (home / name).chmod(0o755)
    given = dict.fromkeys(("TARGETS", "KEY", "PLAN", "WRITES", "ARGUMENTS"), "") | {"REPORTS": "reports"} | inputs
    output.write_text("", "utf-8")
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=os.environ | given | {"HOME_OF_PETCHECK": str(home.parent), "GITHUB_OUTPUT": str(output)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, output.read_text("utf-8"), done.stderr


@pytest.mark.slow
def test_the_action_survives_a_run_that_writes_no_reports(tmp_path: Path) -> None:
    dry = judged_by_the_action(tmp_path, ARGUMENTS="--self-test\n--dry-run")
    assert dry == (0, "exit=0\nreports=reports\n", "")
    code, outputs, _ = judged_by_the_action(tmp_path, ARGUMENTS="--self-test\n--min-examined=50")
    assert (code, "verdict=" in outputs, f'"pass": {EXAMINED}' in outputs) == (0, True, True)
    # the reports of an earlier run are not the verdict of this one
    assert judged_by_the_action(tmp_path, ARGUMENTS="--self-test\n--dry-run") == dry


def test_an_option_and_its_value_in_one_line_of_the_action_say_how_to_write_them(tmp_path: Path) -> None:
    code, _, said = judged_by_the_action(tmp_path, ARGUMENTS="--self-test\n--min-examined 50")
    assert (code, said) == (4, "petcheck: --min-examined 50: is one word; write it as --min-examined=50\n")
