"""`petcheck.check`: one run in a separate process, independent of the calling program, in which it changes nothing.

The program may be a pytest run with any plugins, threads and event loops; a run has its own pytest, signals and
event loop.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from petcheck.config.keys import DEFAULT_TARGET, own_variable, without_keys
from petcheck.config.load import configure, drawn_seed, utc_today
from petcheck.config.options import OPTIONS, Options, Place, arguments_of
from petcheck.config.reach import hidden, secrets_of
from petcheck.config.settings_file import expect_known
from petcheck.embed.server import Server, server
from petcheck.errors import ConfigError, SuiteBroke, Untestable
from petcheck.results.load import read_run
from petcheck.results.result import Result
from petcheck.spec.outcomes import Exit
from petcheck.wire.credentials import ApiKey
from petcheck.wire.raised import Raised
from petcheck.wire.redaction import Redactor

# with them the run would write to the CI system's log and page, which belong to the program
_CI_SYSTEMS = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "TF_BUILD", "TEAMCITY_VERSION")
# -P: a file in the working folder that has a module's name is not that module
_COMMAND = (sys.executable, "-P", "-m", "petcheck", "--quiet")
_JUDGED = (Exit.HOLDS, Exit.FAILS, Exit.NOTHING_SELECTED, Exit.UNSETTLED)


class _Environment(dict[str, str]):
    """Environment variables that no traceback shows."""

    def __repr__(self) -> str:
        return f"<{len(self)} variables>"


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
        run(judged, name, options, Path(folder))
        return read_run(Path(folder)).result


def run(judged: Server, name: str, options: Options, folder: Path) -> list[Raised] | None:
    """Judge a server under that name, and write its reports into `folder`.

    Returns the tracebacks of an application; None for a URL.

    Raises ConfigError if the run cannot start as asked, Untestable if the server could not be tested, SuiteBroke if the
    suite itself broke, KeyboardInterrupt.
    """
    __tracebackhide__ = True
    environment = _Environment({key: value for key, value in os.environ.items() if key not in _CI_SYSTEMS})
    if judged.key is not None:
        environment[own_variable(name)] = judged.key.secret
    try:
        with judged.running() as up:
            target = up.base_url if name == DEFAULT_TARGET else f"{name}={up.base_url}"
            given: dict[str, Any] = {"target": [target], "reports": str(folder)} | _by_flag(options)
            config = configure(given, environment, today=utc_today(), seed=drawn_seed())
            shown, secret = hidden(given)  # every user of this machine may see a command line
            code, said = _finished([*_COMMAND, *arguments_of(shown)], environment | secret)
    except ConfigError as error:  # again, since its message goes to the program, which gave no option
        raise type(error)(without_keys(_in_python(str(error).removeprefix("--target ")), environment)) from None
    if code not in _JUDGED:
        raise _trouble(code, without_keys(said, environment), folder) from None
    if up.raised is None:
        return None
    others = Redactor(ApiKey(""), *(secret for one in config.targets for secret in secrets_of(one)))
    return [replace(one, lines=others.in_text(without_keys(one.lines, environment))) for one in up.raised]


def _by_flag(options: Options) -> dict[str, Any]:
    """The options by flag without dashes, as the command line has them, without those that are None or false."""
    names = {option.argument: option.name for option in OPTIONS if Place.PYTHON in option.places}
    for name in options:
        expect_known(name, list(names), "petcheck.Options", ConfigError)
    given = {names[name]: value for name, value in options.items() if value is not None and value is not False}
    return {flag: value if value is True else _text(value) for flag, value in given.items()}


def _in_python(message: str) -> str:
    """A message with the names that options have in Python."""
    names = {f"--{one.name}": one.argument + "=True" * (one.metavar is None) for one in OPTIONS}
    return re.sub(r"--[a-z][a-z-]*", lambda found: names.get(found[0], found[0]), message)


def _text(value: object) -> str | list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else str(value)


def _finished(command: list[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """The exit code of a process, and its output. The process ends with the caller's exception, if there is one."""
    process = subprocess.Popen(  # noqa: S603 - this Python, and checked options
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    try:
        said, trouble = process.communicate()
    except BaseException:
        process.terminate()  # it writes what it has judged
        process.wait()
        raise
    return process.returncode, trouble or said


def _trouble(code: int, said: str, folder: Path) -> BaseException:
    lines = said.strip().splitlines() or ["it said nothing"]
    last = lines[-1].removeprefix("petcheck: ")
    match code:
        case Exit.USAGE:
            return ConfigError(_in_python(last))
        case Exit.UNTESTABLE:
            reasons = (target.unreachable for target in read_run(folder).result.targets if target.unreachable)
            return Untestable(next(reasons, "the target was not tested"))
        case Exit.INTERRUPTED:
            return KeyboardInterrupt()
    return SuiteBroke(f"the run ended with {code}: {last}")
