"""What a run posts and reads beyond its fixed requests, in words: its animals, and the first property examples. Pure.

The first examples come before those that schemathesis generates, so the pool that is at hand gives the same ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from petcheck.call import Call, new_pet_call, page_call
from petcheck.json_values import parse
from petcheck.judging.request_bodies import asked_for
from petcheck.plan.bodies import defects, nameless_posts, twins, valid_pets
from petcheck.plan.pages import page_beside_creations
from petcheck.properties.get_examples import getting, ordering
from petcheck.properties.list_examples import listing
from petcheck.properties.new_pets import Pets
from petcheck.properties.pet_examples import creating
from petcheck.properties.pool import shipped_pool
from petcheck.spec.operations import Operation
from petcheck.toolkit.feeds import Choice
from petcheck.toolkit.shares import Shares
from petcheck.words import shortened

# any will do: the run's id, two categories that exist, and the id of an animal of the run
_RUN, _CATEGORIES, _OWN_ID = "0" * 8, (1, 2), 1
_SHOWN = 6  # of the examples of an operation


def animals(seed: int) -> Iterator[tuple[str, str]]:
    """The status of each animal that a run creates, and what is special about it."""
    for pet in valid_pets(_RUN, _CATEGORIES, seed):
        status = f'status "{pet.status}"' if pet.status else "no status"
        tries = [_special(new_pet_call(body)) for body in pet.extremes or (pet.plain,)]
        written = ", in escapes of JSON" if pet.escaped else ""
        yield pet.status or status, "; if that is refused, ".join(tries).removesuffix(f" and {status}") + written


def beside_animals(seed: int) -> str:
    """What a run sends at the same time as its animals."""
    one, other = twins(valid_pets(_RUN, _CATEGORIES, seed), seed)
    [member] = [name for name in one if one[name] != other[name]]
    refused = " and of ".join(map(_special, nameless_posts(_RUN, _CATEGORIES[0], seed)))
    page = page_call(*page_beside_creations(seed))
    return f"2 animals that differ in the {member} only, POST of {refused}, GET {page.path}, with an invalid key too"


def examples(seed: int, share: Shares, choice: Choice, operation: Operation, posted: Collection[str]) -> list[str]:
    """The first property examples of an operation, and how many more there may be; empty if there are none.

    `posted` are the labels of the defective bodies that the run has sent before them.
    """
    if not choice.calls(operation):
        return []
    match operation:
        case Operation.LIST_PETS:
            return _first(share.listing, map(_path, listing(seed, shipped_pool())))
        case Operation.CREATE_PET:
            return _first(share.creating, map(_special, _bodies(seed, choice, posted)))
        case Operation.GET_PET:
            return _first(share.getting, _reads(seed, share))
        case Operation.STORE_ORDERS:
            return _first(share.ordering, map(_path, ordering()))


def _first(share: int, texts: Iterable[str]) -> list[str]:
    shown = list(islice(texts, min(share, _SHOWN)))
    more = share - len(shown)
    return [*shown, f"and at most {more:,} more"] if more else shown


def _bodies(seed: int, choice: Choice, posted: Collection[str]) -> Iterator[Call]:
    before = [one.body for one in defects(_RUN, _CATEGORIES[0], 1, seed) if one.label in posted]
    known = [call.body for call in map(new_pet_call, before) if call.body]
    asked: list[bytes] = []

    def created(body: bytes) -> bool:
        asked.append(body)
        return True

    for call in creating(Pets(_RUN, _CATEGORIES), seed, known, shipped_pool(), created, _OWN_ID):
        if len(asked) > 1:  # from here on the names depend on answers
            return
        if choice.posts(call.body, _CATEGORIES):
            yield call


def _reads(seed: int, share: Shares) -> Iterator[str]:
    yield "the id after the last one, in a gap or far away, by what the pages show"
    # more than three may depend on the pages, too
    yield from map(_path, islice(getting(seed, shipped_pool()), 1, min(share.getting - share.reading_again, 4)))
    if share.reading_again:
        yield "an animal once more"


def _path(call: Call) -> str:
    return shortened(call.path)


def _special(call: Call) -> str:
    """What is special about the body of a POST; which category is not, as the pages decide which ones exist."""
    what = asked_for(call.body, _CATEGORIES).what.replace(", which no listed animal has", "")
    for category in _CATEGORIES:
        what = what.replace(f", `categoryId` {category} and ", " and ")
    pet = parse(call.body or b"").value
    named = " and the id of an animal of the run" if isinstance(pet, dict) and pet.get("id") == _OWN_ID else ""
    said = shortened(what) + named + (f", {call.form.value}" if call.form else "")
    return f"{said}, with the fields in the query" if call.query else said
