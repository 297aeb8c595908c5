"""Writing a file so that no reader ever sees half of it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def replace(path: Path, text: str) -> None:
    """Put `text` (UTF-8) in the place of `path`: all of it or, on any error, nothing.

    The bytes go to a new file in the same folder, reach the disk, and only then take the name. What cannot be
    encoded (a lone surrogate) is written as a backslash escape. Raises OSError where the folder cannot be written;
    an older file of that name is then untouched.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
