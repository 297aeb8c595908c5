"""The folder of a run's reports: it is locked for the run, and files of others in it are never overwritten."""

from __future__ import annotations

import json
from pathlib import Path

from petcheck.errors import ConfigError, InUse
from petcheck.reports import outputs
from petcheck.reports.outputs import OUTPUTS
from petcheck.results import atomic_write, manifest, proof, result
from petcheck.results.lock import FolderLock
from petcheck.sanitize import comma_list, printable
from petcheck.stream import files
from petcheck.stream.reading import RECORDING_CAP, open_file

DEBUGGING_PAGE = "pytest.html"
PYTEST_STYLES = tuple(Path(outputs.__file__).parent / "templates" / name for name in ("page.css", "pytest.css"))
"""What makes it look like the other pages."""

_WRITTEN = (*(output.name for output in OUTPUTS), *proof.FILES, DEBUGGING_PAGE)
# each of these files names the suite that wrote it, at its beginning
_MARKED = (files.FILE, manifest.FILE, result.FILE)
_MARK = json.dumps({"name": "petcheck"}).strip("{}")
_BEGINNING = 4096  # bytes


def take(folder: Path, option: str = "--reports") -> FolderLock:
    """A lock on the folder for one run, after removing unfinished files of a killed run; `option` names the folder.

    It is created if it is missing. Raises `ConfigError` if another run uses it, or if a file that a run would overwrite
    is not petcheck's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _expect_ours(folder, option)
    try:
        lock = FolderLock(folder)
    except InUse as taken:
        raise ConfigError(f"{taken}; wait for its end, or give this run its own folder with {option}") from None
    if lock.held:
        atomic_write.sweep(folder)
    return lock


def _expect_ours(folder: Path, option: str) -> None:
    there = [name for name in _WRITTEN if (folder / name).is_file() and (folder / name).stat().st_size]
    if there and not any(_is_marked(folder / name) for name in _MARKED):
        raise ConfigError(
            f"{printable(str(folder))} holds files that petcheck has not written and would overwrite "
            f"({comma_list(there, 3)}); give another folder with {option}, or move them away"
        )


def _is_marked(path: Path) -> bool:
    try:
        with open_file(path, RECORDING_CAP) as file:
            return _MARK.encode() in file.read(_BEGINNING)
    except OSError:
        return False
