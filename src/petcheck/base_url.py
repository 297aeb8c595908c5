"""The base URL of a target, held to what may be called (section 9), and shown without what may be a key."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from petcheck.options import KEY_VARIABLE
from petcheck.values import ConfigError

_TELLING_NOTHING = ("Port out of range 0-65535", "Invalid IPv6 URL")
_SHOWN_URL = 200


def base_url(text: str, where: str, *, insecure: bool) -> str:
    """The base URL that `text` gives, with no slash at its end; `insecure` allows http to any host.

    `where` names the option, or the file and its key. Raises `ConfigError`, whose message shows no key.
    """
    named = shown(text)
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        # some of these quote what they mean, which may be a key
        reason = str(error) if str(error) in _TELLING_NOTHING else "its host or its port cannot be read"
        raise ConfigError(f"{where} {named}: not a URL ({reason}); write it as https://host/v1") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(f"{where} {named}: not an http or https URL; write it as https://host/v1")
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"{where} {named}: a URL must not hold a user or password; the key goes into {KEY_VARIABLE}")
    if parts.query or parts.fragment:
        raise ConfigError(f"{where} {named}: a base URL has no query and no fragment; end it after the path, as in /v1")
    if any(character.isspace() or not character.isprintable() for character in text.strip()):
        raise ConfigError(f"{where} {named!r}: a URL holds no spaces or control characters")
    if parts.scheme == "http" and not insecure and not _loopback(host):
        raise ConfigError(
            f"{where} {named}: the key would travel unencrypted; use https, or allow it with --insecure-http"
        )
    return text.strip().rstrip("/?#")


def shown(url: str) -> str:
    """A URL for a message, without the places where a key is put by mistake: user, password, port, query, fragment."""
    bare, mark, _ = re.match(r"([^?#]*)([?#]?)(.*)", url, re.DOTALL).groups()  # type: ignore[union-attr]
    scheme, slashes, rest = bare.rpartition("://")
    _, at, rest = rest.rpartition("@")
    host, slash, path = rest.partition("/")
    bracketed, bracket, port = host.rpartition("]")  # an address of IPv6
    host = bracketed + bracket + re.sub(r":(?!\d{0,5}$).*", ":…", port)
    told = f"{scheme}{slashes}{'…@' if at else ''}{host}{slash}{path}{mark + '…' if mark else ''}"
    return told if len(told) <= _SHOWN_URL else told[:_SHOWN_URL] + "…"


def _loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
