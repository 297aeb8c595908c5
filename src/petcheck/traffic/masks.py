"""Masks any number of secrets in one search: the time depends on the length of the texts, not on the secrets."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote

from petcheck.exchange import MASK, mask_of
from petcheck.spec.figures import BASE_SEGMENT, CONTENT_TYPE, MEDIA_TYPE, RATE_HEADERS, RETRY_AFTER, STATUSES
from petcheck.spec.operations import Operation
from petcheck.traffic.secrets import Said, changed, masked_by_shape, may_hide
from petcheck.wire.credentials import ApiKey
from petcheck.wire.redaction import Redactor, forms_of, without
from petcheck.wire.secret_names import says_secret

_GRAM = 6  # bytes that find a secret; a shorter one may be a word of the interface, and is masked by its place only
_SHORTEST_KEY = 3
_KEYS_IN_PARTS = 5  # keys of which half is masked too
_KNOWN_RUNS = 1 << 17
_SHORT = 64  # bytes of a text that may come again, such as the name of a field
_INT64_DIGITS = 19
_PIECES = 4  # of a text that are compared to find a rare one
_RUNS = re.compile(rb"[^\s\"',;&=<>(){}\[\]]{%d,}" % _GRAM)
# never masked by collected words, whatever a form calls them: names and values of the interface carry the verdicts
_INTERFACE = (
    *(*STATUSES, MEDIA_TYPE, *(name.lower() for name in RATE_HEADERS), RETRY_AFTER.lower(), CONTENT_TYPE.lower()),
    *(*(f"/{BASE_SEGMENT}{operation.path}" for operation in Operation), "http/1.1", "https://", MASK.decode()),
    *("categoryid", "message", "charset=utf-8", "bearer", "basic", "undefined", "[object object]", "unauthorized"),
    *("bad request", "not found"),
)
_WORD = 9  # characters; what is shorter and only letters or digits is a word of a name or an id as well
# values of these headers in their own grammar: numbers, dates and media types
_PLAIN = {name.lower() for name in ("Date", "Content-Length", "Accept", RETRY_AFTER, CONTENT_TYPE, *RATE_HEADERS)}
_OF_ITS_GRAMMAR = re.compile(
    r"\d{1,19}|[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|"
    r"[a-z*]{1,12}/[a-z*.+-]{1,40}(?:; ?charset=[\"\w-]{1,12})?(?:; ?q=[\d.]{1,5})?",
    re.IGNORECASE,
)


class Masks:
    """Masks secrets in texts and bodies: what is collected wherever it is, and what a name or a shape shows.

    Parts of the first `keys` are masked too. Of a few characters only a key is masked, as a whole word.
    """

    def __init__(self, keys: Iterable[str], others: Iterable[str]) -> None:
        tokens = list(dict.fromkeys(keys))
        whole = {one for one in tokens if _is_usable(one)}
        in_parts = [one for one in tokens if one in whole][:_KEYS_IN_PARTS]
        self._redactors = [Redactor(ApiKey(one)) for one in in_parts if one.isprintable() and not one.isdecimal()]
        self._names: dict[bytes, bytes] = {}
        short = [re.escape(one.encode("utf-8", "surrogatepass")) for one in tokens if _is_short_key(one)]
        self._keys = _Search(whole, short)
        self._in_short = lru_cache(_KNOWN_RUNS)(self._without)
        self._all = _Search(whole | {one for one in others if _is_usable(one) and not _is_word(one)}, short)

    def in_text(self, text: str) -> str:
        """`text` with every secret masked."""
        return changed(text, self._changed)

    def in_header(self, name: str, value: str) -> tuple[str, str]:
        """The same for a header; a plain number, date or media type is masked for a key only."""
        plain = name.lower() in _PLAIN
        if not plain and (name.lower() in ("set-cookie", "cookie") or says_secret(name)):
            return self.in_text(name), "[redacted]"
        if plain and _OF_ITS_GRAMMAR.fullmatch(value):
            return name, self._changed(value, Said.NAME)
        return (name if plain else self.in_text(name)), self.in_text(value)

    def in_body(self, data: bytes, *, error: bool = False) -> bytes:
        """The same for a body; the `code` of an `error` is kept."""
        try:
            text, encoding = data.decode("utf-8", "surrogatepass"), "utf-8"
        except UnicodeDecodeError:
            text, encoding = data.decode("latin-1"), "latin-1"
        # most bodies have nothing to look at piece by piece
        if may_hide(text) or self._in(self._all, data) != data:
            changed_text = changed(text, self._changed, error=error)
            data = data if changed_text == text else changed_text.encode(encoding, "surrogatepass")
            for redactor in self._redactors:
                data = redactor.in_bytes(data)
        return data

    def in_base(self, url: str) -> str:
        """The same for a base URL, which stays a URL: its host can hold a key, and nothing else that is secret."""
        scheme, slashes, rest = url.partition("://")
        host, *path = rest.split("/")
        masked = self._changed(host, Said.NAME)
        host = host if masked == host else masked.replace("[", "").replace("]", "")
        return scheme + slashes + "/".join([host, *map(self.in_text, path)])

    def _changed(self, text: str, said: Said) -> str:
        data = text.encode("utf-8", "surrogatepass")
        if said is Said.SECRET:
            return self._pseudonym(data).decode()
        clean = self._in(self._all if said is Said.PLAIN else self._keys, data)
        return text if clean == data else clean.decode("utf-8", "replace")

    def _in(self, search: _Search, data: bytes) -> bytes:
        """`data` without what a search finds, parts of keys, and what has the shape of a token."""
        return self._in_short(search, data) if len(data) <= _SHORT else self._without(search, data)

    def _without(self, search: _Search, data: bytes) -> bytes:
        clean = search.masked(data, self._pseudonym)
        for redactor in self._redactors:
            clean = redactor.in_bytes(clean)
        return masked_by_shape(clean, self._pseudonym)

    def _pseudonym(self, secret: bytes) -> bytes:
        """What stands for a secret: two that differ go on differing, so that no id and no name becomes another's."""
        if secret.startswith(MASK[:-1]):
            return secret
        if secret not in self._names:
            number = sum(one.isdigit() for one in self._names) if secret.isdigit() else len(self._names)
            mask = mask_of(secret)
            digits = b"%d" % abs(int(mask[:_INT64_DIGITS]) - number) if secret.isdigit() else b""
            named = digits.zfill(len(secret)) if digits else MASK if not number else MASK[:-1] + b"-%d]" % number
            self._names[secret] = named
        return self._names[secret]


