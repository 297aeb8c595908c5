"""A run in parts: each target has its own folder of reports, and the folder above them has what is joined.

    reports/targets/NAME/   the files of a run of that target alone, with its recording and its manifest
    reports/result.json     what all of them say, as one result
    reports/manifest.json   the digest of each target's manifest, and so of everything

No more than one target is in memory as a whole. Of the others there is an `outline`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from petcheck.errors import ConfigError, NotARun
from petcheck.judging.verdicts import Verdict
from petcheck.results.judge import run_info, suite, untestable_points
from petcheck.results.load import ADVICE, read_result
from petcheck.results.manifest import PARTS, names_in, read_manifest
from petcheck.results.result import FILE, Result, head_of, validate
from petcheck.sanitize import printable
from petcheck.spec.outcomes import Exit
from petcheck.stream import files
from petcheck.stream.files import read_stream
from petcheck.stream.lines import RunSettings
from petcheck.stream.reading import RESULT_CAP, parsed, read_file
from petcheck.stream.stream import Stream

OF_ITS_OWN = ("shard", "reports", "seed", "target", "config")
"""Options in which the shards of a run may differ."""

_STREAMED = ("requirements", "checks", "observations")
_SHARED = ("id", "section", "statement", "target", "reason")


def part_of(folder: Path, name: str) -> Path:
    """The folder of one target in a folder of reports."""
    return folder / PARTS / name


def settings_of(stream: Stream) -> RunSettings:
    """What all parts of a run share: its settings, with the waivers that decide."""
    return replace(stream.head.settings, seed_given=False, waivers=stream.waivers)


def names_of_parts(folder: Path) -> list[str]:
    """The targets of a run in parts, by the manifest in its folder; none if it is not a run in parts.

    A run that was killed has no manifest, so its folders tell.
    """
    try:
        return names_in(read_manifest(folder))
    except NotARun:
        found = folder / PARTS
        return sorted(path.name for path in found.iterdir()) if found.is_dir() else []


def verdicts_in(file: Path, advice: str = ADVICE) -> Result:
    """What a result.json says of its verdicts; of a run in parts, read one target at a time from its folder.

    The rows of a run in parts do not say which exchanges prove them. Raises NotARun, whose message ends with `advice`.
    """
    if file.name != FILE or not names_of_parts(file.parent):
        return read_result(file, advice)
    stream = read_stream(file.parent / files.FILE)
    parts = [read_result(part_of(file.parent, target.name) / FILE, advice) for target in stream.head.targets]
    return joined(stream, list(map(outline, parts)))


def expect_other_folders(output: Path, names: Iterable[str], inputs: Iterable[Path], option: str) -> None:
    """Raise ConfigError if reports would replace some of the `inputs`, which are folders of reports, or their parts.

    The reports go to `output`, which `option` names, and each target of `names` has its own below.
    """
    written = set(map(os.path.realpath, (output, *(part_of(output, name) for name in names))))
    for folder in inputs:
        for read in (folder, *(part_of(folder, name) for name in names_of_parts(folder))):
            if os.path.realpath(read) in written:  # Path.resolve refuses a link to itself
                raise ConfigError(f"{printable(str(read))} holds an input of the command; give {option} another folder")


def outline(result: Result) -> Result:
    """A result without rows of checks, observations and references to exchanges: what is kept of each target."""
    return replace(result, requirements=tuple(map(_outlined, result.requirements)), checks=(), observations=())


def _outlined(row: Verdict) -> Verdict:
    # targets share most of their texts
    texts: dict[str, Any] = {name: sys.intern(getattr(row, name)) for name in _SHARED}
    return replace(row, checks=tuple(map(sys.intern, row.checks)), exchanges=(), decisive=(), parts=(), **texts)


def joined(stream: Stream, outlines: Sequence[Result]) -> Result:
    """One outline of a run in parts, from its own stream and the outlines of its targets."""
    by_name = {target.name: each for each in outlines for target in each.targets}
    names = [target.name for target in stream.head.targets]
    ordered = [by_name[name] for name in names if name in by_name]
    whole = len(ordered) == len(names) and not stream.interrupted
    return Result(
        complete=whole and all(each.complete for each in ordered),
        suite=suite(),
        run=run_info(stream, exit_of_parts(ordered, interrupted=stream.interrupted)),
        targets=tuple(target for each in ordered for target in each.targets),
        requirements=tuple(row for each in ordered for row in each.requirements),
        checks=(),
        observations=(),
        untestable=untestable_points(),
    )


def with_rows(outlined: Result, results: Sequence[Result]) -> Result:
    """A joined outline with all rows of its targets."""
    return replace(
        outlined,
        requirements=tuple(row for each in results for row in each.requirements),
        checks=tuple(row for each in results for row in each.checks),
        observations=tuple(row for each in results for row in each.observations),
    )


_FIRST_DECIDES = (Exit.INTERRUPTED, Exit.FAILS, Exit.UNTESTABLE, Exit.BROKE, Exit.UNSETTLED, Exit.HOLDS)


def exit_of_parts(outlines: Iterable[Result], *, interrupted: bool) -> Exit:
    """The exit code of a run from those of its parts, as if one run had judged all targets."""
    found = {(each.run.exit, each.complete) for each in outlines}
    if (Exit.BROKE, False) in found:
        return Exit.BROKE
    return gravest({code for code, _ in found} | ({int(Exit.INTERRUPTED)} if interrupted else set()))


def gravest(codes: Collection[int]) -> Exit:
    """The exit code of several runs together."""
    return next((code for code in _FIRST_DECIDES if code in codes), Exit.NOTHING_SELECTED)


def pieces(whole: Result, folder: Path) -> Iterator[str]:
    """The text of the result.json that joins those of the targets below `folder`, in the order of an outline's targets.

    Raises NotAResult, NotARun, and OSError.
    """
    head = head_of(whole)
    validate({**head, "untestable": [], **{kind: [] for kind in _STREAMED}})
    yield "{\n"
    for name, value in head.items():
        yield f' "{name}": {json.dumps(value, allow_nan=False)},\n'
    for kind in _STREAMED:
        yield f' "{kind}": ['
        comma = "\n  "
        for target in whole.targets:
            for row in _rows(part_of(folder, target.name) / FILE, kind):
                yield comma + json.dumps(row, allow_nan=False)
                comma = ",\n  "
        yield "\n ],\n"
    yield f' "untestable": {json.dumps([asdict(point) for point in whole.untestable])}\n}}\n'


def _rows(path: Path, kind: str) -> list[dict[str, Any]]:
    """The rows of one kind in the result.json of a target, which was validated when it was written."""
    try:
        rows = parsed(read_file(path, RESULT_CAP))[kind]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise NotARun(f"{printable(str(path))} is not a result of petcheck ({printable(repr(error), 100)})") from None
    if not isinstance(rows, list):
        raise NotARun(f"{printable(str(path))} is not a result of petcheck: {kind} is not an array")
    return rows
