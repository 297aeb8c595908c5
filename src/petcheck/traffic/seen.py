"""One entry of a HAR that another program wrote. Recorders make mistakes, which are not the server's."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from petcheck.exchange import Response, http_date
from petcheck.spec.figures import CONTENT_TYPE, GATEWAY_TROUBLE, MEDIA_TYPE
from petcheck.stream.entries import first_of, shared

# of the request's headers only these are kept: the others are of no use, and may be secret
_KEPT = ("accept", CONTENT_TYPE.lower())
_MASKED = ("set-cookie", "www-authenticate-info", "authentication-info", "proxy-authorization")


@dataclass(frozen=True, slots=True)
class Seen:
    """A request and its answer as a recorder saw them. `took` is in the recorder's unit, mostly milliseconds.

    The body of the answer is not complete where the recorder left out a part of it.
    """

    url: str
    authorization: str | None
    credential: str | None
    request_headers: tuple[tuple[str, str], ...]
    request_body: bytes | None
    answer: Response
    started: datetime
    took: float


class LeftAlone(Exception):
    """An entry that shows nothing about the server; the message is the reason, which is counted."""


def url_of(entry: Any) -> str:
    """The URL of an entry, without user, password and fragment; empty where it has none that can be read."""
    try:
        parts = urlsplit(str(_dict(_dict(entry)["request"])["url"]).strip())
        host = parts.netloc.rpartition("@")[2].lower()
        _ = parts.port
    except (KeyError, TypeError, ValueError):
        return ""
    return urlunsplit((parts.scheme.lower(), host, parts.path, parts.query, ""))


def method_of(entry: Any) -> str:
    """The method of an entry, in capitals."""
    return str(_dict(_dict(entry).get("request")).get("method", "")).upper()


def seen_in(entry: Any) -> Seen:
    """What a HAR entry shows. Raises `LeftAlone`."""
    whole = _dict(entry)
    request, response = _dict(whole.get("request")), _dict(whole.get("response"))
    status = response.get("status")
    if isinstance(status, float) and status.is_integer():
        status = int(status)
    if type(status) is not int or not 100 <= status <= 599:
        raise LeftAlone("without a response")
    if whole.get("_fromCache") or whole.get("fromCache") or response.get("_fetchedViaServiceWorker") or status == 304:
        raise LeftAlone("from the browser's cache")
    if status in GATEWAY_TROUBLE:
        raise LeftAlone("with 502, 503 or 504, which a retry may avoid")
    if 300 <= status < 400 or status < 200:
        raise LeftAlone("with a redirect, which another server may have sent")
    headers = headers_of(response)
    if not headers:
        raise LeftAlone("without response headers")
    sent = headers_of(request)
    accepts = (first_of(sent, "accept") or "*/*").lower()
    if not any(kind in accepts for kind in ("json", "*/*", "application/*")):
        raise LeftAlone("with an Accept header that excludes JSON")
    body, complete = _body(_dict(response.get("content")), response)
    started = _moment(whole.get("startedDateTime")) or http_date(first_of(headers, "date") or "")
    if started is None:
        raise LeftAlone("without a start time")
    return Seen(
        url=url_of(entry),
        authorization=first_of(sent, "authorization"),
        credential=_text(_dict(whole.get("_petcheck")).get("credential")),
        request_headers=tuple(header for header in sent if header[0].lower() in _KEPT),
        request_body=_request_body(request, sent),
        answer=Response(
            status,
            _text(response.get("statusText")) or "",
            _text(response.get("httpVersion")) or "HTTP/1.1",
            tuple((row[0], "[redacted]") if row[0].lower() in _MASKED else row for row in headers),
            body,
            complete,
        ),
        started=started,
        took=_number(whole.get("time")),
    )


def headers_of(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The headers of a request or an answer, without HTTP/2's pseudo-headers."""
    rows = message.get("headers")
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    pairs = ((_text(row.get("name")) or "", _text(row.get("value")) or "") for row in found)
    return [shared(name, value) for name, value in pairs if name and not name.startswith(":")]


def _request_body(request: Mapping[str, Any], headers: Iterable[tuple[str, str]]) -> bytes | None:
    """The body of a request, None where it had none. Raises `LeftAlone` where it had one that was left out."""
    posted = _dict(request.get("postData"))
    text = posted.get("text")
    length = first_of(headers, "content-length")
    size = max(_number(request.get("bodySize")), _number(length))
    if not isinstance(text, str) or not text:
        # a recorder that left a body out says 0 or -1, too: only the header tells
        if (str(request.get("method")).upper() == "POST" and _number(length) != 0) or size > 0 or posted.get("params"):
            raise LeftAlone("with a request body that was not recorded")
        return None
    media = _text(posted.get("mimeType")) or first_of(headers, CONTENT_TYPE) or MEDIA_TYPE
    if MEDIA_TYPE not in media.lower():
        raise LeftAlone("with a request body of another media type")
    body, whole = _decoded(text, posted.get("encoding"))
    if not whole or size > len(body) or (size <= 0 and not _is_json(body)):
        raise LeftAlone("with a request body that was not recorded")
    return body


def _body(content: Mapping[str, Any], response: Mapping[str, Any]) -> tuple[bytes, bool]:
    """The body of an answer, and whether that is all of it."""
    text, size = content.get("text"), _number(content.get("size"))
    length = _number(first_of(headers_of(response), "content-length"))
    if not isinstance(text, str) or not text:
        return b"", length == 0 and size <= 0  # "" stands for a body that was left out, too
    body, whole = _decoded(text, content.get("encoding"))
    return body, whole and size <= len(body) and (size > 0 or _is_json(body))


def _is_json(body: bytes) -> bool:
    """Whether a body of unknown size is JSON; if not, it may have been cut."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _decoded(text: str, encoding: object) -> tuple[bytes, bool]:
    """Bytes of a text, and whether they are those that were on the wire, as far as is known."""
    if encoding == "base64":
        try:
            return base64.b64decode(text, validate=True), True
        except (binascii.Error, ValueError):
            return b"", False
    # a recorder puts the replacement character where it could not read a byte
    return text.encode("utf-8", "surrogatepass"), "\ufffd" not in text


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
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
