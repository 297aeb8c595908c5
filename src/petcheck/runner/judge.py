"""Judges a recording: the checks of a run, with the recording instead of the network."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

from petcheck.config.load import Config
from petcheck.reports.write import Product
from petcheck.runner import reports_folder
from petcheck.runner.checks import run_checks
from petcheck.runner.start import prepare
from petcheck.runner.traffic import judged_traffic
from petcheck.spec.outcomes import Exit


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
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code, end = run_checks(prepare(config, writes_reports=True), [*options(), "-q", "-s"])
    if code == Exit.INTERRUPTED:
        raise KeyboardInterrupt
    if end is None or end.product is None:
        sys.stderr.write(said.getvalue())
        raise RuntimeError("pytest did not come to the end of the checks")
    return Again(end.product, tuple(end.trouble))
