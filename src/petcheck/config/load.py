"""Builds a frozen `Config` from options, environment and petcheck.toml, before anything is sent.

Any mistake raises `ConfigError` with one line that says what to do.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from petcheck.config import values
from petcheck.config.choice import chosen, entries_of
from petcheck.config.keys import long_keys, without_keys
from petcheck.config.options import KEY_VARIABLE, OPTIONS
from petcheck.config.settings_file import SettingsFile, expect_known, read_settings, with_dashes
from petcheck.config.shards import Shard
from petcheck.config.targets import TargetConfig, resolve_targets
from petcheck.config.waivers import WaiverUpdate, waiver_update, waivers_in
from petcheck.errors import ConfigError
from petcheck.spec.outcomes import Waiver

# settings that make no sense as a default for every run
_NO_DEFAULTS = (
    *("--sign-key", "--target", "--config", "--app", "--factory", "--base-path", "--dry-run", "--choose", "--failed"),
    "--shard",
    *("--update-waivers", "--waiver-reason", "--waiver-expires"),
)


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a run. `targets` are complete, and at least one. Times are in seconds.

    `choice` are the entries of the catalogue that the run judges; None for all of them. `failed` chooses what failed in
    the last run. `populate` is the number of animals that a target which may be written to is to have; None if none are
    created for that. `given` are the options as given, by flag without dashes. `repeats` is true if the seed was given,
    as one does to repeat an earlier run. `reports` is None in a run that writes nothing. `waiver_update` is None in a
    run that leaves the waivers alone. `shard` is the
    part of the list of targets that `targets` are.
    """

    as_of: date
    seed: int
    targets: tuple[TargetConfig, ...]
    choice: frozenset[str] | None = None
    failed: bool = False
    populate: int | None = None
    max_requests: int = 1200
    max_wait: float = 120.0
    examples: int | None = None
    repeats: bool = False
    strict: bool = False
    dry_run: bool = False
    reports: Path | None = Path("reports")
    sign_key: Path | None = None
    timeout: float = 10.0
    ca_bundle: str | None = None
    waivers: tuple[Waiver, ...] = ()
    waiver_update: WaiverUpdate | None = None
    given: Mapping[str, object] = field(default_factory=dict)
    shard: Shard | None = None


def configure(options: Mapping[str, Any], environment: Mapping[str, str], *, today: date, seed: int) -> Config:
    """The configuration of a run.

    `options` maps flags without dashes ("max-requests") to their values, absent or None if not given; `today` (UTC)
    and `seed` are used if the options give none. Raises `ConfigError`, whose message shows no key.
    """
    try:
        return _configured(options, environment, today=today, seed=seed)
    except ConfigError as error:
        raise type(error)(without_keys(str(error), environment)) from None


def _configured(options: Mapping[str, Any], environment: Mapping[str, str], *, today: date, seed: int) -> Config:
    given = {name: value for name, value in options.items() if value not in (None, False)}
    file = read_settings(given.get("config"))
    _expect_no_key(given, file, environment)
    defaults = file.table("defaults")
    known_defaults = [option.flag[2:] for option in OPTIONS if option.flag not in _NO_DEFAULTS]
    for name in defaults:
        expect_known(name.replace("_", "-"), known_defaults, f"{file.name}: [defaults]")
    merged = with_dashes(defaults, f"{file.name}: [defaults]") | given
    if "choose" in given and "failed" in given:
        raise ConfigError("--failed chooses the requirements; leave out either --failed or the ids")

    def where(name: str) -> str:
        return f"--{name}" if name in given else f"{file.name}: [defaults] {name}"

    def switch(name: str) -> bool:
        return values.switch(merged.get(name, False), where(name))

    targets, shard = resolve_targets(
        file,
        environment,
        urls=merged.get("target") or [],
        app=values.application(merged.get("app")),
        writes=merged.get("allow-writes", False),
        plan=values.plan(merged.get("plan"), where("plan")),
        category_id=values.category(merged.get("category-id"), where("category-id")),
        exhaust=switch("exhaust-rate-limit"),
        insecure=switch("insecure-http"),
        shard=merged.get("shard"),
        factory=switch("factory"),
        base_path=values.path(merged.get("base-path"), where("base-path")),
    )
    for word in merged.get("choose") or ():
        if word in {target.name for target in targets} and not entries_of(word):
            raise ConfigError(f"{word} is a target; to allow POST there, write --allow-writes={word}")
    return Config(
        as_of=values.iso_date(str(merged["as-of"]), where("as-of")) if "as-of" in merged else today,
        seed=values.whole_number(merged["seed"], where("seed"), least=0) if "seed" in merged else seed,
        repeats="seed" in merged,
        failed=switch("failed"),
        populate=_populate(merged.get("populate"), where("populate"), targets),
        max_requests=values.whole_number(merged.get("max-requests", 1200), where("max-requests"), least=1),
        max_wait=values.seconds(merged.get("max-wait", 120), where("max-wait"), zero=True),
        examples=values.whole_number(merged["examples"], where("examples"), least=0) if "examples" in merged else None,
        strict=switch("strict"),
        dry_run=switch("dry-run"),
        sign_key=Path(str(merged["sign-key"])) if "sign-key" in merged else None,
        timeout=values.seconds(merged.get("timeout", 10), where("timeout")),
        ca_bundle=values.ca_bundle(merged.get("ca-bundle"), where("ca-bundle")),
        targets=targets,
        shard=shard,
        choice=chosen(merged.get("choose") or ()),
        waivers=waivers_in(file, [target.name for target in targets]),
        waiver_update=waiver_update(given, file, today=today),
        # last, since it creates the folder
        reports=values.folder(merged.get("reports", "reports"), where("reports")),
        given={
            name: list(value) if isinstance(value, list | tuple) else value for name, value in sorted(given.items())
        },
    )


def _populate(value: object, where: str, targets: Sequence[TargetConfig]) -> int | None:
    if value is None:
        return None
    if not any(target.writes for target in targets):
        raise ConfigError(f"{where} {value}: creating animals needs --allow-writes")
    return values.whole_number(value, where, least=1)


def _expect_no_key(given: Mapping[str, Any], file: SettingsFile, environment: Mapping[str, str]) -> None:
    """Raise `ConfigError` if an option or the file contains a key: reports repeat the options."""
    places = [(f"--{name}", str(value)) for name, value in given.items()] + [(file.name, file.text)]
    for where, text in places:
        if any(secret in text or secret in unquote(text) for secret in long_keys(environment)):
            raise ConfigError(f"{where} contains the API key; remove it and put it into {KEY_VARIABLE}")


def utc_today() -> date:
    """Today's date in UTC, the time zone of the removal day (section 4.3)."""
    return datetime.now(UTC).date()


def drawn_seed() -> int:
    """A seed for a run without `--seed`."""
    return random.SystemRandom().randrange(1, 2**31)
