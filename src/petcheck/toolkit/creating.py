"""Creates the animals of a run, several at the same time, and requests the pages that show them (section 4.2)."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from math import inf

from petcheck.call import Call, Credential, Form, page_call, read_call
from petcheck.exchange import Exchange
from petcheck.judging.creations import creations_in
from petcheck.judging.pages import widest_with_room
from petcheck.plan.bodies import TELLTALE_STATUS, ValidPet, nameless_posts, twins
from petcheck.plan.keys import Wrong
from petcheck.plan.pages import another_page, page_beside_creations
from petcheck.plan.together import may_end_a_server
from petcheck.spec.figures import LIMIT_MAX, REMOVAL_DAY
from petcheck.spec.operations import Operation
from petcheck.toolkit.feeds import RequestKind
from petcheck.toolkit.lookups import revealing
from petcheck.toolkit.target import Target, valid_call
from petcheck.toolkit.together import ask_ahead, asked_later, send_together, sends_bursts

_LOST = 2
BESIDE = 6
"""Requests beside the animals that a run creates: the twins, two refused bodies, a page, and it with an invalid key."""


def ask_creations_ahead(target: Target) -> None:
    """Post the animals that the run creates: the plainest alone, then the first form of the others together.

    More animals, a refused body and a page take the place of property examples beside them. A refused body precedes the
    plainest one too, on the same connection: a server that does not read all of it may take the rest for a request.
    """
    target.need_writes()
    if not sends_bursts(target):
        return
    target.api.list_pets(limit=LIMIT_MAX, status=TELLTALE_STATUS)  # as `creations` does before the first POST
    firsts = [((*pet.extremes, pet.plain)[0], pet.escaped) for pet in target.valid_pets()]
    posts = [valid_call(body, escaped=escaped) for body, escaped in firsts]
    beside: list[Call] = []
    if target.budget.examples_left() > BESIDE:
        posts += map(valid_call, twins(target.valid_pets(), target.seed))
        before, refused = nameless_posts(target.run, target.category, target.seed)
        # the same URL byte by byte, as a cache or a shared flight of requests knows it
        invalid = replace(_page_with_an_invalid_key(target), form=Form.PLAIN)
        beside += [refused, replace(invalid, credential=Credential.VALID), invalid]
        target.budget.examples_sent += BESIDE
        target.api.call(before)
    room = target.transport.permissions.connections - len(posts[1:]) - len(beside)  # so that they are one burst
    ask_ahead(target, [*posts, *islice(asked_later(target), max(room, 0))], beside)


def _page_with_an_invalid_key(target: Target) -> Call:
    """A filtered page with a kind of invalid key that was not sent to pages; without a key if all were.

    Asked for beside the same page with the valid key, it shows what a cache keeps under a URL, or what a server gives
    to all who ask for one at the same time.
    """
    sent = {one.request.credential for one in target.record if one.request.operation is Operation.LIST_PETS}
    page = page_beside_creations(target.seed)
    cells = (one for one in target.keys.others if one.wrong is Wrong.FILTER and one.key not in sent)
    calls = (page_call(*page, one.key) for one in cells)
    return next((call for call in calls if not may_end_a_server(call)), page_call(*page, Credential.MISSING))


def _creation(target: Target, pet: ValidPet) -> Exchange:
    """The POST of an animal: the extreme one if it was accepted, otherwise the plain one.

    If the plainest animal of all got the same status, other than 400, the extreme value was not the reason.
    """
    target.need_writes()
    # requested before the first POST and again after the last: a cache would give both the same answer
    target.api.list_pets(limit=LIMIT_MAX, status=TELLTALE_STATUS)
    plainest = target.valid_pets()[0]
    for place, extreme in enumerate(pet.extremes):
        first = target.post(f"extreme {pet.status}" + " again" * place, extreme, escaped=pet.escaped)
        other = target.post(f"plain {plainest.status}", plainest.plain)
        if first.status == 201 or (first.status != 400 and first.status == other.status):
            return first
    return target.post(f"plain {pet.status}", pet.plain)


def creations(target: Target) -> None:
    """Create an animal of each status, and one without; then the watched page is requested again."""
    for pet in target.valid_pets():
        _creation(target, pet)
    if _is_stale(target, page_call(LIMIT_MAX, TELLTALE_STATUS)):
        _ask_anew_together(target)
    list_anew(target, TELLTALE_STATUS)


def _ask_anew_together(target: Target) -> None:
    """Request what shows the creations at the same time: pages that share a limit or a status, and an animal.

    A server that answers one flight of requests, or one key of a cache, for too many URLs mixes them up. Then two
    animals that a page with room lacks are read: a server may lose what it creates at the same time.
    """
    if not sends_bursts(target) or RequestKind.PAGES not in target.choice.needs:
        return
    calls = [call for call in (page_call(LIMIT_MAX, TELLTALE_STATUS), page_call(LIMIT_MAX)) if _is_stale(target, call)]
    number = revealing(target)
    if number is not None and target.as_of < REMOVAL_DAY:
        calls.append(read_call(number))
    also = page_call(*another_page(target.seed))
    if calls and target.budget.examples_left() and not target.api.known(also):
        calls.append(also)
        target.budget.examples_sent += 1
    send_together(target, calls)
    unlisted = _unlisted(target) if target.as_of < REMOVAL_DAY and target.budget.examples_left() >= _LOST else []
    for lost in unlisted[:_LOST]:
        target.api.get_pet(lost)
        target.budget.examples_sent += 1


def _unlisted(target: Target) -> list[int]:
    """The ids of animals of the run that the latest of the longest pages lacks, although it has room for them."""
    page = widest_with_room(target.record)
    if page is None:
        return []
    return [one.id for one in creations_in(target.created.values()) if one.is_missing_on(page)]


def list_anew(target: Target, status: str | None = None) -> None:
    """List the longest page, filtered or not; list it again if the run has created animals since."""
    call = page_call(LIMIT_MAX, status)
    target.api.call(call, fresh=_is_stale(target, call))


def _is_stale(target: Target, call: Call) -> bool:
    """Whether a call was last sent before the run created an animal, or never."""
    created = max((one.finished for one in target.created.values()), default=-inf)
    last = target.api.last_of(call)
    return last is None or last.sent < created
