"""What may be secret in recorded traffic with any host: by its place, or by its shape."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote_plus

from petcheck.traffic.seen import headers_of
from petcheck.wire.redaction import MASK, mask_of
from petcheck.wire.secret_names import says_secret

_WORD = re.compile(r"[A-Za-z_. -]{1,23}")
_READABLE = re.compile(r"json|html|xml|form|text/plain", re.IGNORECASE)

_NAME = rb'"([^"\\]{0,80}(?:\\.[^"\\]{0,20}){0,20})"\s*:'
_TAG = rb"""(?:name|id)=["']([^"'<>]{1,80})["']"""
# the names, and each name with its value, the first group and the last: anything but the end of its place
_PLACES = tuple(
    (re.compile(names), re.compile(names + value))
    for names, value in (
        (_NAME, rb'\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|-?(\d+)|\[([^][{}]+)\])'),
        (rb'\\"([^"\\]{1,80})\\"\s*:', rb'\s*\\"([^"\\]*)\\"'),
        (rb"""(?<![\w.%\[\]+~-])([\w.%\[\]+~-]{1,80})=""", rb"""([^&#;,\s"'<>\\]+)"""),
        (_TAG, rb"""[^<>]{0,200}?(?:value|content)=["']([^"'<>]+)["']"""),
    )
)
_IN_JSON = 2  # of them
_USER = re.compile(rb"""(://[^/@:\s"'<>]*:)([^/@\s"'<>]+)@""")
_SHAPES = re.compile(
    rb"eyJ[\w-]{8,}(?:\.[\w-]+){1,4}\.?|\b[spr]k_(?:live|test)_\w{8,}|\bwhsec_\w{16,}|"
    rb"\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|"
    rb"\bxox[abeprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{10,}|\bsk-[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|"
    rb"\b(?:npm|hf|shpat|dop_v1|pypi)[_-]\w{30,}|\b(?:Bearer|Basic)\s+(?!\w+=[\"'])(?=\S*[\d_.+/=])[\w.~+/=-]{8,}|"
    rb"-----BEGIN[A-Z0-9 %+]*PRIVATE(?: |%20|\+)KEY-----[^\"<>]*?(?:-----END[A-Z0-9 %+]*KEY-----|(?=[\"<>])|$)"
)
# one of them is in every such token
_MARKS = (
    b"eyJ _live_ _test_ whsec_ AKIA ASIA AROA AIDA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox AIza ya29. sk- SG. "
    b"npm_ npm- hf_ hf- shpat_ shpat- dop_v1_ dop_v1- pypi_ pypi- Bearer Basic -----BEGIN"
).split()


# ---- masking


def masked_by_place(data: bytes, *, error: bool = False) -> bytes:
    """`data` without the values beside a name that says secret; the `code` of an `error` is kept."""
    for number, place in _places_in(data):
        data = place.sub(partial(_masked, error=error and number < _IN_JSON), data)
    return _USER.sub(lambda found: found[1] + MASK + b"@", data) if b"@" in data else data


def _places_in(data: bytes) -> Iterator[tuple[int, re.Pattern[bytes]]]:
    """The kinds of places where `data` has a name that says secret; most texts have none."""
    for number, (names, place) in enumerate(_PLACES):
        if any(says_secret(name.decode("utf-8", "replace")) for name in set(names.findall(data))):
            yield number, place


def masked_by_shape(data: bytes) -> bytes:
    """`data` without what has the shape of a well-known token."""
    return _SHAPES.sub(MASK, data) if any(mark in data for mark in _MARKS) else data


def _masked(found: re.Match[bytes], *, error: bool) -> bytes:
    whole, name, last = found[0], found[1].decode("utf-8", "replace"), found.lastindex or 1
    if not found[last] or not says_secret(name) or (error and name == "code"):
        return whole
    start, end = (found.start(last) - found.start(), found.end(last) - found.start())
    mask = mask_of(found[last])
    return whole[:start] + (b'"' + mask + b'"' if whole[start - 1 : start] == b"[" else mask) + whole[end:]


# ---- collecting


def secrets_of(entry: Any) -> Iterator[str]:
    """Every text of an entry that may be secret, wherever it comes back: tokens, cookies, passwords."""
    if not isinstance(entry, dict):
        return
    for part in ("request", "response"):
        message = entry.get(part)
        if not isinstance(message, dict):
            continue
        for name, value in headers_of(message):
            if name.lower() in ("cookie", "set-cookie"):
                pieces = value.split(";") if name.lower() == "cookie" else (x.split(";")[0] for x in value.split("\n"))
                yield from _spellings(piece.partition("=")[2] for piece in pieces)
            elif says_secret(name):
                yield from _in_header(value)
            else:
                yield from _in_text(value)
        yield from _spellings(str(cookie.get("value", "")) for cookie in _rows(message.get("cookies")))
        for row in (*_rows(message.get("queryString")), *_rows(_member(message, "postData", "params"))):
            if says_secret(str(row.get("name", ""))):
                yield from _spellings([str(row.get("value", ""))])
        yield from _in_text(str(message.get("url") or ""))
        for place in ("postData", "content"):
            yield from _in_text(_readable(message.get(place)))


def _in_header(value: str) -> Iterator[str]:
    yield value
    for piece in re.split(r"[\s,;]+", value):
        yield piece
        yield piece.partition("=")[2].strip('"')
    scheme, _, rest = value.partition(" ")
    if scheme.lower() == "basic":
        try:
            both = base64.b64decode(rest.strip() + "==").decode("utf-8", "replace")
        except ValueError:
            return
        yield both
        yield both.partition(":")[2]


def _in_text(text: str) -> Iterator[str]:
    """The values beside names that say secret, of which a word after `code` may be that of an error."""
    data = text.encode("utf-8", "surrogatepass")
    for found in (one for _, place in _places_in(data) for one in place.finditer(data)):
        name, value = (found[group].decode("utf-8", "replace") for group in (1, found.lastindex or 1))
        if says_secret(name) and not (name.lower() == "code" and _WORD.fullmatch(value)):
            yield from _spellings(re.findall(r'"([^"]*)"', value) or [value])
    yield from _spellings(found[2].decode("utf-8", "replace") for found in _USER.finditer(data))


def _spellings(values: Iterable[str]) -> Iterator[str]:
    for value in values:
        yield value
        if "%" in value or "+" in value:
            yield unquote_plus(value)
        if "\\" in value:
            try:
                yield json.loads(f'"{value}"')
            except ValueError:
                continue


def _readable(content: object) -> str:
    """The text of a body that may have names and values; empty for scripts and pictures."""
    found = content if isinstance(content, dict) else {}
    text = found.get("text")
    if not isinstance(text, str) or not _READABLE.search(str(found.get("mimeType") or "json")):
        return ""
    if found.get("encoding") != "base64":
        return text
    try:
        return base64.b64decode(text).decode("utf-8", "replace")
    except ValueError:
        return ""


def _member(message: Mapping[str, Any], place: str, name: str) -> Any:
    inner = message.get(place)
    return inner.get(name) if isinstance(inner, dict) else None


def _rows(value: object) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
