"""Undoes the escapes of JSON, scripts, HTML and URLs in a text, whichever of its characters are escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_BEGINNINGS = (b"\\", b"%", b"&")
_ESCAPE = re.compile(
    rb"\\u(d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|[0-9a-f]{4})|(?:%|\\x)([0-9a-f]{2})|\\([!-/:-@[-`{-~])|"
    rb"&(?:#[0-9]{1,7};?|#x[0-9a-f]{1,6};?|[a-z][a-z0-9]{1,30};)",
    re.IGNORECASE,
)


def unescaped(data: bytes) -> bytes | None:
    """`data` with each escape undone once; None if it has none."""
    if not any(beginning in data for beginning in _BEGINNINGS):
        return None
    # in pieces: a list of them would take many times as much memory
    plain, end = bytearray(), 0
    for found in _ESCAPE.finditer(data):
        plain += data[end : found.start()] + _meaning(found[0])
        end = found.end()
    return bytes(plain + data[end:]) if end else None


def as_written(data: bytes, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where `data` has what is between each two positions of `unescaped(data)`; they are sorted and apart."""
    pieces = _pieces(data)
    plain_start = plain_end = start = end = 0
    is_escape = False
    for first, last in spans:
        while plain_end <= first:
            plain_start, start = plain_end, end
            plain_end, end, is_escape = next(pieces)
        begins = start if is_escape else start + first - plain_start
        while plain_end < last:
            plain_start, start = plain_end, end
            plain_end, end, is_escape = next(pieces)
        yield begins, end if is_escape else start + last - plain_start


def _pieces(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """The escapes and what is between them: the end of each in the unescaped text and in `data`; whether it is one."""
    plain_end = end = 0
    for found in _ESCAPE.finditer(data):
        plain_end += found.start() - end
        yield plain_end, found.start(), False
        plain_end, end = plain_end + len(_meaning(found[0])), found.end()
        yield plain_end, end, True
    yield plain_end + len(data) - end, len(data), False


@lru_cache(maxsize=4096)
def _meaning(escape: bytes) -> bytes:
    found = _ESCAPE.fullmatch(escape)
    units, byte, itself = found.groups() if found else (None, None, None)
    if units:
        pair = b"".join(int(unit, 16).to_bytes(2) for unit in units.lower().split(b"\\u"))
        return pair.decode("utf-16-be", "surrogatepass").encode("utf-8", "surrogatepass")
    if byte:
        return bytes.fromhex(byte.decode())
    return itself or html.unescape(escape.decode()).encode("utf-8", "surrogatepass")
