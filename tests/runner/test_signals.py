"""A signal ends the run, whatever Python is doing at that moment."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from petcheck.runner import signals

LOST_BY_A_DESTRUCTOR = """
import os, signal, time
from petcheck.runner.signals import install_handlers

class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)

install_handlers()
try:
    Last()
    time.sleep(30)
    print("went on")
except KeyboardInterrupt:
    print("ended")
"""


def test_an_interrupt_that_a_destructor_loses_is_raised_again() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LOST_BY_A_DESTRUCTOR], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("ended\n", "", 0)


@pytest.fixture
def expecting() -> Iterator[None]:
    """The handlers of a run are installed in this process."""
    numbers, hook = (signal.SIGINT, signal.SIGTERM), sys.unraisablehook
    before = [signal.getsignal(number) for number in numbers]
    signals.install_handlers()
    yield
    sys.unraisablehook = hook
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("expecting")
@pytest.mark.parametrize("fails", [False, True])
def test_a_signal_waits_for_what_is_under_way(fails: bool) -> None:
    done = []

    def interrupted() -> None:
        with signals.held():
            os.kill(os.getpid(), signal.SIGTERM)
            done.append(True)
            if fails:
                raise OSError

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done


@pytest.mark.usefixtures("expecting")
def test_a_signal_does_not_wait_for_long() -> None:
    def hanging() -> None:
        with signals.held(0.2):
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(600):  # a signal just before a sleep does not interrupt it
                time.sleep(0.1)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        hanging()
    assert time.monotonic() - began < 30


@pytest.mark.usefixtures("expecting")
def test_a_signal_does_not_wait_for_long_in_a_loop() -> None:
    def hanging() -> None:
        with signals.held(0.2):
            os.kill(os.getpid(), signal.SIGINT)
            loop.run_until_complete(asyncio.sleep(60))

    loop = asyncio.new_event_loop()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        hanging()
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    assert time.monotonic() - began < 30


@pytest.mark.usefixtures("expecting")
@pytest.mark.parametrize("several", [1, 4])
def test_a_signal_interrupts_no_task_in_the_middle(several: int) -> None:
    """A task that it hits may turn it into an error of its own, or keep it."""
    hit = []

    async def busy() -> None:
        try:
            while True:
                for _ in range(1000):
                    len("a step that takes a while")
                await asyncio.sleep(0)
        except KeyboardInterrupt as error:
            hit.append(error)

    async def all_of_them() -> None:
        await asyncio.gather(*(busy() for _ in range(several)))

    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    loop = asyncio.new_event_loop()
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(all_of_them())
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    assert hit == []


@pytest.mark.usefixtures("expecting")
def test_without_a_signal_the_first_is_expected_again() -> None:
    before = signal.getsignal(signal.SIGINT)
    with signals.held():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
    with signals.first_calls(lambda: None):
        os.kill(os.getpid(), signal.SIGINT)
        with signals.first_calls(lambda: None), signals.held():
            pass  # the second one would end this process
