"""Faults of a server with four worker processes: each shows only while two use the same file, which neither locks."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from petstore_reference import worker
from petstore_reference.behaviour import Behaviour, ServerState
from petstore_reference.faults.threads import folder, highest, kept, numbered, storing, threaded
from petstore_reference.messages import Answer, Caller, ReceivedCall
from petstore_reference.overrides import both
from petstore_reference.quota import Usage
from petstore_reference.store import Animal

_PROCESSES = 4


class _Workers:
    """Processes that take the requests in turn; each works on one at a time."""

    def __init__(self) -> None:
        command = [sys.executable, "-I", "-S", str(Path(worker.__file__))]
        self._processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
            for _ in range(_PROCESSES)
        ]
        self._busy = [threading.Lock() for _ in self._processes]
        self._turns = itertools.cycle(range(len(self._processes)))

    def work(self, path: Path, value: int | list[int]) -> int:
        """What the next worker prints for a path and a value."""
        turn = next(self._turns)
        process = self._processes[turn]
        with self._busy[turn]:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("a worker has no pipe")
            process.stdin.write(json.dumps([str(path), value]) + "\n")
            process.stdin.flush()
            return int(process.stdout.readline())

    def close(self) -> None:
        """Ends the processes."""
        for process in self._processes:
            process.kill()
            process.communicate()


def _workers(state: ServerState) -> _Workers:
    return kept(state, "workers", _Workers, _Workers.close)


def _next_id(state: ServerState) -> int:
    return _workers(state).work(folder(state) / "last-id.json", highest(state.store))


def _added(state: ServerState, keep: Callable[[], Animal]) -> Animal:
    animal = keep()
    _workers(state).work(folder(state) / "pets.json", [animal.id])
    return animal


def _as_in_file(behaviour: Behaviour) -> Behaviour:
    """Created animals show as far as they are in the file."""

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        path = folder(state) / "pets.json"
        ids = set(json.loads(path.read_text())) if path.exists() else set()

        def visible(animal: Animal, now: float) -> bool:
            return whole.visible(animal, now) and (not animal.born or animal.id in ids)

        return behaviour.act(call, state, replace(whole, visible=visible))

    return replace(behaviour, act=act)


def _counted_in_file(behaviour: Behaviour) -> Behaviour:
    def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
        rules, now = state.quota.rules, state.quota.now
        number = int(now // rules.window_seconds)
        file = folder(state) / f"spent-{crc32(caller.bucket.encode())}-{number}.json"
        left = rules.per_window[caller.plan] - _workers(state).work(file, 0)
        reset = (number + 1) * rules.window_seconds
        return Usage(rules.per_window[caller.plan], max(0, left), reset, reset - now if left < 0 else None)

    return replace(behaviour, spend=spend)


FAULTS = [
    *threaded(
        "workers-share-id-file",
        "4.2",
        "Four worker processes take ids from a file that none of them locks.",
        "PET-5 CREATE-12 CREATE-13 GET-2",
        numbered(_next_id),
    ),
    *threaded(
        "workers-share-list-file",
        "4.2",
        "Four worker processes add animals to a file that none of them locks, so one is lost.",
        "CREATE-12 CREATE-13",
        both(storing(_added), _as_in_file),
    ),
    *threaded(
        "workers-share-count-file",
        "8",
        "Four worker processes count in a file that none of them locks, so some requests are not counted.",
        "RATE-4",
        _counted_in_file,
        needs="",
    ),
]
