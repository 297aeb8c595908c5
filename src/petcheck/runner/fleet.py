"""Judges many targets: each in its own process, as a run of that target alone, with its own folder.

What a target's run wrote is complete when it ends; only its outline stays in memory until all are joined.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from petcheck.config.options import Config
from petcheck.config.targets import TargetConfig, sharing_quotas
from petcheck.errors import ConfigError, NotARun
from petcheck.reports.outputs import Material, material_of_parts
from petcheck.results.judge import judge
from petcheck.results.load import recording_in
from petcheck.results.manifest import entry_of_part
from petcheck.results.parts import joined, outline, part_of
from petcheck.results.proof import NOBODY, Witnesses
from petcheck.results.result import Result
from petcheck.runner import reports_folder, signals
from petcheck.runner.head import head_of
from petcheck.runner.processes import Processes, Task
from petcheck.runner.progress import Announcer
from petcheck.runner.start import Prepared, prepare, run_checks
from petcheck.runner.written import Otherwise, Written, judged_again, written
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Exit
from petcheck.stream.files import FILE as STREAM
from petcheck.stream.files import StreamWriter, read_stream
from petcheck.stream.lines import End, Head
from petcheck.stream.stream import Stream
from petcheck.stream.typed import in_milliseconds
from petcheck.wire.throttle import Limits

_TROUBLES_SHOWN = 3
_DIED = "its process died"


@dataclass(frozen=True, slots=True)
class TargetEnd:
    """The end of the run of one target: its outline, None if it did not come to one, and trouble in one line each.

    `limits` are what the server told of its limits for the key.
    """

    outline: Result | None
    trouble: tuple[str, ...] = ()
    limits: Limits | None = None


# ---- one target, in its own process


def judge_target(config: Config, options: Sequence[str], limits: Limits | None) -> TargetEnd:
    """Judge the one target of `config`, and write its reports; `options` are pytest's.

    `limits` are known from a target with the same server and key, if there was one.
    """
    target = config.targets[0].name
    try:
        prepared = prepare(config, writes_reports=True)
    except ConfigError as error:
        return TargetEnd(None, (str(error),))
    if limits is not None:
        prepared.limits[target] = limits
    with contextlib.redirect_stdout(io.StringIO()):
        run_checks(prepared, [*options, "-q"])
    if prepared.end is None or prepared.end.written is None:
        return TargetEnd(None)
    return replace(_told(prepared.end.written), limits=prepared.limits.get(target))


def judge_recorded(folder: Path, name: str, reports: Path | None, otherwise: Otherwise) -> TargetEnd:
    """Judge one target of the recording in a folder again."""
    try:
        again = judged_again(otherwise.applied(recording_in(folder).only(name)), reports)
    except (NotARun, ConfigError) as error:
        return TargetEnd(None, (str(error),))
    return _told(again)


def _told(end: Written) -> TargetEnd:
    return TargetEnd(outline(end.result), tuple(end.trouble))


# ---- all of them


def run_fleet(
    prepared: Prepared, options: Sequence[str], announcer: Announcer, *, processes: int, most_failing: int | None = None
) -> Written:
    """Judge every target of a run, that many at a time, and write the reports.

    `options` are pytest's. After `most_failing` targets that fail no further one is begun.
    """
    config, folder = prepared.config, prepared.config.reports
    head = head_of(config, datetime.now(UTC))
    found: dict[str, Result] = {}
    trouble: list[str] = []
    StreamWriter(folder).begin(head)
    with prepared.lock or contextlib.nullcontext():
        at_work = Processes(processes)
        announcer.expect(len(config.targets))
        alone = {target.name: _alone(config, target) for target in config.targets}
        quotas, limits, failing = sharing_quotas(config.targets), dict[str, Limits | None](), 0

        def task(name: str) -> Task[TargetEnd]:
            quota = quotas[name]
            return Task(name, judge_target, (alone[name], options), quota, lambda: (limits.get(quota),))

        for done in at_work.each(map(task, alone)):
            ended = done.value or TargetEnd(None)
            limits[quotas[done.name]] = ended.limits or limits.get(quotas[done.name])
            if ended.outline is None and not ended.trouble:
                died = f"its process met an error ({done.error})" if done.error else _DIED
                ended = _left(alone[done.name], head, None if at_work.interrupted else died)
            trouble += [f"{done.name}: {line}" for line in ended.trouble]
            if ended.outline is not None:
                found[done.name] = ended.outline
                failing += ended.outline.run.exit == Exit.FAILS
                announcer.sent(done.name, sum(target.requests.total for target in ended.outline.targets))
            announcer.check_done()
            if most_failing is not None and failing >= most_failing:
                at_work.stop()
        announcer.close()
        end = End(in_milliseconds(datetime.now(UTC)), at_work.interrupted, len(found) < len(alone))
        with signals.first_calls(lambda: None):  # the run is over, and what it says stands
            return write_parts(Stream((head, end)), list(found.values()), folder, prepared.witnesses, trouble)


def judge_fleet_again(folder: Path, reports: Path | None, otherwise: Otherwise) -> Written:
    """Judge the recordings of a run in parts; reports are written where they have a folder.

    Raises NotARun, ConfigError where the folder for the reports is in use, and KeyboardInterrupt.
    """
    stream = otherwise.applied(read_stream(folder / STREAM))
    # of a run that was killed some have not begun
    begun = (target.name for target in stream.head.targets if stream.end or part_of(folder, target.name).is_dir())
    names = list(begun)
    with reports_folder.take(reports) if reports is not None else contextlib.nullcontext():
        at_work = Processes(os.cpu_count() or 1)
        tasks = (
            Task(name, judge_recorded, (part_of(folder, name), name, reports and part_of(reports, name), otherwise))
            for name in names
        )
        found = {done.name: done.value or TargetEnd(None, (_DIED,)) for done in at_work.each(tasks)}
        if at_work.interrupted:
            raise KeyboardInterrupt
        lost = [f"{name}: {line}" for name in names for line in found[name].trouble]
        outlines = [each.outline for each in map(found.__getitem__, names) if each.outline is not None]
        if len(outlines) < len(names):
            raise NotARun(f"{printable(str(folder))} cannot be judged: {'; '.join(lost[:_TROUBLES_SHOWN])}")
        if reports is None:
            return Written(Material(joined(stream, outlines), stream, folder), None, lost)
        return write_parts(stream, outlines, reports, NOBODY, lost)


def _alone(config: Config, target: TargetConfig) -> Config:
    """The configuration of a run of one target of a fleet."""
    given: Mapping[str, object] = {name: value for name, value in config.given.items() if name != "shard"}
    listed = given.get("target")
    if isinstance(listed, list):
        given = {**given, "target": [text for text in listed if str(text).partition("=")[0] == target.name]}
    # the time of the whole run covers it
    config = replace(config, shard=None, part=True, failed=False, timestamp_url=None)
    return replace(config, targets=(target,), reports=part_of(config.reports, target.name), given=given)


def _left(config: Config, head: Head, broken: str | None) -> TargetEnd:
    """The end of a target whose process did not tell one: what its stream says; `broken` if nobody interrupted it."""
    folder, stream = config.reports, Stream((head_of(config, head.started),))
    with contextlib.suppress(NotARun):
        found = read_stream(folder / STREAM)
        stream = found if found.head.started >= head.started else stream  # not that of an earlier run
    finished = stream.end is not None and stream.end.broken is None and not stream.end.interrupted
    if stream.end is None and broken is not None:
        stream = replace(stream, entries=(*stream.entries, End(stream.finished, broken=broken)))
    if broken is None and len(stream.entries) == 1:
        return TargetEnd(None)  # interrupted before it began
    end = written(Material(judge(stream), stream), folder)
    return _told(replace(end, broken=None if finished else broken))


def write_parts(
    stream: Stream, outlines: Sequence[Result], folder: Path, witnesses: Witnesses, trouble: Iterable[str] = ()
) -> Written:
    """Write what joins the targets' reports below `folder`, with its manifest."""
    more = []
    try:
        made = material_of_parts(stream, outlines, folder)
    except (NotARun, OSError) as error:  # what a target wrote is gone
        more = [printable(str(error), 400)]
        made = Material(joined(stream, outlines), stream, folder)
    end = written(
        made, folder, witnesses, besides=lambda: map(entry_of_part, [one.name for one in made.result.targets])
    )
    return replace(end, told=[*trouble, *more])
