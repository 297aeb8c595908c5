"""Anybody's traffic as a run: its configuration and its end. Nothing is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from petcheck.config.load import Config, EarlierRun
from petcheck.config.targets import Recorded, TargetConfig
from petcheck.errors import NotWritten
from petcheck.exchange import Exchange
from petcheck.reports import write
from petcheck.reports.write import Product
from petcheck.runner.finish import write_proof
from petcheck.runner.results import RunFacts, TargetReport, assemble
from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import openapi_digest
from petcheck.traffic.judging import findings_of, refused_everywhere
from petcheck.traffic.sorting import TARGET, Traffic
from petcheck.wire.tally import RequestTally


def config_of_traffic(traffic: Traffic, *, reports: Path | None, plan: str | None, as_of: date | None) -> Config:
    """The configuration that judges traffic; without `as_of`, as on the day of its last exchange."""
    exchanges = traffic.exchanges
    started = exchanges[0].started if exchanges else datetime.fromtimestamp(0, UTC)
    finished = max((one.started + timedelta(seconds=one.elapsed) for one in exchanges), default=started)
    return Config(
        as_of=as_of or finished.date(),
        seed=0,
        targets=(TargetConfig(TARGET, Recorded(traffic.base_url, traffic.key, exchanges), plan, writes=True),),
        examples=0,
        reports=reports,
        earlier=EarlierRun(_name_of(exchanges), started, finished, True, False, None, traffic=True),
    )


def judged_traffic(config: Config) -> tuple[Product, tuple[str, ...]]:
    """What traffic comes to, and trouble with its reports, which are written where they have a folder."""
    earlier = config.earlier
    if earlier is None:
        raise ValueError("traffic is of an earlier run")
    reports = [_report(target, config) for target in config.targets]
    facts = RunFacts(earlier.id, earlier.started, earlier.finished)
    product = Product(*assemble(config, catalogue(), openapi_digest(), facts, reports))
    if config.reports is None:
        return product, ()
    unwritten: dict[str, Exception] = {}
    try:
        write.write_all(product, config.reports)
    except NotWritten as error:
        unwritten |= error.errors
    write_proof(config.reports, product.result, unwritten)
    return product, (str(write.not_written(config.reports, unwritten)),) if unwritten else ()


def _report(target: TargetConfig, config: Config) -> TargetReport:
    source = target.source
    exchanges = source.exchanges if isinstance(source, Recorded) else ()
    tally = RequestTally()
    for exchange in exchanges:
        tally.count(exchange)
    untestable = refused_everywhere(exchanges)
    findings = findings_of(exchanges, catalogue(), target=target.name, as_of=config.as_of, plan=target.plan)
    return TargetReport(
        name=target.name,
        base_url=str(source),
        plan=target.plan,
        writes=target.writes,
        fingerprint=source.key if isinstance(source, Recorded) else None,
        exchanges=exchanges,
        tally=tally,
        findings=() if untestable else findings,
        untestable=untestable,
    )


def _name_of(exchanges: Sequence[Exchange]) -> str:
    """A name that the same traffic always has."""
    digest = hashlib.sha256()
    for exchange in exchanges:
        digest.update(f"{exchange.started.isoformat()} {exchange.request.url}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:8]
