"""What the suite can tell of a server: every fault of the reference server is found, and nothing that conforms fails.

Each run is whole: a real socket, every check, writes allowed. Only pauses are shortened. `docs/kill-matrix.md` is written
from the same runs by `python tests/kill_matrix.py`, and a test here holds that it names the same faults and verdicts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from petcheck.reference.faults import FAULTS
from petcheck.reference.variations import VARIATIONS
from tests.kill_matrix import DOCUMENT, Row, documented_rows, run_fault, run_variation

READING_AT_MOST, WRITING_AT_MOST = 40, 60


@pytest.mark.parametrize("name", FAULTS)
def test_fault_fails_exactly_its_requirements(name: str) -> None:
    trial = run_fault(name)
    assert (trial.ids("fail"), trial.ids("error")) == (set(FAULTS[name].breaks), set())
    assert trial.exit == 1
    if "exhaust" not in FAULTS[name].needs:
        assert trial.requests <= (WRITING_AT_MOST if trial.result.targets[0].writes else READING_AT_MOST)


@pytest.mark.parametrize("name", VARIATIONS)
@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
def test_conforming_variation_fails_nothing(name: str, writes: bool) -> None:
    trial = run_variation((name,), writes=writes)
    assert (trial.ids("fail"), trial.ids("error"), trial.exit) == (set(), set(), 0)
    assert trial.requests <= (WRITING_AT_MOST if writes else READING_AT_MOST)


def test_document_is_up_to_date() -> None:
    """The published matrix holds a row for each fault, with the requirements that this test asserts."""
    rows = documented_rows(Path(DOCUMENT).read_text(encoding="utf-8"))
    expected = {name: Row(name, fault.section, tuple(sorted(fault.breaks))) for name, fault in FAULTS.items()}
    assert {row.name: row for row in rows} == expected
