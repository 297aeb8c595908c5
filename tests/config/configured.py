"""Configurations for tests, from options and the text of a petcheck.toml."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from petcheck.config.load import configure
from petcheck.config.options import Config
from petcheck.config.targets import Url
from petcheck.errors import ConfigError
from petcheck.spec.catalogue import catalogue

TODAY = date(2026, 11, 21)
EXAMINED = sum(entry.in_force(TODAY) and not entry.untestable for entry in catalogue().judged)


KEY = {"PETSTORE_API_KEY": "k-123"}


STAGING = "https://staging.example/v1"


def configured(file: str | None = None, *, environment: Mapping[str, str] = KEY, **options: Any) -> Config:
    """The configuration for options (`max_requests=5`) and the text of a petcheck.toml."""
    if file is not None:
        Path("petcheck.toml").write_text(file, encoding="utf-8")
    given = {name.replace("_", "-"): value for name, value in options.items()}
    return configure(given, environment, today=TODAY, seed=7)


def addresses(config: Config) -> list[str]:
    """The base URLs of the targets that were given by URL."""
    return [target.source.base_url for target in config.targets if isinstance(target.source, Url)]


def complaint(file: str | None = None, **how: Any) -> str:
    """The one line that refuses a configuration."""
    with pytest.raises(ConfigError) as refused:
        configured(file, **how)
    message = str(refused.value)
    assert message.splitlines() == [message]
    assert message.isprintable()
    return message
