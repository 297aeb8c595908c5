"""Targets with the same server and key share a quota: none asks while the server has told another one to wait."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.forked import petcheck
from tests.support.peers import Caller, peer
from tests.system.test_hostile_peers import failure, store

PAUSE_S = 2
REFUSED = 20  # the number of the request that is refused, while several targets are asked


@dataclass
class Busy:
    """A store that refuses one request, and tells its caller to wait; `came` says when each one came."""

    came: list[float] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, caller: Caller) -> None:
        with self._lock:
            self.came.append(time.monotonic())
            number = len(self.came)
        if number == REFUSED:
            failure(caller, 429, b"Retry-After: %d\r\n" % PAUSE_S)
        else:
            time.sleep(0.01)
            store(caller)


@pytest.mark.parametrize(
    ("targets", "options"),
    [
        ("ab", ()),
        ("ab", ("-n", "2")),
        pytest.param("abcde", ("-n", "3"), marks=pytest.mark.slow),
    ],
    ids=["one process", "workers", "a process for each"],
)
def test_nobody_asks_within_the_retry_after_of_another(targets: str, options: tuple[str, ...], tmp_path: Path) -> None:
    busy = Busy()
    with peer(busy) as up:
        named = [word for name in targets for word in ("--target", f"{name}={up.url}")]
        ran = petcheck(tmp_path, *named, *options, "--connections", "1", "--examples", "0")
    assert ran.code == 0, ran.out + ran.err
    assert {target.requests.total > 0 for target in ran.result.targets} == {True}
    refused = busy.came[REFUSED - 1]
    assert len(busy.came) > REFUSED
    assert [at for at in busy.came if refused < at < refused + PAUSE_S] == []
