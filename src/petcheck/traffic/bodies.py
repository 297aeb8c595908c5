"""The bodies in a HAR, as far as they are those that were sent: recorders cut, misread and rewrite them."""

from __future__ import annotations

import base64
import codecs
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from petcheck.spec.figures import CONTENT_TYPE, MEDIA_TYPE
from petcheck.stream.entries import first_of
from petcheck.traffic.values import dict_of, in_words, number_of, text_of
from petcheck.wire.decoding import UNDONE
from petcheck.wire.decoding import decoded as undone

_UNPACKED_CAP = 24 * 1024 * 1024  # bytes
_OF_URLS = str.maketrans("-_", "+/")  # of another alphabet of Base64 (RFC 4648, section 5)
_SAID_CUT = re.compile(r"\s*[\[{].*(\.\.\.|…|\b(truncated|omitted)\W*)\s*", re.IGNORECASE | re.DOTALL)
_EXACT = 2**53  # JavaScript cannot tell a larger integer from its neighbour


class LeftAlone(Exception):
    """An entry that shows nothing about the server; the message is the reason, which is counted."""


def request_body(request: Mapping[str, Any], headers: Iterable[tuple[str, str]]) -> bytes | None:
    """The body of a request, None where it had none. Raises `LeftAlone` where it had one that was left out."""
    posted = dict_of(request.get("postData"))
    text = posted.get("text") or _in_params(posted.get("params"))
    length, counted = number_of(first_of(headers, "content-length")), number_of(request.get("bodySize"))
    size, not_recorded = max(counted, length), LeftAlone("with a request body that was not recorded")
    if not isinstance(text, str) or not text:
        # a recorder that left a body out says 0 or -1, too: only the header tells
        posts = str(request.get("method")).upper() == "POST"
        if (posts and length != 0) or size > 0 or posted.get("params"):
            raise not_recorded
        return None
    media = text_of(posted.get("mimeType")) or first_of(headers, CONTENT_TYPE) or ("" if headers else MEDIA_TYPE)
    if MEDIA_TYPE not in media.lower():
        raise LeftAlone("with a request body of another media type")
    body, whole = decoded(text, posted.get("encoding"))
    if _is_packed(headers) and not _is_json(body):
        unpacked = _unpacked(body) or _unpacked(_misread(body) or b"")
        if unpacked is None:
            raise not_recorded
        return unpacked
    body = _as_counted(body, length)
    is_sure = length == len(body)
    is_other = length > len(body) or (0 <= length < len(body) and not _is_laid_out_anew(body, counted))
    # a text that nothing vouches for may be one that the recorder wrote as JSON
    if not whole or is_other or (not is_sure and (not _is_whole(body, size) or isinstance(_json(body), str))):
        raise not_recorded
    return body


def _in_params(rows: object) -> str | None:
    """JSON that a recorder has taken apart as if it were a form."""
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    pairs = ((in_words(row.get("name")), in_words(row.get("value"))) for row in found)
    text = "&".join(f"{name}={value}" if value else name for name, value in pairs)
    return text if isinstance(_json(text.encode("utf-8", "surrogatepass")), dict) else None


def body_of(
    content: Mapping[str, Any], headers: Iterable[tuple[str, str]], *, written_again: bool
) -> tuple[bytes, bool]:
    """The body of an answer, and whether that is all of it; `written_again` if the recorder wrote a value as JSON."""
    text, size = content.get("text"), number_of(content.get("size"))
    length = number_of(first_of(headers, "content-length"))
    if not isinstance(text, str) or not text:
        return b"", length == 0 and size <= 0  # "" stands for a body that was left out, too
    body, whole = decoded(text, content.get("encoding"))
    if text.startswith("\x1f\x8b"):  # bytes of gzip, each as a character
        body = text.encode("latin-1", "replace")
    # a recorder says what it left out, beside the text or in it
    if not whole or ((content.get("comment") or (length < 0 and _SAID_CUT.fullmatch(text))) and not _is_json(body)):
        return body, False
    if written_again and (isinstance(_json(body), str) or _has_a_large_integer(body)):
        return body, False
    packed = _is_packed(headers)
    if not packed:
        body = _as_counted(body, length if length >= 0 else size)
    elif not _is_json(body):
        unpacked = _unpacked(body)
        if unpacked is not None or _is_binary(body):
            as_sent = length == len(body) and _encoding(headers) in UNDONE
            return unpacked or body, unpacked is not None or as_sent
    if length >= 0 and not packed and (length >= len(body) or not _is_laid_out_anew(body, size)):
        return body, length == len(body)
    return body, _is_whole(body, size)


