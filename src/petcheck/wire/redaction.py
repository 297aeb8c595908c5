"""Masks the API key and other secrets of requests in everything that is recorded, in any form in which they return.

A target may echo the key unchanged, in base64, in UTF-16, in capitals, compressed, half of it, or with any of its
characters escaped as in JSON, HTML or URLs. All of these are masked before an exchange is recorded, so no later step
has to consider the key.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from petcheck.exchange import mask_of
from petcheck.json_values import is_utf_8
from petcheck.wire.credentials import ApiKey
from petcheck.wire.decoding import unpacked
from petcheck.wire.escapes import as_written, unescaped

# shorter parts may be words of the interface that the evidence needs, such as `categoryId`
_SHORTEST_PART = 12
# a body with more occurrences is an attack on our time, and is masked quickly, which masks more than needed
_FLOOD = 2_000
_SHARE_OF_FLOOD = 10
_PACKED_IN_PACKED = _ESCAPED_AGAIN = 3
_UNPACKED_CAP = 8 * 1024 * 1024  # bytes
_MAGIC = 2  # bytes that say how a body is compressed


@dataclass(frozen=True, slots=True)
class _Form:
    """One form of the key: the shortest length at which a part of it counts, and pieces of it with their positions.

    Every part that counts contains at least one whole piece.
    """

    text: bytes
    shortest: int
    blocks: tuple[tuple[int, bytes], ...]


class Redactor:
    """Masks a key and other secrets, their encodings, and halves of them."""

    def __init__(self, key: ApiKey, *others: str) -> None:
        self._others = [Redactor(ApiKey(other)) for other in others]
        secret = key.secret
        self._mask = mask_of(secret.encode())
        texts = sorted({text.lower() for text in forms_of(secret)}, key=len) if secret else []
        self._forms = [_form(text) for text in texts]
        self._blocks = tuple({block: None for form in self._forms for _, block in form.blocks})
        self._least = min(map(len, self._blocks), default=0)

    def in_bytes(self, data: bytes) -> bytes:
        """`data` with every occurrence of the key masked."""
        for other in self._others:
            data = other.in_bytes(data)
        return data if len(data) < self._least else without(data, self._spans(data), lambda _: self._mask)

    def in_body(self, body: bytes, *, layers: int = _PACKED_IN_PACKED) -> bytes:
        """`body` with every occurrence of the key masked. One that has it compressed is masked but for two bytes."""
        clean = self.in_bytes(body)
        if layers == 0 or is_utf_8(clean):
            return clean
        for inner in unpacked(body, _UNPACKED_CAP):
            if self.in_body(inner, layers=layers - 1) != inner:
                return body[:_MAGIC] + self._mask
        return clean

    def in_text(self, text: str) -> str:
        """`text` with every occurrence of the key masked; everything else, including lone surrogates, is kept."""
        data = text.encode("utf-8", "surrogatepass")
        clean = self.in_bytes(data)
        return text if clean is data else clean.decode("utf-8", "surrogatepass")

    def _spans(self, data: bytes, escaped: int = _ESCAPED_AGAIN) -> Iterator[tuple[int, int]]:
        """Where the key is in `data`, in order and apart, also where characters of it are escaped so many times."""
        # a flag for each byte: a list of all places could take many times as much memory
        flags: bytearray | None = None
        for start, end in chain(self._as_it_is(data), self._below_escapes(data, escaped)):
            flags = flags or bytearray(len(data))
            flags[start:end] = b"\1" * (end - start)
        return (found.span() for found in re.finditer(b"\1+", flags or b""))

    def _as_it_is(self, data: bytes) -> Iterator[tuple[int, int]]:
        folded = data.lower()
        present = [block for block in self._blocks if block in folded]
        least = len(data) // _SHARE_OF_FLOOD  # a short piece is in words of any long page
        flood = {block for block in present if folded.count(block) > max(_FLOOD, least // len(block))}
        for block in flood:
            yield from (found.span() for found in re.finditer(re.escape(block), folded))
        for form in self._forms if present else ():
            yield from _appearances(form, folded, flood)

    def _below_escapes(self, data: bytes, escaped: int) -> Iterator[tuple[int, int]]:
        plain = unescaped(data) if escaped else None
        if plain is not None:
            yield from as_written(data, self._spans(plain, escaped - 1))


def without(data: bytes, spans: Iterable[tuple[int, int]], mask: Callable[[bytes], bytes]) -> bytes:
    """`data` with what is between each two positions masked; they are sorted and may overlap."""
    masked, kept_to = bytearray(), 0
    for start, end in spans:
        if end <= kept_to:
            continue
        if start >= kept_to:
            masked += data[kept_to:start] + mask(data[start:end])
        kept_to = end
    masked += data[kept_to:]
    return bytes(masked) if kept_to else data


def forms_of(text: str) -> Iterator[bytes]:
    """Every form in which a target may return a secret, before characters of it are escaped."""
    secret = text.encode("utf-8", "surrogatepass")
    yield secret
    yield secret.hex().encode()
    yield text.encode("utf-16-le", "surrogatepass")
    yield text.encode("utf-16-be", "surrogatepass")
    # depending on the bytes before it, the same text has three forms in base64; its ends mix with the bytes around it
    for before, mixed in ((0, 0), (1, 2), (2, 3)):
        inner = base64.b64encode(b"\0" * before + secret).rstrip(b"=")[mixed:-1]
        if len(inner) >= _SHORTEST_PART // 2:
            yield inner
            yield inner.replace(b"+", b"-").replace(b"/", b"_")


def _form(text: bytes) -> _Form:
    """A part counts from half the form's length; of a short key all but one character, of a very short one all."""
    shortest = max(len(text) // 2, min(len(text) - 1, _SHORTEST_PART)) if len(text) > 3 else len(text)
    length = (shortest + 1) // 2
    places = range(0, len(text) - length + 1, length)
    return _Form(text, shortest, tuple((place, text[place : place + length]) for place in places))


def _appearances(form: _Form, data: bytes, flood: Collection[bytes]) -> Iterator[tuple[int, int]]:
    """Where `data` has a part of `form` that is long enough to count, around a piece that is not in `flood`."""
    for offset, block in form.blocks:
        found = -1 if block in flood else data.find(block)
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
