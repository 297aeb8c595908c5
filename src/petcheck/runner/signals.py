"""Ctrl-C, and the SIGTERM of a CI system: the first one ends a run in order, the second one at once."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from petcheck.results import atomic_write
from petcheck.spec.outcomes import Exit


def install_handlers() -> None:
    """From now on the first signal raises KeyboardInterrupt, after which the run writes its reports.

    The second one removes half-written drafts and ends the process at once: the old files stay whole.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _end_at_once)
    raise KeyboardInterrupt


def _end_at_once(number: int, frame: FrameType | None) -> None:
    atomic_write.abandon()
    try:
        # not through Python's streams: the interrupted code may hold their locks
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, b"\npetcheck: ended at once\n")
    finally:
        os._exit(Exit.INTERRUPTED)
