"""The first line of a run's stream, from its configuration."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from petcheck.config.options import Config
from petcheck.config.recorded import settings_of
from petcheck.results.judge import suite
from petcheck.stream.environment import environment
from petcheck.stream.lines import Head, RunSettings, ShardInfo, TargetSettings
from petcheck.stream.typed import field_names, typed

T = TypeVar("T")


def run_id(config: Config) -> str:
    """The id of a run, 8 characters, drawn from the seed."""
    drawn = random.Random(config.seed).getrandbits(32)  # noqa: S311 - repeatable, not secret
    return f"{drawn:08x}"


def head_of(config: Config, started: datetime) -> Head:
    """What is known about a run before it sends anything."""
    recorded = settings_of(config)
    return Head(
        suite=suite(),
        run=run_id(config),
        started=started.replace(microsecond=started.microsecond // 1000 * 1000),
        as_of=config.as_of,
        seed=config.seed,
        options=dict(config.given),
        settings=_of(RunSettings, recorded | {"seed_given": config.repeats}),
        targets=tuple(
            _of(TargetSettings, settings | {"base_url": str(target.source)})
            for settings, target in zip(recorded["targets"], config.targets, strict=True)
        ),
        environment=environment(),
        shard=None if config.shard is None else _of(ShardInfo, recorded["shard"]),
    )


def _of(kind: type[T], recorded: Mapping[str, Any]) -> T:
    """The recorded settings that a class has fields for."""
    return typed(kind, {name: recorded[name] for name in field_names(kind) if name in recorded})
