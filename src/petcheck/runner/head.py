"""The first line of a run's stream, from its configuration."""

from __future__ import annotations

import random
from datetime import datetime

from petcheck.config.load import Config
from petcheck.results.judge import suite
from petcheck.stream.environment import environment
from petcheck.stream.lines import AgreedWaiver, Head, RunSettings, ShardInfo, TargetSettings


def run_id(config: Config) -> str:
    """The id of a run, 8 characters, drawn from the seed."""
    drawn = random.Random(config.seed).getrandbits(32)  # noqa: S311 - repeatable, not secret
    return f"{drawn:08x}"


def head_of(config: Config, started: datetime) -> Head:
    """What is known about a run before it sends anything."""
    shard = config.shard
    return Head(
        suite=suite(),
        run=run_id(config),
        started=started.replace(microsecond=started.microsecond // 1000 * 1000),
        as_of=config.as_of,
        seed=config.seed,
        options=dict(config.given),
        settings=RunSettings(
            config.max_requests,
            config.max_wait,
            config.examples,
            config.repeats,
            config.strict,
            choice=None if config.choice is None else tuple(sorted(config.choice)),
            populate=config.populate,
            waivers=tuple(
                AgreedWaiver(one.requirement, one.target, one.reason, one.expires.isoformat()) for one in config.waivers
            ),
        ),
        targets=tuple(
            TargetSettings(
                target.name, str(target.source), target.plan, target.writes, target.exhaust, target.category_id
            )
            for target in config.targets
        ),
        environment=environment(),
        shard=None if shard is None else ShardInfo(shard.number, shard.of, shard.targets, shard.list_sha256),
    )
