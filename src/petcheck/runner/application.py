"""The application of `--app`: loaded, called if it is a factory, and watched while it answers.

What it raises or logs with a traceback is kept, so that a failure shows the application's own lines and not only a 500.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import sys
import sysconfig
import threading
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from petcheck.config.targets import App
from petcheck.errors import AppFailed, BadApp
from petcheck.wire.raised import Raised, asked

_INSTALLED = tuple(
    str(Path(path).resolve()) for path in {*sysconfig.get_paths().values(), str(Path(__file__).parents[1])}
)
_LINES, _FRAMES = 40, 3
_REMEMBERED = 4  # errors: one may be logged, at several places, before it is raised
_SETTLED_S = 1.0  # an application may still be at work when its response has arrived


def load_app(source: App) -> Any:
    """The ASGI application that `source` names, loaded once; WSGI is wrapped as ASGI.

    Raises `BadApp` if the name leads nowhere, and `AppFailed` if the application's own code fails.
    """
    found = _loaded(source)
    if isinstance(found, AppFailed):
        raise found
    return found


@cache
def _loaded(source: App) -> Any:
    """The application, or why its own code fails: that is tried once."""
    module_name, _, name = source.name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        app: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or f"{module_name}.".startswith(f"{error.name}."):
            raise BadApp(f"--app {source.name}: {error}; write it as module:application") from None
        return _failure(_failed(source), error)
    except (Exception, SystemExit) as error:  # the module may do anything when it is imported
        return _failure(_failed(source), error)
    try:
        for part in name.split("."):
            app = getattr(app, part)
    except AttributeError as error:
        raise BadApp(f"--app {source.name}: {error}; write it as module:application") from None
    if not callable(app):
        raise BadApp(f"--app {source.name}: {name} is not an application")
    # no application takes no argument
    if source.factory or (inspect.isfunction(app) and not inspect.signature(app).parameters):
        try:
            app = app()
        except (Exception, SystemExit) as error:
            return _failure(_failed(source), error)
        if not callable(app):
            raise BadApp(f"--app {source.name}: {name}() returns no application")
    return as_asgi(app)


def as_asgi(app: Any) -> Any:
    """An ASGI or WSGI application as an ASGI one."""
    call = app if inspect.isfunction(app) or inspect.ismethod(app) else type(app).__call__
    if inspect.iscoroutinefunction(call) or len(inspect.signature(app).parameters) != 2:
        return app
    from a2wsgi import WSGIMiddleware

    return WSGIMiddleware(app)


def _failed(source: App) -> str:
    return f"--app {source.name} does not start"


def _failure(failed: str, error: BaseException) -> AppFailed:
    last = " ".join("".join(traceback.format_exception_only(_alone(error))).split())
    return AppFailed(f"{failed}: {last}", own_lines(error))


def _alone(error: BaseException) -> BaseException:
    """The error itself, out of the groups that hold nothing else."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def own_lines(error: BaseException) -> str:
    """The traceback of an error without the frames of installed packages; the last frames if it has no others."""
    error = _alone(error)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_installed(frame.filename)]
    shown = traceback.StackSummary.from_list(own or frames[-_FRAMES:])
    for frame in shown:
        frame.filename = _shortened(frame.filename)
    lines = "".join([*shown.format(), *traceback.format_exception_only(error)]).rstrip().splitlines()
    # the marks below a line of code mean nothing where a page wraps it
    return "\n".join([line for line in lines if line.strip(" ~^")][-_LINES:])


def _is_installed(filename: str) -> bool:
    path = Path(filename).resolve()
    inside = not {"site-packages", "dist-packages"}.isdisjoint(path.parts)
    return inside or filename.startswith("<frozen ") or str(path).startswith(_INSTALLED)


def _shortened(filename: str) -> str:
    path = Path(filename)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else filename


