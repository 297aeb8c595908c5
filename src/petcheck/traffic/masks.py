"""Masks any number of secrets in one search: the time depends on the length of the texts, not on the secrets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from petcheck.spec.figures import CONTENT_TYPE, MEDIA_TYPE, RATE_HEADERS, RETRY_AFTER, STATUSES
from petcheck.traffic.secrets import masked_by_place, masked_by_shape
from petcheck.wire.credentials import ApiKey
from petcheck.wire.redaction import MASK, Redactor, forms_of, without
from petcheck.wire.secret_names import says_secret

_GRAM = 6  # bytes that find a secret; a shorter one may be a word of the interface, and is masked by its place only
_SHORTEST_KEY = 3
_KEYS_IN_PARTS = 5  # keys of which half is masked too
_KNOWN_RUNS = 1 << 17
_PIECES = 4  # of a text that are compared to find a rare one
_RUNS = re.compile(rb"[^\s\"',;&=<>(){}\[\]]{%d,}" % _GRAM)
# never masked, whatever a form calls it: it would spoil the evidence
_INTERFACE = (
    *(*STATUSES, MEDIA_TYPE, *(name.lower() for name in RATE_HEADERS), "categoryid", "message", "charset=utf-8"),
    *(
        "bearer",
        "basic",
        "undefined",
        "[object object]",
        CONTENT_TYPE.lower(),
        "unauthorized",
        "bad request",
        "not found",
    ),
)
_PLAIN = tuple(name.lower() for name in ("Date", "Content-Length", RETRY_AFTER, CONTENT_TYPE, *RATE_HEADERS))


class Masks:
    """Masks secrets in texts and bodies: what is collected wherever it is, and what a name or a shape shows.

    Parts of the first `keys` are masked too. Of a few characters only a key is masked, as a whole word.
    """

    def __init__(self, keys: Iterable[str], others: Iterable[str]) -> None:
        tokens = list(dict.fromkeys(keys))
        whole = {one for one in chain(tokens, others) if _is_usable(one)}
        in_parts = [one for one in tokens if one in whole][:_KEYS_IN_PARTS]
        self._redactors = [Redactor(ApiKey(one)) for one in in_parts if one.isprintable() and not one.isdecimal()]
        forms = {form.lower() for one in whole for form in forms_of(one) if len(form) <= 2 * len(one.encode()) + 2}
        self._index = _index(forms)
        words = [re.escape(one.encode("utf-8", "surrogatepass")) for one in tokens if _is_short_key(one)]
        # of a phrase no word is long enough to find it by
        words += [re.escape(form) for form in sorted(forms, key=len, reverse=True) if not _RUNS.search(form)]
        self._words = re.compile(rb"(?<!\w)(?:%s)(?!\w)" % b"|".join(words), re.IGNORECASE) if words else None
        self._clean: set[bytes] = set()

    def in_bytes(self, data: bytes) -> bytes:
        """`data` with every secret masked."""
        for redactor in self._redactors:
            data = redactor.in_bytes(data)
        folded = data.lower()
        data = without(data, sorted(self._spans(folded)))
        data = self._words.sub(MASK, data) if self._words else data
        return masked_by_shape(data)

    def in_text(self, text: str) -> str:
        """`text` with every secret masked."""
        data = text.encode("utf-8", "surrogatepass")
        return self.in_bytes(data).decode("utf-8", "surrogatepass")

    def in_header(self, name: str, value: str) -> tuple[str, str]:
        """The same for a header of an answer; those of the interface hold none."""
        if name.lower() in _PLAIN:
            return name, value
        if name.lower() in ("set-cookie", "cookie") or says_secret(name):
            return self.in_text(name), "[redacted]"
        data = self.in_body(value.encode("utf-8", "surrogatepass"))
        return self.in_text(name), data.decode("utf-8", "surrogatepass")

    def in_body(self, data: bytes, *, error: bool = False) -> bytes:
        """The same for a body, with the values of its secret members; the `code` of an `error` is kept."""
        return self.in_bytes(masked_by_place(data, error=error))

    def _spans(self, folded: bytes) -> Iterator[tuple[int, int]]:
        """Where the secrets are."""
        if not self._index:
            return
        for found in _RUNS.finditer(folded):
            run = found[0]
            if run in self._clean:
                continue
            clean = True
            for place in range(len(run) - _GRAM + 1):
                known = self._index.get(run[place : place + _GRAM])
                if known is None:
                    continue
                clean = False
                for (offset, length), forms in known.items():
                    start = found.start() + place - offset
                    if start >= 0 and folded[start : start + length] in forms and _stands_alone(folded, start, length):
                        yield start, start + length
            if clean and len(self._clean) < _KNOWN_RUNS:
                self._clean.add(run)


def _index(forms: Collection[bytes]) -> dict[bytes, dict[tuple[int, int], set[bytes]]]:
    """By the rarest of some pieces of each text: its offset in the text, the text's length, and all such texts."""
    number = Counter(gram for form in forms for _, gram in _pieces(form))
    index: dict[bytes, dict[tuple[int, int], set[bytes]]] = {}
    for form in forms:
        offset, gram = min(_pieces(form), key=lambda piece: number[piece[1]], default=(0, b""))
        if gram:
            index.setdefault(gram, {}).setdefault((offset, len(form)), set()).add(form)
    return index


def _pieces(form: bytes) -> Iterator[tuple[int, bytes]]:
    for run in _RUNS.finditer(form):
        last = run.end() - _GRAM
        for place in range(run.start(), last + 1, max(1, (last - run.start()) // _PIECES)):
            yield place, form[place : place + _GRAM]


def _stands_alone(data: bytes, start: int, length: int) -> bool:
    """Whether digits are not a part of a longer number."""
    if not data[start : start + length].isdigit():
        return True
    return not data[max(start - 1, 0) : start].isdigit() and not data[start + length : start + length + 1].isdigit()


def _is_usable(secret: str) -> bool:
    return len(secret) >= _GRAM and not any(secret.lower() in word for word in _INTERFACE)


def _is_short_key(secret: str) -> bool:
    fits = _SHORTEST_KEY <= len(secret) < _GRAM and not secret.isdecimal()
    return fits and not any(secret.lower() in word for word in (*_INTERFACE, "name", "code", "limit"))
