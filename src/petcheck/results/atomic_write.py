"""Writes a file the way its path asks for: a regular file atomically, a device or a pipe as it is.

No reader ever sees half of a regular file, and nothing that is not a regular file is ever replaced by one.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

STANDARD_OUTPUT = "-"
"""The path that stands for standard output."""

_DRAFT = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")
_open: set[Path] = set()


def write(path: Path, text: str | bytes | Iterable[str]) -> None:
    """Write `text` (UTF-8), as one string or in pieces, or bytes, to `path`.

    Where `path` is absent or a regular file, all of the text is written or, on any error, nothing: the bytes go to a
    new file in the same folder, which is synced to disk and then renamed. A symbolic link stays, and the file that it
    leads to is written; an older file keeps its permissions. `-` and any other name of standard output are written to
    standard output; a device or a pipe gets the bytes as it is. A lone surrogate becomes a backslash escape. Raises
    OSError if it cannot be written; an older file stays unchanged.
    """
    parts = [text] if isinstance(text, str | bytes) else text
    pieces = (one if isinstance(one, bytes) else one.encode("utf-8", "backslashreplace") for one in parts)
    if is_standard_output(path):
        sys.stdout.flush()
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
        return
    found = _status(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    _replace(Path(os.path.realpath(path)), pieces, found)


def is_standard_output(path: Path) -> bool:
    """Whether `path` stands for standard output: `-`, or a path of what it is connected to, such as /dev/stdout."""
    if str(path) == STANDARD_OUTPUT:
        return True
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError, AttributeError):  # no such file, or standard output has no descriptor
        return False


def _status(path: Path) -> os.stat_result | None:
    """What is at `path`, None if nothing is."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _replace(path: Path, pieces: Iterable[bytes], older: os.stat_result | None) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    _open.add(draft)
    try:
        with draft.open("xb") as file:
            if older is not None:
                draft.chmod(stat.S_IMODE(older.st_mode))
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    finally:
        _open.discard(draft)


def abandon() -> None:
    """Remove the unfinished files of this process; call it when the process is about to end."""
    for draft in list(_open):
        with contextlib.suppress(OSError):
            draft.unlink()


def sweep(folder: Path) -> None:
    """Remove unfinished files of a killed process from `folder`; call it only with its `FolderLock`."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if _DRAFT.fullmatch(path.name):
                path.unlink()
