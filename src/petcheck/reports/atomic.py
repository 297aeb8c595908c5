"""Writing a file so that no reader ever sees half of it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

_DRAFT = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")
_open: set[Path] = set()


def replace(path: Path, text: str | Iterable[str]) -> None:
    """Put `text` (UTF-8), whole or in pieces, in the place of `path`: all of it or, on any error, nothing.

    The bytes go to a new file in the same folder, reach the disk, and only then take the name. What cannot be
    encoded (a lone surrogate) is written as a backslash escape. Raises OSError where the folder cannot be written;
    an older file of that name is then untouched.
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
    """Remove what is being written at this moment; for a process that is about to end in the middle of it."""
    for draft in list(_open):
        with contextlib.suppress(OSError):
            draft.unlink()


def sweep(folder: Path) -> None:
    """Remove what a process that was killed while it wrote has left in `folder`; only for who has it for himself."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if _DRAFT.fullmatch(path.name):
                path.unlink()
