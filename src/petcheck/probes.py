"""What a run posts to `POST /pets`: the bodies that must be accepted, those that may be, and those that must not.

Pure data made from the run's id, so that everything that may stay behind on a target carries it. There is no delete
operation: each body is worth the animal that it makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from petcheck.judging.interface import STATUSES
from petcheck.judging.jsontext import INT64_MAX, INT64_MIN

Body: TypeAlias = "dict[str, object] | list[object] | bytes | None"


# what the catalogue asks about parameters that the document does not provide for
OPEN_LISTS = {
    "limit-over-100": {"limit": "101"},
    "limit-not-a-number": {"limit": "abc"},
    "limit-negative": {"limit": "-1"},
    "status-unknown": {"status": "adopted"},
    "limit-zero": {"limit": "0"},
}


@dataclass(frozen=True, slots=True)
class ValidPet:
    """A NewPet that section 4.2 makes valid for sure, and one like it whose value is the service's own matter.

    The `bold` one is tried first, since it shows more; where the service refuses it, as it may, `plain` follows.
    """

    status: str | None
    plain: dict[str, object]
    bold: dict[str, object] | None
    boldness: str = ""


@dataclass(frozen=True, slots=True)
class Defect:
    """A body that must be refused with 400, for one reason; `requirement` is the one that says so.

    `marker` is the name that an animal made of it would have; None where it would have none.
    """

    label: str
    requirement: str
    sent: str
    body: Body
    marker: str | int | None


def valid_pets(run: str, category: int) -> tuple[ValidPet, ...]:
    """A NewPet of each status, and one without; `run` is the run's id of 8 characters, `category` a known category."""

    def pet(status: str | None, name: str, category_id: int) -> dict[str, object]:
        return {"name": name, "categoryId": category_id} | ({"status": status} if status else {})

    def plain(status: str | None) -> dict[str, object]:
        return pet(status, f'petcheck {run} {(status or "none"):9} <b>&amp; "it\'s" \\n%41+', category)

    far = f"petcheck {run} Zoë  貓 🐈\u200d⬛ 𝒫ℯ𝓉 e\u0301 "
    near = f"petcheck {run} \u212b\u212a\ufb00 שלום😀 z"
    available, pending, sold = STATUSES
    return (
        ValidPet(available, plain(available), None),
        ValidPet(
            pending, plain(pending), pet(pending, far, INT64_MAX), "a name beyond ASCII and the largest categoryId"
        ),
        # the least int64 itself is a power of two, which survives a double unharmed
        ValidPet(
            sold, plain(sold), dict(plain(sold), categoryId=INT64_MIN + 1), "a categoryId at the lower end of int64"
        ),
        ValidPet(None, plain(None), pet(None, near, category), "a name beyond ASCII"),
    )


def defects(run: str, category: int, number: int) -> tuple[Defect, ...]:
    """Every body that section 4.2 refuses for certain, one defect each; `number` is drawn, to stand for a name."""

    def body(label: str, **members: object) -> dict[str, object]:
        return {"name": refused_name(run, label), "categoryId": category, "status": "sold"} | members

    def defect(label: str, requirement: str, sent: str, **members: object) -> Defect:
        return Defect(label, requirement, sent, body(label, **members), refused_name(run, label))

    def without(name: str, label: str) -> dict[str, object]:
        return {key: value for key, value in body(label).items() if key != name}

    def marker(label: str) -> str:
        return refused_name(run, label)

    nameless: dict[str, object] = {"name": None, "categoryId": category}
    return (
        Defect("no-body", "CREATE-5", "without a body", None, None),
        Defect(
            "not-json", "CREATE-5", "with a body that is no JSON", str(body("not-json")).encode(), marker("not-json")
        ),
        Defect("array", "CREATE-5", "with an array as its body", [body("array")], marker("array")),
        Defect("no-name", "CREATE-6", "without `name`", without("name", "no-name"), None),
        Defect("no-category", "CREATE-6", "without `categoryId`", without("categoryId", "no-cat"), marker("no-cat")),
        Defect("name-number", "CREATE-7", "with a number as `name`", body("", name=number), number),
        Defect("name-null", "CREATE-7", "with null as `name`", nameless, None),
        defect("category-text", "CREATE-8", "with text as `categoryId`", categoryId=str(category)),
        defect("category-fraction", "CREATE-8", "with a fraction as `categoryId`", categoryId=1.5),
        defect("category-null", "CREATE-8", "with null as `categoryId`", categoryId=None),
        defect("category-boolean", "CREATE-8", "with true as `categoryId`", categoryId=True),
        defect("category-beyond", "CREATE-9", "with 2^63 as `categoryId`", categoryId=INT64_MAX + 1),
        defect("status-unknown", "CREATE-10", "with an unknown `status`", status="adopted"),
        defect("status-case", "CREATE-10", "with `status` in capitals", status="SOLD"),
        defect("status-null", "CREATE-10", "with null as `status`", status=None),
    )


def keyless_pet(run: str, category: int, label: str, status: str) -> dict[str, object]:
    """A valid NewPet that is posted without a valid key, and so must not come into being."""
    return {"name": refused_name(run, label), "categoryId": category, "status": status}


def refused_name(run: str, label: str) -> str:
    """The name that a body which must not be stored carries."""
    return f"petcheck {run} refused {label}"


DEFECTS = defects("0" * 8, 1, 1)
