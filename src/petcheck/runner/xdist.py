"""The pytest-xdist plugins: workers ask, and write to the run's stream; the controller ends it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from petcheck.runner.finish import RunEnd
from petcheck.runner.progress import Announcer
from petcheck.runner.session import Session

_SEED = "petcheck_seed"


def controller_seed(config: pytest.Config) -> int | None:
    """In a worker, the seed of the controller's run; None elsewhere."""
    seed: int | None = getattr(config, "workerinput", {}).get(_SEED)
    return seed


def target_of(nodeid: str, names: Iterable[str]) -> str:
    """The target in a check's id, its first parameter; "" if there is none."""
    parameters = nodeid.rpartition("[")[2].rstrip("]") + "-"
    # longest first: one name may be the beginning of another
    return next((name for name in sorted(names, key=len, reverse=True) if parameters.startswith(f"{name}-")), "")


class XdistController:
    """The pytest plugin of the process that may have workers."""

    def __init__(self, run: Session, end: RunEnd | None, announcer: Announcer) -> None:
        """`end` gets the ids of the workers; None in a run that writes no reports."""
        self._run = run
        self._end = end
        self._announcer = announcer

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give every worker the same seed."""
        node.workerinput[_SEED] = self._run.config.seed

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """Remember the worker's process, to end it when the run is interrupted."""
        if self._end is not None:
            self._end.workers.add(node.gateway._io.popen.pid)  # nothing public has it

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Keep each target in one worker, since all knowledge of it, mainly its pace, is in that process."""
        from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

        names = self._run.names

        class ByTarget(LoadScopeScheduling):  # type: ignore[misc, unused-ignore]
            def _split_scope(self, nodeid: str) -> str:
                return target_of(nodeid, names)

        return ByTarget(config, log)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Count one more check that a worker has made."""
        if self._end is not None and self._end.workers:
            self._announcer.check_done()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Note that a worker died."""
        if self._end is not None and not hasattr(node, "workeroutput"):
            self._end.lost = True
