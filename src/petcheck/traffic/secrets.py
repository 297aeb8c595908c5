"""What may be secret in recorded traffic with any host, and how it is masked in all that is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from petcheck.spec.figures import MEDIA_TYPE, STATUSES
from petcheck.traffic.seen import headers_of
from petcheck.wire.credentials import ApiKey
from petcheck.wire.redaction import Redactor

_SECRET = re.compile(r"auth|token|passw|secret|api[-_]?key|session|credential|jwt|signature", re.IGNORECASE)
_MEMBER = re.compile(r'"([^"\\]{1,60})"\s*:\s*"((?:[^"\\]|\\.){1,4000})"')
_SHORTEST, _LONGEST = 6, 4096  # characters: a shorter one may be a word of the interface
_MOST, _MOST_KEYS = 4000, 100
_BATCH = 4 * 1024 * 1024  # bytes
# never masked, whatever a form calls it: it would spoil the evidence
_HARMLESS = frozenset({*STATUSES, MEDIA_TYPE, "bearer", "basic", "undefined", "[object object]"})


def secrets_of(entry: Any) -> Iterator[str]:
    """Every text of an entry that may be secret: tokens, cookies, passwords."""
    if not isinstance(entry, dict):
        return
    for part in ("request", "response"):
        message = entry.get(part)
        if not isinstance(message, dict):
            continue
        for name, value in headers_of(message):
            if name.lower() in ("cookie", "set-cookie"):
                yield from (piece.partition("=")[2] for piece in value.split(";"))
            elif _SECRET.search(name):
                yield from value.split()
        for cookie in _rows(message.get("cookies")):
            yield str(cookie.get("value", ""))
        for row in (*_rows(message.get("queryString")), *_rows(_member(message, "postData", "params"))):
            if _SECRET.search(str(row.get("name", ""))):
                yield str(row.get("value", ""))
        yield from _in_url(message.get("url"))
        for place in ("postData", "content"):
            text = _member(message, place, "text")
            if isinstance(text, str) and _SECRET.search(text):
                yield from _in_json(text)


def _in_url(url: object) -> Iterator[str]:
    try:
        parts = urlsplit(str(url or ""))
        yield from (parts.username or "", parts.password or "")
        yield from (value for name, value in parse_qsl(parts.query) if _SECRET.search(name))
    except ValueError:
        return


def _in_json(text: str) -> Iterator[str]:
    for found in _MEMBER.finditer(text):
        if _SECRET.search(found[1]):
            try:
                yield json.loads(f'"{found[2]}"')
            except ValueError:
                yield found[2]


def _is_usable(secret: str) -> bool:
    fits = _SHORTEST <= len(secret) <= _LONGEST and secret.isprintable() and secret.isascii()
    return fits and secret.lower() not in _HARMLESS


def _member(message: Mapping[str, Any], place: str, name: str) -> Any:
    inner = message.get(place)
    return inner.get(name) if isinstance(inner, dict) else None


def _rows(value: object) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


class Masks:
    """Masks secrets in texts and bodies: `keys` in any form in which a server may send them back, others as they are.

    `texts` are all texts to mask, so that secrets that are in none of them cost nothing.
    """

    def __init__(self, keys: Iterable[str], others: Iterable[str], texts: Iterable[bytes]) -> None:
        # the longest first, since one may hold another
        tokens, plain = (sorted(filter(_is_usable, set(some)), key=len, reverse=True) for some in (keys, others))
        found = _shown_in(texts, [one.encode() for one in plain[:_MOST]])
        shown = [one for one in plain[:_MOST] if one.encode() in found]
        self._redactors = [Redactor(ApiKey(secret)) for secret in (*tokens[:_MOST_KEYS], *shown)]

    def in_bytes(self, data: bytes) -> bytes:
        """`data` with every secret masked."""
        for redactor in self._redactors:
            data = redactor.in_bytes(data)
        return data

    def in_text(self, text: str) -> str:
        """`text` with every secret masked."""
        for redactor in self._redactors:
            text = redactor.in_text(text)
        return text


def _shown_in(texts: Iterable[bytes], secrets: Iterable[bytes]) -> set[bytes]:
    """The secrets that are in any of the texts, which are searched together, some megabytes at a time."""
    found: set[bytes] = set()
    missing, batch, size = set(secrets), list[bytes](), 0
    for text in chain(texts, [None]):
        if text is not None:
            batch.append(text)
            size += len(text)
        if text is None or size > _BATCH:
            joined = b"\0".join(batch)
            found |= {secret for secret in missing if secret in joined}
            missing -= found
            batch, size = [], 0
    return found
