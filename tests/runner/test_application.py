"""An application of `--app`: how it is found, and what it says when it fails."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from petcheck.config.targets import App
from petcheck.errors import AppFailed, ConfigError
from petcheck.runner import application
from petcheck.runner.application import Watched, load_app, own_lines
from petcheck.wire.credentials import ApiKey
from petcheck.wire.raised import asked

KEY = ApiKey("k-123")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """Writes a module with some source into this folder, and returns its name, which no other test has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    application._loaded.cache_clear()
    written: list[str] = []

    def write(source: str) -> str:
        name = f"shop_{tmp_path.name}_{len(written)}"
        (tmp_path / f"{name}.py").write_text(source)
        written.append(name)
        return name

    yield write
    for name in written:
        sys.modules.pop(name, None)


def test_applications_of_both_kinds_are_loaded_once(module: Callable[[str], str]) -> None:
    name = module(
        "async def asgi(scope, receive, send): ...\n"
        "def wsgi(environ, start_response): ...\n"
        "class Inner:\n    app = asgi\n"
    )
    assert load_app(App(f"{name}:asgi", KEY)).__name__ == "asgi"
    assert load_app(App(f"{name}:Inner.app", KEY)) is load_app(App(f"{name}:asgi", KEY))
    wrapped = load_app(App(f"{name}:wsgi", KEY))
    assert type(wrapped).__name__ == "WSGIMiddleware"
    assert load_app(App(f"{name}:wsgi", KEY)) is wrapped


def test_a_factory_is_recognised_or_asked_for(module: Callable[[str], str]) -> None:
    name = module(
        "async def app(scope, receive, send): ...\n"
        "def create_app():\n    return app\n"
        "def create_app_with(settings=None):\n    return app\n"
        "def broken():\n    return 7\n"
    )
    loaded = load_app(App(f"{name}:app", KEY))
    assert load_app(App(f"{name}:create_app", KEY)) is loaded
    assert load_app(App(f"{name}:create_app_with", KEY, factory=True)) is loaded
    with pytest.raises(ConfigError, match=r":broken: broken\(\) returns no application$"):
        load_app(App(f"{name}:broken", KEY))


def test_a_name_that_leads_nowhere_is_a_mistake_of_the_command(module: Callable[[str], str]) -> None:
    name = module("number = 3\n")
    with pytest.raises(ConfigError, match=r":number: number is not an application$"):
        load_app(App(f"{name}:number", KEY))
    with pytest.raises(ConfigError, match=r"has no attribute 'none'; write it as module:application$"):
        load_app(App(f"{name}:none", KEY))
    with pytest.raises(ConfigError, match=r"^--app no_such.module:app: No module named 'no_such'; write it as"):
        load_app(App("no_such.module:app", KEY))


@pytest.mark.parametrize(
    ("source", "attribute", "said", "lines"),
    [
        ("1 / 0\n", "app", "ZeroDivisionError: division by zero", ["1 / 0", "ZeroDivisionError: division by zero"]),
        ("raise SystemExit(3)\n", "app", "SystemExit: 3", ["raise SystemExit(3)", "SystemExit: 3"]),
        ("import no_such_driver\n", "app", "ModuleNotFoundError: No module named 'no_such_driver'", ["no_such_driver"]),
        ("def make():\n    raise OSError('no disk')\n", "make", "OSError: no disk", ["in make", "OSError: no disk"]),
    ],
)
def test_code_of_the_application_that_fails_is_not_a_mistake_of_the_command(
    source: str, attribute: str, said: str, lines: list[str], module: Callable[[str], str]
) -> None:
    name = module(source)
    for _ in range(2):  # its code runs once
        with pytest.raises(AppFailed) as failed:
            load_app(App(f"{name}:{attribute}", KEY))
        assert str(failed.value) == f"--app {name}:{attribute} does not start: {said}"
    assert all(line in failed.value.log for line in lines)
    assert f'File "{name}.py", line ' in failed.value.log
    assert "importlib" not in failed.value.log


