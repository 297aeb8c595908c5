"""Builds a frozen `Config` from options, environment and petcheck.toml, before anything is sent.

Any mistake raises `ConfigError` with one line that says what to do.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from petcheck.config import values
from petcheck.config.choice import chosen, entries_of
from petcheck.config.keys import KEY_VARIABLE, keys_in, long_keys, without_keys
from petcheck.config.options import OPTIONS, Config, Given, Place, WaiverUpdate
from petcheck.config.reach import hidden
from petcheck.config.resolve import resolve_targets
from petcheck.config.settings_file import SettingsFile, known_settings, read_settings
from petcheck.config.targets import Embedded
from petcheck.config.waivers import GAPS, waivers_in
from petcheck.errors import BadValue, ConfigError
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import LIMIT_MAX
from petcheck.wire.credentials import ApiKey
from petcheck.wire.redaction import Redactor

_UPDATE, _REASON, _EXPIRES = "--update-waivers", "--waiver-reason", "--waiver-expires"


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
    command = {name: value for name, value in options.items() if value not in (None, False)}
    known = [option.name for option in OPTIONS if Place.DEFAULTS in option.places]
    file = read_settings(command.get("config"), known)
    _expect_no_key_in_options(command, file, environment)
    where = f"{file.name}: [defaults]"
    given = Given((("--", command), (f"{where} ", known_settings(file.table("defaults"), known, where))))
    _expect_no_key_in_words(given, environment)
    words = given.get("choose", ())
    if words and "failed" in given:
        raise ConfigError("--failed chooses the requirements; leave out either --failed or the ids")
    try:
        targets, shard = resolve_targets(file, environment, given)
    except ConfigError:
        chosen(words)  # a word that nothing is called says more than a target that is missing
        raise
    names = [target.name for target in targets]
    for word in words:
        if word in names and not entries_of(word):
            raise ConfigError(f"{word} is a target; to allow POST there, write --allow-writes={word}")
    if "populate" in given and not any(target.writes for target in targets):
        value = given.get("populate")
        raise ConfigError(f"{given.where('populate')} {value}: creating animals needs --allow-writes")
    settings: dict[str, Any] = {"as_of": today, "seed": seed, "repeats": "seed" in given}
    settings |= {
        "choice": chosen(words),
        "waivers": (*waivers_in(file, names), *waivers_in(file, names, GAPS)),
        "waiver_update": _waiver_update(command, file, today=today),
        "given": {
            name: list(value) if isinstance(value, list | tuple) else value
            for name, value in sorted(hidden(command)[0].items())
        },
    }
    if isinstance(targets[0].source, Embedded):
        settings["populate"] = LIMIT_MAX + 1  # so that nothing stays unexamined
    _expect_enough(given, settings["choice"], settings["as_of"])
    settings |= given.fields(Config)
    if "reports" not in settings:
        settings["reports"] = values.folder("reports", "--reports")
    return Config(targets=targets, shard=shard, **settings)


def _expect_enough(given: Given, choice: frozenset[str] | None, today: date) -> None:
    """Raise `BadValue` if more requirements must be examined than there are."""
    least, day = str(given.get("min-examined", "")), values.iso_date(given.get("as-of", today), given.where("as-of"))
    entries = [entry for entry in catalogue().judged if entry.in_force(day) and not entry.untestable]
    most = sum(choice is None or entry.id in choice for entry in entries)
    if least.strip().isdecimal() and int(least) > most:
        said = f"only {most} can be examined; give {most} or less"
        raise BadValue(f"{given.where('min-examined')} {least}: {said}")


def _expect_no_key_in_options(given: Mapping[str, Any], file: SettingsFile, environment: Mapping[str, str]) -> None:
    """Raise `ConfigError` if an option or the file contains a key: reports repeat the options."""
    places = [(f"--{name}", str(value)) for name, value in given.items()] + [(file.name, file.text)]
    for where, text in places:
        if _has_key(text, environment):
            raise ConfigError(f"{where} contains the API key; remove it and put it into {KEY_VARIABLE}")


def _expect_no_key_in_words(given: Given, environment: Mapping[str, str]) -> None:
    """Raise `ConfigError` if text that reports show has a key, or a part of one, in any form."""
    redactors = [Redactor(ApiKey(secret)) for secret in keys_in(environment) if secret.isascii()]
    for name in (option.name for option in OPTIONS if option.free_text):
        value = given.get(name, ())
        for said in map(str, value if isinstance(value, list | tuple) else [value]):
            if any(redactor.in_text(said) != said for redactor in redactors):
                raise ConfigError(f"{given.where(name)} contains the API key; say something else of what was tested")


def expect_no_key_in_arguments(arguments: Iterable[str], environment: Mapping[str, str]) -> None:
    """Raise `ConfigError` if a word of the command line contains a key: reports repeat those that choose checks."""
    if any(_has_key(argument, environment) for argument in arguments):
        raise ConfigError(f"the command line contains the API key; remove it and put it into {KEY_VARIABLE}")


def _has_key(text: str, environment: Mapping[str, str]) -> bool:
    return any(secret in text or secret in unquote(text) for secret in long_keys(environment))


def _waiver_update(given: Mapping[str, Any], file: SettingsFile, *, today: date) -> WaiverUpdate | None:
    """What the options ask to write, None if they do not. Raises `ConfigError`, also if the file cannot be written."""
    update, reason, expires = (given.get(flag.lstrip("-")) for flag in (_UPDATE, _REASON, _EXPIRES))
    if not update:
        alone = next((flag for flag, value in ((_REASON, reason), (_EXPIRES, expires)) if value is not None), None)
        if alone is not None:
            raise ConfigError(f"{alone}: goes with {_UPDATE}; give both, or neither")
        return None
    if reason is None or expires is None:
        raise ConfigError(f'{_UPDATE}: needs {_REASON} "TEXT" and {_EXPIRES} YYYY-MM-DD for the waivers that it writes')
    if not values.text(reason, _REASON).isprintable():
        raise ConfigError(f"{_REASON}: must be one line of text without control characters")
    last = values.iso_date(str(expires), _EXPIRES)
    if last < today:
        raise ConfigError(
            f"{_EXPIRES} {last}: is in the past, so the waivers would not cover anything; give a later day"
        )
    return WaiverUpdate(_editable(file), reason.strip(), last)


def _editable(file: SettingsFile) -> Path:
    """The path of the file, if waivers can be written into it."""
    from petcheck.config.waivers_file import tables_of  # tomlkit is needed for an update only

    path = Path(file.name)
    values.writable_file(path, f"{_UPDATE} {file.name}")
    tables_of(file)
    return path


def utc_today() -> date:
    """Today's date in UTC, the time zone of the removal day (section 4.3)."""
    return datetime.now(UTC).date()


def drawn_seed() -> int:
    """A seed for a run without `--seed`."""
    return random.SystemRandom().randrange(1, 2**31)
