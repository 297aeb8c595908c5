"""What a run is told: options from the command line, keys from the environment, targets and waivers from a file.

All of it is read, checked and frozen before anything is sent. Whatever is wrong raises `ConfigError` with one line
that says what to do.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from petcheck.judging.catalogue import catalogue
from petcheck.judging.interface import PLANS, STATUSES
from petcheck.judging.jsontext import INT64_MAX, INT64_MIN
from petcheck.judging.verdicts import Waiver
from petcheck.key import ApiKey

KEY_VARIABLE = "PETSTORE_API_KEY"
CONFIG_FILE = "petcheck.toml"
DEFAULT_TARGET = "target"
REFERENCE = "reference"
_TELLING_KEY = 8  # characters; a shorter one may stand in a host name by chance


class ConfigError(Exception):
    """The run cannot start as it was asked for; the message is one line that says what to do."""

    def __init__(self, message: str) -> None:
        words = " ".join(message.split())
        super().__init__("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words))


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the command line: its flag, its argparse settings, and whether it may be repeated."""

    flag: str
    help: str
    metavar: str | None = None
    repeatable: bool = False
    optional_value: bool = False

    @property
    def dest(self) -> str:
        """The attribute under which parsers store it."""
        return "petcheck_" + self.flag.lstrip("-").replace("-", "_")

    def settings(self) -> dict[str, Any]:
        """Keyword arguments for `add_argument` of argparse, and `addoption` of pytest."""
        common: dict[str, Any] = {"dest": self.dest, "help": self.help, "default": None}
        if self.metavar is None:
            return common | {"action": "store_true"}
        if self.optional_value:
            return common | {"metavar": self.metavar, "nargs": "?", "const": "*"}
        return common | {"metavar": self.metavar, "action": "append" if self.repeatable else "store"}


OPTIONS = (
    Option(
        "--target",
        f"a base URL to judge; its key comes from {KEY_VARIABLE}_NAME, else {KEY_VARIABLE}",
        "[NAME=]URL",
        repeatable=True,
    ),
    Option("--app", "an ASGI or WSGI application to judge, served on loopback for the run", "MODULE:APP"),
    Option(
        "--allow-writes",
        "POST may be sent, to all targets or to those named; what it makes stays",
        "NAME,…",
        optional_value=True,
    ),
    Option("--exhaust-rate-limit", "use up the quota to see the 429; runs last"),
    Option("--plan", f"the key's plan: {', '.join(PLANS)}", "PLAN"),
    Option("--as-of", "judge as on that day", "YYYY-MM-DD"),
    Option("--category-id", "a category that exists", "N"),
    Option("--max-requests", "requests to a target at most (1200)", "N"),
    Option("--max-wait", "seconds to wait for a quota at most (120)", "S"),
    Option("--examples", "property examples for each operation (20)", "N"),
    Option("--seed", "the same seed sends the same requests", "N"),
    Option("--strict", "what stays inconclusive or is not run fails the run too"),
    Option("--dry-run", "say what would be sent, and send nothing"),
    Option("--reports", "where to write (reports/)", "DIR"),
    Option("--timeout", "seconds for one exchange in all (10)", "S"),
    Option("--ca-bundle", "a PEM file of certificate authorities to trust", "FILE"),
    Option("--insecure-http", "send the key over http to a host that is not this machine"),
    Option("--config", f"targets, defaults and waivers ({CONFIG_FILE})", "FILE"),
)


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
    examples: int = 20
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
        return _switch(merged.get(name, False), where(name))

    config = Config(
        as_of=_date(merged.get("as-of"), where("as-of")) or today,
        seed=_integer(merged.get("seed"), where("seed"), least=0) if "seed" in merged else seed,
        app=_app(merged.get("app")),
        plan=_plan(merged.get("plan"), where("plan")),
        writes=merged.get("allow-writes") in (True, "*"),
        category_id=_category(merged.get("category-id"), where("category-id")),
        exhaust=switch("exhaust-rate-limit"),
        max_requests=_integer(merged.get("max-requests", 1200), where("max-requests"), least=1),
        max_wait=_seconds(merged.get("max-wait", 120), where("max-wait"), zero=True),
        examples=_integer(merged.get("examples", 20), where("examples"), least=0),
        strict=switch("strict"),
        dry_run=switch("dry-run"),
        timeout=_seconds(merged.get("timeout", 10), where("timeout")),
        ca_bundle=_ca_bundle(merged.get("ca-bundle"), where("ca-bundle")),
        targets=_targets(merged, file, environment, insecure=switch("insecure-http")),
        # last, since it makes the folder
        reports=_folder(merged.get("reports", "reports"), where("reports")),
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
        raise ConfigError(f"{path}: cannot be read ({_why(error)}); give --config another file") from None
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
            expires = _date_of(str(expires), f"{where}: `expires`")
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
                plan=_plan(plan, f"{where} plan"),
                writes=_switch(settings.get("allow-writes", False), f"{where} allow-writes")
                or writable in (True, "*")
                or name in may_write,
                category_id=_category(category, f"{where} category-id"),
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
            f"{variable}: the key is too short, or a word of the interface itself, and cannot be masked in the evidence "
            "without spoiling that; use a longer one"
        )
    return ApiKey(secret)


