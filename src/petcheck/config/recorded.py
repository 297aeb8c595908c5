"""What a recording says of its run's configuration: everything that decides a verdict or stands in a file, as JSON.

The members of the run and of each target are the options that decide, from the table. Added to them are the waivers,
whether the seed was given, and the options as given, which reports show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

from petcheck.config import values
from petcheck.config.options import OPTIONS, Config, Option
from petcheck.config.shards import Shard
from petcheck.config.targets import Source, TargetConfig
from petcheck.errors import ConfigError
from petcheck.spec.outcomes import Waiver

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def recorded(kind: type) -> dict[str, Option]:
    """The options that decide and are fields of a class, by field."""
    names = {each.name for each in fields(kind)}
    return {option.field: option for option in OPTIONS if option.decides and option.field in names}


def settings_of(config: Config) -> dict[str, Json]:
    """What decides a verdict of the run or stands in one of its files, by name. It holds no key."""
    targets = [
        {"name": target.name} | {name: _json(getattr(target, name)) for name in recorded(TargetConfig)}
        for target in config.targets
    ]
    own = {name: _json(getattr(config, name)) for name in recorded(Config)}
    others = {name: _json(getattr(config, name)) for name in _MORE}
    return own | others | {"targets": _json(targets)}


def config_from(settings: Mapping[str, Any], sources: Mapping[str, Source], *, reports: Path | None = None) -> Config:
    """The configuration that has these settings, with targets that are at these `sources` by name.

    The opposite of `settings_of`: `settings_of(config_from(settings, sources)) == settings`. What only says where
    things are has its default. Raises `ConfigError` for settings that no run has, with the first wrong member.
    """
    try:
        targets = [
            TargetConfig(target["name"], sources[target["name"]], **_fields(target, TargetConfig))
            for target in settings["targets"]
        ]
        more = {name: read(settings[name]) for name, read in _MORE.items()}
        config = Config(targets=tuple(targets), reports=reports, **more, **_fields(settings, Config))
        again = settings_of(config)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f"settings: incomplete, or not of this form ({type(error).__name__}: {error})") from None
    if again != settings:
        odd = next(name for name in {**settings, **again} if again.get(name, ...) != settings.get(name, ...))
        raise ConfigError(f"settings: {odd}: unknown, or not as a run records it")
    return config


def _fields(settings: Mapping[str, Any], kind: type) -> dict[str, Any]:
    return {name: _value(option, settings[name]) for name, option in recorded(kind).items()}


def _value(option: Option, value: Any) -> Any:
    read = _OTHERWISE.get(option.name, option.read)
    return value if value is None or read is None else read(value, f"settings: {option.field}")


def _json(value: Any) -> Any:
    match value:
        case date():
            return value.isoformat()
        case frozenset():
            return sorted(value)
        case Shard() | Waiver():
            return _json(asdict(value))
        case list() | tuple():
            return [_json(each) for each in value]
        case Mapping():
            return {name: _json(each) for name, each in value.items()}
    return value


# options whose recorded value is complete, unlike what is given
_OTHERWISE = {
    "allow-writes": values.switch,
    "choose": lambda ids, where: frozenset(values.text(one, where) for one in ids),
    "shard": lambda shard, _: Shard(**shard),
}
# what is no option and stands in a recording too, and how it is read
_MORE = {
    "repeats": bool,
    "given": dict,
    "waivers": lambda rows: tuple(
        Waiver(**row | {"expires": values.iso_date(row["expires"], "settings: waivers: expires")}) for row in rows
    ),
}
