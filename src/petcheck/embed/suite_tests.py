"""`petcheck.requirement_tests`: one test for each requirement, in the user's own pytest suite.

It is a test function with a parameter for the requirement, so that everything of pytest works on it. The first test
that runs judges the server once; the others read its result, those in other processes of pytest-xdist too.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import FrameType
from typing import Any, Unpack

import pytest

from petcheck.config.keys import DEFAULT_TARGET
from petcheck.config.options import Options
from petcheck.embed.process import run
from petcheck.embed.server import Server, masked, server
from petcheck.errors import InUse, PetcheckError
from petcheck.judging.waivers import fails_by_waiver, is_unexamined
from petcheck.results.load import RecordedRun, read_run
from petcheck.results.lock import FolderLock
from petcheck.spec.catalogue import catalogue
from petcheck.wire.raised import Raised, with_tracebacks

_POLL_S = 0.05
_KEPT = pytest.StashKey[dict[Path, "RecordedRun | str"]]()


def requirement_tests(
    target: Any,
    *,
    key: str | None = None,
    name: str = DEFAULT_TARGET,
    base_path: str | None = None,
    reports: str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Callable[..., None]:
    """A test function that pytest runs once for each requirement: `test_petstore = requirement_tests("server")`.

    Args:
        target: the name of a fixture that gives a server, or the server itself, both as `check` takes it. A fixture
            may give a pair of the server and its key. The server must answer while a test runs: in its own thread
            or process, not in the event loop of a fixture.
        key, name, base_path, reports, options: as `check` takes them.

    Returns:
        The function, to be bound to a name that pytest collects. A requirement that fails is a test that fails, with
        the exchange that shows it; inconclusive and not-run are skipped, or fail with `strict=True`; waived is an
        expected failure. If the run cannot start, or the server cannot be tested, every test fails and says why.
    """
    secret = masked(key)
    del key
    fixture = target if isinstance(target, str) and target.isidentifier() else None

    def judge(
        requirement: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, **given: Any
    ) -> None:
        __tracebackhide__ = True
        judged = server(target if fixture is None else given.pop(fixture), secret, base_path)
        shared = _shared_folder(request, tmp_path_factory)
        folder = shared / "reports" if reports is None else Path(reports)
        kept = request.config.stash.setdefault(_KEPT, {})
        if shared not in kept:
            kept[shared] = _found(judged, name, options, folder, shared / "over")
        _report(kept[shared], requirement, strict=options.get("strict", False))

    needed = ("requirement", "request", "tmp_path_factory", *([fixture] if fixture else []))
    test = _at(sys._getframe(1), lambda **given: judge(**given))
    parameters = [inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD) for one in needed]
    test.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    requirements = [pytest.param(one.id, id=one.title) for one in catalogue().judged]
    decorated: Callable[..., None] = pytest.mark.parametrize("requirement", requirements)(test)
    return decorated


def _at(caller: FrameType, test: Any) -> Callable[..., None]:
    """The function as if it stood in the caller's line: pytest shows where a test is written, and where it skips."""
    test.__code__ = test.__code__.replace(co_filename=caller.f_code.co_filename, co_firstlineno=caller.f_lineno)
    test.__name__ = test.__qualname__ = "test"  # pytest collects no lambda
    function: Callable[..., None] = test
    return function


def _found(judged: Server, name: str, options: Options, folder: Path, over: Path) -> RecordedRun | str:
    """The run in `folder`, or one line that says why there is none; the first to ask makes it, and the file `over`."""
    lock = _lock_of(over.parent)
    try:
        if not over.exists():
            try:
                trouble, raised = "", run(judged, name, options, folder)
            except PetcheckError as error:
                trouble, raised = f"{type(error).__name__}: {error}", None
            over.write_text(json.dumps([trouble, raised and list(map(asdict, raised))]), encoding="utf-8")
    finally:
        lock.release()
    trouble, raised = json.loads(over.read_text(encoding="utf-8"))
    if trouble:
        return str(trouble)
    found = read_run(folder)
    if raised is None:
        return found
    return replace(found, evidence=tuple(with_tracebacks(found.evidence, [Raised(**one) for one in raised])))


def _lock_of(folder: Path) -> FolderLock:
    """The lock on a folder, once no other process has it."""
    while True:
        with suppress(InUse):
            return FolderLock(folder)
        time.sleep(_POLL_S)


def _shared_folder(request: pytest.FixtureRequest, folders: pytest.TempPathFactory) -> Path:
    """A folder for the run of this test function and of its other parameters, the same in each process of xdist."""
    own = folders.getbasetemp()
    worker = hasattr(request.config, "workerinput")
    indices = getattr(request.node, "callspec").indices  # noqa: B009 - not every node has it
    others = sorted((name, index) for name, index in indices.items() if name != "requirement")
    which = f"{request.node.nodeid.partition('[')[0]} {others}"
    shared = (own.parent if worker else own) / f"petcheck-{hashlib.sha256(which.encode()).hexdigest()[:12]}"
    shared.mkdir(exist_ok=True)
    return shared


def _report(found: RecordedRun | str, requirement: str, *, strict: bool) -> None:
    """End the test of a requirement as its verdict asks."""
    __tracebackhide__ = True
    if isinstance(found, str):
        pytest.fail(found, pytrace=False)
    row = next(row for row in found.result.requirements if row.id == requirement)
    reason = f"{row.outcome}: {row.reason}"
    match row.outcome:
        case "pass" if row.waiver is None:
            return
        case "waived":
            pytest.xfail(reason)
        case "inconclusive" | "not-run" if not (fails_by_waiver(row) or (strict and is_unexamined(row))):
            pytest.skip(reason)
    from petcheck.reports.terminal import one_failure

    pytest.fail(one_failure(found.result, row, found.evidence), pytrace=False)
