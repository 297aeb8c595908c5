"""The waivers and gaps of petcheck.toml: reads them, and what `--update-waivers` asks to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from petcheck.config import values
from petcheck.config.keys import DEFAULT_TARGET
from petcheck.config.settings_file import SettingsFile, expect_known
from petcheck.config.targets import REFERENCE_TARGET
from petcheck.errors import ConfigError
from petcheck.spec.catalogue import catalogue
from petcheck.spec.outcomes import Waiver
from petcheck.words import did_you_mean

_SETTINGS = [each.name for each in fields(Waiver) if each.name != "gap"]
GAPS = "gap"
"""The table of accepted gaps: each has the members of a waiver."""
_UPDATE, _REASON, _EXPIRES = "--update-waivers", "--waiver-reason", "--waiver-expires"


@dataclass(frozen=True, slots=True)
class WaiverUpdate:
    """What `--update-waivers` writes: new waivers have this `reason` and last day, and are in the file `path`."""

    path: Path
    reason: str
    expires: date


def waivers_in(file: SettingsFile, targets: Sequence[str], table: str = "waivers") -> tuple[Waiver, ...]:
    """The waivers of the file, or its gaps with `GAPS` as `table`; `targets` are the run's. Raises `ConfigError`.

    A waiver is for a target of the run or of the file, or for one without its own name.
    """
    rows = file.content.get(table, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ConfigError(f"{file.name}: {table} must be [[{table}]] tables")
    known, kind = [*file.table("targets"), *targets], table.removesuffix("s")
    for number, row in enumerate(rows, 1):
        if (first := rows.index(row) + 1) != number:
            raise ConfigError(f"{file.name}: {kind} {number} is the same as {kind} {first}; remove one")
    return tuple(
        replace(_waiver(row, f"{file.name}: {kind} {number}", known, kind), gap=table == GAPS)
        for number, row in enumerate(rows, 1)
    )


def _waiver(row: Mapping[str, Any], where: str, targets: Sequence[str], kind: str) -> Waiver:
    for name in row:
        expect_known(name, _SETTINGS, where)
    for name in _SETTINGS:
        if not row.get(name):
            raise ConfigError(f"{where}: `{name}` is missing; a {kind} needs requirement, target, reason and expires")
    requirement, judged = str(row["requirement"]), [entry.id for entry in catalogue().judged]
    if requirement not in judged:
        hint = did_you_mean(requirement, judged, "`petcheck requirements` lists them")
        raise ConfigError(f"{where}: no requirement {requirement!r}; {hint}")
    target = str(row["target"])
    if target not in (*targets, DEFAULT_TARGET, REFERENCE_TARGET):
        listed = ", ".join(dict.fromkeys(targets)) or "none"
        hint = did_you_mean(target, targets, f"there are {listed}; name it in [targets], or with --target")
        raise ConfigError(f"{where}: no target {target!r}; {hint}")
    expires = row["expires"]
    if not isinstance(expires, date) or isinstance(expires, datetime):
        expires = values.iso_date(str(expires), f"{where}: `expires`")
    return Waiver(requirement, target, values.text(row["reason"], f"{where}: `reason`"), expires)


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
