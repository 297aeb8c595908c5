"""`petcheck.check`: judges a server, and returns the result."""

from __future__ import annotations

import os
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Unpack

from petcheck.config.keys import DEFAULT_TARGET
from petcheck.config.options import Options
from petcheck.embed.process import run
from petcheck.embed.server import server
from petcheck.results.result import Result


def check(
    target: Any,
    *,
    key: str | None = None,
    name: str = DEFAULT_TARGET,
    base_path: str | None = None,
    reports: str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Result:
    """Judge a server in a separate process, and return the result.

    Args:
        target: the base URL of a server, as text or as an object that `str` turns into it; or an ASGI or WSGI
            application, which is served on loopback for the run; or a pair of either and its key.
        key: the API key. Without one it is in the environment: `PETSTORE_API_KEY_` and the name, or `PETSTORE_API_KEY`.
        name: what reports and waivers call the target.
        base_path: the path of the interface below `target`: without it, `/v1` below an application.
        reports: the folder to write the reports into. Without one, none are left.
        options: the options of the command `petcheck`, with underscores: `allow_writes=True`, `plan="free"`.

    Returns:
        The verdict on each requirement, what was observed, and what was sent: the value of result.json.

    Raises:
        ConfigError: the run cannot start as asked; nothing was sent. Its subclasses say what is wrong.
        Untestable: the server could not be tested: it does not answer, or refuses the key everywhere.
        SuiteBroke: petcheck itself failed, which says nothing about the server.

    Blocks until the run has ended, some seconds. In a coroutine, call it with `asyncio.to_thread`. A `petcheck.toml` in
    the working folder counts, as it does for the command.
    """
    __tracebackhide__ = True
    judged = server(target, key, base_path)
    del target, key
    with tempfile.TemporaryDirectory(prefix="petcheck-") if reports is None else nullcontext(reports) as folder:
        return run(judged, name, options, Path(folder)).run.result