def _is_packed(headers: Iterable[tuple[str, str]]) -> bool:
    return _encoding(headers) != "identity"


def _encoding(headers: Iterable[tuple[str, str]]) -> str:
    return (first_of(headers, "content-encoding") or "identity").strip().lower()


def why_not_unpacked(body: bytes, headers: Iterable[tuple[str, str]]) -> str | None:
    """Why a body that was recorded as it was sent cannot be unpacked; None if it is another one."""
    encoding = _encoding(headers)
    return undone(body, encoding, _UNPACKED_CAP)[2] if encoding in UNDONE and _is_binary(body) else None


def _as_counted(body: bytes, length: float) -> bytes:
    """A body that came with no encoding. Compressed, behind a byte order mark, or with two signs for each that is
    beyond ASCII, it is as it came unless its length is that of what is inside: then the recorder has changed it.
    """
    inside = body.removeprefix(codecs.BOM_UTF8) if body.startswith(codecs.BOM_UTF8) else _unpacked(body)
    misread = _misread(body)
    with suppress(UnicodeError):
        if misread is not None and misread.decode() and len(misread) == length:
            return misread
    return inside if inside is not None and len(inside) == length else body


def _misread(body: bytes) -> bytes | None:
    """The bytes that a recorder has read in an 8-bit encoding and written as UTF-8; None if it has not."""
    for encoding in ("latin-1", "cp1252"):
        with suppress(UnicodeError):
            return body.decode().encode(encoding)
    return None


def _is_laid_out_anew(body: bytes, size: float) -> bool:
    """Whether a body that is longer than what was sent has its values all the same: a recorder may lay JSON out."""
    return _is_json(body) and (body.isascii() or size == len(body))


def says_empty(response: Mapping[str, Any], headers: Iterable[tuple[str, str]]) -> bool:
    """Whether the recorder says that there was no body, which it may also say of one that it left out."""
    content = dict_of(response.get("content"))
    broke = response.get("_error") or content.get("comment") or number_of(first_of(headers, "content-length")) > 0
    return not broke and number_of(content.get("size")) == 0 and number_of(response.get("bodySize")) <= 0


def _unpacked(body: bytes, *, again: bool = True) -> bytes | None:
    """A body that was recorded as it came over the wire; None if it was not, or in another encoding."""
    unpacker = zlib.decompressobj(47)  # gzip or zlib
    try:
        found = unpacker.decompress(body, _UNPACKED_CAP)
    except zlib.error:
        return None
    if not unpacker.eof or unpacker.unused_data:
        return None
    twice = again and found.startswith(b"\x1f\x8b")  # no JSON begins so
    return _unpacked(found, again=False) if twice else found


def _is_binary(body: bytes) -> bool:
    try:
        return any(sign < " " and not sign.isspace() for sign in body.decode())
    except UnicodeDecodeError:
        return True


def _is_whole(body: bytes, size: float) -> bool:
    """Whether a body is all that was sent. An object or an array is, since none can be cut and stay JSON."""
    return 0 < size <= len(body) or (_is_json(body) and (size <= 0 or body.lstrip()[:1] in (b"[", b"{")))


def _has_a_large_integer(body: bytes) -> bool:
    return any(abs(int(digits)) > _EXACT for digits in re.findall(rb"\d{16,400}", body))


def _is_json(body: bytes) -> bool:
    """Whether a body of unknown size is JSON; if not, it may have been cut."""
    return _json(body) is not _NOT_JSON


_NOT_JSON = object()


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return _NOT_JSON


def from_base64(text: str) -> bytes:
    """The bytes of a text in Base64, of either alphabet, padded or not. Raises `ValueError` if it is something else."""
    plain = text.rstrip("=").translate(_OF_URLS)
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def decoded(text: str, encoding: object) -> tuple[bytes, bool]:
    """Bytes of a text, and whether they are those that were on the wire, as far as is known."""
    if str(encoding).lower() == "base64":
        try:
            return from_base64("".join(text.split())), True
        except ValueError:
            return b"", False
    # a recorder puts the replacement character where it could not read a byte
    return text.encode("utf-8", "surrogatepass"), "\ufffd" not in text
