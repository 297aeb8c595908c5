"""Resolves the targets of a run: URLs, an application (`--app`), or the embedded reference server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from petcheck.config import values
from petcheck.config.keys import DEFAULT_TARGET, key_of
from petcheck.config.options import EVERY_TARGET
from petcheck.config.settings_file import SettingsFile, expect_known, with_dashes
from petcheck.config.shards import Shard, part_of, read_shard
from petcheck.config.urls import base_url, masked_url
from petcheck.errors import ConfigError
from petcheck.wire.credentials import ApiKey

REFERENCE_TARGET = "reference"
_REFERENCE_PLAN = "pro"
_TARGET_SETTINGS = ("url", "plan", "allow-writes", "category-id")


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
    """

    name: str
    source: Source
    plan: str | None = None
    writes: bool = False
    category_id: int | None = None
    exhaust: bool = False


def resolve_targets(
    file: SettingsFile,
    environment: Mapping[str, str],
    *,
    urls: Sequence[str],
    app: str | None,
    writes: object,
    plan: str | None,
    category_id: int | None,
    exhaust: bool,
    insecure: bool,
    factory: bool = False,
    base_path: str | None = None,
    shard: object = None,
) -> tuple[tuple[TargetConfig, ...], Shard | None]:
    """Every target of the run, at least one: from `--target`, otherwise `--app`, otherwise the file, otherwise the
    embedded server. With `shard` ("2/5"), those of that part of the list, and which part it is.

    `urls`, `app`, `writes` and so on are the run's options; a target in the file may add to them. `insecure` allows
    http to any host. Every URL of the list is checked; keys are needed for the part alone. Raises `ConfigError`.
    """
    in_file = _targets_in(file)
    given = _named_urls(urls)
    if app and given:
        raise ConfigError("give either --app or --target, not both")
    places = dict.fromkeys(given, "--target")
    if not app and (factory or base_path is not None):
        raise ConfigError(f"{'--factory' if factory else '--base-path'} goes with --app; give both, or neither")
    if not given and not app:
        given = {name: settings["url"] for name, settings in in_file.items()}
    all_may_write, writable = _writable(writes, given, file.name)
    part = None if shard is None else read_shard(shard, given)
    if app:
        source = App(app, key_of(DEFAULT_TARGET, environment), factory, base_path)
        return (TargetConfig(DEFAULT_TARGET, source, plan, all_may_write, category_id, exhaust),), None
    if not given:
        return (TargetConfig(REFERENCE_TARGET, Embedded(), plan or _REFERENCE_PLAN, writes=True, exhaust=True),), None
    ours = frozenset(given if part is None else part_of(list(given), part))
    targets = []
    for name, url in given.items():
        where = f"{file.name}: [targets.{name}]"
        settings = with_dashes(in_file.get(name, {}), where)
        checked = base_url(url, places.get(name, f"{where} url"), insecure=insecure)
        if name not in ours:
            continue
        own_category = settings.get("category-id") if category_id is None else category_id
        targets.append(
            TargetConfig(
                name,
                Url(checked, key_of(name, environment)),
                plan=plan or values.plan(settings.get("plan"), f"{where} plan"),
                writes=values.switch(settings.get("allow-writes", False), f"{where} allow-writes")
                or all_may_write
                or name in writable,
                category_id=values.category(own_category, f"{where} category-id"),
                exhaust=exhaust,
            )
        )
    return tuple(targets), part


def _targets_in(file: SettingsFile) -> Mapping[str, Any]:
    tables = file.table("targets")
    for name, settings in tables.items():
        if not isinstance(settings, dict) or not isinstance(settings.get("url"), str):
            raise ConfigError(f'{file.name}: target {name!r} needs a table with `url = "https://…/v1"`')
        _expect_name(name, f"{file.name}: target {name!r}")
        for setting in settings:
            expect_known(setting.replace("_", "-"), _TARGET_SETTINGS, f"{file.name}: [targets.{name}]")
    return tables


def _writable(given: object, urls: Mapping[str, str], file: str) -> tuple[bool, list[str]]:
    """Whether POST may be sent to every target, and the targets that the option names."""
    if not isinstance(given, bool | str):
        raise ConfigError(f"{file}: [defaults] allow-writes {given!r}: must be true, false, or names of targets")
    if isinstance(given, bool) or given == EVERY_TARGET:
        return bool(given), []
    names = [name.strip() for name in given.split(",")]
    for name in names:
        if name not in urls:
            raise ConfigError(f"--allow-writes={name}: no target has that name; targets: {', '.join(urls) or 'none'}")
    return False, names


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
