"""What is given in several places: of each setting counts the first place that has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from petcheck.config.options import OPTIONS


@dataclass(frozen=True, slots=True)
class Given:
    """Settings by name with dashes, in places: each is what begins the name in a message, and what is set there."""

    places: tuple[tuple[str, Mapping[str, Any]], ...]

    def __contains__(self, name: str) -> bool:
        return any(name in settings for _, settings in self.places)

    def get(self, name: str, default: object = None) -> Any:
        """The value of a setting as it was given."""
        return next((settings[name] for _, settings in self.places if name in settings), default)

    def where(self, name: str) -> str:
        """The setting in a message: `--plan`, or `petcheck.toml: [defaults] plan`."""
        return next((place + name for place, settings in self.places if name in settings), f"--{name}")

    def fields(self, kind: type) -> dict[str, Any]:
        """The values of the options that are fields of a class, where they are given. Raises `ConfigError`."""
        names = {each.name for each in fields(kind)}
        return {
            option.field: option.read(self.get(option.name), self.where(option.name))
            for option in OPTIONS
            if option.field in names and option.read is not None and option.name in self
        }
