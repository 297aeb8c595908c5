"""Runs petcheck on every fault and variation of the reference server; as a program, writes the kill matrix."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from petcheck.spec.sections import TITLES
from petstore_reference.faults import FAULTS
from petstore_reference.variations import VARIATIONS
from tests.support.by_examples import BY_EXAMPLES
from tests.support.trial import Hurried, Trial, differences, judge, judge_in_place, server

Judge = Callable[..., Trial]
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "kill-matrix.md"
_SAME = {True: "equal", False: "**differs**"}
STORES = {"empty-store": 0, "small-store": 12, "big-store": 400}
DAYS = {"after-removal": date(2030, 12, 5), "day-before-removal": date(2030, 12, 4)}
# variations that match no plan in the document, so the run must not name a plan
NO_PLAN = frozenset({"custom-plan"})


SEEDS = range(7, 27)


def run_until_found(name: str, *more: str, by: Judge = judge_in_place) -> list[Trial]:
    """Judge a fault; one that a seed may miss with more seeds, until all of it was found."""
    trials: list[Trial] = []
    drawn = "pairs" in FAULTS[name].needs or name in BY_EXAMPLES
    for seed in SEEDS if drawn else SEEDS[:1]:
        trials.append(run_fault(name, *more, by=by, seed=seed))
        if found_in(trials) >= set(FAULTS[name].breaks):
            break
    return trials


def found_in(trials: Sequence[Trial]) -> set[str]:
    """The requirements that failed in any of the runs."""
    return set().union(*(trial.ids("fail") for trial in trials))


def run_fault(
    name: str, *more: str, by_default: bool = False, by: Judge = judge_in_place, seed: int = SEEDS[0]
) -> Trial:
    """Judge the reference server with one fault, with the store, day and variations that the fault needs.

    `by_default` runs the default number of property examples; `more` are further options; `by` runs the checks.
    """
    needs = FAULTS[name].needs
    day = day_of(name)
    options = ["--plan", "pro", "--max-wait", "200"]
    options += ["--as-of", day.isoformat()] if day else []
    options += ["--exhaust-rate-limit"] if "exhaust" in needs else []
    options += [] if "reading" in needs else ["--allow-writes"]
    options += ["--examples", "200"] if "examples" in needs and not by_default else []
    animals = next((STORES[need] for need in needs if need in STORES), 130)
    clock = Hurried(200)
    grounds = sorted(needs & VARIATIONS.keys())
    with server(faults=(name,), variations=grounds, animals=animals, as_of=day, clock=clock) as url:
        return by(url, *options, *more, clock=clock, seed=seed)


def day_of(name: str) -> date | None:
    """The day on which a fault is judged; None if any day will do."""
    return next((DAYS[need] for need in FAULTS[name].needs if need in DAYS), None)


def run_variation(
    names: Sequence[str],
    *more: str,
    writes: bool,
    faults: Sequence[str] = (),
    animals: int = 130,
    seed: int = 7,
    by: Judge = judge_in_place,
) -> Trial:
    """Judge the reference server with variations, which all conform, and with the named faults."""
    options = ["--max-wait", "200"]
    options += ["--allow-writes"] if writes else []
    options += [] if NO_PLAN & set(names) else ["--plan", "pro"]
    clock = Hurried(50)
    with server(variations=tuple(names), faults=tuple(faults), animals=animals, clock=clock) as url:
        return by(url, *options, *more, clock=clock, seed=seed)


@dataclass(frozen=True)
class Measured:
    """What a run showed of a fault or a variation.

    `found` are the requirements that failed; `requests` are those of the run, with examples where only they find the
    fault. `by_default` says whether the default number of examples finds it too. `same` says whether the recording was
    judged as the run was.
    """

    found: tuple[str, ...]
    requests: int
    by_default: bool
    same: bool


_NOT_RUN = "not run yet"
_ROW = re.compile(r"^\| `([^`|]+)` \| [0-9.]+ \|(?: ([^|]*) \|)? (\d+)(\*?) \| ([^|]*) \|", re.MULTILINE)


def measured_in(text: str) -> dict[str, Measured]:
    """What the tables of a page say, by the name of the fault or the variation."""
    return {
        name: Measured(tuple(found.split(", ")) if found else (), int(requests), bool(star), same == _SAME[True])
        for name, found, requests, star, same in _ROW.findall(text)
    }


def of_today() -> str:
    """The page for the faults and variations that there are, with what was measured before of those that it names."""
    return document(measured_in(DOCUMENT.read_text("utf-8")))


def document(measured: Mapping[str, Measured]) -> str:
    """The text of docs/kill-matrix.md. What was not measured is shown as not run."""
    faults = {name: measured[name] for name in FAULTS if name in measured}
    variations = {name: measured[name] for name in VARIATIONS if name in measured}
    by_section = Counter(fault.section for fault in FAULTS.values())
    usual = [name for name in faults if FAULTS[name].needs.isdisjoint({"exhaust", "examples"})]
    reading = [faults[name].requests for name in usual if "reading" in FAULTS[name].needs]
    writing = [faults[name].requests for name in usual if "reading" not in FAULTS[name].needs]
    rare = [name for name in faults if "examples" in FAULTS[name].needs]
    lines = [
        "# Kill matrix",
        "",
        "`make kill-matrix` writes this page from runs of petcheck; do not edit it. With a fault, the reference server",
        "breaks one sentence of the document. With a variation, it uses a freedom that the document leaves.",
        "",
        f"- {len(FAULTS)} faults, {sum(_as_expected(name, one) for name, one in faults.items())} found, "
        "each by exactly the requirements in the table.",
        f"- {len(VARIATIONS)} conforming variations, "
        f"{sum(bool(one.found) for one in variations.values())} false alarms.",
        f"- {len(faults) + len(variations)} recordings judged again without a network; "
        f"{sum(not one.same for one in (*faults.values(), *variations.values()))} of them differ",
        "  from the run in a verdict, a reason, the evidence or an observation.",
        f"- A run with writes sends at most {max(writing)} requests, without property examples"
        + (f"; a run that only reads sends at most {max(reading)}." if reading else "."),
        f"- Only a few values reveal {len(rare)} of the faults, so property examples find them: `--examples 200`",
        f"  finds all, the default number {sum(faults[name].by_default for name in rare)} (marked *). "
        "Their requests include examples.",
        "",
        "| Section | Faults |",
        "|---|---|",
        *[f"| {name} {title} | {by_section[name]} |" for name, title in TITLES.items() if by_section[name]],
        "",
        "## Faults",
        "",
        "| Fault | Section | Found by | Requests | Judged again | What is wrong |",
        "|---|---|---|---|---|---|",
        *[
            f"| `{name}` | {fault.section} | {_found(faults.get(name))} | {fault.summary} |"
            for name, fault in FAULTS.items()
        ],
        "",
        "## Conforming variations",
        "",
        "| Variation | Section | Requests | Judged again | What is permitted |",
        "|---|---|---|---|---|",
        *[
            f"| `{name}` | {variation.section} | {_costs(variations.get(name))} | {variation.summary} |"
            for name, variation in VARIATIONS.items()
        ],
        "",
    ]
    return "\n".join(lines)


def _as_expected(name: str, one: Measured) -> bool:
    return one.found == tuple(sorted(FAULTS[name].breaks))


def _found(one: Measured | None) -> str:
    return f"{', '.join(one.found) if one else _NOT_RUN} | {_costs(one)}"


def _costs(one: Measured | None) -> str:
    return f"{one.requests}{'*' * one.by_default} | {_SAME[one.same]}" if one else "– | –"


def _fault(name: str) -> Measured:
    trials = run_until_found(name, by=judge)
    trial = trials[0]
    rare = "examples" in FAULTS[name].needs
    return Measured(
        found=tuple(sorted(found_in(trials))),
        requests=trial.requests + (trial.examples if rare else 0),
        by_default=rare and bool(run_fault(name, by_default=True, by=judge).ids("fail")),
        same=not differences(trial),
    )


def _variation(name: str) -> Measured:
    trial = run_variation((name,), writes=True, by=judge)
    again = differences(trial)
    return Measured(tuple(sorted(trial.ids("fail"))), trial.requests, by_default=False, same=not again)


def main(names: Sequence[str] = ()) -> int:
    """Run the faults and variations of these names, or all, and write the page; 1 if a result is not as expected."""
    faults, variations = ([name for name in all_ if not names or name in names] for all_ in (FAULTS, VARIATIONS))
    with ProcessPoolExecutor() as pool:
        of_faults = dict(zip(faults, pool.map(_fault, faults), strict=True))
        of_variations = dict(zip(variations, pool.map(_variation, variations), strict=True))
    wrong = {name: one for name, one in of_faults.items() if not _as_expected(name, one)}
    alarms = {name: one for name, one in of_variations.items() if one.found}
    differ = {name: one for name, one in (of_faults | of_variations).items() if not one.same}
    for name, one in (wrong | alarms | differ).items():
        print("unexpected:", name, one)
    kept = measured_in(DOCUMENT.read_text("utf-8")) if names else {}
    DOCUMENT.write_text(document(kept | of_faults | of_variations), encoding="utf-8")
    print(
        f"{len(faults)} faults, {len(wrong)} unexpected; {len(variations)} variations, {len(alarms)} "
        f"false alarms; {len(differ)} recordings judged differently"
    )
    return 1 if wrong or differ or alarms else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
