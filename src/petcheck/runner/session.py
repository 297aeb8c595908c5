"""A run in progress: opens each target on first use, starts a server if it has none, and writes the stream."""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from petcheck.call import Call
from petcheck.config.keys import without_keys
from petcheck.config.options import Config
from petcheck.config.reach import reach_of, secrets_of
from petcheck.config.targets import App, Embedded, TargetConfig, Url, sharing_quotas
from petcheck.errors import AppFailed, Inconclusive, NotSent, TargetDown, Untestable
from petcheck.exchange import Exchange
from petcheck.judging.verdicts import Dropped
from petcheck.plan.forms import forms_for
from petcheck.plan.together import connections, may_end_a_server
from petcheck.runner import signals
from petcheck.runner.application import Watched, load_app
from petcheck.runner.dry_run import Forecast, forecasts
from petcheck.runner.head import head_of
from petcheck.runner.progress import Announcer
from petcheck.runner.schedule import EXAMPLE_STAGES, Check, Schedule
from petcheck.sanitize import printable_lines
from petcheck.spec.figures import BASE_SEGMENT
from petcheck.spec.files import suite_file
from petcheck.spec.operations import Operation
from petcheck.stream.files import StreamWriter
from petcheck.stream.lines import Ended, Gone, Opened, Planned, PlannedCheck, Waited
from petcheck.toolkit.budget import most_requests
from petcheck.toolkit.feeds import Choice
from petcheck.toolkit.shares import examples_for, shares
from petcheck.toolkit.target import Target
from petcheck.wire.api import Api
from petcheck.wire.client import HttpClient
from petcheck.wire.clock import Clock
from petcheck.wire.credentials import ApiKey, random_key_like
from petcheck.wire.purpose import Purpose
from petcheck.wire.raised import Raised
from petcheck.wire.redaction import Redactor
from petcheck.wire.sender import LiveSender
from petcheck.wire.tally import Permissions, RequestTally
from petcheck.wire.throttle import Limits
from petcheck.wire.transport import Transport

if TYPE_CHECKING:
    from petcheck.properties.examples import Examples

_REFERENCE_ANIMALS = 70  # they fit on a page, with those that the run creates
_USUAL_PATHS = (f"/{BASE_SEGMENT}", f"/api/{BASE_SEGMENT}", "/api", "")


