"""What measured runs come to: the curve of faults found, what only one class of requests finds, and the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CHECKS_ONLY = 60
HALF, MOST, ALL = 0.5, 0.97, 1.0


class Place(NamedTuple):
    """Where an exchange lies: its operation, kind of key, status, form and section, and what sent it; all in words."""

    operation: str
    credential: str
    status: str
    form: str
    section: str
    sender: str


@dataclass(frozen=True)
class Run:
    """A fault judged with one seed.

    `found` is the number of requests after which it was found, None if it was not, and `requests` all that the run
    planned. `by_checks` says whether a run without property examples found it, which planned `requests_of_checks`.
    `places` are those of the exchanges that decide.
    """

    fault: str
    seed: int
    found: int | None
    requests: int
    by_checks: bool
    requests_of_checks: int
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Measurement:
    """The runs of a sample: every `each`-th fault, and all of `crashes`, with `seeds` seeds.

    `within` are the faults of the sample that a default run may find, out of `possible`; `rare` are those for which it
    sends too few requests to be sure; `crashes` are inputs that make a server fail, of either kind.
    """

    runs: tuple[Run, ...]
    each: int
    seeds: int
    possible: int
    within: tuple[str, ...]
    rare: tuple[str, ...]
    crashes: tuple[str, ...]

    def of(self, faults: Collection[str]) -> list[Run]:
        """The runs of some faults."""
        return [run for run in self.runs if run.fault in faults]


class Share(NamedTuple):
    """Which share of faults is found: on average over seeds, and by any seed."""

    mean: float
    by_any: float


def share(runs: Sequence[Run], found: Callable[[Run], bool]) -> Share:
    """The share of the faults of some runs for which `found` holds."""
    hits = [run for run in runs if found(run)]
    return Share(len(hits) / len(runs), len({run.fault for run in hits}) / len({run.fault for run in runs}))


def curve(runs: Sequence[Run]) -> list[Share]:
    """The shares found by the first 0, 1, 2, … requests, up to the most that a run planned."""
    return [found_by(runs, number) for number in range(max(run.requests for run in runs) + 1)]


def found_by(runs: Sequence[Run], number: int) -> Share:
    """The shares found by the first `number` requests."""
    return share(runs, lambda run: run.found is not None and run.found <= number)


def rates(runs: Sequence[Run]) -> dict[str, tuple[int, int]]:
    """For each fault, in how many runs it was found, and in how many not."""
    hits, all_ = Counter(run.fault for run in runs if run.found is not None), Counter(run.fault for run in runs)
    return {name: (hits[name], number - hits[name]) for name, number in all_.items()}


# what may alone find a fault, and its value in words
DIMENSIONS: Mapping[str, Callable[[Place], str]] = {
    "operation and key": lambda place: f"{place.operation} with {place.credential}",
    "operation and status": lambda place: f"{place.operation}, {place.status}",
    "operation and form": lambda place: f"{place.operation}, {place.form}",
    "section of the check": lambda place: place.section,
    "sent by": lambda place: place.sender,
    "all but the form": lambda place: (
        f"{place.operation} with {place.credential}, {place.status}, section {place.section}, {place.sender}"
    ),
}


def alone(runs: Sequence[Run]) -> dict[tuple[str, str], frozenset[str]]:
    """For each dimension and class, the faults that only it finds.

    All exchanges that decide lie in the class, in every run that found the fault.
    """
    places: dict[str, set[Place]] = {}
    for run in runs:
        if run.found is not None:
            places.setdefault(run.fault, set()).update(run.places)
    found: dict[tuple[str, str], set[str]] = {}
    for fault, all_ in places.items():
        for dimension, value_of in DIMENSIONS.items():
            value, *others = {value_of(place) for place in all_}
            if not others:
                found.setdefault((dimension, value), set()).add(fault)
    order = list(DIMENSIONS)
    ranked = sorted(found.items(), key=lambda row: (order.index(row[0][0]), -len(row[1]), row[0][1]))
    return {key: frozenset(faults) for key, faults in ranked}


# ---- the page

_FIRST = re.compile(r"when first measured: ([0-9.]+) %")


def first_share(page: str) -> float | None:
    """The share that the whole run found when a page was first written; None in a page that does not say it."""
    said = _FIRST.search(page)
    return float(said[1]) / 100 if said else None


def document(measurement: Measurement, first: float | None = None) -> str:
    """The text of docs/power.md. `first` is the share that the whole run found when it was first measured."""
    runs = measurement.of(measurement.within)
    return "\n".join(
        [
            "# Power",
            "",
            "`make power` writes this page and its picture from runs of petcheck; do not edit them. They show how soon",
            "a default run with `--allow-writes` finds the faults of the [kill matrix](kill-matrix.md).",
            "",
            "![The share of the faults found by the first requests of a run](power.svg)",
            "",
            *_about(measurement, runs),
            "",
            *_aims(measurement, runs, first),
            "",
            *_classes(runs),
            "",
            *_sometimes(runs),
            "",
            *_rare(measurement),
            "",
        ]
    )


def _about(measurement: Measurement, runs: Sequence[Run]) -> Iterator[str]:
    longest, checks = max(run.requests for run in runs), max(run.requests_of_checks for run in runs)
    yield (
        f"- Sample: {_sample(measurement.each)} that a run may find with no other option, {len(measurement.within)} of "
        f"{measurement.possible}; {measurement.seeds} seeds each."
    )
    yield "- A fault is found once a requirement that it breaks fails, when only the requests so far are judged."
    yield f"- A run plans at most {longest} requests, one with `--examples 0` at most {checks}. A request that is sent"
    yield "  again, and a simpler form of an example that failed, count as the request before them."


def _sample(each: int) -> str:
    return "every fault" if each == 1 else f"every {_ORDINALS.get(each, f'{each}th')} fault"


_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth", 9: "ninth"}


def _aims(measurement: Measurement, runs: Sequence[Run], first: float | None) -> Iterator[str]:
    whole, start = share(runs, lambda run: run.found is not None), found_by(runs, CHECKS_ONLY)
    checks = share(runs, lambda run: run.by_checks)
    crashes = share(measurement.of(measurement.crashes), lambda run: run.found is not None)
    first = whole.mean if first is None else first
    yield "| Found by | on average over seeds | by any seed |"
    yield "|---|--:|--:|"
    yield f"| the first {CHECKS_ONLY} requests | {_percent(start.mean)} | {_percent(start.by_any)} |"
    yield f"| a run with `--examples 0` | {_percent(checks.mean)} | {_percent(checks.by_any)} |"
    yield f"| the whole run | {_percent(whole.mean)} | {_percent(whole.by_any)} |"
    yield ""
    yield "## Aims"
    yield ""
    yield "| Aim | Measured | |"
    yield "|---|---|---|"
    yield (
        f"| The whole run finds {_percent(MOST)} of the faults, on average over seeds. | {_percent(whole.mean)} | "
        f"{_met(whole.mean >= MOST)} |"
    )
    yield f"| Any of the seeds finds each fault. | {_percent(whole.by_any)} | {_met(whole.by_any >= ALL)} |"
    yield (
        f"| {CHECKS_ONLY} requests find what the whole run found when first measured: {_percent(first)}. | "
        f"{_percent(checks.mean)} in a run of so many; {_percent(start.mean)} at the start of a longer one | "
        f"{_met(checks.mean >= first)} |"
    )
    yield (
        f"| A run finds half of the {len(measurement.crashes)} crashing inputs, on average over seeds. | "
        f"{_percent(crashes.mean)}; {_percent(crashes.by_any)} by any seed | {_met(crashes.mean >= HALF)} |"
    )
    yield ""
    yield "A crashing input gets 500 although a check alone may not send it. All of them were measured."


def _classes(runs: Sequence[Run]) -> Iterator[str]:
    number = len({run.fault for run in runs if run.found is not None})
    yield "## What only one class of requests finds"
    yield ""
    yield f"Of the {number} faults that were found, these were decided by exchanges of one class only, with every seed"
    yield "that found them. Classes that are not listed find nothing alone. If very many exchanges decide, a verdict"
    yield "names the most revealing of them, and only those count here."
    yield ""
    yield "| | Class | Faults that only it finds |"
    yield "|---|---|--:|"
    yield from (f"| {dimension} | {value} | {len(faults)} |" for (dimension, value), faults in alone(runs).items())


def _sometimes(runs: Sequence[Run]) -> Iterator[str]:
    rows = {name: hits for name, hits in rates(runs).items() if hits[1]}
    never = [name for name, (found, _) in rows.items() if not found]
    yield "## Faults that a default run finds only sometimes"
    yield ""
    yield f"{len(rows) - len(never)} faults of the sample are found with some seeds only, and {len(never)} with none."
    if rows:
        yield ""
        yield from _table(rows)


def _rare(measurement: Measurement) -> Iterator[str]:
    rare = measurement.of(measurement.rare)
    yield "## Crashing input, and faults that few values show"
    yield ""
    if rare:
        found = share(rare, lambda run: run.found is not None)
        yield f"Only `--examples 200` is sure to find {len(measurement.rare)} further faults of the sample. A default"
        yield f"run finds {_percent(found.mean)} of them on average over seeds, {_percent(found.by_any)} by any"
        yield "seed. The curve and the classes leave them out."
        yield ""
    yield from _table(rates(measurement.of({*measurement.rare, *measurement.crashes})))


def _table(rows: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    yield "| Fault | Found with |"
    yield "|---|--:|"
    for name, (found, missed) in sorted(rows.items(), key=lambda row: (row[1][0] / sum(row[1]), row[0])):
        yield f"| `{name}` | {found} of {found + missed} seeds |"


def _met(met: bool) -> str:
    return "met" if met else "**not met**"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


# ---- the picture

WIDTH, HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 700, 50, 340
_STYLE = """
text { font: 14px sans-serif; fill: #1b2733; }
.back { fill: #ffffff; }
.grid { stroke: #d5dbe1; }
.axis { stroke: #1b2733; }
.line { fill: none; stroke-width: 2.5; }
.mean { stroke: #0b62b8; }
.any { stroke: #b4530a; stroke-dasharray: 6 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e9ee; }
  .back { fill: #1b2128; }
  .grid { stroke: #3b4550; }
  .axis { stroke: #e4e9ee; }
  .mean { stroke: #6cb6ff; }
  .any { stroke: #f2a65a; }
}
"""


def picture(shares: Sequence[Share]) -> str:
    """The curve as SVG, readable in light and dark."""
    last = len(shares) - 1
    end = -(-last // 20) * 20

    def x(number: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * number / end

    def y(part: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * part

    def line(kind: str, values: Sequence[float]) -> str:
        points = " ".join(f"{x(number):.1f},{y(value):.1f}" for number, value in enumerate(values))
        return f'<polyline class="line {kind}" points="{points}"/>'

    def key(kind: str, at: int, text: str) -> Iterator[str]:
        yield f'<line class="line {kind}" x1="{at}" y1="24" x2="{at + 32}" y2="24"/>'
        yield f'<text x="{at + 40}" y="29">{text}</text>'

    steps = range(0, 101, 20)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="The share of the faults found by the first 0 to {last} requests of a run; at the end '
            f'{_percent(shares[-1].mean)} on average over seeds, {_percent(shares[-1].by_any)} by any seed">',
            f"<style>{_STYLE}</style>",
            f'<rect class="back" width="{WIDTH}" height="{HEIGHT}"/>',
            *key("any", _LEFT, "found by any seed"),
            *key("mean", _LEFT + 200, "average over seeds"),
            *(f'<path class="grid" d="M{_LEFT} {y(step / 100):.1f}H{_RIGHT}"/>' for step in steps),
            *(f'<text x="{_LEFT - 8}" y="{y(step / 100) + 5:.1f}" text-anchor="end">{step} %</text>' for step in steps),
            *(
                f'<text x="{x(number):.1f}" y="{_BOTTOM + 20}" text-anchor="middle">{number}</text>'
                for number in range(0, end + 1, 20)
            ),
            f'<path class="axis" fill="none" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}"/>',
            f'<text x="{(_LEFT + _RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">'
            "requests of the run so far</text>",
            f'<text transform="rotate(-90 16 {(_TOP + _BOTTOM) / 2})" x="16" y="{(_TOP + _BOTTOM) / 2 + 5}" '
            'text-anchor="middle">faults found</text>',
            line("any", [one.by_any for one in shares]),
            line("mean", [one.mean for one in shares]),
            "</svg>",
            "",
        ]
    )
