"""One entry of a HAR that another program wrote. Recorders make mistakes, which are not the server's."""

from __future__ import annotations

import base64
import codecs
import json
import math
import re
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from petcheck.exchange import Response
from petcheck.spec.figures import CONTENT_TYPE, GATEWAY_TROUBLE, MEDIA_TYPE
from petcheck.stream.entries import first_of, shared
from petcheck.wire.decoding import decoded as undone
from petcheck.wire.secret_names import says_secret

# of the request's headers only these are kept: the others are of no use, and may be secret
_KEPT = ("accept", CONTENT_TYPE.lower())
_PORTS = {"http": ":80", "https": ":443"}
_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")
_YEARS = range(1990, 2200)  # another one is of a clock that was never set
_UNPACKED_CAP = 24 * 1024 * 1024  # bytes
_UNPACKED = ("gzip", "x-gzip", "deflate")
_OF_URLS = str.maketrans("-_", "+/")  # of another alphabet of Base64 (RFC 4648, section 5)
_SAID_CUT = re.compile(r"\s*[\[{].*(\.\.\.|…|\b(truncated|omitted)\W*)\s*", re.IGNORECASE | re.DOTALL)
_EXACT = 2**53  # JavaScript cannot tell a larger integer from its neighbour


@dataclass(frozen=True, slots=True)
class Seen:
    """A request and its answer as a recorder saw them. `took` is in the recorder's unit, mostly milliseconds.

    The body of the answer is not complete where the recorder left out a part of it; `said_empty` if it says that it
    had no bytes. `started` is None where the recorder does not say when; `headless` if it kept no
    header of the request. `secret_elsewhere` says that the request has a secret outside `Authorization`: it may be the
    key, in a place that the document leaves open.
    """

    url: str
    authorization: str | None
    credential: str | None
    request_headers: tuple[tuple[str, str], ...]
    request_body: bytes | None
    answer: Response
    said_empty: bool
    started: datetime | None
    took: float
    headless: bool
    secret_elsewhere: bool


class LeftAlone(Exception):
    """An entry that shows nothing about the server; the message is the reason, which is counted."""


def url_of(entry: Any, scheme: str | None = None) -> str:
    """The URL of an entry, `plain`; its host may be in a header only, and its parameters in a list.

    One without a scheme has that one; if it is None, headers tell it: a recorder behind what ends TLS sees none.
    """
    request = _dict(_dict(entry).get("request"))
    url, rows = str(request.get("url") or "").strip(), request.get("queryString")
    if "://" not in url.partition("?")[0]:
        sent = _rows_of(request)
        if re.match(r"/(?!/)", url):
            url = f"{first_of(sent, 'Host') or first_of(sent, ':authority') or ''}{url}"
        told = [first_of(sent, name) or "" for name in (":scheme", "X-Forwarded-Proto")]
        scheme = scheme or ("https" if any(one.lower().startswith("https") for one in told) else "http")
        url = f"{scheme}://{url.removeprefix('//')}"
    url = plain(url)
    if not url or "?" in url or not isinstance(rows, list):
        return url
    named = [(str(row.get("name", "")), _in_words(row.get("value", ""))) for row in rows if isinstance(row, dict)]
    return f"{url}?{urlencode(named, quote_via=quote, errors='surrogatepass')}" if named else url


def plain(url: str) -> str:
    """A URL as all recorders would write it, without user, password and fragment; empty where it cannot be read.

    Letters and digits of the path have no escapes (RFC 3986, section 6.2.2.2).
    """
    try:
        parts = urlsplit(url.strip())
        host = parts.netloc.rpartition("@")[2].lower().removesuffix(_PORTS.get(parts.scheme.lower(), " "))
        _ = parts.port
    except ValueError:
        return ""
    return urlunsplit((parts.scheme.lower(), host, _ESCAPED.sub(_unescaped, parts.path), parts.query, ""))


def _unescaped(found: re.Match[str]) -> str:
    sign = chr(int(found[1], 16))
    return sign if sign.isascii() and (sign.isalnum() or sign in "-._~") else found[0]


def method_of(entry: Any) -> str:
    """The method of an entry, in capitals."""
    return str(_dict(_dict(entry).get("request")).get("method", "")).upper()


