"""Section 4.2: animals that are not added, or not as they were sent."""

from __future__ import annotations

import html
import json
import struct
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from urllib.parse import quote_plus

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import (
    animals,
    categorised,
    named,
    pets,
    served,
    stored,
    stored_otherwise,
    turned_down,
    with_status,
)
from petcheck.reference.messages import Answer, Call, Operation
from petcheck.reference.seam import fault
from petcheck.reference.store import Animal, NewAnimal, changed

create = partial(fault, section="4.2", at=(Operation.CREATE,))

_CREATE, _GET, _LIST = (Operation.CREATE,), (Operation.GET,), (Operation.LIST,)


def _status_code(status: int) -> Change:
    return served(lambda answer, call: replace(answer, status=status))


# ---- names


def _basic_plane(put: str) -> Callable[[str], str]:
    return lambda name: "".join(put if character > "\uffff" else character for character in name)


def _half_pairs(name: str) -> str:
    return "".join(chr(0xD800 + (ord(each) - 0x10000 >> 10)) if each > "\uffff" else each for each in name)


def _escaped_pairs(name: str) -> str:
    return json.dumps(name)[1:-1] if any(each > "\uffff" for each in name) else name


def _mojibake(name: str) -> str:
    return name.encode().decode("latin-1")


def _ascii(name: str) -> str:
    return name.encode("ascii", "replace").decode()


