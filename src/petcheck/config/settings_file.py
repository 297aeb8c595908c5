"""Reads petcheck.toml as tables; only known names are allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petcheck.config.values import why
from petcheck.errors import BadFile, ConfigError
from petcheck.words import did_you_mean

CONFIG_FILE = "petcheck.toml"
LONGEST_FILE = 8_000_000
"""The largest petcheck.toml that is read, in bytes: one of tens of thousands of targets."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The file: its name as the user gave it, its content by table, and its text. `exists` is false for none."""

    name: str
    content: Mapping[str, Any]
    text: str = ""
    exists: bool = True

    def table(self, name: str) -> Mapping[str, Any]:
        """The table with that name, empty if the file has none. Raises `BadFile`."""
        table = self.content.get(name, {})
        if not isinstance(table, dict):
            raise BadFile(f"{self.name}: [{name}] must be a table")
        return table


def read_settings(given: str | None, defaults: Sequence[str] = ()) -> SettingsFile:
    """The file `given`, otherwise `petcheck.toml` in this folder if it exists. Raises `BadFile`.

    `defaults` are the settings that it may have under [defaults].
    """
    path = Path(given or CONFIG_FILE)
    if given is None and not path.exists():
        return SettingsFile(CONFIG_FILE, {}, exists=False)
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST_FILE + 1)
        text = content.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: not UTF-8 at byte {error.start}, so not TOML") from None
    except (OSError, ValueError) as error:
        raise BadFile(f"{path}: cannot be read ({why(error)}); give --config another file") from None
    if len(content) > LONGEST_FILE:
        raise BadFile(f"{path}: larger than 8 MB, which no {CONFIG_FILE} needs; give --config another file")
    try:
        settings = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadFile(f"{path}: not TOML: {' '.join(str(error).split())}") from None
    for name in settings:
        if name.replace("_", "-") in defaults:
            raise BadFile(f"{path}: {name} is a default; put it under [defaults]")
        expect_known(name, ["targets", "defaults", "waivers", "gap"], str(path))
    return SettingsFile(str(path), settings, text)


def known_settings(settings: Mapping[str, Any], known: Sequence[str], where: str) -> dict[str, Any]:
    """The settings by name, with underscores turned into dashes. Raises `BadFile` for one not known or set twice."""
    dashed: dict[str, Any] = {}
    for name, value in settings.items():
        dashes = name.replace("_", "-")
        expect_known(dashes, known, where)
        if dashes in dashed:
            raise BadFile(f"{where}: {name} is set twice, with a dash and with an underscore; keep one")
        dashed[dashes] = value
    return dashed


def expect_known(name: str, known: Sequence[str], where: str, error: type[ConfigError] = BadFile) -> None:
    """Raise an error if `name` is not among the known ones; it suggests the nearest."""
    if name not in known:
        hint = did_you_mean(name, known, f"it must be one of {', '.join(known)}")
        raise error(f"{where}: unknown setting {name!r}; {hint}")
