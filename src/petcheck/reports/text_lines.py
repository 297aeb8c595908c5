"""Lines of text for a terminal: wrapped, coloured if allowed, and harmless if a CI system reads them."""

from __future__ import annotations

import re
import textwrap

from petcheck.results.sanitize import escape_commands

BOLD, DIM, RED, GREEN, YELLOW = "1", "2", "31", "32", "33"

_NARROWEST = 40
# an option and its number stay on one line; text from a target is sanitized and has no such space
_OPTION = re.compile(r"(--[a-z][a-z-]{1,24}) (?=\d)")
_TIED = "\u00a0"


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

    def say(self, text: str, indent: str = "", hanging: str | None = None, *, style: str = "") -> None:
        """Add `text`, wrapped; its first line begins with `indent`, later lines with `hanging`, by default `indent`."""
        wrapped = textwrap.wrap(
            _OPTION.sub(rf"\1{_TIED}", text),
            self.width,
            initial_indent=indent,
            subsequent_indent=indent if hanging is None else hanging,
            break_on_hyphens=False,
        )
        for line in wrapped or [""]:
            self.line(line.replace(_TIED, " "), style)

    def line(self, text: str, style: str = "") -> None:
        """Add `text` as one line, however long."""
        self._lines.append(self.paint(style, escape_commands(text)))
