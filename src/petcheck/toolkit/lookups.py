"""Which animals and ids of a target are most worth a request (sections 4.2 and 4.3)."""

from __future__ import annotations

from petcheck.exchange import Animal
from petcheck.json_values import integer
from petcheck.judging.creations import creations_in, reads_in
from petcheck.judging.pages import animals_in, pages_in
from petcheck.judging.rules.get_pet import wrapped
from petcheck.plan.weaving import rotated, turn
from petcheck.spec.figures import LIMIT_MAX
from petcheck.toolkit.target import Target

_DOUBLE_BITS = 53
# requests needed to compare a difference again, including the one that shows it
_CONFIRMATION = 4


def revealing(target: Target) -> int | None:
    """The id of the created animal that reveals most, an extreme one if there is one; None if none has an id."""
    labels = sorted(target.created, key=lambda label: not label.startswith("extreme"))
    return next((made.id for made in creations_in(target.created[label] for label in labels)), None)


def listed_before(target: Target) -> list[int]:
    """Ids of listed animals that the run did not create: those that were read already, then the most revealing.

    Of those that reveal as much, the next seed has another one first: of three, one begins with the highest id, and one
    with the lowest, where code that counts from another number goes wrong.
    """
    target.api.list_pets()
    mine = {made.id for made in creations_in(target.created.values())}
    listed, read = animals_in(target.record), [number for number, _ in reads_in(target.record)]
    others = [number for number in listed if number not in mine]
    ends = (max(others, default=0), min(others, default=0), None)
    end = turn(ends, target.seed)

    def least_revealing(number: int) -> tuple[bool, ...]:
        held = number % _spacing(number) == 0  # by a double
        return number not in read, held, number != end, "status" in listed[number], not _odd(listed[number])

    return sorted(rotated(others, 0, target.seed, 1), key=least_revealing)


def full_filters(target: Target) -> list[str]:
    """One of the statuses of which a page of the longest limit is full, if there is one."""
    pages = pages_in(target.record)
    return [page.status for page in pages if page.status is not None and len(page.animals) == LIMIT_MAX][:1]


def read_others(target: Target, *, created: bool) -> None:
    """Read a second animal, and one of each status of which none was read, as far as requests are left.

    They are animals that the run has `created`, or those from before it.
    """
    read = {number for number, _ in reads_in(target.record)}
    listed = animals_in(target.record)
    before = listed_before(target)
    first = before[:1]

    def least_alike(number: int) -> tuple[bool, bool, int]:
        alike = bool(first) and ("status" in listed[number]) == ("status" in listed[first[0]])
        return number not in before, alike, -number

    second = sorted((number for number in listed if number not in first), key=least_alike)[:1]
    status_of = {number: str(animal.get("status")) for number, animal in listed.items()}
    status_of |= {made.id: str(made.status) for made in creations_in(target.created.values())}
    ours = {number: status for number, status in sorted(status_of.items()) if (number in before) is not created}
    newest = {status: number for number, status in ours.items()}
    seen = {ours.get(number) for number in (*read, *second)}
    for number in (*second, *(number for status, number in newest.items() if status not in seen)):
        if not target.budget.affords(_CONFIRMATION):
            return
        target.api.get_pet(number)


def unknown_id(target: Target) -> int:
    """An id that no animal has: one that careless code confuses with a known id, otherwise a random one.

    Ids beyond 2^53 are most at risk in code that holds numbers in doubles, smaller ones in 32-bit code.
    """
    listed = (number for number in listed_before(target) if number > 0)
    known = min(listed, key=lambda number: number % 2, default=0) or revealing(target) or 0  # an even one, if any is
    spacing = _spacing(known)
    neighbour = known ^ max(spacing // 4, 1)  # the nearest double is the same
    if spacing > 1 and neighbour not in animals_in(target.record):
        return neighbour
    return wrapped(known) if known > 0 else target.unknown_id


def _spacing(number: int) -> int:
    """How far apart the doubles near a number are; 1 where they hold every integer."""
    return 1 << max(number.bit_length() - _DOUBLE_BITS, 0)


def _odd(animal: Animal) -> bool:
    """Whether an animal has a value that a careless server gets wrong."""
    name, category = animal.get("name"), integer(animal.get("categoryId")) or 0
    return not (isinstance(name, str) and name.isascii()) or abs(category) > 2**53
