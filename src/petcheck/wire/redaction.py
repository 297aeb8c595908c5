"""Takes an API key out of everything that is recorded, in whatever dress a target sends it back.

A target may echo what it was sent: as it is, percent-encoded, in base64, as JSON escapes, in capitals, or half of it.
Each of these is replaced before an exchange is recorded, so that nothing behind the recorder has to think of the key.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from urllib.parse import quote

from petcheck.key import ApiKey

MASK = b"[redacted-key]"
# shorter parts could be words of the interface itself, such as `categoryId`, and masking those would spoil the evidence
_SHORTEST_PART = 12
# a body with more appearances than that was made to keep us busy, and is masked the quick way, which spares less
_FLOOD = 2_000


class Redactor:
    """Replaces a key, its encodings and the halves of either; without a key it changes nothing."""

    def __init__(self, key: ApiKey | None) -> None:
        secret = key.secret if key else ""
        # a key of digits may stand inside a JSON number, which must stay one
        self._mask = b"9" * len(secret) if secret.isdecimal() else MASK
        self._dresses = sorted({dress.lower() for dress in _dresses(secret.encode())}, key=len) if secret else []

    def in_bytes(self, data: bytes) -> bytes:
        """`data` with every appearance of the key masked."""
        if not self._dresses or not data:
            return data
        data = self._without_flood(data)
        folded = data.lower()
        spans = sorted(span for dress in self._dresses for span in _appearances(dress, folded))
        masked, kept_to = bytearray(), 0
        for start, end in spans:
            if end <= kept_to:
                continue
            if start >= kept_to:
                masked += data[kept_to:start] + self._mask
            kept_to = end
        return bytes(masked + data[kept_to:]) if spans else data

    def _without_flood(self, data: bytes) -> bytes:
        """`data` with every block masked that each part of the key has one of, where there are very many."""
        folded = data.lower()
        for dress in self._dresses:
            for _, block in _blocks(dress):
                if len(block) >= 4 and folded.count(block) > _FLOOD:
                    data = re.sub(re.escape(block), self._mask, data, flags=re.IGNORECASE)
                    folded = data.lower()
        return data

    def in_text(self, text: str) -> str:
        """`text` with every appearance of the key masked; anything else, lone surrogates included, is kept."""
        if not self._dresses:
            return text
        return self.in_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def _dresses(secret: bytes) -> Iterator[bytes]:
    """Everything that the key can look like on its way back."""
    text = secret.decode()
    yield secret
    yield quote(text, safe="").encode()
    yield "".join(f"%{byte:02x}" for byte in secret).encode()
    yield "".join(f"\\u{ord(character):04x}" for character in text).encode()
    yield text.replace("/", "\\/").encode()
    yield secret.hex().encode()
    # depending on what stands before it, the same text has three forms in base64; its ends mix with its neighbours
    for before, mixed in ((0, 0), (1, 2), (2, 3)):
        inner = base64.b64encode(b"\0" * before + secret).rstrip(b"=")[mixed:-1]
        if len(inner) >= _SHORTEST_PART // 2:
            yield inner
            yield inner.replace(b"+", b"-").replace(b"/", b"_")


def _appearances(dress: bytes, data: bytes) -> Iterator[tuple[int, int]]:
    """Where in `data` a run of at least half of `dress` stands (of all but one character, where it is short)."""
    for offset, block in _blocks(dress):
        found = data.find(block)
        while found >= 0:
            origin = found - offset  # where the dress would begin
            start, end = found, found + len(block)
            while start > max(0, origin) and data[start - 1] == dress[start - 1 - origin]:
                start -= 1
            while end < min(len(data), origin + len(dress)) and data[end] == dress[end - origin]:
                end += 1
            if end - start >= _shortest(dress):
                yield start, end
            found = data.find(block, found + 1)


def _shortest(dress: bytes) -> int:
    """The length from which on a part of a dress counts."""
    return max(len(dress) // 2, min(len(dress) - 1, _SHORTEST_PART)) if len(dress) > 3 else len(dress)


def _blocks(dress: bytes) -> Iterator[tuple[int, bytes]]:
    """Pieces of a dress and where in it they stand; every part that counts holds at least one of them whole."""
    length = (_shortest(dress) + 1) // 2
    for offset in range(0, len(dress) - length + 1, length):
        yield offset, dress[offset : offset + length]
