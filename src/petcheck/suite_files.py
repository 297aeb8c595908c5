"""Where the suite's own files are: beside the source in a checkout, inside the package when installed from a wheel."""

from __future__ import annotations

import hashlib
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def suite_root() -> Path:
    """The folder that holds `checks/`, `conftest.py`, `openapi.yaml` and `requirements.yaml`."""
    packed = _PACKAGE / "suite"
    return packed if (packed / "requirements.yaml").is_file() else _PACKAGE.parent.parent


def suite_file(name: str) -> Path:
    """The path of one of them."""
    return suite_root() / name


def openapi_sha256() -> str:
    """The SHA-256 of the description, in hexadecimal digits: results tell by it what they were judged by."""
    return hashlib.sha256(suite_file("openapi.yaml").read_bytes()).hexdigest()
