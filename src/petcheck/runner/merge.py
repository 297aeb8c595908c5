"""Merges the reports of several runs, such as shards, into the reports of one run in parts."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from petcheck.errors import NotARun, NotComparable
from petcheck.results.load import read_result, recording_in
from petcheck.results.manifest import changed_files, read_manifest
from petcheck.results.parts import OF_ITS_OWN, expect_other_folders, names_of_parts, outline, part_of, settings_of
from petcheck.results.proof import FILES as PROOF
from petcheck.results.proof import Witnesses
from petcheck.results.result import FILE, Result
from petcheck.runner import reports_folder
from petcheck.runner.fleet import write_parts
from petcheck.runner.written import Written, judged_again
from petcheck.sanitize import printable
from petcheck.stream.lines import End, Head, Joined, JoinedRun
from petcheck.stream.reading import RECORDING_CAP, open_file, why_unread
from petcheck.stream.stream import Stream
from petcheck.stream.typed import timestamp

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Source:
    """A folder of reports to merge, and what it says of its run and its targets, without rows.

    Each target has its own folder if it is `in_parts`; otherwise they share one recording.
    """

    folder: Path
    stream: Stream
    in_parts: bool

    @property
    def head(self) -> Head:
        return self.stream.head

    @property
    def name(self) -> str:
        return printable(str(self.folder))

    def part(self, target: str) -> Path:
        return part_of(self.folder, target) if self.in_parts else self.folder


def merge(folders: Sequence[Path], output: Path, witnesses: Witnesses) -> Written:
    """Merge the reports in some folders into those of one run in `output`.

    Targets with their own recording are copied as they are, with their signatures and times; a recording of several is
    parted, and judged for each. A shard that is missing makes the result incomplete. Raises NotARun, NotComparable,
    `ConfigError` where `output` is in use or would replace a folder that is merged, and KeyboardInterrupt.
    """
    sources = [_Source(folder, recording_in(folder), bool(names_of_parts(folder))) for folder in folders]
    _expect_one_run(sources)
    sources.sort(key=lambda source: source.head.shard.number if source.head.shard else 0)
    for name, one, other in _twice((target.name, source) for source in sources for target in source.head.targets):
        raise NotComparable(f"{printable(name, 60)} is in {one.name} and in {other.name}; leave one of them out")
    for source in sources:
        for target in source.head.targets:
            if source.in_parts or len(source.head.targets) == 1:
                _expect_whole(source.part(target.name))
    targets = [target.name for source in sources for target in source.head.targets]
    expect_other_folders(output, targets, folders, "-o")
    with reports_folder.take(output, "-o"):
        outlines = [outline for source in sources for outline in _taken(source, output)]
        return write_parts(_joined_stream(sources), outlines, output, witnesses)


# ---- may they be merged?


def _expect_one_run(sources: Sequence[_Source]) -> None:
    """Raise NotComparable for the first folder whose run cannot be part of the run of the first folder."""
    first = sources[0]
    for other in sources[1:]:
        between = f"{first.name} and {other.name}"
        ours, theirs = first.head, other.head
        if ours.suite != theirs.suite:
            raise NotComparable(
                f"{between} were made by different suites ({_suite(ours)} and {_suite(theirs)}); "
                "judge all with the same one"
            )
        if ours.as_of != theirs.as_of:
            raise NotComparable(
                f"{between} were judged as on different days ({ours.as_of} and {theirs.as_of}); "
                "give every run the same --as-of"
            )
        if settings_of(first.stream) != settings_of(other.stream):
            raise NotComparable(f"{between} have different options or waivers; give every run the same ones")
        if (ours.shard is None) != (theirs.shard is None):
            alone = other if theirs.shard is None else first
            raise NotComparable(f"{alone.name} is not a shard, but others are; merge only the shards of one run")
        if ours.shard and theirs.shard and replace(ours.shard, number=1) != replace(theirs.shard, number=1):
            raise NotComparable(
                f"{between} have different lists of targets ({ours.shard} and {theirs.shard}); "
                "give every shard the same list and the same number of shards"
            )
    for shard, one, other in _twice((source.head.shard, source) for source in sources if source.head.shard):
        raise NotComparable(f"shard {shard} is given twice: {one.name} and {other.name}; give it once")


def _suite(head: Head) -> str:
    suite = head.suite
    return printable(f"{suite.version}, catalogue {suite.requirements_sha256[:8]}, {suite.openapi_sha256[:8]}", 60)


def _twice(found: Iterable[tuple[T, _Source]]) -> Iterator[tuple[T, _Source, _Source]]:
    """What is in two sources, with both."""
    first: dict[T, _Source] = {}
    for name, source in found:
        if first.setdefault(name, source) is not source:
            yield name, first[name], source


def _expect_whole(folder: Path) -> None:
    """Raise NotARun unless a folder has each file that its manifest lists."""
    for name, unread in changed_files(folder, read_manifest(folder)):
        path = printable(str(folder / name))
        if unread is not None:
            raise NotARun(f"{path} cannot be read: {unread}; give a whole folder of reports")
        raise NotARun(f"{path} is not the file that the manifest lists; give a folder as its run wrote it")


# ---- the merged run


def _taken(source: _Source, output: Path) -> list[Result]:
    """The outlines of a source's targets, once their reports are in the output."""
    names = [target.name for target in source.head.targets]
    if source.in_parts or len(names) == 1:
        return [_copied(source.part(name), part_of(output, name)) for name in names]
    stream = source.stream.with_head(replace(source.head, part=True))
    return [outline(judged_again(stream.only(name), part_of(output, name)).material.result) for name in names]


def _copied(source: Path, output: Path) -> Result:
    """Copy the reports of one target; returns their outline."""
    output.mkdir(parents=True, exist_ok=True)
    listed = list(read_manifest(source)["files"])
    # the manifest last: without it the folder says nothing
    for name in (*listed, *reversed(PROOF)):
        if name in PROOF:
            (output / name).unlink(missing_ok=True)
        try:
            with open_file(source / name, RECORDING_CAP) as whole, (output / name).open("wb") as copy:
                shutil.copyfileobj(whole, copy)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise NotARun(f"{printable(str(source / name))} cannot be read: {why_unread(error)}") from None
    return outline(read_result(output / FILE, "give the folder of a complete run"))


def _joined_stream(sources: Sequence[_Source]) -> Stream:
    """The stream of the run that the sources are joined to: its options are those that all have."""
    heads = [source.head for source in sources]
    first, seeds = heads[0], {head.seed for head in heads}
    options = {
        name: value
        for name, value in first.options.items()
        if name not in OF_ITS_OWN or (name == "seed" and len(seeds) == 1)
    }
    head = replace(
        first,
        settings=replace(first.settings, waivers=sources[0].stream.waivers),
        started=min(head.started for head in heads),
        options=options,
        shard=None,
        part=False,
        targets=tuple(target for head in heads for target in head.targets),
    )
    missing = first.shard is not None and len(sources) < first.shard.of
    interrupted = missing or any(one.stream.interrupted for one in sources)
    cut_short = any(one.stream.end is not None and one.stream.end.cut_short for one in sources)
    runs = tuple(
        JoinedRun(
            one.head.run, one.head.seed, timestamp(one.head.started), timestamp(one.stream.finished), one.head.shard
        )
        for one in sources
    )
    end = End(max(one.stream.finished for one in sources), interrupted, cut_short)
    return Stream((head, Joined(runs), end))
