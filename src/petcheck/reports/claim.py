"""One run at a time writes into a folder: two would leave the verdicts of one beside the evidence of the other."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


class InUse(Exception):
    """Another run writes into the folder; the message says which folder."""


class Claim:
    """A folder held for one run, until `release` or the end of the process, however it ends.

    The lock is the kernel's, on the folder itself: it leaves no file behind, and never outlives the process. Where
    the file system knows no locks nothing is held, and `held` is false. Raises `InUse`.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor: int | None = None
        if sys.platform == "win32":
            return
        with contextlib.suppress(OSError):
            self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        if self._descriptor is None:
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.release()
            if error.errno in _TAKEN:
                raise InUse(f"{folder} is written by another run that has not ended") from None

    @property
    def held(self) -> bool:
        """Whether the folder is held."""
        return self._descriptor is not None

    def release(self) -> None:
        """Let others have the folder."""
        if self._descriptor is not None and sys.platform != "win32":
            with contextlib.suppress(OSError):
                # by name, since a process that an application started may have a copy of the descriptor
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
        self._descriptor = None
