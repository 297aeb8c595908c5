"""Judges a recording: the checks of a run, with the recording in place of the network."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from petcheck.config.load import Config
from petcheck.reports.write import Product
from petcheck.runner import reports_folder
from petcheck.runner.finish import RunEnd
from petcheck.runner.plugin import END
from petcheck.runner.start import prepare
from petcheck.runner.traffic import judged_traffic
from petcheck.spec.outcomes import Exit


class _End:
    """A pytest plugin that keeps the end of the run."""

    def __init__(self) -> None:
        self.kept: RunEnd | None = None

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        self.kept = config.stash.get(END, None)


@dataclass(frozen=True, slots=True)
class Again:
    """The end of a run that was judged again."""

    product: Product
    trouble: tuple[str, ...]


def judged_again(config: Config, options: Callable[[], list[str]]) -> Again:
    """The end of a run that `replay.config_of` or `traffic.config_of_traffic` has configured, with its reports.

    They are written where they have a folder. `options` are those with which pytest runs the checks. Raises
    `ConfigError` where another run uses the folder or it holds files of others, and KeyboardInterrupt.
    """
    if config.earlier is not None and config.earlier.traffic:
        lock = reports_folder.take(config.reports) if config.reports is not None else None
        try:
            return Again(*judged_traffic(config))
        finally:
            if lock is not None:
                lock.release()
    prepared, end, said = prepare(config, writes_reports=True), _End(), io.StringIO()
    before = dict(os.environ)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(variable, None)
    try:
        with contextlib.redirect_stdout(said):
            code = pytest.main([*options(), "-q", "-s"], plugins=[prepared, end])
    finally:
        os.environ.clear()
        os.environ.update(before)
    if code == Exit.INTERRUPTED:
        raise KeyboardInterrupt
    if end.kept is None or end.kept.product is None:
        sys.stderr.write(said.getvalue())
        raise RuntimeError("pytest did not come to the end of the checks")
    return Again(end.kept.product, tuple(end.kept.trouble))
