"""Finds the suite's own files: beside the source in a checkout, inside the package when installed from a wheel."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[1]


def suite_root() -> Path:
    """The folder with `checks/`, `conftest.py`, `openapi.yaml` and `requirements.yaml`."""
    packed = _PACKAGE / "suite"
    return packed if (packed / "requirements.yaml").is_file() else _PACKAGE.parent.parent


def suite_file(name: str) -> Path:
    """The path of one of these files."""
    return suite_root() / name


def read_yaml(source: bytes) -> Any:
    """What is in a YAML file, as data only."""
    import yaml

    return yaml.load(source, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - CSafeLoader is the safe one


def openapi_digest() -> str:
    """The sha256 of the description of the interface that the suite carries, in hex."""
    return hashlib.sha256(suite_file("openapi.yaml").read_bytes()).hexdigest()


def pytest_settings() -> Path:
    """The pytest configuration for the checks."""
    return _PACKAGE / "runner" / "checks.toml"
