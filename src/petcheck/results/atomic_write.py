"""Writes a file so that no reader ever sees half of it."""

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
    """Write `text` (UTF-8), whole or in pieces, to `path`: all of it or, on any error, nothing.

    The bytes go to a new file in the same folder, are synced to disk, and only then take the name. A lone surrogate
    becomes a backslash escape. Raises OSError where the folder cannot be written; an older file stays as it was.
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
    """Remove unfinished files of this process, which is about to end."""
    for draft in list(_open):
        with contextlib.suppress(OSError):
            draft.unlink()


def sweep(folder: Path) -> None:
    """Remove unfinished files of a killed process from `folder`; only under its `FolderLock`."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if _DRAFT.fullmatch(path.name):
                path.unlink()
