"""The greatest number of requests of a run, which several pages state."""

from __future__ import annotations

from petcheck.config.load import utc_today
from petcheck.config.options import Config
from petcheck.config.targets import TargetConfig, Url
from petcheck.runner.dry_run import Forecast
from petcheck.wire.credentials import ApiKey


def forecast(*, writes: bool, examples: int | None) -> Forecast:
    """What a run sends to one target at most; `examples` is None for the default."""
    source = Url("https://host/v1", ApiKey("a-key-that-nobody-has"))
    target = TargetConfig("target", source, writes=writes)
    return Forecast(target, Config(utc_today(), 1, (target,), examples=examples))


def most(*, writes: bool) -> str:
    """The most requests of a run with the default number of property examples, whatever the target answers."""
    return str(forecast(writes=writes, examples=None).most)
