"""Opens the targets of a run: starts a server if the target has none, and connects to it."""

from __future__ import annotations

import importlib
import random
import secrets
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from petcheck.config.load import Config
from petcheck.config.targets import App, Embedded, Recorded, TargetConfig, Url
from petcheck.errors import BadApp, Untestable
from petcheck.exchange import Exchange
from petcheck.results.recording import Stream
from petcheck.runner.asgi import as_asgi
from petcheck.runner.progress import Announcer
from petcheck.spec.figures import BASE_SEGMENT
from petcheck.toolkit.budget import shares
from petcheck.toolkit.feeds import Choice
from petcheck.toolkit.target import Target
from petcheck.wire.api import Api
from petcheck.wire.client import HttpClient
from petcheck.wire.clock import Clock
from petcheck.wire.credentials import ApiKey, random_key_like
from petcheck.wire.replay import RecordedClock, RecordedSender
from petcheck.wire.sender import LiveSender, Sender
from petcheck.wire.transport import Permissions, Transport

_REFERENCE_WINDOW_S = 3.0  # the embedded server's minute, shortened


def open_target(
    target: TargetConfig,
    config: Config,
    run: str,
    *,
    stack: ExitStack,
    clock: Clock,
    announcer: Announcer,
    stream: Stream | None,
) -> Target:
    """Open a target and probe it once; if it cannot be tested, its `untestable` says why.

    `run` is the run's id. `stack` closes its connections and stops its server. `stream` gets what it says.
    """
    sender, clock = _answering(target, config, stack, clock)
    if stream is not None:
        stream.target(target.name, sender.redacted(sender.base_url), sender.fingerprint)

    def keep(exchange: Exchange) -> None:
        if stream is not None:
            stream.exchange(exchange)
        announcer.sent(exchange.target, exchange.index + 1)

    shown_name = f"{target.name} (plan {target.plan})" if target.plan else target.name
    transport = Transport(
        target=target.name,
        sender=sender,
        permissions=Permissions(target.writes, config.max_requests, config.max_wait),
        clock=clock,
        on_wait=lambda name, seconds, why: announcer.waiting(shown_name, seconds, why),
        on_notice=announcer.notice,
        on_exchange=keep,
        section="4.1",
    )
    opened = Target(
        target,
        Api(transport),
        run,
        config.as_of,
        config.seed,
        repeats=config.repeats,
        choice=Choice(config.choice),
        examples_share=shares(config.examples, writes=target.writes).total,
    )
    try:
        opened.probe()
    except Untestable as reason:
        opened.untestable = transport.redacted(str(reason))
    return opened


def _answering(target: TargetConfig, config: Config, stack: ExitStack, clock: Clock) -> tuple[Sender, Clock]:
    """What answers for a target, and the clock that goes with it."""
    match target.source:
        case Recorded(base_url, fingerprint, exchanges):
            return RecordedSender(base_url, fingerprint, exchanges), RecordedClock(next(iter(exchanges), None))
        case source:
            base_url, key = _started(source, target, config, stack)
    drawn = random.Random(f"{config.seed}/key")  # noqa: S311 - repeatable, not secret
    client = stack.enter_context(HttpClient(deadline=config.timeout, ca_bundle=config.ca_bundle))
    return LiveSender(base_url, key, random_key_like(key, drawn), client, clock), clock


def _started(
    source: Url | App | Embedded, target: TargetConfig, config: Config, stack: ExitStack
) -> tuple[str, ApiKey]:
    """The base URL and the key of a server; it runs until `stack` is closed, where the run has to start one."""
    match source:
        case Url(base_url, key):
            return base_url, key
        case App(name, key):
            app = load_app(name)
        case Embedded():
            from petcheck.reference.server import ReferenceSettings, create_app

            key = ApiKey(secrets.token_hex(16))
            app = create_app(
                ReferenceSettings(
                    keys={key.secret: str(target.plan)}, window_seconds=_REFERENCE_WINDOW_S, as_of=config.as_of
                )
            )
    from petcheck.reference.serve import running

    return f"{stack.enter_context(running(app))}/{BASE_SEGMENT}", key


@cache
def load_app(spec: str) -> Any:
    """The application `module:name`, loaded once; WSGI is wrapped as ASGI. Raises `BadApp`."""
    module_name, _, name = spec.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        app: Any = importlib.import_module(module_name)
        for part in name.split("."):
            app = getattr(app, part)
    except (ImportError, AttributeError) as error:
        raise BadApp(f"--app {spec}: {error}; write it as module:application") from None
    except (Exception, SystemExit) as error:  # the module may do anything when it is imported
        raise BadApp(f"--app {spec}: cannot be imported ({type(error).__name__}: {error}); fix that first") from None
    if not callable(app):
        raise BadApp(f"--app {spec}: {name} is not an application")
    return as_asgi(app)
