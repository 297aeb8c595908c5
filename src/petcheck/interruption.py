"""Ctrl-C, and the SIGTERM of a CI system: the first one ends a run in order, the second one at once."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from petcheck.reports import atomic

_INTERRUPTED = 2


def heed() -> None:
    """From now on the first signal is a KeyboardInterrupt, after which the reports are written.

    The second one removes what is half written and ends the process in the middle of whatever it does: the old files
    stay whole.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _first)


def _first(number: int, frame: FrameType | None) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _second)
    raise KeyboardInterrupt


def _second(number: int, frame: FrameType | None) -> None:
    atomic.abandon()
    try:
        # not through Python's streams, which may be locked by what was interrupted
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, b"\npetcheck: ended at once\n")
    finally:
        os._exit(_INTERRUPTED)
