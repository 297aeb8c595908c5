"""Creates animals until a target has a number of them, for development servers that begin empty (section 4.2).

LIST-4 needs more than 20 animals, LIST-3 and LIST-5 more than 100. LIST-8 and CREATE-11 need a store that fits on a
page, so this comes after all that can be judged on a small store. There is no delete operation, so no animal is created
that the number does not need.
"""

from __future__ import annotations

from itertools import cycle, islice

from petcheck.errors import NotSent
from petcheck.exchange import Exchange, Page
from petcheck.judging.creations import creations_in
from petcheck.judging.matchers import answer_text
from petcheck.judging.pages import LAG_S, pages_in, shown_in
from petcheck.spec.figures import LIMIT_MAX, STATUSES
from petcheck.spec.operations import Operation
from petcheck.toolkit.target import Target
from petcheck.words import plural


def populate(target: Target) -> None:
    """Create animals until the target has as many as it is to have, never more; then ask for its first pages again.

    It says what it did, or why it stopped: if pages may not show all animals, or not the one that is created first; and
    if a POST creates nothing. Its requests come on top of the run's.
    """
    transport = target.transport
    with transport.tally.beside_the_plan(), transport.serving(section=""):
        transport.on_notice(target.config.name, _said(target, target.populate or 0))
        for limit, status in (*target.pages, (LIMIT_MAX + 1, None)):
            target.api.list_pets(limit=limit, status=status, fresh=True)


def _said(target: Target, wanted: int) -> str:
    try:
        return _added(target, wanted)
    except NotSent as obstacle:
        return f"stopped adding animals: {obstacle.reason}"


def _added(target: Target, wanted: int) -> str:
    shown, listed = _shown(target)
    missing = wanted - len(shown)
    if missing <= 0:
        return f"already has {plural(len(shown), 'animal')}; none added"
    if len(listed) >= LIMIT_MAX or shown != listed:
        seen = plural(len(shown), "animal")
        return f"shows {seen}, perhaps not all that it has; none added to reach {wanted}: add them another way"
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

    If a page with room lacks an animal of the run, all are asked for again when they must show it. Checks share these
    pages: they are newer than the first one.
    """
    seen = _look(target)
    if any(_is_behind(page, target) for page in pages_in(seen)):
        target.transport.wait(LAG_S, "pages may show a new animal late; they are asked for again")
        seen = _look(target)
    _, everything, *filtered = (frozenset(shown_in(one)) for one in seen)
    return everything.union(*filtered), everything


def _look(target: Target) -> list[Exchange]:
    widest = (target.api.list_pets(limit=LIMIT_MAX, status=status, fresh=True) for status in (None, *STATUSES))
    return [target.api.list_pets(fresh=True), *widest]


def _is_behind(page: Page, target: Target) -> bool:
    made = (one.id for one in creations_in(target.record) if page.status in (None, one.status))
    return page.has_room and not set(page.ids).issuperset(made)
