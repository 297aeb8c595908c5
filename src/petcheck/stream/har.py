"""exchanges.har: every exchange of a run for browsers' developer tools (HAR 1.2), made from the stream.

`_petcheck` of the log holds the stream's other lines, and the number of exchanges between two of them: the stream can
be read back from it. An entry that takes too much room is cut: it has `cut` among our members, and a comment with the
length and the sha256 of the whole body. It is a view: the stream beside it holds what was received.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from petcheck.stream.reading import why_unread
from petcheck.stream.stream import Entry, Stream, checked
from petcheck.words import how_to_repeat

FILE = "exchanges.har"


def pieces(stream: Stream) -> Iterator[str]:
    """The text of exchanges.har, piece by piece: with an entry a line, and never more than one of them in memory.

    Entries that are too long for the file are cut.
    """
    log = {
        "version": "1.2",
        "creator": {"name": "petcheck", "version": VERSION},
        "comment": f"petcheck {how_to_repeat(stream.head.seed)}",
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


# ---- a file that stays small, whatever a server sends

ROOM = 3_000_000
"""Characters of a file that whole entries take at most."""

_SHARE = 50  # an entry takes at most this part of the room that is left
_LEAST = 1_000  # characters that each entry may take of what a server sent, even where no room is left
_LONGEST = 200  # characters of any other text than a body


def fitted(entries: Iterable[Mapping[str, Any]], room: int = ROOM) -> Iterator[str]:
    """The entries of one HAR as JSON text, in their order; each is cut if it takes more than its share of the room."""
    for entry in entries:
        text = json.dumps(entry)
        sent = len(json.dumps(entry["response"])) + len(entry["_petcheck"].get("log", ""))
        share = max(_LEAST, room // _SHARE)
        if sent > share:
            text = json.dumps(_cut(entry, share))
        room = max(0, room - len(text))
        yield text


def _cut(entry: Mapping[str, Any], share: int) -> dict[str, Any]:
    """An entry whose response takes about `share` characters: half for the headers, half for the body."""
    response, ours = entry["response"], entry["_petcheck"]
    headers = _fitting(response["headers"], share // 2)
    content = _body(response["content"], share // 2)
    notes = [f"cut at {len(headers)} of {len(response['headers'])} headers"] * (headers != response["headers"])
    cut = {name: _brief(value) for name, value in response.items()} | {"headers": headers, "content": content}
    cut["comment"] = ", ".join([*notes, "whole in exchanges.jsonl"])
    log = {"log": _brief(ours["log"])} if "log" in ours else {}
    return {**entry, "response": cut, "_petcheck": {**ours, **log, "cut": True}}


def _fitting(headers: Sequence[Mapping[str, str]], room: int) -> list[dict[str, str]]:
    kept = []
    for header in headers:
        one = {name: _brief(value) for name, value in header.items()}
        room -= len(json.dumps(one))
        if room < 0:
            break
        kept.append(one)
    return kept


def _body(content: Mapping[str, Any], room: int) -> dict[str, Any]:
    text: str = content.get("text", "")
    encoded = content.get("encoding") == "base64"
    # a character takes up to six in JSON, and base64 comes in fours
    kept = text if len(json.dumps(text)) <= room else text[: room // 6 // 4 * 4]
    if kept == text:
        return {**content, "mimeType": _brief(content["mimeType"])}
    whole = base64.b64decode(text) if encoded else text.encode("utf-8", "surrogatepass")
    note = f"cut: the first part of {len(whole):,} bytes, sha256 {hashlib.sha256(whole).hexdigest()}"
    return {**content, "mimeType": _brief(content["mimeType"]), "text": kept, "comment": note}


def _brief(value: Any) -> Any:
    return f"{value[:_LONGEST]}…" if isinstance(value, str) and len(value) > _LONGEST else value
