"""Where the suite's own files are: beside the source in a checkout, inside the package when installed from a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def suite_root() -> Path:
    """The folder that holds `checks/`, `conftest.py`, `openapi.yaml` and `requirements.yaml`."""
    packed = _PACKAGE / "suite"
    return packed if (packed / "requirements.yaml").is_file() else _PACKAGE.parent.parent


def suite_file(name: str) -> Path:
    """The path of one of them."""
    return suite_root() / name


def pytest_settings() -> Path:
    """The settings under which pytest runs the checks."""
    return _PACKAGE / "runner" / "checks.toml"
