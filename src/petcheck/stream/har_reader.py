"""Reads a HAR of any size entry by entry: only one of them is in memory at a time."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from petcheck.errors import NotEvidence
from petcheck.stream.reading import RECORDING_CAP, Ambiguous, open_file, strict

VALUE_CAP = 24 * 1024 * 1024
"""Characters of one entry, or of another member, that are read at most."""

# a value of nothing but brackets takes thirty times as much memory as its text
_SIGNS_CAP = 2_000_000
_CHUNK = 256 * 1024
HEAD = "_petcheck"
"""The member of a log that has the head of a recording of petcheck."""

_OURS = ["log", "version", "creator", "comment", HEAD, "entries"]
_NUMBER = 4  # characters after which it is known that a number has ended
_DIGITS = 4_000  # of a number that Python reads as an integer
_SPACE = " \t\r\n"


def head_and_entries(path: Path) -> Iterator[Any]:
    """The head of a recording of petcheck, None in any other HAR, and then each entry, as parsed JSON.

    Raises OSError, and NotEvidence if the file is not a HAR, is not whole, or is too large, or has a member that is.
    """
    head, found = None, False
    names: list[str] = []
    try:
        # a byte that is not UTF-8 spoils only the text that contains it
        opened = open_file(path, RECORDING_CAP)
        marked = opened.peek(3).startswith(BOM_UTF8)
        with TextIOWrapper(opened, encoding="utf-8-sig", errors="replace") as file:
            text = _Text(file)
            for name in text.members():
                names.append(name)
                if name != "log":
                    text.value()
                    continue
                for member in text.members():
                    names.append(member)
                    if member == "entries":
                        if not found:
                            yield head
                        found = True
                        yield from text.items()
                    elif member == HEAD:
                        text.decoder = strict  # it is ours
                        head = text.value()
                    else:
                        text.value()
            text.end()
            if head is not None and (marked or names != _OURS):
                raise Ambiguous("it has what petcheck does not write")
    except (ValueError, RecursionError) as error:
        raise NotEvidence(f"is not whole JSON ({error})") from None
    if not found:
        raise NotEvidence("is not a HAR: it has no log with entries")


def _whole(digits: str) -> float:
    """An integer; one of thousands of digits is as good as infinite, and spoils no other value."""
    return int(digits) if len(digits) < _DIGITS else float(digits)


class _Text:
    """The text of a JSON file, read on from one value to the next."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._buffer = ""
        self._at = 0
        self._whole = False
        self.decoder = json.JSONDecoder(parse_int=_whole)

    def members(self) -> Iterator[str]:
        """The names of an object's members; each value is to be read before the next name."""
        for _ in self._each("{", "}"):
            name = self.value()
            if not isinstance(name, str):
                raise ValueError("a member without a name")
            self._expect(":")
            yield name

    def items(self) -> Iterator[Any]:
        """The items of an array."""
        for _ in self._each("[", "]"):
            yield self.value()

    def _each(self, first: str, last: str) -> Iterator[None]:
        """Yield before each part of an object or an array."""
        self._expect(first)
        if self._take(last):
            return
        yield
        while not self._take(last):
            self._expect(",")
            yield

    def value(self) -> Any:
        """The next value, whole."""
        self._next()
        while True:
            if self._signs() > _SIGNS_CAP:
                raise NotEvidence(f"has a member of more than {_SIGNS_CAP:,} values, which petcheck does not read")
            try:
                value, end = self.decoder.raw_decode(self._buffer, self._at)
            except ValueError as error:
                if self._whole or isinstance(error, Ambiguous):
                    raise
            else:
                rest = self._buffer[end : end + _NUMBER]
                if self._whole or (rest and (len(rest) == _NUMBER or not set(rest) <= set("0123456789.eE+-"))):
                    # else a number may go on
                    self._at = end
                    return value
            if len(self._buffer) - self._at > VALUE_CAP:
                raise NotEvidence(f"has a member of more than {VALUE_CAP:,} characters, which petcheck does not read")
            self._more()

    def _signs(self) -> int:
        """Commas and brackets in what is read already of a large value."""
        large = len(self._buffer) - self._at > 4 * _CHUNK
        return sum(self._buffer.count(sign, self._at) for sign in ",[{") if large else 0

    def end(self) -> None:
        """Expect nothing more."""
        if self._next():
            raise ValueError("there is more after the end")

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise ValueError(f"expected {sign} and found {self._next() or 'the end'}")

    def _take(self, sign: str) -> bool:
        found = self._next() == sign
        self._at += found
        return found

    def _next(self) -> str:
        """The next character that is not a space; empty at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in _SPACE:
                    return self._buffer[self._at]
                self._at += 1
            if self._whole:
                return ""
            self._more()

    def _more(self) -> None:
        """Read on: as much again as is in memory, so that no text is looked at many times."""
        rest = self._buffer[self._at :]
        read = self._file.read(max(_CHUNK, len(rest)))
        self._whole = not read
        self._buffer, self._at = rest + read, 0
