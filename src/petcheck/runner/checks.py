"""Runs the checks inside this process."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from petcheck.runner.start import Prepared


def run_checks(prepared: Prepared, options: Sequence[str]) -> int:
    """Run pytest with these options; returns its exit code. Afterwards `prepared` has the end of the run."""
    before = dict(os.environ)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(variable, None)
    try:
        return int(pytest.main(list(options), plugins=[prepared]))
    finally:
        os.environ.clear()
        os.environ.update(before)
