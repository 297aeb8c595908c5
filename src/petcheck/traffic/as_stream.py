"""Anybody's traffic as a stream, so that it is judged as a run is. Nothing is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from petcheck.exchange import Exchange
from petcheck.results.judge import suite
from petcheck.stream.environment import environment
from petcheck.stream.lines import End, Head, Opened, RunSettings, TargetSettings
from petcheck.stream.stream import Stream, checked
from petcheck.traffic.sorting import TARGET, ForeignTraffic

SETTINGS = RunSettings(0, 0.0, 0, seed_given=False, strict=False, traffic=True)
"""Nothing was sent, so nothing steered it."""


def stream_of(traffic: ForeignTraffic) -> Stream:
    """The stream that traffic comes to, to be judged as on the day of its last exchange."""
    exchanges = traffic.exchanges
    started = exchanges[0].started if exchanges else datetime.fromtimestamp(0, UTC)
    finished = max((one.started + timedelta(seconds=one.elapsed) for one in exchanges), default=started)
    head = Head(
        suite=suite(),
        run=name_of(exchanges),
        started=started,
        as_of=max((one.started for one in exchanges), default=started).date(),
        seed=0,
        options={},
        settings=SETTINGS,
        targets=(TargetSettings(TARGET, traffic.base_url, writes=True),),
        environment=environment(),
    )
    return checked([head, Opened(TARGET, traffic.base_url, traffic.key), *exchanges, End(finished)])


def name_of(exchanges: Sequence[Exchange]) -> str:
    """A name that the same traffic always has."""
    digest = hashlib.sha256()
    for exchange in exchanges:
        digest.update(f"{exchange.started.isoformat()} {exchange.request.url}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:8]
