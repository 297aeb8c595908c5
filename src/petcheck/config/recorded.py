"""What a recording says of its run's configuration: everything that decides a verdict or is in a file, as JSON.

The members of the run and of each target are the options that decide, from the table. Added to them are the waivers,
whether the seed was given, and the options as given, which reports show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import date
from typing import Any

from petcheck.config.options import OPTIONS, Config
from petcheck.config.shards import Shard
from petcheck.config.targets import TargetConfig
from petcheck.spec.outcomes import Waiver


def settings_of(config: Config) -> dict[str, Any]:
    """What decides a verdict of the run or is in one of its files, by name. It holds no key."""
    targets = [{name: _json(getattr(one, name)) for name in _recorded(TargetConfig)} for one in config.targets]
    return {name: _json(getattr(config, name)) for name in _recorded(Config)} | {"targets": _json(targets)}


def _recorded(kind: type) -> list[str]:
    """The recorded fields of a class: those of the options that decide, and those that no option has."""
    names = {option.field for option in OPTIONS if option.decides} | _WITHOUT_OPTION
    return [each.name for each in fields(kind) if each.name in names]


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


_WITHOUT_OPTION = {"name", "writes", "choice", "shard", "repeats", "given", "waivers"}
