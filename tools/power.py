"""Measures how soon a default run finds each fault; as a program, writes docs/power.md and its picture.

A default run has no option but `--allow-writes`. Each fault runs with several seeds; its recording, judged after each
request, says how many requests it took. A second run without property examples says what the checks find alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from petcheck.exchange import Exchange
from petcheck.results.judge import failing
from petcheck.stream.stream import Stream
from petstore_reference.faults import FAULTS
from petstore_reference.variations import VARIATIONS
from tests.support.by_examples import BY_EXAMPLES
from tests.support.trial import Hurried, Trial, judge_in_place, server
from tools.kill_matrix import STORES
from tools.power_page import Measurement, Place, Run, curve, document, first_share, picture, share

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "power.md"
PICTURE = DOCUMENT.with_suffix(".svg")
MEASURED = ROOT / "build" / "power.jsonl"
USUAL_SIZE = 130
PROCESSES = 2
# what a default run with writes lacks
_OPTIONS = frozenset({"exhaust", "plan", "after-removal", "day-before-removal", "reading"})

# the faults that a default run may find, and those that only a run with many examples is sure to find
WITHIN = tuple(name for name, fault in FAULTS.items() if not fault.needs & (_OPTIONS | {"examples"}))
RARE = tuple(name for name, fault in FAULTS.items() if "examples" in fault.needs and not fault.needs & _OPTIONS)
# input that makes a server fail, and that the checks alone may not send
CRASHES = tuple(
    name for name in (*WITHIN, *RARE) if "ERROR-5" in FAULTS[name].breaks and (name in RARE or name in BY_EXAMPLES)
)


def measured(name: str, seed: int) -> Run:
    """What a default run with a seed, and one without examples, find of a fault."""
    whole, checks = _judged(name, seed), _judged(name, seed, "--examples", "0")
    rows = [row for row in whole.result.requirements if row.outcome == "fail" and row.id in FAULTS[name].breaks]
    return Run(
        name,
        seed,
        found=found_after(whole.stream, FAULTS[name].breaks),
        requests=sum(map(_planned, whole.exchanges)),
        by_checks=bool(checks.ids("fail") & set(FAULTS[name].breaks)),
        requests_of_checks=sum(map(_planned, checks.exchanges)),
        places=tuple(
            sorted({place_of(whole.exchanges[index], whole.exchanges) for row in rows for index in row.decisive})
        ),
    )


def _judged(name: str, seed: int, *options: str) -> Trial:
    needs = FAULTS[name].needs
    animals = next((STORES[need] for need in needs if need in STORES), USUAL_SIZE)
    clock = Hurried(200)
    with server(faults=(name,), variations=sorted(needs & VARIATIONS.keys()), animals=animals, clock=clock) as url:
        return judge_in_place(url, "--allow-writes", *options, clock=clock, seed=seed)


def found_after(stream: Stream, requirements: Iterable[str]) -> int | None:
    """The number of requests after which one of some requirements fails; None if none does.

    A request that was sent again, and the simpler forms of an example that failed, count as the request before them.
    A failure stays, so a few numbers are tried.
    """
    ids = frozenset(requirements)
    target = stream.head.targets[0].name
    planned = [place for place, entry in enumerate(stream.entries) if isinstance(entry, Exchange) and _planned(entry)]
    ends = [*planned[1:], len(stream.entries)]

    def found(number: int) -> bool:
        return bool(failing(Stream(stream.entries[: ends[number - 1]]), target, ids))

    numbers = range(1, len(planned) + 1)
    if not planned or not found(len(planned)):
        return None
    return numbers[bisect_left(numbers, True, key=found)]


def _planned(exchange: Exchange) -> bool:
    return not exchange.cause and exchange.simplifies is None


def place_of(exchange: Exchange, record: Sequence[Exchange]) -> Place:
    """Where an exchange of a record lies, in words.

    What is asked again in the plain form, since it failed, has the section and sender of the first such request.
    """
    call = exchange.request.call
    first = next(one for one in record if one.request.call == call) if exchange.on_top else exchange
    return Place(
        str(exchange.request.operation),
        exchange.request.credential.value,
        str(exchange.status or "no answer"),
        exchange.request.form.value,
        first.section or "none",
        "a property example" if first.example else "a check",
    )


def sample(each: int) -> list[str]:
    """Every `each`-th fault, and every crashing input."""
    return list(dict.fromkeys((*WITHIN[::each], *RARE[::each], *CRASHES)))


def _all_seeds(name: str, seeds: int) -> list[Run]:
    return [measured(name, seed) for seed in range(1, seeds + 1)]


def _kept() -> Iterator[Run]:
    """The runs in the file of an earlier measurement."""
    if MEASURED.exists():
        for line in MEASURED.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield Run(**{**row, "places": tuple(Place(*place) for place in row["places"])})


def _measure(names: Iterable[str], seeds: int) -> None:
    """Add the runs of some faults to the file, each fault as it ends."""
    with (
        ProcessPoolExecutor(PROCESSES, initializer=os.nice, initargs=(10,)) as pool,
        MEASURED.open("a", encoding="utf-8") as file,
    ):
        for ended in as_completed([pool.submit(_all_seeds, name, seeds) for name in names]):
            file.writelines(f"{json.dumps(asdict(run))}\n" for run in ended.result())
            file.flush()


def measurement(each: int, seeds: int) -> Measurement:
    """What the file has of a sample."""
    names = sample(each)
    runs = tuple(run for run in _kept() if run.fault in names and run.seed <= seeds)
    return Measurement(runs, each, seeds, len(WITHIN), WITHIN[::each], RARE[::each], CRASHES)


def write(measured: Measurement) -> None:
    """Write the page and the picture, and print the main figures."""
    first = first_share(DOCUMENT.read_text("utf-8")) if DOCUMENT.exists() else None
    runs = measured.of(measured.within)
    DOCUMENT.write_text(document(measured, first), encoding="utf-8")
    PICTURE.write_text(picture(curve(runs)), encoding="utf-8")
    whole = share(runs, lambda run: run.found is not None)
    print(
        f"{len(measured.within)} faults, {measured.seeds} seeds: {whole.mean:.1%} found, {whole.by_any:.1%} by any seed"
    )


def main(arguments: Iterable[str] | None = None) -> int:
    """Measure, and write the page and the picture."""
    parser = argparse.ArgumentParser(prog="tools.power", description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="runs of each fault (default: %(default)s)")
    parser.add_argument("--each", type=int, default=1, help="measure every so many-th fault (default: all)")
    parser.add_argument("--more", action="store_true", help=f"keep what {MEASURED.relative_to(ROOT)} has of them")
    options = parser.parse_args(None if arguments is None else list(arguments))
    names = sample(options.each)
    MEASURED.parent.mkdir(exist_ok=True)
    if not options.more:
        MEASURED.unlink(missing_ok=True)
    done = {run.fault for run in _kept() if run.seed == options.seeds}
    _measure([name for name in names if name not in done], options.seeds)
    write(measurement(options.each, options.seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
