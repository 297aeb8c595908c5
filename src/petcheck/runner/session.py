"""A run in progress: opens each target on first use, collects findings, and closes everything."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from petcheck.config.load import Config
from petcheck.judging.verdicts import Finding
from petcheck.results.recording import Stream
from petcheck.runner.dry_run import Forecast
from petcheck.runner.progress import Announcer
from petcheck.runner.results import TargetReport, head
from petcheck.runner.schedule import EXAMPLE_STAGES, Check
from petcheck.runner.targets import open_target
from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import openapi_digest
from petcheck.toolkit.budget import examples_for
from petcheck.toolkit.feeds import Choice
from petcheck.toolkit.target import Target
from petcheck.wire.clock import Clock
from petcheck.wire.replay import RecordedSender

if TYPE_CHECKING:
    from petcheck.properties.examples import Examples


def run_id(config: Config) -> str:
    """The id of a run, 8 characters: that of the run that is judged again, or one drawn from the seed."""
    drawn = random.Random(config.seed).getrandbits(32)  # noqa: S311 - repeatable, not secret
    return config.earlier.id if config.earlier else f"{drawn:08x}"


@dataclass
class Session:
    """The targets of a run and the findings about them. The `announcer` shows the progress.

    The `stream` gets every exchange at once; it is None in a run that writes nothing.
    """

    config: Config
    announcer: Announcer = field(default_factory=lambda: Announcer(None))
    clock: Clock = field(default_factory=Clock)
    stream: Stream | None = None

    def __post_init__(self) -> None:
        earlier = self.config.earlier
        self.started = earlier.started if earlier else datetime.now(UTC)
        self.run = run_id(self.config)
        self._configs = {target.name: target for target in self.config.targets}
        self._open: dict[str, Target] = {}
        self._findings: defaultdict[str, list[Finding]] = defaultdict(list)
        self._examples: dict[str, Examples] = {}
        self._sent: dict[str, tuple[int, int]] = {}
        self._stack = ExitStack()

    @property
    def names(self) -> list[str]:
        """The names of all targets, in the order given."""
        return list(self._configs)

    def target(self, name: str) -> Target:
        """The target with that name, opened and probed on first use."""
        if name not in self._open:
            self._open[name] = open_target(
                self._configs[name],
                self.config,
                self.run,
                stack=self._stack,
                clock=self.clock,
                announcer=self.announcer,
                stream=self.stream,
            )
        return self._open[name]

    def examples_of(self, target: Target) -> Examples:
        """The property examples of a target."""
        from petcheck.properties.examples import Examples

        name = target.config.name
        if name not in self._examples:
            self._examples[name] = Examples(target, examples_for(self.config.examples, writes=target.config.writes))
        return self._examples[name]

    def begin(self) -> None:
        """Begin the stream, in the process that began the run."""
        if self.stream is not None:
            self.stream.begin(head(self.config, catalogue(), openapi_digest(), self.run, self.started))

    def add(self, finding: Finding) -> None:
        """Keep the finding of a check."""
        self._findings[finding.target].append(finding)

    def close(self) -> None:
        """Close connections and stop the servers of this run. What else a recording holds is put on record."""
        for target in self._open.values():
            if isinstance(target.transport.sender, RecordedSender):
                for exchange in target.transport.sender.rest():
                    target.transport.keep(exchange)
        self._stack.close()

    def forecasts(self, checks: Iterable[Check] = ()) -> list[Forecast]:
        """What the run sends to each target; nothing is opened. `checks` are those that run, if some were chosen."""
        config, choice = self.config, Choice(self.config.choice)
        sections = frozenset(check.section for check in checks if check.stage not in EXAMPLE_STAGES)
        of = None if config.choice is None else sections
        return [
            Forecast(target, config.max_requests, config.examples, choice, of, config.populate)
            for target in config.targets
        ]

    def reports(self) -> list[TargetReport]:
        """All findings about each target that was opened."""
        return [self._report(name) for name in self._open]

    def unsent_reports(self, *names: str) -> list[TargetReport]:
        """The findings since the last call about those targets, or about all; `join_reports` joins the parts."""
        reports = []
        for name in names or self._open:
            if name not in self._open:
                continue
            now = self._open[name].transport.tally.sent, len(self._findings[name])
            before = self._sent.get(name)
            if now != before:
                reports.append(self._report(name, *(before or (0, 0))))
                self._sent[name] = now
        return reports

    def _report(self, name: str, first_exchange: int = 0, first_finding: int = 0) -> TargetReport:
        target, config = self._open[name], self._configs[name]
        transport, untestable = target.transport, target.untestable
        if untestable is None and transport.down:
            untestable = (
                f"{transport.base_url} stopped answering during the run; check that the server is up, and run again"
            )
        return TargetReport(
            name=name,
            base_url=transport.redacted(transport.base_url),
            plan=config.plan,
            writes=config.writes,
            fingerprint=transport.sender.fingerprint,
            exhaust=config.exhaust,
            category_id=config.category_id,
            exchanges=tuple(exchange for exchange in target.record if exchange.index >= first_exchange),
            tally=transport.tally,
            examples=target.examples_sent,
            simplified=self._simplified(name),
            findings=tuple(self._findings[name][first_finding:]),
            observed=tuple(target.observed.values()),
            left_behind=tuple(target.left_behind(first_exchange)),
            waited_s=transport.waited_s,
            untestable=untestable,
        )

    def _simplified(self, name: str) -> dict[str, tuple[int, int]]:
        """The example that breaks each requirement: the indices of its simplest and of its first form."""
        examples = self._examples.get(name)
        if examples is None or not examples.sent:
            return {}
        failures = examples.ledger.failures.values()
        return {f.requirement: (f.simplest.index, f.found.index) for f in failures if f.simplest is not f.found}