def seen_in(entry: Any, url: str) -> Seen:
    """What a HAR entry with that URL shows. Raises `LeftAlone`."""
    whole = _dict(entry)
    request, response = _dict(whole.get("request")), _dict(whole.get("response"))
    status = response.get("status")
    if isinstance(status, float) and status.is_integer():
        status = int(status)
    if isinstance(status, str) and re.fullmatch("[1-5][0-9]{2}", status):
        status = int(status)
    if type(status) is not int or not 100 <= status <= 599:
        raise LeftAlone("without a response")
    kept = str(whole.get("_fetchType") or response.get("_fetchType") or "Network Load") != "Network Load"  # Safari
    if kept or whole.get("_fromCache") or whole.get("fromCache") or response.get("_fetchedViaServiceWorker"):
        raise LeftAlone("from the browser's cache")
    if status == 304:
        raise LeftAlone("from the browser's cache")
    if status in GATEWAY_TROUBLE:
        raise LeftAlone("with 502, 503 or 504, which a retry may avoid")
    if status < 200:
        raise LeftAlone("without a response")
    headers = headers_of(response)
    if not headers:
        raise LeftAlone("without response headers")
    sent = headers_of(request)
    if first_of(sent, "range") is not None:
        raise LeftAlone("with a Range header, which asks for a part")
    media = first_of(headers, CONTENT_TYPE) or _text(_dict(response.get("content")).get("mimeType")) or ""
    if not _accepts_json(first_of(sent, "accept") or "*/*", "json" in media.lower()):
        raise LeftAlone("with an Accept header that excludes JSON, or prefers the type of the response")
    content = _dict(response.get("content"))
    body, complete = _body(content, headers, written_again="startedDateTime" in response)
    # axios and a few proxies name the media type here only
    if first_of(headers, CONTENT_TYPE) is None and MEDIA_TYPE in str(content.get("mimeType")).lower():
        headers.append((CONTENT_TYPE, str(content["mimeType"])))
    return Seen(
        url=url,
        authorization=first_of(sent, "authorization"),
        credential=_text(_dict(whole.get("_petcheck")).get("credential")),
        request_headers=tuple(header for header in sent if header[0].lower() in _KEPT),
        request_body=_request_body(request, sent),
        answer=Response(
            status,
            _text(response.get("statusText")) or "",
            _text(response.get("httpVersion")) or "HTTP/1.1",
            tuple(headers),
            body,
            complete,
            _why_not_unpacked(body, headers) if complete else None,
        ),
        said_empty=not body and _says_empty(response, headers),
        started=_moment(whole.get("startedDateTime")),
        took=_number(whole.get("time")),
        headless=not sent,
        secret_elsewhere=_has_secret_elsewhere(url, sent),
    )


def _accepts_json(accept: str, json_came: bool) -> bool:
    """Whether an `Accept` asks for JSON: a browser prefers a page, and takes anything else."""
    kinds = [kind.partition(";")[0].strip().lower() for kind in accept.split(",")]
    if any("json" in kind or kind == "application/*" for kind in kinds):
        return True
    return "*/*" in kinds and (json_came or kinds[0] == "*/*")


def _has_secret_elsewhere(url: str, headers: Iterable[tuple[str, str]]) -> bool:
    parameters = [name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)]
    cookies = [one.partition("=")[0] for name, value in headers if name.lower() == "cookie" for one in value.split(";")]
    others = [name for name, _ in headers if name.lower() not in ("authorization", "cookie")]
    return any(map(says_secret, (*parameters, *cookies, *others)))