@dataclass(slots=True)
class _Answering:
    """A request that is being answered: its method, its target, and what of its body the application has read.

    `errors` are those that were kept while it was.
    """

    method: str
    target: str
    body: bytes = b""
    is_whole: bool = False
    errors: deque[BaseException] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    @property
    def asked(self) -> str:
        return asked(self.method, self.target, self.body if self.is_whole else None)


_ANSWERED: ContextVar[_Answering | None] = ContextVar("the request that is being answered", default=None)


class Watched(logging.Handler):
    """An ASGI application around another one: it keeps the tracebacks of what the inner one raises or logs.

    `raised` has them all.
    """

    def __init__(self, app: Any) -> None:
        super().__init__(logging.ERROR)
        self.raised: list[Raised] = []
        self._app = app
        self._taken = 0  # of `raised`
        self._outside: deque[BaseException] = deque(maxlen=_REMEMBERED)  # of requests
        self._requests = 0
        self._said = ""  # by the application as its start failed
        self._changed = threading.Condition()
        hooks = getattr(app, "after_exception", None)  # Litestar neither raises nor logs what it turns into a 500
        if isinstance(hooks, list):
            hooks.append(self._hooked)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer as the inner application does."""
        self._count(scope, 1)
        if scope["type"] == "http":
            path, query = scope.get("raw_path") or scope["path"].encode(), scope["query_string"]
            answering = _Answering(scope["method"], (path + b"?" * bool(query) + query).decode("latin-1"))
            _ANSWERED.set(answering)
            receive = _reading(receive, answering)

        async def hearing(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "lifespan.startup.failed":
                self._said = str(message.get("message", ""))
            await send(message)

        try:
            await self._app(scope, receive, hearing if scope["type"] == "lifespan" else send)
        except Exception as error:
            self._keep(error)
            raise
        finally:
            self._count(scope, -1)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the error of a log record: most frameworks log what they turn into a 500."""
        if record.exc_info and record.exc_info[1] is not None:
            self._keep(record.exc_info[1])

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear what is logged while the block lasts."""
        root = logging.getLogger()
        root.addHandler(self)
        try:
            yield
        finally:
            root.removeHandler(self)

    def take(self) -> list[Raised]:
        """The tracebacks since the last call, once no request is under way."""
        with self._changed:
            self._changed.wait_for(lambda: not self._requests, _SETTLED_S)
            new = self.raised[self._taken :]
            self._taken += len(new)
        return new

    def not_started(self, source: App, *, within: float | None = None) -> AppFailed:
        """Why the application did not start, in its own last lines; `within` so many seconds if it took longer."""
        failed = _failed(source) + ("" if within is None else f" within {within:g} s")
        said = self._said.strip().splitlines()
        if self._outside:
            return _failure(failed, self._outside[-1])
        if said:
            return AppFailed(f"{failed}: {' '.join(said[-1].split())}", "\n".join(said[-_LINES:]))
        return AppFailed(f"{failed}, and does not say why", "")

    async def _hooked(self, error: Exception, _scope: object) -> None:
        if getattr(error, "status_code", 500) >= 500:
            self._keep(error)

    def _count(self, scope: MutableMapping[str, Any], change: int) -> None:
        if scope["type"] == "http":
            with self._changed:
                self._requests += change
                self._changed.notify_all()

    def _keep(self, error: BaseException) -> None:
        with self._changed:
            answering = _ANSWERED.get()
            # with the request, since an error holds all that its frames hold, such as a connection of a pool
            known = answering.errors if answering else self._outside
            if not any(error is one for one in known):
                known.append(error)
                self.raised.append(Raised(answering.asked if answering else "", own_lines(error)))


def _reading(receive: Callable[[], Awaitable[Any]], answering: _Answering) -> Callable[[], Awaitable[Any]]:
    """`receive` of ASGI, which keeps the body that it gives."""

    async def received() -> Any:
        message = await receive()
        if message["type"] == "http.request":
            answering.body += message.get("body", b"")
            answering.is_whole = not message.get("more_body", False)
        return message

    return received
