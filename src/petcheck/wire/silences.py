"""Why an exchange failed: network errors as kinds of silence, and what OpenSSL says in words for the user."""

from __future__ import annotations

import ssl

import h11

from petcheck.exchange import NoAnswer, Silence
from petcheck.wire.httpx_without_cli import httpx

NOTHING = "nothing was received"


def silence_of(error: Exception, seen: str) -> NoAnswer:
    """The kind of silence behind a network error, and what was seen on the wire."""
    text = str(error) or type(error).__name__
    tls = ssl_error(error)
    if tls is not None:
        return NoAnswer(Silence.TLS, tls_problem(tls))
    if isinstance(error, httpx.ConnectError):
        return NoAnswer(Silence.UNREACHABLE, text)
    if isinstance(error, httpx.RemoteProtocolError | h11.RemoteProtocolError):
        if "buffer too long" in text:  # the cap of httpcore
            return NoAnswer(Silence.UNREAD, "its headers are longer than 100 KiB, the most that petcheck reads")
        if "without sending a response" in text:
            return NoAnswer(Silence.RESET, "the connection was closed without an answer")
        if "complete message body" in text or "incomplete chunked" in text:
            return NoAnswer(Silence.CUT_SHORT, f"{seen}: {text}")
        return NoAnswer(Silence.NOT_HTTP, text)
    return NoAnswer(Silence.RESET if seen == NOTHING else Silence.CUT_SHORT, f"{text}: {seen}")


def ssl_error(error: BaseException | None) -> ssl.SSLError | None:
    """The OpenSSL error behind a network error; None if there is none."""
    for _ in range(8):
        if error is None or isinstance(error, ssl.SSLError):
            break
        error = error.__cause__ or error.__context__
    return error if isinstance(error, ssl.SSLError) else None


def tls_problem(error: ssl.SSLError) -> str:
    """What OpenSSL says, and what to do about it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _UNTRUSTED:
            return f"{error.verify_message}; use --ca-bundle to name the authority that signed the certificate"
        advice = "; put the name that the certificate has into the base URL" * (error.verify_code in _OTHER_NAME)
        return f"{error.verify_message.rstrip('.')}{advice}"
    asks = _CERTIFICATE_DEMANDED.get(error.reason)
    advice = f"; the server {asks} client certificate; give one that it accepts with --client-cert"
    return f"{error}{advice if asks else ''}"


# of X509_verify_cert, for a host name and for an IP address
_OTHER_NAME = frozenset({62, 64})

# the codes when no trusted authority was found: of X509_verify_cert, of macOS, and of Windows
_UNTRUSTED = frozenset({2, 18, 19, 20, 21, 27, -67843, 0x800B0109, 0x800B010A})


# the alerts of servers about client certificates: TLS 1.3 has its own for a missing one, TLS 1.2 does not
_CERTIFICATE_DEMANDED = {
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "asks for a",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "may ask for a",
    "SSLV3_ALERT_BAD_CERTIFICATE": "may ask for a",
    "SSLV3_ALERT_NO_CERTIFICATE": "may ask for a",
    "TLSV1_ALERT_UNKNOWN_CA": "refuses the",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "refuses the",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "refuses the",
}
