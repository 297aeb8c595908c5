"""Sections 1, 2 and 4: documented bodies, and the resources in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from petcheck.exchange import Animal, Exchange, Page
from petcheck.json_values import Json, integer, kind
from petcheck.judging.apply import failed_by
from petcheck.judging.creations import Creation, creations_in
from petcheck.judging.decision import Decision, Held, Record, Rule, Undecided
from petcheck.judging.judgement import BODY, HOLDS, NOT_CONCERNED, Grounds, Judgement, Problem, body
from petcheck.judging.matchers import (
    described,
    differences,
    kind_and_value,
    problem_of_int64,
    problem_of_json,
    problem_of_media_type,
    problem_of_pet_status,
    problem_of_string,
    quoted,
)
from petcheck.judging.pages import LAG_S, pages_in, seen_in
from petcheck.judging.statuses import body_due
from petcheck.spec.operations import Operation

# the names of animals that runs create, with the run's id
_OF_A_RUN = re.compile(r"petcheck ([0-9a-f]{8})\b|^([0-9a-f]{8}) refused ")


def _is_json(exchange: Exchange, grounds: Grounds) -> Judgement:
    if not body_due(exchange, grounds.as_of) or exchange.heard.parsed.unread:
        return NOT_CONCERNED
    return problem_of_json(exchange.heard) or HOLDS


def _are_all_json(record: Record, grounds: Grounds) -> Decision:
    """A body that is too large to read proves nothing about the server."""
    examined = tuple(exchange for exchange in record if body_due(exchange, grounds.as_of))
    unread = next((exchange for exchange in examined if exchange.heard.parsed.unread), None)
    if unread is not None:
        return Undecided(f"{described(unread)}: {unread.heard.parsed.wrong}.", examined=(unread,))
    return Held(examined) if examined else Undecided(_NO_BODY)


def _is_of_the_media_type(exchange: Exchange, grounds: Grounds) -> Judgement:
    return (problem_of_media_type(exchange.heard) or HOLDS) if body_due(exchange, grounds.as_of) else NOT_CONCERNED


def pets_in(exchange: Exchange, grounds: Grounds) -> list[Json]:
    """The values where Pets are required in a response's body."""
    due = body_due(exchange, grounds.as_of)
    value = exchange.json
    if due == "pet":
        return [] if exchange.heard.parsed.wrong else [value]  # SERVICE-1
    return value if due == "pets" and isinstance(value, list) else []


def _pet(
    problem: Callable[[Animal], Problem | None], not_an_object: str, exchange: Exchange, grounds: Grounds
) -> Judgement:
    """`not_an_object` says what is expected of a body of another type; empty if another rule judges that."""
    pets = pets_in(exchange, grounds)
    if body_due(exchange, grounds.as_of) == "pet":
        if pets and not isinstance(pets[0], dict) and not_an_object:
            return Problem(f"the body is {kind(pets[0])}; expected {not_an_object}", BODY)
        return (problem(pets[0]) or HOLDS) if pets and isinstance(pets[0], dict) else NOT_CONCERNED
    # PETS-1 judges an item that is not an object
    animals = grounds.telling((place, pet) for place, pet in enumerate(pets) if isinstance(pet, dict))
    problems = (_of_earlier_run(found, pet, grounds).below(place) for place, pet in animals if (found := problem(pet)))
    return next(problems, HOLDS) if animals else NOT_CONCERNED


def _of_earlier_run(found: Problem, pet: Animal, grounds: Grounds) -> Problem:
    """The same problem; of an animal that an earlier run left, it says so: the server may be repaired since."""
    named = _OF_A_RUN.search(str(pet.get("name")))
    # an earlier run with the same seed has the same id
    if named is None or ((named[1] or named[2]) == grounds.run and integer(pet.get("id")) not in grounds.older):
        return found
    return replace(found, text=f"{found.text}; an earlier run of petcheck has created this animal: remove it")


def _bare_array(exchange: Exchange, grounds: Grounds) -> Judgement:
    value = exchange.json
    if body_due(exchange, grounds.as_of) != "pets" or exchange.heard.parsed.wrong:
        return NOT_CONCERNED  # SERVICE-1
    if not isinstance(value, list):
        return Problem(f"the body is {kind_and_value(value)}; expected a bare array", BODY)
    odd = next(((place, item) for place, item in enumerate(value) if not isinstance(item, dict)), None)
    if odd is None:
        return HOLDS
    said = f"the item at index {odd[0]} is {kind_and_value(odd[1])}; expected a Pet object"
    return Problem(said, body(odd[0]))


