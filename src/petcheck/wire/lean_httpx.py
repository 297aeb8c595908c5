"""httpx without the command line that it brings: nobody calls that here, and its libraries take most of the import."""

from __future__ import annotations

import sys

_COMMAND_LINE = "httpx._main"

if "httpx" in sys.modules:
    import httpx
else:
    # httpx does without it where that cannot be imported
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]
    try:
        import httpx
    finally:
        del sys.modules[_COMMAND_LINE]

__all__ = ["httpx"]
