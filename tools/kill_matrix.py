"""Runs petcheck on every fault and variation of the reference server; as a program, writes the kill matrix."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from petcheck.spec.sections import TITLES
from petstore_reference.faults import FAULTS
from petstore_reference.variations import VARIATIONS
from tests.support.trial import Hurried, Trial, differences, judge, judge_in_place, server

Judge = Callable[..., Trial]
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "kill-matrix.md"
_SAME = {True: "equal", False: "**differs**"}
STORES = {"empty-store": 0, "small-store": 12, "big-store": 400}
DAYS = {"after-removal": date(2030, 12, 5), "day-before-removal": date(2030, 12, 4)}
# variations that match no plan in the document, so the run must not name a plan
NO_PLAN = frozenset({"custom-plan"})


def run_fault(name: str, *more: str, by_default: bool = False, by: Judge = judge_in_place) -> Trial:
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
        return by(url, *options, *more, clock=clock, seed=7)


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
class Row:
    """A fault as a row of the published table."""

    name: str
    section: str
    breaks: tuple[str, ...]


def documented_rows(text: str) -> list[Row]:
    """The rows of the table of faults in the text."""
    table = text.partition("## Faults")[2].partition("## Conforming")[0]
    found = re.findall(r"^\| `([^`|]+)` \| ([0-9.]+) \| ([^|]*) \| [^|]* \|", table, flags=re.MULTILINE)
    return [Row(name, section, tuple(ids.split(", "))) for name, section, ids in found]


def _fault(name: str) -> tuple[str, list[str], int, bool, bool, bool]:
    """Its name, the requirements that fail, the requests, whether it may write, whether a default run finds it, and
    whether its recording is judged as the run was.
    """
    trial = run_fault(name, by=judge)
    found = sorted(trial.ids("fail"))
    rare = "examples" in FAULTS[name].needs
    by_default = bool(run_fault(name, by_default=True, by=judge).ids("fail")) if rare else True
    requests = trial.requests + (trial.examples if rare else 0)
    return name, found, requests, trial.result.targets[0].writes, by_default, _same_again(trial)


def _same_again(trial: Trial) -> bool:
    return not differences(trial)


def _variation(name: str) -> tuple[str, list[str], int, bool]:
    """Its name, the requirements that fail, the requests, and whether its recording is judged as the run was."""
    trial = run_variation((name,), writes=True, by=judge)
    return name, sorted(trial.ids("fail")), trial.requests, _same_again(trial)


def main() -> int:
    """Run everything and write the document; 1 if any result is not the expected one."""
    with ProcessPoolExecutor() as pool:
        faults = list(pool.map(_fault, FAULTS))
        variations = list(pool.map(_variation, VARIATIONS))
    wrong = [row for row in faults if row[1] != sorted(FAULTS[row[0]].breaks)]
    wrong_variations = [row for row in variations if row[1]]
    differ = [*(row for row in faults if not row[5]), *(row for row in variations if not row[3])]
    for row in [*wrong, *wrong_variations, *differ]:
        print("unexpected:", *row, flush=True)
    by_section = Counter(FAULTS[row[0]].section for row in faults)
    usual = [row for row in faults if FAULTS[row[0]].needs.isdisjoint({"exhaust", "examples"})]
    reading = [row for row in usual if not row[3]]
    writing = [row for row in usual if row[3]]
    rare = [row for row in faults if "examples" in FAULTS[row[0]].needs]
    lines = [
        "# Kill matrix",
        "",
        "`make kill-matrix` writes this page from runs of petcheck; do not edit it. With a fault, the reference server",
        "breaks one sentence of the document. With a variation, it uses a freedom that the document leaves.",
        "",
        f"- {len(faults)} faults, {len(faults) - len(wrong)} found, each by exactly the requirements in the table.",
        f"- {len(variations)} conforming variations, {len(wrong_variations)} false alarms.",
        f"- {len(faults) + len(variations)} recordings judged again without a network; {len(differ)} of them differ",
        "  from the run in a verdict, a reason, the evidence or an observation.",
        f"- A run with writes sends at most {max(row[2] for row in writing)} requests, without property examples"
        + (f"; a run that only reads sends at most {max(row[2] for row in reading)}." if reading else "."),
        f"- Only a few values reveal {len(rare)} of the faults, so property examples find them: `--examples 200`",
        f"  finds all, the default number {sum(row[4] for row in rare)} (marked *). Their requests include examples.",
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
            f"| `{row[0]}` | {FAULTS[row[0]].section} | {', '.join(row[1])} | {row[2]}"
            f"{'*' if row in rare and row[4] else ''} | {_SAME[row[5]]} | {FAULTS[row[0]].summary} |"
            for row in faults
        ],
        "",
        "## Conforming variations",
        "",
        "| Variation | Section | Requests | Judged again | What is permitted |",
        "|---|---|---|---|---|",
        *[
            f"| `{name}` | {VARIATIONS[name].section} | {requests} | {_SAME[same]} | {VARIATIONS[name].summary} |"
            for name, _, requests, same in variations
        ],
        "",
    ]
    DOCUMENT.write_text("\n".join(lines), encoding="utf-8")
    print(
        f"{len(faults)} faults, {len(wrong)} unexpected; {len(variations)} variations, {len(wrong_variations)} "
        f"false alarms; {len(differ)} recordings judged differently"
    )
    return 1 if wrong or wrong_variations or differ else 0


if __name__ == "__main__":
    sys.exit(main())
