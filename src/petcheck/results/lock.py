"""Lets only one run at a time write into a folder: two would mix the verdicts of one with the evidence of the other."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from petcheck.errors import InUse

_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


class FolderLock(contextlib.AbstractContextManager["FolderLock"]):
    """A lock on a folder for one run, until `release`, the end of its block, or the end of the process.

    The kernel holds the lock, on the folder itself: it leaves no file and never outlives the process. If the file
    system has no locks, nothing is held and `held` is false. Raises `InUse` if another run holds the lock.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor: int | None = None
        with contextlib.suppress(OSError):
            self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        if self._descriptor is None:
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.release()
            if error.errno in _TAKEN:
                raise InUse(f"{folder} is in use by another run that has not ended") from None

    @property
    def held(self) -> bool:
        """Whether this run holds the lock."""
        return self._descriptor is not None

    def release(self) -> None:
        """Release the lock."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                # unlock explicitly: a child process may have a copy of the descriptor
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
        self._descriptor = None

    def __exit__(self, *_: object) -> None:
        self.release()
