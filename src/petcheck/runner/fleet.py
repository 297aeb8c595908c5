"""Judges many targets: each in its own process, as a run of that target alone, with its own folder.

What a target's run wrote is complete when it ends; only its outline stays in memory until all are joined.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path

from petcheck.config.load import Config
from petcheck.config.targets import TargetConfig
from petcheck.errors import ConfigError, NotARun, NotWritten
from petcheck.reports import write
from petcheck.reports.write import Product
from petcheck.results.attestation import Seal
from petcheck.results.load import read_result, recording_in
from petcheck.results.manifest import digest_of, read_manifest
from petcheck.results.parts import exit_of_parts, head_in, join, outline, part_of
from petcheck.results.recording import FILE as STREAM
from petcheck.results.recording import Recording, Stream
from petcheck.results.result import FILE, Result, RunInfo
from petcheck.results.sanitize import printable
from petcheck.runner import reports_folder, signals
from petcheck.runner.checks import run_checks
from petcheck.runner.finish import write_proof
from petcheck.runner.judge import judged_again
from petcheck.runner.processes import Processes, Task
from petcheck.runner.progress import Announcer
from petcheck.runner.replay import config_of
from petcheck.runner.results import RunFacts, TargetReport, assemble, run_info
from petcheck.runner.session import run_id
from petcheck.runner.start import Prepared, prepare
from petcheck.spec.catalogue import catalogue
from petcheck.spec.files import openapi_digest
from petcheck.spec.outcomes import Exit

_TROUBLES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the run of one target: its outline, None if it did not come to one, and trouble in one line each."""

    outline: Result | None
    trouble: tuple[str, ...] = ()


@dataclass
class FleetEnd:
    """The end of a run in parts: what its views show, trouble with its reports, and the files that are not written."""

    shown: Product
    trouble: list[str] = field(default_factory=list)
    unwritten: dict[str, Exception] = field(default_factory=dict)

    @property
    def result(self) -> Result:
        """The joined result."""
        return self.shown.result

    @property
    def code(self) -> int:
        """The exit code of the command."""
        return int(Exit.BROKE) if self.trouble else self.result.run.exit


# ---- one target, in its own process


def judge_target(config: Config, options: Sequence[str]) -> Ended:
    """Judge the one target of `config`, and write its reports; `options` are pytest's."""
    _keep_off_the_job()
    if config.reports is not None:
        config.reports.mkdir(parents=True, exist_ok=True)
    try:
        prepared = prepare(config, writes_reports=True)
    except ConfigError as error:
        return Ended(None, (str(error),))
    with contextlib.redirect_stdout(io.StringIO()):
        _, end = run_checks(prepared, [*options, "-q"])
    if end is None or end.product is None:
        return Ended(None)
    return Ended(outline(end.product.result), tuple(end.trouble))


def _keep_off_the_job() -> None:
    """Write nothing to the page of a CI job: the whole run does, and not each target."""
    os.environ.pop("GITHUB_STEP_SUMMARY", None)


def judge_recorded(
    folder: Path,
    name: str,
    reports: Path | None,
    plan: str | None,
    as_of: date | None,
    strict: bool,
    options: Sequence[str],
) -> Ended:
    """Judge one target of the recording in a folder again."""
    _keep_off_the_job()
    if reports is not None:
        reports.mkdir(parents=True, exist_ok=True)
    try:
        alone = only(recording_in(folder), name)
        config = config_of(alone, reports=reports, plan=plan, as_of=as_of, strict=strict)
        again = judged_again(config, lambda: list(options))
    except (NotARun, ConfigError) as error:
        return Ended(None, (str(error),))
    return Ended(outline(again.product.result), again.trouble)


def only(recording: Recording, name: str) -> Recording:
    """The recording of one target alone."""
    result = recording.result
    return Recording(
        replace(
            result,
            targets=tuple(target for target in result.targets if target.name == name),
            requirements=tuple(row for row in result.requirements if row.target == name),
            checks=tuple(row for row in result.checks if row.target == name),
            observations=tuple(row for row in result.observations if row.target == name),
        ),
        recording.of(name),
    )


# ---- all of them


def run_fleet(
    prepared: Prepared, options: Sequence[str], announcer: Announcer, *, processes: int, most_failing: int | None = None
) -> FleetEnd:
    """Judge every target of a run, that many at a time, and write the reports.

    `options` are pytest's. After `most_failing` targets that fail no further one is begun.
    """
    config, folder = prepared.config, prepared.config.reports
    if folder is None:
        raise ValueError("a run in parts writes reports")
    started = datetime.now(UTC)
    found: dict[str, Result] = {}
    trouble: list[str] = []
    try:
        at_work = Processes(processes)
        announcer.expect(len(config.targets))
        alone = {target.name: _alone(config, target) for target in config.targets}
        failing = 0
        for done in at_work.each(Task(name, judge_target, (one, options)) for name, one in alone.items()):
            ended = done.value or Ended(_finished(alone[done.name], started))
            if ended.outline is None and not ended.trouble and not at_work.interrupted:
                ended = _broken(alone[done.name], started, done.error)
            trouble += [f"{done.name}: {line}" for line in ended.trouble]
            if ended.outline is not None:
                found[done.name] = ended.outline
                failing += ended.outline.run.exit == Exit.FAILS
                announcer.sent(done.name, sum(target.requests.total for target in ended.outline.targets))
            announcer.check_done()
            if most_failing is not None and failing >= most_failing:
                at_work.stop()
        announcer.close()
        outlines = [found[name] for name in alone if name in found]
        run = run_info(config, run_id(config), started, datetime.now(UTC), Exit.HOLDS)
        joined = _joined(outlines, run, whole=len(found) == len(alone), interrupted=at_work.interrupted, config=config)
        # the run is over: its reports are written anyway, unless this is the second signal
        with contextlib.nullcontext() if at_work.interrupted else signals.first_calls(lambda: None):
            return write_parts(joined, folder, prepared.seal, trouble)
    finally:
        if prepared.lock is not None:
            prepared.lock.release()


