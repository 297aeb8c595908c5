"""Creates animals until a target has a number of them, for development servers that begin empty (section 4.2).

LIST-4 needs more than 20 animals, and LIST-5 more than 100.
There is no delete operation, so no animal is created that the number does not need.
"""

from __future__ import annotations

from itertools import cycle, islice

from petcheck.errors import NotSent
from petcheck.judging.creations import creations_in
from petcheck.judging.matchers import answer_text
from petcheck.judging.pages import shown_in
from petcheck.spec.figures import LIMIT_MAX, STATUSES
from petcheck.spec.operations import Operation
from petcheck.toolkit.target import Target
from petcheck.words import plural


def populate(target: Target, wanted: int) -> None:
    """Create animals until the target has `wanted`, never more; says what it did, or why it stopped.

    It stops if the number is unknown: if pages may not show all of them, or not the one that is created
    first; and if a POST creates nothing.
    """
    section, target.transport.section = target.transport.section, ""
    spent = target.transport.tally.spent
    try:
        said = _populated(target, wanted)
    except NotSent as obstacle:
        said = f"stopped adding animals: {obstacle.reason}"
    finally:
        target.transport.section = section
        target.populating += target.transport.tally.spent - spent
    target.transport.on_notice(target.config.name, said)


def _populated(target: Target, wanted: int) -> str:
    shown, listed = _shown(target)
    missing = wanted - len(shown)
    if missing <= 0:
        return f"already has {plural(len(shown), 'animal')}; none added"
    if len(listed) >= LIMIT_MAX or shown != listed:
        return f"shows {plural(len(shown), 'animal')}, perhaps not all that it has; none added to reach {wanted}"
    for number, status in enumerate(islice(cycle(STATUSES), missing), 1):
        name = f"petcheck {target.run} populate {number}"
        answer = target.api.create_pet({"name": name, "categoryId": target.category, "status": status})
        made = next(iter(creations_in([answer])), None)
        if made is None:
            added = f"after adding {plural(number - 1, 'animal')}" if number > 1 else "before adding any animal"
            return f"stopped {added}: {Operation.CREATE_PET} returned {answer_text(answer)}"
        if number == 1 and not _shown(target)[1] >= shown | {made.id}:
            return f"stopped after adding animal {made.id}: the list does not show it"
    _shown(target)
    return f"added {plural(missing, 'animal')}, so there are {wanted}"


def _shown(target: Target) -> tuple[frozenset[int], frozenset[int]]:
    """The ids of all animals that pages show, and of those on the longest page without a filter.

    Checks share these pages: they are newer than the first one.
    """
    target.api.list_pets(fresh=True)
    everything, *filtered = (
        frozenset(shown_in(target.api.list_pets(limit=LIMIT_MAX, status=status, fresh=True)))
        for status in (None, *STATUSES)
    )
    return everything.union(*filtered), everything
