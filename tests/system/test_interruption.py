"""Whatever ends a run, each report is written completely or the old file stays, and the exit code shows it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from petcheck.comparison import comparable
from petcheck.errors import InUse
from petcheck.evidence.verify import verify
from petcheck.reports.outputs import OUTPUTS, not_written, write_outputs
from petcheck.results import atomic_write
from petcheck.results.lock import FolderLock
from petcheck.results.result import load
from tests.support.command import Ran, ended, environment, petcheck, start
from tests.support.peers import Behaviour, Caller, peer
from tests.support.trial import small_run
from tests.system.test_hostile_peers import store

pytestmark = pytest.mark.slow

# of a run with one target, in the order in which they are written
ORDER = [output.name for output in OUTPUTS if output.name != comparable.FILE]
FILES = set(ORDER)
PROOF = {"manifest.json", "attestation.json"}
FEW = ("-k", "test_9 or test_page_is")


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until the condition is true."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds
        time.sleep(0.02)


def once(number: int, action: Callable[[], object]) -> Behaviour:
    """A small store; after that many requests, the action happens once."""
    count = itertools.count()

    def behaviour(caller: Caller) -> None:
        if next(count) == number:
            action()
        store(caller)

    return behaviour


def after(number: int, then: Behaviour) -> Behaviour:
    """A small store that behaves differently after that many requests."""
    count = iter(range(number))

    def behaviour(caller: Caller) -> object:
        return (store if next(count, None) is not None else then)(caller)

    return behaviour


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def assert_interrupted(ran: Ran) -> None:
    assert ran.code == 2, ran.out + ran.err
    assert ran.seconds < 20
    ran.assert_reports()
    assert not ran.result.complete
    assert ran.result.targets[0].requests.total >= 1
    assert names(ran.reports) == FILES | PROOF | {"pytest.html"}
    assert "Traceback" not in ran.out + ran.err
    assert_proven(ran)


def assert_proven(ran: Ran) -> None:
    """What the run wrote follows from its recording."""
    assert verify(ran.reports, None).wrong == ()


# ---- signals


@pytest.mark.slow
def test_a_signal_while_a_request_hangs(tmp_path: Path) -> None:
    with peer(after(8, Caller.hang)) as up:
        process = start(tmp_path, "--target", up.url, "--timeout", "100")
        until(lambda: len(up.heads) > 8)
        process.send_signal(signal.SIGINT)
        ran = ended(process, tmp_path)
    assert_interrupted(ran)
    # up to three others of the burst that hangs are lost with it
    assert ran.result.targets[0].requests.total >= 5
    assert "pass" in ran.outcomes.values()


def posts_hang(caller: Caller) -> None:
    (Caller.hang if caller.method == "POST" else store)(caller)


@pytest.mark.parametrize(
    "how",
    [("--connections", "1"), ("--connections", "4"), ("-n", "1")],
    ids=["alone", "in a burst", "in a worker"],
)
def test_a_post_that_a_signal_interrupts_may_have_left_an_animal(how: tuple[str, ...], tmp_path: Path) -> None:
    with peer(posts_hang) as up:
        process = start(tmp_path, "--target", up.url, "--allow-writes", "--timeout", "100", *how)
        until(lambda: any(head.startswith(b"POST") for head in up.heads))
        process.send_signal(signal.SIGINT)
        ran = ended(process, tmp_path)
        posts = sum(head.startswith(b"POST") for head in up.heads)
    assert_interrupted(ran)
    (target,) = ran.result.targets
    assert target.requests.post == posts > 0
    assert {animal.id for animal in target.created} == {None}
    assert "fail" not in ran.outcomes.values()
    assert "of unknown id" in ran.out


@pytest.mark.slow
def test_a_signal_during_a_wait_for_the_quota(tmp_path: Path) -> None:
    limited = b"HTTP/1.1 429 No\r\nContent-Length: 0\r\nRetry-After: 100\r\n\r\n"
    with peer(after(4, lambda caller: caller.send(limited))) as up:
        process = start(tmp_path, "--target", up.url, "--plan", "free")
        told = "target (plan free): rate-limited (429); resuming in 100 s\n"
        until(lambda: told in (tmp_path / "stdout").read_text())
        process.send_signal(signal.SIGTERM)
        assert_interrupted(ended(process, tmp_path))
        assert len(up.heads) == 5


def test_a_signal_before_the_run_has_begun(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(60)\n")
    process = start(tmp_path, "--app", "slow:app")
    until((tmp_path / "begun").exists)
    process.send_signal(signal.SIGINT)
    ran = ended(process, tmp_path)
    assert (ran.code, ran.last_line_of_trouble) == (2, "petcheck: interrupted")


# the run stands still in code that Python treats in its own way; the file `standing` shows that it does
ODD_PLACE = """
import pathlib, runpy, time
from petcheck.runner import start
class Named:
    def __set_name__(self, owner, name):
        time.sleep(60)
