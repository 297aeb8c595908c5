"""Judges faults on several grounds; as a program, writes docs/grounds.md.

A ground is a conforming server with its own order, store size, caps, caches, windows and other clients. On each ground,
a requirement that a fault breaks must fail, or be inconclusive if the ground hides the fault. It must not pass.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from petcheck.spec import sections
from petcheck.spec.catalogue import catalogue
from petcheck.spec.outcomes import Outcome
from petstore_reference.faults import FAULTS
from tests.support.by_examples import BY_EXAMPLES
from tools.kill_matrix import run_variation

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "grounds.md"
USUAL_SIZE = 130
SEED = 7
PROCESSES = 2


@dataclass(frozen=True)
class Ground:
    """A conforming server: the animals in its store at the start, and its variations."""

    animals: int = USUAL_SIZE
    variations: tuple[str, ...] = ()


GROUNDS: Mapping[str, Ground] = {
    **{f"{size} animal{'' if size == 1 else 's'}": Ground(size) for size in (0, 1, 12, 19, 20, 21, 60, 100, 3_000)},
    **{
        name: Ground(variations=(name,))
        for name in (
            *("oldest-first", "random-order", "by-status", "ids-random", "ids-negative", "ids-at-the-end"),
            *("pages-of-20", "pages-of-37", "pages-of-50", "pages-of-99", "pages-of-4000-bytes", "cut-before-filter"),
            *("cache-per-url", "filter-index-lags", "replica-lags", "lag-per-url", "seen-after-a-second"),
            *("aligned-window", "moving-window", "refilled-bucket", "posts-cost-five", "refused-free"),
            *("others-add", "others-change", "others-spend", "all-available", "none-sold", "no-statuses"),
            *("strict-fields", "strict-categories", "strict-names-printable", "close-without-notice", "busy-once"),
        )
    },
}
# pairs in which these requirements cannot show the fault: the ground refuses the input, is too small or too full, or
# explains the difference; or another requirement shows it (sold-not-found: CREATE-12)
UNDONE = frozenset(
    {
        ("category-missing-accepted", "strict-categories"),
        ("category-through-double-or-refused", "strict-categories"),
        ("created-category-clamped-to-int32", "strict-categories"),
        ("created-category-through-float", "strict-categories"),
        ("created-category-through-saturated-double", "strict-categories"),
        ("filter-fills-page", "3000 animals"),
        ("filter-fills-page", "pages-of-20"),
        ("limit-1-gives-2", "cut-before-filter"),
        ("limit-1-with-sold-unlimited", "none-sold"),
        ("list-cut-at-1000", "0 animals"),
        ("list-cut-at-1000", "1 animal"),
        ("name-null-stored-as-is", "strict-names-printable"),
        ("quota-counted-apart", "refilled-bucket"),
        ("remaining-always-one-less", "refilled-bucket"),
        ("remaining-full@getPet", "refilled-bucket"),
        ("sold-not-found", "1 animal"),
        ("sold-not-found", "oldest-first"),
        ("stored-category-through-double", "strict-categories"),
        ("unknown-id-newest", "seen-after-a-second"),
    }
)
# faults that the checks alone find in the usual store
OVERT = sorted(name for name, fault in FAULTS.items() if not fault.needs - {"writes"} and name not in BY_EXAMPLES)


@dataclass(frozen=True)
class Pair:
    """A fault on a ground: for each requirement that the fault breaks, its outcome and reason there."""

    fault: str
    ground: str
    outcomes: Mapping[str, tuple[Outcome, str]]

    @property
    def wrong(self) -> dict[str, tuple[Outcome, str]]:
        """The requirements that neither fail nor are inconclusive, although the fault shows on the ground."""
        if (self.fault, self.ground) in UNDONE:
            return {}
        return {name: seen for name, seen in self.outcomes.items() if seen[0] not in ("fail", "inconclusive")}


def judged(fault: str, ground: str) -> Pair:
    """Run the suite with writes against a fault on a ground."""
    place = GROUNDS[ground]
    trial = run_variation(place.variations, writes=True, faults=(fault,), animals=place.animals, seed=SEED)
    rows = {row.id: (row.outcome, row.reason) for row in trial.result.requirements}
    return Pair(fault, ground, {name: rows[name] for name in FAULTS[fault].breaks})


def drawn(each: int, seed: int) -> list[tuple[str, str]]:
    """For every fault, `each` grounds drawn at random."""
    chance = random.Random(seed)
    return [(fault, ground) for fault in OVERT for ground in chance.sample(sorted(GROUNDS), min(each, len(GROUNDS)))]


def document(pairs: Sequence[Pair]) -> str:
    """The text of docs/grounds.md: which requirements are inconclusive on which ground."""
    outcomes = Counter(outcome for pair in pairs for outcome, _ in pair.outcomes.values())
    hidden: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for pair in pairs:
        for name, (outcome, reason) in pair.outcomes.items():
            if outcome == "inconclusive":
                hidden[name, _in_general(reason)].add(pair.ground)
    lines = [
        "# Faults on other servers",
        "",
        "`make grounds` writes this page from runs of petcheck; do not edit it. It adds each fault to some conforming",
        "servers (grounds) that differ in order, size, caps, caches, windows and other clients. A requirement that the",
        "fault breaks must fail there, or be inconclusive if the ground hides the fault.",
        "",
        f"- {len(pairs):,} pairs of a fault and a ground: {len({pair.fault for pair in pairs})} faults, "
        f"{len({pair.ground for pair in pairs})} grounds.",
        f"- Verdicts: {outcomes['fail']:,} fail, {outcomes['inconclusive']:,} inconclusive, "
        f"{sum(len(pair.wrong) for pair in pairs)} wrong.",
        f"- In {len(UNDONE)} known pairs these requirements cannot show the fault: "
        + "; ".join(f"`{fault}` on {ground}" for fault, ground in sorted(UNDONE))
        + ".",
        *(
            f"- To investigate: `{pair.fault}` on {pair.ground}: {name} is {outcome}."
            for pair in pairs
            for name, (outcome, _) in pair.wrong.items()
        ),
        "",
        "| Requirement | Why it is inconclusive | Grounds |",
        "|---|---|---|",
        *(
            f"| {name} | {reason} | {', '.join(sorted(grounds, key=list(GROUNDS).index))} |"
            for (name, reason), grounds in sorted(hidden.items(), key=lambda row: _place(row[0][0]))
        ),
        "",
    ]
    return "\n".join(lines)


def _place(requirement: str) -> tuple[object, ...]:
    return sections.order(catalogue()[requirement].section), requirement


def _in_general(reason: str) -> str:
    """The first sentence of a reason, without the figures of one run."""
    first = reason.partition(". ")[0].rstrip(".")
    return re.sub(r"\d[\d,.]*", "…", first).replace("|", "\\|")


def main(arguments: Iterable[str] | None = None) -> int:
    """Run pairs and write the document; 1 if a requirement that a fault breaks passes anywhere."""
    parser = argparse.ArgumentParser(prog="tools.grounds", description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=3, help="grounds for each fault (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other grounds (default: %(default)s)")
    options = parser.parse_args(None if arguments is None else list(arguments))
    chosen = drawn(options.each, options.seed)
    with ProcessPoolExecutor(PROCESSES) as pool:
        pairs = list(pool.map(judged, *zip(*chosen, strict=True)))
    for pair in pairs:
        for name, (outcome, reason) in pair.wrong.items():
            print(f"{pair.fault} on {pair.ground}: {name} is {outcome}: {reason}")
    DOCUMENT.write_text(document(pairs), encoding="utf-8")
    wrong = sum(bool(pair.wrong) for pair in pairs)
    print(f"{len(pairs):,} pairs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
