"""What a run is told: options from the command line, keys from the environment, targets and waivers from a file.

All of it is read, checked and frozen before anything is sent. Whatever is wrong raises `ConfigError` with one line
that says what to do.
"""

from __future__ import annotations

import difflib
import ipaddress
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from petcheck import values
from petcheck.judging.catalogue import catalogue
from petcheck.judging.interface import STATUSES
from petcheck.judging.verdicts import Waiver
from petcheck.key import ApiKey
from petcheck.options import CONFIG_FILE, KEY_VARIABLE, OPTIONS
from petcheck.values import ConfigError

DEFAULT_TARGET = "target"
REFERENCE = "reference"
_TELLING_KEY = 8  # characters; a shorter one may stand in a host name by chance


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

    `plan`, `writes` and `category_id` hold for an `app`; each of `targets` has its own.
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
    and `seed` stand in where none is given. Raises `ConfigError`.
    """
    given = {name: value for name, value in options.items() if value not in (None, False)}
    file = _file(given.get("config"))
    defaults = _table(file, "defaults", file.name)
    known_defaults = [
        option.flag[2:] for option in OPTIONS if option.flag not in ("--target", "--config", "--app", "--dry-run")
    ]
    for name in defaults:
        _expect_known(name.replace("_", "-"), known_defaults, f"{file.name}: [defaults]")
    merged = {name.replace("_", "-"): value for name, value in defaults.items()} | given

    def where(name: str) -> str:
        return f"--{name}" if name in given else f"{file.name}: [defaults] {name}"

    def switch(name: str) -> bool:
        return values.switch(merged.get(name, False), where(name))

    config = Config(
        as_of=values.optional_date(merged.get("as-of"), where("as-of")) or today,
        seed=values.whole_number(merged.get("seed"), where("seed"), least=0) if "seed" in merged else seed,
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


def _file(given: str | None) -> _File:
    path = Path(given or CONFIG_FILE)
    if given is None and not path.exists():
        return _File(CONFIG_FILE, {})
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8, and so no TOML, at byte {error.start}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read ({values.why(error)}); give --config another file") from None
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {' '.join(str(error).split())}") from None
    for name in content:
        _expect_known(name, ["targets", "defaults", "waivers"], str(path))
    return _File(str(path), content)


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
        waivers.append(Waiver(requirement, target, str(row["reason"]), expires))
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
    if not urls and not options.get("app"):
        urls = {name: settings["url"] for name, settings in in_file.items()}
    writable = options.get("allow-writes")
    may_write = [] if writable in (None, False, True, "*") else [name.strip() for name in str(writable).split(",")]
    for name in may_write:
        if name not in urls:
            raise ConfigError(f"--allow-writes={name}: no target has that name; there are {', '.join(urls) or 'none'}")
    targets = []
    for name, url in urls.items():
        settings = {k.replace("_", "-"): v for k, v in in_file.get(name, {}).items()} if name in in_file else {}
        plan = options.get("plan") or settings.get("plan")
        category = options.get("category-id", settings.get("category-id"))
        where = f"{file.name}: [targets.{name}]"
        key = _key(name, environment)
        if len(key.secret) >= _TELLING_KEY and key.secret in url:
            raise ConfigError(
                f"--target {name}: the URL holds the API key; take it out, {KEY_VARIABLE} is the place for it"
            )
        targets.append(
            TargetConfig(
                name=name,
                base_url=_base_url(url, name, insecure=insecure),
                key=key,
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
        _expect_name(name, f"--target {text}")
        if name in urls:
            raise ConfigError(
                f"--target {text}: two targets are called {name!r}; name them, as in --target staging=URL"
            )
        urls[name] = url
    return urls


def _expect_name(name: str, where: str) -> None:
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise ConfigError(f"{where}: a name has letters, digits, - and _ only")


def _base_url(text: str, name: str, *, insecure: bool) -> str:
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f"--target {text}: not a URL ({error}); write it as https://host/v1") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(f"--target {text}: not an http or https URL; write it as https://host/v1")
    if parts.username or parts.password:
        raise ConfigError(f"--target {name}: a URL must not hold a user or password; the key goes into {KEY_VARIABLE}")
    if parts.query or parts.fragment:
        raise ConfigError(f"--target {text}: a base URL has no query and no fragment; end it after the path, as in /v1")
    if any(character.isspace() or not character.isprintable() for character in text.strip()):
        raise ConfigError(f"--target {text!r}: a URL holds no spaces or control characters")
    if parts.scheme == "http" and not insecure and not _loopback(host):
        raise ConfigError(
            f"--target {text}: the key would travel unencrypted; use https, or allow it with --insecure-http"
        )
    return text.strip().rstrip("/")


def _loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# keys are masked wherever they appear; these could not be told from what a target must say anyway
_SHORTEST_KEY, _SHORTEST_NUMBER = 4, 8
_WORDS = (
    *("petcheck", "refused", "id", "name", "categoryId", "status", "code", "message", *STATUSES),
    *("application/json", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Limit", "Content-Type"),
)


def _key(name: str, environment: Mapping[str, str]) -> ApiKey:
    own = f"{KEY_VARIABLE}_{name.upper().replace('-', '_')}"
    variable = own if environment.get(own) else KEY_VARIABLE
    secret = environment.get(variable, "").strip()
    if not secret:
        wanted = KEY_VARIABLE if name == DEFAULT_TARGET else f"{own} or {KEY_VARIABLE}"
        raise ConfigError(f"no API key for target {name!r}: set {wanted} in the environment")
    if not all("!" <= character <= "~" for character in secret):
        raise ConfigError(f"{variable}: a key has printable ASCII characters only, and no spaces")
    if len(secret) < _SHORTEST_KEY or (secret.isdecimal() and len(secret) < _SHORTEST_NUMBER) or _is_a_word(secret):
        raise ConfigError(
            f"{variable}: the key is too short, or a word of the interface, and cannot be masked in the evidence "
            "without spoiling that; use a longer one"
        )
    return ApiKey(secret)


def _is_a_word(secret: str) -> bool:
    return any(secret.lower() in word.lower() for word in _WORDS)


def app_key(environment: Mapping[str, str]) -> ApiKey:
    """The key for an application under --app. Raises `ConfigError` where there is none."""
    return _key(DEFAULT_TARGET, environment)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, list | tuple) else value


def utc_today() -> date:
    """Today's date in UTC, which is what the removal day of section 4.3 is measured in."""
    return datetime.now(UTC).date()