def headers_of(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The headers of a request or an answer, as text, without HTTP/2's pseudo-headers."""
    return [shared(name, value) for name, value in _rows_of(message) if not name.startswith(":")]


def _rows_of(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = message.get("headers")
    if isinstance(rows, dict):
        rows = [{"name": name, "value": value} for name, value in rows.items()]
    found = [_row(row) for row in rows] if isinstance(rows, list) else []
    pairs = (((_text(row.get("name")) or "").rstrip(": "), _in_words(row.get("value"))) for row in found)
    return [(name, value) for name, value in pairs if name]


def _row(value: object) -> dict[str, Any]:
    """A name with its value; some recorders write a pair."""
    return {"name": value[0], "value": value[1]} if isinstance(value, list) and len(value) == 2 else _dict(value)


def _in_words(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_in_words, value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else "" if value is None else str(value)


def _request_body(request: Mapping[str, Any], headers: Iterable[tuple[str, str]]) -> bytes | None:
    """The body of a request, None where it had none. Raises `LeftAlone` where it had one that was left out."""
    posted = _dict(request.get("postData"))
    text = posted.get("text") or _in_params(posted.get("params"))
    length = first_of(headers, "content-length")
    size = max(_number(request.get("bodySize")), _number(length))
    if not isinstance(text, str) or not text:
        # a recorder that left a body out says 0 or -1, too: only the header tells
        if (str(request.get("method")).upper() == "POST" and _number(length) != 0) or size > 0 or posted.get("params"):
            raise LeftAlone("with a request body that was not recorded")
        return None
    media = _text(posted.get("mimeType")) or first_of(headers, CONTENT_TYPE) or ("" if headers else MEDIA_TYPE)
    if MEDIA_TYPE not in media.lower():
        raise LeftAlone("with a request body of another media type")
    body, whole = decoded(text, posted.get("encoding"))
    if _is_packed(headers) and not _is_json(body):
        unpacked = _unpacked(body) or _unpacked(_misread(body) or b"")
        if unpacked is None:
            raise LeftAlone("with a request body that was not recorded")
        return unpacked
    body = _as_counted(body, _number(length))
    is_sure = _number(length) == len(body)
    is_other = 0 <= _number(length) < len(body) and not _is_laid_out_anew(body, _number(request.get("bodySize")))
    if not whole or is_other or _number(length) > len(body) or (not is_sure and not _is_whole(body, size)):
        raise LeftAlone("with a request body that was not recorded")
    if not is_sure and isinstance(_json(body), str):
        raise LeftAlone("with a request body that was not recorded")  # text that the recorder wrote as JSON
    return body


def _in_params(rows: object) -> str | None:
    """JSON that a recorder has taken apart as if it were a form."""
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    pairs = ((_in_words(row.get("name")), _in_words(row.get("value"))) for row in found)
    text = "&".join(f"{name}={value}" if value else name for name, value in pairs)
    return text if isinstance(_json(text.encode("utf-8", "surrogatepass")), dict) else None


def _body(content: Mapping[str, Any], headers: Iterable[tuple[str, str]], *, written_again: bool) -> tuple[bytes, bool]:
    """The body of an answer, and whether that is all of it; `written_again` if the recorder wrote a value as JSON."""
    text, size = content.get("text"), _number(content.get("size"))
    length = _number(first_of(headers, "content-length"))
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
            as_sent = length == len(body) and _encoding(headers) in _UNPACKED
            return unpacked or body, unpacked is not None or as_sent
    if length >= 0 and not packed and (length >= len(body) or not _is_laid_out_anew(body, size)):
        return body, length == len(body)
    return body, _is_whole(body, size)


def _is_packed(headers: Iterable[tuple[str, str]]) -> bool:
    return _encoding(headers) != "identity"


def _encoding(headers: Iterable[tuple[str, str]]) -> str:
    return (first_of(headers, "content-encoding") or "identity").strip().lower()


def _why_not_unpacked(body: bytes, headers: Iterable[tuple[str, str]]) -> str | None:
    """Why a body that was recorded as it was sent cannot be unpacked; None if it is another one."""
    encoding = _encoding(headers)
    return undone(body, encoding, _UNPACKED_CAP)[2] if encoding in _UNPACKED and _is_binary(body) else None


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


def _says_empty(response: Mapping[str, Any], headers: Iterable[tuple[str, str]]) -> bool:
    """Whether the recorder says that there was no body, which it may also say of one that it left out."""
    content = _dict(response.get("content"))
    broke = response.get("_error") or content.get("comment") or _number(first_of(headers, "content-length")) > 0
    return not broke and _number(content.get("size")) == 0 and _number(response.get("bodySize")) <= 0


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


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment if moment.year in _YEARS else None
    except (ValueError, OverflowError):
        return None


def _number(value: object) -> float:
    """A number; minus one if it is not one."""
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        return -1.0
    return number if math.isfinite(number) else -1.0


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
