"""Imports httpx without its command line, which petcheck never uses and which takes most of the import time."""

from __future__ import annotations

import sys

_COMMAND_LINE = "httpx._main"

if "httpx" in sys.modules:
    import httpx
else:
    # httpx leaves out its command line if this import fails
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]
    try:
        import httpx
    finally:
        del sys.modules[_COMMAND_LINE]

__all__ = ["httpx"]
