"""Programs beside Python that some tests need. CI installs them all, and forbids the skip."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest

REQUIRED = "PETCHECK_REQUIRE_PROGRAMS"


def program(name: str) -> str:
    """The path of a program; skips the test where it is not installed, or fails it where CI requires it."""
    return shutil.which(name) or missing(f"{name} is not installed")


def missing(reason: str) -> NoReturn:
    """Skip the test for `reason`, or fail it where CI requires every program."""
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{REQUIRED}=1, but {reason}")
    pytest.skip(reason)
