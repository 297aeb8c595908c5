"""Outlines of fleets to render: many targets that fail here and there, and one that could not be tested."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

from petcheck.judging.verdicts import Verdict
from petcheck.results.parts import outline
from petcheck.results.result import Result
from petcheck.spec.outcomes import Outcome
from tests.support import samples

_REASON = "GET /pets?limit=5 returned 6 animals; at most 5 are due."
_OTHERS: tuple[Outcome, ...] = ("fail", "inconclusive", "not-run")


@cache
def fleet(
    number: int = 30, *, kinds: int = 6, failing: bool = True, conforming: float = 0.6, reason: str = _REASON
) -> Result:
    """The outline of a fleet of `number` targets that behave in at most that many ways.

    At least the share `conforming` conforms; each failure has that reason. If any is `failing`, the second target could
    not be tested.
    """
    drawn = random.Random(f"{number}/{kinds}/1")
    one, _ = samples.whole_run(targets=1, failing=False)
    rows, info = outline(one).requirements, one.targets[0]
    ways = [_way(rows, drawn, changes % 12 if failing else 0, reason) for changes in range(kinds)]
    targets, found = [], []
    for place in range(number):
        name = f"tenant-{place + 1:04}"
        down = place == 1 and failing
        trouble = "https://tenant.example/v1 does not answer (refused); check the URL" if down else None
        way = ways[0 if drawn.random() < conforming else drawn.randrange(kinds)]
        targets.append(replace(info, name=name, base_url=f"https://{name}.example/v1", unreachable=trouble))
        found += [
            replace(row, target=name, outcome="error", reason=f"{trouble}.") if trouble else replace(row, target=name)
            for row in way
        ]
    return replace(
        outline(one),
        run=samples.run(int(failing)),
        targets=tuple(targets),
        requirements=tuple(found),
    )


def _way(rows: tuple[Verdict, ...], drawn: random.Random, changes: int, reason: str) -> tuple[Verdict, ...]:
    """The rows with some others of another verdict."""
    changed = set(drawn.sample(range(len(rows)), min(changes, len(rows))))
    return tuple(
        replace(
            row, outcome=_OTHERS[drawn.randrange(3)], reason="GET /pets?limit=5 returned 6 animals; at most 5 are due."
        )
        if place in changed
        else row
        for place, row in enumerate(rows)
    )
