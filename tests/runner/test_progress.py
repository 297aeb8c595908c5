"""The progress of a run in one line that fits."""

from __future__ import annotations

import io

import pytest

from petcheck.runner.progress import Announcer, Progress, progress_line


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (98, "[##......] waiting 9 s, up to 75 s left, 5 of 20 checks, 12 of at most 60 requests, a: it is over"),
        (87, "waiting 9 s, up to 75 s left, 5 of 20 checks, 12 of at most 60 requests, a: it is over"),
        (70, "waiting 9 s, 75 s left, 5/20 checks, 12/60 requests, a: it is over"),
        (60, "waiting 9 s, 75 s left, 5/20 checks, 12/60 requests"),
        (30, "waiting 9 s, 75 s left"),
        (5, "waiti"),
    ],
)
def test_the_line_fits_and_the_seconds_are_first(width: int, shown: str) -> None:
    progress = Progress(5, 20, 12, 60, wait=9, why="a: it is over", left=75)
    assert progress_line(progress, width) == shown
    assert len(shown) <= width


def test_the_time_left_is_that_of_the_requests_and_the_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("petcheck.runner.progress._is_terminal", lambda _: True)
    monkeypatch.setattr("sys.stderr", shown := io.StringIO())
    announcer = Announcer(io.StringIO(), live=True, budget=60, waits=60)
    announcer.expect(20)
    now = 110.0
    announcer.sent("a", 20)  # half a second each
    assert shown.getvalue().endswith("up to 80 s left, 0 of 20 checks, 20 of at most 60 requests")
    announcer.waiting("a", 40, "its window resets")
    now = 140.0
    announcer.waiting("a", 10, "its window resets")
    assert shown.getvalue().endswith("waiting 10 s, 50 s left, 0/20 checks, 20/60 requests, a: its window resets")
    now = 150.0
    announcer.sent("a", 60)
    assert "up to 20 s left" in shown.getvalue().rpartition("\x1b[2K")[2]  # as much as was forecast and not waited


def test_the_line_omits_unknown_figures() -> None:
    assert progress_line(Progress(), 40) == "[........................] 0 of ? checks"
    assert progress_line(Progress(checks=0, sent=3), 10) == "0/? checks"
