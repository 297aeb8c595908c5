"""Reads a run back from its files: to compare it, or to judge it again. Accepts only a run of this suite."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from petcheck.errors import NotAResult, NotARun, NotEvidence
from petcheck.results import har, recording
from petcheck.results.har import Evidence
from petcheck.results.har_reader import FILE_CAP, HEAD, entries_of
from petcheck.results.recording import Recording, believed, read_stream
from petcheck.results.result import FILE, Result, from_head, load
from petcheck.results.sanitize import printable

RESULT_CAP = 64 * 1024 * 1024
"""The largest result.json that is read, in bytes; that of a run is far smaller."""


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
    result = read_result(file)
    evidence = _evidence(file.with_name(har.FILE), result, name)
    stream = file.with_name(recording.FILE)
    if not all(entry.whole for entry in evidence) and stream.exists():  # the HAR holds only a part of long answers
        found = read_stream(stream)
        if found.result.run.id == result.run.id:
            evidence = tuple(map(har.evidence_of, found.exchanges))
    return RecordedRun(name, result, evidence)


ADVICE = "give the result.json of a complete run, or its folder"


def read_result(file: Path, advice: str = ADVICE) -> Result:
    """The result in a result.json, without its evidence. Raises NotARun, whose message ends with `advice`."""
    _expect_file(file, RESULT_CAP, advice)
    try:
        return load(file)
    except NotAResult as error:
        raise NotARun(f"{printable(str(error), 700)}; {advice}") from None


def result_files(path: Path) -> list[Path]:
    """The result.json at `path`, or of the run in the folder `path`, or of each run in a folder just below it.

    Raises NotARun if the folder has none.
    """
    if not path.is_dir():
        return [path]
    if (path / FILE).exists():
        return [path / FILE]
    try:
        found = sorted(one / FILE for one in path.iterdir() if (one / FILE).is_file())
    except OSError as error:
        raise NotARun(f"{printable(str(path))} cannot be read: {error.strerror}; give a folder of runs") from None
    if not found:
        raise NotARun(f"{printable(str(path))} holds no {FILE}, nor does a folder in it; give a folder of runs")
    return found


def recording_in(folder: Path) -> Recording:
    """The recording in a folder of reports: its stream, or its HAR, and the result of the same run if it is there.

    Raises NotARun.
    """
    name = printable(str(folder))
    files = {file: folder / file for file in (recording.FILE, har.FILE) if (folder / file).exists()}
    if not files:
        raise NotARun(f"{name} holds no recording: neither {recording.FILE} nor {har.FILE}")
    found = read_stream(files[recording.FILE]) if recording.FILE in files else read_har(files[har.FILE])
    if found is None:
        raise NotARun(f"{printable(str(files[har.FILE]))} is a HAR of another program; give the file itself")
    return with_result(found, folder)


def with_result(found: Recording, folder: Path) -> Recording:
    """A recording with the result of its run, if that is in `folder`. Raises NotARun."""
    file = folder / FILE
    if not file.exists():
        return found
    _expect_file(file, RESULT_CAP, "give the folder of a run")
    try:
        result = load(file)
    except NotAResult as error:
        raise NotARun(f"{printable(str(error), 700)}; give the folder of a run") from None
    same = (result.run.id, result.run.started) == (found.result.run.id, found.result.run.started)
    return Recording(result, found.exchanges) if same else found  # a run that was killed leaves older reports


def read_har(path: Path) -> Recording | None:
    """The recording in an exchanges.har; None where the HAR is of another program. Raises NotARun."""
    name = printable(str(path))
    _expect_file(path, FILE_CAP, "give a shorter recording")
    log: dict[str, object] = {}
    try:
        entries = entries_of(path, log)
        first = next(entries, None)
        if HEAD not in log:
            return None
        result = from_head(log[HEAD])
        given = [] if first is None else [first]
        return believed(result, (har.exchange_of(entry) for entry in chain(given, entries)))
    except OSError as error:
        raise NotARun(f"{name} cannot be read: {error.strerror}") from None
    except (NotEvidence, NotAResult) as error:
        raise NotARun(f"{name} {printable(str(error), 200)}") from None


def _evidence(file: Path, result: Result, of: str) -> tuple[har.Evidence, ...]:
    name = printable(str(file))
    advice = f"put the one that was written with {of} into the same folder"
    _expect_file(file, FILE_CAP, advice)
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
        size, most = -(-found.st_size // 1024**2), cap // 1024**2
        raise NotARun(f"{name} has {size:,} MB, more than the {most:,} MB that are read; {advice}")
