"""The tasks of separate processes, done in this one: for tests of what they come to, not of how they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import pytest

from petcheck.evidence import verify
from petcheck.runner import fleet
from petcheck.runner.processes import Done, Processes, Task

T = TypeVar("T")


class InPlace(Processes):
    """Makes each call here, one after the other: a new process would take four times as long for a short one."""

    def each(self, tasks: Iterable[Task[T]]) -> Iterator[Done[T]]:
        for task in tasks:
            yield Done(task.name, task.function(*task.arguments))


@pytest.fixture
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The targets of a fleet are judged again and verified in this process."""
    for module in (fleet, verify):
        monkeypatch.setattr(module, "Processes", InPlace)
