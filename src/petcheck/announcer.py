"""Tells whoever watches how far a run is and what it waits for: a live line on a terminal, a plain one now and then
elsewhere.

pytest captures what is printed while a check runs, so the streams are duplicated before it begins to.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import TextIO

from petcheck.progress import Progress, line

_WORTH_TELLING_S = 1.0
_PLAIN_EVERY_S = 30.0
_REDRAWN_EVERY_S = 0.1
_ERASED = "\r\x1b[2K"


class Announcer:
    """Writes plain lines to a stream and, where stderr is a terminal, a live line there that is gone at the end."""

    def __init__(
        self, stream: TextIO | None, *, live: bool = False, budget: int = 0, beside_live: bool = False
    ) -> None:
        """Without a `stream` nothing is told. With `live` there is a live line; `budget` are the requests of the run at
        most, 0 without a figure. `beside_live` tells that another process may have a live line on that terminal.
        """
        self._out = _duplicate(stream) if stream is not None else None
        self._live = _duplicate(sys.stderr) if live and stream is not None and _is_terminal(sys.stderr) else None
        self._clear = _ERASED if beside_live and stream is not None and _is_terminal(stream) else ""
        self._progress = Progress(budget=budget)
        self._sent: dict[str, int] = {}
        self._drawn = 0.0
        self._told: tuple[str, str, float] | None = None

    def expect(self, checks: int) -> None:
        """So many checks will run."""
        self._show(replace(self._progress, checks=checks), at_once=True)

    def check_done(self) -> None:
        """One more check has ended."""
        self._show(replace(self._progress, done=self._progress.done + 1, pause=""))

    def sent(self, target: str, requests: int) -> None:
        """So many requests have been sent to a target until now."""
        self._sent[target] = requests
        self._show(replace(self._progress, sent=sum(self._sent.values()), pause=""))

    def waiting(self, target: str, seconds: float, why: str) -> None:
        """One second of a pause: `seconds` are left of it."""
        if self._live is not None:
            self._show(replace(self._progress, pause=f"{target}: {why} in {seconds:.0f} s"), at_once=True)
            return
        begins = self._told is None or self._told[:2] != (target, why) or seconds > self._told[2]
        if begins and seconds <= _WORTH_TELLING_S:
            return
        if begins or (self._told is not None and self._told[2] - seconds >= _PLAIN_EVERY_S):
            self._told = (target, why, seconds)
            self.lines([f"{target}: {why} in {seconds:.0f} s"])
        if seconds <= _WORTH_TELLING_S:
            self._told = None

    def notice(self, target: str, text: str) -> None:
        """What is about to happen."""
        self.lines([f"{target}: {text}"])

    def lines(self, texts: Iterable[str]) -> None:
        """Lines as they are."""
        if self._out is None:
            return
        self.erase()
        for text in texts:
            self._out.write(f"{self._clear}{text}\n")
        self._out.flush()

    def erase(self) -> None:
        """Take the live line off the screen; the next event draws it again."""
        if self._live is not None and self._drawn:
            self._live.write(_ERASED)
            self._live.flush()
            self._drawn = 0.0

    def close(self) -> None:
        """Take the live line off the screen for good."""
        self.erase()
        self._live = None

    def _show(self, progress: Progress, *, at_once: bool = False) -> None:
        self._progress = progress
        now = time.monotonic()
        if self._live is None or (now - self._drawn < _REDRAWN_EVERY_S and not at_once):
            return
        self._drawn = now
        # one column stays free: some terminals wrap when the last one is written
        self._live.write(_ERASED + line(progress, _width(self._live) - 1))
        self._live.flush()


def _is_terminal(stream: TextIO) -> bool:
    try:
        return os.isatty(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return False


def _width(stream: TextIO) -> int:
    """Columns of the terminal, which may change at any time; 80 where it tells none."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def _duplicate(stream: TextIO) -> TextIO:
    """Another way to where `stream` leads now, whatever it is made to lead to later; `stream` where there is none."""
    try:
        number = os.dup(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return stream
    return os.fdopen(number, "w", encoding=stream.encoding, errors="backslashreplace")
