"""Runs the checks inside this process, and keeps how the run ended."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from petcheck.runner.finish import RunEnd
from petcheck.runner.start import Prepared


def run_checks(prepared: Prepared, options: Sequence[str]) -> tuple[int, RunEnd | None]:
    """Run pytest with these options; returns its exit code and the end of the run, None if it did not begin."""
    before = dict(os.environ)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(variable, None)
    try:
        code = int(pytest.main(list(options), plugins=[prepared]))
    finally:
        os.environ.clear()
        os.environ.update(before)
    return code, prepared.end
