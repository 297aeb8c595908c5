"""What the suite can tell of a server: every fault of the reference server is found, and what conforms fails nothing.

Each run is whole: a real socket, every check, writes allowed. Pauses are shortened, and checks called in place. `make
kill-matrix` writes `docs/kill-matrix.md` from runs under pytest against all of them; here a fault that is limited
to one operation runs at one of those that it has, of those that only many examples find one in five, and of all others,
the variations too, one in four with property examples. `PETCHECK_MATRIX=all` runs all of them with examples, and the
variations in runs that only read, too. schemathesis reads every response too, and finds nothing that they miss.
"""

from __future__ import annotations

import os

import pytest

from petcheck.config.load import utc_today
from petcheck.judging.judgement import Grounds
from petcheck.toolkit.budget import READING_BUDGET, WRITING_BUDGET
from petcheck.toolkit.shares import shares
from petstore_reference.faults import FAULTS, FAULTY, INTERMITTENT, RACES
from petstore_reference.variations import VARIATIONS
from tests.support.by_examples import BY_EXAMPLES
from tests.support.cross_check import overlooked
from tests.support.trial import Trial, differences
from tools.kill_matrix import (
    Measured,
    Share,
    day_of,
    document,
    found_in,
    main,
    measured_in,
    run_fault,
    run_until_found,
    run_variation,
    shares_in,
)

EXAMPLES_IN = 4
WHOLE = os.environ.get("PETCHECK_MATRIX") == "all"


def faults() -> list[str]:
    """The faults to run, in order: of those that differ in their operation alone, one, and not always at the same."""
    kinds: dict[str, list[str]] = {}
    for name in FAULTS:
        kinds.setdefault(name.partition("@")[0], []).append(name)
    chosen = {names[place % len(names)] for place, names in enumerate(kinds.values())}
    rare = [name for name in FAULTS if "examples" in FAULTS[name].needs]
    chosen -= set(rare) - set(rare[::5])  # hundreds of requests each
    return [name for name in FAULTS if WHOLE or name in chosen]


@pytest.mark.matrix
@pytest.mark.parametrize(("place", "name"), list(enumerate(faults())), ids=faults())
def test_fault_fails_exactly_its_requirements(place: int, name: str) -> None:
    needs = FAULTS[name].needs
    examples = WHOLE or place % EXAMPLES_IN == 0 or not needs.isdisjoint({"examples", "pairs"}) or name in BY_EXAMPLES
    trials = run_until_found(name, *(() if examples else ("--examples", "0")))
    assert found_in(trials) == set(FAULTS[name].breaks)
    for trial in trials:
        assert trial.ids("error") == set()
        assert overlooked(trial.exchanges, Grounds(day_of(name) or utc_today())) == []
        assert trial.exit == (1 if trial.ids("fail") else 0)
        if "exhaust" not in needs:
            assert trial.requests + trial.examples <= at_most(trial)


@pytest.mark.matrix
@pytest.mark.parametrize(("place", "name"), list(enumerate(VARIATIONS)), ids=list(VARIATIONS))
@pytest.mark.parametrize(
    "writes", [True, False] if WHOLE else [True], ids=lambda writes: "writing" if writes else "reading"
)
def test_conforming_variation_fails_nothing(place: int, name: str, writes: bool) -> None:
    examples = () if WHOLE or place % EXAMPLES_IN == 0 else ("--examples", "0")
    trial = run_variation((name,), *examples, writes=writes)
    assert (trial.ids("fail"), trial.ids("error"), trial.exit) == (set(), set(), 0)
    assert overlooked(trial.exchanges, Grounds(utc_today())) == []
    assert trial.requests + trial.examples <= at_most(trial)


AGAIN_IN = 20


@pytest.mark.matrix
@pytest.mark.parametrize("name", list(FAULTS) if WHOLE else faults()[::AGAIN_IN])
def test_the_recording_of_a_faulty_server_is_judged_as_its_run_was(name: str) -> None:
    assert differences(run_fault(name)) == []


