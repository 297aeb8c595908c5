"""The pytest-xdist plugins: a worker runs checks and reports its findings; the controller keeps the reports."""

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
    """The target in a check's id, its first parameter; "" if there is none."""
    parameters = nodeid.rpartition("[")[2].rstrip("]") + "-"
    # longest first: one name may be the beginning of another
    return next((name for name in sorted(names, key=len, reverse=True) if parameters.startswith(f"{name}-")), "")


class XdistWorker:
    """The pytest plugin of a worker."""

    def __init__(self, run: Session) -> None:
        """`run` is the worker's part of the run."""
        self._run = run

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(self, report: pytest.TestReport | pytest.CollectReport) -> Iterator[Any]:
        """Send new findings about the target with each report, so that they are not lost with the worker."""
        data = yield
        if data is not None:
            reports = self._run.unsent_reports(target_of(report.nodeid, self._run.names))
            data[_REPORTS] = (os.getpid(), pickle.dumps(reports) if reports else b"")
        return data

    def pytest_sessionfinish(self, session: Any) -> None:
        """Send new findings about every target."""
        session.config.workeroutput[_REPORTS] = pickle.dumps(self._run.unsent_reports())


class XdistController:
    """The pytest plugin of the process that may have workers."""

    def __init__(self, run: Session, end: RunEnd | None) -> None:
        """`end` gets the findings of workers; None in a run that writes no reports."""
        self._run = run
        self._end = end

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give every worker the same seed."""
        node.workerinput[_SEED] = self._run.config.seed

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Keep each target in one worker, since all knowledge of it, mainly its pace, is in that process."""
        from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

        names = self._run.names

        class ByTarget(LoadScopeScheduling):  # type: ignore[misc, unused-ignore]
            def _split_scope(self, nodeid: str) -> str:
                return target_of(nodeid, names)

        return ByTarget(config, log)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_from_serializable(self, data: dict[str, Any]) -> Iterator[Any]:
        """Keep the findings in a report for the end. This runs in a thread that must not wait."""
        sent = data.pop(_REPORTS, None)
        if sent is not None and self._end is not None:
            process, packed = sent
            self._end.workers.add(process)
            if packed:
                self._end.parts.append(packed)
        return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Keep the last findings, or note that the worker died."""
        packed = getattr(node, "workeroutput", {}).get(_REPORTS)
        if self._end is None:
            return
        if packed is not None:
            self._end.parts.append(packed)
        else:
            self._end.lost = True
