"""HTTP itself: one request out, and a `Response` or a `NoAnswer` back, always within the deadline.

A target is not trusted. The deadline holds for the exchange as a whole, since a peer that sends a byte now and then
would satisfy any time-out that holds for a read. Both the bytes that come and what they unpack to are capped.
Redirects are not followed, cookies not kept, proxies and certificates of the environment not used.
"""

from __future__ import annotations

import contextlib
import ssl
import zlib
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
import h11
from anyio.from_thread import BlockingPortal, start_blocking_portal

from petcheck.exchange import NoAnswer, Response, Silence
from petcheck.wire.lean_httpx import httpx

# a page of a hundred animals has room for 20 KB each; of a body that runs over it only the beginning is kept
BODY_CAP = 2 * 1024 * 1024
KEPT_OF_MORE = 64 * 1024
_ENCODINGS_UNDONE, _MEMBERS_UNDONE = 3, 64
_NO_KEEPING = httpx.Limits(max_keepalive_connections=0)


class HttpClient:
    """Sends requests to one target, one at a time.

    Arguments: `deadline` in seconds for an exchange from connecting to the last byte; `ca_bundle`, the path of a PEM
    file with certificate authorities to trust instead of the usual ones.
    """

    def __init__(self, *, deadline: float, ca_bundle: str | None = None) -> None:
        self._deadline = deadline
        self._ca_bundle = ca_bundle
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._portal: BlockingPortal = self._stack.enter_context(start_blocking_portal())
        self._verify: ssl.SSLContext | bool | None = None
        self._kept: httpx.AsyncHTTPTransport | None = None
        self._fresh: httpx.AsyncHTTPTransport | None = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for transport in (self._kept, self._fresh):
            if transport is not None:
                self._portal.call(transport.aclose)
        self._portal.call(self._portal.stop, True)
        self._stack.close()

    def send(
        self, method: str, url: str, headers: list[tuple[str, str]], body: bytes | None, *, new_connection: bool
    ) -> Response | NoAnswer:
        """Send one request and read its answer whole, up to the caps.

        `new_connection` opens one for this request alone: for a POST, which must not be lost on a connection that the
        server has meanwhile closed, and for a second try.
        """
        try:
            request = httpx.Request(method, url, headers=headers, content=body)
        except (httpx.InvalidURL, UnicodeError) as error:
            return NoAnswer(Silence.UNREACHABLE, f"the URL leads nowhere: {error}")
        if method == "POST" and body is None:
            request.headers["Content-Length"] = "0"
        return self._portal.call(self._exchange, request, new_connection)

    def _transport(self, url: httpx.URL, new_connection: bool) -> httpx.AsyncHTTPTransport:
        if self._verify is None:
            # a context is slow to make and of no use for plain http
            self._verify = _trusting(self._ca_bundle) if url.scheme == "https" else False
        if new_connection:
            self._fresh = self._fresh or httpx.AsyncHTTPTransport(
                verify=self._verify, trust_env=False, limits=_NO_KEEPING
            )
            return self._fresh
        self._kept = self._kept or httpx.AsyncHTTPTransport(verify=self._verify, trust_env=False)
        return self._kept

    async def _exchange(self, request: httpx.Request, new_connection: bool) -> Response | NoAnswer:
        seen = "nothing came"
        try:
            transport = self._transport(request.url, new_connection)
            with anyio.fail_after(self._deadline):
                response = await transport.handle_async_request(request)
                seen = f"status {response.status_code} came, its body did not end"
                try:
                    raw, whole = await _read(response)
                finally:
                    with anyio.CancelScope(shield=True), anyio.move_on_after(1), contextlib.suppress(Exception):
                        await response.aclose()
        except TimeoutError:
            return NoAnswer(Silence.TIMEOUT, f"no whole answer within {self._deadline:g} s: {seen}")
        except UnicodeError as error:
            return NoAnswer(Silence.UNREACHABLE, f"the host has no name that could be looked up: {error}")
        except (httpx.HTTPError, h11.ProtocolError, OSError, anyio.EndOfStream, anyio.ClosedResourceError) as error:
            return _silence(error, seen)
        body, unpacked = _unpack(raw, response.headers.get("Content-Encoding", ""))
        return Response(
            status=response.status_code,
            reason=response.extensions.get("reason_phrase", b"").decode("latin-1"),
            http_version=response.extensions.get("http_version", b"HTTP/1.1").decode("latin-1"),
            headers=tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw),
            body=body if whole and unpacked else body[:KEPT_OF_MORE],
            body_complete=whole and unpacked,
        )


