"""Shows the progress of a run and what it waits for: a live line on a terminal, elsewhere an occasional plain line.

pytest captures what is printed while a check runs, so the streams are duplicated before it begins.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TextIO

from petcheck.wire.clock import in_words

_WORTH_SHOWING_S = 1.0
_PLAIN_EVERY_S = 30.0
_REDRAWN_EVERY_S = 0.1
_ERASED = "\r\x1b[2K"
_WIDEST_BAR, _NARROWEST_BAR = 24, 8
_FORMS = (("up to {} left", "{} of {} {}", "{} of at most {} requests"), ("{} left", "{}/{} {}", "{}/{} requests"))


class Announcer:
    """Writes plain lines to a stream and, if stderr is a terminal, a live line there that disappears at the end."""

    def __init__(
        self,
        stream: TextIO | None,
        *,
        live: bool = False,
        budget: int = 0,
        beside_live: bool = False,
        unit: str = "checks",
        waits: float = 0.0,
    ) -> None:
        """Without a `stream` it writes nothing. `live` asks for a live line; `budget` is the most requests that the run
        may send, 0 if unknown. `beside_live` means that another process may have a live line on that terminal. `unit`
        is what is counted. `waits` are the seconds that the run has to wait for rate limits, as far as that is known.
        """
        self._out = _duplicate(stream) if stream is not None else None
        self._live = _duplicate(sys.stderr) if live and stream is not None and _is_terminal(sys.stderr) else None
        self._clear = _ERASED if beside_live and stream is not None and _is_terminal(stream) else ""
        self._progress = Progress(budget=budget, unit=unit)
        self._lost: OSError | None = None
        self._sent: dict[str, int] = {}
        self._drawn = 0.0
        self._announced: tuple[str, str, float] | None = None
        self._waits, self._waited = waits, 0.0
        self._began = self._last = time.monotonic()

    def expect(self, checks: int) -> None:
        """Set the number of checks, or of other units, of the run."""
        self._show(replace(self._progress, checks=checks), at_once=True)

    def check_done(self) -> None:
        """Count one more check, or other unit, that ended."""
        self._show(replace(self._progress, done=self._progress.done + 1, wait=0.0, why=""))

    def sent(self, target: str, requests: int) -> None:
        """Set the number of requests sent to a target."""
        self._sent[target] = requests
        self._show(replace(self._progress, sent=sum(self._sent.values()), wait=0.0, why=""))

    def waiting(self, target: str, seconds: float, why: str) -> None:
        """Show a pause; called every second with the `seconds` that are left."""
        if self._live is not None:
            self._show(replace(self._progress, wait=seconds, why=f"{target}: {why}"), at_once=True)
            return
        begins = self._announced is None or self._announced[:2] != (target, why) or seconds > self._announced[2]
        if begins and seconds <= _WORTH_SHOWING_S:
            return
        if begins or (self._announced is not None and self._announced[2] - seconds >= _PLAIN_EVERY_S):
            self._announced = (target, why, seconds)
            self.lines([f"{target}: {why} in {seconds:.0f} s"])
        if seconds <= _WORTH_SHOWING_S:
            self._announced = None

    def lines(self, texts: Iterable[str]) -> None:
        """Write lines unchanged."""
        if self._out is None:
            return
        self.erase()
        try:
            for text in texts:
                self._out.write(f"{self._clear}{text}\n")
            self._out.flush()
        except OSError as error:  # it does not end the run
            if isinstance(error, BrokenPipeError):
                raise
            self._out, self._lost = None, error

    def erase(self) -> None:
        """Remove the live line from the screen; the next event draws it again."""
        if self._live is not None and self._drawn:
            self._live.write(_ERASED)
            self._live.flush()
            self._drawn = 0.0

    def close(self) -> None:
        """Remove the live line from the screen for good. Raises OSError if a line could not be written."""
        self.erase()
        self._live = None
        if self._lost is not None:
            raise self._lost

    def _show(self, progress: Progress, *, at_once: bool = False) -> None:
        now = time.monotonic()
        self._waited += now - self._last if self._progress.wait else 0.0
        self._last = now
        self._progress = progress = replace(progress, left=self._left(progress, now))
        if self._live is None or (now - self._drawn < _REDRAWN_EVERY_S and not at_once):
            return
        self._drawn = now
        # leave one column free: some terminals wrap when the last one is written
        self._live.write(_ERASED + progress_line(progress, _columns(self._live) - 1))
        self._live.flush()

    def _left(self, progress: Progress, now: float) -> float | None:
        """The seconds that the run may still take, by its pace so far; None if nothing tells."""
        if not (progress.sent and progress.budget):
            return None
        pace = max(now - self._began - self._waited, 0.0) / progress.sent
        waits = max(self._waits - self._waited, progress.wait)
        return max(progress.budget - progress.sent, 0) * pace + waits


def _is_terminal(stream: TextIO) -> bool:
    try:
        return os.isatty(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return False


def _columns(stream: TextIO) -> int:
    """Columns of the terminal, which may change at any time; 80 if unknown."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def _duplicate(stream: TextIO) -> TextIO:
    """A copy of `stream` that pytest does not redirect; `stream` itself if it has no file."""
    try:
        number = os.dup(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return stream
    return os.fdopen(number, "w", encoding=stream.encoding, errors=stream.errors)


# ---- the line


@dataclass(frozen=True, slots=True)
class Progress:
    """Checks done and in total, requests sent and at most (0: unknown).

    What is counted may be another `unit` than checks. `wait` are the seconds of the present pause, and `why` is its
    reason; `left` are the seconds until the end of the run, None if unknown.
    """

    done: int = 0
    checks: int = 0
    sent: int = 0
    budget: int = 0
    wait: float = 0.0
    why: str = ""
    left: float | None = None
    unit: str = "checks"


def progress_line(progress: Progress, width: int) -> str:
    """The progress in ASCII, at most `width` characters, seconds first: first the bar is dropped, then words, then the
    last parts.
    """
    grown = replace(progress, done=max(progress.done, progress.checks), sent=max(progress.sent, progress.budget))
    for form in _FORMS:
        parts = _parts(progress, *form)
        # measured with the largest numbers, so that the form stays the same while they grow
        room = width - len(", ".join(_parts(grown, *form)))
        if room >= _NARROWEST_BAR + 3 and form is _FORMS[0]:
            return f"[{_bar(progress, min(room - 3, _WIDEST_BAR))}] {', '.join(parts)}"
        if room >= 0:
            break
    while parts[1:] and len(", ".join(parts)) > width:
        parts.pop()
    return ", ".join(parts)[: max(width, 0)]


def _parts(progress: Progress, left: str, checks: str, requests: str) -> list[str]:
    parts = [f"waiting {progress.wait:.0f} s"] if progress.why else []
    parts += [left.format(in_words(progress.left))] if progress.left is not None else []
    parts += [checks.format(progress.done, progress.checks or "?", progress.unit)]
    parts += [requests.format(progress.sent, progress.budget)] if progress.budget else []
    return [*parts, progress.why] if progress.why else parts


def _bar(progress: Progress, width: int) -> str:
    filled = width * min(progress.done, progress.checks) // progress.checks if progress.checks else 0
    return "#" * filled + "." * (width - filled)
