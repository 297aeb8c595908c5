"""What a run creates on a target, and which of its animals tell most when they are looked at (section 4.2)."""

from __future__ import annotations

from math import inf

from petcheck.judging.json_values import integer
from petcheck.judging.matchers import Animal
from petcheck.judging.pages import animals_in
from petcheck.judging.rules.get_pet import wrapped
from petcheck.spec.figures import LIMIT_MAX, PENDING, SOLD, STATUSES
from petcheck.toolkit.created import Created
from petcheck.toolkit.payloads import TELLTALE_STATUS, ValidPet
from petcheck.toolkit.target import Target


def recipe(target: Target, status: str | None) -> ValidPet:
    """What the run posts for a status; `NotRun` where it may not."""
    target.need_writes()
    return next(pet for pet in target.valid_pets() if pet.status == status)


def creation(target: Target, status: str | None) -> Created:
    """The animal of a status: the bold one where it was accepted, else the plain one.

    Where the plainest of all was answered in the same way, other than 400, boldness is not what it was refused for.
    """
    pet = recipe(target, status)
    # asked for before the first POST and again after the last: a cache would answer both alike
    target.api.list_pets(limit=LIMIT_MAX, status=TELLTALE_STATUS)
    if pet.bold is not None:
        first = target.post(f"bold {status}", pet.bold)
        plainest = target.post(f"plain {STATUSES[0]}", target.valid_pets()[0].plain)
        if first.accepted or (first.status != 400 and first.status == plainest.status):
            return first
    return target.post(f"plain {status}", pet.plain)


def creations(target: Target) -> list[Created]:
    """The animal of each status and of none; the watched page is asked for again once they are made."""
    made = [creation(target, status) for status in (*STATUSES, None)]
    list_anew(target, TELLTALE_STATUS)
    return made


def revealing(target: Target) -> int | None:
    """The id of the created animal that reveals most: of a bold one where there is one; None where none has an id."""
    made = [one for one in target.created if one.accepted and one.id is not None]
    order = [f"bold {PENDING}", f"bold {SOLD}", "bold None"]
    made.sort(key=lambda one: order.index(one.label) if one.label in order else len(order))
    return made[0].id if made else None


def list_anew(target: Target, status: str | None = None) -> None:
    """List the longest page, filtered or not, and list it again if the run has created animals since then."""
    created = max((one.exchange.finished for one in target.created), default=-inf)
    if target.api.list_pets(limit=LIMIT_MAX, status=status).sent < created:
        target.api.list_pets(limit=LIMIT_MAX, status=status, fresh=True)


def listed_before(target: Target) -> list[int]:
    """Ids of listed animals that the run did not create, those first that are likeliest to show something."""
    target.api.list_pets()
    mine = {made.id for made in target.created}
    listed = animals_in(target.record)
    return sorted((n for n in listed if n not in mine), key=lambda n: ("status" not in listed[n], not _odd(listed[n])))


def unknown_id(target: Target) -> int:
    """An id that no animal has: one that 32 bits cannot tell from a known one, else one that was drawn."""
    known = [number for number in listed_before(target) if number > 0] or [revealing(target) or 0]
    return wrapped(known[0]) if known[0] > 0 else target.unknown_id


def _odd(animal: Animal) -> bool:
    """Whether an animal has something that a careless server gets wrong."""
    name, category = animal.get("name"), integer(animal.get("categoryId")) or 0
    return not (isinstance(name, str) and name.isascii()) or abs(category) > 2**53
