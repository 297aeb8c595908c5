"""Masks the API key in everything that is recorded, in whatever form a target sends it back.

A target may echo what it was sent: as it is, percent-encoded, in base64, as JSON escapes, in capitals, or half of it.
Each of these is masked before an exchange is recorded, so nothing after that has to think of the key.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from petcheck.wire.credentials import ApiKey

MASK = b"[redacted-key]"
# shorter parts may be words of the interface, such as `categoryId`, which the evidence needs
_SHORTEST_PART = 12
# a body with more appearances was made to keep us busy, and is masked the quick way, which masks more than needed
_FLOOD = 2_000


@dataclass(frozen=True, slots=True)
class _Form:
    """One form of the key: from which length on a part of it counts, and pieces of it with their places.

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
        self._forms = [_form(text) for text in texts]
        self._blocks = tuple({block: None for form in self._forms for _, block in form.blocks})

    def in_bytes(self, data: bytes) -> bytes:
        """`data` with every appearance of the key masked."""
        if not self._shows_in(data):
            return data
        data = self._without_flood(data)
        folded = data.lower()
        spans = sorted(span for form in self._forms for span in _appearances(form, folded))
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
        """Each of `texts` as `in_text` gives it; searched together, since the key is rarely in any of them."""
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
    """Every form that the key can come back in."""
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


def _form(text: bytes) -> _Form:
    """A part counts from half its length on; of a short key all but one character, of a very short one all."""
    shortest = max(len(text) // 2, min(len(text) - 1, _SHORTEST_PART)) if len(text) > 3 else len(text)
    length = (shortest + 1) // 2
    places = range(0, len(text) - length + 1, length)
    return _Form(text, shortest, tuple((place, text[place : place + length]) for place in places))


def _appearances(form: _Form, data: bytes) -> Iterator[tuple[int, int]]:
    """Where in `data` a part of `form` stands that is long enough to count."""
    for offset, block in form.blocks:
        found = data.find(block)
        while found >= 0:
            origin = found - offset  # where the form would begin
            start, end = found, found + len(block)
            while start > max(0, origin) and data[start - 1] == form.text[start - 1 - origin]:
                start -= 1
            while end < min(len(data), origin + len(form.text)) and data[end] == form.text[end - origin]:
                end += 1
            if end - start >= form.shortest:
                yield start, end
            found = data.find(block, found + 1)
