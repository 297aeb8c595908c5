"""exchanges.jsonl: the stream of a run as a file. Each line is written at once: a killed run leaves what it had.

Its lines are those of `petcheck.stream.lines`, and exchanges as entries of a HAR 1.2. It is read strictly: a line that
contradicts itself or another is refused with its number. Damage ends the reading, and `Stream.cut` says so: bytes that
are not JSON, half a line, a line that is there twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from petcheck.errors import NotARun, NotEvidence
from petcheck.exchange import Exchange
from petcheck.sanitize import printable
from petcheck.stream.entries import entry_of, exchange_of
from petcheck.stream.lines import KINDS, Head, Line
from petcheck.stream.reading import RECORDING_CAP, Ambiguous, open_file, parsed, why_unread
from petcheck.stream.stream import Contradiction, Entry, Stream, checked
from petcheck.stream.typed import plain, typed

FILE = "exchanges.jsonl"
LINE_CAP = 64 * 1024 * 1024
_NAMES = {kind: name for name, kind in KINDS.items()}


def as_json(entry: Entry) -> dict[str, Any]:
    """A line of a stream as a JSON object."""
    return entry_of(entry) if isinstance(entry, Exchange) else {_NAMES[type(entry)]: plain(entry)}


def from_json(document: Any) -> Entry:
    """The line that parsed JSON describes. Raises ValueError, and NotEvidence for an exchange."""
    if not isinstance(document, dict):
        raise ValueError("it is not an object")
    if "_petcheck" in document:
        exchange = exchange_of(document)
        if entry_of(exchange) != document:
            raise ValueError("its members do not agree with each other")
        return exchange
    kinds = [name for name in document if name in KINDS]
    if len(document) != 1 or not kinds:
        raise ValueError("petcheck writes no such line")
    line: Line = typed(KINDS[kinds[0]], document[kinds[0]])
    return line


def text_of(entries: Iterable[Entry]) -> Iterator[str]:
    """The text of exchanges.jsonl, line by line."""
    return map(_line, entries)


def _line(entry: Entry) -> str:
    return json.dumps(as_json(entry)) + "\n"


class StreamWriter:
    """Writes a stream while the run lasts, and keeps its lines.

    Several processes of one run may write to one file: each line goes to the file's end in one piece. Trouble with the
    disk does not end a run: `trouble` holds the first, and nothing is written after it. Between lines the file is
    closed, so that one that is gone is noticed. Without a `folder` the lines are only kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = folder / FILE if folder is not None else None
        self.trouble: OSError | None = None
        self._kept: list[Entry] = []

    @property
    def begun(self) -> bool:
        """Whether it has the head of this run. Before that, the file is of an earlier one."""
        return bool(self._kept)

    def begin(self, head: Head) -> None:
        """Empty the file and write the head of a run."""
        try:
            if self.path is not None:
                self.path.write_bytes(b"")
        except OSError as error:
            self.trouble = error
        self.write(head)

    def keep(self, entry: Entry) -> None:
        """Keep a line that another process writes."""
        self._kept.append(entry)

    def write(self, entry: Entry) -> None:
        """Write a line."""
        self.keep(entry)
        if self.trouble is not None or self.path is None:
            return
        try:
            append(self.path, entry)
        except OSError as error:
            self.trouble = error

    def stream(self) -> Stream:
        """The stream so far: as the file has it, which other processes may write too; as it was kept without a file.

        Raises NotARun.
        """
        return read_stream(self.path) if self.path is not None and self.trouble is None else self.kept()

    def kept(self) -> Stream:
        """What this process has written so far."""
        return Stream(tuple(self._kept))


def append(path: Path, entry: Entry) -> None:
    """Write a line to the end of an exchanges.jsonl. Raises OSError."""
    line = memoryview(_line(entry).encode())
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        while line:
            line = line[os.write(descriptor, line) :]
    finally:
        os.close(descriptor)


def read_stream(path: Path) -> Stream:
    """The stream in an exchanges.jsonl, up to its last whole line. Raises NotARun."""
    name = printable(str(path))
    lines = _Lines(path)
    try:
        found = checked(lines)
    except (OSError, UnicodeError) as error:
        raise NotARun(f"{name} cannot be read: {why_unread(error)}") from None
    except NotEvidence as error:
        raise NotARun(f"{name} {printable(str(error), 300)}") from None
    return found if lines.cut is None else found.damaged(lines.cut)


class _Lines:
    """The whole lines of a file. What stands after the last line feed was being written when the run was killed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.cut: str | None = None

    def __iter__(self) -> Iterator[Entry]:
        with open_file(self._path, RECORDING_CAP) as file:
            number = 0
            while (line := file.readline(LINE_CAP)).endswith(b"\n"):
                number += 1
                try:
                    document = parsed(line)
                except Ambiguous as error:
                    raise Contradiction(number, f"it {error}") from None
                except (ValueError, RecursionError):
                    self.cut = f"line {number} is not JSON, so nothing from there on was read"
                    return
                try:
                    yield from_json(document)
                except (ValueError, NotEvidence) as error:
                    raise Contradiction(number, str(error)) from None
            if len(line) == LINE_CAP:
                raise NotEvidence(f"has a line of more than {LINE_CAP // 1024**2} MB")
            if line:
                self.cut = f"line {number + 1} is not whole, so it was not read"