def test_lines_of_installed_packages_are_left_out() -> None:
    def careless() -> None:
        asyncio.run("no coroutine")  # type: ignore[arg-type]

    with pytest.raises((TypeError, ValueError), match="coroutine") as failed:  # Python 3.14 raises the former
        careless()
    assert "in careless" in own_lines(failed.value)
    assert "asyncio/runners.py" not in own_lines(failed.value)


# ---- while it answers


async def _nothing(*_: object) -> None: ...


def ask(watched: Watched, kind: str = "http") -> None:
    asyncio.run(watched({"type": kind, "method": "GET", "path": "/", "query_string": b""}, _nothing, _nothing))


def test_what_it_raises_is_kept_until_it_is_taken() -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        raise KeyError("status")

    watched = Watched(app)
    with pytest.raises(KeyError):
        ask(watched)
    (raised,) = watched.take()
    assert raised.lines.endswith("in app\n    raise KeyError(\"status\")\nKeyError: 'status'")
    assert watched.take() == []


def test_what_it_logs_is_kept_and_nothing_twice() -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        try:
            raise KeyError("status")
        except KeyError:
            logging.getLogger("shop").exception("Exception on /pets")
            raise

    watched = Watched(app)
    with watched.listening(), pytest.raises(KeyError):
        ask(watched)
    assert [raised.lines.splitlines()[-1] for raised in watched.take()] == ["KeyError: 'status'"]
    logging.getLogger("shop").error("after the run", exc_info=ValueError())
    assert watched.take() == []


def test_what_is_kept_of_an_error_does_not_keep_the_error_itself() -> None:
    class NoTableError(LookupError):
        pass

    alive = weakref.WeakSet[NoTableError]()

    async def app(scope: object, receive: object, send: object) -> None:
        error = NoTableError("pets")
        alive.add(error)
        raise error

    watched = Watched(app)
    for _ in range(3):
        with contextlib.suppress(NoTableError):
            ask(watched)
    gc.collect()
    assert (len(watched.raised), len(watched.take()), len(alive)) == (3, 3, 0)


@pytest.mark.parametrize(("reads", "known_by"), [(0, None), (1, None), (2, b"{}")])
def test_what_was_asked_is_kept_with_the_body_once_it_is_read(reads: int, known_by: bytes | None) -> None:
    body = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.request", "body": b"}"}])

    async def receive() -> object:
        return next(body)

    async def app(scope: object, receive: Any, send: object) -> None:
        for _ in range(reads):
            await receive()
        raise KeyError("status")

    watched = Watched(app)
    scope = {"type": "http", "method": "POST", "path": "/v1/pets", "query_string": b"a=b"}
    with pytest.raises(KeyError):
        asyncio.run(watched(scope, receive, _nothing))
    assert [raised.asked for raised in watched.take()] == [asked("POST", "/v1/pets?a=b", known_by)]


def test_why_it_did_not_start() -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        raise RuntimeError("no database")

    watched, source = Watched(app), App("shop:app", KEY)
    assert str(watched.not_started(source)) == "--app shop:app does not start, and does not say why"

    async def refusing(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "lifespan.startup.failed", "message": "Checked 3 settings.\nno database at db:5432"})

    refused = Watched(refusing)
    ask(refused, "lifespan")
    failure = refused.not_started(source)
    assert str(failure) == "--app shop:app does not start: no database at db:5432"
    assert failure.log == "Checked 3 settings.\nno database at db:5432"
    with pytest.raises(RuntimeError):
        ask(watched, "lifespan")
    failure = watched.not_started(source)
    assert str(failure) == "--app shop:app does not start: RuntimeError: no database"
    assert 'raise RuntimeError("no database")' in failure.log
    late = watched.not_started(source, within=60.0)
    assert str(late) == "--app shop:app does not start within 60 s: RuntimeError: no database"