class _Search:
    """One search for any number of texts, in all their forms; `short` are found as whole words only."""

    def __init__(self, texts: Iterable[str], short: Iterable[bytes]) -> None:
        # in a recording, text may have halves of surrogate pairs
        known = [(one, 2 * len(one.encode("utf-8", "surrogatepass")) + 2) for one in texts]
        forms = {form.lower() for one, most in known for form in _written(one) if len(form) <= most}
        self._index = _index(forms)
        # of a phrase no word is long enough to find it by
        phrases = (re.escape(form) for form in sorted(forms, key=len, reverse=True) if not _RUNS.search(form))
        words = [*short, *phrases]
        self._words = re.compile(rb"(?<!\w)(?:%s)(?!\w)" % b"|".join(words), re.IGNORECASE) if words else None
        self._clean: set[bytes] = set()

    def masked(self, data: bytes, mask: Callable[[bytes], bytes]) -> bytes:
        """`data` with all that is found masked."""
        data = without(data, sorted(self._spans(data.lower())), mask)
        return self._words.sub(lambda found: mask(found[0]), data) if self._words else data

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


def _written(text: str) -> Iterator[bytes]:
    """The forms of a text, and how JSON, HTML and URLs usually have it."""
    plain = text.encode("utf-8", "surrogatepass")
    percent = quote(plain, safe="")
    yield from forms_of(text)
    yield from (percent.encode(), quote(percent, safe="").encode())
    yield from (plain.replace(b"/", b"\\/"), json.dumps(text)[1:-1].encode())
    yield html.escape(text).encode("utf-8", "surrogatepass")


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


def _is_word(secret: str) -> bool:
    return len(secret) < _WORD and (secret.isalpha() or secret.isdecimal())


def _is_short_key(secret: str) -> bool:
    fits = _SHORTEST_KEY <= len(secret) < _GRAM and not secret.isdecimal()
    return fits and not any(secret.lower() in word for word in (*_INTERFACE, "name", "code", "limit"))
