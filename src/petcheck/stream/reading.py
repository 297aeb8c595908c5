"""Our own files as they are read, everywhere: only regular files, of a known size, and only strict JSON."""

from __future__ import annotations

import errno
import json
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

from petcheck.sanitize import printable

RECORDING_CAP = 1024 * 1024 * 1024
"""The largest recording that is read, in bytes."""

RESULT_CAP = 64 * 1024 * 1024
"""The largest result.json; that of a run is far smaller."""

SMALL_CAP = 4 * 1024 * 1024
"""The largest manifest, statement, envelope or key."""


def open_file(path: Path, cap: int) -> BufferedReader:
    """Open a regular file to read. Raises OSError for anything else, and for a file of more than `cap` bytes.

    A pipe, which would be waited for, or a device, which may have no end, is not read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size <= cap:
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "Not a file")
    size = -(-found.st_size // 1024**2)
    raise OSError(errno.EFBIG, f"It has {size:,} MB, more than the {cap // 1024**2:,} MB that are read")


def why_unread(error: OSError | ValueError) -> str:
    """Why a file cannot be read, in words."""
    return printable(getattr(error, "strerror", None) or str(error))


def read_file(path: Path, cap: int) -> bytes:
    """The bytes of a regular file. Raises OSError."""
    with open_file(path, cap) as file:
        return file.read(cap)


def parsed(text: bytes | str) -> Any:
    """A JSON text as a value. Raises ValueError if it is not JSON in UTF-8, and RecursionError.

    NaN, infinite numbers and an object with a member twice are refused with `Ambiguous`.
    """
    return strict.decode(text.decode("utf-8") if isinstance(text, bytes) else text)


class Ambiguous(ValueError):
    """The text is JSON to some readers only, or each reads another value."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise Ambiguous("has a member twice")
    return made


def _refused(name: str) -> None:
    raise Ambiguous(f"has {name}, which is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise Ambiguous("has a number that is too large")
    return number


strict = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refused, parse_float=_finite)
"""The decoder of all our files."""
