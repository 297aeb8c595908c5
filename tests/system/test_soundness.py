"""Servers composed at random: variations alone, and with one fault."""

from __future__ import annotations

import os

import hypothesis
import pytest
from hypothesis import HealthCheck, given, note
from hypothesis import strategies as st

from petstore_reference.faults import FAULTS
from petstore_reference.server import create_app
from petstore_reference.variations import VARIATIONS
from tests.support.by_examples import BY_EXAMPLES
from tests.support.ground import settings
from tools import soundness
from tools.kill_matrix import SEEDS, run_variation
from tools.soundness import CANDIDATES, SIZES, Server, alarm, drawn

# PETCHECK_SERVERS=3000 is the nightly profile; `make soundness` draws other seeds
SERVERS = int(os.environ.get("PETCHECK_SERVERS", "200"))
BATCH = 20  # for one worker
PROFILE = hypothesis.settings(
    max_examples=SERVERS // 10,
    deadline=None,
    database=None,
    derandomize="PETCHECK_SERVERS" not in os.environ,  # a nightly run draws others
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
# freedoms of form: a fault shows under any of them as it does without
FORMS = tuple(
    name
    for name in (
        *("extra-pet-fields", "extra-error-fields", "fields-in-other-order", "charset", "content-type-parameters"),
        *("headers-lower-case", "headers-upper-case", "pretty-printed", "escaped-unicode", "json-in-white-space"),
        *("server-header", "set-cookie", "etag", "cors", "http-1.0", "chunked", "close-without-notice"),
        *("close-with-notice", "odd-reason-phrase", "no-reason-phrase", "early-hints", "odd-names", "long-names"),
        *("ids-beyond-double", "ids-negative", "ids-random", "linked-pages", "location-header", "www-authenticate"),
        *("deprecation-headers", "orders-object", "reset-fraction", "clock-ahead", "clock-behind", "429-html"),
        *("keyless-same-bucket", "keyless-uncounted", "bearer-in-any-case", "codes-numeric", "messages-in-chinese"),
    )
    if name in VARIATIONS
)
# faults that a run with writes finds in the usual store with any seed; sections 1 and 8 are matters of form themselves
OVERT = sorted(
    name
    for name, fault in FAULTS.items()
    if not fault.needs - {"writes"} and fault.section not in ("1", "8") and name not in BY_EXAMPLES
)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1, SERVERS + 1, BATCH))
def test_no_composition_of_variations_raises_an_alarm(first: int) -> None:
    alarms = [alarm(seed, CANDIDATES) for seed in range(first, min(first + BATCH, SERVERS + 1))]
    assert [found for found in alarms if found] == []


def test_a_seed_repeats_its_server_without_contradictory_variations() -> None:
    names = CANDIDATES
    servers = [drawn(seed, names) for seed in range(600)]
    assert servers == [drawn(seed, names) for seed in range(600)]
    assert {name for server in servers for name in server.variations} == names
    for server in servers:
        create_app(settings(variations=server.variations))
    assert {server.animals for server in servers} == set(SIZES)


def test_an_alarm_names_the_variations_that_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails_with_charset(server: Server) -> dict[str, str]:
        return {"BODY-1": "wrong"} if "charset" in server.variations else {}

    monkeypatch.setattr(soundness, "judged", fails_with_charset)
    names = {"charset", "cors", "gzip", "etag"}
    seed = next(seed for seed in range(100) if len(drawn(seed, names).variations) == 4)
    size = drawn(seed, names).animals
    found = alarm(seed, names)
    assert found.startswith(f"seed {seed} (")
    assert found.endswith(f"{size} animals): charset\n  BODY-1: wrong")
    assert alarm(seed, names - {"charset"}) == ""


@pytest.mark.slow
@PROFILE
@given(fault=st.sampled_from(OVERT), drawn_by=st.integers(0, 2**31))
def test_a_fault_is_found_with_any_form_of_answer(fault: str, drawn_by: int) -> None:
    """With the seed of the kill matrix: what a run sends, and so what it finds, depends on it."""
    seed, names = SEEDS[0], drawn(drawn_by, FORMS).variations[:5]
    trial = run_variation(names, writes=True, faults=(fault,), seed=seed)
    note(f"--seed {seed}, fault {fault}, variations {names}: {[trial.reasons[name] for name in trial.ids('fail')]}")
    assert trial.ids("fail") == set(FAULTS[fault].breaks)
