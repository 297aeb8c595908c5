"""`petcheck.check`: a run in its own process, and the exceptions of one that cannot start or end."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import petcheck
from petcheck.results.lock import FolderLock
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.trial import server

KEY = "canary-Zq7vXw2TzR9mPb4LcY8dHs3NfJ"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and an environment without a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PETSTORE_API_KEY", raising=False)
    return tmp_path


@pytest.fixture
def ci_system(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    page = here / "page.md"
    page.touch()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    return page


def test_a_url_gives_a_result_says_nothing_and_leaves_nothing(
    ci_system: Path, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with server(faults=["no-limit-header"], key=KEY) as url:
        result = petcheck.check(url, key=KEY, examples=0, seed=7, as_of="2030-12-05")
    failing = {row.id for row in result.requirements if row.outcome == "fail"}
    assert "RATE-1" in failing
    assert (result.complete, result.run.exit, result.run.seed, result.run.as_of) == (True, 1, 7, "2030-12-05")
    assert tuple(capfd.readouterr()) == ("", "")
    assert ci_system.read_text("utf-8") == ""
    assert list(here.iterdir()) == [ci_system]


def test_an_application_and_its_key_and_reports(here: Path) -> None:
    app = create_app(ReferenceSettings(keys={KEY: "pro"}))
    result = petcheck.check((app, KEY), name="shop", allow_writes=True, examples=0, reports=here / "out")
    assert result.run.exit == 0
    assert [target.name for target in result.targets] == ["shop"]
    assert result.targets[0].requests.post > 0
    assert (here / "out" / "report.html").exists()
    assert all(KEY.encode() not in path.read_bytes() for path in (here / "out").iterdir())


def refusing_wsgi(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    start_response("403 Forbidden", [("Content-Type", "text/plain")])
    return [environ["PATH_INFO"].encode()]


def test_a_wsgi_application_below_another_path(here: Path) -> None:
    with pytest.raises(petcheck.Untestable, match="403"):
        petcheck.check(refusing_wsgi, key=KEY, base_path="/shop/v1", reports=here / "out")
    recorded = (here / "out" / "exchanges.jsonl").read_text("utf-8")
    assert "/shop/v1/pets" in recorded


@pytest.mark.slow
def test_nothing_answers(here: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(petcheck.Untestable, match="does not answer"):
            petcheck.check(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", key=KEY)
    assert list(here.iterdir()) == []


async def broken_at_start(scope: dict[str, Any], receive: Any, send: Any) -> None:
    assert scope["type"] == "lifespan"
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "no database"})


@pytest.mark.parametrize(
    ("target", "given", "error", "says"),
    [
        ("http://127.0.0.1:9/v1", {}, petcheck.BadKey, "set PETSTORE_API_KEY"),
        ("http://127.0.0.1:9/v1", {"key": "id"}, petcheck.BadKey, "too short"),
        ("http://pets.example/v1", {"key": KEY}, petcheck.BadUrl, "unencrypted"),
        ("ftp://pets.example/v1", {"key": KEY}, petcheck.BadUrl, "^ftp://pets.example/v1: not an http"),
        ("http://127.0.0.1:9/v1", {"key": KEY, "plan": "gold"}, petcheck.BadValue, "no such plan"),
        ("http://127.0.0.1:9/v1", {"key": KEY, "config": "none.toml"}, petcheck.BadFile, "cannot be read"),
        ("http://127.0.0.1:9/v1", {"key": KEY, "max_request": 9}, petcheck.ConfigError, "did you mean max_requests?"),
        ("http://127.0.0.1:9/v1", {"key": KEY, "dry_run": True}, petcheck.ConfigError, "unknown setting 'dry_run'"),
        (object(), {"key": KEY}, petcheck.BadApp, "neither a URL nor an"),
        (broken_at_start, {"key": KEY}, petcheck.BadApp, "did not start"),
        (f"http://127.0.0.1:9/{KEY}/v1", {"key": KEY}, petcheck.ConfigError, "contains the API key"),
    ],
)
def test_what_cannot_start_sends_nothing(
    here: Path, target: object, given: dict[str, Any], error: type[petcheck.ConfigError], says: str
) -> None:
    with pytest.raises(error, match=says) as caught:
        petcheck.check(target, **given)
    assert KEY not in str(caught.value)
    assert issubclass(error, petcheck.PetcheckError)
    assert list(here.iterdir()) == []


def test_what_only_the_process_notices(here: Path) -> None:
    (here / "out").mkdir()
    lock = FolderLock(here / "out")
    with pytest.raises(petcheck.ConfigError, match="in use by another run"):
        petcheck.check("http://127.0.0.1:9/v1", key=KEY, reports="out")
    lock.release()


def test_a_suite_that_breaks(here: Path) -> None:
    (here / "out" / "summary.md").mkdir(parents=True)
    with server(key=KEY) as url, pytest.raises(petcheck.SuiteBroke, match=r"summary\.md"):
        petcheck.check(url, key=KEY, examples=0, reports="out")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.slow
def test_an_interrupt_ends_the_run_too(here: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        program = f"import petcheck; petcheck.check({url!r}, key={KEY!r})"
        asking = subprocess.Popen(
            [sys.executable, "-c", program],
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
        )
        connection, _ = silent.accept()
        assert running_with(url)
        asking.send_signal(signal.SIGINT)
        asking.wait(60)
        connection.close()
    assert asking.returncode == -signal.SIGINT
    assert not running_with(url)


def running_with(argument: str) -> list[str]:
    """The processes that have `--target=` and this argument."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if f"--target={argument}\0" in path.read_text("utf-8", "replace"):
                found.append(path.parent.name)
    return found
