"""`petcheck serve`: several runs in a row against it do not wait for each other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import KEY, environment, petcheck


@pytest.mark.slow
def test_runs_in_a_row_do_not_wait(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "petcheck", "serve", "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as serving:
        try:
            assert serving.stdout is not None
            url = re.search(r"http://127\.0\.0\.1:\d+/v1", serving.stdout.readline())
            assert url is not None
            runs = [petcheck(tmp_path, "AUTH", "--target", url[0], "--allow-writes", key=KEY) for _ in range(4)]
        finally:
            serving.terminate()
    assert [run.code for run in runs] == [0] * 4
    last = runs[-1].result.targets[0]
    assert (last.rate_limited, last.waited_s) == (0, 0), runs[-1].out + runs[-1].err