@dataclass
class Session:
    """The targets of a run, and its stream, which gets all that becomes known. The `announcer` shows the progress.

    `limits` are what is known about the servers, by the name of the first target that shares each quota.
    """

    config: Config
    announcer: Announcer = field(default_factory=lambda: Announcer(None))
    clock: Clock = field(default_factory=Clock)
    writer: StreamWriter = field(default_factory=lambda: StreamWriter(None))
    limits: dict[str, Limits] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.head = head_of(self.config, self.clock.now())
        self._configs = {target.name: target for target in self.config.targets}
        self.quotas = sharing_quotas(self.config.targets)
        self._planned: dict[str, list[PlannedCheck]] = {name: [] for name in self._configs}
        self.opened: dict[str, Target] = {}
        self._down: set[str] = set()
        self._sought: dict[str, int] = {}
        self._examples: dict[str, Examples] = {}
        self._stack = ExitStack()

    @property
    def names(self) -> list[str]:
        """The names of all targets, in the order given."""
        return list(self._configs)

    def begin(self, *, elsewhere: bool = False) -> None:
        """Begin the stream; `elsewhere` says that another process of the run has begun its file."""
        (self.writer.keep if elsewhere else self.writer.begin)(self.head)

    def plan(self, checks: Iterable[Check]) -> None:
        """Set the checks of the run, in their order."""
        schedule = Schedule(self.config, self.config.targets)
        for check in checks:
            self._planned[check.target].append(schedule.planned(check))

    def target(self, name: str) -> Target:
        """The target with that name, opened and probed on first use; its `untestable` says why it cannot be tested.

        What petcheck itself breaks with while it opens a target is raised, and the target is on record all the same.
        """
        if name not in self.opened:
            self._open(self._configs[name])
        return self.opened[name]

    def examples_of(self, target: Target) -> Examples:
        """The property examples of a target."""
        from petcheck.properties.examples import Examples

        name = target.config.name
        if name not in self._examples:
            self._examples[name] = Examples(target, examples_for(self.config.examples))
        return self._examples[name]

    def ended(self, check: Check, error: BaseException | None, seconds: float) -> None:
        """Note that a check has ended, with the exception that it raised, if any."""
        target = self.opened[check.target]
        sender = target.transport.sender
        dropped = _dropped_by(error)
        if dropped is not None:
            # what no requirement needs leaves a verdict as it was before the target went down
            outcome = "inconclusive" if isinstance(error, TargetDown) and check.on_top else dropped.outcome
            reason = without_keys(sender.redacted(dropped.reason), os.environ)
            dropped = replace(dropped, outcome=outcome, reason=reason)
        self.writer.write(Ended(check.target, check.id, round(seconds, 6), dropped))
        if target.transport.down and target.untestable is None and check.target not in self._down:
            self._down.add(check.target)
            gone = f"{sender.base_url} {target.transport.down.removeprefix('the target ')}"
            self.writer.write(Gone(check.target, sender.redacted(f"{gone}; start it, and run again")))

    def close(self) -> None:
        """Close connections and stop the servers of this run."""
        self._stack.close()

    def forecasts(self, checks: Iterable[Check] = ()) -> list[Forecast]:
        """What the run sends to each target; nothing is opened. `checks` are those that run, if some were chosen."""
        sections = frozenset(check.section for check in checks if check.stage not in EXAMPLE_STAGES)
        return forecasts(self.config, None if self.config.choice is None else sections)

    # ---- opening

    def door(self, target: TargetConfig) -> Transport:
        """What sends to a target, without a probe. Raises `AppFailed`."""
        return self._transport(target, self._answering(target))

    def _open(self, target: TargetConfig) -> None:
        config, writer = self.config, self.writer
        failed: Exception | None = None
        try:
            sender = self._answering(target)
        except Exception as failure:
            failed, sender = failure, self._absent(target)
        opened = self.opened[target.name] = Target(
            target,
            Api(self._transport(target, sender)),
            self.head.run,
            config.as_of,
            config.seed,
            repeats=config.repeats,
            populate=config.populate,
            choice=Choice(config.choice),
            examples_share=shares(config.examples, writes=target.writes).total,
        )
        sought = self._sought.get(target.name, 0)
        writer.write(Opened(target.name, sender.redacted(sender.base_url), sender.key.fingerprint, sought))
        writer.write(Planned(target.name, tuple(self._planned[target.name])))
        try:
            if failed is not None:
                raise failed
            opened.probe()
        except Untestable as reason:
            opened.untestable = sender.redacted(str(reason))
            if isinstance(target.source, App) and target.source.base_path is None and failed is None:
                opened.untestable += "; if the application has another base path, name it with --base-path"
            writer.write(Gone(target.name, opened.untestable))

    def _transport(self, target: TargetConfig, sender: LiveSender, *, recorded: bool = True) -> Transport:
        config, writer, announcer = self.config, self.writer, self.announcer
        shown_name = f"{target.name} (plan {target.plan})" if target.plan else target.name

        def keep(exchange: Exchange) -> None:
            writer.write(exchange)
            announcer.sent(exchange.target, exchange.index + 1)

        return Transport(
            target=target.name,
            sender=sender,
            permissions=Permissions(
                target.writes,
                config.max_requests,
                config.max_wait,
                connections(config.connections, writes=target.writes),
                config.timeout,
                most_requests(shares(config.examples, writes=target.writes).total, writes=target.writes),
            ),
            time=self.clock,
            on_wait=lambda name, seconds, why: announcer.waiting(shown_name, seconds, why + self.clock.whose),
            on_notice=lambda name, text: announcer.lines([f"{name}: {text}"]),
            on_exchange=keep if recorded else lambda exchange: None,
            formed=forms_for(config.seed, target.name).formed,
            may_end=may_end_a_server,
            undisturbed=signals.held,
            on_waited=lambda name, seconds, why: writer.write(Waited(name, seconds, why)),
            limits=self.limits.setdefault(self.quotas[target.name], Limits()),
            purpose=Purpose("4.1"),
            tally=RequestTally(sought=self._sought.get(target.name, 0)),
        )

    def _answering(self, target: TargetConfig) -> LiveSender:
        """What answers for a target. Raises `AppFailed`."""
        match target.source:
            case Url(base_url, key):
                return self._live(base_url, key, target)
            case Embedded():
                return self._reference(target)
            case App() as source:
                return self._served(source, target)

    def _live(
        self, base_url: str, key: ApiKey, target: TargetConfig, log: Callable[[], Sequence[Raised]] | None = None
    ) -> LiveSender:
        config = self.config
        drawn = random.Random(f"{config.seed}/key")  # noqa: S311 - repeatable, not secret
        client = HttpClient(
            deadline=config.timeout,
            ca_bundle=config.ca_bundle,
            client_cert=target.client_cert,
            client_key=target.client_key,
            proxy=target.proxy,
        )
        return LiveSender(
            base_url,
            key,
            random_key=random_key_like(key, drawn),
            client=self._stack.enter_context(client),
            clock=self.clock,
            log=log,
            headers=target.headers,
            reach=reach_of(target, config.ca_bundle),
            trace=_traceparent if config.traceparent else None,
            secrets=tuple(secrets_of(target)),
        )

    def _reference(self, target: TargetConfig) -> LiveSender:
        """The reference server with a random key, on the clock of the run."""
        from petstore_reference.serve import running
        from petstore_reference.server import ReferenceSettings, create_app

        key = ApiKey(secrets.token_hex(16))
        keys = {key.secret: str(target.plan)}
        settings = ReferenceSettings(keys, animals=_REFERENCE_ANIMALS, as_of=self.config.as_of)
        app = create_app(settings, clock=lambda: self.clock.now().timestamp())
        url = self._stack.enter_context(running(app))
        return self._live(f"{url}/{BASE_SEGMENT}", key, target, lambda: ())

    def _served(self, source: App, target: TargetConfig) -> LiveSender:
        """The user's application. Raises `AppFailed`."""
        from petstore_reference.serve import LateStart, running

        def shown(failure: AppFailed) -> AppFailed:
            message, log = map(Redactor(source.key, *secrets_of(target)).in_text, (str(failure), failure.log))
            self.announcer.lines([f"{source.name} does not start. Its last lines:", *printable_lines(log)])
            return AppFailed(message, log)

        try:
            app = Watched(load_app(source))
        except AppFailed as failure:
            raise shown(failure) from None
        self._stack.enter_context(app.listening())
        try:
            url = self._stack.enter_context(running(app))
        except RuntimeError as error:
            within = error.within if isinstance(error, LateStart) else None
            raise shown(app.not_started(source, within=within)) from None
        sender = self._live(url, source.key, target, app.take)
        sender.base_url = url + (self._mounted(target, sender) if source.base_path is None else source.base_path)
        app.take()
        return sender

    def _mounted(self, target: TargetConfig, sender: LiveSender) -> str:
        """Where an application has the operations: the first usual path that it answers; `/v1` if it answers none.

        What it is asked is paced and counts like every request, and is not recorded.
        """
        url, transport = sender.base_url, self._transport(target, sender, recorded=False)
        for path in _USUAL_PATHS:
            sender.base_url = url + path
            try:
                status = transport.send_once(Call(Operation.LIST_PETS)).status
            except NotSent:  # the first request of the run says the same
                break
            finally:
                self._sought[target.name] = transport.tally.tried
            if status not in (None, 404, 405):
                return path
        return _USUAL_PATHS[0]

    def _absent(self, target: TargetConfig) -> LiveSender:
        """What stands for a server that is not there, such as an application that does not start."""
        source, hidden = target.source, tuple(secrets_of(target))
        key = ApiKey(secrets.token_hex(16)) if isinstance(source, Embedded) else source.key
        return LiveSender(str(source), key, random_key="", client=None, clock=self.clock, secrets=hidden)


def _traceparent() -> str:
    """A new trace, sampled (W3C Trace Context, section 3.2). The seed has no part in it: no two runs share one."""
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


def _dropped_by(error: BaseException | None) -> Dropped | None:
    """What an exception that ended a check left unasked; None if there was none."""
    match error:
        case None:
            return None
        case Inconclusive():
            return Dropped(error.outcome, _sentence(error.reason), error.settled_by)
        case Untestable():
            return Dropped("error", _sentence(str(error)))
    return Dropped(
        "error",
        "The check itself broke, which says nothing about the server. Report this as a bug of petcheck: "
        f"{type(error).__name__}: {error}{_last_own_line(error)}",
    )


def _sentence(text: str) -> str:
    begins = text if "://" in text.partition(" ")[0] else text[:1].upper() + text[1:]
    return begins + ("" if text.endswith(".") else ".")


def _last_own_line(error: BaseException) -> str:
    """The last line of petcheck's own code in the traceback."""
    trace = error.__traceback__
    checks = suite_file("checks")
    last = ""
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if checks in path.parents or "petcheck" in path.parts:
            last = f" ({path.name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return last
