"""One entry of a HAR that another program wrote. Recorders make mistakes, which are not the server's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from petcheck.exchange import Response
from petcheck.spec.figures import CONTENT_TYPE, GATEWAY_TROUBLE, MEDIA_TYPE
from petcheck.stream.entries import first_of, shared
from petcheck.traffic.bodies import LeftAlone, body_of, request_body, says_empty, why_not_unpacked
from petcheck.traffic.values import dict_of, in_words, number_of, text_of
from petcheck.wire.secret_names import says_secret

# of the request's headers only these are kept: the others are of no use, and may be secret
_KEPT = ("accept", CONTENT_TYPE.lower())
_PORTS = {"http": ":80", "https": ":443"}
_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")
_YEARS = range(1990, 2200)  # another one is of a clock that was never set


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


def url_of(entry: Any, scheme: str | None = None) -> str:
    """The URL of an entry, `plain`; its host may be in a header only, and its parameters in a list.

    One without a scheme has that one; if it is None, headers tell it: a recorder behind what ends TLS sees none.
    """
    request = dict_of(dict_of(entry).get("request"))
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
    named = [(str(row.get("name", "")), in_words(row.get("value", ""))) for row in rows if isinstance(row, dict)]
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
    return str(dict_of(dict_of(entry).get("request")).get("method", "")).upper()


def seen_of(entry: Any, url: str) -> Seen:
    """What a HAR entry with that URL shows. Raises `LeftAlone`."""
    whole = dict_of(entry)
    request, response = dict_of(whole.get("request")), dict_of(whole.get("response"))
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
    content = dict_of(response.get("content"))
    media = first_of(headers, CONTENT_TYPE) or text_of(content.get("mimeType")) or ""
    if not _accepts_json(first_of(sent, "accept") or "*/*", "json" in media.lower()):
        raise LeftAlone("with an Accept header that excludes JSON, or prefers the type of the response")
    body, complete = body_of(content, headers, written_again="startedDateTime" in response)
    # axios and a few proxies name the media type here only
    if first_of(headers, CONTENT_TYPE) is None and MEDIA_TYPE in str(content.get("mimeType")).lower():
        headers.append((CONTENT_TYPE, str(content["mimeType"])))
    return Seen(
        url=url,
        authorization=first_of(sent, "authorization"),
        credential=text_of(dict_of(whole.get("_petcheck")).get("credential")),
        request_headers=tuple(header for header in sent if header[0].lower() in _KEPT),
        request_body=request_body(request, sent),
        answer=Response(
            status,
            text_of(response.get("statusText")) or "",
            text_of(response.get("httpVersion")) or "HTTP/1.1",
            tuple(headers),
            body,
            complete,
            why_not_unpacked(body, headers) if complete else None,
        ),
        said_empty=not body and says_empty(response, headers),
        started=_moment(whole.get("startedDateTime")),
        took=number_of(whole.get("time")),
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
    pairs = (((text_of(row.get("name")) or "").rstrip(": "), in_words(row.get("value"))) for row in found)
    return [(name, value) for name, value in pairs if name]


def _row(value: object) -> dict[str, Any]:
    """A name with its value; some recorders write a pair."""
    return {"name": value[0], "value": value[1]} if isinstance(value, list) and len(value) == 2 else dict_of(value)


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment if moment.year in _YEARS else None
    except (ValueError, OverflowError):
        return None
