"""How far a run is, as one line of a terminal. Pure.

The line is plain ASCII, so that it can be drawn on any terminal, and never wider than that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

_WIDEST_BAR, _NARROWEST_BAR = 24, 8
_FORMS = (("{} of {} checks", "{} of at most {} requests"), ("{}/{} checks", "{}/{} requests"))


@dataclass(frozen=True, slots=True)
class Progress:
    """Checks done and in all, requests sent and allowed at most (0: not known), and what is waited for, if anything."""

    done: int = 0
    checks: int = 0
    sent: int = 0
    budget: int = 0
    pause: str = ""


def line(progress: Progress, width: int) -> str:
    """The line, of `width` characters at most. The bar goes first where there is no room, then the words."""
    grown = replace(progress, done=max(progress.done, progress.checks), sent=max(progress.sent, progress.budget))
    for form in _FORMS:
        words = _words(progress, *form)
        # what is decided by the numbers to come does not change with every one of them
        room = width - len(_words(grown, *form))
        if room >= _NARROWEST_BAR + 3 and form is _FORMS[0]:
            return f"[{_bar(progress, min(room - 3, _WIDEST_BAR))}] {words}"
        if room >= 0:
            return words
    return words[: max(width, 0)]


def _words(progress: Progress, checks: str, requests: str) -> str:
    parts = [checks.format(progress.done, progress.checks or "?")]
    parts += [requests.format(progress.sent, progress.budget)] if progress.budget else []
    parts += [progress.pause] if progress.pause else []
    return ", ".join(parts)


def _bar(progress: Progress, width: int) -> str:
    filled = width * min(progress.done, progress.checks) // progress.checks if progress.checks else 0
    return "#" * filled + "." * (width - filled)
