"""The pytest-xdist side: workers run checks and tell what they found out; the process that has them keeps it."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from petcheck.ending import Ending
from petcheck.session import Session

_SEED, _NEWS = "petcheck_seed", "petcheck"


def seed_from_above(config: pytest.Config) -> int | None:
    """In a worker: the seed of the run that it is part of."""
    seed: int | None = getattr(config, "workerinput", {}).get(_SEED)
    return seed


class Working:
    """A pytest plugin, in a worker."""

    def __init__(self, run: Session) -> None:
        """`run` is the worker's part of it."""
        self._run = run

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(self) -> Iterator[Any]:
        """Send what was found out with every report, so that it is not lost with the worker."""
        data = yield
        if data is not None:
            data[_NEWS] = (os.getpid(), pickle.dumps(self._run.news()))
        return data

    def pytest_sessionfinish(self, session: Any) -> None:
        """Tell the rest."""
        session.config.workeroutput[_NEWS] = pickle.dumps(self._run.news())


class Directing:
    """A pytest plugin, in the process that has workers, if any."""

    def __init__(self, run: Session, ending: Ending | None) -> None:
        """`ending` is told what workers found out, where there is anything to be written."""
        self._run = run
        self._ending = ending

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give every worker the same seed."""
        node.workerinput[_SEED] = self._run.config.seed

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Each target stays with one worker: what is known of it, its pace above all, is in that process."""
        from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

        names = sorted(self._run.names, key=len, reverse=True)

        class ByTarget(LoadScopeScheduling):  # type: ignore[misc, unused-ignore]
            def _split_scope(self, nodeid: str) -> str:
                parameters = nodeid.rpartition("[")[2].rstrip("]") + "-"
                return next((name for name in names if parameters.startswith(f"{name}-")), "")

        return ByTarget(config, log)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_from_serializable(self, data: dict[str, Any]) -> Iterator[Any]:
        """Keep what came with a report for the end. This runs in a thread that must not wait."""
        process, packed = data.pop(_NEWS, (0, b""))
        if packed and self._ending is not None:
            self._ending.workers.add(process)
            self._ending.parts.append(packed)
        return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take over the rest, or note that the worker died."""
        packed = getattr(node, "workeroutput", {}).get(_NEWS)
        if self._ending is None:
            return
        if packed is not None:
            self._ending.parts.append(packed)
        else:
            self._ending.lost = True
