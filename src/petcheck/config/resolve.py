"""Resolves the targets of a run, each to one complete value."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from petcheck.config import values
from petcheck.config.keys import DEFAULT_TARGET, key_of, own_variable
from petcheck.config.options import OPTIONS, Given, Place
from petcheck.config.reach import completed, expect_encrypted
from petcheck.config.settings_file import SettingsFile, known_settings
from petcheck.config.targets import EVERY_TARGET, REFERENCE_TARGET, App, Embedded, Opening, TargetConfig, Url
from petcheck.config.urls import base_url, masked_url
from petcheck.errors import ConfigError
from petcheck.stream.lines import ShardInfo
from petcheck.words import plural

_REFERENCE_PLAN = "pro"
_WRITES = "allow-writes"
_SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_WAY = {"client-cert": "client_cert", "client-key": "client_key", "proxy": "proxy"}  # their fields


def resolve_targets(
    file: SettingsFile, environment: Mapping[str, str], given: Given
) -> tuple[tuple[TargetConfig, ...], ShardInfo | None]:
    """Every target of the run, at least one: from `--target`, otherwise `--app`, otherwise the file; the embedded
    server with `--self-test`, and where nobody expects another. With `--shard`, those of that part of the list, and
    which part it is.

    `given` has the command line first and then the defaults; what the file sets for a target comes between them. Every
    URL of the list is checked; keys are needed for the part alone. Raises `ConfigError`.
    """
    opening, in_file = Opening(**given.fields(Opening)), targets_in(file)
    named = _named_urls(given.get("target", ()))
    _expect_one_kind(opening, named)
    served = opening.app or opening.self_test
    urls = named or ({} if served else {name: settings["url"] for name, settings in in_file.items()})
    writable = _writable(given, urls)
    part = _read_shard(given.get("shard"), urls) if "shard" in given else None
    if opening.app:
        writes = EVERY_TARGET in writable
        return (_application(opening.app, opening, environment, given, writes=writes),), None
    if not urls:
        return (_reference(opening, file, environment, given),), None
    _expect_own_variables(urls)
    ours = frozenset(urls if part is None else [list(urls)[place] for place in part.places])
    targets = []
    for name, url in urls.items():
        where = f"{file.name}: [targets.{name}] "
        checked = base_url(url, "--target" if name in named else f"{where}url", insecure=opening.insecure_http)
        if name in ours:
            source = Url(checked, key_of(name, environment, checked))
            allowed = name in writable or EVERY_TARGET in writable
            own = Given(((where, in_file.get(name, {})),))
            targets.append(_listed(name, source, own, given, environment, opening, allowed=allowed))
    return tuple(targets), part


def _expect_one_kind(opening: Opening, named: Mapping[str, str]) -> None:
    """Raise `ConfigError` if the command line names an application and servers, or parts of the one and the other."""
    if opening.app and named:
        raise ConfigError("give either --app or --target, not both")
    if opening.self_test and (opening.app or named):
        raise ConfigError(
            f"--self-test tests petcheck itself: leave out --self-test or {'--target' if named else '--app'}"
        )
    if not opening.app and (opening.factory or opening.base_path is not None):
        raise ConfigError(f"{'--factory' if opening.factory else '--base-path'} goes with --app; give both, or neither")


def _application(
    app: str, opening: Opening, environment: Mapping[str, str], given: Given, *, writes: bool
) -> TargetConfig:
    """The application that the run itself serves."""
    _expect_no_way(given)
    source = App(app, key_of(DEFAULT_TARGET, environment, opening.base_path or ""), opening.factory, opening.base_path)
    reached = {name: value for name, value in given.fields(TargetConfig).items() if name not in _WAY.values()}
    return TargetConfig(DEFAULT_TARGET, source, writes=writes, **completed(reached, environment, given.where))


def _reference(opening: Opening, file: SettingsFile, environment: Mapping[str, str], given: Given) -> TargetConfig:
    """The embedded server; only a user who names no target and nothing that could have one means it without a word."""
    if not opening.self_test and (file.exists or in_ci(environment)):
        lacking = f"{file.name} names no target" if file.exists else "no target"
        raise ConfigError(f"{lacking}; give --target URL, or --self-test to test petcheck itself")
    _expect_no_way(given)
    plan = given.fields(TargetConfig).get("plan", _REFERENCE_PLAN)
    return TargetConfig(REFERENCE_TARGET, Embedded(), plan, writes=True, exhaust=True)


def _listed(
    name: str,
    source: Url,
    own: Given,
    given: Given,
    environment: Mapping[str, str],
    opening: Opening,
    *,
    allowed: bool,
) -> TargetConfig:
    """One server of the list; `own` is what the file sets for it, and `allowed` says that the run may send it POST."""
    command, *defaults = given.places
    if _WRITES in own:  # the command line goes before it, and it goes before the defaults
        own_choice = values.switch(own.get(_WRITES), own.where(_WRITES))
        allowed = allowed if _WRITES in command[1] else own_choice
    here = Given((command, *own.places, *defaults))
    settings = completed(here.fields(TargetConfig), environment, here.where)
    if not opening.insecure_http:
        expect_encrypted(source.base_url, settings.get("proxy"), here.where("proxy"))
    return TargetConfig(name, source, writes=allowed, **settings)


def _expect_own_variables(names: Iterable[str]) -> None:
    """Raise `ConfigError` if two targets have their key in the same variable."""
    variables: dict[str, str] = {}
    for name in names:
        other = variables.setdefault(own_variable(name), name)
        if other != name:
            raise ConfigError(f"targets {other} and {name} share {own_variable(name)}; give one another name")


def _expect_no_way(given: Given) -> None:
    """Raise `ConfigError` if the command line says how to reach a server that the run itself serves."""
    command = given.places[0][1]
    for name in _WAY:
        if name in command:
            raise ConfigError(f"--{name} goes with --target; the run itself serves this server")


def in_ci(environment: Mapping[str, str]) -> bool:
    """Whether a CI system runs the command."""
    return environment.get("CI", "").lower() not in ("", "0", "false")


def targets_in(file: SettingsFile) -> Mapping[str, Mapping[str, Any]]:
    """The settings of each target of the file, by its name. Raises `ConfigError`."""
    known = ["url", *(option.name for option in OPTIONS if Place.TARGET in option.places)]
    tables = {}
    for name, settings in file.table("targets").items():
        _expect_name(name, f"{file.name}: target {name!r}")
        own = known_settings(settings, known, f"{file.name}: [targets.{name}]") if isinstance(settings, dict) else {}
        if not isinstance(own.get("url"), str):
            raise ConfigError(f'{file.name}: target {name!r} needs a table with `url = "https://…/v1"`')
        tables[name] = own
    return tables


def _writable(given: Given, urls: Mapping[str, str]) -> Collection[str]:
    """The names of targets to which the run may send POST; among them `EVERY_TARGET` if to all."""
    value = given.get(_WRITES, False)
    if not isinstance(value, bool | str):
        raise ConfigError(f"{given.where(_WRITES)} {value!r}: must be true, false, or names of targets")
    if isinstance(value, bool) or value == EVERY_TARGET:
        return [EVERY_TARGET] if value else []
    names = [name.strip() for name in value.split(",")]
    for name in names:
        if name not in urls:
            raise ConfigError(f"--{_WRITES}={name}: no target has that name; targets: {', '.join(urls) or 'none'}")
    return names


def _named_urls(given: Sequence[str]) -> dict[str, str]:
    urls: dict[str, str] = {}
    for text in given:
        name, equals, url = text.partition("=")
        if not equals or "/" in name or ":" in name:
            name, url = DEFAULT_TARGET, text
        where = f"--target {masked_url(text)}"
        _expect_name(name, where)
        if name in urls:
            raise ConfigError(f"{where}: two targets are named {name!r}; give each a name, as in --target staging=URL")
        urls[name] = url
    return urls


def _expect_name(name: str, where: str) -> None:
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise ConfigError(f"{where}: a name has letters, digits, - and _ only")


# ---- shards: parts of a list of targets that several machines judge


def _read_shard(text: object, urls: Mapping[str, str]) -> ShardInfo:
    """The shard that `text` ("2/5") names, of the targets whose URLs are given by name. Raises `ConfigError`."""
    where = f"--shard {text}"
    form = _SHARD.fullmatch(str(text))
    if form is None:
        raise ConfigError(f"{where}: not a shard; write it as I/N, as in --shard 2/5")
    number, of = map(int, form.groups())
    if not urls:
        raise ConfigError(
            f"{where}: there is no list of targets to divide; name them in petcheck.toml, or with --target"
        )
    if of < 1 or not 1 <= number <= of:
        shards = "the only shard is 1/1" if of <= 1 else f"the shards are 1/{of} to {of}/{of}"
        raise ConfigError(f"{where}: there is no such shard; {shards}")
    if of > len(urls):
        listed = plural(len(urls), "target")
        raise ConfigError(f"{where}: with {listed} a shard would be empty; use {len(urls)} or fewer")
    digest = hashlib.sha256(json.dumps(list(urls.items())).encode()).hexdigest()
    return ShardInfo(number, of, len(urls), digest)
