"""Runs tasks, each in its own process: one that dies or grows affects no other, and its memory is returned.

The processes are forked from one that has imported everything.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Generic, TypeVar

from petcheck.runner import signals

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """A call to make in a separate process. The function, its arguments and its value are pickled.

    Tasks of one `queue` run one after the other, in their order. `more` gives the last arguments when the task starts.
    """

    name: str
    function: Callable[..., T]
    arguments: tuple[Any, ...]
    queue: str | None = None
    more: Callable[[], tuple[Any, ...]] = tuple


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """The end of a task. `value` is None if its process died before it had one; `error` says of what, if it knew.

    It is the type of an exception alone: the message may contain the key.
    """

    name: str
    value: T | None
    error: str | None = None


class Processes:
    """Runs tasks, at most `most` at a time.

    The first signal starts no further task, and interrupts those that run; `interrupted` is true from then on. The
    second one ends this process at once, and its children in order.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: dict[Any, tuple[Task[Any], Any]] = {}
        self.interrupted = False
        self._stopped = False

    def stop(self) -> None:
        """Start no further task."""
        self._stopped = True

    def each(self, tasks: Iterable[Task[T]]) -> Iterator[Done[T]]:
        """Run the tasks; yields the end of each at once."""
        context: Any = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["petcheck.runner.warm"])
        left = list(tasks)
        with signals.first_calls(self._interrupt):
            while True:
                while len(self._running) < self._most and not self._stopped:
                    busy = {task.queue for task, _ in self._running.values()} - {None}
                    place = next((place for place, task in enumerate(left) if task.queue not in busy), None)
                    if place is None:
                        break
                    self._start(context, left.pop(place))
                if not self._running:
                    return
                for ready in wait(list(self._running)):
                    yield self._end(ready)

    def _start(self, context: Any, task: Task[Any]) -> None:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(
            target=_serve,
            args=(theirs, task.function, (*task.arguments, *task.more()), dict(os.environ), str(Path.cwd())),
            daemon=True,
        )
        process.start()
        theirs.close()
        self._running[ours] = task, process
        if self.interrupted:  # the signal arrived while the process started
            process.terminate()

    def _end(self, ready: Any) -> Done[Any]:
        try:
            value, error = ready.recv()
        except (EOFError, OSError):
            value = error = None
        task, process = self._running.pop(ready)
        ready.close()
        process.join()
        process.close()
        return Done(task.name, value, error)

    def _interrupt(self) -> None:
        self.interrupted = self._stopped = True
        for _, process in list(self._running.values()):
            process.terminate()


def _serve(
    connection: Connection,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    variables: dict[str, str],
    folder: str,
) -> None:
    """In the new process: make the call, and send its value."""
    os.setpgrp()  # Ctrl-C is for the parent, which passes it on
    signals.install_handlers()
    _end_with_parent()
    os.environ.clear()
    os.environ.update(variables)
    os.environ.pop("GITHUB_STEP_SUMMARY", None)  # the whole run writes to the page of a CI job, and no task of it
    os.chdir(folder)
    try:
        connection.send((function(*arguments), None))
    except KeyboardInterrupt:
        pass
    except Exception as error:
        connection.send((None, type(error).__name__))
    finally:
        atexit._run_exitfuncs()  # a process of multiprocessing leaves them out, and temporary folders would stay


def _end_with_parent() -> None:
    """Interrupt this process when its parent is gone, whatever the cause."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
