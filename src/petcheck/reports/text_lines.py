"""Lines of text for a terminal: wrapped, coloured if allowed, and harmless if a CI system reads them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from petcheck.sanitize import escape_commands

BOLD, DIM, RED, GREEN, YELLOW = "1", "2", "31", "32", "33"

_NARROWEST = 40
# an option and its number, and a number and its unit, stay on one line; sanitized text has no such space
_OPTION = re.compile(r"(--[a-z][a-z-]{1,24}) (?=\d)|(?<=\d) (?=s\b)")
TIED = "\u00a0"
"""A space in a text at which no line ends."""


class _Wrapper(textwrap.TextWrapper):
    """Breaks lines at spaces, and JSON without spaces after a comma too."""

    wordsep_simple_re = re.compile(r"([ \t]+)|(?<=,)(?=[\"{\[])")

    def _split(self, text: str) -> list[str]:
        return [chunk for chunk in self.wordsep_simple_re.split(text) if chunk]


class TextLines:
    """Lines of at most `width` columns, at least 40. `colour` allows ANSI codes."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width = max(width, _NARROWEST)
        self._colour = colour
        self._lines: list[str] = []

    def __str__(self) -> str:
        """The lines, without a line feed at the end."""
        return "\n".join(self._lines)

    def paint(self, style: str, text: str) -> str:
        """`text` in the ANSI `style`, if there is one and colours are allowed."""
        return f"\x1b[{style}m{text}\x1b[0m" if self._colour and style and text else text

    def blank(self) -> None:
        """Add an empty line."""
        self._lines.append("")

    def head(self, text: str, style: str = BOLD) -> None:
        """Add an empty line and a heading."""
        self.blank()
        self.say(text, style=style)

    def say(
        self, text: str, indent: str = "", hanging: str | None = None, *, style: str = "", most: int | None = None
    ) -> None:
        """Add `text`, wrapped; its first line begins with `indent`, later lines with `hanging`, by default `indent`.

        It is cut after `most` lines.
        """
        wrapped = _Wrapper(
            self.width,
            initial_indent=indent,
            subsequent_indent=indent if hanging is None else hanging,
            break_on_hyphens=False,
            max_lines=most,
            placeholder="…",
        ).wrap(_OPTION.sub(lambda found: f"{found[1] or ''}{TIED}", text))
        for line in wrapped or [""]:
            self.line(line.replace(TIED, " "), style)

    def named(self, name: str, text: str, *, most: int | None = None) -> None:
        """Add `text` behind its name of at most six characters, as `say` does."""
        self.say(f"{name:<7}{text}", "  ", " " * 9, most=most)

    def listed(self, heading: str, entries: Sequence[Sequence[str]], most: int = 12) -> None:
        """Add a heading and what it is about, if there is anything: of each entry a line, and others below it.

        After `most` of them, the others are counted: they are on the page.
        """
        if entries:
            self.head(heading)
        for first, *below in entries[:most]:
            self.say(first, "  ", "    ")
            for text in below:
                self.say(text, "    ", "      ")
        if len(entries) > most:
            self.say(f"and {len(entries) - most} more, on the page", "  ", "    ")

    def line(self, text: str, style: str = "") -> None:
        """Add `text` as one line, however long."""
        self._lines.append(self.paint(style, escape_commands(text)))
