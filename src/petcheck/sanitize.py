"""Makes text from a target harmless to display; every output shows strings through `printable`.

A character that is invisible, or that changes how its neighbours look, appears as an escape such as `\\u{202e}`. JSON
has no such escape, so it cannot be confused with one that the target sent. Each output format escapes its own markup
afterwards.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

BODY_LIMIT = 2_000
"""Characters of a body that a report shows."""

FIELD_LIMIT = 300
"""Characters of a name, a header or a URL that a report shows."""

REASON_LIMIT = 1_500
"""Characters of a reason that a report shows; a reason may quote the target."""

HEADER_LIMIT = 40
"""Headers of one message that a report shows."""

_MARKS_IN_A_ROW = 3  # enough for every written language; more would cover the lines above and below
_PLAIN = re.compile(r"[ -~]*")
_COMMAND = re.compile(r"(?:(?<=\s)|^):(?=:)|#(?=#\w*\[)")
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})


def printable(text: str, limit: int = FIELD_LIMIT, *, lines: bool = False, whole_in: str = "exchanges.jsonl") -> str:
    """`text` with everything invisible escaped, cut after `limit` of its characters with a note that says so.

    `lines` keeps line feeds and tabs, for bodies; without it the result is one line. `whole_in` names the file that
    holds the whole text. The result can be encoded in any Unicode encoding.
    """
    return "".join(printable_parts(text, limit, lines=lines, whole_in=whole_in))


def printable_reason(text: str, limit: int = REASON_LIMIT) -> str:
    """The same of a text that result.json holds."""
    return printable(text, limit, whole_in="result.json")


def printable_parts(
    text: str, limit: int = FIELD_LIMIT, *, lines: bool = False, whole_in: str = "exchanges.jsonl"
) -> tuple[str, str]:
    """`printable` in two parts: the text, and the note that it was cut, or an empty string."""
    kept = text[:limit]
    if not _PLAIN.fullmatch(kept):
        kept = _escaped(kept, lines)
    left_out = len(text) > limit
    return kept, f" … [cut at {limit:,} of {len(text):,} characters, whole in {whole_in}]" if left_out else ""


def escape_commands(line: str) -> str:
    """`line` for a log that a CI system reads, with the first character of each CI command escaped.

    GitHub Actions obeys `::command::` at the beginning of a line; GitHub Actions, Azure Pipelines and TeamCity obey
    `##[…]`, `##vso[…]` and `##teamcity[…]` anywhere.
    """
    return _COMMAND.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", line)


def printable_lines(text: str) -> list[str]:
    """`text` as lines for a log, whole, each of them harmless."""
    return [escape_commands(line) for line in printable(text, max(len(text), 1), lines=True).split("\n")]


def comma_list(ids: Sequence[str], limit: int = 12, quote: Callable[[str], str] = printable) -> str:
    """`ids` with commas between; those after the first `limit` are counted.

    `quote` makes each of them harmless in the format of the output.
    """
    shown = ", ".join(quote(item) for item in ids[:limit])
    return f"{shown} and {len(ids) - limit} more" if len(ids) > limit else shown


def _escaped(text: str, lines: bool) -> str:
    escaped: list[str] = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        kept = character == " " or (lines and character in "\n\t")
        if not kept and (category in _HIDDEN or marks > _MARKS_IN_A_ROW or _is_blank(character)):
            escaped.append(f"\\u{{{ord(character):x}}}")
        else:
            escaped.append(character)
    return "".join(escaped)


def _is_blank(character: str) -> bool:
    """Whether a letter or mark is invisible: fillers and variation selectors."""
    return character in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800" or "\ufe00" <= character <= "\ufe0f"
