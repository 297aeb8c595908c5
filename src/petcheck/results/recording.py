"""exchanges.jsonl: the stream of a run. Each line is written at once, so that a killed run leaves what it had.

The first line is the head, which tells the run and its settings. A line tells each target when it is opened. All other
lines are entries as exchanges.har has them, which is written from here at the end of the run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from petcheck.errors import NotAResult, NotARun, NotEvidence
from petcheck.exchange import Exchange, Response
from petcheck.results import atomic_write
from petcheck.results.har import entry_of, exchange_of
from petcheck.results.result import Result, from_head, head_of
from petcheck.results.sanitize import printable
from petcheck.results.shown_keys import contradiction

FILE = "exchanges.jsonl"
LINE_CAP = 64 * 1024 * 1024
# exchanges are in memory when they are judged
_WEIGHT_CAP = 256 * 1024 * 1024
_OBJECTS = 2_500  # bytes of an exchange without its texts


@dataclass(frozen=True, slots=True)
class Recording:
    """The recording of a run: its result, without rows unless it finished, and every exchange."""

    result: Result
    exchanges: tuple[Exchange, ...]

    def of(self, target: str) -> tuple[Exchange, ...]:
        """The exchanges with one target."""
        return tuple(exchange for exchange in self.exchanges if exchange.target == target)


class Weight:
    """The memory that the exchanges of a recording take."""

    def __init__(self) -> None:
        self._bytes = 0

    def add(self, headers: Iterable[tuple[str, str]], *bodies: bytes | None) -> None:
        """Count an exchange. Raises NotEvidence where the recording takes more than judging may."""
        self._bytes += _OBJECTS + sum(len(name) + len(value) for name, value in headers)
        self._bytes += sum(len(body) for body in bodies if body)
        if self._bytes > _WEIGHT_CAP:
            raise NotEvidence(f"holds more than {_WEIGHT_CAP // 1024**2} MB of exchanges; give a shorter recording")


def believed(head: Result, exchanges: Iterable[Exchange]) -> Recording:
    """A recording of exchanges.

    Raises NotEvidence where they take more memory than judging may, and where one names a credential that its
    Authorization header contradicts.
    """
    kept = tuple(_weighed(exchanges))
    traffic = head.run.settings is not None and head.run.settings.traffic
    wrong = contradiction(kept, traffic=traffic)
    if wrong is not None:
        raise NotEvidence(f"{wrong}: it was changed")
    return Recording(head, kept)


def _weighed(exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
    weight = Weight()
    for exchange in exchanges:
        answer = exchange.answer if isinstance(exchange.answer, Response) else None
        headers = (*exchange.request.headers, *(answer.headers if answer else ()))
        weight.add(headers, exchange.request.body, answer.body if answer else None)
        yield exchange


class Stream:
    """Writes exchanges.jsonl. Several processes of one run may write: each line goes to the file's end in one piece.

    Trouble with the disk does not end a run: `trouble` holds the first, and nothing is written after it. Between lines
    the file is closed, so that one that is gone is noticed.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.trouble: OSError | None = None

    def begin(self, head: Result) -> None:
        """Empty the file and write the head of a run."""
        try:
            self.path.write_bytes(b"")
        except OSError as error:
            self.trouble = error
        self._write(_first(head))

    def target(self, name: str, base_url: str, key: str | None) -> None:
        """Write where a target is, and the fingerprint of its key."""
        self._write(_place(name, base_url, key))

    def exchange(self, exchange: Exchange) -> None:
        """Write an exchange."""
        self._write(entry_of(exchange))

    def _write(self, value: Mapping[str, Any]) -> None:
        if self.trouble is not None:
            return
        line = memoryview(_line(value).encode())
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            try:
                while line:
                    line = line[os.write(descriptor, line) :]
            finally:
                os.close(descriptor)
        except OSError as error:
            self.trouble = error


def write_stream(folder: Path, result: Result, exchanges: Sequence[Exchange]) -> None:
    """Write exchanges.jsonl at the end of a run, all at once. Raises OSError."""
    places = (_place(target.name, target.base_url, target.key) for target in result.targets)
    values = chain([_first(result)], places, map(entry_of, exchanges))
    atomic_write.write(folder / FILE, map(_line, values))


def _first(head: Result) -> dict[str, Any]:
    return {"run": head_of(head)}


def _place(name: str, base_url: str, key: str | None) -> dict[str, Any]:
    return {"target": {"name": name, "base_url": base_url, "key": key}}


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value) + "\n"


def entries_in(path: Path, targets: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The entries of an exchanges.jsonl, target by target. Raises OSError."""
    for target in targets:
        for value in _lines(path):
            if "_petcheck" in value and value["_petcheck"]["target"] == target:
                yield value


def read_stream(path: Path) -> Recording:
    """The recording in an exchanges.jsonl, up to its last whole line. Raises NotARun."""
    name = printable(str(path))
    lines = _lines(path)
    places: dict[str, Any] = {}

    def exchanges_in() -> Iterator[Exchange]:
        for value in lines:
            if "target" in value:
                places[value["target"]["name"]] = value["target"]
            else:
                yield exchange_of(value)

    try:
        head = next(lines, None)
        if head is None:
            raise NotEvidence("is empty: the run ended before it had begun")
        found = believed(from_head(head.get("run")), exchanges_in())
        targets = tuple(
            replace(target, base_url=places[target.name]["base_url"], key=places[target.name]["key"])
            for target in found.result.targets
            if target.name in places
        )
    except OSError as error:
        raise NotARun(f"{name} cannot be read: {error.strerror}") from None
    except (NotAResult, NotEvidence) as error:
        raise NotARun(f"{name} {printable(str(error), 200)}") from None
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise NotARun(f"{name} is not a recording of petcheck ({printable(repr(error), 200)})") from None
    return replace(found, result=replace(found.result, targets=targets))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a stream. What stands after the last line feed was being written when the run was killed."""
    with path.open("rb") as file:
        number = 0
        while (line := file.readline(LINE_CAP)).endswith(b"\n"):
            number += 1
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise NotEvidence(f"has a line that petcheck has not written: line {number}")
            yield value
        if len(line) == LINE_CAP:
            raise NotEvidence(f"has a line of more than {LINE_CAP // 1024**2} MB")
