"""exchanges.har: every exchange of a run for browsers' developer tools (HAR 1.2), made from the stream.

`_petcheck` of the log holds the stream's other lines, and the number of exchanges between two of them: the stream can
be read back from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from petcheck.errors import NotARun, NotEvidence
from petcheck.exchange import Exchange
from petcheck.sanitize import printable
from petcheck.spec.version import VERSION
from petcheck.stream.entries import entry_of
from petcheck.stream.files import as_json, from_json
from petcheck.stream.har_reader import HEAD, head_and_entries
from petcheck.stream.har_room import fitted
from petcheck.stream.reading import why_unread
from petcheck.stream.stream import Entry, Stream, checked

FILE = "exchanges.har"


def pieces(stream: Stream) -> Iterator[str]:
    """The text of exchanges.har, piece by piece: with an entry a line, and never more than one of them in memory.

    Entries that are too long for the file are cut.
    """
    log = {
        "version": "1.2",
        "creator": {"name": "petcheck", "version": VERSION},
        "comment": f"petcheck --seed {stream.head.seed} repeats this run",
        HEAD: _lines(stream),
    }
    yield json.dumps({"log": log}).removesuffix("}}") + ', "entries": ['
    comma = "\n"
    for text in fitted(map(entry_of, stream.exchanges)):
        yield comma + text
        comma = ",\n"
    yield "\n]}}\n"


def _lines(stream: Stream) -> list[Any]:
    found: list[Any] = []
    for exchanges, entries in groupby(stream.entries, lambda entry: isinstance(entry, Exchange)):
        if exchanges:
            found.append(sum(1 for _ in entries))
        else:
            found += map(as_json, entries)
    return found


def read_har(path: Path) -> Stream | None:
    """The stream in an exchanges.har; None where the HAR is of another program. Raises NotARun."""
    name = printable(str(path))
    try:
        entries = head_and_entries(path)
        lines = next(entries)
        if not isinstance(lines, list):
            return None
        return checked(_in_order(lines, [from_json(entry) for entry in entries]))
    except OSError as error:
        raise NotARun(f"{name} cannot be read: {why_unread(error)}") from None
    except (NotEvidence, ValueError) as error:
        raise NotARun(f"{name} {printable(str(error), 200)}") from None


def _in_order(lines: list[Any], exchanges: list[Entry]) -> Iterator[Entry]:
    """The lines of a stream again."""
    numbers = [line for line in lines if type(line) is int]
    if sum(numbers) != len(exchanges) or min(numbers, default=1) < 1:
        raise NotEvidence("has not as many entries as it says")
    left = iter(exchanges)
    for line in lines:
        if type(line) is int:
            yield from islice(left, line)
        else:
            yield from_json(line)
