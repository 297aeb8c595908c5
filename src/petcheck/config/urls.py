"""Checks the base URL of a target (section 9), and shows it without anything that may be a key."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from petcheck.config.keys import KEY_VARIABLE
from petcheck.errors import BadUrl
from petcheck.stream.addresses import is_base

_SAFE_REASONS = ("Port out of range 0-65535", "Invalid IPv6 URL")
_LONGEST_SHOWN = 200


def base_url(text: str, where: str, *, insecure: bool, path: str = "/v1") -> str:
    """The base URL in `text`, with no slash at its end; `insecure` allows http to any host.

    `where` names the option, or the file and its key; `path` is an example. Raises `BadUrl`, whose message shows no
    key.
    """
    named = masked_url(text) or "''"
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        # other reasons quote the URL, which may contain a key
        reason = str(error) if str(error) in _SAFE_REASONS else "its host or port cannot be parsed"
        raise BadUrl(f"{where} {named}: not a URL ({reason}); write it as https://host{path}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise BadUrl(f"{where} {named}: not an http or https URL; write it as https://host{path}")
    if parts.username is not None or parts.password is not None:
        raise BadUrl(f"{where} {named}: a URL must not have a user or password; put the key into {KEY_VARIABLE}")
    if parts.query or parts.fragment:
        raise BadUrl(f"{where} {named}: a URL must not have a query or a fragment; end it after the path, as in {path}")
    if any(character.isspace() or not character.isprintable() for character in text.strip()):
        raise BadUrl(f"{where} {named!r}: a URL must not have spaces or control characters")
    if parts.scheme == "http" and not insecure and not is_loopback(host):
        raise BadUrl(f"{where} {named}: the key would be sent unencrypted; use https, or allow it with --insecure-http")
    base = text.strip().rstrip("/?#")
    if not is_base(base):  # what a recording may hold
        raise BadUrl(f"{where} {named}: a URL must not have a backslash, or an @ in its path; write / and %40 instead")
    return base


def authority_url(value: object, where: str) -> str:
    """The URL of a time stamp authority; by http too, since no key goes there, and its response is signed."""
    given = value.strip() if isinstance(value, str) else ""
    base_url(given, where, insecure=True, path="/tsr")
    return given


def masked_url(url: str) -> str:
    """A URL for a message, without parts that may contain a key by mistake: user, password, port, query, fragment."""
    bare, mark, _ = re.match(r"([^?#]*)([?#]?)(.*)", url, re.DOTALL).groups()  # type: ignore[union-attr]
    scheme, slashes, rest = bare.rpartition("://")
    _, at, rest = rest.rpartition("@")
    host, slash, path = rest.partition("/")
    bracketed, bracket, port = host.rpartition("]")  # an IPv6 address
    host = bracketed + bracket + re.sub(r":(?!\d{0,5}$).*", ":…", port)
    shown = f"{scheme}{slashes}{'…@' if at else ''}{host}{slash}{path}{mark + '…' if mark else ''}"
    return shown if len(shown) <= _LONGEST_SHOWN else shown[:_LONGEST_SHOWN] + "…"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
