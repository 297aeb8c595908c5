"""A run in progress: opens each target on first use, writes the stream, and closes everything."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from petcheck.config.options import Config
from petcheck.errors import Inconclusive, Untestable
from petcheck.judging.verdicts import Dropped
from petcheck.runner.dry_run import Forecast, forecasts
from petcheck.runner.head import head_of
from petcheck.runner.opening import Opener
from petcheck.runner.progress import Announcer
from petcheck.runner.schedule import EXAMPLE_STAGES, Check, Schedule
from petcheck.spec.files import suite_file
from petcheck.stream.files import StreamWriter
from petcheck.stream.lines import Ended, Gone, Planned, PlannedCheck
from petcheck.toolkit.budget import examples_for
from petcheck.toolkit.target import Target
from petcheck.wire.clock import Clock

if TYPE_CHECKING:
    from petcheck.properties.examples import Examples


@dataclass
class Session:
    """The targets of a run, and its stream, which gets all that becomes known. The `announcer` shows the progress."""

    config: Config
    announcer: Announcer = field(default_factory=lambda: Announcer(None))
    clock: Clock = field(default_factory=Clock)
    writer: StreamWriter = field(default_factory=lambda: StreamWriter(None))

    def __post_init__(self) -> None:
        self.head = head_of(self.config, self.clock.now())
        self._configs = {target.name: target for target in self.config.targets}
        self._planned: dict[str, list[PlannedCheck]] = {name: [] for name in self._configs}
        self.opened: dict[str, Target] = {}
        self._down: set[str] = set()
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
        """The target with that name, opened and probed on first use."""
        if name not in self.opened:
            opener = Opener(self.config, self.clock, self.announcer, self.writer, self._stack)
            planned = Planned(name, tuple(self._planned[name]))
            self.opened[name] = opener.target(self._configs[name], self.head.run, planned)
        return self.opened[name]

    def examples_of(self, target: Target) -> Examples:
        """The property examples of a target."""
        from petcheck.properties.examples import Examples

        name = target.config.name
        if name not in self._examples:
            self._examples[name] = Examples(target, examples_for(self.config.examples, writes=target.config.writes))
        return self._examples[name]

    def ended(self, check: Check, error: BaseException | None, seconds: float) -> None:
        """Note that a check has ended, with the exception that it raised, if any."""
        target = self.target(check.target)
        sender = target.transport.sender
        dropped = _dropped_by(error)
        if dropped is not None:
            dropped = replace(dropped, reason=sender.redacted(dropped.reason))
        self.writer.write(Ended(check.target, check.id, round(seconds, 6), dropped))
        if target.transport.down and target.untestable is None and check.target not in self._down:
            self._down.add(check.target)
            said = "stopped answering during the run; check that the server is up, and run again"
            self.writer.write(Gone(check.target, sender.redacted(f"{sender.base_url} {said}")))

    def close(self) -> None:
        """Close connections and stop the servers of this run."""
        self._stack.close()

    def forecasts(self, checks: Iterable[Check] = ()) -> list[Forecast]:
        """What the run sends to each target; nothing is opened. `checks` are those that run, if some were chosen."""
        sections = frozenset(check.section for check in checks if check.stage not in EXAMPLE_STAGES)
        return forecasts(self.config, None if self.config.choice is None else sections)


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
