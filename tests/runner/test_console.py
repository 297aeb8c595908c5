"""What a run shows, on a real terminal and elsewhere."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import select
import struct
import termios
from collections import Counter
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from petcheck.config.load import utc_today
from petcheck.spec.catalogue import catalogue
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.command import KEY, without_examples
from tests.support.forked import petcheck, start
from tests.support.peers import Caller, peer

ERASED = "\r\x1b[2K"
IN_FORCE = sum(not entry.untestable and entry.in_force(utc_today()) for entry in catalogue().judged)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server that breaks one requirement, and is slow enough for several updates of the live line."""
    settings = ReferenceSettings(keys={KEY: "business"}, anonymous_limit=10_000, faults=("default-limit-50",))
    app = create_app(settings)

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.02)
        await app(scope, receive, send)

    with running(slow) as url:
        yield f"{url}/v1"


def on_a_terminal(folder: Path, *arguments: str, columns: int = 80, **variables: str) -> str:
    """The output of a run without examples on a terminal with that many columns."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    process = start(
        folder, *without_examples(arguments), more={"TERM": "xterm-256color"} | variables, terminal=os.ttyname(theirs)
    )
    seen = b""
    while (ready := select.select([ours], [], [], 0.1)[0]) or process.poll() is None:
        if ready:
            seen += os.read(ours, 65_536)
    os.close(ours)
    os.close(theirs)
    assert process.poll() == 1
    return seen.decode()


def drawn(seen: str) -> list[str]:
    """Every state of the live line."""
    return [part for part in seen.rpartition(ERASED)[0].split(ERASED) if part]


@pytest.mark.parametrize("columns", [80, 40])
def test_a_terminal_shows_the_progress(columns: int, server: str, tmp_path: Path) -> None:
    seen = on_a_terminal(tmp_path, "--target", server, columns=columns, NO_COLOR="1")
    states = drawn(seen)
    wide = r"(\[[#.]+\] )?(up to \d+ s left, )?\d+ of \d+ checks, \d+ of at most 58 requests"
    wanted = wide if columns == 80 else r"(\d+ s left, )?\d+/\d+ checks(, \d+/58 requests)?"
    assert len(states) > 2
    assert all(re.fullmatch(wanted, state) and len(state) < columns for state in states), states
    assert any(state.startswith("[#") for state in states) == (columns == 80)
    assert any(" s left, " in state for state in states)
    told = seen.rpartition(ERASED)[2]
    assert "\x1b" not in told
    assert told.lstrip().startswith("LIST-4 · section 4.1")
    assert f"\ntarget does not conform: 1 of {IN_FORCE}" in told.replace("\r", "")
    assert all(len(text) <= columns or "curl " in text for text in told.split("\r\n"))


@pytest.mark.slow
def test_several_targets_and_workers_count_together(server: str, tmp_path: Path) -> None:
    targets = ("--target", f"a={server}", "--target", f"b={server}", "-n", "2")
    *_, last = drawn(on_a_terminal(tmp_path, *targets))
    match = re.search(r"(\d+) of (\d+) checks, (\d+) of at most 116 requests", last)
    assert match is not None
    assert int(match[1]) > int(match[2]) / 2
    assert int(match[3]) > 40


def test_a_log_shows_annotations_without_progress_and_the_verdict_last(server: str, tmp_path: Path) -> None:
    (tmp_path / "page").write_text("before\n")
    github = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(tmp_path / "page")}
    ran = petcheck(tmp_path, "--target", server, more=github)
    assert (ran.code, ran.err) == (1, "")
    assert "\r" not in ran.out
    assert "\x1b" not in ran.out
    remark, failure, *_, verdict, summary, _, reports, following = ran.out.splitlines()
    assert remark.startswith(
        "::error title=LIST-4 fails::GET /pets returned 200 OK: the page holds 50 animals; without `limit` at most 20"
    )
    assert verdict == f"target does not conform: 1 of {IN_FORCE} requirements fails."
    assert (tmp_path / "page").read_text() == "before\n" + (ran.reports / "summary.md").read_text()
    assert summary.startswith("  LIST-4: GET /pets returned 200 OK: the page holds 50 animals")
    assert failure == "LIST-4 · section 4.1"
    assert reports.startswith("reports: reports/report.html, ")
    assert following == "next: petcheck explain LIST-4; add --failed to run only what failed"
    assert ran.out.count("curl ") == 1


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.slow)], ids=["here", "in a worker"]
)
def test_pytest_shows_a_check_that_was_not_permitted_as_such(workers: tuple[str, ...], tmp_path: Path) -> None:
    """Another check of the same requirement has failed."""
    broken = create_app(ReferenceSettings(keys={KEY: "business"}, faults=("no-key-needed",)))
    with running(broken) as url:
        ran = petcheck(tmp_path, "AUTH-1", "--target", f"{url}/v1", "-v", *workers, more={"COLUMNS": "200"})
    shown = [line for line in ran.out.splitlines() if "-AUTH-1-" in line and "%]" in line]
    assert ["FAILED" in line for line in shown] == [True, False], ran.out
    assert "NOT-RUN" in shown[1]


def test_a_ci_terminal_shows_no_progress(server: str, tmp_path: Path) -> None:
    assert "\r\x1b" not in on_a_terminal(tmp_path, "--target", server, CI="true")


@pytest.mark.parametrize("arguments", [("-q",), pytest.param(("-qq", "-n", "1"), marks=pytest.mark.slow)], ids=" ".join)
def test_quiet_is_one_line(arguments: tuple[str, ...], server: str, tmp_path: Path) -> None:
    # a job page that cannot be written fails nothing
    ran = petcheck(tmp_path, "--target", f"staging={server}", *arguments, more={"GITHUB_STEP_SUMMARY": str(tmp_path)})
    assert (ran.code, ran.err) == (1, "")
    (target,) = ran.result.targets
    found = Counter(row.outcome if row.in_force else "n/a" for row in ran.result.requirements)
    counts = ", ".join(f"{found[name]} {name}" for name in ("pass", "fail", "inconclusive", "not-run", "n/a"))
    assert ran.out == (
        f"staging does not conform: 1 of {IN_FORCE} requirements fails. "
        f"({counts}; {target.requests.total} requests; seed {ran.result.run.seed}) reports/report.html\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["here", "in a worker"])
def test_a_pause_is_shown_although_pytest_captures_output(workers: tuple[str, ...], tmp_path: Path) -> None:
    def pausing(caller: Caller) -> None:
        if len(up.heads) == 1:
            caller.answer(b"{}", status="429 Slow", headers=b"Retry-After: 2\r\n")
        else:
            caller.answer(b"[]", headers=b"Content-Type: application/json\r\n")

    with peer(pausing) as up:
        ran = petcheck(tmp_path, "--target", up.url, "-k", "test_base_url", *workers)
    assert ran.code == 0
    told = ran.err if workers else ran.out
    assert re.match(r"target: .* in 2 s\n", told), ran.out + ran.err


def test_pytest_output_comes_first_on_request_and_text_of_a_target_stays_text(tmp_path: Path) -> None:
    said = "500 ##vso[task.complete result=Succeeded;]##[error]\x9b31m"
    with peer(lambda caller: caller.answer(b"[]", status=said)) as up:
        ran = petcheck(
            tmp_path, "--target", up.url, "-v", "--tb", "short", "-k", "test_parameters_are_accepted or test_page_is"
        )
    assert ran.out.count("\\u{23}#vso[task.complete") > 1
    assert re.search(r"##\w*\[|[\x80-\x9f\x1b]", ran.out) is None
    assert " FAILED" in ran.out
    assert 0 < ran.out.index("Generated html report") < ran.out.index("target does not conform")
    assert ran.out.splitlines()[-1].startswith("next: ")
