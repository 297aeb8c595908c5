"""The lock files pin everything by hash, and contain no download addresses."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tools import licences

ROOT = Path(__file__).resolve().parent.parent
ONE_ENVIRONMENT = ["requirements.lock", "requirements-test.lock"]
LOCKS = [*ONE_ENVIRONMENT, "requirements-openapi.lock", "requirements-docs.lock"]
NPM = ROOT / "tests" / "openapi_tools"
PIN = re.compile(r"([a-z0-9.-]+)==([^ ;]+)(?: ; ([^\\]+))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")


def pins(name: str) -> set[tuple[str, str]]:
    return {(pin[1], pin[2]) for pin in PIN.finditer((ROOT / name).read_text("utf-8"))}


def names(requirements: list[str]) -> set[str]:
    """The names of requirements as pyproject.toml writes them, in the form of the lock files."""
    return {re.split(r"[<>=~! ]", requirement)[0].lower().replace("_", "-") for requirement in requirements}


def test_each_package_of_the_lock_has_a_licence() -> None:
    assert {(pin.name, pin.version) for pin in licences.pins()} == pins("requirements.lock")
    assert all(licences.licence(pin) for pin in licences.pins())


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_is_pins_with_hashes_and_nothing_else(lock: str) -> None:
    assert PIN.sub("", (ROOT / lock).read_text("utf-8")) == ""


def test_one_environment_serves_both() -> None:
    run, test = (pins(lock) for lock in ONE_ENVIRONMENT)
    assert run <= test


def test_the_project_s_dependencies_are_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    run = names(project["project"]["dependencies"] + project["build-system"]["requires"])
    test = run | names(project["project"]["optional-dependencies"]["test"])
    assert run <= {name for name, _ in pins("requirements.lock")}
    assert test <= {name for name, _ in pins("requirements-test.lock")}
    groups = project["dependency-groups"]
    for group in ("openapi", "docs"):
        assert names(groups[group]) <= {name for name, _ in pins(f"requirements-{group}.lock")}


def test_the_packages_of_npm_are_pinned_by_digest_and_without_addresses() -> None:
    wanted = json.loads((NPM / "package.json").read_text("utf-8"))["devDependencies"]
    root, *packages = json.loads((NPM / "package-lock.json").read_text("utf-8"))["packages"].items()
    assert root[1]["devDependencies"] == wanted
    assert [path for path, package in packages if not package["integrity"].startswith("sha512-")] == []
    assert [path for path, package in packages if "resolved" in package] == []