@pytest.mark.matrix
@pytest.mark.parametrize("name", list(VARIATIONS) if WHOLE else list(VARIATIONS)[:: AGAIN_IN // 2])
def test_the_recording_of_a_conforming_server_is_judged_as_its_run_was(name: str) -> None:
    """Byte for byte in every file, and nothing is connected to."""
    assert differences(run_variation((name,), writes=True)) == []


def at_most(trial: Trial) -> int:
    """The requests that a run may plan, property examples included."""
    target = trial.result.targets[0]
    examples = trial.result.run.options.get("examples")
    share = shares(None if examples is None else int(str(examples)), writes=target.writes).total
    return (WRITING_BUDGET if target.writes else READING_BUDGET) + share


def test_the_page_shows_what_was_measured_and_what_was_not_run() -> None:
    (name, *_), (free, *_) = FAULTS, VARIATIONS
    found = {one: Measured(tuple(sorted(FAULTS[one].breaks)), 3, 60, False, True) for one in FAULTS}
    known = found | {one: Measured((), 3, 60, False, True) for one in VARIATIONS}
    some = known | {name: Measured(found[name].found, 2, 61, True, False), free: Measured((), 3, 62, False, True)}
    assert measured_in(document(some, {})) == some
    section, breaks = FAULTS[name].section, ", ".join(found[name].found)
    assert f"| `{name}` | {section} | {breaks} | 2 of 3 | 61* | **differs** |" in document(some, {})
    page = document({one: known[one] for one in known if one not in (name, free)}, {})
    runs = 3 * len(FAULTS)
    assert f"Found in {runs - 1} of {runs} runs (100 %)." in document(some, {})
    assert f"| `{name}` | {section} | not run yet | – | – | – | {FAULTS[name].summary} |" in page
    assert f"- {len(FAULTS)} faults, {len(FAULTS) - 1} found" in page
    assert f"| `{free}` | {VARIATIONS[free].section} | – | – | – |" in page


def test_the_page_shows_how_often_a_fault_was_found_that_a_run_may_miss() -> None:
    (race, other, *_), (rare, *_) = RACES, INTERMITTENT
    known = {
        race: Share(4, 5, (("PET-5", 4), ("CREATE-12", 1)), 19, 20),
        rare: Share(0, 5),
    }
    measured = {one: Measured(tuple(sorted(FAULTS[one].breaks)), 3, 60, False, True) for one in FAULTS}
    page = document(measured, known)
    assert (shares_in(page), measured_in(page)) == (known, measured)
    section, summary = RACES[race].section, RACES[race].summary
    assert f"| `{race}` | {section} | in 19 of 20 tries | 4 of 5 | PET-5 (4), CREATE-12 (1) | {summary} |" in page
    assert f"| `{rare}` | {INTERMITTENT[rare].section} | one in {INTERMITTENT[rare].one_in} | 0 of 5 |  |" in page
    assert f"| `{other}` | {RACES[other].section} | – | not run yet | – | {RACES[other].summary} |" in page
    assert "- Found: in 4 of 5 runs (80 %).\n- Shown by the bursts: in 19 of 20 tries (95 %).\n" in page
    assert "- Found: not run yet.\n" in document(measured, {})


MISSABLE = [*RACES, *INTERMITTENT]


@pytest.mark.matrix
@pytest.mark.parametrize("name", MISSABLE if WHOLE else MISSABLE[::EXAMPLES_IN])
def test_a_fault_that_a_run_may_miss_fails_nothing_that_it_does_not_break(name: str) -> None:
    trial = run_fault(name, "--examples", "0")
    assert trial.ids("fail") <= set(FAULTY[name].breaks)
    assert trial.ids("error") == set()


def test_a_name_that_no_fault_has_ends_it_before_anything_is_measured() -> None:
    with pytest.raises(SystemExit, match="no fault or variation is called default-limit-5O; `petcheck serve --list`"):
        main(["default-limit-50", "default-limit-5O"])
