"""What `--update-waivers` asks to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from petcheck.config import values
from petcheck.config.settings_file import SettingsFile
from petcheck.errors import ConfigError

_UPDATE, _REASON, _EXPIRES = "--update-waivers", "--waiver-reason", "--waiver-expires"


@dataclass(frozen=True, slots=True)
class WaiverUpdate:
    """What `--update-waivers` writes: new waivers have this `reason` and last day, and are in the file `path`."""

    path: Path
    reason: str
    expires: date


def waiver_update(given: Mapping[str, Any], file: SettingsFile, *, today: date) -> WaiverUpdate | None:
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
