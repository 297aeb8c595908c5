"""What a stream says of its targets is the same after it was written and read."""

from __future__ import annotations

from datetime import UTC, datetime

from petcheck.runner.head import head_of
from petcheck.stream.stream import Stream
from tests.config.configured import STAGING, configured


def test_no_wait_is_a_number_with_a_fraction() -> None:
    head = head_of(configured(target=[STAGING]), datetime(2026, 11, 22, tzinfo=UTC))
    assert [repr(part.waited_s) for part in Stream((head,)).parts] == ["0.0"]
