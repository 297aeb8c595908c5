"""What a run is told: options from the command line, keys from the environment, targets and waivers from a file.

All of it is read, checked and frozen before anything is sent. Whatever is wrong raises `ConfigError` with one line
that says what to do.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from petcheck import values
from petcheck.base_url import base_url, shown
from petcheck.environment import DEFAULT_TARGET, key_of, long_keys, without_keys
from petcheck.judging.catalogue import catalogue
from petcheck.judging.verdicts import Waiver
from petcheck.key import ApiKey
from petcheck.options import CONFIG_FILE, KEY_VARIABLE, OPTIONS
from petcheck.values import ConfigError

REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class TargetConfig:
    """One target: where it is, what opens it, and what may be done to it. `base_url` has no slash at its end."""

    name: str
    base_url: str
    key: ApiKey
    plan: str | None = None
    writes: bool = False
    category_id: int | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """A run. Without `targets` and `app` the embedded reference server is judged. Times in seconds.

    `plan`, `writes` and `category_id` hold for an `app`; each of `targets` has its own. `repeats` tells that the seed
    was asked for, as one does to repeat an earlier run.
    """

    as_of: date
    seed: int
    targets: tuple[TargetConfig, ...] = ()
    app: str | None = None
    plan: str | None = None
    writes: bool = False
    category_id: int | None = None
    exhaust: bool = False
    max_requests: int = 1200
    max_wait: float = 120.0
    examples: int | None = None
    repeats: bool = False
    strict: bool = False
    dry_run: bool = False
    reports: Path = Path("reports")
    timeout: float = 10.0
    ca_bundle: str | None = None
    waivers: tuple[Waiver, ...] = ()
    given: Mapping[str, object] = field(default_factory=dict)


def configure(options: Mapping[str, Any], environment: Mapping[str, str], *, today: date, seed: int) -> Config:
    """The configuration of a run.

    `options` maps flags without dashes ("max-requests") to their values, absent or None where not given; `today` (UTC)
    and `seed` stand in where none is given. Raises `ConfigError`, whose message shows no key.
    """
    try:
        return _configured(options, environment, today=today, seed=seed)
    except ConfigError as error:
        raise ConfigError(without_keys(str(error), environment)) from None


def _configured(options: Mapping[str, Any], environment: Mapping[str, str], *, today: date, seed: int) -> Config:
    given = {name: value for name, value in options.items() if value not in (None, False)}
    file = _file(given.get("config"))
    _expect_no_key(given, file, environment)
    defaults = _table(file, "defaults", file.name)
    known_defaults = [
        option.flag[2:] for option in OPTIONS if option.flag not in ("--target", "--config", "--app", "--dry-run")
    ]
    for name in defaults:
        _expect_known(name.replace("_", "-"), known_defaults, f"{file.name}: [defaults]")
    merged = _dashed(defaults, f"{file.name}: [defaults]") | given

    def where(name: str) -> str:
        return f"--{name}" if name in given else f"{file.name}: [defaults] {name}"

    def switch(name: str) -> bool:
        return values.switch(merged.get(name, False), where(name))

    config = Config(
        as_of=values.optional_date(merged.get("as-of"), where("as-of")) or today,
        seed=values.whole_number(merged.get("seed"), where("seed"), least=0) if "seed" in merged else seed,
        repeats="seed" in merged,
        app=values.application(merged.get("app")),
        plan=values.plan(merged.get("plan"), where("plan")),
        writes=merged.get("allow-writes") in (True, "*"),
        category_id=values.category(merged.get("category-id"), where("category-id")),
        exhaust=switch("exhaust-rate-limit"),
        max_requests=values.whole_number(merged.get("max-requests", 1200), where("max-requests"), least=1),
        max_wait=values.seconds(merged.get("max-wait", 120), where("max-wait"), zero=True),
        examples=values.whole_number(merged["examples"], where("examples"), least=0) if "examples" in merged else None,
        strict=switch("strict"),
        dry_run=switch("dry-run"),
        timeout=values.seconds(merged.get("timeout", 10), where("timeout")),
        ca_bundle=values.ca_bundle(merged.get("ca-bundle"), where("ca-bundle")),
        targets=_targets(merged, file, environment, insecure=switch("insecure-http")),
        # last, since it makes the folder
        reports=values.folder(merged.get("reports", "reports"), where("reports")),
        given={name: _plain(value) for name, value in sorted(given.items())},
    )
    names = [target.name for target in config.targets] or [REFERENCE if config.app is None else DEFAULT_TARGET]
    return replace(config, waivers=_waivers(file, names))


# ---- the file


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    content: Mapping[str, Any]
    text: str = ""


_LONGEST_FILE = 1_000_000


def _file(given: str | None) -> _File:
    path = Path(given or CONFIG_FILE)
    if given is None and not path.exists():
        return _File(CONFIG_FILE, {})
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST_FILE + 1)
        text = content.decode("utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8, and so no TOML, at byte {error.start}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read ({values.why(error)}); give --config another file") from None
    if len(content) > _LONGEST_FILE:
        raise ConfigError(f"{path}: more than a megabyte, which no {CONFIG_FILE} needs; give --config another file")
    try:
        settings = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {' '.join(str(error).split())}") from None
    for name in settings:
        _expect_known(name, ["targets", "defaults", "waivers"], str(path))
    return _File(str(path), settings, text)


def _dashed(settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Settings by their names with dashes, which a file may write with underscores too."""
    dashed: dict[str, Any] = {}
    for name, value in settings.items():
        if name.replace("_", "-") in dashed:
            raise ConfigError(f"{where}: {name} is set twice, with a dash and with an underscore; keep one")
        dashed[name.replace("_", "-")] = value
    return dashed


