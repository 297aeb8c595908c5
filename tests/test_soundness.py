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
FREEDOMS = tuple(sorted(set(VARIATIONS) - {"slow"}))
# freedoms of form: under any of them a fault shows as it does without
FORMS = tuple(
    name
    for name in (
        *("extra-pet-fields", "extra-error-fields", "fields-in-other-order", "charset", "content-type-parameters"),
        *("headers-lower-case", "headers-upper-case", "pretty-printed", "escaped-unicode", "json-in-white-space"),
        *("server-header", "set-cookie", "etag", "cors", "http-1.0", "chunked", "close-without-notice"),
        *("close-with-notice", "odd-reason-phrase", "no-reason-phrase", "early-hints", "odd-names", "long-names"),
        *("ids-beyond-double", "ids-negative", "ids-random", "linked-pages", "location-header", "challenge"),
        *("deprecation-headers", "orders-object", "reset-fraction", "clock-ahead", "clock-behind", "429-html"),
        *("keyless-same-bucket", "keyless-uncounted", "bearer-in-any-case", "codes-numeric", "messages-in-chinese"),
    )
    if name in VARIATIONS
)
# what is said of a run with writes, in the usual store; how bodies are encoded is a matter of form itself
OVERT = sorted(
    name for name, fault in FAULTS.items() if not fault.needs - {"writes"} and fault.section not in ("1", "8")
)


@st.composite
def freedoms(draw: st.DrawFn, names: tuple[str, ...], *, most: int) -> tuple[str, ...]:
    """Variations among `names` that do not contradict each other."""
    chosen: list[str] = []
    for name in draw(st.lists(st.sampled_from(names), max_size=most, unique=True)):
        if all(name not in VARIATIONS[other].conflicts and other not in VARIATIONS[name].conflicts for other in chosen):
            chosen.append(name)
    return tuple(chosen)


@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
def test_no_combination_of_freedoms_fails(writes: bool) -> None:
    @PROFILE
    @given(names=freedoms(FREEDOMS, most=8), seed=st.integers(1, 2**31))
    def holds(names: tuple[str, ...], seed: int) -> None:
        trial = run_variation(names, writes=writes, seed=seed)
        reasons = {name: trial.reasons[name] for name in trial.ids("fail") | trial.ids("error")}
        note(f"--seed {seed}, variations {names}: {reasons}")
        assert reasons == {}

    holds()


@PROFILE
@given(fault=st.sampled_from(OVERT), names=freedoms(FORMS, most=5), seed=st.integers(1, 2**31))
def test_a_fault_is_found_under_any_form(fault: str, names: tuple[str, ...], seed: int) -> None:
    trial = run_variation(names, writes=True, faults=(fault,), seed=seed)
    note(f"--seed {seed}, fault {fault}, variations {names}: {[trial.reasons[name] for name in trial.ids('fail')]}")
    assert trial.ids("fail") == set(FAULTS[fault].breaks)
