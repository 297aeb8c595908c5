"""Faults that show for few values only, which no list of probes holds: they are for property examples to find."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import answered, error, named, served, stored, stored_otherwise, turned_down
from petcheck.reference.messages import Answer, Call, Operation
from petcheck.reference.seam import fault
from petcheck.reference.store import Animal, changed

page = partial(fault, section="4.1", at=(Operation.LIST,), needs="examples")
create = partial(fault, section="4.2", at=(Operation.CREATE,), needs="examples")
get = partial(fault, section="4.3", at=(Operation.GET,), needs="examples")

_CRASH = error(500, "internal")


def _asked(limits: range, status: str | None = None) -> Callable[[Call], bool]:
    """Whether a limit of those is asked for, with that status or, where none is named, with whatever goes with it."""

    def asks(call: Call) -> bool:
        limit = call.query.get("limit", "")
        return limit.isdecimal() and int(limit) in limits and status in (None, call.query.get("status"))

    return asks


def _one_too_many(behaviour: Behaviour) -> Behaviour:
    def read_limit(text: str | None) -> int:
        limit = behaviour.read_limit(text)
        return limit + 1 if 60 <= limit < 70 else limit

    return replace(behaviour, read_limit=read_limit)


def _leaks(behaviour: Behaviour) -> Behaviour:
    """A filter that is dropped where the page is long."""

    def act(call: Call, site: Site, whole: Behaviour) -> Answer:
        leaking = _asked(range(80, 100), "pending")(call)
        query = {name: value for name, value in call.query.items() if name != "status"} if leaking else call.query
        return behaviour.act(replace(call, query=query), site, whole)

    return replace(behaviour, act=act)


def _id(matches: Callable[[int], bool]) -> Callable[[Call], bool]:
    """Whether an id for which `matches` holds is asked for."""
    return lambda call: bool(re.fullmatch(r"-?[0-9]{1,19}", call.pet_id)) and matches(int(call.pet_id))


def _posted(matches: Callable[[object], bool]) -> Callable[[Call], bool]:
    """Whether a body for which `matches` holds is posted; one that is no JSON is None."""

    def posts(call: Call) -> bool:
        try:
            return matches(json.loads(call.body or b""))
        except ValueError:
            return False

    return posts


def _member(name: str, matches: Callable[[object], bool]) -> Callable[[Call], bool]:
    return _posted(lambda body: isinstance(body, dict) and name in body and matches(body[name]))


def _joined(behaviour: Behaviour) -> Behaviour:
    """A list in the place of a name is taken for its items in a row."""

    def read_name(fields: dict[str, object]) -> str:
        name = fields.get("name")
        return behaviour.read_name({**fields, "name": " ".join(map(str, name))} if isinstance(name, list) else fields)

    return replace(behaviour, read_name=read_name)


def _forgets_sharp_s(animal: Animal) -> Animal:
    return changed(animal, name=animal.name.replace("ß", "ss"))


def _status_lost_on_short_pages(answer: Answer, call: Call) -> Answer:
    pets = answer.content
    if not _asked(range(3, 9))(call) or not isinstance(pets, list):
        return answer
    return replace(answer, content=[{**pet, "status": ""} for pet in pets])


def _crashes_at(code_points: range) -> Change:
    return turned_down("internal", lambda new: any(ord(sign) in code_points for sign in new.name), 500)


FAULTS = [
    # one limit, or a limit and a status together
    *page(
        "limit-30s-crash", "A limit from 30 to 39 is 500.", "LIST-2 ERROR-5", answered(_asked(range(30, 40)), _CRASH)
    ),
    *page(
        "limit-55-to-64-refused", "A limit from 55 to 64 is 400.", "LIST-2", answered(_asked(range(55, 65)), error(400))
    ),
    *page(
        "limit-over-70-crashes-for-sold",
        "A limit over 70 together with the status sold is 500.",
        "LIST-6 ERROR-5",
        answered(_asked(range(71, 100), "sold"), _CRASH),
    ),
    *page(
        "limit-40s-not-found-for-available",
        "A limit from 40 to 49 together with the status available is 404.",
        "LIST-6",
        answered(_asked(range(40, 50), "available"), error(404)),
    ),
    *page("limit-60s-one-too-many", "A limit from 60 to 69 gives one animal more.", "LIST-3", _one_too_many),
    *page("pending-leaks-from-80", "A limit from 80 to 99 drops the filter for pending.", "LIST-7", _leaks),
    *page(
        "short-pages-without-status",
        "A limit from 3 to 8 lists animals with an empty status.",
        "PET-4",
        served(_status_lost_on_short_pages),
    ),
    *page(
        "fraction-as-limit-crashes",
        "A limit with a fraction is 500.",
        "ERROR-5",
        answered(lambda call: "." in call.query.get("limit", ""), _CRASH),
    ),
    *page(
        "unknown-parameter-crashes",
        "A parameter that the document lacks is 500.",
        "ERROR-5",
        answered(lambda call: not call.query.keys() <= {"limit", "status"}, _CRASH),
    ),
    # a range of ids, and other segments
    *get(
        "id-over-int32-crashes",
        "An id from 2^31 to 2^40 is 500.",
        "GET-3 ERROR-5",
        answered(_id(lambda n: 2**31 <= n < 2**40), _CRASH),
    ),
    *get("negative-id-refused", "A negative id is 400.", "GET-3", answered(_id(lambda n: n < 0), error(400))),
    *get(
        "largest-id-crashes",
        "The largest int64 as an id is 500.",
        "GET-3 ERROR-5",
        answered(_id(lambda n: n == 2**63 - 1), _CRASH),
    ),
    *get(
        "segment-beyond-ascii-crashes",
        "A segment beyond ASCII is 500.",
        "ERROR-5",
        answered(lambda call: not call.pet_id.isascii(), _CRASH),
    ),
    *get(
        "long-segment-crashes",
        "A segment of more than 64 characters is 500.",
        "ERROR-5",
        answered(lambda call: len(call.pet_id) > 64, _CRASH),
    ),
    # names and categories
    *create(
        "name-of-33-crashes",
        "A name of 33 characters is 500.",
        "CREATE-1 ERROR-5",
        turned_down("internal", lambda new: len(new.name) == 33, 500),
    ),
    *create(
        "short-names-refused",
        "A name of fewer than 6 characters is 400.",
        "CREATE-1",
        turned_down("name_invalid", lambda new: len(new.name) < 6),
    ),
    *create(
        "name-over-255-crashes",
        "A name of more than 255 characters is 500.",
        "CREATE-14 ERROR-5",
        turned_down("internal", lambda new: len(new.name) > 255, 500),
    ),
    *create(
        "cyrillic-crashes",
        "A name with a Cyrillic letter is 500.",
        "CREATE-14 ERROR-5",
        _crashes_at(range(0x400, 0x500)),
    ),
    *create(
        "caret-dropped",
        "A circumflex in a name is dropped.",
        "CREATE-2",
        stored(named(lambda name: name.replace("^", ""))),
    ),
    *create(
        "sharp-s-stored-otherwise",
        "A sharp s in a name is stored as ss, while the 201 repeats it.",
        "CREATE-12 CREATE-13",
        stored_otherwise(_forgets_sharp_s),
    ),
    *create(
        "category-0-crashes",
        "The category 0 is 500.",
        "CREATE-14 ERROR-5",
        turned_down("internal", lambda new: new.category_id == 0, 500),
    ),
    # defects of an unusual type
    *create(
        "number-as-body-crashes",
        "A number as the body is 500.",
        "CREATE-5 ERROR-5",
        answered(_posted(lambda body: isinstance(body, int)), _CRASH),
    ),
    *create("list-as-name-joined", "A list as name is taken for its items in a row.", "CREATE-7", _joined),
    *create(
        "object-as-category-crashes",
        "An object as categoryId is 500.",
        "CREATE-8 ERROR-5",
        answered(_member("categoryId", lambda value: isinstance(value, dict)), _CRASH),
    ),
    *create(
        "number-as-status-crashes",
        "A number as status is 500.",
        "CREATE-10 ERROR-5",
        answered(_member("status", lambda value: isinstance(value, int)), _CRASH),
    ),
]
