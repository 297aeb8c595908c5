"""The bodies that a run posts to `POST /pets`: those that must be accepted, may be accepted, or must be refused.

Pure data built from the run's id, so that every animal that may stay on a target has it in its name. There is no
delete operation, so each body must be worth the animal that it creates.
"""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from petcheck.call import Call, Members, new_pet_call
from petcheck.plan.weaving import rotated, turn
from petcheck.spec.figures import INT64_MAX, INT64_MIN, PENDING, STATUSES

_SIGNS = "".join(sign for sign in string.punctuation if sign != "=")


# a parser that ignores case takes the first for `categoryId`, as those of Go and .NET do, and some take the name that
# the code has for it
_MISSPELT = ("CategoryId", "category_id")
# bodies that must not be stored have this status: one filtered page then shows them in a store of any usual size
TELLTALE_STATUS = PENDING
# JavaScript finds the second in every object; a pattern that is not tied to the beginning finds a status in the third
_NO_STATUSES = ("adopted", "constructor", f"un{TELLTALE_STATUS}")


@dataclass(frozen=True, slots=True)
class ValidPet:
    """A NewPet that is certainly valid (section 4.2), and similar ones that a service may refuse.

    The `extremes` are tried first, since they show more; if the service refuses them, `plain` follows. If `escaped`,
    characters beyond ASCII are written as escapes of JSON: `\\ud83d\\ude00` for an emoji (RFC 8259, section 7).
    """

    status: str | None
    plain: dict[str, object]
    extremes: tuple[dict[str, object], ...] = ()
    escaped: bool = False


@dataclass(frozen=True, slots=True)
class Defect:
    """A body that must be refused with 400 for one reason; `requirement` says so."""

    label: str
    requirement: str
    body: Members


def valid_pets(run: str, categories: Sequence[int], seed: int) -> tuple[ValidPet, ...]:
    """A NewPet of each status, and one without, in different categories as far as there are any.

    `run` is the run's id of 8 characters; `categories` are known to exist, at least one. A server may keep an odd name
    or a large category well with one status only, so these move on by one status with each next `seed`.
    """
    category, another = categories[0], categories[1 % len(categories)]

    def pet(status: str | None, name: str, category_id: int) -> dict[str, object]:
        return {"name": name, "categoryId": category_id} | ({"status": status} if status else {})

    def plain(status: str | None, category_id: int = category) -> dict[str, object]:
        name = f'petcheck {run} {status or "none"} <B>&amp; "It\'s" %41+--'
        return pet(status, name, category_id)

    # a server may remove what nobody sees, and normalize what looks alike
    far = f"petcheck {run} <b>&gt;\"' Zoë  貓 🐈\u200d⬛\u200b\ufeff 𝒫ℯ𝓉 e\u0301 "
    near = f"petcheck {run} \u212b\u212a\ufb00 Ж שלום😀 z "
    first, second, third, fourth = rotated((*STATUSES, None), 0, seed, 1)
    return (
        ValidPet(first, pet(first, signs_name(run), category)),
        ValidPet(second, plain(second), (pet(second, far, INT64_MAX),)),
        # no double holds these two; a service that refuses the ends of int64 often accepts the second
        ValidPet(
            third, plain(third), tuple(dict(plain(third), categoryId=number) for number in (INT64_MIN + 1, 2**53 + 1))
        ),
        ValidPet(fourth, plain(fourth, another), (pet(fourth, near, another),), escaped=True),
    )


def signs_name(run: str) -> str:
    """A name of 50 characters with all printable signs of ASCII; a spreadsheet takes it for a formula."""
    return f"=petcheck {run} {_SIGNS}"


def twins(pets: Sequence[ValidPet], seed: int) -> tuple[dict[str, object], dict[str, object]]:
    """Two animals that differ in the name only or, with every other seed, in the status only: a server may mix them.

    Their names are those of the run's other animals, `pets`, created before them or beside them. A name may be taken
    more than once: a server that replaces or changes an animal of the same name loses two of the run.
    """
    first, _, third, _ = (pet.plain["name"] for pet in pets)
    plain, other = [pet.plain for pet in pets if pet.status is not None][:2]
    return other | {"name": third}, other | {"name": first} if seed % 2 else plain | {"name": third}


def chunked_pet(run: str, category: int) -> dict[str, object]:
    """A plain NewPet whose body is sent in chunks."""
    return {"name": f"petcheck {run} in chunks", "categoryId": category}