def _trusting(ca_bundle: str | None) -> ssl.SSLContext:
    """A context that trusts a file of authorities, or those of this machine.

    ssl.create_default_context would heed SSL_CERT_FILE and SSL_CERT_DIR, through which whoever sets a variable reads
    the key, and write what decrypts the connection to where SSLKEYLOGFILE says.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_bundle is not None:
        context.load_verify_locations(ca_bundle)
        return context
    places = ssl.get_default_verify_paths()
    if Path(places.openssl_cafile).is_file():
        context.load_verify_locations(cafile=places.openssl_cafile)
    if Path(places.openssl_capath).is_dir():
        context.load_verify_locations(capath=places.openssl_capath)
    return context


async def _read(response: httpx.Response) -> tuple[bytes, bool]:
    """The body's bytes as they came, and whether that is all of them."""
    parts = bytearray()
    async for chunk in response.aiter_raw():
        parts += chunk
        if len(parts) > BODY_CAP:
            return bytes(parts[:BODY_CAP]), False
    return bytes(parts), True


def _unpack(raw: bytes, encodings: str) -> tuple[bytes, bool]:
    """The body with gzip and deflate undone, and whether that is all of it; what cannot be undone stays as it is."""
    whole = True
    names = [name.strip().lower() for name in encodings.split(",")]
    for encoding in reversed(names[-_ENCODINGS_UNDONE:]):
        # some servers send deflate without the header that it should have; gzip always has one
        for window_bits in {"gzip": (47,), "x-gzip": (47,), "deflate": (47, -15)}.get(encoding, ()) if raw else ():
            try:
                raw, complete = _inflated(raw, window_bits)
            except zlib.error:
                continue
            whole = whole and complete
            break
    return raw, whole


def _inflated(raw: bytes, window_bits: int) -> tuple[bytes, bool]:
    """What `raw` unpacks to, every member of a gzip file, and whether that is all of it. Raises `zlib.error`."""
    unpacked = bytearray()
    for _ in range(_MEMBERS_UNDONE):
        unpacker = zlib.decompressobj(window_bits)
        try:
            unpacked += unpacker.decompress(raw, BODY_CAP + 1 - len(unpacked))
        except zlib.error:
            if not unpacked:
                raise
            raw = b""  # padding behind the last member
            break
        if unpacker.unconsumed_tail or len(unpacked) > BODY_CAP:
            return bytes(unpacked[:BODY_CAP]), False
        raw = unpacker.unused_data if window_bits > 0 else b""
        if not raw:
            break
    return bytes(unpacked), not raw


def _silence(error: Exception, seen: str) -> NoAnswer:
    """Which silence an error of the network stands for, in words that name what was seen on the wire."""
    text = str(error) or type(error).__name__
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and len(causes) < 8:
        causes.append(cause)  # type: ignore[arg-type]
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if tls is not None:
        return NoAnswer(Silence.TLS, getattr(tls, "verify_message", "") or str(tls))
    if isinstance(error, httpx.ConnectError):
        return NoAnswer(Silence.UNREACHABLE, text)
    if isinstance(error, httpx.RemoteProtocolError | h11.RemoteProtocolError):
        if "without sending a response" in text:
            return NoAnswer(Silence.RESET, "the connection was closed before an answer came")
        if "complete message body" in text or "incomplete chunked" in text:
            return NoAnswer(Silence.CUT_SHORT, f"{seen}: {text}")
        return NoAnswer(Silence.NOT_HTTP, text)
    return NoAnswer(Silence.RESET, f"{text}: {seen}")
