"""The progress of a run in one line that fits."""

from __future__ import annotations

import pytest

from petcheck.runner.progress import Progress, progress_line


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (100, "[######..................] 5 of 20 checks, 12 of at most 60 requests, a: over in 9 s"),
        (64, "5 of 20 checks, 12 of at most 60 requests, a: over in 9 s"),
        (50, "5/20 checks, 12/60 requests, a: over in 9 s"),
        (30, "5/20 checks, 12/60 requests, a"),
    ],
)
def test_the_line_fits(width: int, shown: str) -> None:
    assert progress_line(Progress(5, 20, 12, 60, "a: over in 9 s"), width) == shown


def test_the_line_omits_unknown_figures() -> None:
    assert progress_line(Progress(), 40) == "[........................] 0 of ? checks"
    assert progress_line(Progress(checks=0, sent=3), 10) == "0/? checks"
