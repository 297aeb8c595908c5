"""What a recording says of its run's configuration: everything that decides a verdict or is in a file, as JSON.

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
from petcheck.config.options import OPTIONS, Config
from petcheck.config.shards import Shard
from petcheck.config.targets import Source, TargetConfig
from petcheck.errors import ConfigError
from petcheck.spec.outcomes import Waiver

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def settings_of(config: Config) -> dict[str, Json]:
    """What decides a verdict of the run or is in one of its files, by name. It holds no key."""
    targets = [{name: _json(getattr(one, name)) for name in _readers(TargetConfig)} for one in config.targets]
    return {name: _json(getattr(config, name)) for name in _readers(Config)} | {"targets": _json(targets)}


def config_from(settings: Mapping[str, Any], sources: Mapping[str, Source], *, reports: Path | None = None) -> Config:
    """The configuration that has these settings, with targets that are at these `sources` by name.

    It is the opposite of `settings_of`; what only says where things are has its default. Raises `ConfigError` for
    settings that no run records: a member is missing, unknown, or has a value that it cannot have.
    """
    try:
        listed = settings["targets"]
        targets = tuple(TargetConfig(source=sources[one["name"]], **_read(one, TargetConfig)) for one in listed)
        config = Config(targets=targets, reports=reports, **_read(settings, Config))
    except KeyError as error:
        raise ConfigError(f"{_WHERE}: {error} is missing") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f"{_WHERE}: not of this form ({error})") from None
    again = settings_of(config)
    odd = [name for name in {**settings, **again} if name not in again or again[name] != settings.get(name)]
    if odd or not targets:
        raise ConfigError(f"{_WHERE}: {odd[0] if odd else 'targets'}: not as a run records it")
    return config


def _readers(kind: type) -> dict[str, values.Reader]:
    """How each recorded field of a class is read, by name."""
    readers = {option.field: option.read for option in OPTIONS if option.decides and option.read} | _OTHERWISE
    return {each.name: readers[each.name] for each in fields(kind) if each.name in readers}


def _read(settings: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """The values of the recorded fields of a class; None is one where it is the default."""
    optional = {each.name for each in fields(kind) if each.default is None}
    return {
        name: None if settings[name] is None and name in optional else read(settings[name], f"{_WHERE}: {name}")
        for name, read in _readers(kind).items()
    }


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


def _shard(value: Mapping[str, Any], where: str) -> Shard:
    number, of, targets = (values.whole_number(value[name], where, least=1) for name in ("number", "of", "targets"))
    return Shard(number, of, targets, values.text(value["list_sha256"], where))


def _waiver(row: Mapping[str, Any], where: str) -> Waiver:
    requirement, target, reason = (values.text(row[name], where) for name in ("requirement", "target", "reason"))
    return Waiver(requirement, target, reason, values.iso_date(row["expires"], where))


_WHERE = "settings"
# a recorded value is complete, unlike what is given; so these have another form there. The last have no option
_OTHERWISE: dict[str, values.Reader] = {
    "writes": values.switch,
    "choice": lambda ids, where: frozenset(values.text(one, where) for one in ids),
    "shard": _shard,
    "name": values.text,
    "repeats": values.switch,
    "given": lambda value, _: dict(value),
    "waivers": lambda rows, where: tuple(_waiver(row, where) for row in rows),
}
