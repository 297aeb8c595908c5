"""The pytest-xdist side: a worker runs checks and reports what it finds out; the controller keeps the reports."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from petcheck.runner.finish import RunEnd
from petcheck.runner.session import Session

_SEED, _REPORTS = "petcheck_seed", "petcheck"


def controller_seed(config: pytest.Config) -> int | None:
    """In a worker, the seed of the controller's run; None elsewhere."""
    seed: int | None = getattr(config, "workerinput", {}).get(_SEED)
    return seed


def target_of(nodeid: str, names: Iterable[str]) -> str:
    """The target that a check's id names as its first parameter; "" where it names none."""
    parameters = nodeid.rpartition("[")[2].rstrip("]") + "-"
    # the longest first: one name may begin another
    return next((name for name in sorted(names, key=len, reverse=True) if parameters.startswith(f"{name}-")), "")


class XdistWorker:
    """A pytest plugin, in a worker."""

    def __init__(self, run: Session) -> None:
        """`run` is the worker's part of it."""
        self._run = run

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(self, report: pytest.TestReport | pytest.CollectReport) -> Iterator[Any]:
        """Send what is new of the target with each report, so that it is not lost with the worker."""
        data = yield
        if data is not None:
            reports = self._run.unsent_reports(target_of(report.nodeid, self._run.names))
            data[_REPORTS] = (os.getpid(), pickle.dumps(reports) if reports else b"")
        return data

    def pytest_sessionfinish(self, session: Any) -> None:
        """Send what is new of every target."""
        session.config.workeroutput[_REPORTS] = pickle.dumps(self._run.unsent_reports())


class XdistController:
    """A pytest plugin, in the process that has workers, if any."""

    def __init__(self, run: Session, end: RunEnd | None) -> None:
        """`end` gets what workers find out, where there is anything to be written."""
        self._run = run
        self._end = end

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give every worker the same seed."""
        node.workerinput[_SEED] = self._run.config.seed

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Keep each target in one worker: what is known of it, its pace above all, is in that process."""
        from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

        names = self._run.names

        class ByTarget(LoadScopeScheduling):  # type: ignore[misc, unused-ignore]
            def _split_scope(self, nodeid: str) -> str:
                return target_of(nodeid, names)

        return ByTarget(config, log)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_from_serializable(self, data: dict[str, Any]) -> Iterator[Any]:
        """Keep what came with a report for the end. This runs in a thread that must not wait."""
        sent = data.pop(_REPORTS, None)
        if sent is not None and self._end is not None:
            process, packed = sent
            self._end.workers.add(process)
            if packed:
                self._end.parts.append(packed)
        return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Keep the rest, or note that the worker died."""
        packed = getattr(node, "workeroutput", {}).get(_REPORTS)
        if self._end is None:
            return
        if packed is not None:
            self._end.parts.append(packed)
        else:
            self._end.lost = True