def prepare(*_, **__):
    pathlib.Path("standing").touch()
    {}
start.prepare = prepare
runpy.run_module("petcheck", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    "place",
    ['exec("time.sleep(60)")', 'type("Owner", (), {"named": Named()})'],
    ids=["code made from text", "the naming of a member"],
)
def test_a_signal_in_an_odd_place_ends_with_the_code_of_an_interruption(place: str, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(ODD_PLACE.format(place))
    process = start(tmp_path, "--target", "http://127.0.0.1:1/v1", program="odd")
    until((tmp_path / "standing").exists)
    process.send_signal(signal.SIGINT)
    ran = ended(process, tmp_path)
    assert (ran.code, ran.last_line_of_trouble) == (2, "petcheck: interrupted")


# the run stands still where WHERE says, before it has begun; the file `standing` shows that it does
STANDING = """
import os, pathlib, pkgutil, runpy, time
owner, _, name = os.environ["WHERE"].rpartition(".")
def stand(*_, **__):
    pathlib.Path("standing").touch()
    time.sleep(60)
setattr(pkgutil.resolve_name(owner), name, stand)
runpy.run_module("petcheck", run_name="__main__", alter_sys=True)
"""
COLLECTING = "petcheck.runner.schedule:Schedule.place"


def interrupted_at(where: str, folder: Path, *arguments: str) -> Ran:
    """A run that is interrupted there."""
    (folder / "standing.py").write_text(STANDING)
    process = start(folder, *arguments, program="standing", more={"WHERE": where})
    until((folder / "standing").exists)
    process.send_signal(signal.SIGINT)
    ran = ended(process, folder)
    assert (ran.code, ran.out, ran.last_line_of_trouble) == (2, "", "petcheck: interrupted")
    return ran


@pytest.mark.parametrize(
    ("where", "workers"),
    [(COLLECTING, ()), ("petcheck.runner.xdist:XdistController.pytest_configure_node", ("-n", "1"))],
    ids=["collecting", "starting a worker"],
)
def test_a_signal_before_the_first_check_leaves_the_reports_of_the_run_before(
    where: str, workers: tuple[str, ...], tmp_path: Path
) -> None:
    with peer(store) as up:
        assert petcheck(tmp_path, "--target", up.url, *FEW).code == 0
        before = {path.name: path.read_bytes() for path in (tmp_path / "reports").iterdir()}
        sent = len(up.heads)
        ran = interrupted_at(where, tmp_path, "--target", up.url, *FEW, *workers)
        assert len(up.heads) == sent
    assert {path.name: path.read_bytes() for path in ran.reports.iterdir()} == before


def test_a_signal_before_the_first_check_leaves_an_empty_folder_empty(tmp_path: Path) -> None:
    assert names(interrupted_at(COLLECTING, tmp_path, "--target", "http://127.0.0.1:1/v1").reports) == set()


OLD = '{"suite": {"name": "petcheck"}}'  # of an earlier run: files of others are not overwritten
# the first write takes as many tenths of a second as SLOW says; the file `writing` shows that it has begun
SLOW_DISK = """
import os, pathlib, runpy, time
fsync, left = os.fsync, int(os.environ["SLOW"])
def slow(descriptor):
    global left
    while left > 0:
        pathlib.Path("writing").touch()
        time.sleep(0.1)
        left -= 1
    fsync(descriptor)
os.fsync = slow
runpy.run_module("petcheck", run_name="__main__", alter_sys=True)
"""


def writing_slowly(folder: Path, tenths: int, url: str) -> subprocess.Popen[bytes]:
    """A run that is in the middle of writing its first file, over an old one."""
    (folder / "slowly.py").write_text(SLOW_DISK)
    (folder / "reports").mkdir()
    (folder / "reports" / "result.json").write_text(OLD)
    process = start(folder, "--target", url, *FEW, program="slowly", more={"SLOW": str(tenths)})
    until((folder / "writing").exists)
    return process


def test_a_signal_while_the_reports_are_written_changes_nothing_of_a_run_that_is_over(tmp_path: Path) -> None:
    with peer(store) as up:
        process = writing_slowly(tmp_path, 20, up.url)
        process.send_signal(signal.SIGTERM)
        ran = ended(process, tmp_path)
    assert (ran.code, ran.err) == (0, "")
    ran.assert_reports()
    assert ran.result.complete
    assert names(ran.reports) == FILES | PROOF | {"pytest.html"}
    assert_proven(ran)


def test_a_second_signal_while_the_reports_are_written_ends_at_once(tmp_path: Path) -> None:
    with peer(store) as up:
        process = writing_slowly(tmp_path, 600, up.url)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert any(name.endswith(".tmp") for name in names(tmp_path / "reports"))
        process.send_signal(signal.SIGTERM)
        ran = ended(process, tmp_path)
    assert (ran.code, ran.err) == (2, "\npetcheck: ended at once\n")
    assert ran.seconds < 20
    assert names(ran.reports) == {"result.json", "exchanges.jsonl"}
    assert (ran.reports / "result.json").read_text() == OLD


def test_a_second_signal_while_a_request_hangs_ends_at_once(tmp_path: Path) -> None:
    # the end of the run is delayed too, so that the second signal does not come too late
    (tmp_path / "clinging.py").write_text(
        "import pathlib, runpy, time\n"
        "from petcheck.runner import finish\n"
        "def judge(stream):\n    pathlib.Path('judging').touch()\n    time.sleep(60)\n"
        "finish.judge = judge\n"
        "runpy.run_module('petcheck', run_name='__main__', alter_sys=True)\n"
    )
    with peer(after(2, Caller.hang)) as up:
        process = start(tmp_path, "--target", up.url, "--timeout", "100", program="clinging")
        until(lambda: len(up.heads) > 2)
        process.send_signal(signal.SIGINT)
        until((tmp_path / "judging").exists)
        process.send_signal(signal.SIGINT)
        ran = ended(process, tmp_path)
    assert (ran.code, ran.err) == (2, "\npetcheck: ended at once\n")
    assert ran.seconds < 20
    assert names(ran.reports) == {"exchanges.jsonl"}


# ---- workers


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        pytest.skip("this system does not tell a process's children")
    return [int(child) for child in children.read_text().split()]


@pytest.mark.slow
def test_a_killed_worker_loses_no_verdict(tmp_path: Path) -> None:
    with peer(after(20, Caller.hang)) as up, peer(store) as other:
        targets = ("--target", f"a={up.url}", "--target", f"b={other.url}", "--examples", "0")
        process = start(tmp_path, *targets, "-n", "2", "--timeout", "100")
        until(lambda: len(up.heads) > 20)
        until(lambda: len(other.heads) > 20)
        # each worker has one target: kill the one with a socket to the target that is silent
        for worker in workers_of(process):
            if connected(worker, up.port):
                os.kill(worker, signal.SIGKILL)
        ran = ended(process, tmp_path)
    assert ran.code == 3, ran.out
    assert ran.err.endswith("petcheck: the suite broke: a worker process died\n")
    assert "The suite itself broke; the rest was not judged." in " ".join(ran.out.split())
    ran.assert_reports()
    assert_proven(ran)
    assert not ran.result.complete
    assert [target.name for target in ran.result.targets] == ["a", "b"]
    judged = {name: [check for check in ran.result.checks if check.target == name] for name in ("a", "b")}
    assert 0 < len(judged["a"]) < len(judged["b"])
    assert 1 < ran.result.targets[0].requests.total <= len(up.heads)  # one may have been lost and sent again
    missing = {row.reason for row in ran.result.requirements if row.target == "a" and row.outcome == "not-run"}
    assert "No check of this requirement ran: a worker process died." in missing


def connected(process: int, port: int) -> bool:
    """Whether a process has a TCP connection to a port of this machine."""
    table = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in table if int(row[2].rpartition(":")[2], 16) == port}
    links = []
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            links.append(str(descriptor.readlink()))
        except OSError:
            continue
    return not sockets.isdisjoint(links)


