"""Runs petcheck on every fault and variation of the reference server; as a program, writes the kill matrix.

Each runs with several seeds, since a run is a sample: the page says with how many of them a fault was found. A run may
miss a race, or a fault that shows now and then, for other reasons; separate tables say how often.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from multiprocessing import Pool
from pathlib import Path

from petcheck.spec.sections import TITLES
from petstore_reference.faults import FAULTS, FAULTY, INTERMITTENT, RACES
from petstore_reference.registry import Fault
from petstore_reference.variations import VARIATIONS
from tests.petstore_reference.bursts import BURSTS, SIZE, try_out
from tests.support.by_examples import BY_EXAMPLES
from tests.support.trial import Hurried, Trial, differences, judge, judge_in_place, server
from tools.forecasts import most

Judge = Callable[..., Trial]
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "kill-matrix.md"
_SAME = {True: "equal", False: "**differs**"}
STORES = {"empty-store": 0, "small-store": 12, "medium-store": 40, "big-store": 400}
DAYS = {"after-removal": date(2030, 12, 5), "day-before-removal": date(2030, 12, 4)}
# variations that match no plan in the document, so the run must not name a plan
NO_PLAN = frozenset({"custom-plan"})


SEEDS = range(7, 27)
EACH = SEEDS[:3]  # for every fault and variation
SHARE_SEEDS = SEEDS[:5]  # for a fault that a run may miss
OFTEN = 10  # a fault that shows in one of so many responses, or fewer, should be found
TRIES = 20  # of a race with bursts alone
_TASKS = 50  # of a process: pytest keeps megabytes of each of its runs


def run_until_found(name: str, *more: str, by: Judge = judge_in_place) -> list[Trial]:
    """Judge a fault; one that a seed may miss with more seeds, until all of it was found."""
    trials: list[Trial] = []
    drawn = not FAULTS[name].needs.isdisjoint({"pairs", "examples"}) or name in BY_EXAMPLES
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
    needs = FAULTY[name].needs
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
    return next((DAYS[need] for need in FAULTY[name].needs if need in DAYS), None)


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
    """What runs showed of a fault or a variation.

    `found` are the requirements that failed in any run; `seeds` says in how many of the runs with the seeds of `EACH`
    all failed that had to. `requests` are those of the first run, with examples where only they find the fault.
    `by_default` says whether the default number of examples finds it too. `same` says whether the first recording was
    judged as its run was.
    """

    found: tuple[str, ...]
    seeds: int
    requests: int
    by_default: bool
    same: bool


@dataclass(frozen=True)
class Share:
    """In how many of `runs` petcheck found a fault that a run may miss, and which requirements failed in how many.

    `shown` says in how many of `tries` three bursts of 8 contradicted the document at all; for a race only.
    """

    found: int
    runs: int
    failed: tuple[tuple[str, int], ...] = ()
    shown: int = 0
    tries: int = 0


_NOT_RUN = "not run yet"
_ROW = re.compile(
    r"^\| `([^`|]+)` \| [0-9.]+ \|(?: ([^|]*) \|)? (\d+) of \d+ \| (\d+)(\*?) \| ([^|]*) \|", re.MULTILINE
)


def measured_in(text: str) -> dict[str, Measured]:
    """What the tables of a page say, by the name of the fault or the variation."""
    return {
        name: Measured(
            tuple(found.split(", ")) if found else (), int(seeds), int(requests), bool(star), same == _SAME[True]
        )
        for name, found, seeds, requests, star, same in _ROW.findall(text)
    }


_SHARE = re.compile(
    r"^\| `([^`|]+)` \| [0-9.]+ \| (?:in (\d+) of (\d+) tries|one in \d+) \| (\d+) of (\d+) \| ([^|]*) \|", re.MULTILINE
)


def shares_in(text: str) -> dict[str, Share]:
    """What a page says of the faults that a run may miss, by name."""
    return {
        name: Share(
            int(found),
            int(runs),
            tuple((one, int(times)) for one, times in re.findall(r"(\S+) \((\d+)\)", failed)),
            int(shown or 0),
            int(tries or 0),
        )
        for name, shown, tries, found, runs, failed in _SHARE.findall(text)
    }


def of_today() -> str:
    """The page for the faults and variations that there are, with what was measured before of those that it names."""
    text = DOCUMENT.read_text("utf-8")
    return document(measured_in(text), shares_in(text))


def document(measured: Mapping[str, Measured], shares: Mapping[str, Share]) -> str:
    """The text of docs/kill-matrix.md. What was not measured is shown as not run."""
    faults = {name: measured[name] for name in FAULTS if name in measured}
    variations = {name: measured[name] for name in VARIATIONS if name in measured}
    by_section = Counter(fault.section for fault in FAULTS.values())
    rare = [name for name in faults if "examples" in FAULTS[name].needs]
    lines = [
        "# Kill matrix",
        "",
        "`make kill-matrix` writes this page from runs of petcheck; do not edit it. With a fault, the reference server",
        "breaks one sentence of the document. With a variation, it uses a freedom that the document leaves.",
        "",
        f"- {len(FAULTS)} faults, {sum(_as_expected(name, one) for name, one in faults.items())} found, "
        "each by exactly the requirements in the table.",
        f"  Each runs with {len(EACH)} seeds, and with more where a run asks for one of many pairs. Found "
        f"{_percent('runs', [(one.seeds, len(EACH)) for one in faults.values()])}.",
        f"- {len(VARIATIONS)} conforming variations with {len(EACH)} seeds each, "
        f"{sum(bool(one.found) for one in variations.values())} false alarms.",
        f"- {len(faults) + len(variations)} recordings judged again without a network; "
        f"{sum(not one.same for one in (*faults.values(), *variations.values()))} of them differ",
        "  from the run in a verdict, a reason, the evidence or an observation.",
        f"- A run with writes sends at most {most(writes=True)} requests, one that only reads {most(writes=False)}:",
        "  see [what is sent](requests.md). The table counts them without those of property examples.",
        f"- Only a few values reveal {len(rare)} of the faults: `--examples 200`, with which these run, finds all, the",
        f"  default number {sum(faults[name].by_default for name in rare)} (marked *). "
        "Their requests include those of examples.",
        "",
        "| Section | Faults |",
        "|---|---|",
        *[f"| {name} {title} | {by_section[name]} |" for name, title in TITLES.items() if by_section[name]],
        "",
        "## Faults",
        "",
        "| Fault | Section | Found by | With seeds | Requests | Judged again | What is wrong |",
        "|---|---|---|---|---|---|---|",
        *[
            f"| `{name}` | {fault.section} | {_found(faults.get(name))} | {fault.summary} |"
            for name, fault in FAULTS.items()
        ],
        "",
        *_missable(shares),
        "## Conforming variations",
        "",
        "| Variation | Section | Without alarm | Requests | Judged again | What is permitted |",
        "|---|---|---|---|---|---|",
        *[
            f"| `{name}` | {variation.section} | {_costs(variations.get(name))} | {variation.summary} |"
            for name, variation in VARIATIONS.items()
        ],
        "",
    ]
    return "\n".join(lines)


def _missable(shares: Mapping[str, Share]) -> list[str]:
    """The sections on races and on faults that show now and then."""
    often = {name: fault for name, fault in INTERMITTENT.items() if fault.one_in <= OFTEN}
    rest = {name: fault for name, fault in INTERMITTENT.items() if name not in often}
    shown = {name: share for name, share in shares.items() if name in RACES and share.tries}
    return [
        "## Races",
        "",
        f"These {len(RACES)} faults show only in requests that overlap, and not each time, so a run may miss one. Each",
        f"runs with {len(SHARE_SEEDS)} seeds. It is found if one of the requirements that it can break fails. A small",
        f"client that only sends {BURSTS} bursts of {SIZE} requests says how often the race shows at all.",
        "",
        f"- Found: {_sum(RACES, shares)}.",
        f"- Shown by the bursts: {_percent('tries', [(one.shown, one.tries) for one in shown.values()])}.",
        "",
        *_table("Bursts show it", RACES, shares),
        "## Faults that show now and then",
        "",
        f"These {len(INTERMITTENT)} faults are in one response of some. They run as races do.",
        "",
        f"- Found of those in one of {OFTEN} or fewer: {_sum(often, shares)}.",
        f"- Found of the others: {_sum(rest, shares)}.",
        "",
        *_table("Shows in", INTERMITTENT, shares),
    ]


def _sum(faults: Mapping[str, Fault], shares: Mapping[str, Share]) -> str:
    known = [shares[name] for name in faults if name in shares]
    return _percent("runs", [(one.found, one.runs) for one in known])


def _percent(what: str, shares: Sequence[tuple[int, int]]) -> str:
    some, all_ = (sum(share[place] for share in shares) for place in (0, 1))
    return f"in {some} of {all_} {what} ({100 * some / all_:.3g} %)" if all_ else _NOT_RUN


def _table(how_often: str, faults: Mapping[str, Fault], shares: Mapping[str, Share]) -> list[str]:
    return [
        f"| Fault | Section | {how_often} | Found in | Failed in | What is wrong |",
        "|---|---|---|---|---|---|",
        *[f"| `{name}` | {fault.section} | {_share(fault, shares.get(name))} |" for name, fault in faults.items()],
        "",
    ]


def _share(fault: Fault, one: Share | None) -> str:
    often = f"one in {fault.one_in}" if fault.name in INTERMITTENT else "–"
    if one is None:
        return f"{often} | {_NOT_RUN} | – | {fault.summary}"
    often = f"in {one.shown} of {one.tries} tries" if one.tries else often
    failed = ", ".join(f"{name} ({times})" for name, times in one.failed)
    return f"{often} | {one.found} of {one.runs} | {failed} | {fault.summary}"


def _as_expected(name: str, one: Measured) -> bool:
    return one.found == tuple(sorted(FAULTS[name].breaks))


def _found(one: Measured | None) -> str:
    return f"{', '.join(one.found) if one else _NOT_RUN} | {_costs(one)}"


def _costs(one: Measured | None) -> str:
    if one is None:
        return "– | – | –"
    return f"{one.seeds} of {len(EACH)} | {one.requests}{'*' * one.by_default} | {_SAME[one.same]}"


def _fault(name: str) -> Measured:
    trials = run_until_found(name, by=judge)
    trials += [run_fault(name, seed=seed) for seed in EACH[len(trials) :]]
    trial = trials[0]
    rare = "examples" in FAULTS[name].needs
    return Measured(
        found=tuple(sorted(found_in(trials))),
        seeds=sum(one.ids("fail") >= {*FAULTS[name].breaks} for one in trials[: len(EACH)]),
        requests=trial.requests + (trial.examples if rare else 0),
        by_default=rare and bool(run_fault(name, by_default=True, by=judge).ids("fail")),
        same=not differences(trial),
    )


def share_of(name: str, by: Judge = judge_in_place) -> Share:
    """How often runs find a fault that a run may miss."""
    failed = [run_fault(name, by=by, seed=seed).ids("fail") for seed in SHARE_SEEDS]
    shown = [bool(try_out(faults=(name,))) for _ in range(TRIES)] if name in RACES else []
    return Share(
        found=sum(not ids.isdisjoint(FAULTY[name].breaks) for ids in failed),
        runs=len(failed),
        failed=tuple(Counter(one for ids in failed for one in sorted(ids)).most_common()),
        shown=sum(shown),
        tries=len(shown),
    )


def _variation(name: str) -> Measured:
    trial = run_variation((name,), writes=True, by=judge, seed=EACH[0])
    trials = [trial, *(run_variation((name,), writes=True, seed=seed) for seed in EACH[1:])]
    return Measured(
        found=tuple(sorted(found_in(trials))),
        seeds=sum(not one.ids("fail") for one in trials),
        requests=trial.requests,
        by_default=False,
        same=not differences(trial),
    )


def main(names: Sequence[str] = ()) -> int:
    """Run the faults and variations of these names, or all, and write the page; 1 if a result is not as expected."""
    if unknown := [name for name in names if name not in {*FAULTY, *VARIATIONS}]:
        sys.exit(f"no fault or variation is called {unknown[0]}; `petcheck serve --list` has the names")
    every: tuple[Mapping[str, object], ...] = (FAULTS, VARIATIONS, RACES, INTERMITTENT)
    faults, variations, *missable = ([name for name in all_ if not names or name in names] for all_ in every)
    shared = [name for kind in missable for name in kind]
    with Pool(maxtasksperchild=_TASKS) as pool:
        of_faults = dict(zip(faults, pool.imap(_fault, faults), strict=True))
        of_variations = dict(zip(variations, pool.imap(_variation, variations), strict=True))
        shares = dict(zip(shared, pool.imap(share_of, shared), strict=True))
    wrong = {name: one for name, one in of_faults.items() if not _as_expected(name, one)}
    alarms = {name: one for name, one in of_variations.items() if one.found}
    differ = {name: one for name, one in (of_faults | of_variations).items() if not one.same}
    stray = {name: one for name, one in shares.items() if {each for each, _ in one.failed} - {*FAULTY[name].breaks}}
    unexpected: Mapping[str, Measured | Share] = {**wrong, **alarms, **differ, **stray}
    for name, one in unexpected.items():
        print("unexpected:", name, one)
    text = DOCUMENT.read_text("utf-8") if names else ""
    DOCUMENT.write_text(
        document(measured_in(text) | of_faults | of_variations, shares_in(text) | shares), encoding="utf-8"
    )
    print(
        f"{len(faults)} faults, {len(wrong)} unexpected; {len(variations)} variations, {len(alarms)} "
        f"false alarms; {len(differ)} recordings judged differently; {len(shares)} faults that a run may miss, "
        f"found {_sum(FAULTY, shares)}, {len(stray)} unexpected"
    )
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