def _is_a_word(secret: str) -> bool:
    return any(secret.lower() in word.lower() for word in _WORDS)


def app_key(environment: Mapping[str, str]) -> ApiKey:
    """The key for an application under --app. Raises `ConfigError` where there is none."""
    return _key(DEFAULT_TARGET, environment)


# ---- values


def _why(error: Exception) -> str:
    """The reason that an error of the disk gives."""
    return getattr(error, "strerror", None) or str(error)


def _switch(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{where} {value!r}: must be true or false")
    return value


def _plan(text: object, where: str) -> str | None:
    if text is None:
        return None
    plan = str(text).lower()
    if plan not in PLANS:
        near = difflib.get_close_matches(plan, PLANS, n=1)
        raise ConfigError(
            f"{where} {text}: no such plan; {'did you mean ' + near[0] if near else 'there are ' + ', '.join(PLANS)}"
        )
    return plan


def _date(text: object, where: str) -> date | None:
    return None if text is None else _date_of(str(text), where)


def _date_of(text: str, where: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{where} {text}: not a date; write it as YYYY-MM-DD") from None


def _integer(value: object, where: str, *, least: int | None = None) -> int:
    try:
        number = int(str(value))
    except ValueError:
        raise ConfigError(f"{where} {value}: not a whole number") from None
    if least is not None and number < least:
        raise ConfigError(f"{where} {value}: must be {least} or more")
    return number


def _category(value: object, where: str) -> int | None:
    if value is None:
        return None
    number = _integer(value, where)
    if not INT64_MIN <= number <= INT64_MAX:
        raise ConfigError(f"{where} {value}: a category is an int64, from -2^63 to 2^63-1")
    return number


def _seconds(value: object, where: str, *, zero: bool = False) -> float:
    try:
        seconds = float(str(value))
    except ValueError:
        raise ConfigError(f"{where} {value}: not a number of seconds") from None
    if not (0 < seconds < 1e6 or (zero and seconds == 0)):
        raise ConfigError(f"{where} {value}: must be above 0 and below 1000000 seconds")
    return seconds


def _app(value: object) -> str | None:
    if value is None:
        return None
    module, colon, name = str(value).partition(":")
    if not colon or not module or not name:
        raise ConfigError(f"--app {value}: write it as module:application, as in shop.main:app")
    return str(value)


def _ca_bundle(value: object, where: str) -> str | None:
    if value is None:
        return None
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=str(value))
    except ssl.SSLError:
        raise ConfigError(
            f"{where} {value}: holds no certificate; give a PEM file of certificate authorities"
        ) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{where} {value}: cannot be read ({_why(error)}); give a PEM file") from None
    return str(value)


def _folder(value: object, where: str) -> Path:
    folder = Path(str(value))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".petcheck-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{where} {folder}: cannot be written ({_why(error)}); give another folder") from None
    return folder


def _plain(value: object) -> object:
    return list(value) if isinstance(value, list | tuple) else value


def utc_today() -> date:
    """Today's date in UTC, which is what the removal day of section 4.3 is measured in."""
    return datetime.now(UTC).date()
