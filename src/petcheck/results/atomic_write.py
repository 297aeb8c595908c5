"""Writes a file atomically: no reader ever sees half of it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

_DRAFT = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")
_open: set[Path] = set()


def write(path: Path, text: str | Iterable[str]) -> None:
    """Write `text` (UTF-8), as one string or in pieces, to `path`: all of it or, on any error, nothing.

    The bytes go to a new file in the same folder, which is synced to disk and then renamed. A lone surrogate becomes a
    backslash escape. Raises OSError if the folder cannot be written; an older file stays unchanged.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    _open.add(draft)
    try:
        with draft.open("xb") as file:
            for piece in [text] if isinstance(text, str) else text:
                file.write(piece.encode("utf-8", "backslashreplace"))
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