def _ids_of_their_own(record: Record, grounds: Grounds) -> Decision:
    """No id appears twice on a page, and new animals do not get the ids of other animals.

    A single reused id proves nothing: another client may have removed the animal that had it. Two POSTs of a
    burst never get one id.
    """
    rows = [(page.exchange, _twice(page)) for page in pages_in(record) if len(page.ids) > 1]
    on_pages = [(exchange, problem) for exchange, problem in rows if problem is not None]
    # first what shows the cause: a page that holds an id twice shows only the result
    given = (list(_given_twice(record)), 2), (list(_overwritten(record)), 1)
    for wrong, least in (*given, (on_pages, 1), (list(_taken(record)), 2)):
        if len(wrong) >= least:
            return failed_by("2", wrong)
    examined = (*(exchange for exchange, _ in rows), *(one.exchange for one in creations_in(record)))
    return Held(examined) if len(examined) > 1 or rows else Undecided(_NO_TWO)


def _twice(page: Page) -> Problem | None:
    before: set[int | None] = set()
    for place, animal in page.placed:
        number = integer(animal.get("id"))
        if number is not None and number in before:
            times = page.ids.count(number)
            said = f"id {number} appears {'twice' if times == 2 else f'{times} times'} on the page"
            return Problem(said, body(place, "id"))
        before.add(number)
    return None


def _given_twice(record: Record) -> Iterator[tuple[Exchange, Problem]]:
    """The POSTs of one burst that returned different animals with one id."""
    before: dict[int, Creation] = {}
    for one in creations_in(record):
        other, before[one.id] = before.get(one.id), one
        burst = one.exchange.burst
        if other is None or burst is None or burst != other.exchange.burst or not differences(other.animal, one.animal):
            continue
        for made, besides in ((one, other), (other, one)):
            name = quoted(besides.animal.get("name"))
            said = f"the new animal has id {one.id}, and so has the animal {name}, created beside it"
            yield made.exchange, Problem(said, body("id"))


def _overwritten(record: Record) -> Iterator[tuple[Exchange, Problem]]:
    """The POSTs whose animal got the id of an animal that the run had created, because their body named it."""
    made: dict[int, Creation] = {}
    for one in creations_in(record):
        sent = one.exchange.request.parsed.value
        named = integer(sent.get("id")) if isinstance(sent, dict) else None
        earlier = made.setdefault(one.id, one)
        if named == one.id and earlier.exchange.finished <= one.exchange.sent:
            said = f"the body names the id {one.id} of an earlier animal of the run, and the new animal got it"
            yield one.exchange, Problem(f"{said}: they share it, or one was overwritten", body("id"))


def _taken(record: Record) -> Iterator[tuple[Exchange, Problem]]:
    """The POSTs whose animal got the id of another animal that was shown less than `LAG_S` before."""
    for one in creations_in(record):
        # GET-2 judges a GET that returns another animal than the one asked for
        shown = [s for s in seen_in(record)[one.id] if s.exchange.request.pet_id in (None, one.id)]
        earlier = bisect_left(shown, one.exchange.sent, key=lambda sight: sight.exchange.finished)
        before = shown[earlier - 1] if earlier else None
        if before is None or one.exchange.sent - before.exchange.finished >= LAG_S:
            continue
        if differences(before.animal, one.animal):
            said = (
                f"the new animal has id {one.id}, which {described(before.exchange)} had just shown for another animal"
            )
            yield one.exchange, Problem(said, body("id"))


_NO_TWO = "Too few animals were returned to compare their ids. If the store has fewer than two, add some."
_NO_BODY = "No response had a documented body."
_NO_PET = "No response showed an animal. If the store is empty, add one."

RULES = (
    Rule("SERVICE-1", _is_json, _are_all_json),
    Rule("PET-1", partial(_pet, partial(problem_of_int64, "the Pet", "id"), "a Pet object"), nothing=_NO_PET),
    Rule("PET-2", partial(_pet, partial(problem_of_string, "the Pet", "name"), ""), nothing=_NO_PET),
    Rule("PET-3", partial(_pet, partial(problem_of_int64, "the Pet", "categoryId"), ""), nothing=_NO_PET),
    Rule("PET-4", partial(_pet, problem_of_pet_status, ""), nothing=_NO_PET),
    Rule("PET-5", over=_ids_of_their_own),
    Rule("PETS-1", _bare_array, nothing=f"No {Operation.LIST_PETS} returned a JSON body; see LIST-1 and SERVICE-1."),
    Rule("BODY-1", _is_of_the_media_type, nothing=_NO_BODY),
)
