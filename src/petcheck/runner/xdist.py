"""The pytest-xdist plugins: workers ask, and write to the run's stream; the controller ends it."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from petcheck.runner.finish import RunEnd
from petcheck.runner.progress import Announcer
from petcheck.runner.session import Session
from petcheck.stream.files import FILE, StreamWriter

_SEED = "petcheck_seed"
_TROUBLE = "petcheck_trouble"
# text in an exchange never has plain quotation marks
_EXCHANGE = re.compile(rb'"_petcheck": {"target": "([^"]+)"')


def controller_seed(config: pytest.Config) -> int | None:
    """In a worker, the seed of the controller's run; None elsewhere."""
    seed: int | None = getattr(config, "workerinput", {}).get(_SEED)
    return seed


def target_of(nodeid: str, names: Iterable[str]) -> str:
    """The target in a check's id, its first parameter; "" if there is none."""
    parameters = nodeid.rpartition("[")[2].rstrip("]") + "-"
    # longest first: one name may be the beginning of another
    return next((name for name in sorted(names, key=len, reverse=True) if parameters.startswith(f"{name}-")), "")


def tell_trouble(config: pytest.Config, writer: StreamWriter) -> None:
    """In a worker that ends, tell the controller that it could not write to the stream, if so."""
    if writer.trouble is not None:
        vars(config)["workeroutput"][_TROUBLE] = writer.trouble.strerror


def reporter(session: pytest.Session) -> Callable[[pytest.Item], None]:
    """In a worker, what tells xdist which check the next reports are of: it expects those of the last that ran."""
    sender: Any = next(one for one in session.config.pluginmanager.get_plugins() if hasattr(one, "item_index"))
    places = {item: place for place, item in enumerate(session.items)}

    def begin(item: pytest.Item) -> None:
        sender.item_index = places[item]

    return begin


class XdistController:
    """The pytest plugin of the process that may have workers."""

    def __init__(self, run: Session, end: RunEnd | None, announcer: Announcer) -> None:
        """`end` gets the ids of the workers; None in a run that writes no reports."""
        self._run = run
        self._end = end
        self._announcer = announcer
        self._counted = Counter[str]()
        self._read = 0  # bytes of the stream

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give every worker the same seed."""
        node.workerinput[_SEED] = self._run.config.seed

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """Remember the worker's process, to end it when the run is interrupted."""
        if self._end is not None:
            self._end.workers.add(node.gateway._rinfo().pid)

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Keep targets that share a quota in one worker, since what is known about it is in that process."""
        from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

        names, quotas = self._run.names, self._run.quotas

        class ByQuota(LoadScopeScheduling):  # type: ignore[misc, unused-ignore]
            def _split_scope(self, nodeid: str) -> str:
                return quotas.get(target_of(nodeid, names), "")

        return ByQuota(config, log)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Count one more check that a worker has made, and what was sent since."""
        if self._end is None or not self._end.workers:
            return
        for name, number in self._sent().items():
            self._announcer.sent(name, number)
        self._announcer.check_done()

    def _sent(self) -> Counter[str]:
        """The exchanges with each target that the stream has."""
        path = self._run.writer.path
        with contextlib.suppress(OSError):
            if path is not None:
                with path.open("rb") as file:
                    file.seek(self._read)
                    whole = file.read().rpartition(b"\n")[0]
                self._read += len(whole) + bool(whole)
                self._counted.update(found.decode() for found in _EXCHANGE.findall(whole))
        return self._counted

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Note that a worker died, or could not write what it saw."""
        output: dict[str, Any] | None = getattr(node, "workeroutput", None)
        if self._end is None:
            return
        if output is None:
            self._end.lost = "a worker process died"
        elif _TROUBLE in output:
            self._end.lost = f"a worker process could not write to {FILE} ({output[_TROUBLE]})"