def _without_accents(name: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", name) if not unicodedata.combining(each))


# ---- numbers


def _through_double(category: int) -> int:
    return max(-(2**63), min(2**63 - 1, int(float(category))))


def _through_float(category: int) -> int:
    return max(-(2**63), min(2**63 - 1, int(struct.unpack("f", struct.pack("f", category))[0])))


def _wrapped(bits: int) -> Callable[[int], int]:
    half = 1 << bits - 1
    return lambda category: (category + half) % (2 * half) - half


def _clamped_to_int32(category: int) -> int:
    return max(-(2**31), min(2**31 - 1, category))


# ---- where an animal gets lost


def _created(make: Callable[[Animal], Animal]) -> Callable[[Animal], Animal]:
    """For `animals`: only those that were created go through `make`."""
    return lambda animal: make(animal) if animal.born else animal


def _hidden(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, visible=lambda animal, now: not animal.born)


def _not_stored(behaviour: Behaviour) -> Behaviour:
    def keep(new: NewAnimal, animal_id: int, call: Call, site: Site) -> Animal:
        animal = behaviour.keep(new, animal_id, call, site)
        site.store.remove(animal_id)
        return animal

    return replace(behaviour, keep=keep)


def _one_id(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, new_id=lambda store: 1_000_000)


def _listed_twice(behaviour: Behaviour) -> Behaviour:
    def arrange(listed: list[Animal]) -> list[Animal]:
        return [copy for animal in behaviour.arrange(listed) for copy in [animal] * (2 if animal.born else 1)]

    return replace(behaviour, arrange=arrange)


def _next_id(animal: Animal) -> Animal:
    return changed(animal, id=animal.id + 1)


def _name_changed(make: Callable[[str], str]) -> Callable[[Animal], Animal]:
    return lambda animal: changed(animal, name=make(animal.name))


def _category_changed(make: Callable[[int], int]) -> Callable[[Animal], Animal]:
    return lambda animal: changed(animal, category_id=make(animal.category_id))


def _doubled(name: str) -> str:
    return f"{name} {name}"


_STATUS_DROPPED = with_status(lambda status: None)

FAULTS = [
    # 201
    *create("created-200", "An animal is added with 200.", "CREATE-1", _status_code(200)),
    *create("created-202", "An animal is added with 202.", "CREATE-1", _status_code(202)),
    *create(
        "created-204",
        "An animal is added with 204.",
        "CREATE-1",
        served(lambda answer, call: Answer(204, b"", (), None)),
    ),
    *create(
        "created-303",
        "After adding an animal the list is redirected to.",
        "CREATE-1",
        served(lambda answer, call: Answer(303, b"", (("Location", "/v1/pets"),), None)),
    ),
    *create("create-404", "No animal can be added: 404.", "CREATE-1", turned_down("not_found", lambda new: True, 404)),
    *create("create-405", "No animal can be added: 405.", "CREATE-1", turned_down("read_only", lambda new: True, 405)),
    *create("create-403", "No animal can be added: 403.", "CREATE-1", turned_down("read_only", lambda new: True, 403)),
    *create(
        "create-crashes", "Adding an animal fails.", "CREATE-1 ERROR-5", turned_down("internal", lambda new: True, 500)
    ),
    *create(
        "create-501",
        "Adding an animal is not implemented.",
        "CREATE-1 ERROR-5",
        turned_down("internal", lambda new: True, 501),
    ),
    *create(
        "pending-refused",
        "A new animal must not be pending.",
        "CREATE-1",
        turned_down("status_unknown", lambda new: new.status == "pending"),
    ),
    *create(
        "sold-refused",
        "A new animal must not be sold.",
        "CREATE-1",
        turned_down("status_unknown", lambda new: new.status == "sold"),
    ),
    *create(
        "available-refused",
        "A new animal must not be available.",
        "CREATE-1",
        turned_down("status_unknown", lambda new: new.status == "available"),
    ),
    *create(
        "status-required",
        "A new animal must have a status.",
        "CREATE-1",
        turned_down("status_missing", lambda new: new.status is None),
    ),
    *create(
        "status-required-422",
        "A new animal without a status is 422.",
        "CREATE-1",
        turned_down("status_missing", lambda new: new.status is None, 422),
    ),
    *create(
        "status-missing-crashes",
        "A new animal without a status is 500.",
        "CREATE-1 ERROR-5",
        turned_down("internal", lambda new: new.status is None, 500),
    ),
    *create(
        "created-in-data",
        "The 201 has the animal inside of `data`.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"data": answer.content})),
    ),
    *create("created-id-only", "The 201 has the id only.", "PET-2 PET-3", pets(lambda pet: {"id": pet["id"]})),
    *create(
        "created-message",
        "The 201 is a message.",
        "PET-1 PET-2 PET-3",
        served(lambda answer, call: replace(answer, content={"message": "created"})),
    ),
    # name
    *(
        each
        for name, summary, make in (
            ("trimmed", "trimmed", str.strip),
            ("lower-case", "put into lower case", str.lower),
            ("title-case", "put into title case", str.title),
            ("cut-at-10", "cut after 10 characters", lambda text: text[:10]),
            ("cut-at-49", "cut after 49 characters", lambda text: text[:49]),
            ("html-escaped", "escaped for HTML", html.escape),
            ("url-encoded", "encoded for a URL", quote_plus),
            ("mojibake", "read as Latin-1 though it is UTF-8", _mojibake),
            ("ascii-only", "sent with question marks for what is not ASCII", _ascii),
            ("without-accents", "stripped of its accents", _without_accents),
            ("non-ascii-lost", "stripped of what is not ASCII", lambda text: text.encode("ascii", "ignore").decode()),
            ("composed", "normalised to composed characters", lambda text: unicodedata.normalize("NFC", text)),
            ("compatible", "normalised to compatible characters", lambda text: unicodedata.normalize("NFKC", text)),
            ("astral-lost", "stripped of characters beyond the basic plane", _basic_plane("")),
            ("astral-question-mark", "sent with ? for characters beyond the basic plane", _basic_plane("?")),
            ("astral-replaced", "sent with U+FFFD for characters beyond the basic plane", _basic_plane("\ufffd")),
            (
                "astral-doubly-replaced",
                "sent with U+FFFD for each half of a surrogate pair",
                _basic_plane("\ufffd" * 2),
            ),
            ("astral-escaped", "sent with surrogates escaped twice", _escaped_pairs),
            (
                "cut-at-astral",
                "cut before the first character beyond the basic plane",
                lambda text: text.partition(next((each for each in text if each > "\uffff"), "\0\0"))[0],
            ),
            ("replaced", "replaced by another one", lambda text: "Rex"),
        )
        for each in create(f"created-name-{name}", f"A name is {summary}.", "CREATE-2", stored(named(make)))
    ),
    *create(
        "echoed-name-differs",
        "The 201 shows another name than the one that is stored.",
        "CREATE-2 CREATE-12 CREATE-13",
        animals(_name_changed(str.swapcase)),
    ),
    # categoryId
    *(
        each
        for name, summary, make in (
            ("through-double", "goes through a double", _through_double),
            ("through-float", "goes through a float of 32 bits", _through_float),
            ("wrapped-at-int32", "wraps around at 32 bits", _wrapped(32)),
            ("wrapped-at-int53", "wraps around at 53 bits", _wrapped(53)),
            ("clamped-to-int32", "is clamped to 32 bits", _clamped_to_int32),
            ("absolute", "loses its sign", lambda category: min(abs(category), 2**63 - 1)),
            ("negative-zeroed", "is 0 where it was negative", lambda category: max(category, 0)),
            ("max-minus-one", "is one less at the end of int64", lambda category: min(category, 2**63 - 2)),
            ("always-one", "is always 1", lambda category: 1 if category != 1 else 2),
        )
        for each in create(
            f"created-category-{name}", f"A categoryId {summary}.", "CREATE-3", stored(categorised(make))
        )
    ),
    # status
    *create(
        "created-status-dropped", "A status is not stored.", "CREATE-4", stored(lambda new: replace(new, status=None))
    ),
    *create(
        "created-status-always-available",
        "Each new animal is available.",
        "CREATE-4",
        stored(lambda new: replace(new, status="available")),
    ),
    *create(
        "created-status-always-pending",
        "Each new animal is pending.",
        "CREATE-4",
        stored(lambda new: replace(new, status="pending")),
    ),
    *create(
        "created-sold-becomes-pending",
        "A sold animal is stored as pending.",
        "CREATE-4",
        stored(lambda new: replace(new, status="pending" if new.status == "sold" else new.status)),
    ),
    # lost or changed between create, get and list
    *create("created-nowhere", "A created animal is not stored.", "CREATE-12 CREATE-13", _not_stored),
    *create(
        "created-not-readable",
        "A created animal is not found by its id.",
        "CREATE-12",
        _hidden,
        at=_GET,
        needs="writes",
    ),
    *create(
        "created-not-listed", "A created animal is not in the list.", "CREATE-13", _hidden, at=_LIST, needs="writes"
    ),
    *create(
        "created-id-off-by-one",
        "The 201 shows the id after the one that is stored.",
        "CREATE-12 CREATE-13",
        animals(_next_id),
    ),
    *create(
        "created-overwritten",
        "Each created animal gets the same id and replaces the one before.",
        "PET-5 CREATE-12 CREATE-13",
        _one_id,
    ),
    *create(
        "created-listed-twice",
        "A created animal is in the list twice.",
        "PET-5",
        _listed_twice,
        at=_LIST,
        needs="writes",
    ),
    *(
        each
        for name, summary, make in (
            ("status-lost", "without its status", _STATUS_DROPPED),
            (
                "name-escaped",
                "with its name escaped for HTML twice over",
                _name_changed(lambda text: html.escape(f"<{text}>")),
            ),
            ("name-cut", "with its name cut after 5 characters", _name_changed(lambda text: text[:5])),
            ("name-doubled", "with its name doubled", _name_changed(_doubled)),
            ("category-zero", "with category 0", _category_changed(lambda category: 0)),
            (
                "category-plus-one",
                "with the category after its own",
                _category_changed(lambda category: category - 1 if category > 0 else category + 1),
            ),
        )
        for each in (
            *create(
                f"stored-{name}",
                f"A created animal is stored {summary}; the 201 is right.",
                "CREATE-12 CREATE-13",
                stored_otherwise(make),
            ),
            *create(
                f"read-{name}",
                f"A created animal is read by its id {summary}.",
                "CREATE-12 GET-2",
                animals(_created(make)),
                at=_GET,
                needs="writes",
            ),
            *create(
                f"listed-{name}",
                f"A created animal is listed {summary}.",
                "CREATE-13 GET-2",
                animals(_created(make)),
                at=_LIST,
                needs="writes",
            ),
        )
    ),
    *create(
        "stored-through-double",
        "A categoryId is stored as a double; the 201 is right.",
        "CREATE-12 CREATE-13",
        stored_otherwise(_category_changed(_through_double)),
    ),
    *create(
        "stored-astral-lost",
        "A name is stored without characters beyond the basic plane; the 201 is right.",
        "CREATE-12 CREATE-13",
        stored_otherwise(_name_changed(_basic_plane("?"))),
    ),
]
