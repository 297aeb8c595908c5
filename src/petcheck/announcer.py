"""Tells whoever watches what a run is waiting for: a live line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

import pytest

_WORTH_TELLING_S = 1.0
_PLAIN_EVERY_S = 30.0


class Announcer:
    """Writes through pytest's terminal, between its own lines."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._told: tuple[str, str, float] | None = None

    def waiting(self, target: str, seconds: float, why: str) -> None:
        """One second of a pause: `seconds` are left of it."""
        begins = self._told is None or self._told[:2] != (target, why) or seconds > self._told[2]
        if begins and seconds <= _WORTH_TELLING_S:
            return
        # sys.stdout is pytest's while a check runs
        live = bool(getattr(self._config.pluginmanager.get_plugin("terminalreporter"), "isatty", False))
        if begins or live or (self._told is not None and self._told[2] - seconds >= _PLAIN_EVERY_S):
            self._told = (target, why, seconds)
            self._line(f"{target}: {why} in {seconds:.0f} s", live=live and not begins)
        if seconds <= _WORTH_TELLING_S:
            self._told = None

    def notice(self, target: str, text: str) -> None:
        """What is about to happen."""
        self._line(f"{target}: {text}", live=False)

    def lines(self, texts: Iterable[str]) -> None:
        """Lines as they are."""
        for text in texts:
            self._line(text, live=False)

    def _line(self, text: str, *, live: bool) -> None:
        terminal: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        capture: Any = self._config.pluginmanager.get_plugin("capturemanager")
        if terminal is None:
            return
        # a check is running, and what is written then would wait for its end, if it were ever shown
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            if live:
                # up to the line before, and over it
                terminal._tw.write(f"\x1b[1A\r\x1b[2K{text}\n", flush=True)
                return
            terminal.ensure_newline()
            terminal._tw.line(text)
            terminal._tw._file.flush()
