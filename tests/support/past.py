"""Results of runs that follow each other, one a day, for the tests of histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from petcheck.comparison.history import History, history, past_run
from petcheck.judging.verdicts import AppliedWaiver, Example, Verdict
from petcheck.results.result import Result
from petcheck.stream.lines import RunSettings
from tests.support import samples

SETTINGS = RunSettings(1200, 120.0, None, False, False)
WAIVER = AppliedWaiver("agreed", "2027-03-01")

# letters of outcomes, so that a course reads as a word: "ppfp"
OUTCOMES = {"p": "pass", "f": "fail", "w": "waived", "i": "inconclusive", "n": "not-run", "e": "error"}


def nightly(number: int, outcomes: Mapping[str, str], *targets: str, **changes: Any) -> Result:
    """The run of one day: the outcome of each requirement by its letter, the same for all targets.

    `changes` are those of the run, or by name `suite`, `complete`, and `target` for all targets.
    """
    names = targets or ("staging",)
    about_target = changes.pop("target", {})
    beside = {name: changes.pop(name) for name in ("suite", "complete") if name in changes}
    run: dict[str, Any] = {
        "id": f"{number:08x}",
        "started": f"2026-11-{number + 1:02d}T02:00:00.000Z",
        "as_of": f"2026-11-{number + 1:02d}",
        "seed": number + 1,
        "options": {"target": [f"{name}=https://{name}.pets.example/v1" for name in names]},
        "settings": SETTINGS,
    }
    rows = [row(name, letter, target) for target in names for name, letter in outcomes.items()]
    return samples.result(
        *rows,
        run=samples.run(**(run | changes)),
        targets=tuple(samples.target(name, **about_target) for name in names),
        checks=(),
        **beside,
    )


def row(name: str, letter: str, target: str = "staging", **changes: Any) -> Verdict:
    outcome = OUTCOMES[letter]
    return samples.row(
        name,
        outcome,
        target=target,
        reason=f"{name} {outcome}.",
        waiver=WAIVER if outcome == "waived" else None,
        **changes,
    )


def with_example(value: Result, name: str) -> Result:
    """The same result, with an example that decides that requirement."""
    rows = (replace(one, example=Example(1, 1)) if one.id == name else one for one in value.requirements)
    return replace(value, requirements=tuple(rows))


def over_time(*results: Result) -> History:
    return history(past_run(f"run-{number}/result.json", value) for number, value in enumerate(results, 1))


def course(**letters: str) -> History:
    """The history of one target; `course(LIST_4="ppf")` has three runs."""
    runs = zip(*letters.values(), strict=True)
    names = [name.replace("_", "-") for name in letters]
    return over_time(*(nightly(day, dict(zip(names, one, strict=True))) for day, one in enumerate(runs)))
