"""Text from a target, made harmless to look at: every output shows strings through `visible` and no other way.

What a reader cannot see, or what changes how its neighbours are shown, appears as an escape such as `\\u{202e}`. The
form is none of JSON's, so an escape that the target sent itself is not mistaken for one of ours. Markup is not
escaped here: each output format does that for itself, afterwards.
"""

from __future__ import annotations

import re
import unicodedata

BODY_LIMIT = 2_000
"""Characters of a body that a report shows."""

FIELD_LIMIT = 300
"""Characters of a name, a header, a URL and the like that a report shows."""

REASON_LIMIT = 1_500
"""Characters of a reason that a report shows; it is a sentence of ours that may quote the target."""

_MARKS_IN_A_ROW = 3  # enough for every written language; a tower of them would run over the lines around it
_PLAIN = re.compile(r"[ -~]*")
_COMMAND = re.compile(r"(?:(?<=\s)|^):(?=:)|#(?=#\w*\[)")
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})


def visible(text: str, limit: int = FIELD_LIMIT, *, lines: bool = False, whole_in: str = "exchanges.har") -> str:
    """`text` with everything invisible escaped, cut after `limit` of its characters with a note that says so.

    With `lines`, line feeds and tabs stay as they are (bodies); otherwise the result is one line. `whole_in` names
    the file that holds the uncut text. The result is plain text that every encoding form of Unicode can carry.
    """
    cut = text[:limit]
    if not _PLAIN.fullmatch(cut):
        cut = _escaped(cut, lines)
    if len(text) > limit:
        cut += f" … [cut at {limit:,} of {len(text):,} characters, whole in {whole_in}]"
    return cut


def visible_bytes(body: bytes, limit: int = BODY_LIMIT) -> str:
    """A body as visible text of several lines; bytes that are no UTF-8 appear as `\\xNN`. Cut as in `visible`."""
    return visible(body.decode("utf-8", "backslashreplace"), limit, lines=True)


def inert(line: str) -> str:
    """A line that is printed where a CI system may read along, without anything that one of them takes for a command.

    GitHub Actions obeys `::command::` at the beginning of a line; that, Azure Pipelines and TeamCity obey `##[…]`,
    `##vso[…]` and `##teamcity[…]` wherever they stand. Their first sign is shown as an escape.
    """
    return _COMMAND.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", line)


def _escaped(text: str, lines: bool) -> str:
    shown: list[str] = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        kept = character == " " or (lines and character in "\n\t")
        if not kept and (category in _HIDDEN or marks > _MARKS_IN_A_ROW or _shows_nothing(character)):
            shown.append(f"\\u{{{ord(character):x}}}")
        else:
            shown.append(character)
    return "".join(shown)


def _shows_nothing(character: str) -> bool:
    """Letters and marks that are drawn as nothing at all: fillers, and variation selectors."""
    return character in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800" or "\ufe00" <= character <= "\ufe0f"
