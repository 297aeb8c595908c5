"""The interface document as sentences and table rows, each with the digest by which the catalogue knows it.

The catalogue holds none of the document's text. A digest covers the number of the section and the words: white space,
emphasis, links and code marks do not count, so text that is only set otherwise keeps its digest. Words that are
in one section several times are counted, so that each has its own.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it.token import Token

PREAMBLE = "0"
"""The number that stands for what precedes the first section."""

_DIGITS = 16  # of a digest; a catalogue has a few hundred
_NUMBERED = re.compile(r"(\d{1,4}(?:\.\d{1,4})*)\.?(?:\s|$)")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_STYLES = {"strong_open": "strong", "em_open": "em"}


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in one style: `code`, `strong`, `em`, or none."""

    text: str
    style: str = ""


Text = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, which has one cell, or a row of a table. `place` is its section and digest: `4.1:0123abcd…`."""

    place: str
    cells: tuple[Text, ...]

    @property
    def words(self) -> str:
        """Its text alone; a bar is between the cells of a row."""
        return _words(self.cells)


@dataclass(frozen=True, slots=True)
class Block:
    """A heading of some `depth`, a paragraph, an item of a list at some `depth`, code, or a table.

    `head` is the text of a heading, or the head of each column of a table. `marker` is what stands before an item.
    """

    kind: Literal["heading", "paragraph", "item", "code", "table"]
    passages: tuple[Passage, ...] = ()
    depth: int = 0
    head: tuple[Text, ...] = ()
    marker: str = ""


def section_of(place: str) -> str:
    """The number of the section of a place."""
    return place.partition(":")[0]


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text. HTML in it is text like any other, and a link keeps its words only."""
    from markdown_it import MarkdownIt

    return tuple(_Reader().blocks(MarkdownIt("commonmark", {"html": False}).enable("table").parse(text)))


class _Reader:
    """Goes through the tokens of a document once."""

    def __init__(self) -> None:
        self._section = PREAMBLE
        self._seen: Counter[tuple[str, str]] = Counter()
        self._lists: list[int | None] = []  # the number of the next item of each list around; None without numbers
        self._marker = ""

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        rows: list[list[Text]] = []
        in_table = False
        for before, token in pairwise([*tokens[:1], *tokens]):
            if token.type in ("bullet_list_open", "ordered_list_open"):
                numbered = token.type.startswith("ordered")
                self._lists.append(int(token.attrs.get("start", 1)) if numbered else None)
            elif token.type in ("bullet_list_close", "ordered_list_close"):
                self._lists.pop()
            elif token.type == "list_item_open":
                self._marker = "•" if self._lists[-1] is None else f"{token.info}."
            elif token.type == "table_open":
                in_table, rows = True, []
            elif token.type == "tr_open":
                rows.append([])
            elif token.type == "table_close":
                in_table = False
                yield Block("table", tuple(self._passage(row) for row in rows[1:]), head=tuple(rows[0]))
            elif token.type in ("fence", "code_block"):
                yield Block("code", (self._passage([(Piece(token.content, "code"),)]),))
            elif token.type == "inline":
                text = _text(token.children or [])
                if in_table:
                    rows[-1].append(text)
                elif before.type == "heading_open":
                    numbered_as = _NUMBERED.match(_words([text]))
                    self._section = numbered_as[1] if numbered_as else self._section
                    yield Block("heading", depth=int(before.tag[1:]), head=(text,))
                else:
                    yield self._paragraph(text)

    def _paragraph(self, text: Text) -> Block:
        passages = tuple(self._passage([sentence]) for sentence in _sentences(text))
        marker, self._marker = self._marker, ""
        return Block("item" if self._lists else "paragraph", passages, depth=len(self._lists), marker=marker)

    def _passage(self, cells: Sequence[Text]) -> Passage:
        words = _words(cells)
        self._seen[self._section, words] += 1
        whole = f"{self._section}\n{self._seen[self._section, words]}\n{words}"
        digest = hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:_DIGITS]
        return Passage(f"{self._section}:{digest}", tuple(cells))


def _words(cells: Sequence[Text]) -> str:
    texts = ("".join(piece.text for piece in cell) for cell in cells)
    return " | ".join(" ".join(unicodedata.normalize("NFC", text).split()) for text in texts)


def _text(tokens: Sequence[Token]) -> Text:
    """The pieces of a line: emphasis and code stay, all other marks are dropped."""
    styles: list[str] = []
    pieces = []
    for token in tokens:
        if token.type in _STYLES:
            styles.append(_STYLES[token.type])
        elif token.type in ("strong_close", "em_close"):
            styles.pop()
        elif token.type == "code_inline":
            pieces.append(Piece(token.content, "code"))
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append(Piece(" "))
        elif token.content:
            pieces.append(Piece(token.content, styles[-1] if styles else ""))
    return tuple(pieces)


def _sentences(text: Text) -> Iterator[Text]:
    """The sentences of a paragraph. A full stop in code ends none."""
    whole = "".join(piece.text for piece in text)
    styles = [piece.style for piece in text for _ in piece.text]
    ends = [found for found in _BETWEEN_SENTENCES.finditer(whole) if styles[found.start() - 1] != "code"]
    starts = [0, *(found.end() for found in ends)]
    for start, end in zip(starts, [*(found.start() for found in ends), len(whole)], strict=True):
        if sentence := tuple(_cut(text, start, end)):
            yield sentence


def _cut(text: Text, start: int, end: int) -> Iterator[Piece]:
    place = 0
    for piece in text:
        if part := piece.text[max(start - place, 0) : max(end - place, 0)]:
            yield Piece(part, piece.style)
        place += len(piece.text)
