"""Keeps compiled templates beside their sources, as Python keeps compiled modules: compiling them takes longer than
everything else in a report.

Where Python may not write its own bytecode, nothing is written, and templates are compiled each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import sys
from importlib.util import cache_from_source
from pathlib import Path
from pickle import UnpicklingError

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class TemplateBytecode(BytecodeCache):
    """The compiled templates of one folder. `settings` are all else that the compiled code depends on."""

    def __init__(self, folder: Path, settings: bytes) -> None:
        self._folder = folder
        self._settings = settings

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The path of the compiled template."""
        return cache_from_source(str(self._folder / f"{name}.py"))

    def get_source_checksum(self, source: str) -> str:
        """What the source and the settings must be for the compiled template to be used."""
        return hashlib.sha256(self._settings + source.encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill `bucket`; it stays empty if the template is not compiled, or was compiled from another source."""
        with contextlib.suppress(OSError, EOFError, ValueError, UnpicklingError), Path(bucket.key).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the compiled template, all at once, if it can be written."""
        if sys.dont_write_bytecode:
            return
        path = Path(bucket.key)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(6)}")  # two runs may compile at the same time
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with draft.open("wb") as file:
                    bucket.write_bytecode(file)
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
