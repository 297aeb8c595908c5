"""Each task has a process of its own: what happens to one happens to no other."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from petcheck.runner.processes import Done, Processes, Task


def double(number: int) -> int:
    return 2 * number


def place() -> tuple[str, str | None, int]:
    return str(Path.cwd()), os.environ.get("PLACE"), os.getpid()


def die() -> int | None:
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def fail(secret: str) -> None:
    raise ValueError(secret)


def begin_and_wait(began: Path) -> str:
    began.touch()
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        return "interrupted"
    return "slept"


def large() -> bytes:
    return bytes(1_000_000)


def test_every_task_is_done_however_few_run_at_a_time() -> None:
    tasks = [Task(str(number), double, (number,)) for number in range(5)]
    for most in (1, 3, 9):
        done = sorted(Processes(most).each(tasks), key=lambda one: one.name)
        assert done == [Done(str(number), 2 * number) for number in range(5)]


def stay(seconds: float, given: object) -> tuple[float, object, float]:
    began = time.monotonic()
    time.sleep(seconds)
    return began, given, time.monotonic()


def test_tasks_of_one_queue_follow_each_other_and_get_what_is_known_by_then() -> None:
    known: dict[str, str] = {}
    tasks = [
        Task(name, stay, (0.2,), queue, lambda queue=queue: (known.get(queue),))  # type: ignore[misc]
        for name, queue in (("a1", "a"), ("a2", "a"), ("b1", "b"), ("a3", "a"), ("b2", "b"))
    ]
    spans: dict[str, tuple[float, object, float]] = {}
    for done in Processes(5).each(tasks):
        assert done.value is not None
        spans[done.name] = done.value
        known[done.name[0]] = done.name
    assert [spans[name][1] for name in ("a1", "a2", "a3", "b1", "b2")] == [None, "a1", "a2", None, "b1"]
    for before, after in (("a1", "a2"), ("a2", "a3"), ("b1", "b2")):
        assert spans[before][2] <= spans[after][0]
    assert spans["b1"][0] < spans["a2"][0]  # queues do not wait for each other


def test_a_task_has_the_folder_and_the_variables_of_its_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLACE", "here")
    found = [done.value for done in Processes(2).each([Task("a", place, ()), Task("b", place, ())])]
    assert {value[:2] for value in found if value} == {(str(tmp_path), "here")}
    assert len({os.getpid(), *(value[2] for value in found if value)}) == 3


def test_a_process_that_dies_ends_its_own_task_alone() -> None:
    tasks: list[Task[int | None]] = [Task("dead", die, ()), Task("other", double, (4,))]
    done = {one.name: one.value for one in Processes(2).each(tasks)}
    assert done == {"dead": None, "other": 8}


def test_an_error_is_told_without_its_message() -> None:
    assert list(Processes(1).each([Task("a", fail, ("sk-secret",))])) == [Done("a", None, "ValueError")]


def test_a_large_value_arrives_whole() -> None:
    (done,) = Processes(1).each([Task("a", large, ())])
    assert done.value == bytes(1_000_000)


def test_after_stop_no_further_task_is_begun() -> None:
    at_work, done = Processes(1), []
    for one in at_work.each(Task(str(number), double, (number,)) for number in range(5)):
        done.append(one.name)
        at_work.stop()
    assert done == ["0"]
    assert not at_work.interrupted


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_without_a_signal_the_handlers_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    assert len(list(Processes(1).each([Task("a", double, (1,))]))) == 1
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.usefixtures("handlers")
def test_a_signal_interrupts_those_that_run_and_begins_no_other(tmp_path: Path) -> None:
    began = [tmp_path / name for name in ("a", "b", "c")]
    at_work = Processes(2)

    def interrupt() -> None:
        while not (began[0].exists() and began[1].exists()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    tasks = [Task(path.name, begin_and_wait, (path,)) for path in began]
    done = sorted(at_work.each(tasks), key=lambda one: one.name)
    assert done == [Done("a", "interrupted"), Done("b", "interrupted")]
    assert at_work.interrupted
    assert not began[2].exists()
