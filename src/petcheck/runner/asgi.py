"""Applications in Python: every kind as an ASGI one."""

from __future__ import annotations

import inspect
from typing import Any


def as_asgi(app: Any) -> Any:
    """An ASGI or WSGI application as an ASGI one."""
    call = app if inspect.isfunction(app) or inspect.ismethod(app) else type(app).__call__
    if inspect.iscoroutinefunction(call) or len(inspect.signature(app).parameters) != 2:
        return app
    from a2wsgi import WSGIMiddleware

    return WSGIMiddleware(app)
