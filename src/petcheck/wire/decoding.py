"""Undoes the Content-Encoding of a body, within the caps."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

ACCEPTED_ENCODINGS = "gzip, deflate"
_ENCODINGS_UNDONE, _MEMBERS_UNDONE = 3, 64
_STEP = 16  # bytes; of a damaged step nothing is read


UNDONE = ("gzip", "x-gzip", "deflate")
"""The values of Content-Encoding that are undone (RFC 9110, section 8.4.1)."""


def decoded(raw: bytes, encodings: str, cap: int) -> tuple[bytes, bool, str | None]:
    """The body with Content-Encoding undone, or as received; whether it is complete; why it cannot be undone."""
    names = announced(encodings)
    if len(names) > _ENCODINGS_UNDONE:
        return raw, False, None
    body, complete = raw, True
    for name in reversed(names):
        if name not in UNDONE:
            return raw, True, f"Content-Encoding is {name[:60]}; the request accepts only {ACCEPTED_ENCODINGS}"
        try:
            body, complete = _inflated(body, cap, gzip=name != "deflate")
        except zlib.error as error:
            return raw, True, f"Content-Encoding is {name}, but the body cannot be decoded: {error}"
        if not complete:
            break
    return body, complete, None


def announced(encodings: str) -> list[str]:
    """The encodings that a Content-Encoding names, in the order in which they were applied."""
    return [name for one in encodings.split(",") if (name := one.strip().lower()) not in ("", "identity")]


def _inflated(raw: bytes, cap: int, *, gzip: bool) -> tuple[bytes, bool]:
    """The decompressed `raw`, of one or several gzip members, and whether it is complete. Raises `zlib.error`."""
    found = bytearray()
    for member in range(_MEMBERS_UNDONE):
        # deflate has the header of zlib (RFC 9110, section 8.4.1.2)
        unpacker = zlib.decompressobj(31 if gzip else 15)
        try:
            found += unpacker.decompress(raw, cap + 1 - len(found))
        except zlib.error:
            if member == 0:
                raise
            return bytes(found), True  # padding after the last member
        if unpacker.unconsumed_tail or len(found) > cap:
            return bytes(found[:cap]), False
        if not unpacker.eof:
            raise zlib.error("it ends too early")
        raw = unpacker.unused_data if gzip else b""
        if not raw:
            return bytes(found), True
    return bytes(found), False


def unpacked(raw: bytes, cap: int) -> Iterator[bytes]:
    """What `raw` may hold if it is compressed, whatever its headers say: at most `cap` bytes of each kind.

    Also of one that is cut or damaged, as far as it can be read.
    """
    for wbits in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):  # gzip or zlib; deflate without a header, a usual mistake
        unpacker, found = zlib.decompressobj(wbits), bytearray()
        for start in range(0, len(raw), _STEP):
            try:
                found += unpacker.decompress(raw[start : start + _STEP], cap - len(found))
            except zlib.error:
                break
            if unpacker.eof or len(found) >= cap:
                break
        if found:
            yield bytes(found)
