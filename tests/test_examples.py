"""The files under examples/ are what the engines that read them accept, and name options that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from petcheck.cli.run import run_parser
from tests.config.configured import configured

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
