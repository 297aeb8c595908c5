"""The waivers and gaps of petcheck.toml as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import date, datetime
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
