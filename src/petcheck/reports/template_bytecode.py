"""Keeps compiled templates where Python keeps compiled modules: compiling them takes longer than all else in a report.

Where Python may not write its own bytecode, nothing is written, and templates are compiled each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from importlib.util import cache_from_source
from pathlib import Path
from pickle import UnpicklingError

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket


class TemplateBytecode(FileSystemBytecodeCache):
    """The compiled templates of one folder. `settings` are all else that the compiled code depends on."""

    def __init__(self, folder: Path, settings: bytes) -> None:
        beside = Path(cache_from_source(str(folder / "template.py")))
        super().__init__(str(beside.parent), "%s" + "".join(beside.suffixes))
        self._settings = settings

    def get_source_checksum(self, source: str) -> str:
        """What the source and the settings must be for the compiled template to be used."""
        return hashlib.sha256(self._settings + source.encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill `bucket`; it stays empty if there is no whole file for it."""
        with contextlib.suppress(OSError, EOFError, ValueError, UnpicklingError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the compiled template, if it can be written."""
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                Path(self.directory).mkdir(parents=True, exist_ok=True)
                super().dump_bytecode(bucket)
