"""Ends a run, whatever the cause: writes the results and sets the exit code."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from petcheck.config.targets import Recorded
from petcheck.errors import ConfigError, NotARun, NotWritten
from petcheck.exchange import Exchange
from petcheck.judging.record import finding_over, grounds_of
from petcheck.judging.rules import RULE
from petcheck.reports import write
from petcheck.reports.write import Product
from petcheck.results import atomic_write
from petcheck.results.attestation import Seal, statement, write_attestation
from petcheck.results.environment import environment
from petcheck.results.manifest import FILE as MANIFEST
from petcheck.results.manifest import manifest, write_manifest
from petcheck.results.recording import read_stream
from petcheck.results.result import Result
from petcheck.runner.reports_folder import DEBUGGING_PAGE
from petcheck.runner.results import RunFacts, TargetReport, assemble, join_reports
from petcheck.runner.session import Session
from petcheck.runner.waivers import update_waivers
from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import openapi_digest
from petcheck.spec.outcomes import Exit


@dataclass
class RunEnd:
    """Ends one run, in the process that writes its reports.

    `workers` are the ids of the processes that run checks for it, and `parts` their pickled `Session.unsent_reports`.
    `lost` is true if a worker died. `product` is None until the result is assembled. `unwritten` are the files that
    could not be written. `seal` signs the attestation; None without a signature. `note` says what happened to the
    waivers, and `waivers_unwritten` why they could not be written.
    """

    run: Session
    seal: Seal | None = None
    workers: set[int] = field(default_factory=set)
    parts: list[bytes] = field(default_factory=list)
    lost: bool = False
    product: Product | None = None
    unwritten: dict[str, Exception] = field(default_factory=dict)
    broken: str | None = None
    note: str | None = None
    waivers_unwritten: str | None = None
    _page: Path | None = None

    def stop_workers(self) -> None:
        """End the workers at once: they have reported their findings, and would continue to send requests."""
        for process in list(self.workers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)

    def finish(self, *, interrupted: bool, cut_short: bool, nothing_selected: bool, runner_broke: bool) -> int:
        """Assemble the result and write it; returns the exit code.

        `cut_short` means that the run stopped at a failure, `runner_broke` that pytest could not end the run.
        """
        by_pytest = "pytest had an internal error" if runner_broke else None
        earlier = self.run.config.earlier
        self.broken = "a worker process died" if self.lost else by_pytest
        facts = RunFacts(
            run=self.run.run,
            started=self.run.started,
            finished=earlier.finished if earlier else datetime.now(UTC),
            interrupted=interrupted or bool(earlier and earlier.interrupted),
            cut_short=cut_short or bool(earlier and not earlier.complete),
            nothing_selected=nothing_selected,
            broken=self.broken,
        )
        order = {name: place for place, name in enumerate(self.run.names)}
        # a copy: a worker may send its last report at any time
        sent = join_reports(part for packed in list(self.parts) for part in pickle.loads(packed))  # noqa: S301 - our own
        reports = sorted([*self.run.reports(), *sent], key=lambda report: order.get(report.name, len(order)))
        stream = self.run.stream
        if facts.interrupted or self._by_another_suite:
            recorded = self._recorded()
            reports = [self._with_record(report, recorded) for report in reports]
        self.product = Product(*self._assembled(facts, reports), stream)
        folder = self.run.config.reports
        try:
            if folder is not None:
                write.write_all(self.product, folder)
        except NotWritten as error:
            self.unwritten |= error.errors
        return self.exit_code(self.product.result.run.exit)

    def _assembled(self, facts: RunFacts, reports: Sequence[TargetReport]) -> tuple[Result, tuple[Exchange, ...]]:
        """The result and its exchanges. With --update-waivers the waivers are revised, and then decide the result."""
        config = self.run.config
        made = assemble(config, catalogue(), openapi_digest(), facts, reports)
        if config.waiver_update is None:
            return made
        try:
            updated = update_waivers(config, config.waiver_update, made[0])
        except ConfigError as error:
            self.waivers_unwritten = str(error)
            return made
        self.note = updated.note
        return assemble(replace(config, waivers=updated.waivers), catalogue(), openapi_digest(), facts, reports)

    @property
    def _by_another_suite(self) -> bool:
        """Whether it judges a recording that may hold more than the checks of this suite ask for."""
        earlier = self.run.config.earlier
        return earlier is not None and earlier.checks is None

    def _recorded(self) -> Mapping[str, Sequence[Exchange]]:
        """Every exchange of the run, by target: those that the reports hold may be a sample."""
        stream = self.run.stream
        with contextlib.suppress(NotARun):
            if stream is not None and stream.trouble is None:
                recording = read_stream(stream.path)
                return {name: recording.of(name) for name in self.run.names}
        return {}

    def _with_record(self, report: TargetReport, recorded: Mapping[str, Sequence[Exchange]]) -> TargetReport:
        """A report with what its record shows beyond its checks.

        Of an interrupted run that is every requirement that no check reached; of a run that another suite made, what
        fails in requests that no check of this one sends, too.
        """
        config = self.run.config
        target = next(target for target in config.targets if target.name == report.name)
        source = target.source
        record = source.exchanges if isinstance(source, Recorded) else recorded.get(report.name, report.exchanges)
        grounds = grounds_of(
            record,
            as_of=config.as_of,
            plan=target.plan,
            category_id=target.category_id,
            writes=target.writes,
            run=self.run.run,
            repeats=config.repeats,
        )
        told = {name for finding in report.findings for name in finding.requirements}
        rules = [one for one in catalogue().judged if one.id in RULE]
        unasked = [one for one in rules if one.id not in told or self._by_another_suite]
        found = [finding_over(one, report.name, record, grounds) for one in unasked]
        shown = tuple(
            finding
            for finding in found
            if finding.outcome == "fail" or (finding.outcome == "pass" and told.isdisjoint(finding.requirements))
        )
        kept = {exchange.index for exchange in report.exchanges}
        kept |= {index for finding in shown for index in finding.exchanges}
        exchanges = tuple(exchange for exchange in record if exchange.index in kept)
        return replace(report, findings=(*report.findings, *shown), exchanges=exchanges)

    def write_manifest(self) -> None:
        """Write manifest.json and the attestation over everything else that the run has written."""
        folder = self.run.config.reports
        if folder is None or self.product is None:
            return
        page = folder / DEBUGGING_PAGE
        written = self._page == page.resolve()
        if not written and DEBUGGING_PAGE not in self.unwritten:
            with contextlib.suppress(OSError):  # of an earlier run
                page.unlink(missing_ok=True)
        write_proof(folder, self.product.result, self.unwritten, [DEBUGGING_PAGE] if written else [], self.seal)

    def append_job_summary(self) -> None:
        """Add the summary to the job's page, if the CI system has one. An error in it does not fail the run."""
        from petcheck.reports import summary
        from petcheck.reports.annotations import job_summary

        path = job_summary(os.environ)
        if path is not None and self.product is not None and self.run.config.reports is not None:
            with contextlib.suppress(Exception), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(summary.render(self.product.result, self.product.evidence))

    @property
    def trouble(self) -> list[str]:
        """What broke the suite, one line each."""
        lines = [f"the suite broke: {self.broken}"] if self.broken else []
        lines += [f"the waivers were not updated: {self.waivers_unwritten}"] if self.waivers_unwritten else []
        folder = self.run.config.reports
        return lines + ([str(write.not_written(folder, self.unwritten))] if folder and self.unwritten else [])

    def exit_code(self, code: int) -> int:
        """`code`, or the exit code for a broken suite."""
        return int(Exit.BROKE) if self.trouble else code

    def take_over_page(self, plugins: Iterable[object], *, unwritten: bool = False) -> object:
        """Write pytest-html's page atomically like the other files, or not at all if `unwritten`.

        By default pytest-html empties the old page before it has a new one. Returns its plugin, None if there is none.
        """
        if "pytest_html" not in sys.modules:
            return None
        from pytest_html.basereport import BaseReport  # type: ignore[import-untyped, unused-ignore]

        page = next((plugin for plugin in plugins if isinstance(plugin, BaseReport)), None)
        if page is not None:
            page._write_report = lambda text: None if unwritten else self._write_page(page._report_path, text)
        return page

    def _write_page(self, path: Path, text: str) -> None:
        try:
            atomic_write.write(path, text)
            self._page = path.resolve()
        except OSError as error:
            self.unwritten[path.name] = error


def write_proof(
    folder: Path,
    result: Result,
    unwritten: dict[str, Exception],
    pages: Sequence[str] = (),
    seal: Seal | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Write manifest.json and the attestation over what a run has written, `pages` besides; the rest is `unwritten`.

    `names` are those files, by default the ones of a run of one recording. Trouble with them is put there too.
    """
    written = [name for name in (*(names or write.names(result)), *pages) if name not in unwritten]
    try:
        made = manifest(folder, written, result, environment())
        write_attestation(folder, statement(made, write_manifest(folder, made), result), seal)
    except OSError as error:
        unwritten[MANIFEST] = error
