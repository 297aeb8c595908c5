"""Keeps exchanges.har small whatever a server sends: an entry that takes too much room is cut, and says so.

The stream beside it holds what was received. A cut entry has `cut` among our members and a comment that names the
length and the sha256 of the whole body; it is a view, and no verdict is made from it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

ROOM = 3_000_000
"""Characters of a file that whole entries take at most."""

_SHARE = 50  # an entry takes at most this part of the room that is left
_LEAST = 1_000  # characters that each entry may take of what a server sent, even where no room is left
_SHORT = 200  # characters of any other text than a body


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
    return f"{value[:_SHORT]}…" if isinstance(value, str) and len(value) > _SHORT else value
