"""How a target is reached: checks headers, client certificates and proxies, and shows them without what is secret.

What is secret is shown as a variable of the shell. Each option takes that variable for its value, too: it is then read
from the environment. So the user who knows the secrets can send a recorded run again.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from petcheck.config.keys import KEY_VARIABLE, can_be_masked, keys_in
from petcheck.config.targets import TargetConfig, Url
from petcheck.config.urls import is_loopback, masked_url
from petcheck.config.values import each, why
from petcheck.errors import BadValue
from petcheck.exchange import DIRECT, Reach
from petcheck.wire.credentials import Header
from petcheck.wire.secret_names import says_secret

CLIENT_KEY, PROXY_LOGIN, HEADER = "$PETSTORE_CLIENT_KEY", "$PETSTORE_PROXY_LOGIN", "$PETSTORE_HEADER_"
_VARIABLE = re.compile(r"\$PETSTORE_[A-Z0-9_]+")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100})=([!-~](?:[\t -~]{0,4000}[!-~])?)")
# what petcheck sets itself, and what changes the meaning of a request or of its response
_OURS = re.compile(
    r"(proxy-)?authorization|host|content-.*|accept(-.*)?|user-agent|connection|keep-alive|proxy-connection|te|trailer|"
    r"transfer-encoding|upgrade|expect|range|if-.*|prefer|cache-control|pragma|idempotency-key|traceparent|"
    r"x-(http-)?method(-override)?",
    re.IGNORECASE,
)
_PROXY = re.compile(r"http://(?:[!-.0-~]+@)?(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")
_LONG_PART = 8  # characters; a shorter part of a secret header may be any word


def headers(value: object, where: str) -> tuple[Header, ...]:
    """Texts of the form NAME=VALUE, as headers. No message shows a value."""
    found: dict[str, Header] = {}
    for one in each(value):
        parts = _HEADER.fullmatch(one) if isinstance(one, str) else None
        if parts is None:
            raise BadValue(f"{where}: write it as NAME=VALUE in printable ASCII, as in X-Environment=blue")
        name, text = parts[1], parts[2]
        if _OURS.fullmatch(name):
            raise BadValue(f"{where} {name}: petcheck sets it itself, or it changes what requests mean; leave it out")
        if name.lower() in found:
            raise BadValue(f"{where} {name}: is given twice; give it once")
        if re.fullmatch(r"\$[A-Z_][A-Z0-9_]*", text) and not _VARIABLE.fullmatch(text):
            raise BadValue(f"{where} {name}: petcheck reads only variables that begin with PETSTORE_")
        hides = says_secret(name) and not _VARIABLE.fullmatch(text)
        found[name.lower()] = Header(name, text, HEADER + re.sub(r"[^A-Z0-9]", "_", name.upper()) if hides else text)
    return tuple(found.values())


def proxy(value: object, where: str) -> str:
    """The URL of a proxy, perhaps with a login."""
    text = str(value).strip().removesuffix("/")
    if not _PROXY.fullmatch(text) or int(text.rpartition(":")[2]) > 65535:
        raise BadValue(f"{where} {masked_url(text)}: write it as http://host:port, or http://{PROXY_LOGIN}@host:port")
    return text


# ---- completed with what is in the environment


def completed(
    settings: Mapping[str, Any], environment: Mapping[str, str], where: Callable[[str], str]
) -> dict[str, Any]:
    """The settings of a target with what the environment has. `where` begins a message about an option.

    Raises `BadValue`, also if the files do not hold a certificate and its key.
    """

    def filled(text: str, option: str, variable: str | None = None) -> str:
        if not (_VARIABLE.fullmatch(text) if variable is None else text == variable):
            return text
        value = environment.get(text[1:], "").strip()
        if not value or text[1:].startswith(KEY_VARIABLE) or any(key in value for key in keys_in(environment)):
            what = "contains the API key, which goes nowhere else" if value else "is not set; put the value into it"
            raise BadValue(f"{where(option)}: {text[1:]} {what}")
        return value

    found = {**settings}
    if "headers" in found:
        said = [replace(one, value=filled(one.value, "header")) for one in found["headers"]]
        headers([f"{one.name}={one.value}" for one in said], where("header"))
        found["headers"] = tuple(said)
    if "proxy" in found:
        login, at, host = found["proxy"].removeprefix("http://").rpartition("@")
        found["proxy"] = proxy(f"http://{filled(login, 'proxy', PROXY_LOGIN)}{at}{host}", where("proxy"))
    if "client_key" in found:
        found["client_key"] = Path(filled(str(found["client_key"]), "client-key", CLIENT_KEY))
    _expect_certificate(found.get("client_cert"), found.get("client_key"), where)
    return found


def _expect_certificate(certificate: Path | None, key: Path | None, where: Callable[[str], str]) -> None:
    """Expect a certificate and its key that can be used, or neither. The key's path is in no message."""
    named = f"{where('client-cert')} {certificate}"
    if certificate is None:
        if key is not None:
            raise BadValue(f"{where('client-key')}: goes with --client-cert; give both")
        return
    place = named if key is None else where("client-key")

    def refused() -> str:
        raise BadValue(f"{place}: the private key is encrypted; give it unencrypted, in a file that only you can read")

    if b"-----BEGIN CERTIFICATE-----" not in _content(certificate, named):
        raise BadValue(f"{named}: contains no certificate; give a PEM file")
    if b"PRIVATE KEY-----" not in _content(key or certificate, place):
        raise BadValue(f"{place}: contains no private key; give the PEM file that has it to --client-key")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key, refused)
    except ssl.SSLError as error:
        wrong = "the private key belongs to another certificate" if "MISMATCH" in str(error) else "is not valid PEM"
        raise BadValue(f"{named}: {wrong}; give a certificate and its own key") from None


