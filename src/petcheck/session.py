"""A run while it lasts: opens targets when a check first asks for one, collects findings, and closes everything."""

from __future__ import annotations

import importlib
import os
import random
import secrets
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petcheck.announcer import Announcer
from petcheck.assembly import TargetReport
from petcheck.checking import Check
from petcheck.config import REFERENCE, Config, TargetConfig
from petcheck.environment import DEFAULT_TARGET, app_key
from petcheck.exchange import Exchange
from petcheck.forecast import Plan
from petcheck.judging.verdicts import Finding
from petcheck.key import ApiKey
from petcheck.shares import examples_for, shares
from petcheck.target import Target, Untestable
from petcheck.values import ConfigError
from petcheck.wire.api import Api
from petcheck.wire.client import HttpClient
from petcheck.wire.clock import Clock, SystemClock
from petcheck.wire.credentials import random_key_like
from petcheck.wire.transport import Permissions, Transport

if TYPE_CHECKING:
    from petcheck.examples.runner import Examples

REFERENCE_PLAN = "pro"
REFERENCE_WINDOW_S = 3.0


@dataclass
class Session:
    """The targets of a run and what was found out about them. The `announcer`, if any, hears how it goes."""

    config: Config
    announcer: Announcer | None = None
    clock: Clock = field(default_factory=SystemClock)
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.started = datetime.now(UTC)
        self.run = f"{random.Random(self.config.seed).getrandbits(32):08x}"  # noqa: S311 - repeatable, not secret
        self._open: dict[str, Target] = {}
        self._examples: dict[str, Examples] = {}
        self._told: dict[str, tuple[int, int]] = {}
        self._stack = ExitStack()

    @property
    def names(self) -> list[str]:
        """The names of all targets, in the order given."""
        if self.config.targets:
            return [target.name for target in self.config.targets]
        return [DEFAULT_TARGET if self.config.app else REFERENCE]

    def target(self, name: str) -> Target:
        """The target of that name, opened and knocked at when it is first asked for."""
        if name not in self._open:
            target = self._opened(self._config_of(name))
            self._open[name] = target
            target.transport.section = "4.1"
            try:
                target.knock()
            except Untestable as reason:
                target.untestable = target.transport.redacted(str(reason))
        return self._open[name]

    def close(self) -> None:
        """Close connections and stop the servers of this run."""
        self._stack.close()

    def reports(self) -> list[TargetReport]:
        """What there is to say of each target that was opened."""
        return [self._report(target) for target in self._open.values()]

    def news(self) -> list[TargetReport]:
        """What there is to say of each target since the last call: parts that `assembly.joined` puts together."""
        parts = []
        for name, target in self._open.items():
            told = self._told.get(name, (0, 0))
            parts.append(self._report(target, *told))
            self._told[name] = (target.transport.tally.sent, len(self.findings))
        return parts

    def _opened(self, config: TargetConfig) -> Target:
        source = random.Random(f"{self.config.seed}/key")  # noqa: S311 - repeatable, not secret
        told = f"{config.name} (plan {config.plan})" if config.plan else config.name
        client = self._stack.enter_context(HttpClient(deadline=self.config.timeout, ca_bundle=self.config.ca_bundle))
        transport = Transport(
            target=config.name,
            base_url=config.base_url,
            key=config.key,
            permissions=Permissions(config.writes, self.config.max_requests, self.config.max_wait),
            client=client,
            clock=self.clock,
            random_key=random_key_like(config.key, source),
        )
        if self.announcer is not None:
            waiting = self.announcer.waiting
            transport.on_wait = lambda target, seconds, why: waiting(told, seconds, why)
            transport.on_notice = self.announcer.notice
            transport.on_exchange = self._count
        return Target(
            config,
            Api(transport),
            self.run,
            self.config.as_of,
            self.config.seed,
            exhaust=self.exhaust,
            repeats=self.config.repeats,
        )

    def examples_of(self, target: Target) -> Examples:
        """The property examples of a target."""
        from petcheck.examples.runner import Examples

        name = target.config.name
        if name not in self._examples:
            self._examples[name] = Examples(target, examples_for(self.config.examples, writes=target.config.writes))
        return self._examples[name]

    def runs(self, check: Check) -> bool:
        """Whether a check has anything to do: with examples where some are asked for, with sequences of them where
        many are, and only where POST may be sent.
        """
        plan = self.plan_of(check.target)
        share = shares(plan.examples, writes=plan.writes)
        return {"examples": share.total > 0, "sequence": share.sequence_posts > 0}.get(check.stage, True)

    @property
    def exhaust(self) -> bool:
        """Whether the quota may be used up: where it was asked for, and on the embedded server."""
        return self.config.exhaust or self.embedded

    @property
    def embedded(self) -> bool:
        """Whether the run judges the reference server that comes with the suite."""
        return not self.config.targets and not self.config.app

    def plan_of(self, name: str) -> Plan:
        """What a run would do to a target, without opening it."""
        config = next((target for target in self.config.targets if target.name == name), None)
        return Plan(
            target=name,
            base_url=config.base_url if config else self.config.app or "the embedded reference server",
            writes=config.writes if config else self.embedded or self.config.writes,
            exhaust=self.exhaust,
            plan=config.plan if config else self.config.plan or (REFERENCE_PLAN if self.embedded else None),
            max_requests=self.config.max_requests,
            examples=self.config.examples,
        )

    def _config_of(self, name: str) -> TargetConfig:
        for target in self.config.targets:
            if target.name == name:
                return target
        if self.config.app:
            return self._app_config(self.config.app)
        return self._reference_config()

    def _reference_config(self) -> TargetConfig:
        """The embedded reference server, with everything allowed; its minute is shortened."""
        from petcheck.reference.serve import running
        from petcheck.reference.server import ReferenceSettings, create_app

        key = ApiKey(secrets.token_hex(16))
        plan = self.config.plan or REFERENCE_PLAN
        settings = ReferenceSettings(
            keys={key.secret: plan}, window_seconds=REFERENCE_WINDOW_S, as_of=self.config.as_of
        )
        url = self._stack.enter_context(running(create_app(settings)))
        return TargetConfig(REFERENCE, f"{url}/v1", key, plan=plan, writes=True)

    def _app_config(self, app: str) -> TargetConfig:
        """An application of the user's, served on loopback below `/v1`, where it must have its routes."""
        from petcheck.reference.serve import running

        key = app_key(os.environ)
        url = self._stack.enter_context(running(load_app(app)))
        return TargetConfig(
            DEFAULT_TARGET,
            f"{url}/v1",
            key,
            plan=self.config.plan,
            writes=self.config.writes,
            category_id=self.config.category_id,
        )

    def _count(self, exchange: Exchange) -> None:
        if self.announcer is not None:
            self.announcer.sent(exchange.target, exchange.index + 1)

    def _simplified(self, target: Target) -> dict[str, tuple[int, int]]:
        """By requirement, the example that breaks it: the index of its simplest form, and of the one that was found."""
        examples = self._examples.get(target.config.name)
        if examples is None or not examples.sent:
            return {}
        failures = examples.ledger.failures.values()
        return {f.requirement: (f.simplest.index, f.found.index) for f in failures if f.simplest is not f.found}

    def _report(self, target: Target, exchanges_from: int = 0, findings_from: int = 0) -> TargetReport:
        config = target.config
        untestable = target.untestable
        if untestable is None and target.transport.down:
            untestable = (
                f"{config.base_url} stopped answering during the run; check that the server is up, and run again"
            )
        return TargetReport(
            name=config.name,
            base_url=target.transport.redacted(config.base_url),
            plan=config.plan,
            writes=config.writes,
            fingerprint=config.key.fingerprint,
            exchanges=tuple(e for e in target.record if e.index >= exchanges_from),
            tally=target.transport.tally,
            examples=target.examples_sent,
            simplified=self._simplified(target),
            findings=tuple(finding for finding in self.findings[findings_from:] if finding.target == config.name),
            observed=tuple((o.id, o.value, o.exchanges) for o in target.observed.values()),
            left_behind=tuple(target.left_behind(exchanges_from)),
            waited_s=target.transport.waited_s,
            untestable=untestable,
        )


def load_app(spec: str) -> Any:
    """The ASGI application that `module:name` names; a WSGI application is wrapped. Raises `ConfigError`."""
    module_name, _, name = spec.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        app: Any = importlib.import_module(module_name)
        for part in name.split("."):
            app = getattr(app, part)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"--app {spec}: {error}; write it as module:application") from None
    except (Exception, SystemExit) as error:  # whatever its module does when it is imported
        raise ConfigError(
            f"--app {spec}: cannot be imported ({type(error).__name__}: {error}); mend it first"
        ) from None
    if not callable(app):
        raise ConfigError(f"--app {spec}: {name} is no application")
    return app if _is_asgi(app) else _from_wsgi(app)


def _is_asgi(app: Any) -> bool:
    import inspect

    call = app if inspect.isfunction(app) or inspect.ismethod(app) else type(app).__call__
    return inspect.iscoroutinefunction(call) or len(inspect.signature(app).parameters) != 2


def _from_wsgi(app: Any) -> Any:
    from a2wsgi import WSGIMiddleware

    return WSGIMiddleware(app)
