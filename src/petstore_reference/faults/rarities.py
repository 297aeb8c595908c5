"""Faults that only a few values show. No fixed list of requests has these values, so property examples find them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from petstore_reference.behaviour import Behaviour, Override, Pet, ServerState
from petstore_reference.messages import Answer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import answered, error, named, pets, refused_if, served, stored, stored_otherwise
from petstore_reference.registry import create, fault, get, page
from petstore_reference.store import Animal, NewAnimal, changed

# a default run finds the others, since its first examples have these values
rare_page, rare_create, rare_get = (partial(make, needs="examples") for make in (page, create, get))

_CRASH = error(500, "internal")


def _asked(limits: range, status: str | None = None) -> Callable[[ReceivedCall], bool]:
    """Whether a call asks for one of the limits, with that status; with None, any status or none."""

    def asks(call: ReceivedCall) -> bool:
        limit = call.query.get("limit", "")
        return limit.isdecimal() and int(limit) in limits and status in (None, call.query.get("status"))

    return asks


def _one_too_many(behaviour: Behaviour) -> Behaviour:
    def read_limit(text: str | None) -> int:
        limit = behaviour.read_limit(text)
        return limit + 1 if 60 <= limit < 70 else limit

    return replace(behaviour, read_limit=read_limit)


def _leaks(behaviour: Behaviour) -> Behaviour:
    """The filter is ignored on long pages."""

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        leaking = _asked(range(80, 100), "pending")(call)
        query = {name: value for name, value in call.query.items() if name != "status"} if leaking else call.query
        return behaviour.act(replace(call, query=query), state, whole)

    return replace(behaviour, act=act)


def _id(matches: Callable[[int], bool]) -> Callable[[ReceivedCall], bool]:
    """Whether a call asks for an id for which `matches` holds."""
    return lambda call: bool(re.fullmatch(r"-?[0-9]{1,19}", call.pet_id)) and matches(int(call.pet_id))


def _posted(matches: Callable[[object], bool]) -> Callable[[ReceivedCall], bool]:
    """Whether a call has a JSON body for which `matches` holds."""

    def posts(call: ReceivedCall) -> bool:
        try:
            return matches(json.loads(call.body or b""))
        except (ValueError, RecursionError):
            return False

    return posts


def _member(name: str, matches: Callable[[object], bool]) -> Callable[[ReceivedCall], bool]:
    return _posted(lambda body: isinstance(body, dict) and name in body and matches(body[name]))


def _joined(behaviour: Behaviour) -> Behaviour:
    """A list as `name` is accepted, and its items are joined."""

    def read_name(fields: dict[str, object]) -> str:
        name = fields.get("name")
        return behaviour.read_name({**fields, "name": " ".join(map(str, name))} if isinstance(name, list) else fields)

    return replace(behaviour, read_name=read_name)


def _true_is_none(behaviour: Behaviour) -> Behaviour:
    def read_status(fields: dict[str, object]) -> str | None:
        kept = {name: value for name, value in fields.items() if (name, value is True) != ("status", True)}
        return behaviour.read_status(kept)

    return replace(behaviour, read_status=read_status)


def _first_status_dropped(behaviour: Behaviour) -> Behaviour:
    def read_status(fields: dict[str, object]) -> str | None:
        return None if next(iter(fields), "") == "status" else behaviour.read_status(fields)

    return replace(behaviour, read_status=read_status)


def _without_category_0(pet: Pet) -> Pet:
    return {name: value for name, value in pet.items() if (name, value) != ("categoryId", 0)}


def _with_number_as_name(pet: Pet) -> Pet:
    name = pet["name"]
    return {**pet, "name": int(name)} if isinstance(name, str) and re.fullmatch("[0-9]+", name) else pet


def _unique_names(behaviour: Behaviour) -> Behaviour:
    def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
        if any(animal.name == new.name and animal.born for animal in state.store.newest_first()):
            raise Refused(409, "name_taken", "An animal has this name.")
        return behaviour.keep(new, animal_id, call, state)

    return replace(behaviour, keep=keep)


def _off_the_menu(call: ReceivedCall) -> bool:
    return 1 < int(call.query["limit"]) <= 100 and int(call.query["limit"]) not in (10, 20, 25, 50, 100)


def _forgets_sharp_s(animal: Animal) -> Animal:
    return changed(animal, name=animal.name.replace("ß", "ss"))


def _status_lost_on_short_pages(answer: Answer, call: ReceivedCall) -> Answer:
    pets = answer.content
    if not _asked(range(3, 9))(call) or not isinstance(pets, list):
        return answer
    return replace(answer, content=[{**pet, "status": ""} for pet in pets])


def _crashes_at(code_points: range) -> Override:
    return refused_if("internal", lambda new: any(ord(sign) in code_points for sign in new.name), 500)


FAULTS = [
    # one limit, or a limit and a status together
    *rare_page(
        "query-not-utf-8-crashes",
        "A query parameter that is not UTF-8 gets 500.",
        "ERROR-5",
        answered(lambda call: any("\ufffd" in value for value in call.query.values()), _CRASH),
    ),
    *rare_page(
        "limit-30s-crash",
        "A `limit` from 30 to 39 gets 500.",
        "LIST-2 ERROR-5",
        answered(_asked(range(30, 40)), _CRASH),
    ),
    *rare_page(
        "limit-55-to-64-refused",
        "A `limit` from 55 to 64 gets 400.",
        "LIST-2",
        answered(_asked(range(55, 65)), error(400)),
    ),
    *rare_page(
        "limit-over-70-crashes-for-sold",
        "A `limit` from 71 to 99 with `status=sold` gets 500.",
        "LIST-6 ERROR-5",
        answered(_asked(range(71, 100), "sold"), _CRASH),
    ),
    *rare_page(
        "limit-40s-not-found-for-available",
        "A `limit` from 40 to 49 with `status=available` gets 404.",
        "LIST-6",
        answered(_asked(range(40, 50), "available"), error(404)),
    ),
    *rare_page(
        "limit-60s-one-too-many", "A `limit` from 60 to 69 returns one animal too many.", "LIST-3", _one_too_many
    ),
    *rare_page(
        "limit-80-to-99-ignores-pending", "`status=pending` is ignored with a `limit` from 80 to 99.", "LIST-7", _leaks
    ),
    *rare_page(
        "limit-3-to-8-empty-status",
        "With a `limit` from 3 to 8, each `status` is an empty string.",
        "PET-4",
        served(_status_lost_on_short_pages),
    ),
    *rare_page(
        "fraction-as-limit-crashes",
        "A `limit` with a decimal point gets 500.",
        "ERROR-5",
        answered(lambda call: "." in call.query.get("limit", ""), _CRASH),
    ),
    *page(
        "unknown-parameter-crashes",
        "An unknown query parameter gets 500.",
        "ERROR-5",
        answered(lambda call: not call.query.keys() <= {"limit", "status"}, _CRASH),
    ),
    *page(
        "bracket-parameter-crashes",
        "A query parameter with brackets in its name gets 500.",
        "ERROR-5",
        answered(lambda call: any("[" in name for name in call.query), _CRASH),
    ),
    *page(
        "limit-not-in-menu-refused",
        "A `limit` other than 1, 10, 20, 25, 50 and 100 gets 400.",
        "LIST-2",
        answered(lambda call: call.query.get("limit", "").isdecimal() and _off_the_menu(call), error(400)),
    ),
    *fault(
        "orders-parameter-crashes",
        "`GET /store/orders` with a query parameter gets 500.",
        "ERROR-5",
        answered(lambda call: bool(call.query), _CRASH),
        section="4.4",
        at=(Operation.ORDERS,),
        needs="examples",
    ),
    # a range of ids, and other segments
    *rare_get(
        "id-over-int32-crashes",
        "A petId from 2^31 to 2^40 - 1 gets 500.",
        "GET-3 ERROR-5",
        answered(_id(lambda n: 2**31 <= n < 2**40), _CRASH),
    ),
    *get(
        "id-0-200-list",
        "petId 0 gets 200 and an empty list.",
        "GET-3 PET-1",
        answered(_id(lambda n: n == 0), Answer(200, [])),
    ),
    *rare_get(
        "largest-id-crashes",
        "The largest int64 as petId gets 500.",
        "GET-3 ERROR-5",
        answered(_id(lambda n: n == 2**63 - 1), _CRASH),
    ),
    *rare_get(
        "segment-beyond-ascii-crashes",
        "A petId with characters beyond ASCII gets 500.",
        "ERROR-5",
        answered(lambda call: not call.pet_id.isascii(), _CRASH),
    ),
    *rare_get(
        "segment-not-utf-8-crashes",
        "A petId that is not UTF-8 gets 500.",
        "ERROR-5",
        answered(lambda call: "\ufffd" in call.pet_id, _CRASH),
    ),
    *rare_get(
        "long-segment-crashes",
        "A petId of more than 64 characters gets 500.",
        "ERROR-5",
        answered(lambda call: len(call.pet_id) > 64, _CRASH),
    ),
    # names and categories
    *rare_create(
        "name-of-30-to-39-crashes",
        "A name of 30 to 39 characters gets 500.",
        "CREATE-1 ERROR-5",
        refused_if("internal", lambda new: 30 <= len(new.name) <= 39, 500),
    ),
    *create(
        "short-names-refused",
        "A name of fewer than 2 characters gets 400.",
        "CREATE-1",
        refused_if("name_invalid", lambda new: len(new.name) == 1),
    ),
    *create(
        "name-taken-409",
        "The name of a stored animal gets 409.",
        "CREATE-1",
        _unique_names,
    ),
    *create(
        "digits-as-name-become-number",
        "A name of digits comes back as a number.",
        "PET-2",
        pets(_with_number_as_name),
    ),
    *rare_create(
        "name-over-255-crashes",
        "A name of more than 255 characters gets 500.",
        "CREATE-14 ERROR-5",
        refused_if("internal", lambda new: len(new.name) > 255, 500),
    ),
    *rare_create(
        "cyrillic-crashes",
        "A name with a Cyrillic letter gets 500.",
        "CREATE-14 ERROR-5",
        _crashes_at(range(0x400, 0x500)),
    ),
    *rare_create(
        "caret-dropped",
        "Each `^` is removed from a name.",
        "CREATE-2",
        stored(named(lambda name: name.replace("^", ""))),
    ),
    *rare_create(
        "sharp-s-stored-otherwise",
        "`ß` in a name is stored as `ss`; the 201 is right.",
        "CREATE-12 CREATE-13",
        stored_otherwise(_forgets_sharp_s),
    ),
    *rare_create(
        "category-0-crashes",
        "`categoryId` 0 gets 500.",
        "CREATE-14 ERROR-5",
        refused_if("internal", lambda new: new.category_id == 0, 500),
    ),
    *create(
        "name-0-refused",
        "The name `0` gets 400.",
        "CREATE-1",
        refused_if("name_empty", lambda new: new.name == "0"),
    ),
    *fault(
        "category-0-left-out",
        "A Pet has no `categoryId` if it is 0.",
        "PET-3",
        pets(_without_category_0),
        section="4.2",
        needs="writes examples",
    ),
    *create(
        "formula-escaped",
        "An apostrophe is added before a name that begins with `=`.",
        "CREATE-2",
        stored(named(lambda name: f"'{name}" if name.startswith("=") else name)),
    ),
    *create(
        "status-first-dropped",
        "`status` is dropped if it is the first member of the body.",
        "CREATE-4",
        _first_status_dropped,
    ),
    *create(
        "third-category-refused",
        "`categoryId` 3, which listed animals have, gets 400.",
        "CREATE-1",
        refused_if("category_unknown", lambda new: new.category_id == 3),
    ),
    # defects of an unusual type
    *rare_create(
        "true-as-status-accepted",
        "true as `status` is accepted and dropped.",
        "CREATE-10",
        _true_is_none,
    ),
    *rare_create(
        "number-as-body-crashes",
        "A number as body gets 500.",
        "CREATE-5 ERROR-5",
        answered(_posted(lambda body: isinstance(body, int)), _CRASH),
    ),
    *rare_create("list-as-name-joined", "A list as `name` is accepted, and its items are joined.", "CREATE-7", _joined),
    *rare_create(
        "object-as-category-crashes",
        "An object as `categoryId` gets 500.",
        "CREATE-8 ERROR-5",
        answered(_member("categoryId", lambda value: isinstance(value, dict)), _CRASH),
    ),
    *create(
        "list-as-status-crashes",
        "A list as `status` gets 500.",
        "CREATE-10 ERROR-5",
        answered(_member("status", lambda value: isinstance(value, list)), _CRASH),
    ),
    *rare_create(
        "number-as-status-crashes",
        "A number as `status` gets 500.",
        "CREATE-10 ERROR-5",
        answered(_member("status", lambda value: isinstance(value, int)), _CRASH),
    ),
]