def defects(run: str, category: int, number: int, seed: int = 0) -> tuple[Defect, ...]:
    """Every kind of body that section 4.2 certainly refuses, one defect each; `number` is random and is sent as a name.

    Where a kind has several values, the next `seed` sends the next one.
    """

    def body(label: str, **members: object) -> dict[str, object]:
        return {"name": refused_name(run, label), "categoryId": category, "status": TELLTALE_STATUS} | members

    def defect(label: str, requirement: str, **members: object) -> Defect:
        return Defect(label, requirement, body(label, **members))

    def without(name: str, label: str) -> dict[str, object]:
        return {key: value for key, value in body(label).items() if key != name}

    # no parser reads the first as an object, however lenient
    cut_short = json.dumps(body("not-json"))[:-1].encode()
    form = f"name={run}+refused+form&categoryId={category}&status={TELLTALE_STATUS}".encode()
    # a parser that fills a structure takes its values from a list, too, as Rust's serde does
    array = json.dumps([*body("array").values()]).encode()
    listed = json.dumps([body("listed")]).encode()  # a handler that creates several animals at once takes one, too
    string = json.dumps(json.dumps(body("string"))).encode()
    # cut off, it is a category that exists, so nothing but the fraction is wrong; a double has to hold it
    fraction = f"{category}.5" if abs(category) < 2**51 else "1.5"
    return (
        Defect("no-body", "CREATE-5", b""),
        Defect("not-json", "CREATE-5", turn((cut_short, form, cut_short), seed)),
        Defect("array", "CREATE-5", turn((array, string, listed), seed)),
        Defect("no-name", "CREATE-6", without("name", "no-name")),
        Defect("no-category", "CREATE-6", without("categoryId", "no-cat")),
        Defect("misspelt", "CREATE-6", without("categoryId", "misspelt") | dict.fromkeys(_MISSPELT, category)),
        defect("name-number", "CREATE-7", name=number),
        Defect("name-null", "CREATE-7", {"name": None, "categoryId": category}),
        defect("category-text", "CREATE-8", categoryId=str(category)),
        Defect(
            "category-fraction",
            "CREATE-8",
            with_category(without("categoryId", "category-fraction"), fraction),
        ),
        defect("category-null", "CREATE-8", categoryId=None),
        defect("category-boolean", "CREATE-8", categoryId=seed % 2 == 0),
        defect("category-beyond", "CREATE-9", categoryId=INT64_MAX + 1),
        defect("status-unknown", "CREATE-10", status=turn(_NO_STATUSES, seed)),
        defect("status-case", "CREATE-10", status=TELLTALE_STATUS.upper()),
        defect("status-null", "CREATE-10", status=None),
        defect("status-type", "CREATE-10", status=wrong_statuses(seed)[0]),
    )


def wrong_statuses(seed: int) -> tuple[object, ...]:
    """Four statuses of other types; the next `seed` has them in another order. A pass needs the first.

    A loose comparison finds true equal to any text, as PHP's does. A number is taken for the place of a value in an
    enumeration by Java and .NET. Code that tests for truth accepts false, and in some languages nothing else but null.
    An array is unpacked by some validators, and cannot be a key of a dictionary, so that a lookup crashes; an object is
    taken for a value by the serde of Rust.
    """
    structures: tuple[object, ...] = [TELLTALE_STATUS], {TELLTALE_STATUS: None}, [TELLTALE_STATUS], [], {}
    structured = turn(structures, seed // 4)  # a run sends it with one of five seeds
    return *rotated((True, 1, False), 0, seed, 1), structured


def with_category(pet: Mapping[str, object], number: str) -> bytes:
    """A body with a `categoryId` that Python writes as another number; `number` is JSON text."""
    return f'{json.dumps(pet)[:-1]}, "categoryId": {number}}}'.encode()


def nameless_posts(run: str, category: int, seed: int) -> tuple[Call, Call]:
    """Two POSTs whose body must be refused and has no name, so that no page has to clear it.

    The first has one that a server may not read to its end. Frameworks of Ruby take what an object lacks from the
    query. The next `seed` has others.
    """

    def pet(**members: object) -> dict[str, object]:
        return members | {"categoryId": category, "status": TELLTALE_STATUS}

    unread = pet(name=["Rex"]), pet(name=True), pet(name={"first": "Rex"}), pet(name=False)
    query = ("name", refused_name(run, "query")), ("categoryId", str(category)), ("status", TELLTALE_STATUS)
    # two fields are missing in an empty object: a server may return several errors in another shape
    others: tuple[Members, ...] = {}, [], {}, b"true"
    other = turn(others, seed)
    return new_pet_call(turn(unread, seed)), replace(new_pet_call(other), query=query if other == {} else ())


def keyless_pet(run: str, category: int, label: str, status: str) -> dict[str, object]:
    """A valid NewPet that is posted without a valid key, so it must not be created."""
    return {"name": refused_name(run, label), "categoryId": category, "status": status}


def refused_name(run: str, label: str) -> str:
    """The name in a body that must not be stored."""
    return f"petcheck {run} refused {label}"


DEFECTS = defects("0" * 8, 1, 1)