@pytest.mark.slow
def test_sigterm_to_a_run_with_workers(tmp_path: Path) -> None:
    with peer(after(8, Caller.hang)) as up:
        process = start(tmp_path, "--target", up.url, "-n", "1", "--timeout", "100")
        until(lambda: len(up.heads) > 8)
        process.send_signal(signal.SIGTERM)
        ran = ended(process, tmp_path)
    assert_interrupted(ran)
    assert "pass" in ran.outcomes.values()


# ---- the disk


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A file system of that many bytes on a folder; it needs root."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a file system")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=False)
    if mounted.returncode != 0:
        pytest.skip("this machine lets nobody mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def short_files(size: int) -> Iterator[None]:
    """No file may grow beyond that many bytes: a full disk for tests without root."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def old_files(folder: Path) -> None:
    for name in FILES:
        (folder / name).write_bytes(b"old")


def assert_whole_or_old(folder: Path, new: dict[str, bytes], why: str) -> None:
    """Write a run over old files: each is then the new or the old one, and the message names the old ones."""
    errors = write_outputs(small_run(), folder)
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(found) == FILES
    assert set(errors) == {name for name, content in found.items() if content == b"old"} != set()
    assert all(found[name] == new[name] for name in FILES - set(errors))
    assert not_written(folder, errors).endswith(f": {', '.join(errors)} ({why})")


@pytest.fixture
def written(tmp_path: Path) -> dict[str, bytes]:
    """What a run writes if the disk has room."""
    folder = tmp_path / "whole"
    assert write_outputs(small_run(), folder) == {}
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_full_disk_at_any_byte(written: dict[str, bytes], tmp_path: Path) -> None:
    sizes = sorted(len(content) for content in written.values())
    for size in {0, *sizes[:-1], sizes[-1] - 1}:
        folder = tmp_path / str(size)
        folder.mkdir()
        old_files(folder)
        with short_files(size):
            assert_whole_or_old(folder, written, "File too large")
        left = [path for path in folder.iterdir() if path.read_bytes() == b"old"]
        assert len(left) == sum(size < length for length in sizes)


def test_a_disk_that_fills_up_at_any_write(written: dict[str, bytes], tmp_path: Path) -> None:
    pages = sum(-(-len(content) // 4096) for content in written.values())
    folder = tmp_path / "disk"
    folder.mkdir()
    for free in range(0, pages - len(FILES), max(1, pages // 5)):
        with small_disk(folder, (len(FILES) + free) * 4096):
            old_files(folder)
            assert_whole_or_old(folder, written, "No space left on device")


def trouble(ran: Ran) -> list[str]:
    return [line for line in ran.err.splitlines() if line.startswith("petcheck: not written")]


def assert_unwritten(ran: Ran, why: str, folder: str = "reports") -> None:
    """The verdict is shown, the exit code is 3, and one line says what is missing, where and why."""
    assert ran.code == 3
    assert "\ntarget: " in ran.out
    (line,) = trouble(ran)
    files = ", ".join([*ORDER, "manifest.json", "pytest.html"])
    assert line == f"petcheck: not written into {folder}: {files} ({why})"
    assert ran.err == f"{line}\n"
    assert "\nreports: " not in ran.out
    assert "Generated html report" not in ran.out


def test_a_disk_that_is_full_when_a_run_ends(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 3 * 4096):
        (disk / "result.json").write_text(OLD)

        with peer(once(1, lambda: (disk / "filler").write_bytes(b"x" * 2 * 4096))) as up:
            ran = petcheck(tmp_path, "--target", up.url, "--reports", "disk", *FEW)
        assert_unwritten(ran, "No space left on device", "disk")
        assert names(disk) == {"result.json", "exchanges.jsonl", "filler"}  # the stream as far as it came
        assert (disk / "result.json").read_text() == OLD


def test_one_line_names_no_report_that_was_not_written(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 3 * 4096):
        with peer(once(1, lambda: (disk / "filler").write_bytes(b"x" * 2 * 4096))) as up:
            ran = petcheck(tmp_path, "--target", up.url, "--reports", "disk", "-q", *FEW)
        assert (ran.code, "report.html" in ran.out) == (3, False)
        assert ran.out.startswith("target: ")


def test_a_disk_that_is_full_for_a_while_breaks_a_run_with_workers(tmp_path: Path) -> None:
    """What the worker could not write is lost, and no verdict may rest on the rest alone."""
    disk, count = tmp_path / "disk", itertools.count()
    disk.mkdir()

    def behaviour(caller: Caller) -> None:
        number = next(count)
        if number == 1:
            with contextlib.suppress(OSError):
                (disk / "filler").write_bytes(b"x" * 2_000_000)
        if number == 20:
            (disk / "filler").unlink()
        store(caller)

    with small_disk(disk, 1_000_000), peer(behaviour) as up:
        ran = petcheck(tmp_path, "--target", up.url, "--reports", "disk", "-n", "1")
        said = "a worker process could not write to exchanges.jsonl (No space left on device)"
        assert ran.code == 3
        assert ran.err.endswith(f"petcheck: the suite broke: {said}\n")
        assert not load(disk / "result.json").complete
        assert verify(disk, None).wrong == ()


def test_a_folder_that_is_replaced_by_a_file(tmp_path: Path) -> None:
    def replace() -> None:
        shutil.rmtree(tmp_path / "reports")
        (tmp_path / "reports").write_text("in the way")

    with peer(once(1, replace)) as up:
        assert_unwritten(petcheck(tmp_path, "--target", up.url, *FEW), "Not a directory")
    assert (tmp_path / "reports").read_text() == "in the way"


def test_a_folder_that_becomes_read_only(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    if os.geteuid() != 0:
        with peer(once(1, lambda: folder.chmod(0o500))) as up:
            ran = petcheck(tmp_path, "--target", up.url, *FEW)
        folder.chmod(0o700)
        assert_unwritten(ran, "Permission denied")
        return
    # file modes do not stop root
    with small_disk(folder, 1_000_000):
        remount = ["mount", "-o", "remount,ro", str(folder)]
        with peer(once(1, lambda: subprocess.run(remount, check=True))) as up:
            assert_unwritten(petcheck(tmp_path, "--target", up.url, *FEW), "Read-only file system")


def test_a_folder_that_disappears_is_created_again(tmp_path: Path) -> None:
    with peer(once(1, lambda: shutil.rmtree(tmp_path / "reports"))) as up:
        ran = petcheck(tmp_path, "--target", up.url, *FEW)
    assert ran.code == 0, ran.out
    ran.assert_reports()
    assert names(ran.reports) == FILES | PROOF | {"pytest.html"}


def test_the_working_folder_disappears_during_the_run(tmp_path: Path) -> None:
    here, logs = tmp_path / "here", tmp_path / "logs"

    logs.mkdir()
    with peer(once(1, lambda: shutil.rmtree(here))) as up:
        # the output goes elsewhere, since the folder is removed
        program = f"import os, runpy; os.mkdir({str(here)!r}); os.chdir({str(here)!r}); runpy.run_module('petcheck')"
        (logs / "below.py").write_text(program)
        ran = petcheck(logs, "--target", up.url, "--reports", str(logs / "reports"), *FEW, program="below")
    assert ran.code == 3
    assert ran.last_line_of_trouble == (
        "petcheck: the suite broke outside of the checks (FileNotFoundError: No such file or directory)"
    )
    assert names(ran.reports) == FILES | PROOF
    ran.assert_reports()


def test_a_closed_output_loses_no_report(tmp_path: Path) -> None:
    with peer(store) as up, (tmp_path / "err").open("wb") as err:
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.Popen(
            [sys.executable, "-m", "petcheck", "--target", up.url, *FEW],
            cwd=tmp_path,
            env=environment(),
            stdout=writer,
            stderr=err,
        )
        os.close(writer)
        assert process.wait(60) == 141
    assert (tmp_path / "err").read_text() == ""
    assert names(tmp_path / "reports") >= FILES


# ---- two runs, one folder


@pytest.mark.slow
def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    with peer(after(2, Caller.hang)) as up, peer(store) as other:
        first = start(tmp_path / "a", "--target", up.url, "--timeout", "100", "--reports", "../reports")
        until(lambda: len(up.heads) > 2)
        second = petcheck(tmp_path / "b", "--target", other.url, "--reports", str(tmp_path / "reports"), *FEW)
        assert second.last_line_of_trouble == (
            f"petcheck: {tmp_path}/reports is in use by another run that has not ended; wait for its end, "
            "or give this run its own folder with --reports"
        )
        assert (second.code, second.out) == (4, "")
        for harmless in ("--dry-run", "--collect-only"):
            assert petcheck(tmp_path / "b", "--target", other.url, "--reports", "../reports", harmless).code == 0
        assert other.connections == 0
        # the kernel releases the lock when the process ends
        first.kill()
        first.wait()
        draft = tmp_path / "reports" / ".result.json.0123456789ab.tmp"
        draft.write_text("{")
        third = petcheck(tmp_path / "b", "--target", other.url, "--reports", "../reports", *FEW)
    assert third.code == 0
    assert names(tmp_path / "reports") == FILES | PROOF | {"pytest.html"}


def test_a_lock_is_held_by_one_run_and_leaves_nothing_behind(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    assert first.held
    with pytest.raises(InUse, match=r"is in use by another run that has not ended$"):
        FolderLock(tmp_path)
    first.release()
    first.release()
    again = FolderLock(tmp_path)
    assert again.held
    again.release()
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_locks_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unknown)
    assert not FolderLock(tmp_path).held
    assert not FolderLock(tmp_path / "nowhere").held


def test_only_unfinished_files_are_removed(tmp_path: Path) -> None:
    for name in (".result.json.0123456789ab.tmp", ".mine.tmp", "result.json", ".x.0123456789AB.tmp"):
        (tmp_path / name).touch()
    atomic_write.sweep(tmp_path)
    assert names(tmp_path) == {".mine.tmp", "result.json", ".x.0123456789AB.tmp"}
    atomic_write.sweep(tmp_path / "nowhere")