def _content(path: Path, where: str) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise BadValue(f"{where}: cannot be read ({why(error)}); give a PEM file") from None


def expect_encrypted(base_url: str, through: str | None, where: str) -> None:
    """Expect that no proxy on another machine sees the key."""
    if through is not None and base_url.startswith("http://") and not is_loopback(urlsplit(through).hostname or ""):
        raise BadValue(
            f"{where}: the key would be sent unencrypted to the proxy; use https, or allow it with --insecure-http"
        )


# ---- as files show it


def hidden(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Options by name, with variables for what is secret, and the values of these variables by name."""
    shown, secret = dict(given), dict[str, str]()
    if "header" in given:
        found = headers(given["header"], "--header")
        shown["header"] = [f"{one.name}={one.shown}" for one in found]
        secret |= {one.shown[1:]: one.value for one in found if one.value != one.shown}
    if "client-key" in given:
        shown["client-key"], secret[CLIENT_KEY[1:]] = CLIENT_KEY, str(given["client-key"])
    if "proxy" in given:
        url = proxy(given["proxy"], "--proxy")
        shown["proxy"], secret[PROXY_LOGIN[1:]] = _shown_proxy(url), _login(url)
    return shown, {name: value for name, value in secret.items() if value and value != f"${name}"}


def shown_headers(target: TargetConfig) -> tuple[str, ...]:
    """The headers of a target's requests, as files show them."""
    return tuple(f"{one.name}={one.shown}" for one in target.headers)


def reach_of(target: TargetConfig, ca_bundle: str | None) -> Reach:
    """How a target is reached, as files show it; the run itself serves an application."""
    if not isinstance(target.source, Url):
        return DIRECT
    certificate = None if target.client_cert is None else str(target.client_cert)
    key = None if target.client_key is None else CLIENT_KEY
    return Reach(ca_bundle, certificate, key, target.proxy and _shown_proxy(target.proxy))


def secrets_of(target: TargetConfig) -> Iterator[str]:
    """What is masked like the key in everything that a target sends."""
    for header in target.headers:
        if header.shown != header.value:
            parts = [part for part in re.split(r"[\s,;=]+", header.value) if len(part) >= _LONG_PART]
            yield from filter(can_be_masked, dict.fromkeys([header.value, *parts]))
    login = unquote(_login(target.proxy or ""))
    password = login.partition(":")[2] or login
    yield from filter(can_be_masked, dict.fromkeys([login, password] if login else []))


def _login(url: str) -> str:
    return url.removeprefix("http://").rpartition("@")[0]


def _shown_proxy(url: str) -> str:
    return f"http://{PROXY_LOGIN}@{url.rpartition('@')[2]}" if _login(url) else url
