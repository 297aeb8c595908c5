"""The targets of a run: servers by URL, an application (`--app`), or the embedded reference server."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from petcheck.wire.credentials import ApiKey, Header

REFERENCE_TARGET = "reference"
EVERY_TARGET = "*"
"""What `--allow-writes` without names stands for."""


@dataclass(frozen=True, slots=True)
class Url:
    """A server that is already running. `base_url` has no slash at its end."""

    base_url: str
    key: ApiKey

    def __str__(self) -> str:
        return self.base_url


@dataclass(frozen=True, slots=True)
class App:
    """The user's application, as `module:application`; the run serves it on loopback.

    `factory` says that it returns the application when it is called. `base_path` is where the operations are, without
    a slash at its end; None if the run has to find that out.
    """

    name: str
    key: ApiKey
    factory: bool = False
    base_path: str | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Embedded:
    """The reference server that comes with the suite; the run starts it with a random key."""

    def __str__(self) -> str:
        return "the embedded reference server"


Source: TypeAlias = Url | App | Embedded


@dataclass(frozen=True, slots=True)
class TargetConfig:
    """One target: how to open it, and what the run may do to it.

    `writes` allows POST; `exhaust` allows the run to use up the quota. `plan` and `category_id` are None if not given.
    `headers` go with each request. `client_cert` is a PEM file, and `client_key` that of its key if it is another one.
    `proxy` is an HTTP proxy's URL, perhaps with a login.
    """

    name: str
    source: Source
    plan: str | None = None
    writes: bool = False
    category_id: int | None = None
    exhaust: bool = False
    headers: tuple[Header, ...] = ()
    client_cert: Path | None = None
    client_key: Path | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)


def sharing_quotas(targets: Iterable[TargetConfig]) -> Mapping[str, str]:
    """For each target's name, that of the first one with the same server and key: they share a quota (section 8)."""
    firsts: dict[Hashable, str] = {}
    return {one.name: firsts.setdefault(_quota_of(one), one.name) for one in targets}


def _quota_of(target: TargetConfig) -> Hashable:
    """What is the same for targets that share a quota."""
    source = target.source
    if not isinstance(source, Url):
        return target.name
    url = urlsplit(source.base_url)
    return url.hostname, url.port or _PORTS.get(url.scheme), source.key


_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Opening:
    """The options that say how targets are opened: an application, petcheck itself, or http without encryption."""

    app: str | None = None
    self_test: bool = False
    factory: bool = False
    base_path: str | None = None
    insecure_http: bool = False
