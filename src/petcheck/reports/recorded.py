"""Reads a run back from the files that it left, for a comparison. What is no whole run of this suite is refused."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from petcheck.reports import har
from petcheck.reports.comparable import NotComparable, Recorded
from petcheck.reports.result import FILE, NotAResult, Result, load
from petcheck.reports.visible import visible

RESULT_CAP = 64 * 1024 * 1024
HAR_CAP = 512 * 1024 * 1024
"""Bytes that a file may have; what a run writes stays far below."""


def read_run(path: Path) -> Recorded:
    """The run whose result.json is `path`, or is in the folder `path`; its exchanges.har is looked for beside it.

    Raises NotComparable where either is missing, cut short, of something else, or of another run.
    """
    file = path / FILE if path.is_dir() else path
    name = visible(str(file))
    _expect_file(file, RESULT_CAP, "give the result.json of a run, or its folder")
    try:
        result = load(file)
    except NotAResult as error:
        said = str(error).removeprefix(str(file)).strip()
        raise NotComparable(f"{name} {visible(said, 400)}; give the result.json of a whole run") from None
    return Recorded(name, result, _evidence(file.with_name(har.FILE), result, name))


def _evidence(file: Path, result: Result, of: str) -> tuple[har.Evidence, ...]:
    name = visible(str(file))
    advice = f"put the one that was written with {of} beside it"
    _expect_file(file, HAR_CAP, advice)
    try:
        document = json.loads(file.read_bytes())
        entries = har.entries_by_index(document)
    except (ValueError, RecursionError) as error:
        raise NotComparable(f"{name} is not whole JSON ({visible(str(error), 200)}); {advice}") from None
    except har.NotEvidence as error:
        raise NotComparable(f"{name} {visible(str(error), 200)}; {advice}") from None
    targets = {target.name: target.requests.total for target in result.targets}
    numbers = {name: sum(entry.target == name for entry in entries.values()) for name in targets}
    foreign = har.run_of(document) != (result.run.id, result.run.started)
    if foreign or sum(numbers.values()) < len(entries) or any(numbers[one] > targets[one] for one in targets):
        raise NotComparable(f"{name} is of another run than {of}; {advice}")
    return tuple(entries.values())


def _expect_file(file: Path, cap: int, advice: str) -> None:
    """Raise NotComparable for what is no ordinary file, or a larger one than a run writes."""
    name = visible(str(file))
    try:
        found = file.stat()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotComparable(f"{name} cannot be read: {reason}; {advice}") from None
    if not stat.S_ISREG(found.st_mode):
        raise NotComparable(f"{name} is no file; {advice}")
    if found.st_size > cap:
        size, most = found.st_size // 1024**2, cap // 1024**2
        raise NotComparable(f"{name} has {size:,} MB, more than the {most} MB that a run may write; {advice}")
