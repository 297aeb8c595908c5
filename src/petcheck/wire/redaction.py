"""Takes an API key out of everything that is recorded, in whatever dress a target sends it back.

A target may echo what it was sent: as it is, percent-encoded, in base64, as JSON escapes, in capitals, or half of it.
Each of these is replaced before an exchange is recorded, so that nothing behind the recorder has to think of the key.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from petcheck.key import ApiKey

MASK = b"[redacted-key]"
# shorter parts could be words of the interface itself, such as `categoryId`, and masking those would spoil the evidence
_SHORTEST_PART = 12
# a body with more appearances than that was made to keep us busy, and is masked the quick way, which spares less
_FLOOD = 2_000


@dataclass(frozen=True, slots=True)
class _Dress:
    """One look of the key: from which length on a part of it counts, and pieces of it with their places.

    Every part that counts holds at least one piece whole.
    """

    text: bytes
    shortest: int
    blocks: tuple[tuple[int, bytes], ...]


class Redactor:
    """Replaces a key, its encodings and the halves of either; without a key it changes nothing."""

    def __init__(self, key: ApiKey | None) -> None:
        secret = key.secret if key else ""
        # a key of digits may stand inside a JSON number, which must stay one
        self._mask = b"9" * len(secret) if secret.isdecimal() else MASK
        texts = sorted({text.lower() for text in _texts(secret.encode())}, key=len) if secret else []
        self._dresses = [_dress(text) for text in texts]
        self._blocks = tuple({block: None for dress in self._dresses for _, block in dress.blocks})

    def in_bytes(self, data: bytes) -> bytes:
        """`data` with every appearance of the key masked."""
        if not self._shows_in(data):
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

    def in_text(self, text: str) -> str:
        """`text` with every appearance of the key masked; anything else, lone surrogates included, is kept."""
        data = text.encode("utf-8", "surrogatepass")
        clean = self.in_bytes(data)
        return text if clean is data else clean.decode("utf-8", "surrogatepass")

    def in_texts(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Each of `texts` as `in_text` gives it; looked at together, since hardly ever one of them shows the key."""
        if not self._shows_in("\n".join(texts).encode("utf-8", "surrogatepass")):
            return tuple(texts)
        return tuple(self.in_text(text) for text in texts)

    def _shows_in(self, data: bytes) -> bool:
        """Whether anything of the key may be in `data`."""
        folded = data.lower()
        return any(block in folded for block in self._blocks)

    def _without_flood(self, data: bytes) -> bytes:
        """`data` with every block masked that each part of the key has one of, where there are very many."""
        folded = data.lower()
        for block in self._blocks:
            if len(block) >= 4 and folded.count(block) > _FLOOD:
                data = re.sub(re.escape(block), self._mask, data, flags=re.IGNORECASE)
                folded = data.lower()
        return data


def _texts(secret: bytes) -> Iterator[bytes]:
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


def _dress(text: bytes) -> _Dress:
    """Half of it counts; all but one character, where it is short; all, where it is very short."""
    shortest = max(len(text) // 2, min(len(text) - 1, _SHORTEST_PART)) if len(text) > 3 else len(text)
    length = (shortest + 1) // 2
    places = range(0, len(text) - length + 1, length)
    return _Dress(text, shortest, tuple((place, text[place : place + length]) for place in places))


def _appearances(dress: _Dress, data: bytes) -> Iterator[tuple[int, int]]:
    """Where in `data` a part of `dress` stands that is long enough to count."""
    for offset, block in dress.blocks:
        found = data.find(block)
        while found >= 0:
            origin = found - offset  # where the dress would begin
            start, end = found, found + len(block)
            while start > max(0, origin) and data[start - 1] == dress.text[start - 1 - origin]:
                start -= 1
            while end < min(len(data), origin + len(dress.text)) and data[end] == dress.text[end - origin]:
                end += 1
            if end - start >= dress.shortest:
                yield start, end
            found = data.find(block, found + 1)