def _table(file: _File, name: str, where: str) -> Mapping[str, Any]:
    table = file.content.get(name, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: [{name}] must be a table")
    return table


def _expect_known(name: str, known: Sequence[str], where: str) -> None:
    if name in known:
        return
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    raise ConfigError(f"{where}: unknown setting {name!r}; {hint}")


_TARGET_SETTINGS = ("url", "plan", "allow-writes", "category-id")


def _waivers(file: _File, targets: Sequence[str]) -> tuple[Waiver, ...]:
    rows = file.content.get("waivers", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ConfigError(f"{file.name}: waivers are written as [[waivers]] tables")
    waivers = []
    judged = [entry.id for entry in catalogue().judged]
    in_file = file.content.get("targets", {})
    known_targets = [*in_file, *targets, DEFAULT_TARGET, REFERENCE]
    for number, row in enumerate(rows, 1):
        where = f"{file.name}: waiver {number}"
        for name in row:
            _expect_known(name, ["requirement", "target", "reason", "expires"], where)
        for name in ("requirement", "target", "reason", "expires"):
            if not row.get(name):
                raise ConfigError(
                    f"{where}: `{name}` is missing; a waiver needs requirement, target, reason and expires"
                )
        requirement = str(row["requirement"])
        if requirement not in judged:
            near = difflib.get_close_matches(requirement, judged, n=1)
            hint = f"did you mean {near[0]}?" if near else "`petcheck requirements` lists them"
            raise ConfigError(f"{where}: no requirement {requirement!r}; {hint}")
        target = str(row["target"])
        if in_file and target not in known_targets:
            near = difflib.get_close_matches(target, known_targets, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(in_file)}"
            raise ConfigError(f"{where}: no target {target!r}; {hint}")
        expires = row["expires"]
        if not isinstance(expires, date) or isinstance(expires, datetime):
            expires = values.date_of(str(expires), f"{where}: `expires`")
        waivers.append(Waiver(requirement, target, values.text(row["reason"], f"{where}: `reason`"), expires))
    return tuple(waivers)


# ---- targets


def _targets(
    options: Mapping[str, Any], file: _File, environment: Mapping[str, str], *, insecure: bool
) -> tuple[TargetConfig, ...]:
    in_file = _table(file, "targets", file.name)
    for name, settings in in_file.items():
        if not isinstance(settings, dict) or not isinstance(settings.get("url"), str):
            raise ConfigError(f'{file.name}: target {name!r} needs a table with `url = "https://…/v1"`')
        _expect_name(name, f"{file.name}: target {name!r}")
        for setting in settings:
            _expect_known(setting.replace("_", "-"), _TARGET_SETTINGS, f"{file.name}: [targets.{name}]")
    urls = _named_urls(options.get("target") or [])
    if options.get("app") and urls:
        raise ConfigError("--app and --target exclude each other; give one of them")
    on_command_line = bool(urls)
    if not urls and not options.get("app"):
        urls = {name: settings["url"] for name, settings in in_file.items()}
    writable = options.get("allow-writes", False)
    if not isinstance(writable, bool | str):
        raise ConfigError(
            f"{file.name}: [defaults] allow-writes {writable!r}: must be true, false, or names of targets"
        )
    may_write = [] if isinstance(writable, bool) or writable == "*" else [name.strip() for name in writable.split(",")]
    for name in may_write:
        if name not in urls:
            raise ConfigError(f"--allow-writes={name}: no target has that name; there are {', '.join(urls) or 'none'}")
    targets = []
    for name, url in urls.items():
        settings = _dashed(in_file.get(name, {}), f"{file.name}: [targets.{name}]")
        plan = options.get("plan") or settings.get("plan")
        category = options.get("category-id", settings.get("category-id"))
        where = f"{file.name}: [targets.{name}]"
        targets.append(
            TargetConfig(
                name=name,
                base_url=base_url(url, "--target" if on_command_line else f"{where} url", insecure=insecure),
                key=key_of(name, environment),
                plan=values.plan(plan, f"{where} plan"),
                writes=values.switch(settings.get("allow-writes", False), f"{where} allow-writes")
                or writable in (True, "*")
                or name in may_write,
                category_id=values.category(category, f"{where} category-id"),
            )
        )
    return tuple(targets)


def _named_urls(given: Sequence[str]) -> dict[str, str]:
    urls: dict[str, str] = {}
    for text in given:
        name, equals, url = text.partition("=")
        if not equals or "/" in name or ":" in name:
            name, url = DEFAULT_TARGET, text
        _expect_name(name, f"--target {shown(text)}")
        if name in urls:
            raise ConfigError(
                f"--target {shown(text)}: two targets are called {name!r}; name them, as in --target staging=URL"
            )
        urls[name] = url
    return urls


def _expect_name(name: str, where: str) -> None:
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise ConfigError(f"{where}: a name has letters, digits, - and _ only")


def _expect_no_key(given: Mapping[str, Any], file: _File, environment: Mapping[str, str]) -> None:
    """A key in an option or in the file would end up in the reports, which tell what a run was asked to do."""
    places = [(f"--{name}", str(value)) for name, value in given.items()] + [(file.name, file.text)]
    for where, text in places:
        if any(secret in text or secret in unquote(text) for secret in long_keys(environment)):
            raise ConfigError(f"{where} holds the API key; take it out, {KEY_VARIABLE} is the place for it")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, list | tuple) else value


def utc_today() -> date:
    """Today's date in UTC, which is what the removal day of section 4.3 is measured in."""
    return datetime.now(UTC).date()
