"""Where `petcheck replay` sends requests: a recording, which anybody may have written, does not decide that."""

from __future__ import annotations

import argparse
import shlex
from typing import Any
from urllib.parse import urlsplit

from petcheck.config.keys import DEFAULT_TARGET
from petcheck.config.options import OPTIONS, arguments_of, given_options
from petcheck.config.resolve import targets_in
from petcheck.config.settings_file import read_settings
from petcheck.config.urls import is_loopback
from petcheck.errors import ConfigError
from petcheck.sanitize import printable
from petcheck.stream.lines import Head
from petcheck.stream.stream import Part

_TARGET, _APP, _FILE, _UNENCRYPTED = "target", "app", "config", "insecure-http"
_SAID = tuple(option for option in OPTIONS if option.reaches)
# what a recording may decide: how long to wait, whether a trace id is sent, and what the run itself served
_RECORDED = ("timeout", "traceparent")
_SERVED = (_APP, "factory", "base-path", "header")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a run that say where its requests go, and how."""
    for option in _SAID:
        parser.add_argument(option.flag, **option.settings())


def destination(part: Part, head: Head, parsed: argparse.Namespace) -> dict[str, Any]:
    """The options of a run that reach the target of a recording, by name without dashes.

    The command line or petcheck.toml names the server. The recording does so only where the run served an application,
    or where the server and its proxy are on this machine. Raises `ConfigError` otherwise.
    """
    names = [option.name for option in _SAID]
    command = {name: value for name, value in given_options(parsed).items() if name in names and value is not None}
    given = {name: value for name, value in head.options.items() if name in _RECORDED}
    if _TARGET in command or _APP in command:
        return given | command
    if _APP in head.options:
        path = "/" + part.base_url.partition("://")[2].partition("/")[2]
        served = {name: value for name, value in head.options.items() if name in _SERVED}
        return {"base-path": path, **given, **served, **command}
    if "self-test" in head.options:
        return {"self-test": True, **given, **command}
    if part.name in targets_in(read_settings(command.get(_FILE))):
        return given | command
    recorded = {_TARGET: [_named(part)], **part.settings.way}
    proxy = part.settings.reach.proxy
    if is_here(part.base_url) and (proxy is None or is_here(proxy)):
        return given | recorded | command
    if part.base_url.startswith("http://"):
        recorded[_UNENCRYPTED] = True
    raise ConfigError(
        f"a recording does not decide where the key goes; if {printable(part.base_url)} is the server that you mean, "
        f"add {printable(shlex.join(arguments_of(recorded)))}"
    )


def _named(part: Part) -> str:
    return part.base_url if part.name == DEFAULT_TARGET else f"{part.name}={part.base_url}"


def is_here(url: str) -> bool:
    """Whether a URL is that of a server on this machine."""
    return is_loopback(urlsplit(url).hostname or "")
