"""Reads a run back from its files, for a comparison. Accepts only a complete run of this suite."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from pathlib import Path

from petcheck.errors import NotAResult, NotARun, NotEvidence
from petcheck.results import har
from petcheck.results.har import Evidence
from petcheck.results.result import FILE, Result, load
from petcheck.results.sanitize import printable

RESULT_CAP = 64 * 1024 * 1024
HAR_CAP = 512 * 1024 * 1024
"""The largest files that are read, in bytes; the files of a run are far smaller."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run read from its files: the name of result.json, the result, and its exchanges."""

    file: str
    result: Result
    evidence: tuple[Evidence, ...]


def read_run(path: Path) -> RecordedRun:
    """The run whose result.json is `path` or is in the folder `path`; exchanges.har is in the same folder.

    Raises NotARun if either file is missing, incomplete, not written by petcheck, or of another run.
    """
    file = path / FILE if path.is_dir() else path
    name = printable(str(file))
    _expect_file(file, RESULT_CAP, "give the result.json of a run, or its folder")
    try:
        result = load(file)
    except NotAResult as error:
        raise NotARun(f"{printable(str(error), 700)}; give the result.json of a complete run") from None
    return RecordedRun(name, result, _evidence(file.with_name(har.FILE), result, name))


def _evidence(file: Path, result: Result, of: str) -> tuple[har.Evidence, ...]:
    name = printable(str(file))
    advice = f"put the one that was written with {of} into the same folder"
    _expect_file(file, HAR_CAP, advice)
    try:
        document = json.loads(file.read_bytes())
        entries = har.entries_by_index(document)
    except (ValueError, RecursionError) as error:
        raise NotARun(f"{name} is not complete JSON ({printable(str(error), 200)}); {advice}") from None
    except NotEvidence as error:
        raise NotARun(f"{name} {printable(str(error), 200)}; {advice}") from None
    targets = {target.name: target.requests.total for target in result.targets}
    numbers = {name: sum(entry.target == name for entry in entries.values()) for name in targets}
    foreign = har.run_of(document) != (result.run.id, result.run.started)
    if foreign or sum(numbers.values()) < len(entries) or any(numbers[one] > targets[one] for one in targets):
        raise NotARun(f"{name} belongs to another run than {of}; {advice}")
    return tuple(entries.values())


def _expect_file(file: Path, cap: int, advice: str) -> None:
    """Raise NotARun if `file` is not an ordinary file, or is larger than `cap`."""
    name = printable(str(file))
    try:
        found = file.stat()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotARun(f"{name} cannot be read: {reason}; {advice}") from None
    if not stat.S_ISREG(found.st_mode):
        raise NotARun(f"{name} is not a file; {advice}")
    if found.st_size > cap:
        size, most = found.st_size // 1024**2, cap // 1024**2
        raise NotARun(f"{name} has {size:,} MB, more than the {most} MB that a run may write; {advice}")
