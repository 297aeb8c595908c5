"""Applications in Python: every kind as an ASGI one."""

from __future__ import annotations

from typing import Any


def as_asgi(app: Any) -> Any:
    """An ASGI or WSGI application as an ASGI one."""
    return app if _is_asgi(app) else _from_wsgi(app)


def _is_asgi(app: Any) -> bool:
    import inspect

    call = app if inspect.isfunction(app) or inspect.ismethod(app) else type(app).__call__
    return inspect.iscoroutinefunction(call) or len(inspect.signature(app).parameters) != 2


def _from_wsgi(app: Any) -> Any:
    from a2wsgi import WSGIMiddleware

    return WSGIMiddleware(app)
