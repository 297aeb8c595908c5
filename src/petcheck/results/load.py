"""Reads a run back from its files: to compare it, or to judge it again. Accepts only a run of this suite."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from petcheck.errors import NotAResult, NotARun
from petcheck.exchange import Exchange
from petcheck.results.result import FILE, Result, load
from petcheck.sanitize import printable
from petcheck.stream import files, har
from petcheck.stream.stream import Stream
from petcheck.stream.typed import timestamp


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run read from its files: the name of result.json, the result, and its exchanges."""

    file: str
    result: Result
    evidence: tuple[Exchange, ...]


def read_run(path: Path) -> RecordedRun:
    """The run whose result.json is `path` or is in the folder `path`; its recording is in the same folder.

    Raises NotARun if either file is missing, incomplete, not written by petcheck, or of another run.
    """
    file = result_file(path)
    name, folder = printable(str(file)), file.parent
    result, stream = read_result(file), recording_in(folder)
    head, sent = stream.head, {part.name: len(part.exchanges) for part in stream.parts}
    if (head.run, timestamp(head.started)) != (result.run.id, result.run.started) or any(
        sent.get(target.name, 0) > target.requests.total for target in result.targets
    ):
        raise NotARun(f"the recording in {printable(str(folder))} is of another run than {name}; put its own there")
    return RecordedRun(name, result, stream.exchanges)


ADVICE = "give the result.json of a complete run, or its folder"


def result_file(path: Path) -> Path:
    """The result.json that a folder or its own path stands for."""
    return path / FILE if path.is_dir() else path


def read_result(file: Path, advice: str = ADVICE) -> Result:
    """The result in a result.json, without its evidence. Raises NotARun, whose message ends with `advice`."""
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


def recording_in(folder: Path) -> Stream:
    """The stream of the run in a folder of reports, or in its HAR. Raises NotARun."""
    name = printable(str(folder))
    found = {file: folder / file for file in (files.FILE, har.FILE) if (folder / file).exists()}
    if not found:
        raise NotARun(f"{name} holds no recording: neither {files.FILE} nor {har.FILE}")
    stream = recording_at(next(iter(found.values())))
    if stream is None:
        raise NotARun(f"{printable(str(found[har.FILE]))} is a HAR of another program; give the file itself")
    return stream


def recording_at(path: Path) -> Stream | None:
    """The stream in a file, an exchanges.jsonl or a HAR; None where that is of another program. Raises NotARun."""
    return files.read_stream(path) if path.suffix == ".jsonl" else har.read_har(path)
