"""A signal ends the run, whatever Python is doing at that moment."""

from __future__ import annotations

import subprocess
import sys

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
