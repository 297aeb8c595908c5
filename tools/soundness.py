"""Judges conforming servers, composed at random from variations, store sizes and permissions.

Each seed is one server. No requirement may fail on it: variations conform, and contradictory ones are not combined.
A failure is an alarm. The program reduces it to the variations that it needs, and prints it with its seed.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from petstore_reference.variations import VARIATIONS
from tools.kill_matrix import run_variation

SIZES = (0, 1, 12, 19, 20, 21, 60, 100, 130, 3_000)
MOST = 8  # variations of one server
PROCESSES = 4  # for two cores, because a run mostly waits
# these wait for seconds, and the kill matrix runs them alone; store sizes are drawn separately
LEFT_OUT = frozenset({"slow", "empty-store", *(name for name in VARIATIONS if name.startswith("store-of-"))})
CANDIDATES = frozenset(VARIATIONS.keys() - LEFT_OUT)
"""The variations to draw from."""


@dataclass(frozen=True)
class Server:
    """The conforming server of a seed, and whether the run may write."""

    seed: int
    animals: int
    writes: bool
    variations: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join(self.variations) or "no variations"
        return f"seed {self.seed} ({'with writes' if self.writes else 'reading'}, {self.animals} animals): {names}"


def drawn(seed: int, names: Collection[str]) -> Server:
    """The server of a seed, with up to `MOST` of the named variations, none of which contradicts another."""
    chance = random.Random(seed)
    animals, writes, count = chance.choice(SIZES), chance.random() < 0.5, chance.randint(0, MOST)
    chosen: list[str] = []
    for name in chance.sample(sorted(names), len(names)):
        if len(chosen) < count and not VARIATIONS[name].conflicts & set(chosen):
            chosen.append(name)
    return Server(seed, animals, writes, tuple(chosen))


def judged(server: Server) -> Mapping[str, str]:
    """The reason of each requirement that fails, or ends in an error, on a server."""
    trial = run_variation(server.variations, writes=server.writes, animals=server.animals, seed=server.seed)
    return {requirement: trial.reasons[requirement] for requirement in sorted(trial.ids("fail") | trial.ids("error"))}


def alarm(seed: int, names: Collection[str]) -> str:
    """The failures on the server of a seed, reduced to the smallest server that still shows one; empty if none."""
    server = drawn(seed, names)
    reasons = _reasons(server)
    if not reasons:
        return ""
    for name in server.variations:
        smaller = replace(server, variations=tuple(each for each in server.variations if each != name))
        if still := _reasons(smaller):
            server, reasons = smaller, still
    return "\n".join((str(server), *(f"  {requirement}: {reason}" for requirement, reason in reasons.items())))


def _reasons(server: Server) -> Mapping[str, str]:
    try:
        return judged(server)
    except Exception as error:  # a broken run is an alarm too, and the others continue
        return {"broken": repr(error)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the servers and print the alarms; 1 if there are any."""
    parser = argparse.ArgumentParser(prog="tools.soundness", description=__doc__.partition("\n")[0])
    parser.add_argument("--servers", type=int, default=300, help="how many servers (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="judge only the server of this seed")
    options = parser.parse_args(arguments)
    first = random.randrange(2**31) if options.seed is None else options.seed
    seeds = range(first, first + (options.servers if options.seed is None else 1))
    print(drawn(first, CANDIDATES) if options.seed is not None else f"seeds {seeds[0]} to {seeds[-1]}", flush=True)
    alarms = 0
    with ProcessPoolExecutor(PROCESSES) as pool:
        for found in pool.map(partial(alarm, names=CANDIDATES), seeds):
            if found:
                alarms += 1
                print(f"alarm: {found}", flush=True)
    print(f"{len(seeds)} servers, {alarms} alarms")
    if alarms and options.seed is None:
        print("to repeat one: make soundness SEED=…")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
