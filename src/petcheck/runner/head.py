"""The first line of a run's stream, from its configuration."""

from __future__ import annotations

import random
from dataclasses import fields
from datetime import datetime
from typing import Any, TypeVar

from petcheck.config.options import Config
from petcheck.config.reach import reach_of, shown_headers
from petcheck.config.targets import TargetConfig
from petcheck.results.judge import suite
from petcheck.stream.environment import environment
from petcheck.stream.lines import Head, RunSettings, TargetSettings
from petcheck.stream.typed import in_milliseconds

T = TypeVar("T")


def head_of(config: Config, started: datetime) -> Head:
    """What is known about a run before it sends anything."""
    choice = None if config.choice is None else tuple(sorted(config.choice))
    return Head(
        suite=suite(),
        run=run_id(config.seed),
        started=in_milliseconds(started),
        as_of=config.as_of,
        seed=config.seed,
        options=dict(config.given),
        settings=_recorded(RunSettings, config, seed_given=config.repeats, choice=choice),
        targets=tuple(target_settings(config, one) for one in config.targets),
        environment=environment(),
        shard=config.shard,
        part=config.part,
    )


def run_id(seed: int) -> str:
    """The id of the run with that seed: a run that is repeated names its animals alike."""
    return f"{random.Random(seed).getrandbits(32):08x}"  # noqa: S311 - repeatable, not secret


def target_settings(config: Config, target: TargetConfig) -> TargetSettings:
    """A target as a recording has it, with nothing that is secret."""
    shown = {"headers": shown_headers(target), "reach": reach_of(target, config.ca_bundle)}
    return _recorded(TargetSettings, target, base_url=str(target.source), **shown)


def _recorded(kind: type[T], config: object, **more: Any) -> T:
    """The fields of a class of the stream, which have the names of those of the configuration, and `more`."""
    names = [each.name for each in fields(kind) if hasattr(config, each.name)]  # type: ignore[arg-type]
    return kind(**{name: getattr(config, name) for name in names} | more)
