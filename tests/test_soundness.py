"""Servers that nobody wrote: freedoms of the document at random, alone and with one fault on top."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from petcheck.reference.faults import FAULTS
from petcheck.reference.variations import VARIATIONS
from tests.kill_matrix import run_variation

# PETCHECK_SERVERS=300 is the nightly profile
SERVERS = int(os.environ.get("PETCHECK_SERVERS", "30"))
PROFILE = settings(
    max_examples=SERVERS // 2,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
# they take seconds of waiting each, and are run alone by the kill matrix
SLOW = frozenset({"slow"})
# what a fault breaks must be visible through the variations on top of it: these hide it, or need a run of another kind
OVERT = sorted(name for name, fault in FAULTS.items() if not fault.needs - {"writes"} and "@" not in name)


@st.composite
def freedoms(draw: st.DrawFn, *, most: int) -> tuple[str, ...]:
    """Variations that do not contradict each other."""
    chosen: list[str] = []
    for name in draw(st.lists(st.sampled_from(sorted(set(VARIATIONS) - SLOW)), max_size=most, unique=True)):
        if all(name not in VARIATIONS[other].conflicts and other not in VARIATIONS[name].conflicts for other in chosen):
            chosen.append(name)
    return tuple(chosen)


@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
def test_no_combination_of_freedoms_fails(writes: bool) -> None:
    @PROFILE
    @given(names=freedoms(most=8), seed=st.integers(1, 2**31))
    def holds(names: tuple[str, ...], seed: int) -> None:
        trial = run_variation(names, writes=writes, seed=seed)
        reasons = {name: trial.reasons[name] for name in trial.ids("fail") | trial.ids("error")}
        note(f"--seed {seed}, variations {names}: {reasons}")
        assert reasons == {}

    holds()
