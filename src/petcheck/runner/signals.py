"""Handles Ctrl-C and the SIGTERM of a CI system: the first ends a run in order, the second ends it at once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from petcheck.results import atomic_write
from petcheck.spec.outcomes import Exit

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def install_handlers(*, in_worker: bool = False) -> None:
    """Make the first signal raise KeyboardInterrupt, after which the run writes its reports.

    The second one removes unfinished files and ends the process at once; the old files stay complete. `in_worker` it
    does nothing: both the terminal and the process that writes the reports send one.
    """
    global _second
    _second = _do_nothing if in_worker else _end_at_once
    _handle(_interrupt)
    others = sys.unraisablehook

    def raise_again(lost: sys.UnraisableHookArgs) -> None:
        # an exception raised in a destructor or a callback of the garbage collector is lost
        if lost.exc_type is not KeyboardInterrupt:
            others(lost)
            return
        _handle(_interrupt)
        # raise it later, since this function would lose it too
        main = threading.main_thread().ident or 0
        threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT)).start()

    sys.unraisablehook = raise_again


@contextmanager
def first_calls(action: Callable[[], None]) -> Iterator[None]:
    """In this block the first signal calls `action` and raises nothing; the second one ends the process at once.

    Where the first has come before, or in another thread than the main one, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is _second:
        yield
        return

    def call(number: int, frame: FrameType | None) -> None:
        _handle(_second)
        action()

    before = {number: signal.signal(number, call) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is call:
                signal.signal(number, handler)


@contextmanager
def held(seconds: float = 3.0) -> Iterator[None]:
    """In this block the first signal waits for its end, at most that long; the second one ends the process at once."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not _interrupt:
        yield
        return
    come, late = threading.Event(), threading.Event()

    def hold(number: int, frame: FrameType | None) -> None:
        if late.is_set():
            _interrupt(number, frame)
        elif come.is_set():
            _second(number, frame)
        else:
            come.set()
            timer.start()

    def no_longer() -> None:
        late.set()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    timer = threading.Timer(seconds, no_longer)
    timer.daemon = True
    _handle(hold)
    try:
        yield
    finally:
        timer.cancel()
        if signal.getsignal(signal.SIGINT) is hold:
            _handle(_interrupt)
        if come.is_set():
            _interrupt(signal.SIGINT, None)


def _handle(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in _SIGNALS:
        signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _handle(_second)
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        _raise()
    else:
        # between two steps of its tasks: inside one, it may end in an error of a library, or nobody hears of it
        loop.call_soon_threadsafe(_raise)


def _raise() -> None:
    raise KeyboardInterrupt


def _end_at_once(number: int, frame: FrameType | None) -> None:
    atomic_write.abandon()
    try:
        # not through Python's streams: the interrupted code may hold their locks
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, b"\npetcheck: ended at once\n")
    finally:
        os._exit(Exit.INTERRUPTED)


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """Wait for what the first signal began."""


_second: Callable[[int, FrameType | None], None] = _end_at_once  # what the second signal does