def judge_fleet_again(
    folder: Path, reports: Path | None, plan: str | None, as_of: date | None, options: Sequence[str]
) -> FleetEnd:
    """Judge the recordings of a run in parts; reports are written where they have a folder.

    Raises NotARun, ConfigError where the folder for the reports is in use, and KeyboardInterrupt.
    """
    head = head_in(folder)
    names = [target.name for target in head.targets]
    lock = reports_folder.take(reports) if reports is not None else None
    try:
        at_work = Processes(os.cpu_count() or 1)
        tasks = (
            Task(
                name,
                judge_recorded,
                (part_of(folder, name), name, reports and part_of(reports, name), plan, as_of, False, options),
            )
            for name in names
        )
        found = {done.name: done.value or Ended(None, ("its process died",)) for done in at_work.each(tasks)}
        if at_work.interrupted:
            raise KeyboardInterrupt
        lost = [f"{name}: {line}" for name in names for line in found[name].trouble]
        outlines = [each.outline for each in map(found.__getitem__, names) if each.outline is not None]
        if len(outlines) < len(names):
            raise NotARun(f"{printable(str(folder))} cannot be judged: {'; '.join(lost[:_TROUBLES_SHOWN])}")
        run = replace(
            head.run,
            as_of=outlines[0].run.as_of,
            exit=int(exit_of_parts(outlines, interrupted=False)),
        )
        joined = join(outlines, run, complete=head.complete)
        return write_parts(joined, reports, None, lost) if reports is not None else FleetEnd(Product(joined, ()), lost)
    finally:
        if lock is not None:
            lock.release()


def _alone(config: Config, target: TargetConfig) -> Config:
    """The configuration of a run of one target of a fleet."""
    given: Mapping[str, object] = {name: value for name, value in config.given.items() if name != "shard"}
    listed = given.get("target")
    if isinstance(listed, list):
        given = {**given, "target": [text for text in listed if str(text).partition("=")[0] == target.name]}
    reports = part_of(config.reports, target.name) if config.reports is not None else None
    return replace(config, targets=(target,), reports=reports, shard=None, failed=False, given=given)


def _finished(config: Config, started: datetime) -> Result | None:
    """The outline of a target whose process ended after its last file and before it reported; None if files lack."""
    folder = config.reports
    try:
        if folder is None or read_manifest(folder)["files"].get(FILE, {}).get("sha256") != digest_of(folder / FILE):
            return None
        result = read_result(folder / FILE)
    except (NotARun, OSError):
        return None
    of_this_run = datetime.fromisoformat(result.run.started) >= started
    return outline(result) if of_this_run and result.complete else None


def _broken(config: Config, started: datetime, error: str | None) -> Ended:
    """The end of a run whose process died, or met an error: what it recorded stays, and no requirement is judged."""
    broken = f"its process met an error ({error})" if error else "its process died"
    (target,), folder = config.targets, config.reports
    facts = RunFacts(run_id(config), started, datetime.now(UTC), broken=broken)
    nothing = TargetReport(target.name, str(target.source), target.plan, target.writes, None)
    stream = Stream(folder) if folder is not None and (folder / STREAM).exists() else None
    product = Product(*assemble(config, catalogue(), openapi_digest(), facts, [nothing]), stream)
    unwritten: dict[str, Exception] = {}
    if folder is not None:
        try:
            write.write_all(product, folder)
        except NotWritten as error:
            unwritten |= error.errors
        write_proof(folder, product.result, unwritten)
    return Ended(outline(product.result), (f"the suite broke: {broken}",))


def _joined(outlines: Sequence[Result], run: RunInfo, *, whole: bool, interrupted: bool, config: Config) -> Result:
    code = exit_of_parts(outlines, interrupted=interrupted)
    complete = whole and not interrupted and all(each.complete for each in outlines)
    if not outlines:
        result, _ = assemble(
            config,
            catalogue(),
            openapi_digest(),
            RunFacts(run.id, datetime.fromisoformat(run.started), datetime.fromisoformat(run.finished), True),
            [],
        )
        return result
    return join(outlines, replace(run, exit=int(code)), complete=complete)


def write_parts(joined: Result, folder: Path, seal: Seal | None, trouble: Iterable[str] = ()) -> FleetEnd:
    """Write what joins the targets' reports below `folder`, with its manifest."""
    end = FleetEnd(Product(joined, ()), list(trouble))
    try:
        end.shown = write.joined_product(joined, folder)
    except (NotARun, OSError) as error:  # what a target wrote is gone
        end.trouble.append(printable(str(error), 400))
    with contextlib.suppress(OSError):
        (folder / reports_folder.DEBUGGING_PAGE).unlink()  # of an earlier run, of one recording
    try:
        write.write_joined(end.shown, folder)
    except NotWritten as error:
        end.unwritten |= error.errors
    write_proof(folder, joined, end.unwritten, seal=seal, names=write.joined_names(joined))
    if end.unwritten:
        end.trouble.append(str(write.not_written(folder, end.unwritten)))
    return end
