"""What may be secret in recorded traffic with any host: by its place, or by its shape."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any
from urllib.parse import quote, unquote, unquote_plus

from petcheck.json_values import STRING
from petcheck.traffic.bodies import decoded, from_base64
from petcheck.traffic.seen import headers_of
from petcheck.wire.secret_names import says_secret

_NO_TEXT = re.compile(r"css|image|font|video|audio|wasm|pdf|zip")  # unless it is SVG

_TOKEN = re.compile(rf"({STRING})(\s*:)?|-?(\d+)(?![\d.eE])|[{{}}\[\]]", re.DOTALL)
# a name, and its value: anything but the end of its place
_SCHEME = r"(?:(?:Bearer|Basic|Token) +)?"
_QUOTED = rf"""\s{{0,4}}(?P<quote>["'`]){_SCHEME}(?P<value>(?:(?!(?P=quote))[^\\\r\n]|\\.)+)(?P=quote)"""
_IN_SCRIPTS = tuple(
    re.compile(pattern)
    for pattern in (
        # text in quotes, which is assigned, a member, an argument behind the name, or in JSON in quotes
        rf"""(?<![\w$-])(?P<name>[\w$-]{{1,80}})["']?\]?\s{{0,4}}(?::\s?\w{{1,40}}\s{{0,4}}(?==))?(?::=|=>|[:=]){_QUOTED}""",
        rf"""\(\s{{0,4}}["'](?P<name>[\w.$-]{{1,80}})["']\s{{0,4}},{_QUOTED}""",
        r"""\\"(?P<name>[\w.$-]{1,80})\\"\s{0,4}:\s{0,4}\\"(?P<value>[^"\\]+)""",
        r"""[?&](?P<name>[\w.%\[\]+~-]{1,80})=(?P<value>[^&#;,\s"'`<>\\]+)""",
    )
)
_PLACES = _IN_SCRIPTS + tuple(
    re.compile(pattern)
    for pattern in (
        r'"(?P<name>[^"\\]{1,80})"\s*:\s*"(?P<value>[^"\\]*(?:\\.[^"\\]*)*)"',
        r"""(?<![\w.%\[\]+~-])(?P<name>[\w.%\[\]+~-]{1,80})(?:=| = | ?=> ?)["']?(?P<value>[^&#;,\s"'<>\\]+)""",
        # the first in a text in quotes, which has a name itself
        r"""(?<=["'])(?P<name>[\w.%\[\]+~-]{1,80})=(?P<value>[^&#;,\s"'<>\\]+)""",
        rf"""(?<![\w.-])(?P<name>[\w.-]{{1,80}})["']? ?: ?["']?{_SCHEME}"""
        r"""(?P<value>[^/\s,;:"'<>\\{}\[\]][^\s,;"'<>\\]*)""",
        r"<(?P<name>[\w.:-]{1,80})(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?(?P<value>[^<>]+?)(?:\]\]>)?</",
        r"""(?:name|id)=["'](?P<name>[^"'<>]{1,80})["'][^<>]{0,200}?(?:value|content)=["'](?P<value>[^"'<>]+)["']""",
        r"""(?:value|content)=["'](?P<value>[^"'<>]+)["'][^<>]{0,200}?(?:name|id)=["'](?P<name>[^"'<>]{1,80})["']""",
        # a part of a form in parts (RFC 7578)
        r"""\bname="(?P<name>[^"]{1,80})"[^\r\n]*(?:\r?\n[^\r\n]+){0,9}(?:\r?\n){2}"""
        r"""(?P<value>[^\r\n]+(?:\r?\n(?!--)[^\r\n]*)*)""",
    )
)
_NAMES = re.compile(
    r"""(?<![\w.%\[\]+~\\-])[\w.%\[\]+~\\-]{1,80}(?=["']?\]?\s{0,4}[:=>,])|"[^"\\]{1,80}"(?=\s*:)|(?<=name=["'])[^"'<>]{1,80}|(?<=id=["'])[^"'<>]{1,80}"""
)
_USER = re.compile(r"""(://[^/@:\s"'<>]*:)([^/@\s"'<>]+)(?=@)""")
_ENCODED = re.compile(r"""(?<![^\s"'<>&=;,])[^\s"'<>&=;,]*%[0-9A-Fa-f]{2}[^\s"'<>&=;,]*""")
_PACKED = re.compile(r"(?<![\w+/-])(?:[\w-]{16,}|[A-Za-z0-9+/]{16,})={0,2}(?![\w+/=-])", re.ASCII)
_DEEPEST = 8  # texts inside one another
_SHAPES = re.compile(
    rb"eyJ[\w-]{8,}(?:\.[\w-]+){1,4}\.?|(?<![A-Za-z0-9])(?:[spr]k_(?:org_)?(?:live|test)_\w{8,}|whsec_\w{16,}|"
    rb"(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}(?![A-Za-z0-9])|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|"
    rb"GOCSPX-[\w-]{20,}|xapp-[\w-]{10,}|AGE-SECRET-KEY-\w{16,}|SK[0-9a-f]{32}\b|sq0\w{3}-[\w-]{20,}|hvs\.[\w-]{20,}|"
    rb"dckr_pat_[\w-]{20,}|(?:PMAK|NRAK)-[\w-]{20,}|lin_api_\w{20,}|dapi[0-9a-f]{32}\b)|hooks\.slack\.com/services/[\w/]{20,}|"
    rb"\bxox[abeprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{10,}|\bsk-[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|"
    rb"\b(?:npm|hf|shp(?:at|ss|ca|pa)|dop_v1|pypi)[_-]\w{30,}|\b(?:[Bb]earer|Basic)\s+(?!\w+=[\"'])(?=\S*[\d_.+/=])[\w.~+/=-]{8,}|"
    rb"-----BEGIN[A-Z0-9 %+]*PRIVATE(?: |%20|\+)KEY[A-Z %+]*-----"
    rb"[^\"<>]*?(?:-----END[A-Z0-9 %+]*KEY[A-Z %+]*-----|(?=[\"<>])|$)"
)
# a secret of AWS has no mark: it has so many letters of both cases and digits that none is a name or a digest in hex
_UNMARKED = re.compile(
    rb"(?<![A-Za-z0-9+/_-])(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?=[A-Za-z+/]*[0-9])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])"
)
# one of them is in every other token
_MARKS = (
    b"eyJ _live_ _test_ whsec_ AKIA ASIA AROA AIDA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox AIza ya29. sk- SG. "
    b"GOCSPX- xapp- AGE-SECRET npm_ npm- hf_ hf- shpat shpss shpca shppa dop_v1_ dop_v1- pypi_ pypi- earer Basic "
    b"SK sq0 hvs. dckr_pat_ PMAK- NRAK- lin_api_ dapi hooks.slack -----BEGIN"
).split()


# ---- places


class Said(Enum):
    """What a text in a body, a header or a URL is, as far as its place says."""

    NAME = "the name of a member"
    PLAIN = "a text"
    SECRET = "a value whose name says secret"  # noqa: S105 - a description


Change = Callable[[str, Said], str]
"""Returns the text to put instead of another one."""


def changed(text: str, change: Change, *, error: bool = False, depth: int = 0) -> str:
    """A text with every text in it changed, in JSON as it is without its escapes; the `code` of an `error` is plain."""
    if depth < _DEEPEST and text.lstrip()[:1] in ("{", "[", '"') and '"' in text:
        return _TOKEN.sub(_Walk(change, error, depth), text)

    def beside(found: re.Match[str]) -> str:
        if not says_secret(found["name"]):
            return found[0]
        start, end = (place - found.start() for place in found.span("value"))
        return found[0][:start] + change(found[0][start:end], Said.SECRET) + found[0][end:]

    def encoded(found: re.Match[str]) -> str:
        inner = unquote(found[0], errors="surrogateescape")
        other = changed(inner, change, depth=depth + 1)
        return found[0] if other == inner else quote(other, safe="[]", errors="surrogateescape")

    def packed(found: re.Match[str]) -> str:
        inner = _unpacked(found[0])
        other = changed(inner, change, depth=depth + 1)
        return found[0] if other == inner else base64.b64encode(other.encode("utf-8", "replace")).decode()

    if depth < _DEEPEST:
        if "%" in text:
            text = _ENCODED.sub(encoded, text)
        if "&#" in text:
            inner = html.unescape(text)
            other = changed(inner, change, depth=depth + 1)
            text = text if other == inner else html.escape(other, quote=False)
        text = _PACKED.sub(packed, text)
    if says_a_name(text):
        for place in _PLACES:
            text = place.sub(beside, text)
    if "@" in text:
        text = _USER.sub(lambda found: found[1] + change(found[2], Said.SECRET), text)
    return change(text, Said.PLAIN)


def may_hide(text: str) -> bool:
    """Whether a text may have secrets that a search for them as they are does not find; most have none."""
    return not _WRITTEN_OTHERWISE.isdisjoint(text) or says_a_name(text) or any(map(_unpacked, _PACKED.findall(text)))


_WRITTEN_OTHERWISE = frozenset("\\%@&")


def _unpacked(run: str) -> str:
    """The text that a run of Base64 is; empty if it is not one."""
    try:
        text = from_base64(run).decode()
    except ValueError:
        return ""
    return text if text.isprintable() or text.replace("\n", "").replace("\r", "").isprintable() else ""


def says_a_name(text: str) -> bool:
    """Whether a text has a name that says secret, or names beside values; most have none."""
    names = set(_NAMES.findall(text))
    return '"value"' in text or any(says_secret(name) or says_secret(name.rpartition(".")[2]) for name in names)


class _Walk:
    """Changes the tokens of a JSON text one by one, so that the others stay as they are, even if it is cut."""

    def __init__(self, change: Change, error: bool, depth: int) -> None:
        self._change, self._error, self._depth = change, error, depth
        self._around = [(False, "", False)]  # is all in it secret? the last name, and whether a name beside it says so

    def __call__(self, found: re.Match[str]) -> str:
        token = found[0]
        within, name, paired = self._around[-1]
        secret = within or (says_secret(name) and not (self._error and name == "code"))
        if found[1] is not None:
            return self._string(found[1], found[2], secret or (paired and name in ("value", "content")))
        if found[3] is not None:
            sign = token.removesuffix(found[3])
            return sign + self._change(found[3], Said.SECRET if secret else Said.PLAIN)
        opens = token in ("{", "[")
        self._around = [*self._around, (secret, "", False)] if opens else self._around[:-1] or [(False, "", False)]
        return token

    def _string(self, token: str, colon: str | None, secret: bool) -> str:
        within, name, paired = self._around[-1]
        try:
            text = str(json.loads(token, strict=False))
        except ValueError:
            text = token[1:-1]
        if colon is not None:
            self._around[-1] = (within, text, paired)
            other = self._change(text, Said.NAME)
        else:
            if name in ("name", "key"):
                self._around[-1] = (within, name, says_secret(text))
            deeper = self._depth + 1
            other = self._change(text, Said.SECRET) if secret else changed(text, self._change, depth=deeper)
        return (token if other == text else json.dumps(other)) + (colon or "")


def masked_by_shape(data: bytes, mask: Callable[[bytes], bytes]) -> bytes:
    """`data` without what has the shape of a well-known token."""
    if any(mark in data for mark in _MARKS):
        data = _SHAPES.sub(lambda found: mask(found[0]), data)
    return _UNMARKED.sub(lambda found: mask(found[0]), data)


# ---- collecting


def secrets_of(entry: Any) -> Iterator[str]:
    """Every text of an entry that may be secret, wherever it comes back: tokens, cookies, passwords."""
    if not isinstance(entry, dict):
        return
    for row in _rows(entry.get("_webSocketMessages")):  # of Chromium
        yield from _in_text(str(row.get("data")))
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
        for url in (message.get("url"), message.get("redirectURL")):
            yield from _in_text(str(url or ""))
        failed = str(message.get("status"))[:1] in ("4", "5")
        for place in ("postData", "content"):
            text, is_script = _readable(message.get(place))
            yield from _in_script(text) if is_script else _in_text(text, error=failed)


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
        user, _, password = both.partition(":")
        yield password or user


def _in_text(text: str, *, error: bool = False) -> Iterator[str]:
    """The values beside names that say secret."""
    found: list[str] = []

    def note(value: str, said: Said) -> str:
        if said is Said.SECRET:
            found.append(value)
        return value

    if may_hide(text):
        changed(text, note, error=error)
    yield from _spellings(found)


def _in_script(text: str) -> Iterator[str]:
    """The same in a script, where what is not in quotes is a part of the program."""
    found = (one for place in _IN_SCRIPTS for one in place.finditer(text))
    yield from _spellings(one["value"] for one in found if says_secret(one["name"]))
    yield from (one[2] for one in _USER.finditer(text))


def _spellings(values: Iterable[str]) -> Iterator[str]:
    for value in values:
        yield value
        if "%" in value or "+" in value:
            yield unquote_plus(value)


def _readable(content: object) -> tuple[str, bool]:
    """The text of a body that may have names and values, and whether it is a script; empty for a picture or a film."""
    found = content if isinstance(content, dict) else {}
    text, media = found.get("text"), str(found.get("mimeType")).lower()
    if not isinstance(text, str) or (_NO_TEXT.search(media) and "xml" not in media):
        return "", False
    plain = text if found.get("encoding") is None else decoded(text, found["encoding"])[0].decode("utf-8", "replace")
    return plain, "script" in media


def _member(message: Mapping[str, Any], place: str, name: str) -> Any:
    inner = message.get(place)
    return inner.get(name) if isinstance(inner, dict) else None


def _rows(value: object) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
