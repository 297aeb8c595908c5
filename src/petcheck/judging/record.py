"""What a record shows about a target when a rule judges."""

from __future__ import annotations

from datetime import date

from petcheck.judging.creations import categories_in, creations_in
from petcheck.judging.decision import Record
from petcheck.judging.judgement import Grounds
from petcheck.judging.pages import animals_in
from petcheck.spec.figures import PLANS


def grounds_of(
    record: Record,
    *,
    as_of: date,
    plan: str | None,
    writes: bool,
    run: str,
    repeats: bool,
) -> Grounds:
    """What a record and the user say about a target; `plan` may be None.

    A category that the user names is known once the target has shown it: it may be another target's.
    """
    return Grounds(
        as_of,
        next((each for name, each in PLANS.items() if name == plan), None),
        categories=categories_in(record),
        listed=frozenset({*animals_in(record), *(made.id for made in creations_in(record))}),
        writes=writes,
        run=run,
        repeats=repeats,
        # if one id was given several times, the first
        begun={made.id: made.exchange.sent for made in reversed(creations_in(record))},
    )
